"""What the questions of a command to its model took, through all sessions."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import UTC, datetime

from backdate.models.proxy import PassedEnding, PassedQuestion
from backdate.serial import digest
from backdate.solvers.interface import Assignment
from backdate.solvers.journal import JournaledFailure, JournaledRequest, JournalEntry
from backdate.solvers.model import Cost
from backdate.solvers.records import SolverUsage
from backdate.tasks.kinds.choose import kind_of


class CommandAccount:
    """What the requests of a command to its model took, kept in the journal as they are sent and answered.

    It is the listener (``QuestionListener``) of the proxy.
    """

    def __init__(self, assignment: Assignment, cost: Cost) -> None:
        """Raises UsageError for a journal of another task."""
        self._journal, self._cost = assignment.journal, cost
        self._lock = threading.Lock()
        self.usage = SolverUsage()
        self.model = ""
        self.notes: list[str] = []
        """What is to be said of earlier sessions."""
        self.before_s = 0.0
        if self._journal is None:
            return
        if self._journal.entries:
            self.notes.append("it was interrupted, and started again from a clean tree")
            self.before_s = self._journal.before_s
            self.usage = usage_of_entries(self._journal.entries)
        task = assignment.task
        question = (task.instance_id, *kind_of(task).question(task), task.source.revision)
        self._journal.begin(digest(question, assignment.settings))

    def question_sent(self) -> None:
        """Write down that a request is about to be sent; safe for threads."""
        with self._lock:
            if self._journal is not None:
                self._journal.append(asked=JournaledRequest(sent=datetime.now(UTC)))

    def question_ended(self, question: PassedQuestion) -> None:
        """Take one answer, or that there will be none; safe for threads."""
        if question.ending is PassedEnding.ANSWERED:
            self._answered(question)
            return
        lost = SolverUsage(lost=int(question.ending is PassedEnding.LEFT))
        with self._lock:
            self.usage += lost
            if self._journal is not None:
                self._journal.append(unanswered=JournaledFailure(kind=question.ending.value, usage=lost))

    def _answered(self, answer: PassedQuestion) -> None:
        tokens = answer.usage
        usage = SolverUsage(
            requests=1,
            input_tokens=tokens.prompt_tokens if tokens else None,
            cached_tokens=tokens.cached_tokens if tokens else None,
            output_tokens=tokens.completion_tokens if tokens else None,
            cost_usd=self._cost(answer.asked, tokens),
        )
        with self._lock:
            self.usage += usage
            self.model = answer.model or self.model or answer.asked
            if self._journal is not None:
                self._journal.append(usage=usage)


def usage_of_entries(entries: Sequence[JournalEntry]) -> SolverUsage:
    """What earlier sessions of a command took; requests of which they wrote down no end are lost."""
    usage, under_way = SolverUsage(), 0
    for entry in entries:
        if entry.asked is not None:
            under_way += 1
        elif entry.usage is not None or entry.unanswered is not None:
            under_way = max(0, under_way - 1)  # entries of format 1 have ends alone
            usage += entry.usage or SolverUsage()
            usage += entry.unanswered.usage if entry.unanswered else SolverUsage()
    return usage + SolverUsage(lost=under_way)
