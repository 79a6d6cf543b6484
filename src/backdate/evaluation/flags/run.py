"""The search for reasons to doubt a solved task, as the ``--flags`` option asks for it."""

from __future__ import annotations

from dataclasses import replace

from backdate.evaluation.flags.length import longer_than_gold
from backdate.evaluation.flags.static import static_flags
from backdate.evaluation.flags.traced import look_at_runs
from backdate.evaluation.flags.types import FlagFindings, Suspect
from backdate.evaluation.known_solution import write_solved_files
from backdate.evaluation.scores import Flag, FlagKind
from backdate.evaluation.scoring import Looker
from backdate.evaluation.tree_files import text_of
from backdate.projects.own_modules import top_level_names
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
        runner = suspect.task_runner or task_runner
        if not isinstance(runner, LocalRunner):
            unexamined = ("flags that need runs were not looked for: this runner cannot trace",)
            return FlagFindings(flags=static.flags, unexamined=unexamined)
        traced = look_at_runs(runner, suspect)
        return replace(traced, flags=(*static.flags, *traced.flags))

    return look


def look_at_syntax(suspect: Suspect) -> FlagFindings:
    """The flags that the edited files' texts and syntax trees show."""
    gold = _gold_texts(suspect)
    own = top_level_names(suspect.after)
    texts = {file: (text_of(suspect.before, file), text_of(suspect.after, file)) for file in suspect.files}
    flags: list[Flag] = []
    for file, (before, after) in texts.items():
        if file.endswith(".py"):
            flags.extend(static_flags(file, before, after, own=own, gold_files=frozenset(gold)))
    longer = longer_than_gold(texts, gold) if suspect.task.has_reference else ""
    if longer:
        flags.append(Flag(kind=FlagKind.LONG, detail=longer))
    return FlagFindings(flags=tuple(flags))


def _gold_texts(suspect: Suspect) -> dict[str, tuple[str, str]]:
    """The files that the known solution edits, before and after; none without one."""
    if not suspect.task.has_reference:
        return {}
    tree = suspect.scratch / "gold-texts"
    paths = write_solved_files(suspect.task, suspect.before, tree)
    return {path: (text_of(suspect.before, path), text_of(tree, path)) for path in paths}
