"""Flags that need a run: edited lines that no test runs, edits that no failure passes through, functions
that return something else than the original returns in the origin environment."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from backdate.editing.python_source import parsed_or_none
from backdate.errors import ConfigurationError, SourceError
from backdate.evaluation.edits import new_lines
from backdate.evaluation.flags.failing_paths import outside_failing_paths
from backdate.evaluation.flags.functions import Function, edited_functions, functions_of
from backdate.evaluation.flags.types import FlagFindings, Suspect
from backdate.evaluation.scores import Flag, FlagKind
from backdate.evaluation.tree_files import text_of
from backdate.projects.hostile import replace_beneath
from backdate.projects.tree import copy_tree
from backdate.sandboxes.scratch import scratch_folder
from backdate.tasks.kinds.choose import environment_of, kind_of
from backdate.tasks.local_runner import LocalRunner
from backdate.tasks.runner import TaskRunner
from backdate.tasks.task import EnvironmentName
from backdate.testing.outcomes import SuiteRun
from backdate.testing.tracing import Trace, TraceRequest, TracingSandbox, read_trace
from backdate.text import version_numbers

MONITORING = (3, 12)
"""Since then the tracer takes nobody's trace function, and lets what it has seen run at full speed."""
_SHOWN = 5
_NOT_COMPARED = "the behaviour is not compared with the original's: another one is asked for"


def look_at_runs(task_runner: LocalRunner, suspect: Suspect) -> FlagFindings:
    """The flags of three runs: the answer traced, the original traced, and the tests without the answer.

    The first may be the run that solved the task (``traced_runner``), and the last is made once a task.
    """
    try:
        if suspect.traced is None:
            new = trace_run(task_runner, suspect, "target", _files(suspect.after, suspect))
        else:
            new = read_trace(suspect.traced)
        if kind_of(suspect.task).origin(suspect.task) is None:
            return _of_answer(suspect, new, differing=(), notes=(_NOT_COMPARED,))
        pinned = suspect.scratch / "pinned"
        task_runner.make_tree(suspect.task, pinned, "origin")
        old = trace_run(task_runner, suspect, "origin", _files(pinned, suspect), tree=pinned)
        failing = _failing_run(task_runner, suspect)
        differing, not_compared = behaviour(
            suspect, pinned, old, new, known=lambda: _known_solution(task_runner, suspect)
        )
    except SourceError as error:
        return FlagFindings(unexamined=(f"flags that need runs were not looked for: {error}",))
    outside, unknown = outside_failing_paths(suspect, failing, partial(_run_without, task_runner, suspect))
    findings = _of_answer(suspect, new, differing=(*outside, *differing), notes=tuple(unknown))
    return replace(findings, unexamined=(*findings.unexamined, *not_compared))


def _of_answer(
    suspect: Suspect, new: Trace, *, differing: tuple[Flag, ...], notes: tuple[str, ...]
) -> FlagFindings:
    """The flags that the run of the answer shows by itself, and ``differing``."""
    flags, unexamined = not_run(suspect, new)
    if new.spoiled:
        detail = f"the trace of the tests cannot be believed: {new.spoiled}"
        flags.append(Flag(kind=FlagKind.FORGED, detail=detail))
    return FlagFindings(flags=(*flags, *differing), unexamined=tuple(unexamined), notes=notes)


def traced_runner(task_runner: TaskRunner, suspect: Suspect) -> tuple[TaskRunner, Path | None]:
    """What runs the answer of ``suspect``, and the folder of its trace.

    From Python 3.12 on the run that decides is traced as well: ``sys.monitoring`` is out of the way of what
    runs. Before, and where a runner cannot trace, it is the runner as it is, and no folder.
    """
    if not isinstance(task_runner, LocalRunner):
        return task_runner, None
    python = environment_of(suspect.task, "target").python
    if version_numbers(python) < MONITORING:
        return task_runner, None
    files = _files(suspect.after, suspect)
    folder = suspect.scratch / "trace-of-the-score"
    folder.mkdir()
    return task_runner.over(lambda inner: TracingSandbox(inner, TraceRequest(files=files), folder)), folder


def _files(tree: Path, suspect: Suspect) -> dict[str, tuple[int, ...]]:
    """The edited files that are Python, each with the first lines of the edited functions in ``tree``."""
    first_lines = {}
    for file in suspect.files:
        if file.endswith(".py") and (tree / file).is_file():
            names = edited_functions(suspect, file)
            functions = functions_of(text_of(tree, file))
            first_lines[file] = tuple(function.first for function in functions if function.name in names)
    return first_lines


def trace_run(
    task_runner: LocalRunner,
    suspect: Suspect,
    environment: EnvironmentName,
    files: dict[str, tuple[int, ...]],
    *,
    tree: Path | None = None,
    name: str = "",
) -> Trace:
    """The trace of a test run of ``tree``, by default the answer's. ``name``: of its folder."""
    folder = suspect.scratch / (name or f"trace-{environment}")
    (folder / "logs").mkdir(parents=True)
    traced = task_runner.over(lambda inner: TracingSandbox(inner, TraceRequest(files=files), folder))
    traced.run_tests(suspect.task, tree or suspect.after, environment, log_folder=folder / "logs")
    return read_trace(folder)


def _failing_run(task_runner: LocalRunner, suspect: Suspect) -> SuiteRun | None:
    """The test run without the answer in the target environment."""
    logs = suspect.scratch / "failing-logs"
    return task_runner.run_before_answers(suspect.task, suspect.before, log_folder=logs)


