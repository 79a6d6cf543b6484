import sys
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version
from world import SKIPPED, START, World, bisect_world, from_on

from backdate.bisection.limits_now import working_limits
from backdate.bisection.probes import Target
from backdate.bisection.result import Finding
from backdate.bisection.search import MOST_OF_ALL_CAUSES, ProbeStatus, allowance
from backdate.diagnosis.result import Cause, CauseKind

BOTH = ("forward", "backward")


def rows(count: int, every: int, first: int = -10) -> list[tuple[str, int]]:
    """``count`` releases 1, 2, …, one every ``every`` days."""
    return [(str(number + 1), first + number * every) for number in range(count)]


def moves(finding) -> list[tuple[str, str | None, str | None]]:
    return [(one.name, one.old, one.new) for one in finding.culprits]


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 40), st.data())
def test_the_release_is_found_within_the_allowance(count: int, data: st.DataObject) -> None:
    guilty = data.draw(st.integers(2, count))
    world = World(
        releases={"a": rows(count, 20), "b": rows(30, 31), "c": [("1", -5)]},
        tests={"t": from_on("a", str(guilty), "gone"), "good": lambda *_: None},
    )
    (finding,), probe_runner, _ = bisect_world(world)
    assert moves(finding) == [("a", str(guilty - 1), str(guilty))]
    assert finding.confirmed == BOTH
    assert finding.axis == "packages"
    assert finding.culprits[0].released == START + timedelta(days=-10 + (guilty - 1) * 20)
    assert finding.last_good < finding.first_bad
    assert probe_runner.builds <= allowance(count + 30)


def test_two_independent_breakages_are_both_found() -> None:
    world = World(
        releases={"a": rows(20, 30), "b": rows(20, 31)},
        tests={"t1": from_on("a", "5", "a is gone"), "t2": from_on("b", "12", "b is gone")},
    )
    first, second = bisect_world(world)[0]
    assert (moves(first), first.confirmed) == ([("a", "4", "5")], BOTH)
    assert (moves(second), second.confirmed) == ([("b", "11", "12")], BOTH)


def test_each_finding_is_told_and_the_first_may_be_enough() -> None:
    world = World(
        releases={"a": rows(20, 30), "b": rows(20, 31)},
        tests={"t1": from_on("a", "5", "a is gone"), "t2": from_on("b", "12", "b is gone")},
    )
    told: list[tuple[list[str], list[tuple[str, ...]]]] = []

    def found(findings: Sequence[Finding], pending: Sequence[Target]) -> bool:
        told.append(
            ([one.name for each in findings for one in each.culprits], [one.tests for one in pending])
        )
        return stop

    stop = False
    assert len(bisect_world(world, found=found)[0]) == 2
    assert told == [(["a"], [("t2",)]), (["b"], [])]
    told.clear()
    stop = True
    (only,) = bisect_world(world, found=found)[0]
    assert (moves(only), only.confirmed) == ([("a", "4", "5")], BOTH)
    assert len(told) == 1


def test_tests_with_one_error_and_two_causes_are_told_apart() -> None:
    world = World(
        releases={"a": rows(20, 30), "b": rows(20, 31)},
        tests={"t1": from_on("a", "5", "broken"), "t2": from_on("b", "12", "broken")},
    )
    found = {finding.tests: moves(finding) for finding in bisect_world(world)[0]}
    assert found == {("t1",): [("a", "4", "5")], ("t2",): [("b", "11", "12")]}


def test_a_breakage_behind_another_is_found_as_well() -> None:
    def says(versions, python, number):
        return from_on("a", "5", "first")(versions, python, number) or from_on("b", "12", "second")(
            versions, python, number
        )

    world = World(releases={"a": rows(20, 30), "b": rows(20, 31)}, tests={"t": says})
    first, second = bisect_world(world)[0]
    assert (moves(first), first.confirmed, first.held) == ([("a", "4", "5")], BOTH, ())
    assert any("then fail: second.Error" in note for note in first.notes)
    assert (moves(second), second.confirmed, second.held) == ([("b", "11", "12")], BOTH, ("a<5",))


