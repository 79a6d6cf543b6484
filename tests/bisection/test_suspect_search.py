"""Suspects are tried first, where the project is to run; what hides behind them is found there as well."""

from __future__ import annotations

import sys
from math import ceil, log2
from pathlib import Path
from typing import ClassVar

sys.path.insert(0, str(Path(__file__).parent))
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.version import Version
from world import World, bisect_world, from_on

from backdate.bisection.narrowing import Narrowing
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.result import Finding
from backdate.bisection.search import ProbeStatus, next_point, weighted_point, window_of
from backdate.diagnosis.result import Cause, CauseKind

BOTH = ("forward", "backward")
TWO = ("3.9.1", "3.12.0")


def rows(count: int, every: int) -> list[tuple[str, int]]:
    return [(str(number + 1), -10 + number * every) for number in range(count)]


def moves(finding: Finding) -> list[tuple[str, str | None, str | None]]:
    return [(one.name, one.old, one.new) for one in finding.culprits]


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(st.integers(2, 40), st.data())
def test_a_named_suspect_takes_one_environment_and_the_logarithm_of_its_versions(
    count: int, data: st.DataObject
) -> None:
    guilty = data.draw(st.integers(2, count))
    world = World(
        releases={"a": rows(count, 20), "b": rows(90, 11)},
        tests={"t": from_on("a", str(guilty), "gone")},
        pythons=TWO,
    )
    (finding,), probe_runner, _ = bisect_world(world, suspects=("a",))
    assert moves(finding) == [("a", str(guilty - 1), str(guilty))]
    assert (finding.confirmed, finding.python, finding.searched) == (BOTH, "3.12.0", "versions")
    assert finding.held_back is not None
    assert (finding.held_back.python, finding.held_back.passing) == ("3.12.0", ("t",))
    assert finding.first_bad == finding.culprits[0].released
    assert probe_runner.builds <= 2 + ceil(log2(count))


class NotingRunner(ProbeRunner):
    """Keeps what searches told of how far they came."""

    told: ClassVar[list[Narrowing]]

    def narrowed(self, narrowing: Narrowing) -> None:
        self.told.append(narrowing)


@pytest.mark.parametrize("suspects", [("a",), ()])
def test_a_search_tells_how_far_it_came_and_comes_nearer_each_time(suspects: tuple[str, ...]) -> None:
    NotingRunner.told = []
    world = World(
        releases={"a": rows(30, 10), "b": rows(25, 11)}, tests={"t": from_on("a", "14", "gone")}, pythons=TWO
    )
    ((finding,), *_) = bisect_world(world, suspects=suspects, runner_class=NotingRunner)
    assert moves(finding) == [("a", "13", "14")]
    told = NotingRunner.told
    if suspects:
        assert {(one.name, one.python, one.last_good) for one in told} == {("a", "3.12.0", None)}
        spans = [(int(one.good), int(one.bad)) for one in told]
        assert spans[-1] == (13, 14)
        widths = [bad - good for good, bad in spans]
    else:
        spans_of_days = [(one.last_good, one.first_bad) for one in told]
        assert all(good is not None and bad is not None for good, bad in spans_of_days)
        assert {one.name for one in told} == {""}
        widths = [(bad - good).days for good, bad in spans_of_days if good is not None and bad is not None]
    assert len(widths) > 1
    assert widths == sorted(widths, reverse=True)
    assert {one.tests for one in told} == {("t",)}


def test_a_culprit_that_was_found_on_the_older_interpreter_is_proven_on_the_newer_one() -> None:
    world = World(
        releases={"a": rows(10, 50), "b": rows(10, 51)}, tests={"t": from_on("a", "4", "gone")}, pythons=TWO
    )
    (finding,), _, _ = bisect_world(world)
    assert (moves(finding), finding.python, finding.confirmed) == ([("a", "3", "4")], "3.9.1", BOTH)
    assert finding.held_back is not None
    assert (finding.held_back.constraints, finding.held_back.python) == (("a<4",), "3.12.0")


def test_what_only_the_newer_interpreter_breaks_behind_a_culprit_is_found_with_the_interpreter() -> None:
    def says(versions, python, number):  # type: ignore[no-untyped-def]
        gone = from_on("a", "4", "gone")(versions, python, number)
        return gone or ("no collections.Mapping" if Version(python) >= Version("3.10") else None)

    world = World(
        releases={"a": rows(10, 50), "b": rows(10, 51)},
        tests={"t": says},
        pythons=TWO,
        others=("3.10.4", "3.11.2"),
    )
    for suspects in ((), ("a",)):
        first, second = bisect_world(world, suspects=suspects)[0]
        assert (moves(first), first.confirmed) == ([("a", "3", "4")], BOTH)
        assert (second.axis, moves(second)) == ("interpreter", [("python", "3.9.1", "3.10.4")])
        assert (second.held, second.confirmed) == (("a<4",), BOTH)


