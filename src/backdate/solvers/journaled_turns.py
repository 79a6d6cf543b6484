"""The turns of a journal given again in their order, and new ones written down."""

from __future__ import annotations

from collections import deque
from typing import TypeVar

from backdate.errors import StoredDataError
from backdate.solvers.journal import Journal, JournaledAnswer, JournaledReply, JournalEntry

_Part = TypeVar("_Part", JournaledReply, JournaledAnswer)


class JournaledTurns:
    """What was said and answered before, one after the other; then nothing, until what is new is kept."""

    def __init__(self, journal: Journal | None) -> None:
        """Without a journal nothing was said before, and nothing is kept."""
        self._journal = journal
        self._left: deque[JournalEntry] = deque(journal.entries[1:] if journal is not None else ())

    def begin(self, question: str) -> None:
        """See ``Journal.begin``."""
        if self._journal is not None:
            self._journal.begin(question)

    def next_reply(self) -> JournaledReply | None:
        """The next reply of before; None when there is none left."""
        entry = self._left.popleft() if self._left else None
        return None if entry is None else self._expected(entry.reply)

    def next_answer(self) -> JournaledAnswer | None:
        """The next answer of before; None when there is none left."""
        entry = self._left.popleft() if self._left else None
        return None if entry is None else self._expected(entry.answer)

    def keep_reply(self, reply: JournaledReply) -> None:
        """Write a new reply down."""
        if self._journal is not None:
            self._journal.append(reply=reply)

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
