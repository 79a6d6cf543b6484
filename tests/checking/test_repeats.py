"""Flaky and time-bound tests are told apart from what an update broke."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest
from builders import result, run
from fake_setups import INSTANT, choice, recipe
from small_world import RELEASES, running_index

from backdate.checking.compare import compare_runs
from backdate.checking.repeated import FlakyTest, RepeatedTests
from backdate.checking.repeats import Repeater
from backdate.checking.result import CheckResult, Side, Verdict, read_result
from backdate.checking.settings import Settings
from backdate.checking.verdict import decide
from backdate.cli.render import result_lines
from backdate.errors import UsageError
from backdate.serial import from_json, to_json
from backdate.session import check
from backdate.testing.moved_clock import MovedClock, find_libfaketime
from backdate.testing.outcomes import Outcome, SuiteRun
from backdate.timeline.instants import parse_instant

GOOD, BAD = Outcome.PASSED, Outcome.FAILED
CLOCK = MovedClock(library=Path("/lib.so"), instant=datetime(2023, 5, 2, tzinfo=UTC))


def suite(**outcomes: Outcome) -> SuiteRun:
    return run(*(result(f"t.py::{name}", outcome) for name, outcome in outcomes.items()))


class Again:
    """Answers what is run again from a table, and notes it."""

    def __init__(self, answers: Mapping[tuple[str, str], SuiteRun]) -> None:
        self.answers = answers
        self.asked: list[tuple[str, str, int | None]] = []

    def __call__(
        self, side: str, name: str, only: Sequence[str] | None, clock: MovedClock | None = None
    ) -> SuiteRun:
        self.asked.append((side, name, None if only is None else len(only)))
        assert (clock is not None) is (name == "clock")
        return self.answers[side, name]


def more(side: str, *, first: int = 2, **outcomes: Outcome) -> dict[tuple[str, str], SuiteRun]:
    """The runs alone that follow where one differs."""
    return {(side, f"alone-{turn}"): suite(**outcomes) for turn in (first, first + 1)}


def repeated(
    old: SuiteRun, new: SuiteRun, answers: Mapping[tuple[str, str], SuiteRun], *, repeats: int = 1
) -> tuple[RepeatedTests, Again]:
    again = Again(answers)
    return Repeater(run=again, repeats=repeats).flaky_among(old, new), again


def test_what_fails_each_time_is_broken() -> None:
    old, new = suite(a=GOOD, b=GOOD), suite(a=BAD, b=GOOD)
    found, again = repeated(old, new, {("old", "alone-1"): suite(a=GOOD), ("new", "alone-1"): suite(a=BAD)})
    assert (found.flaky, found.order_dependent, found.again) == ((), (), 1)
    assert sorted(again.asked) == [("new", "alone-1", 1), ("old", "alone-1", 1)]
    assert compare_runs(old, new, found).broke == ("t.py::a",)


def steady(**outcomes: Outcome) -> dict[tuple[str, str], SuiteRun]:
    """The runs of the new side that tell whether what is flaky on the old one fails each time."""
    return {("new", f"each-time-{turn}"): suite(**outcomes) for turn in (1, 2)}


def flaky_on_the_old_side(**now: Outcome) -> tuple[SuiteRun, SuiteRun, RepeatedTests]:
    old, new = suite(a=GOOD, b=GOOD), suite(a=BAD, b=GOOD)
    answers = {
        ("old", "alone-1"): suite(a=BAD),
        **more("old", a=GOOD),
        ("new", "alone-1"): suite(a=BAD),
        **steady(**now),
    }
    return old, new, repeated(old, new, answers)[0]


def sides_of(*runs: SuiteRun) -> tuple[Side, ...]:
    return tuple(Side(instant=INSTANT, choice=choice(), recipe=recipe("a"), run=one) for one in runs)


def test_what_the_old_side_passes_at_times_and_the_new_one_never_is_not_settled() -> None:
    old, new, found = flaky_on_the_old_side(a=BAD)
    assert [(test.side, test.fails_now) for test in found.flaky] == [("old", 4)]
    comparison = compare_runs(old, new, found)
    assert (comparison.broke, comparison.fails_each_time) == ((), ("t.py::a",))
    verdict, reason = decide(*sides_of(old, new), comparison)
    assert verdict is Verdict.FAILS_DIFFERENTLY
    assert "1 test that passes only at times in the old environment fails each time in the new one" in reason


def test_what_passes_on_the_new_side_once_is_flaky_and_no_more() -> None:
    old, new, found = flaky_on_the_old_side(a=GOOD)
    assert [test.fails_now for test in found.flaky] == [0]
    verdict, _ = decide(*sides_of(old, new), compare_runs(old, new, found))
    assert verdict is Verdict.NOTHING_BROKE


def test_what_passes_with_the_suite_the_second_time_is_flaky() -> None:
    old, new = suite(a=GOOD, b=GOOD), suite(a=BAD, b=BAD)
    answers = {
        ("old", "alone-1"): suite(a=GOOD, b=GOOD),
        ("new", "alone-1"): suite(a=GOOD, b=BAD),
        **more("new", a=GOOD),
        ("new", "in-order-1"): suite(a=GOOD, b=BAD),
    }
    found, again = repeated(old, new, answers)
    assert found.flaky == (FlakyTest(id="t.py::a", side="new", how="in order", outcomes=(BAD, GOOD)),)
    assert ("new", "in-order-1", None) in again.asked
    comparison = compare_runs(old, new, found)
    assert (comparison.broke, comparison.flaky) == (("t.py::b",), ("t.py::a",))


def test_what_fails_only_after_other_tests_is_broken_and_said_so() -> None:
    old, new = suite(a=GOOD), suite(a=BAD)
    answers = {
        ("old", "alone-1"): suite(a=GOOD),
        ("new", "alone-1"): suite(a=GOOD),
        **more("new", a=GOOD),
        ("new", "in-order-1"): suite(a=BAD),
    }
    found, _ = repeated(old, new, answers)
    assert (found.flaky, found.order_dependent) == ((), ("t.py::a",))
    assert compare_runs(old, new, found).broke == ("t.py::a",)


def test_what_fails_in_the_old_environment_the_second_time_is_flaky() -> None:
    old, new = suite(a=GOOD), suite(a=BAD)
    answers = {
        ("old", "alone-1"): suite(a=BAD),
        ("new", "alone-1"): suite(a=BAD),
        **more("old", a=BAD),
        ("old", "in-order-1"): suite(a=BAD),
        **steady(a=GOOD),
    }
    found, _ = repeated(old, new, answers)
    assert [(test.side, test.how) for test in found.flaky] == [("old", "in order")]


def test_runs_alone_that_differ_need_no_run_in_order() -> None:
    answers = {
        ("old", "alone-1"): suite(a=GOOD),
        ("old", "alone-2"): suite(a=GOOD),
        ("new", "alone-1"): suite(a=BAD),
        ("new", "alone-2"): suite(a=GOOD),
        **more("new", first=3, a=GOOD),
    }
    found, again = repeated(suite(a=GOOD), suite(a=BAD), answers, repeats=2)
    assert [(test.how, test.outcomes) for test in found.flaky] == [("alone", (BAD, GOOD, GOOD, GOOD))]
    assert not any(name.startswith("in-order") for _, name, _ in again.asked)


def test_a_run_that_does_not_reach_the_test_says_nothing() -> None:
    answers = {("old", "alone-1"): suite(), ("new", "alone-1"): suite(a=Outcome.SKIPPED)}
    found, _ = repeated(suite(a=GOOD), suite(a=BAD), answers)
    assert found.flaky == ()


def test_what_cannot_be_collected_is_not_run_again() -> None:
    new = run(result("t.py", Outcome.NOT_COLLECTED))
    found, again = repeated(suite(a=GOOD), new, {})
    assert (again.asked, found.again) == ([], 0)
    assert compare_runs(suite(a=GOOD), new, found).broke == ("t.py::a",)


def time_bound(old: SuiteRun, new: SuiteRun, then: SuiteRun, clock: MovedClock | None) -> RepeatedTests:
    again = Again({("old", "clock"): then})
    return Repeater(run=again, repeats=1).time_bound_among(RepeatedTests(repeats=1), old, new, clock)


def test_what_fails_on_both_sides_and_passes_at_the_old_instant_is_bound_to_a_time() -> None:
    old, new = suite(a=GOOD, year=BAD, bad=BAD), suite(a=GOOD, year=BAD, bad=BAD)
    found = time_bound(old, new, suite(year=GOOD, bad=BAD), CLOCK)
    assert (found.time_bound, found.clock) == (("t.py::year",), CLOCK.instant)
    comparison = compare_runs(old, new, found)
    assert (comparison.time_bound, comparison.still_bad) == (("t.py::year",), 1)


def test_without_libfaketime_it_is_said_how_many_are_not_known() -> None:
    old, new = suite(a=GOOD, year=BAD), suite(a=GOOD, year=BAD)
    assert time_bound(old, new, suite(), None).clock_missing == 1


def test_where_nothing_fails_on_both_sides_nothing_is_run() -> None:
    assert time_bound(suite(a=GOOD, b=BAD), suite(a=BAD, b=GOOD), suite(), CLOCK).clock is None


def test_repeats_are_a_number_of_runs() -> None:
    with pytest.raises(UsageError, match="repeats"):
        Settings(repeats=-1)


@pytest.fixture
def checked(tmp_path: Path) -> Callable[..., CheckResult]:
    """Checks a project with these tests, each seeing a folder that stays between runs."""

    def checked(tests: str, *, repeats: int = 1, sandbox: str = "unsafe-local") -> CheckResult:
        project, stays = tmp_path / "project", tmp_path / "stays"
        (project / "tests").mkdir(parents=True)
        stays.mkdir()
        (project / "requirements.txt").write_text("brittle\n")
        head = (
            "import datetime, unittest\nfrom pathlib import Path\nimport brittle\n"
            f"STAYS = Path({str(stays)!r})\nNEW = hasattr(brittle, 'cry')\n\n\n"
            "class Case(unittest.TestCase):\n    def test_fine(self):\n        assert brittle\n"
        )
        (project / "tests" / "__init__.py").touch()
        (project / "tests" / "test_it.py").write_text(head + tests)
        with running_index(RELEASES) as index:
            return check(
                project,
                from_instant=parse_instant("2024-01-01"),
                to_instant=parse_instant("2025-06-01"),
                settings=Settings(
                    cache=tmp_path / "cache",
                    index_url=index,
                    sandbox=sandbox,
                    store=False,
                    repeats=repeats,
                ),
            )

    return checked


FLAKY = """
    def test_flaky(self):
        marker = STAYS / "new"
        if NEW and not marker.exists():
            marker.touch()
            assert False, "the first time"