def _run_without(task_runner: LocalRunner, suspect: Suspect, file: str, text: str) -> SuiteRun | None:
    """The tests of the answer with another text in ``file``, in the target environment."""
    with scratch_folder(suspect.scratch / "without") as folder:
        tree = folder / "tree"
        copy_tree(suspect.after, tree)
        try:
            replace_beneath(tree, file, text.encode("utf-8", "replace"))
        except ConfigurationError:
            return None  # behind a link
        return task_runner.run_tests(suspect.task, tree, "target", log_folder=folder / "logs").run


def not_run(suspect: Suspect, trace: Trace) -> tuple[list[Flag], list[str]]:
    """Added lines with code that no test runs; and in which files the trace cannot tell."""
    flags: list[Flag] = []
    unexamined: list[str] = []
    for file in suspect.files:
        if not file.endswith(".py"):
            continue
        after = text_of(suspect.after, file)
        added = statement_lines(after) & new_lines(text_of(suspect.before, file), after)
        ran = {line for name, line in trace.lines if name == file}
        missed = sorted(line for line in added if not _spans(after, line) & ran)
        if missed and (trace.lost or not trace.lines):
            unexamined.append(f"{file}: which lines ran is not known; another tool may have taken the trace")
        elif missed:
            more = f" and {len(missed) - _SHOWN} more" if len(missed) > _SHOWN else ""
            shown = ", ".join(map(str, missed[:_SHOWN]))
            flags.append(Flag(kind=FlagKind.NOT_RUN, detail=f"{file}: no test runs line {shown}{more}"))
    return flags, unexamined


def statement_lines(text: str) -> frozenset[int]:
    """The first lines of the statements that do something when they run."""
    return frozenset(statement.lineno for statement in _statements(text))


def _statements(text: str) -> Iterator[ast.stmt]:
    tree = parsed_or_none(text)
    if tree is None:
        return
    silent = (ast.Global, ast.Nonlocal, ast.Try, ast.Pass)
    for node in ast.walk(tree):
        constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, ast.stmt) and not isinstance(node, silent) and not constant:
            yield node


def _spans(text: str, line: int) -> set[int]:
    """The lines of the statement that begins at ``line``, without its body."""
    lines: set[int] = set()
    for statement in _statements(text):
        if statement.lineno == line:
            body = getattr(statement, "body", None)
            end = body[0].lineno - 1 if isinstance(body, list) and body else statement.end_lineno or line
            lines.update(range(line, max(end, line) + 1))
    return lines


@dataclass(frozen=True, slots=True)
class KnownSolution:
    """A traced run of the known solution: what edited functions may give in the target environment."""

    tree: Path
    trace: Trace

    def gives(self, file: str, name: str, arguments: str) -> frozenset[str]:
        """What the function gave for these arguments."""
        firsts = [one.first for one in functions_of(text_of(self.tree, file)) if one.name == name]
        calls = [self.trace.calls.get((file, first), {}) for first in firsts]
        return frozenset(gave for results in calls for gave in results.get(arguments, ()))


def _known_solution(task_runner: LocalRunner, suspect: Suspect) -> KnownSolution | None:
    if not suspect.task.has_reference:
        return None
    tree = suspect.scratch / "known-solution"
    task_runner.make_tree(suspect.task, tree, "reference")
    files = _files(tree, suspect)
    trace = trace_run(task_runner, suspect, "target", files, tree=tree, name="trace-known-solution")
    return KnownSolution(tree, trace)


def behaviour(
    suspect: Suspect,
    pinned: Path,
    old: Trace,
    new: Trace,
    known: Callable[[], KnownSolution | None] = lambda: None,
) -> tuple[list[Flag], list[str]]:
    """Edited functions that never return the same for the same arguments in the two environments; and what
    could not be compared, which is not said of functions that no test calls in either.

    ``known`` is called where something differs: what the known solution gives there as well is the library's
    doing (its order, its wording), and no flag.
    """
    flags, not_compared = [], []
    solution: list[KnownSolution | None] = []
    for file, name, original, function in _edited_pairs(suspect, pinned):
        if old.spoiled or new.spoiled or not old.started or not new.started:
            why = old.spoiled or new.spoiled or "a run was not traced"
            not_compared.append(f"{file}: the behaviour of {name} was not compared: {why}")
            continue
        old_results = old.calls.get((file, original.first), {})
        new_results = new.calls.get((file, function.first), {})
        shared = old_results.keys() & new_results.keys()
        different = [arguments for arguments in shared if not old_results[arguments] & new_results[arguments]]
        if different:
            if not solution:
                solution.append(known())
            if solution[0] is not None:
                gold = solution[0]
                different = [one for one in different if not new_results[one] & gold.gives(file, name, one)]
        if different:
            why = (
                f"{len(different)} of {len(shared)} calls that are the same on both sides gave something else"
            )
            flags.append(Flag(kind=FlagKind.BEHAVIOUR, detail=f"{file}: {name}: {why}"))
        elif not shared and (old_results or new_results or old.lost or new.lost):
            why = "no call is known to be the same on both sides"
            not_compared.append(f"{file}: the behaviour of {name} was not compared: {why}")
    return flags, not_compared


def _edited_pairs(suspect: Suspect, pinned: Path) -> Iterator[tuple[str, str, Function, Function]]:
    """File and name of each edited function that is in the original as well, and both of them."""
    for file in suspect.files:
        if not file.endswith(".py") or not (pinned / file).is_file():
            continue
        edited = edited_functions(suspect, file)
        originals = {function.name: function for function in functions_of(text_of(pinned, file))}
        for function in functions_of(text_of(suspect.after, file)):
            original = originals.get(function.name)
            if original is not None and function.name in edited:
                yield file, function.name, original, function
