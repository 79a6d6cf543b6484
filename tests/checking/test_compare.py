"""What runs of a suite say: the criterion of a proven recipe, and what broke between two runs."""

from __future__ import annotations

import pytest
from builders import frame, lock, raised, result, run
from fake_setups import ran
from hypothesis import given
from hypothesis import strategies as st

from backdate.checking.compare import Counts, compare_locks, compare_runs, count_outcomes, is_proven
from backdate.testing.outcomes import Outcome

ATTRIBUTE = raised(
    "AttributeError", "module 'numpy' has no attribute 'float'", frame("pkg/a.py", 12), frame("/site/x.py")
)


def test_a_test_that_fails_now_broke() -> None:
    old = run(result("t.py::a"), result("t.py::b"))
    new = run(result("t.py::a"), result("t.py::b", Outcome.FAILED, ATTRIBUTE))
    comparison = compare_runs(old, new)
    assert comparison.broke == ("t.py::b",)
    assert comparison.still_good == 1
    (breakage,) = comparison.breakages
    assert breakage.type == "AttributeError"
    assert breakage.places == (frame("pkg/a.py", 12),)


def test_a_file_that_cannot_be_collected_breaks_its_tests() -> None:
    old = run(result("t.py::a"), result("t.py::b[1]"), result("u.py::c"))
    new = run(
        result(
            "t.py", Outcome.NOT_COLLECTED, raised("ImportError", "cannot import name 'x'", frame("t.py", 3))
        ),
        result("u.py::c"),
    )
    comparison = compare_runs(old, new)
    assert comparison.broke == ("t.py::a", "t.py::b[1]")
    assert comparison.breakages[0].type == "ImportError"
    assert comparison.appeared == 0


def test_a_module_of_unittest_that_cannot_be_imported_breaks_its_tests() -> None:
    old = run(
        result("tests.test_a.Case.test_x", file="tests/test_a.py"), result("tests.test_ab.C.t", file="b")
    )
    new = run(
        result("tests.test_a", Outcome.NOT_COLLECTED, raised("ModuleNotFoundError", "no")),
        result("tests.test_ab.C.t", file="b"),
    )
    assert compare_runs(old, new).broke == ("tests.test_a.Case.test_x",)


@pytest.mark.parametrize("loading", ["test_suite", "load_tests", "additional_tests"])
def test_a_module_whose_own_suite_cannot_be_made_breaks_its_tests(loading: str) -> None:
    old = run(result("tests.test_a.Case.test_x"), result("tests.test_ab.C.t"))
    gone = raised("AttributeError", "module 'unittest' has no attribute 'makeSuite'", frame("a.py", 140))
    new = run(result(f"tests.test_a.{loading}", Outcome.NOT_COLLECTED, gone), result("tests.test_ab.C.t"))
    comparison = compare_runs(old, new)
    assert comparison.broke == ("tests.test_a.Case.test_x",)
    assert (comparison.vanished, comparison.new_failures) == ((), ())
    assert comparison.breakages[0].places == (frame("a.py", 140),)


@pytest.mark.parametrize("session", ["", "."])
def test_a_session_that_cannot_collect_breaks_all_that_is_not_there(session: str) -> None:
    refused = raised("PytestDeprecationWarning", "Direct construction of Item", frame("plugin.py", 51))
    old = run(result("t.py::a"), result("u.py::b"))
    new = run(result(session, Outcome.NOT_COLLECTED, refused), result("u.py::b"))
    comparison = compare_runs(old, new)
    assert comparison.broke == ("t.py::a",)
    assert comparison.vanished == ()
    assert comparison.breakages[0].places == (frame("plugin.py", 51),)


def test_a_function_that_makes_the_whole_suite_and_raises_breaks_them_all() -> None:
    old = run(result("p.tests.A.test_x"), result("p.tests.A.test_y", Outcome.FAILED))
    made = result("p.runtests.run_tests", Outcome.NOT_COLLECTED, ATTRIBUTE)
    comparison = compare_runs(old, run(made))
    assert comparison.broke == ("p.tests.A.test_x",)
    assert (comparison.new_failures, comparison.vanished) == ((), ())
    assert comparison.breakages[0].type == "AttributeError"
    assert compare_runs(old, run(made, result("p.tests.B.test_z"))).vanished == ("p.tests.A.test_x",)
    one_module = compare_runs(
        run(*old.results, result("q.tests.A.test_x")), run(result("q.tests", Outcome.NOT_COLLECTED))
    )
    assert (one_module.broke, one_module.vanished) == (("q.tests.A.test_x",), ("p.tests.A.test_x",))


