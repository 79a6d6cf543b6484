"""The verdict of a check, and one sentence that says why."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.checking.question import Question
from backdate.checking.result import (
    Breakage,
    BrokenPlugin,
    BrokenTools,
    Comparison,
    ErrorChange,
    Obstacle,
    OlderPython,
    Side,
    Verdict,
)
from backdate.checking.settings import LEAST_PASSING
from backdate.environments.environment import BuildFailure
from backdate.recipes.repair.error_class import ErrorClass
from backdate.testing.outcomes import Outcome, SuiteRun
from backdate.testing.trouble import trouble_line
from backdate.text import counted, plural

_NO_SUCH_SET = (ErrorClass.UNSATISFIABLE, ErrorClass.WRONG_INTERPRETER, ErrorClass.BROKEN_REQUIREMENT)
_LEAST_RUN_AGAIN = 0.5
"""The part of the tests that passed which has to run again, before nothing broke."""


def decide(
    old: Side,
    new: Side,
    comparison: Comparison | None,
    older_python: OlderPython | None = None,
    broken_plugin: BrokenPlugin | None = None,
    question: Question = Question.LIFTED,
    broken_tools: BrokenTools | None = None,
) -> tuple[Verdict, str]:
    """The verdict and one sentence that says why. The last four arguments are as of ``CheckResult``."""
    good = 0 if old.run is None else sum(result.outcome.good for result in old.run.results)
    if good and question is Question.DECLARED and is_unresolved(new.failure, new.obstacle):
        assert new.obstacle is not None
        return Verdict.BROKE, f"what the project declares cannot be installed any more: {new.obstacle.line}"
    if question is Question.DECLARED and _is_never_resolved(old, new):
        assert new.obstacle is not None
        return (
            Verdict.BROKE,
            f"what the project declares cannot be installed, neither now nor then: {new.obstacle.line}",
        )
    if good and new.obstacle is not None and new.obstacle.own_build:
        return Verdict.BROKE, _own_build(new, new.obstacle, older_python)
    if good and new.obstacle is not None and older_python is not None and older_python.comparison is not None:
        return Verdict.BROKE, _unbuilt(new, new.obstacle, older_python, older_python.comparison)
    if comparison is None or old.run is None or new.run is None:
        return Verdict.CANNOT_TELL, _no_runs(old, new)
    if not good:
        return Verdict.CANNOT_TELL, f"no test passes in the old environment: {_why(old, old.run)}"
    if broken_tools is not None and not broken_tools.instead:
        return Verdict.CANNOT_TELL, _of_tools(broken_tools)
    if broken_plugin is not None:
        return Verdict.BROKE, _of_plugin(broken_plugin)
    good -= len(comparison.flaky)
    if comparison.broke:
        return Verdict.BROKE, _what_broke(comparison, good)
    if new.run.status not in ("completed", "no-tests"):
        return Verdict.CANNOT_TELL, f"the new side's run did not end well: {_why(new, new.run)}"
    if comparison.flaky and not good:
        return (
            Verdict.CANNOT_TELL,
            f"each test that passed is flaky: {counted(len(comparison.flaky), 'test')}",
        )
    if not comparison.still_good:
        return (
            Verdict.CANNOT_TELL,
            f"no test of the old side was run again in the new environment: {_why(new, new.run)}",
        )
    if comparison.still_good < _LEAST_RUN_AGAIN * good:
        return Verdict.CANNOT_TELL, f"only {comparison.still_good} of {good} tests that passed ran again"
    return _of_passing(old, old.run, comparison, good)


def _of_passing(old: Side, run: SuiteRun, comparison: Comparison, good: int) -> tuple[Verdict, str]:
    """The verdict where every test passes that passed: what the others do, and whether it tells enough."""
    passing = f"all {comparison.still_good} tests that passed and ran again still pass"
    if comparison.still_good == 1:
        passing = "the one test that passed and ran again still passes"
    others = _other_failures(comparison)
    if others:
        return Verdict.FAILS_DIFFERENTLY, f"{passing}, but {others}"
    unread, read = _files(run)
    if unread > read:
        part = f"{unread} of {unread + read} files of tests cannot be collected in the old environment"
        return Verdict.CANNOT_TELL, f"{part}: {_why_unread(run)}; {passing}"
    ran = good + comparison.still_bad
    if comparison.still_good < LEAST_PASSING * ran:
        passes = plural(good, "passes", "pass")
        return (
            Verdict.CANNOT_TELL,
            f"only {good} of {ran} tests {passes} in the old environment: {_why(old, run)}; {passing}",
        )
    return Verdict.NOTHING_BROKE, f"{passing}{_besides(comparison)}"


def _files(run: SuiteRun) -> tuple[int, int]:
    """How many files of tests were not collected, and of how many others tests ran."""
    unread = {one.id for one in run.results if one.outcome is Outcome.NOT_COLLECTED and "::" not in one.id}
    read = {one.file or one.id.partition("::")[0] for one in run.results if one.outcome.good}
    return len(unread), len(read - unread)


def _why_unread(run: SuiteRun) -> str:
    """What most files that were not collected raise."""
    from backdate.recipes.repair.telling import raised_line  # most suites are collected

    lines = [
        raised_line(one.raised[-1].type, one.raised[-1].message)
        for one in run.results
        if one.outcome is Outcome.NOT_COLLECTED and one.raised
    ]
    return max(dict.fromkeys(lines), key=lines.count, default="no reason is known")


def is_unresolved(failure: BuildFailure | None, obstacle: Obstacle | None) -> bool:
    """Whether no set of releases is what is asked for, by the resolver's own word."""
    if failure is None or obstacle is None or failure.phase != "resolve":
        return False
    return failure.certain or obstacle.error in _NO_SUCH_SET


