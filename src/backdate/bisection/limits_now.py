"""What keeps the tests passing for now: the limits with which a bisection saw them pass."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.advice import WorkingLimits
from backdate.bisection.probes import ProbeResult
from backdate.bisection.result import Finding, HeldBack
from backdate.bisection.search import ProbeStatus
from backdate.bisection.version_moves import hold_back
from backdate.index.names import normalise
from backdate.knowledge.changes import PYTHON
from backdate.text import UNREADABLE, minor_version


@dataclass(frozen=True, slots=True, kw_only=True)
class SeenLimits:
    """An environment with limits, and what was seen of the tests that broke."""

    requirements: tuple[str, ...]
    python: str
    """The interpreter's version."""
    newest_python: bool
    """Whether it is the new side's interpreter."""
    passing: frozenset[str]
    failing: frozenset[str] = frozenset()


def limits_seen(probes: Iterable[ProbeResult], newest_python: str) -> list[SeenLimits]:
    """What ``probes`` of the newest instant show, those with limits or with another interpreter."""
    seen = []
    for probe in probes:
        python = probe.point.choice.interpreter.version
        if not probe.point.constraints and python == newest_python:
            continue
        by_status = {
            status: frozenset(test for test, known in probe.statuses.items() if known is status)
            for status in ProbeStatus
        }
        seen.append(
            SeenLimits(
                requirements=strictest(probe.point.constraints),
                python=python,
                newest_python=python == newest_python,
                passing=by_status[ProbeStatus.GOOD],
                failing=by_status[ProbeStatus.BAD],
            )
        )
    return seen


def working_limits(
    findings: Sequence[Finding], seen: Sequence[SeenLimits] = (), *, newest_python: str = ""
) -> tuple[WorkingLimits, ...]:
    """What was seen to help: the environment with which most of the tests pass, then what helps the others.

    ``seen``: every environment with limits; what the findings say counts as well. Nothing of a culprit that
    was not held back. Of a build, what it builds with. ``newest_python``: the new side's interpreter; ""
    where only the findings tell whether it was another.
    """
    # to fail as before is no test that passes
    blamed = [finding for finding in findings if finding.culprits and not finding.failed_before]
    if not blamed:
        return ()
    tests = frozenset(test for finding in blamed for test in finding.tests)
    known = [*seen, *_of_findings(blamed, newest_python)]
    culprits = {normalise(one.name) for finding in blamed for one in finding.culprits}
    of_culprits = [one for one in known if culprits.issuperset(_held_names(one))]
    limits: list[WorkingLimits] = []
    left = tests
    while left or not limits:
        # what holds anything else as well was how a search began
        helping = [one for one in of_culprits if one.passing & left] or known
        best = max(helping, key=lambda one: _rank(one, left), default=None)
        if best is None or not (best.passing & left or not tests):
            break
        python = "" if best.newest_python else _interpreter_limit(blamed, best)
        if not best.requirements and not python:
            break  # another interpreter helps, and nothing says that it is to blame
        limits.append(
            WorkingLimits(
                requirements=best.requirements,
                python=python,
                passing=len(best.passing & tests),
                tests=len(tests),
                on_python=best.python,
            )
        )
        left -= best.passing
    return tuple(limits)


def _held_names(one: SeenLimits) -> set[str]:
    """What is held back in an environment, an older interpreter included."""
    names = {normalise(Requirement(line).name) for line in one.requirements}
    return names if one.newest_python else names | {PYTHON}


def _interpreter_limit(blamed: Sequence[Finding], seen: SeenLimits) -> str:
    """The limit on the interpreter with which what ``seen`` shows to pass does; "" where none is at fault."""
    helped = (one for one in blamed if not one.tests or seen.passing.intersection(one.tests))  # or its build
    limits = {_python_limit(finding) for finding in helped}
    fitting = [limit for limit in limits if limit and SpecifierSet(limit).contains(seen.python)]
    return min(fitting, key=lambda limit: Version(limit.removeprefix("<")), default="")


def _rank(one: SeenLimits, left: frozenset[str]) -> tuple[int, int, bool, int, int]:
    """More of the tests pass, and fewer fail; then the newer interpreter; limits before pins; then fewer."""
    pins = sum("==" in line for line in one.requirements)
    passing, failing = len(one.passing & left), len(one.failing & left)
    return (passing, -failing, one.newest_python, -pins, -len(one.requirements))


def _of_findings(findings: Sequence[Finding], newest_python: str) -> list[SeenLimits]:
    """What the findings themselves say was seen, one entry for each environment."""
    groups: dict[tuple[tuple[str, ...], str, bool], set[str]] = {}
    for finding in findings:
        held = _held_back(finding, findings)
        if held is not None:
            newest = held.python == newest_python if newest_python else not _python_limit(finding)
            key = (strictest(held.constraints), held.python, newest)
            groups.setdefault(key, set()).update(held.passing)
    return [
        SeenLimits(requirements=requirements, python=python, newest_python=newest, passing=frozenset(passing))
        for (requirements, python, newest), passing in groups.items()
    ]


def _held_back(finding: Finding, findings: Sequence[Finding]) -> HeldBack | None:
    """What was seen; of a finding that says only that it was confirmed, what that means.

    That is: with what was hidden behind it held back as well.
    """
    if not finding.culprits:
        return None
    if finding.held_back is not None:
        return finding.held_back
    if "backward" not in finding.confirmed:
        return None
    constraints = {*finding.held, *_own(finding)}
    for other in findings:
        if set(_own(finding)) <= set(other.held) and set(other.tests) & set(finding.tests):
            constraints |= {*other.held, *_own(other)}
    older = next((one.old for one in finding.culprits if one.name == "python"), None)
    return HeldBack(
        constraints=tuple(sorted(constraints)), python=older or finding.python, passing=finding.tests
    )


def _own(finding: Finding) -> tuple[str, ...]:
    """The constraints that hold back a finding's culprits; none for an interpreter."""
    return () if _python_limit(finding) else hold_back(finding.culprits)


def _python_limit(finding: Finding) -> str:
    """The limit on the interpreter, where it is the culprit."""
    return next(
        (f"<{minor_version(one.new)}" for one in finding.culprits if one.name == "python" and one.new), ""
    )


def strictest(constraints: Iterable[str]) -> tuple[str, ...]:
    """``constraints`` with one upper limit for each distribution: the lowest one."""
    lines: dict[str, str] = {}
    for line in sorted(constraints):
        requirement = Requirement(line)
        known = lines.get(requirement.name)
        if known is None or _below(line, known):
            lines[requirement.name] = line
        elif not _below(known, line):
            lines[f"{requirement.name} {line}"] = line  # of another kind: both count
    return tuple(lines.values())


def _below(line: str, other: str) -> bool:
    """Whether both are upper limits and the first is the lower one."""
    limits = [list(Requirement(text).specifier) for text in (line, other)]
    if any(len(limit) != 1 or not limit[0].operator.startswith("<") for limit in limits):
        return False
    try:
        versions = [Version(limit[0].version) for limit in limits]
    except UNREADABLE:
        return False
    tighter = limits[0][0].operator == "<" or limits[1][0].operator == "<="
    return versions[0] < versions[1] or (versions[0] == versions[1] and tighter)