def test_the_error_of_now_is_attributed_before_an_older_one_that_it_hides() -> None:
    def says(versions, python, number):
        return from_on("b", "12", "second")(versions, python, number) or from_on("a", "5", "first")(
            versions, python, number
        )

    world = World(releases={"a": rows(20, 30), "b": rows(20, 31)}, tests={"t": says})
    now, older = bisect_world(world)[0]
    assert (now.error.message, moves(now), now.confirmed) == ("second", [("b", "11", "12")], BOTH)
    assert any("then fail: first.Error" in note for note in now.notes)
    assert (older.error.message, moves(older), older.confirmed) == ("first", [("a", "4", "5")], BOTH)


def test_a_culprit_that_hides_another_of_some_tests_is_confirmed_for_all() -> None:
    def both(versions, python, number):
        return from_on("a", "5", "first")(versions, python, number) or from_on("b", "12", "second")(
            versions, python, number
        )

    world = World(
        releases={"a": rows(20, 30), "b": rows(20, 31)},
        tests={"t": both, "u": from_on("a", "5", "first")},
    )
    first, second = bisect_world(world)[0]
    assert (first.tests, first.confirmed) == (("t", "u"), BOTH)
    assert (second.tests, second.confirmed) == (("t",), BOTH)


def test_two_releases_of_one_distribution_over_the_same_tests_are_one_finding_at_the_earlier() -> None:
    def says(versions, python, number):
        return from_on("a", "12", "removed")(versions, python, number) or from_on("a", "5", "deprecated")(
            versions, python, number
        )

    (finding,) = bisect_world(World(releases={"a": rows(20, 30)}, tests={"t": says}))[0]
    assert (moves(finding), finding.confirmed) == ([("a", "4", "5")], BOTH)
    assert (finding.error.message, finding.first_error.message) == ("removed", "deprecated")
    (later,) = finding.further_turns
    assert (later.culprit.old, later.culprit.new, later.error.message) == ("11", "12", "removed")
    assert (finding.held_back.constraints, finding.held_back.passing) == (("a<5",), ("t",))


def test_what_moved_at_one_instant_is_told_apart() -> None:
    world = World(
        releases={name: [("1", -5), ("2", 400)] for name in "abcd"}, tests={"t": from_on("c", "2", "gone")}
    )
    (finding,), probe_runner, _ = bisect_world(world)
    assert moves(finding) == [("c", "1", "2")]
    assert finding.confirmed == BOTH
    assert probe_runner.builds <= 6


def test_what_cannot_be_separated_is_a_set() -> None:
    world = World(
        releases={name: [("1", -5), ("2", 400)] for name in "abc"},
        tests={"t": from_on("a", "2", "gone")},
        requires={("a", "2"): "b==2", ("b", "2"): "a==2"},
    )
    (finding,), _, _ = bisect_world(world)
    assert moves(finding) == [("a", "1", "2"), ("b", "1", "2")]
    assert finding.confirmed == BOTH


def test_the_interpreter_is_told_from_the_packages() -> None:
    world = World(
        releases={"a": rows(10, 50)},
        tests={"t": lambda versions, python, number: "gone" if Version(python) >= Version("3.10") else None},
        pythons=("3.7.1", "3.12.0"),
        others=("3.8.2", "3.9.1", "3.10.4", "3.11.2"),
    )
    (finding,), probe_runner, _ = bisect_world(world)
    assert finding.axis == "interpreter"
    assert moves(finding) == [("python", "3.9.1", "3.10.4")]
    assert finding.confirmed == BOTH
    assert probe_runner.builds <= 5


def lost_module(since: str, name: str) -> tuple[World, Cause]:
    """A world in which a module of Python is gone from an interpreter on, and pytest moved."""
    message = f"No module named {name!r}"
    world = World(
        releases={"pytest": rows(10, 50), "a": rows(10, 50)},
        tests={"t": lambda versions, python, number: message if Version(python) >= Version(since) else None},
        pythons=("3.7.1", "3.13.0"),
        others=("3.8.2", "3.9.1", "3.10.4", "3.11.2", "3.12.1"),
    )
    cause = Cause(kind=CauseKind.MISSING_MODULE, type="ModuleNotFoundError", message=message, name=name)
    return world, cause