"""
BROKEN = """
    def test_broken(self):
        brittle.shout("x")
"""
YEAR = """
    def test_year(self):
        assert datetime.date.today().year == 2024
"""


@pytest.mark.slow
def test_a_flaky_test_makes_no_run_red(checked: Callable[..., CheckResult], tmp_path: Path) -> None:
    found = checked(FLAKY)
    assert found.verdict is Verdict.NOTHING_BROKE, found.reason
    assert found.reason.endswith("1 is flaky")
    assert [test.side for test in found.repeated.flaky] == ["new"]
    assert from_json(CheckResult, to_json(found)) == found
    assert read_result(found.folder / "result.json") == found
    text = "\n".join(line for line, _ in result_lines(found))
    assert "Flaky, so no breakage: 1" in text
    assert "failed then passed in the new environment, run in order" in text


@pytest.mark.slow
def test_beside_a_flaky_test_what_broke_is_red(checked: Callable[..., CheckResult]) -> None:
    found = checked(FLAKY + BROKEN)
    assert found.verdict is Verdict.BROKE
    assert found.comparison is not None
    assert [test.rpartition(".")[2] for test in found.comparison.broke] == ["test_broken"]
    assert len(found.repeated.flaky) == 1


@pytest.mark.slow
def test_without_repeats_it_is_as_it_was_seen(checked: Callable[..., CheckResult]) -> None:
    found = checked(FLAKY, repeats=0)
    assert found.verdict is Verdict.BROKE
    assert found.repeated.again == 0


@pytest.mark.slow
def test_a_test_that_is_bound_to_a_time_is_told(checked: Callable[..., CheckResult]) -> None:
    if find_libfaketime() is None:
        pytest.skip("libfaketime is not installed: apt install faketime")
    found = checked(YEAR, sandbox="bwrap")
    assert found.verdict is Verdict.NOTHING_BROKE, found.reason
    assert [test.rpartition(".")[2] for test in found.repeated.time_bound] == ["test_year"]
    assert found.reason.endswith("1 is bound to a time")
