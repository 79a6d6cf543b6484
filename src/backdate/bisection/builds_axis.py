"""Since when an environment does not build, and because of what: the interpreter, or a release.

The question is the build alone: good is an environment that can be made, whatever tests say in it. First it
is found out whether the interpreter matters; if not, ``builds_over_time`` searches over time.
"""

from __future__ import annotations

from dataclasses import replace

from backdate.bisection.build_trials import BuildTrial, Trial, latest, named_in
from backdate.bisection.builds_over_time import over_time
from backdate.bisection.builds_search import (
    FOR_PROOF,
    TOO_MANY,
    BuildSearch,
    apart,
    culprit_of,
    held_back,
    smallest_set,
)
from backdate.bisection.findings import minor_released
from backdate.bisection.interpreter_axis import interpreters_between, pins_of
from backdate.bisection.probes import OutOfBudget
from backdate.bisection.result import Culprit, Failing, Finding
from backdate.bisection.search import ProbeStatus, found_window, next_point
from backdate.editing.minimise import Subset
from backdate.environments.environment import InterpreterChoice
from backdate.recipes.repair.telling import telling_lines


def attribute_build(search: BuildSearch) -> Finding:
    """Since when and because of what the newest side does not build."""
    lines = telling_lines(search.failure.text)
    finding = Finding(
        tests=(),
        breaks="build",
        error=Failing(type=search.failure.summary, message=lines[0] if lines else ""),
        log_lines=lines,
        axis="unknown",
        python=search.new.interpreter.version,
    )
    try:
        attributed = _investigate(search, finding)
    except OutOfBudget:
        attributed = replace(finding, notes=(*finding.notes, f"not found out: {TOO_MANY}"))
    return replace(attributed, probes=tuple(search.trials.journal))


def _investigate(search: BuildSearch, finding: Finding) -> Finding:
    choices = interpreters_between(search.old, search.new, search.available)
    if search.old.interpreter == search.new.interpreter:
        return over_time(search, finding, search.new)
    asked: dict[int, BuildTrial] = {}

    def ask(point: int) -> ProbeStatus:
        why = f"the newest packages on Python {choices[point].interpreter.version}"
        asked[point] = search.trials.ask(
            Trial(choice=choices[point], instant=search.end), why, leave=FOR_PROOF
        )
        return asked[point].status

    statuses = {len(choices) - 1: ProbeStatus.BAD, 0: ask(0)}
    if statuses[0] is not ProbeStatus.GOOD:
        return over_time(search, finding, search.old if statuses[0] is ProbeStatus.BAD else search.new)
    while (point := next_point(statuses)) is not None:
        statuses[point] = ask(point)
    window = found_window(statuses)
    return _of_interpreter(search, finding, choices[window.good], choices[window.bad], asked[window.good])


def _of_interpreter(
    search: BuildSearch,
    finding: Finding,
    before: InterpreterChoice,
    after: InterpreterChoice,
    good: BuildTrial,
) -> Finding:
    """A build that works on one minor and fails on the next.

    If it also fails there with the same versions, the interpreter is the culprit.
    """
    assert good.lock is not None
    old, new = before.interpreter.version, after.interpreter.version
    pins = pins_of(good.lock)
    same = search.trials.ask(
        Trial(choice=after, instant=search.end, constraints=pins),
        f"the packages of Python {old} on Python {new}",
    )
    finding = replace(finding, axis="interpreter", python=new)
    if same.status is ProbeStatus.BAD:
        culprit = Culprit(name="python", old=old, new=new, released=minor_released(new))
        return replace(finding, culprits=(culprit,), confirmed=("forward", "backward"))
    if same.status is ProbeStatus.SKIP:
        note = f"it builds on Python {old} and not on {new}; there the older one's packages fail otherwise"
        return replace(finding, axis="unknown", notes=(*finding.notes, note))
    versions = {
        distribution.name: distribution.version
        for distribution in good.lock.distributions
        if distribution.source is None and distribution.version
    }

    def move(subset: Subset) -> BuildTrial:
        held = tuple(f"{name}=={version}" for name, version in sorted(versions.items()) if name not in subset)
        why = f"the packages of Python {old} on Python {new}, with {', '.join(sorted(subset))} free"
        trial = Trial(choice=after, instant=search.end, constraints=held)
        return search.trials.ask(trial, why, leave=1)

    names, enough = smallest_set(
        tuple(sorted(versions)), named_in(search.failure.text, tuple(versions)), move
    )
    culprits = tuple(
        culprit_of(name, versions[name], latest(search.releases.get(name, ()), search.end), search.releases)
        for name in sorted(names)
    )
    note = f"versions were searched, not instants: on Python {old} the newest builds"
    finding = replace(finding, axis="packages", notes=(*finding.notes, note, *apart(enough)))
    return held_back(search, replace(finding, culprits=culprits, confirmed=("forward",)), after, exact=False)