@pytest.mark.parametrize(
    ("name", "since", "last", "built"), [("cgi", "3.13", "3.12.1", 1), ("imp", "3.12", "3.11.2", 2)]
)
def test_both_sides_of_a_known_change_of_python_are_asked_about_first(
    name: str, since: str, last: str, built: int
) -> None:
    world, cause = lost_module(since, name)
    (finding,), probe_runner, _ = bisect_world(world, suspects=("pytest",), cause=cause)
    assert [(one.name, one.old) for one in finding.culprits] == [("python", last)]
    assert (finding.confirmed, probe_runner.builds) == (BOTH, built)


def test_an_interpreter_that_is_not_the_known_one_is_found_all_the_same() -> None:
    world, cause = lost_module("3.9", "cgi")
    (finding,), _, _ = bisect_world(world, suspects=("pytest",), cause=cause)
    assert moves(finding) == [("python", "3.8.2", "3.9.1")]


def test_packages_are_searched_on_the_old_interpreter_where_they_matter_there() -> None:
    world = World(
        releases={"a": rows(10, 50)},
        tests={"t": from_on("a", "4", "gone")},
        pythons=("3.7.1", "3.12.0"),
        unbuildable=lambda versions, python: python == "3.12.0" and versions["a"] != "10",
    )
    (finding,), _, _ = bisect_world(world)
    assert (finding.axis, finding.python, moves(finding)) == ("packages", "3.7.1", [("a", "3", "4")])


def test_the_interpreter_is_blamed_when_the_same_packages_fail_on_the_newer_one() -> None:
    def says(versions, python, number):
        return "gone" if python == "3.12.0" and Version(versions["a"]) >= Version("4") else None

    world = World(releases={"a": rows(10, 50)}, tests={"t": says}, pythons=("3.7.1", "3.12.0"))
    (finding,), _, _ = bisect_world(world)
    # With the same packages the newer interpreter fails: that is the interpreter's doing.
    assert finding.axis == "interpreter"


def test_points_that_cannot_be_built_are_gone_around_and_the_version_is_still_found() -> None:
    world = World(
        releases={"a": rows(20, 40), "b": rows(20, 41)},
        tests={"t": from_on("a", "9", "gone")},
        unbuildable=lambda versions, python: versions["b"] in ("8", "9"),
    )
    (finding,), _, _ = bisect_world(world)
    assert moves(finding) == [("a", "8", "9")]
    assert finding.confirmed == BOTH


def test_a_pin_that_kept_the_breakage_away_is_said() -> None:
    world = World(
        releases={"a": rows(8, 20, first=-200), "b": rows(8, 21, first=-190)},
        tests={"t": from_on("a", "5", "gone")},
        pins=("a==2", "b==3"),
    )
    (finding,), _, _ = bisect_world(world)
    assert moves(finding) == [("a", "4", "5")]
    assert finding.confirmed == BOTH
    assert any("pins kept it away" in note for note in finding.notes)


def test_a_flaky_test_is_not_blamed_on_anything() -> None:
    def flaky(versions, python, number):
        return "sometimes" if Version(versions["a"]) > Version("1") and number % 2 == 0 else None

    world = World(releases={"a": rows(10, 50)}, tests={"t": from_on("a", "4", "gone"), "flaky": flaky})
    findings, probe_runner, _ = bisect_world(world)
    assert [finding.tests for finding in findings] == [("t",)]
    assert probe_runner.refused["flaky"].reason.startswith("good in 2 of 5 runs")


def test_what_fails_now_and_then_with_the_culprit_held_back_is_not_searched_for() -> None:
    def says(versions, python, number):
        gone = from_on("a", "4", "gone")(versions, python, number)
        return gone or ("too slow" if versions["b"] == "10" and number % 2 == 0 else None)

    world = World(
        releases={"a": rows(10, 50), "b": rows(10, 51)},
        tests={"t": from_on("a", "4", "gone"), "timed": says},
    )
    findings, probe_runner, _ = bisect_world(world)
    assert [moves(finding) for finding in findings] == [[("a", "3", "4")]]
    assert "timed" in probe_runner.refused


