"""Further tools (``--tools evidence``): what both environments can tell of the libraries' changes.

When did a name change, what replaced it, what warnings did the old libraries give, what does the new
environment offer. Answered from the environments themselves (``diagnosis/api.py``), in the sandbox. No other
harness has these, so runs with them are reported apart.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import msgspec

from backdate.diagnosis.api import ApiDifference, NameChange, ask_both
from backdate.diagnosis.distributions import Distributions, site_packages
from backdate.environments.environment import Environment, LockedDistribution
from backdate.sandboxes.interface import MIB, Command, Limits, Sandbox, Workspace
from backdate.serial import decoder_of
from backdate.solvers.tools.interface import Parameter, Tool, ToolRefusal
from backdate.solvers.tools.logs import read_log
from backdate.tasks.kinds.migration import migration_facts
from backdate.tasks.task import EnvironmentName, Task

MOST_NAMES = 20
_MOST_LINES = 150
_LIMITS = Limits(wall_s=60.0, memory_bytes=2048 * MIB, disk_bytes=64 * MIB, log_bytes=4 * MIB)
_DOTTED = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_MARK = b"@@names "
_LIST_NAMES = (
    "import importlib, json, sys\n"
    "module = importlib.import_module(sys.argv[1])\n"
    "print('\\n@@names ' + json.dumps(sorted(n for n in dir(module) if not n.startswith('_'))))\n"
)

EnvironmentOf = Callable[[EnvironmentName], Environment | str]
"""One of the task's two environments, or why there is none."""
OldLog = Callable[[], Path | None]
"""The log of the tests in the old environment; None when they could not be run there."""