def test_where_the_culprit_is_not_to_be_had_on_the_newer_interpreter_it_is_said() -> None:
    world = World(
        releases={"a": rows(10, 50), "b": rows(10, 51)},
        tests={"t": from_on("a", "4", "gone")},
        pythons=TWO,
        limits={"3.12.0": ("a>=6",)},
    )
    (finding,), _, _ = bisect_world(world, suspects=("a",))
    assert (moves(finding), finding.confirmed) == ([("a", "3", "4")], BOTH)
    assert finding.held_back is not None
    assert finding.held_back.python == "3.9.1"
    assert any("on Python 3.12.0 the culprit could not be held back" in note for note in finding.notes)
    assert any("tried on Python 3.9.1 only" in note for note in finding.notes)


def test_what_would_have_to_be_compiled_is_searched_where_it_has_wheels() -> None:
    def built(versions, python):  # type: ignore[no-untyped-def]
        assert (python, Version(versions["a"]) < Version("7")) != ("3.12.0", True), "compiled for long"
        return False

    world = World(
        releases={"a": rows(20, 40), "b": rows(50, 15)},
        tests={"t": from_on("a", "4", "gone")},
        pythons=TWO,
        unbuildable=built,
        compiled_for={("a", str(number)): ("cp39",) for number in range(1, 7)},
    )
    (finding,), probe_runner, _ = bisect_world(world, suspects=("a",))
    assert (moves(finding), finding.python, finding.searched) == ([("a", "3", "4")], "3.9.1", "versions")
    assert finding.confirmed == BOTH
    assert finding.held_back is not None
    assert finding.held_back.python == "3.9.1"
    assert "no older a is made for Python 3.12.0" in finding.notes
    assert probe_runner.builds <= 9


def test_an_error_inside_what_is_held_back_is_answered_by_what_to_hold_back_as_well(tmp_path: Path) -> None:
    of_jinja2(tmp_path)

    def says(versions, python, number):  # type: ignore[no-untyped-def]
        if Version(versions["jinja2"]) < Version("3") and Version(versions["markupsafe"]) >= Version("5"):
            return "in jinja2: cannot import soft_unicode"
        return from_on("jinja2", "3", "no escape")(versions, python, number)

    world = World(
        releases={"jinja2": rows(6, 90), "markupsafe": rows(9, 60), "other": rows(20, 30)},
        tests={"t": says},
        root=tmp_path,
    )
    (finding,), _, _ = bisect_world(world, suspects=("jinja2",))
    assert (moves(finding), finding.confirmed) == ([("jinja2", "2", "3")], BOTH)
    assert finding.companions == ("markupsafe<5",)
    assert finding.held_back is not None
    assert finding.held_back.constraints == ("jinja2<3", "markupsafe<5")
    assert (finding.held_back.passing, finding.held_back.failing) == (("t",), ())


@pytest.mark.parametrize("suspects", [(), ("jinja2",)])
def test_an_error_inside_an_older_release_of_the_culprit_is_its_own_earlier_turn(
    suspects: tuple[str, ...], tmp_path: Path
) -> None:
    of_jinja2(tmp_path)

    def says(versions, python, number):  # type: ignore[no-untyped-def]
        removed = from_on("jinja2", "12", "removed")(versions, python, number)
        return removed or from_on("jinja2", "5", "in jinja2: ended")(versions, python, number)

    world = World(
        releases={"jinja2": rows(20, 30), "b": rows(20, 31), "c": rows(20, 29)},
        tests={"t": says},
        root=tmp_path,
    )
    (finding,), probe_runner, _ = bisect_world(world, suspects)
    assert (moves(finding), finding.companions, finding.confirmed) == ([("jinja2", "4", "5")], (), BOTH)
    assert finding.first_error is not None
    assert (finding.error.message, finding.first_error.message) == ("removed", "in jinja2: ended")
    assert [turn.culprit.new for turn in finding.further_turns] == ["12"]
    assert not suspects or probe_runner.environments <= 12


def of_jinja2(root: Path) -> None:
    """Say in an environment whose code "in jinja2: …" is raised in."""
    info = root / "lib/python3.10/site-packages/jinja2-1.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Name: Jinja2\nVersion: 1\n")
    (info / "RECORD").write_text("jinja2/core.py,,\n")