def test_what_fails_with_another_error_before_it_moves_does_not_hide_who_makes_the_difference() -> None:
    def says(versions, python, number):
        if versions["b"] == "1" and versions["a"] != "1":
            return "b was built for another a"
        return from_on("a", "3", "gone")(versions, python, number) or "otherwise"

    def only(versions, python, number):
        told = says(versions, python, number)
        return None if told == "otherwise" else told

    world = World(
        releases={
            "a": [("1", -5), ("2", 400), ("3", 400), ("4", 400)],
            **{name: [("1", -5), ("2", 400)] for name in "bc"},
            "d": [("1", -5), ("2", -4)],
        },
        tests={
            "t": only,
            "u": lambda versions, python, number: (
                told
                if (told := says(versions, python, number)) != "otherwise" or versions["d"] == "2"
                else None
            ),
        },
        pins=("a==1", "d==1"),
    )
    found = bisect_world(world, suspects=("a",))[0]
    assert ("a", "2", "3") in [move for finding in found for move in moves(finding)]


def test_every_turn_that_was_seen_is_reported() -> None:
    bad = {"3", "4", "5", "9", "10"}
    world = World(
        releases={"a": rows(10, 90)},
        tests={
            "t": lambda versions, python, number: "gone" if versions["a"] in bad else None,
            "u": from_on("a", "8", "other"),
        },
    )
    findings = {finding.tests[0]: finding for finding in bisect_world(world)[0]}
    assert moves(findings["t"]) == [("a", "8", "9")]
    assert findings["t"].confirmed == BOTH
    assert [turn.kind for turn in findings["t"].transitions] == ["broke", "fixed", "broke"]
    assert moves(findings["u"]) == [("a", "7", "8")]


def test_a_change_that_no_distribution_made_has_no_culprit() -> None:
    world = World(
        releases={"a": [("1", -5)]},
        tests={"t": lambda versions, python, number: "gone" if python == "3.11.0" else None},
        pythons=("3.10.0", "3.11.0"),
        unbuildable=lambda versions, python: False,
    )
    (finding,), _, _ = bisect_world(world)
    assert moves(finding) == [("python", "3.10.0", "3.11.0")]


def test_what_cannot_move_alone_is_still_told_from_what_moves_with_it() -> None:
    def says(versions, python, number):
        if versions["b"] == "1" and versions["a"] != "1":
            return "b was built for another a"
        if versions["b"] != "1" and versions["a"] == "1":
            return "a was built for another b"
        return from_on("a", "3", "gone")(versions, python, number)

    world = World(
        releases={
            "a": [("1", -5), ("2", 400), ("3", 400), ("4", 400)],
            **{name: [("1", -5), ("2", 400)] for name in "bcdefg"},
        },
        tests={"t": says},
        pins=("a==1",),
    )
    (finding, *_), probe_runner, _ = bisect_world(world, suspects=("a",))
    assert moves(finding) == [("a", "2", "3")]
    assert finding.confirmed == BOTH
    assert probe_runner.builds <= 3


def test_what_another_release_only_lets_in_is_blamed_alone() -> None:
    world = World(
        releases={"numpy": rows(4, 200), "pandas": rows(5, 190), "other": rows(9, 90)},
        tests={"t": from_on("numpy", "3", "unable to avoid a copy")},
        requires={("pandas", "1"): "numpy<3", ("pandas", "2"): "numpy<3"},
    )
    (finding,), _, _ = bisect_world(world, called=("pandas", "numpy"))
    assert (moves(finding), finding.confirmed) == ([("numpy", "2", "3")], BOTH)
    assert any("told apart with pandas moved as well" in note for note in finding.notes)


def test_of_two_that_break_only_together_the_one_that_the_error_names_is_held_back() -> None:
    def says(versions, python, number):
        return "gone" if (versions["a"], versions["b"]) == ("2", "2") else None

    world = World(releases={name: [("1", -5), ("2", 400)] for name in "ab"}, tests={"t": says})
    (finding,), probe_runner, _ = bisect_world(world, suspects=("b",))
    assert (moves(finding), finding.held_back.constraints) == ([("b", "1", "2")], ("b<2",))
    assert (finding.confirmed, probe_runner.builds) == (BOTH, 1)
    (finding,), _, _ = bisect_world(world)
    assert moves(finding) == [("a", "1", "2"), ("b", "1", "2")]


