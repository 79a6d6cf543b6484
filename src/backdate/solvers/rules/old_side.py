"""One traced run of the side on which the tests pass: lines, warnings and classes of objects."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, runtime_checkable

from backdate.checking.resources import Resources
from backdate.editing.line_maps import LineMap
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.executed import whole_statements
from backdate.solvers.rules.object_uses import calls_to_watch, members_to_watch, objects_to_watch
from backdate.tasks.runner import TaskRunner, TaskRunResult
from backdate.tasks.task import EnvironmentName, Task
from backdate.tasks.throwaway_trees import BuiltSide
from backdate.testing.tracing import (
    SeenError,
    SeenObject,
    SeenWarning,
    Trace,
    TraceRequest,
    TracingSandbox,
    read_trace,
)


@runtime_checkable
class SandboxedRunner(Protocol):
    """A task runner whose environments can be asked, and whose runs can be traced."""

    @property
    def sandbox(self) -> Sandbox:
        """The one in which tests run."""
        ...

    def over(self, change: Callable[[Sandbox], Sandbox]) -> TaskRunner:
        """The same task runner over another sandbox."""
        ...

    def make_tree(self, task: Task, target: Path, stage: EnvironmentName | None = None) -> None:
        """See ``TaskRunner``."""
        ...

    def build(self, task: Task, tree: Path, environment: EnvironmentName) -> BuiltSide:
        """That environment for ``tree``, from the cache or built now."""
        ...


@runtime_checkable
class IndexedRunner(Protocol):
    """A task runner that has a package index."""

    resources: Resources
    """Its index, and the cache that goes with it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OldSide:
    """What a traced run of the old side says; lines are those of the new side's files."""

    environment: Environment | None
    result: TaskRunResult
    executed: Mapping[str, frozenset[int]] | None
    """By file, the lines that ran; None where the trace does not tell."""
    objects: tuple[SeenObject, ...] = ()
    warnings: tuple[SeenWarning, ...] = ()
    errors: tuple[SeenError, ...] = ()
    """What reaches the project's lines where its tests pass; lines are those of the old side's files."""
    waited_s: float = 0.0
    """Seconds that building the environment and running the tests took."""


def run_old_side(
    runner: SandboxedRunner,
    task: Task,
    old_tree: Path,
    old_texts: Mapping[str, str],
    new_texts: Mapping[str, str],
    *,
    folder: Path,
    only: tuple[str, ...] = (),
) -> OldSide:
    """Run the tests of the tree at ``old_tree`` in the old environment with the tracer, into ``folder``.

    ``old_texts`` and ``new_texts``: the Python files of both sides. Raises SandboxUnavailable.
    """
    logs = folder / "logs"
    logs.mkdir(parents=True)
    request = TraceRequest(
        files=dict.fromkeys(old_texts, ()),
        objects=objects_to_watch(old_texts),
        members=members_to_watch(old_texts),
        calls=calls_to_watch(old_texts),
        warnings=True,
        errors=True,
    )
    traced = runner.over(lambda inner: TracingSandbox(inner, request, folder))
    started = time.monotonic()
    result = traced.run_tests(task, old_tree, "origin", log_folder=logs, only=only)
    waited_s = time.monotonic() - started
    trace = read_trace(folder)
    maps = {
        file: LineMap.between(old_texts[file], text) for file, text in new_texts.items() if file in old_texts
    }
    return OldSide(
        environment=result.environment,
        result=result,
        waited_s=waited_s,
        executed=_executed(trace, old_texts, maps),
        errors=trace.errors,
        objects=tuple(
            replace(one, line=line)
            for one in trace.objects
            if one.file in maps
            for line in maps[one.file].of((one.line,))
        ),
        warnings=tuple(
            replace(one, line=line)
            for one in trace.warnings
            if one.file in maps
            for line in maps[one.file].of((one.line,))
        ),
    )


def _executed(
    trace: Trace, old_texts: Mapping[str, str], maps: Mapping[str, LineMap]
) -> dict[str, frozenset[int]] | None:
    if not trace.lines or trace.spoiled:
        return None
    by_file: dict[str, set[int]] = {}
    for file, line in trace.lines:
        by_file.setdefault(file, set()).add(line)
    return {
        file: maps[file].of(whole_statements(old_texts[file], lines))
        for file, lines in by_file.items()
        if file in maps
    }