class EnvironmentEvidence:
    """What can be asked of one task's two environments; nothing is built before the first question."""

    def __init__(self, task: Task, sandbox: Sandbox, environment_of: EnvironmentOf, old_log: OldLog) -> None:
        self._task, self._sandbox = task, sandbox
        self._environment_of, self._old_log = environment_of, old_log

    @cached_property
    def _both(self) -> tuple[Environment | str, Environment | str]:
        return self._environment_of("origin"), self._environment_of("target")

    def _environments(self) -> tuple[Environment, Environment]:
        old, new = self._both
        for side, environment in (("old", old), ("new", new)):
            if isinstance(environment, str):
                raise ToolRefusal(f"there is no {side} environment to ask: {environment}")
        assert isinstance(old, Environment)
        assert isinstance(new, Environment)
        return old, new

    def tools(self) -> tuple[Tool, ...]:
        """The four tools."""
        return (
            Tool(
                name="name_changes",
                description=(
                    "Tell what became of dotted names (module.Class, module.function) between the old and "
                    "the new libraries: gone, moved where, other parameters, and the warnings the old gave."
                ),
                parameters=(
                    Parameter(
                        name="names",
                        kind="string",
                        description=f"At most {MOST_NAMES} dotted names, separated by commas.",
                    ),
                ),
                run=lambda arguments: self._names(arguments["names"]),
            ),
            Tool(
                name="version_changes",
                description="List the distributions whose versions differ between the two environments.",
                parameters=(
                    Parameter(name="query", kind="string", description="Part of a name.", default=""),
                ),
                run=lambda arguments: self._versions(arguments["query"]),
            ),
            Tool(
                name="module_contents",
                description="List the public names of a module in the new environment, and those it lost.",
                parameters=(
                    Parameter(name="module", kind="string", description="Its dotted name."),
                    Parameter(name="query", kind="string", description="Part of a name.", default=""),
                ),
                run=self._contents,
            ),
            Tool(
                name="old_warnings",
                description="Show the warnings that the tests gave in the old environment.",
                parameters=(
                    Parameter(name="query", kind="string", description="Part of the text.", default=""),
                ),
                run=lambda arguments: self._warnings(arguments["query"]),
            ),
        )

    def _names(self, text: str) -> str:
        names = [name for name in re.split(r"[\s,;]+", text) if name]
        wrong = next((name for name in names if not _DOTTED.fullmatch(name)), None)
        if not names or wrong is not None or len(names) > MOST_NAMES:
            raise ToolRefusal(
                f"give 1 to {MOST_NAMES} dotted names such as numpy.float, separated by commas."
            )
        old, new = self._environments()
        answers = ask_both(self._sandbox, old, new, names)
        return "\n".join(self._answer_lines(answer, old, new) for answer in answers)

    def _answer_lines(self, answer: ApiDifference, old: Environment, new: Environment) -> str:
        lines = [f"{answer.name}: {_described(answer)}"]
        for side, member in (("old", answer.old), ("new", answer.new)):
            if member is not None and member.present:
                signature = f"{member.name.rpartition('.')[2]}{member.signature}" if member.signature else ""
                about = "; ".join(part for part in (member.kind, signature, member.document) if part)
                lines.append(f"  {side}: {about}")
            elif member is not None and member.why:
                lines.append(f"  {side}: {member.why}")
        if answer.moved_to:
            lines.append(f"  now probably at: {', '.join(answer.moved_to[:5])}")
        if answer.old is not None:
            lines += [
                f"  the old one warned: {warning.category}: {warning.message}"
                for warning in answer.old.warnings
            ]
        when = _when(answer.name, old, new)
        return "\n".join([*lines, *([f"  {when}"] if when else []), *self._culprits(answer.name, old, new)])

    def _culprits(self, name: str, old: Environment, new: Environment) -> list[str]:
        owner = _owner(name, old) or _owner(name, new)
        return [
            f"  bisection found: it broke with {culprit.distribution} {culprit.version} "
            f"of {culprit.released:%Y-%m-%d}"
            for culprit in migration_facts(self._task).culprits
            if culprit.distribution == owner
        ]

    def _versions(self, query: str) -> str:
        old, new = self._environments()
        before = {distribution.name: distribution for distribution in old.lock.distributions}
        after = {distribution.name: distribution for distribution in new.lock.distributions}
        lines = [f"Python {old.lock.python} -> {new.lock.python}"]
        changes = {name: _change(before.get(name), after.get(name)) for name in sorted({*before, *after})}
        lines += [f"{name}: {line}" for name, line in changes.items() if line and query.lower() in name]
        return _bounded(lines)

    def _contents(self, arguments: Mapping[str, Any]) -> str:
        module, query = arguments["module"].strip(), arguments["query"].lower()
        if not _DOTTED.fullmatch(module):
            raise ToolRefusal("give a module's dotted name such as numpy.random.")
        old, new = self._environments()
        there, before = self._listed(new, module), self._listed(old, module)
        if isinstance(there, str):
            was = "" if isinstance(before, str) else " It was there in the old environment."
            return f"{module} cannot be imported in the new environment: {there}.{was}"
        shown = [name for name in there if query in name.lower()]
        lost = [] if isinstance(before, str) else [name for name in before if name not in there]
        parts = [f"{module} has {len(there)} public names; shown: {len(shown)}", ", ".join(shown[:400])]
        if lost:
            parts.append(f"Not there any more: {', '.join(lost[:200])}")
        return "\n".join(parts)

    def _listed(self, environment: Environment, module: str) -> list[str] | str:
        """The public names of a module, or why it cannot be imported."""
        with tempfile.TemporaryDirectory(prefix="backdate-names-") as folder:
            log = Path(folder, "log")
            self._sandbox.run(
                Command(
                    argv=(str(environment.python), "-c", _LIST_NAMES, module),
                    cwd="/tmp",  # noqa: S108 - private to the sandbox
                    env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "MPLBACKEND": "Agg"},
                    limits=_LIMITS,
                ),
                Workspace(
                    mounts=tuple(
                        mount for mount in environment.mounts if not mount.source.is_relative_to("/usr")
                    )
                ),
                log=log,
            )
            data = log.read_bytes()
        for line in reversed(data.splitlines()):
            if line.startswith(_MARK):
                try:
                    return decoder_of(list[str]).decode(line[len(_MARK) :])
                except (msgspec.DecodeError, UnicodeDecodeError):
                    break
        last = data.decode("utf-8", "replace").strip().splitlines()[-1:]
        return last[0][:300] if last else "it said nothing"

    def _warnings(self, query: str) -> str:
        log = self._old_log()
        if log is None or not log.is_file():
            raise ToolRefusal("the tests could not be run in the old environment.")
        text_sought = query.lower()
        warnings = dict.fromkeys(
            line.strip()[:400]
            for line in read_log(log).splitlines()
            if "Warning" in line and text_sought in line.lower()
        )
        return _bounded(list(warnings)) if warnings else "No such warnings in the old environment."


def _described(answer: ApiDifference) -> str:
    if answer.change is NameChange.SIGNATURE:
        lost = ", ".join(answer.removed_parameters) or "none"
        new = ", ".join(answer.added_parameters) or "none"
        return f"other parameters (removed: {lost}; added: {new})"
    return str(answer.change.value)


def _owner(name: str, environment: Environment) -> str:
    distribution = Distributions(site_packages(*environment.roots)).of_module(name)
    return distribution.key if distribution is not None else ""


def _when(name: str, old: Environment, new: Environment) -> str:
    """Between which releases of its distribution a name changed."""
    owner = _owner(name, old) or _owner(name, new)
    before = next(
        (distribution for distribution in old.lock.distributions if distribution.name == owner), None
    )
    after = next(
        (distribution for distribution in new.lock.distributions if distribution.name == owner), None
    )
    line = _change(before, after)
    return f"{owner} {line}" if owner and line else ""


def _change(before: LockedDistribution | None, after: LockedDistribution | None) -> str:
    if before is not None and after is not None and before.version == after.version:
        return ""
    return f"{_dated(before)} -> {_dated(after)}"


def _dated(distribution: LockedDistribution | None) -> str:
    if distribution is None:
        return "not installed"
    return (
        f"{distribution.version} ({distribution.uploaded:%Y-%m-%d})"
        if distribution.uploaded
        else distribution.version
    )


def _bounded(lines: list[str]) -> str:
    more = len(lines) - _MOST_LINES
    return "\n".join([*lines[:_MOST_LINES], *([f"… and {more} more; give a query"] if more > 0 else [])])