def test_a_pile_that_is_not_told_apart_is_not_held_back_and_nothing_is_searched_behind_it() -> None:
    names = [f"p{number:02}" for number in range(12)]

    def says(versions, python, number):
        if all(versions[name] == "2" for name in names[::2]):
            return "gone"
        return "behind" if versions["p01"] == "2" else None

    world = World(releases={name: [("1", -5), ("2", 400)] for name in names}, tests={"t": says})
    (finding,), _, _ = bisect_world(world)
    assert (finding.culprits, finding.held_back, finding.confirmed) == ((), None, ())
    assert set(names[::2]) <= {suspicion.culprit.name for suspicion in finding.undistinguished}
    assert any("not told apart" in note for note in finding.notes)
    assert not any(probe.why.startswith("the newest with") for probe in finding.probes)


def test_three_breakages_in_a_row_are_confirmed_from_the_last_to_the_first() -> None:
    def says(versions, python, number):
        order = (("a", "5", "first"), ("b", "12", "second"), ("c", "9", "third"), ("d", "7", "fourth"))
        return next((error for one in order if (error := from_on(*one)(versions, python, number))), None)

    releases = {name: rows(20, 30 + number) for number, name in enumerate("abcd")}
    findings = bisect_world(World(releases=releases, tests={"t": says}))[0]
    assert [(finding.error.message, moves(finding)) for finding in findings] == [
        ("first", [("a", "4", "5")]),
        ("second", [("b", "11", "12")]),
        ("third", [("c", "8", "9")]),
        ("fourth", [("d", "6", "7")]),
    ]
    assert {finding.confirmed for finding in findings} == {BOTH}


def test_an_interpreter_that_hides_a_package_is_confirmed_both_ways() -> None:
    def says(versions, python, number):
        gone = "first" if Version(python) >= Version("3.10") else None
        return gone or from_on("a", "4", "second")(versions, python, number)

    world = World(
        releases={"a": rows(10, 50)},
        tests={"t": says},
        pythons=("3.9.1", "3.12.0"),
        others=("3.10.4", "3.11.2"),
    )
    first, second = bisect_world(world)[0]
    assert (first.axis, moves(first), first.confirmed) == (
        "interpreter",
        [("python", "3.9.1", "3.10.4")],
        BOTH,
    )
    assert (moves(second), second.confirmed) == ([("a", "3", "4")], BOTH)


def test_a_breakage_behind_one_that_only_a_newer_interpreter_gets_is_found() -> None:
    def says(versions, python, number):
        new = python != "3.7.1"
        if new and Version(versions["a"]) >= Version("8"):
            return "first"
        return "second" if new and Version(versions["b"]) >= Version("6") else None

    world = World(
        releases={"a": rows(10, 50), "b": rows(10, 51)},
        tests={"t": says},
        pythons=("3.7.1", "3.12.0"),
        limits={"3.7.1": ("a<8", "b<6")},
    )
    findings = bisect_world(world)[0]
    assert [moves(finding) for finding in findings] == [[("a", "7", "8")], [("b", "5", "6")]]
    assert {finding.confirmed for finding in findings} == {BOTH}


def test_a_test_that_exists_only_sometimes_is_gone_around() -> None:
    def says(versions, python, number):
        return None if Version(versions["a"]) < Version("11") else "gone"

    world = World(
        releases={"a": rows(20, 40), "b": rows(20, 41)},
        tests={"t": says},
        there=lambda test, versions: versions["b"] not in ("9", "10", "11"),
    )
    (finding,), probe_runner, _ = bisect_world(world, suspects=("a",))
    assert probe_runner.builds <= allowance(40)
    ((name, old, new),) = moves(finding)
    assert (name, Version(old) < Version("11") <= Version(new)) == ("a", True)
    assert finding.confirmed == BOTH
    (finding,), probe_runner, _ = bisect_world(world)
    assert probe_runner.builds <= allowance(40)
    assert finding.confirmed == BOTH
    assert any("not every release of a between was tried" in note for note in finding.notes)
    assert any(probe.status is ProbeStatus.SKIP for probe in finding.probes)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(st.integers(2, 12), st.sampled_from(["a", "b"]))