def test_the_same_error_of_the_projects_own_code_is_a_breakage_of_its_own() -> None:
    def says(versions, python, number):  # type: ignore[no-untyped-def]
        return from_on("jinja2", "3", "no escape")(versions, python, number) or from_on(
            "markupsafe", "5", "no soft_unicode"
        )(versions, python, number)

    world = World(releases={"jinja2": rows(6, 90), "markupsafe": rows(9, 60)}, tests={"t": says})
    first, second = bisect_world(world, suspects=("jinja2",))[0]
    assert (moves(first), first.companions) == ([("jinja2", "2", "3")], ())
    assert (moves(second), second.held) == ([("markupsafe", "4", "5")], ("jinja2<3",))


def test_where_the_error_names_nobody_what_the_failing_code_calls_is_held_back_together() -> None:
    world = World(
        releases={"a": rows(10, 50), "b": rows(10, 51), "c": rows(99, 10)},
        tests={"t": from_on("a", "4", "1 != 2")},
    )
    (finding,), probe_runner, _ = bisect_world(world, called=("b", "a"))
    assert (moves(finding), finding.confirmed) == ([("a", "3", "4")], BOTH)
    assert probe_runner.builds <= 8
    assert finding.probes[1].why.startswith("the newest with what the failing code calls as it was")
    (finding,), _, _ = bisect_world(world, called=("b",))  # what is called is not at fault: all are searched
    assert (moves(finding), finding.confirmed) == ([("a", "3", "4")], BOTH)


def test_where_the_error_names_nobody_what_the_project_imports_is_held_back_with_it() -> None:
    versions = ["3.9", "3.10", "3.11", "4.0", "4.1"]
    world = World(
        releases={
            "web": rows(40, 24),
            "lib": [(version, -10 + 150 * number) for number, version in enumerate(versions)],
            "pytest": rows(12, 80),
        },
        tests={"t": from_on("lib", "4.0", "200 != 422")},
    )
    found, alone, _ = bisect_world(world, called=("web", "pytest"))
    assert moves(found[0]) == [("lib", "3.11", "4.0")]
    (finding,), probe_runner, _ = bisect_world(world, called=("web", "pytest"), imported=("lib", "web"))
    assert (moves(finding), finding.confirmed) == ([("lib", "3.11", "4.0")], BOTH)
    assert probe_runner.builds < alone.builds
    assert probe_runner.builds <= 8


def test_what_the_project_imports_is_left_where_it_cannot_be_had_with_what_is_called() -> None:
    world = World(
        releases={"a": rows(10, 50), "lib": rows(10, 51), "c": rows(30, 33)},
        tests={"t": from_on("a", "4", "1 != 2")},
        pythons=TWO,
        limits={"3.12.0": ("lib>=2",)},
    )
    (finding,), _, _ = bisect_world(world, called=("a", "c"), imported=("lib",))
    assert (moves(finding), finding.searched, finding.python) == ([("a", "3", "4")], "versions", "3.12.0")


def test_a_culprit_that_is_older_than_the_window_is_said_to_be() -> None:
    releases = {"a": [("1", -900), ("2", -500), ("3", -20), ("4", 400)], "b": rows(9, 90)}
    world = World(releases=releases, tests={"t": from_on("a", "2", "1 != 2")}, pins=("a<2",))
    (finding,) = bisect_world(world, suspects=("a",))[0]
    assert moves(finding) == [("a", "1", "2")]
    (note,) = (note for note in finding.notes if "older than the window" in note)
    assert note.startswith("a 2 is older than the window: it was released on 2019-08-20")


def test_of_a_set_that_cannot_be_told_apart_the_likeliest_comes_first_with_why() -> None:
    world = World(
        releases={name: [("1", -5), ("2", 400)] for name in "abc"},
        tests={"t": from_on("b", "2", "gone")},
        requires={("a", "2"): "b==2", ("b", "2"): "a==2"},
    )
    (finding,), _, _ = bisect_world(world, called=("b",))
    assert [name for name, _, _ in moves(finding)] == ["b", "a"]
    assert "b is the likeliest: the code that fails calls it" in finding.notes


@given(st.lists(st.floats(0.1, 50), min_size=2, max_size=60), st.data())
def test_weights_never_cost_more_questions_than_halving(weights: list[float], data: st.DataObject) -> None:
    last = len(weights)
    turn = data.draw(st.integers(1, last))
    statuses, asked = {0: ProbeStatus.GOOD, last: ProbeStatus.BAD}, 0
    while (point := weighted_point(statuses, (0.0, *weights))) is not None:
        statuses[point] = ProbeStatus.BAD if point >= turn else ProbeStatus.GOOD
        asked += 1
    assert window_of(statuses) == (turn - 1, turn)
    assert asked <= ceil(log2(last))


