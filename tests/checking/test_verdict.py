"""The verdict of a check: nothing broke is said only where nothing can hide."""

from __future__ import annotations

from pathlib import Path

import pytest
from builders import frame, raised, result, run
from fake_setups import INSTANT, choice, recipe

from backdate.checking.compare import compare_runs
from backdate.checking.question import Question
from backdate.checking.result import Obstacle, Side, Verdict
from backdate.checking.verdict import decide
from backdate.environments.environment import BuildFailure
from backdate.recipes.repair.error_class import ErrorClass
from backdate.testing.outcomes import Outcome, SuiteRun


def decided(old: SuiteRun, new: SuiteRun) -> tuple[Verdict, str]:
    sides = [Side(instant=INSTANT, choice=choice(), recipe=recipe("a"), run=one) for one in (old, new)]
    return decide(sides[0], sides[1], compare_runs(old, new))


@pytest.mark.parametrize(
    ("question", "phase", "error", "verdict"),
    [
        (Question.DECLARED, "resolve", ErrorClass.UNSATISFIABLE, Verdict.BROKE),
        (Question.DECLARED, "resolve", ErrorClass.WRONG_INTERPRETER, Verdict.BROKE),
        (Question.DECLARED, "resolve", ErrorClass.BUILD_TOOL, Verdict.CANNOT_TELL),
        (Question.DECLARED, "install", ErrorClass.UNSATISFIABLE, Verdict.CANNOT_TELL),
        (Question.LIFTED, "resolve", ErrorClass.UNSATISFIABLE, Verdict.CANNOT_TELL),
    ],
)
def test_what_users_cannot_install_any_more_is_the_finding_of_the_declared_question(
    question: Question, phase: str, error: ErrorClass, verdict: Verdict
) -> None:
    line = "Because a depends on b>2 and you require b<2, your requirements are unsatisfiable."
    old = Side(instant=INSTANT, choice=choice(), recipe=recipe("a"), run=run(result("t.py::a")))
    new = Side(
        instant=INSTANT,
        choice=choice(),
        recipe=recipe("a"),
        failure=BuildFailure(phase=phase, message=line, choice=choice(), log=Path("/log")),  # type: ignore[arg-type]
        obstacle=Obstacle(error=error, line=line, help="", log=Path("/log")),
    )
    found, reason = decide(old, new, None, question=question)
    assert found is verdict
    assert line in reason
    assert ("cannot be installed any more" in reason) is (verdict is Verdict.BROKE)


GONE = raised("ImportError", "cannot import name 'Mapping' from 'collections'", frame("p/a.py"))
LATER = raised("AttributeError", "module 'numpy' has no attribute 'float'", frame("p/a.py"))


def test_a_removal_behind_an_older_failure_is_no_plain_nothing_broke() -> None:
    old = run(result("t.py::a"), result("t.py::b", Outcome.FAILED, GONE))
    new = run(result("t.py::a"), result("t.py::b", Outcome.FAILED, LATER))
    verdict, reason = decided(old, new)
    assert verdict is Verdict.FAILS_DIFFERENTLY
    assert (
        "the one test that passed and ran again still passes, but 1 test that failed before fails" in reason
    )
    (change,) = compare_runs(old, new).error_changes
    assert (change.old_type, change.type, change.tests) == ("ImportError", "AttributeError", ("t.py::b",))
    assert change.places == (frame("p/a.py"),)


def test_that_one_of_many_tests_still_passes_tells_nothing() -> None:
    """All others fail on both sides alike: "nothing broke" was said of a fiftieth of the suite."""
    failing = [result(f"t.py::b{number}", Outcome.FAILED, GONE) for number in range(10)]
    both = run(result("t.py::a"), *failing)
    verdict, reason = decided(both, both)
    assert verdict is Verdict.CANNOT_TELL
    assert reason.startswith("only 1 of 11 tests passes in the old environment: ")
    assert reason.endswith("the one test that passed and ran again still passes")
    enough = run(result("t.py::a"), *failing[:9])
    assert decided(enough, enough)[0] is Verdict.NOTHING_BROKE