def _is_never_resolved(old: Side, new: Side) -> bool:
    return is_unresolved(old.failure, old.obstacle) and is_unresolved(new.failure, new.obstacle)


def _besides(comparison: Comparison) -> str:
    """What "all still pass" does not cover; empty where it covers everything."""
    parts = []
    if comparison.still_bad:
        parts.append(f"{comparison.still_bad} {plural(comparison.still_bad, 'fails', 'fail')} as before")
    if comparison.vanished:
        gone = len(comparison.vanished)
        parts.append(f"{gone} that passed {plural(gone, 'is', 'are')} not there any more")
    if comparison.flaky:
        flaky = len(comparison.flaky)
        parts.append(f"{flaky} {plural(flaky, 'is', 'are')} flaky")
    if comparison.time_bound:
        bound = len(comparison.time_bound)
        parts.append(f"{bound} {plural(bound, 'is', 'are')} bound to a time")
    return f"; {' and '.join(parts)}" if parts else ""


def _what_broke(comparison: Comparison, good: int) -> str:
    """How many tests broke, and apart from them how many items that run a linter."""
    items = sum(len(group.tests) for group in comparison.breakages if group.lint)
    tools = ", ".join(dict.fromkeys(group.lint for group in comparison.breakages if group.lint))
    broke = len(comparison.broke) - items
    if not items:
        return f"{broke} of {good} tests that passed {plural(broke, 'fails', 'fail')} now"
    lint = f"{counted(items, 'item')} of {tools} that passed {plural(items, 'fails', 'fail')} now"
    if not broke:
        return f"{lint}; no test does"
    return (
        f"{counted(broke, 'test')} that passed {plural(broke, 'fails', 'fail')} now; so do {items} of {tools}"
    )


def _other_failures(comparison: Comparison) -> str:
    """What fails in the new environment as it did not in the old one; empty when nothing does."""
    changed, unseen = _tests(comparison.error_changes), _tests(comparison.new_failures)
    parts = []
    if changed:
        fail = plural(changed, "fails", "fail")
        parts.append(f"{counted(changed, 'test')} that failed before {fail} with another error")
    if unseen:
        parts.append(
            f"{counted(unseen, 'test')} that {plural(unseen, 'was', 'were')} skipped or not there before "
            f"{plural(unseen, 'fails', 'fail')}"
        )
    if comparison.fails_each_time:
        steady = len(comparison.fails_each_time)
        parts.append(
            f"{counted(steady, 'test')} that {plural(steady, 'passes', 'pass')} only at times in the old "
            f"environment {plural(steady, 'fails', 'fail')} each time in the new one"
        )
    return " and ".join(parts)


def _tests(groups: Sequence[ErrorChange | Breakage]) -> int:
    return sum(len(group.tests) for group in groups)


def _no_runs(old: Side, new: Side) -> str:
    for name, side in (("old", old), ("new", new)):
        if side.failure is not None:
            line = f": {side.obstacle.line}" if side.obstacle is not None else ""
            return f"the {name} environment does not build ({side.failure.phase}){line}"
    return "the tests were not run"


def _own_build(new: Side, obstacle: Obstacle, older_python: OlderPython | None) -> str:
    python = new.choice.interpreter.version
    text = f"the project itself does not build with the new packages on Python {python}: {obstacle.line}"
    if older_python is None:
        return text
    older = older_python.side.choice.interpreter.version
    if older_python.comparison is None:
        return f"{text}; on Python {older} the environment does not build either"
    return f"{text}; it builds on Python {older}, where {_broke_there(older_python.comparison)}"


def _unbuilt(new: Side, obstacle: Obstacle, older_python: OlderPython, compared: Comparison) -> str:
    """What a requirement that the interpreter keeps from building stands in the way of."""
    python = new.choice.interpreter.version
    older = older_python.side.choice.interpreter.version
    return (
        f"{obstacle.unbuilt}, which it requires, does not build on Python {python}: {obstacle.line}; with "
        f"the new packages on Python {older}, where all builds, {_broke_there(compared)}"
    )


def _broke_there(compared: Comparison) -> str:
    broke = len(compared.broke)
    return (
        f"{counted(broke, 'test')} that passed {plural(broke, 'fails', 'fail')}" if broke else "nothing broke"
    )


def _of_plugin(broken: BrokenPlugin) -> str:
    tests = len(broken.comparison.broke)
    fail = f"{counted(tests, 'test')} that passed {plural(tests, 'fails', 'fail')}"
    return (
        f"the plugin {broken.name} of pytest ({broken.distribution}) does not work on the new side, and no "
        f"test passes with it: {broken.line}; without it {fail if tests else 'nothing else broke'}"
    )


def _of_tools(broken: BrokenTools) -> str:
    return (
        f"test tools break before they reach the project's code, and users do not get them: "
        f"{broken.tools}: {broken.line}"
    )


def _why(side: Side, run: SuiteRun) -> str:
    if side.obstacle is not None and run.status != "no-tests":
        return side.obstacle.line
    if run.status == "no-tests":
        return "nothing was collected"
    bad = sum(result.outcome.bad for result in run.results)
    if run.status == "completed":
        return f"{bad} failed" if bad else "all were skipped"
    return trouble_line(run) or run.status
