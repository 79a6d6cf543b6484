"""The turns of a journal given again in their order, and new ones written down."""

from __future__ import annotations

from collections import deque
from datetime import UTC, datetime
from typing import TypeVar

from backdate.errors import StoredDataError
from backdate.solvers.conversation import AgentReply, Failed
from backdate.solvers.journal import (
    Journal,
    JournaledAnswer,
    JournaledFailure,
    JournaledReply,
    JournaledRequest,
    JournalEntry,
)
from backdate.solvers.records import SolverUsage

_Part = TypeVar("_Part", JournaledReply, JournaledAnswer)


class JournaledTurns:
    """What was said and answered before, one after the other; then nothing, until what is new is kept."""

    def __init__(self, journal: Journal | None) -> None:
        """Without a journal nothing was said before, and nothing is kept."""
        self._journal = journal
        self._left: deque[JournalEntry] = deque(journal.entries[1:] if journal is not None else ())
        self._open = 0
        """Requests that earlier sessions sent for the next reply, and of which they wrote down no end."""
        self._failures = SolverUsage()

    def begin(self, question: str) -> None:
        """See ``Journal.begin``."""
        if self._journal is not None:
            self._journal.begin(question)

    def next_reply(self) -> JournaledReply | None:
        """The next reply of before; None when there is none left."""
        while self._left:
            entry = self._left.popleft()
            if entry.asked is not None:
                self._open += 1
            elif entry.unanswered is not None:
                self._failures += entry.unanswered.usage
                self._open = 0
            else:
                self._open = 0
                return self._expected(entry.reply)
        return None

    def take_failures(self) -> SolverUsage:
        """What requests without a reply took in earlier sessions, each told once."""
        taken, self._failures = self._failures, SolverUsage()
        return taken

    def next_answer(self) -> JournaledAnswer | None:
        """The next answer of before; None when there is none left."""
        entry = self._left.popleft() if self._left else None
        return None if entry is None else self._expected(entry.answer)

    def keep_request(self) -> None:
        """Write down that a request is about to be sent."""
        if self._journal is not None:
            self._journal.append(asked=JournaledRequest(sent=datetime.now(UTC)))

    def lost_before(self, reply: AgentReply | Failed) -> int:
        """How many requests for ``reply`` were lost with earlier sessions; told before it is kept.

        A reply that was remembered answers the last of them: it had arrived when the session was ended, and
        was not written down.
        """
        answered = isinstance(reply, AgentReply) and reply.remembered
        return max(0, self._open - 1) if answered else self._open

    def keep_reply(self, reply: JournaledReply) -> None:
        """Write a new reply down."""
        self._open = 0
        if self._journal is not None:
            self._journal.append(reply=reply)

    def keep_failure(self, failure: Failed) -> None:
        """Write down why there is no reply."""
        self._open = 0
        if self._journal is not None:
            self._journal.append(unanswered=JournaledFailure(kind=failure.kind, usage=failure.usage))

    def keep_answer(self, answer: JournaledAnswer) -> None:
        """Write a new answer down."""
        if self._journal is not None:
            self._journal.append(answer=answer)

    def damaged(self, why: str) -> StoredDataError:
        """The error for turns that cannot be what happened."""
        path = self._journal.path if self._journal is not None else "the journal"
        return StoredDataError(f"{path} cannot be gone on with: {why}; --retry starts the task again")

    def _expected(self, part: _Part | None) -> _Part:
        if part is None:
            raise self.damaged("its entries are not in the order in which turns happen")
        return part