def test_a_likely_step_is_asked_about_first_and_skips_are_gone_around() -> None:
    statuses = {0: ProbeStatus.GOOD, 8: ProbeStatus.BAD}
    assert weighted_point(statuses, (0, 1, 1, 9, 1, 1, 1, 1, 1)) in (2, 3, 4)
    skipped = {**statuses, 4: ProbeStatus.SKIP}
    assert weighted_point(skipped, (1.0,) * 9) == next_point(skipped)


def test_a_release_that_is_older_than_the_window_in_which_it_came_in_is_explained() -> None:
    world = World(
        releases={"a": rows(6, 50), "b": [("1", -9), ("2", 90), ("3", 600)], "c": rows(30, 30)},
        tests={"t": from_on("a", "5", "1 != 2")},
        requires={("b", "1"): "a<5", ("b", "2"): "a<5"},
    )
    (finding,) = bisect_world(world)[0]
    assert moves(finding) == [("a", "4", "5")]  # b only lets it in
    (note,) = (note for note in finding.notes if "older than the window" in note)
    assert "a 5 is older than the window: it was released on 2021-07-10" in note
    assert "came in together with b" in note


def test_that_it_shows_only_on_the_newer_interpreter_is_not_said() -> None:
    def says(versions, python, number):  # type: ignore[no-untyped-def]
        return "gone" if Version(versions["a"]) >= Version("8") else None

    world = World(releases={"a": rows(10, 50)}, tests={"t": says}, pythons=TWO, limits={"3.9.1": ("a<8",)})
    (finding,) = bisect_world(world)[0]
    assert (moves(finding), finding.confirmed) == ([("a", "7", "8")], BOTH)
    assert "versions were searched, not instants: the older interpreter gets a 7 at most" in finding.notes
    assert not any("only on the newer interpreter" in note for note in finding.notes)


NUMPY = ["1.21.6", "1.22.4", "1.23.5", "1.24.0", "1.24.4", "1.25.2", "1.26.4", "2.0.0", "2.1.0", "2.2.0"]


def numpy_world(**more: object) -> World:
    return World(
        releases={"numpy": [(version, -10 + 90 * number) for number, version in enumerate(NUMPY)]},
        tests={"t": from_on("numpy", "1.24.0", "module 'numpy' has no attribute 'int'")},
        **more,  # type: ignore[arg-type]
    )


def known_cause() -> Cause:
    return Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message="module 'numpy' has no attribute 'int'",
        name="int",
        owner="numpy",
        owner_is="module",
        distribution="numpy",
        related=("numpy",),
    )


def test_both_sides_of_a_known_change_are_asked_about_first() -> None:
    (finding,), probe_runner, _ = bisect_world(numpy_world(), suspects=("numpy",), cause=known_cause())
    assert moves(finding) == [("numpy", "1.23.5", "1.24.0")]
    assert (finding.confirmed, probe_runner.builds) == (BOTH, 2)


def test_where_all_that_can_be_had_is_from_after_a_known_change_nothing_is_tried() -> None:
    compiled = {("numpy", version): ("cp39",) for version in NUMPY[:6]}
    world = numpy_world(pythons=TWO, compiled_for=compiled)
    (finding,), probe_runner, _ = bisect_world(world, suspects=("numpy",), cause=known_cause())
    assert (moves(finding), finding.python) == ([("numpy", "1.23.5", "1.24.0")], "3.9.1")
    assert (finding.confirmed, probe_runner.builds) == (BOTH, 3)  # the newest there, and both sides


def test_a_suspect_whose_old_version_fails_beside_the_newest_packages_is_not_taken_for_good() -> None:
    def says(versions, python, number):  # type: ignore[no-untyped-def]
        if Version(versions["pandas"]) < Version("5") and Version(versions["numpy"]) >= Version("4"):
            return "numpy.dtype size changed, may indicate binary incompatibility"
        return from_on("pandas", "3", "no append")(versions, python, number)

    world = World(releases={"pandas": rows(8, 90), "numpy": rows(6, 150)}, tests={"t": says})
    finding = bisect_world(world, suspects=("pandas",))[0][0]
    assert moves(finding) == [("pandas", "2", "3")]
    assert finding.companions == ("numpy<4",)
    assert finding.held_back is not None
    assert finding.held_back.passing == ("t",)


