"""The search for reasons to doubt a solved task, as the ``--flags`` option asks for it."""

from __future__ import annotations

from backdate.evaluation.flags.static import static_flags
from backdate.evaluation.flags.traced import look_at_runs
from backdate.evaluation.flags.types import FlagFindings, Suspect
from backdate.evaluation.scores import Flag
from backdate.evaluation.scoring import Looker
from backdate.tasks.local_runner import LocalRunner
from backdate.tasks.runner import TaskRunner


def looker(task_runner: TaskRunner, flags: str) -> Looker | None:
    """The function that finds flags; ``flags`` is "all", "static" or "none" (no function)."""
    if flags == "none":
        return None
    if flags == "static":
        return look_at_syntax

    def look(suspect: Suspect) -> FlagFindings:
        static = look_at_syntax(suspect)
        if not isinstance(task_runner, LocalRunner):
            return FlagFindings(flags=static.flags, notes=("flags that need runs were not looked for",))
        traced = look_at_runs(task_runner, suspect)
        return FlagFindings(flags=(*static.flags, *traced.flags), notes=traced.notes)

    return look


def look_at_syntax(suspect: Suspect) -> FlagFindings:
    """The flags that the edited files' syntax trees show."""
    flags: list[Flag] = []
    for file in suspect.files:
        if file.endswith(".py"):
            before, after = (
                (root / file).read_bytes().decode("utf-8", "replace")
                for root in (suspect.before, suspect.after)
            )
            flags.extend(static_flags(file, before, after))
    return FlagFindings(flags=tuple(flags))