def test_the_same_failure_on_both_sides_is_one_and_said() -> None:
    both = run(result("t.py::a"), result("t.py::b", Outcome.FAILED, GONE))
    reason = "the one test that passed and ran again still passes; 1 fails as before"
    assert decided(both, both) == (Verdict.NOTHING_BROKE, reason)


def test_where_most_files_cannot_be_collected_nothing_can_be_told() -> None:
    unread = [result(f"{name}.py", Outcome.NOT_COLLECTED, GONE) for name in ("u", "v")]
    tests = [result(f"t.py::{name}") for name in "abcdefghij"]
    verdict, reason = decided(run(*tests, *unread), run(*tests, *unread))
    assert verdict is Verdict.CANNOT_TELL
    assert reason.startswith("2 of 3 files of tests cannot be collected in the old environment: ImportError")
    assert decided(run(*tests, unread[0]), run(*tests, unread[0]))[0] is Verdict.NOTHING_BROKE


def test_a_file_that_could_not_be_collected_and_fails_otherwise_now() -> None:
    old = run(result("t.py::a"), result("u.py", Outcome.NOT_COLLECTED, GONE))
    new = run(result("t.py::a"), result("u.py::x", Outcome.FAILED, LATER), result("u.py::y"))
    assert decided(old, new)[0] is Verdict.FAILS_DIFFERENTLY
    (change,) = compare_runs(old, new).error_changes
    assert change.tests == ("u.py::x",)


@pytest.mark.parametrize(
    "old",
    [
        run(result("t.py::a"), result("t.py::b", Outcome.SKIPPED)),
        run(result("t.py::a")),
    ],
)
def test_a_test_that_did_not_run_before_and_fails_now(old: SuiteRun) -> None:
    new = run(result("t.py::a"), result("t.py::b", Outcome.FAILED, LATER))
    verdict, reason = decided(old, new)
    assert verdict is Verdict.FAILS_DIFFERENTLY
    assert "skipped or not there before" in reason
    assert compare_runs(old, new).new_failures[0].tests == ("t.py::b",)


def test_a_failure_whose_parameters_are_printed_differently_is_not_new() -> None:
    old = run(result("t.py::a"), result("t.py::b[<object 0x1>]", Outcome.FAILED, LATER))
    new = run(result("t.py::a"), result("t.py::b[<object 0x2>]", Outcome.FAILED, LATER))
    assert decided(old, new)[0] is Verdict.NOTHING_BROKE


def test_what_breaks_tests_is_counted_once() -> None:
    old = run(result("t.py::a"), result("u.py::x"))
    new = run(result("t.py::a"), result("u.py", Outcome.NOT_COLLECTED, GONE))
    comparison = compare_runs(old, new)
    assert comparison.broke == ("u.py::x",)
    assert comparison.new_failures == ()


def test_where_most_tests_are_not_there_any_more_nothing_can_be_told() -> None:
    old = run(*(result(f"t.py::{number}") for number in range(10)))
    new = run(*(result(f"t.py::{number}") for number in range(4)))
    assert decided(old, new) == (Verdict.CANNOT_TELL, "only 4 of 10 tests that passed ran again")


def test_bounds_that_cannot_be_met_at_either_instant_are_the_finding_too() -> None:
    line = "Because you require a<4 and a>=5, we can conclude that your requirements are unsatisfiable."
    side = Side(
        instant=INSTANT,
        choice=choice(),
        recipe=recipe("a"),
        failure=BuildFailure(phase="resolve", message=line, choice=choice(), log=Path("/log")),
        obstacle=Obstacle(error=ErrorClass.UNSATISFIABLE, line=line, help="", log=Path("/log")),
    )
    found, reason = decide(side, side, None, question=Question.DECLARED)
    assert found is Verdict.BROKE
    assert "cannot be installed, neither now nor then" in reason
    assert line in reason
    assert decide(side, side, None, question=Question.LIFTED)[0] is Verdict.CANNOT_TELL