def test_one_test_that_fails_because_of_what_is_held_back_makes_the_others_no_less_good() -> None:
    def also(versions, python, number):  # type: ignore[no-untyped-def]
        if Version(versions["pandas"]) < Version("3"):
            return "numpy.dtype size changed, may indicate binary incompatibility"
        return from_on("pandas", "3", "no append")(versions, python, number)

    def says(versions, python, number):  # type: ignore[no-untyped-def]
        return from_on("pandas", "3", "no append")(versions, python, number)

    def old(versions, python, number):  # type: ignore[no-untyped-def]
        return None if versions["numpy"] == "1" else also(versions, python, number)

    world = World(
        releases={"pandas": rows(8, 90), "numpy": rows(6, 150)}, tests={"t": says, "u": says, "v": old}
    )
    found, probe_runner, _ = bisect_world(world, suspects=("pandas",))
    assert moves(found[0]) == [("pandas", "2", "3")]
    assert {"t", "u"} <= set(found[0].tests)
    assert probe_runner.builds <= 8


def test_what_is_only_together_at_fault_is_held_back_to_what_was_seen_to_work() -> None:
    def says(versions, python, number):  # type: ignore[no-untyped-def]
        both = min(Version(versions["a"]), Version(versions["b"]))
        return "500 != 302" if both >= Version("3") else None

    world = World(releases={"a": rows(8, 90), "b": rows(8, 91), "c": rows(9, 80)}, tests={"t": says})
    found, _, _ = bisect_world(world, called=("a", "b"))
    (finding,) = found  # the same again at an older release would be no other cause
    assert {one.name for one in finding.culprits} == {"a", "b"}
    assert finding.confirmed == BOTH
    assert finding.held_back is not None
    assert (finding.held_back.passing, finding.held_back.failing) == (("t",), ())


def test_a_culprit_of_one_error_is_tried_first_for_the_errors_after_it() -> None:
    def bisected(count: int):  # type: ignore[no-untyped-def]
        world = World(
            releases={"a": rows(12, 70), "b": rows(12, 71), "c": rows(30, 30)},
            tests={f"t{number}": from_on("a", "8", f"E{number} {number} != 0") for number in range(count)},
        )
        return bisect_world(world, called={"E0 0 != 0": ("a", "b")})  # the others name and call nothing

    many, probe_runner, _ = bisected(6)
    assert [(moves(finding), finding.confirmed) for finding in many] == [([("a", "7", "8")], BOTH)] * 6
    assert probe_runner.builds <= bisected(1)[1].builds + 1


def test_an_error_of_the_runner_itself_is_asked_of_the_culprits_that_are_known_first() -> None:
    def bisected(**tests: str):  # type: ignore[no-untyped-def]
        world = World(
            releases={"a": rows(12, 70), "pytest": rows(12, 71), "c": rows(30, 30)},
            tests={name: from_on("a", "8", message) for name, message in tests.items()},
        )
        named = {"Failed DID NOT RAISE": ("pytest",)}
        return bisect_world(world, suspects=named, called={"E1 1 != 0": ("a",)})

    found, probe_runner, _ = bisected(t="E1 1 != 0", u="Failed DID NOT RAISE")
    assert [moves(finding) for finding in found] == [[("a", "7", "8")]] * 2
    assert probe_runner.builds == bisected(t="E1 1 != 0")[1].builds


def test_a_culprit_of_one_error_is_not_blamed_for_what_others_broke_that_it_holds_back() -> None:
    world = World(
        releases={"a": rows(12, 70), "b": rows(12, 71)},
        tests={"t": from_on("a", "8", "E1 1 != 0"), "u": from_on("b", "9", "E2 2 != 0")},
        requires={("a", str(number)): f"b<={number}" for number in range(1, 8)},
    )
    found = {
        finding.tests: moves(finding) for finding in bisect_world(world, called={"E1 1 != 0": ("a",)})[0]
    }
    assert found == {("t",): [("a", "7", "8")], ("u",): [("b", "8", "9")]}


def test_a_culprit_of_one_error_is_searched_for_the_release_of_another_error() -> None:
    def says(versions, python, number):  # type: ignore[no-untyped-def]
        return "E2 2 != 0" if Version(versions["a"]) >= Version("5") else None

    world = World(
        releases={"a": rows(12, 70), "b": rows(12, 71)},
        tests={"t": from_on("a", "8", "E1 1 != 0"), "u": says},
    )
    found = {
        finding.tests: moves(finding) for finding in bisect_world(world, called={"E1 1 != 0": ("a",)})[0]
    }
    assert found == {("t",): [("a", "7", "8")], ("u",): [("a", "4", "5")]}
