from builders import frame, lock, raised, result, run
from hypothesis import given
from hypothesis import strategies as st

from backdate.checking.compare import compare_locks, compare_runs
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
