"""The facts of one kind, asked of a task that may be of another."""

from __future__ import annotations

from typing import TypeVar

from backdate.errors import UsageError
from backdate.tasks.task import Task, TaskFacts

F = TypeVar("F", bound=TaskFacts)


def facts_of(task: Task, facts: type[F], *, what: str) -> F:
    """The facts of ``task``, which are of the class ``facts``. ``what``: such a task in words: "an issue".

    Raises UsageError for a task of another kind.
    """
    if not isinstance(task.facts, facts):
        raise UsageError(f"{task.instance_id} is of the kind {task.kind}, and {what} is needed here")
    return task.facts