def test_a_run_that_never_got_to_the_tests_breaks_them_all() -> None:
    old = run(result("t.py::a"), result("t.py::b", Outcome.SKIPPED))
    new = run(
        status="broken", raised=(raised("ImportError", "no", frame("conftest.py", 1)),), trouble="conftest"
    )
    comparison = compare_runs(old, new)
    assert comparison.broke == ("t.py::a",)
    assert comparison.breakages[0].places == (frame("conftest.py", 1),)


def test_a_test_that_is_gone_without_trouble_did_not_break() -> None:
    old = run(result("t.py::a[x-float]"))
    new = run(result("t.py::a[x-float64]"))
    comparison = compare_runs(old, new)
    assert comparison.broke == ()
    assert comparison.vanished == ("t.py::a[x-float]",)
    assert comparison.appeared == 1


def test_fixed_skipped_and_still_bad() -> None:
    old = run(
        result("a", Outcome.FAILED), result("b", Outcome.ERROR), result("c"), result("d", Outcome.XFAILED)
    )
    new = run(
        result("a"), result("b", Outcome.CRASHED), result("c", Outcome.SKIPPED), result("d", Outcome.XPASSED)
    )
    comparison = compare_runs(old, new)
    assert comparison.fixed == ("a",)
    assert comparison.still_bad == 1
    assert comparison.skipped_now == ("c",)
    assert comparison.still_good == 1


def test_errors_that_differ_by_an_address_are_one() -> None:
    old = run(result("a"), result("b"))
    new = run(
        result("a", Outcome.FAILED, raised("TypeError", "<object at 0x7f00aa11>")),
        result("b", Outcome.FAILED, raised("TypeError", "<object at 0x7f00bb22>\nmore")),
    )
    (breakage,) = compare_runs(old, new).breakages
    assert breakage.tests == ("a", "b")


RESULTS = st.dictionaries(
    st.sampled_from("abcdefgh"), st.sampled_from([one for one in Outcome if one is not Outcome.NOT_COLLECTED])
).map(lambda outcomes: run(*(result(name, outcome) for name, outcome in outcomes.items())))


@given(RESULTS, RESULTS)
def test_every_good_test_of_the_old_side_is_accounted_for_once(old: object, new: object) -> None:
    comparison = compare_runs(old, new)
    good = sum(one.outcome.good for one in old.results)
    counted = (
        len(comparison.broke) + comparison.still_good + len(comparison.skipped_now) + len(comparison.vanished)
    )
    assert counted == good
    grouped = [test for breakage in comparison.breakages for test in breakage.tests]
    assert sorted(grouped) == sorted(comparison.broke)


@given(RESULTS)
def test_nothing_breaks_between_a_run_and_itself(both: object) -> None:
    comparison = compare_runs(both, both)
    assert (comparison.broke, comparison.fixed, comparison.vanished) == ((), (), ())


def test_locks() -> None:
    changes = compare_locks(lock(a="1", b="1", gone="1"), lock(a="1", b="2", here="3"))
    assert [(one.name, one.kind, one.old, one.new) for one in changes] == [
        ("b", "updated", "1", "2"),
        ("gone", "removed", "1", None),
        ("here", "added", None, "3"),
    ]


NUMBERS = st.integers(min_value=0, max_value=30)


@pytest.mark.parametrize(
    ("counts", "proven"),
    [
        ({"passed": 19, "failed": 1}, True),
        ({"passed": 18, "failed": 1}, False),
        ({"passed": 1, "skipped": 100}, True),
        ({"skipped": 5}, False),
        ({}, False),
        ({"passed": 9, "not_collected": 1}, False),
        ({"passed": 20, "status": "timeout"}, False),
        ({"passed": 20, "status": "broken"}, False),
    ],
)
def test_the_criterion(counts: dict[str, object], proven: bool) -> None:
    assert is_proven(ran(**counts)) is proven  # type: ignore[arg-type]


def test_the_share_is_an_option() -> None:
    assert is_proven(ran(passed=1, failed=1), 0.5)
    assert not is_proven(ran(passed=1, failed=1), 0.51)
    assert not is_proven(ran(failed=1), 0.0)


def test_no_run_is_no_proof() -> None:
    assert not is_proven(None)
    assert count_outcomes(None) == Counts()


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_counts(passed: int, failed: int, skipped: int, not_collected: int) -> None:
    counts = count_outcomes(ran(passed, failed, skipped, not_collected))
    assert (counts.passed, counts.failed) == (passed, failed)
    assert (counts.skipped, counts.not_collected) == (skipped, not_collected)
    assert counts.ran == passed + failed + not_collected
    assert 0.0 <= counts.share <= 1.0