def test_where_the_error_names_the_right_one_only_its_releases_are_looked_at(guilty: int, named: str) -> None:
    world = World(
        releases={"a": rows(12, 70), "b": rows(200, 4)}, tests={"t": from_on("a", str(guilty), "gone")}
    )
    (finding,), probe_runner, _ = bisect_world(world, suspects=(named,))
    assert moves(finding) == [("a", str(guilty - 1), str(guilty))]
    assert finding.confirmed == BOTH
    assert probe_runner.builds <= (allowance(12) if named == "a" else allowance(212) + 2)


def test_all_causes_together_take_no_more_than_a_bisection_may() -> None:
    names = [f"d{number}" for number in range(12)]
    world = World(
        releases={name: rows(20, 45, first=-15 + number) for number, name in enumerate(names)},
        tests={name: from_on(name, str(7 + number), f"{name} gone") for number, name in enumerate(names)},
    )
    found, probe_runner, _ = bisect_world(world)
    assert probe_runner.builds <= MOST_OF_ALL_CAUSES
    assert probe_runner.environments <= probe_runner.most_environments
    assert probe_runner.exhausted
    assert len(found) == len(names)  # also those that were not searched to the end
    assert moves(found[0]) == [("d0", "6", "7")]
    few = World(releases=world.releases, tests={name: world.tests[name] for name in names[:2]})
    assert not bisect_world(few)[1].exhausted


def test_an_error_that_came_after_an_older_failure_is_searched_for() -> None:
    def says(versions, python, number):
        return from_on("a", "8", "module a has no f")(versions, python, number) or "no server is there"

    world = World(releases={"a": rows(12, 70), "b": rows(12, 71)}, tests={"t": says, "u": lambda *_: None})
    (finding,), probe_runner, attribution = bisect_world(world)
    assert (moves(finding), finding.failed_before, finding.confirmed) == ([("a", "7", "8")], True, BOTH)
    assert finding.error.message == "module a has no f"
    assert (attribution.refused, probe_runner.refused) == ([], {})
    assert working_limits([finding]) == ()  # no test passes
    still = World(releases=world.releases, tests={"t": lambda *_: "no server is there"})
    assert bisect_world(still)[0] == ()


def test_what_the_old_side_skips_and_the_new_one_fails_is_searched_for() -> None:
    def says(versions, python, number):
        broke = from_on("a", "8", "module a has no f")(versions, python, number)
        return broke or (None if int(versions["b"]) >= 5 else SKIPPED)

    world = World(releases={"a": rows(12, 70), "b": rows(12, 71)}, tests={"t": says, "u": lambda *_: None})
    (finding,), _, attribution = bisect_world(world)
    assert (moves(finding), finding.failed_before, finding.confirmed) == ([("a", "7", "8")], True, BOTH)
    assert attribution.refused == []
    assert working_limits([finding]) == ()  # it never passed on the old side
    hidden = World(releases=world.releases, tests={"t": lambda *_: SKIPPED})
    assert bisect_world(hidden)[0] == ()


def test_an_error_behind_one_that_came_after_an_older_failure_is_found() -> None:
    def says(versions, python, number):
        return (
            from_on("a", "8", "first")(versions, python, number)
            or from_on("b", "5", "second")(versions, python, number)
            or "no server is there"
        )

    world = World(releases={"a": rows(12, 70), "b": rows(12, 71)}, tests={"t": says})
    found = bisect_world(world)[0]
    assert [(moves(one), one.failed_before) for one in found] == [
        ([("a", "7", "8")], True),
        ([("b", "4", "5")], True),
    ]


def test_the_release_of_a_major_step_is_asked_about_first() -> None:
    versions = ["3.20", "3.21", "3.22", "3.23", "3.24", "3.25", "3.26", "3.27", "3.28", "4.0", "4.1"]
    world = World(
        releases={
            "a": [(version, -10 + 80 * number) for number, version in enumerate(versions)],
            "b": rows(9, 90),
        },
        tests={"t": from_on("a", "4.0", "1 != 0")},
    )
    (finding,), probe_runner, _ = bisect_world(world, called=("a", "b"))
    assert (moves(finding), finding.confirmed) == ([("a", "3.28", "4.0")], BOTH)
    assert probe_runner.builds <= 6
