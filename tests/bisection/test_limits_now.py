"""What keeps the tests passing for now, from what findings say that was seen."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pytest
from world import END, choice

from backdate.bisection.limits_now import SeenLimits, limits_seen, strictest, working_limits
from backdate.bisection.probes import ProbePoint, ProbeResult
from backdate.bisection.result import Culprit, Failing, Finding, HeldBack
from backdate.bisection.search import ProbeStatus


def finding(name: str, old: str, new: str, *tests: str, held: tuple[str, ...] = ()) -> Finding:
    return Finding(
        tests=tests,
        error=Failing(type="E", message=""),
        axis="interpreter" if name == "python" else "packages",
        culprits=(Culprit(name=name, old=old, new=new, released=None),),
        python="3.12.1",
        held=held,
        confirmed=("forward", "backward"),
    )


def seen(one: Finding, *constraints: str, passing: int, python: str = "3.12.1") -> Finding:
    held = HeldBack(
        constraints=constraints, python=python, passing=one.tests[:passing], failing=one.tests[passing:]
    )
    return replace(one, held_back=held)


def test_what_was_seen_with_the_culprit_held_back() -> None:
    one = seen(finding("numpy", "1.26.4", "2.0.0", "a", "b", "c"), "numpy<2.0.0", passing=2)
    (entry,) = working_limits([one])
    assert (entry.requirements, entry.passing, entry.tests, entry.on_python) == (
        ("numpy<2.0.0",),
        2,
        3,
        "3.12.1",
    )


def limits(*requirements: str, passing: str, failing: str = "", python: str = "3.12.1") -> SeenLimits:
    return SeenLimits(
        requirements=requirements,
        python=python,
        newest_python=python == "3.12.1",
        passing=frozenset(passing),
        failing=frozenset(failing),
    )


def test_a_limit_comes_before_the_pin_that_was_tried_on_the_way_to_it() -> None:
    one = finding("flask", "2.3.3", "3.0.0", "a", "b")
    same = [limits("flask==2.3.3", passing="ab"), limits("flask<3.0.0", passing="ab")]
    for order in (same, same[::-1]):
        (entry,) = working_limits([one], order)
        assert entry.requirements == ("flask<3.0.0",)


def test_of_all_that_was_seen_what_helps_most_tests_comes_first() -> None:
    one = seen(finding("numpy", "1.26.4", "2.0.0", "a", "b", "c"), "numpy<2.0.0", passing=3)
    other = seen(finding("numpy", "2.3.5", "2.4.1", "d"), "numpy<2.4.1", passing=1)
    everything = [
        limits("numpy<2.4.1", passing="d", failing="abc"),
        limits("numpy<2.0.0", passing="abcd"),
        limits("numpy<2.0.0", "scipy<1.14", passing="abcd"),
        limits("numpy<2.0.0", passing="abcd", python="3.11.7"),
        limits(passing="abcd", python="3.10.1"),
    ]
    (best,) = working_limits([one, other], everything)
    assert (best.requirements, best.passing, best.tests, best.on_python) == (("numpy<2.0.0",), 4, 4, "3.12.1")


def test_what_the_first_does_not_help_has_an_entry_of_its_own() -> None:
    one, other = finding("numpy", "1", "2", "a", "b"), finding("scipy", "1", "2", "c")
    everything = [limits("numpy<2", passing="ab", failing="c"), limits("scipy<2", passing="c", failing="ab")]
    assert [
        (entry.requirements, entry.passing, entry.tests) for entry in working_limits([one, other], everything)
    ] == [
        (("numpy<2",), 2, 3),
        (("scipy<2",), 1, 3),
    ]


def test_what_holds_others_back_as_well_is_told_only_of_tests_that_nothing_else_helps() -> None:
    findings = [finding("tomlkit", "0.14.0", "0.15.0", "a", "b"), finding("fmt", "1.8.0", "2.0.0", "c")]
    began = limits("fmt==1.8.0", "pytest==9.0.3", "tomlkit==0.14.0", passing="abc")
    apart = [limits("tomlkit<0.15.0", passing="ab"), limits("fmt<2.0.0", passing="c")]
    entries = working_limits(findings, [began, *apart])
    assert [entry.requirements for entry in entries] == [("tomlkit<0.15.0",), ("fmt<2.0.0",)]
    (entry,) = working_limits([replace(one, confirmed=()) for one in findings], [began])
    assert entry.requirements == began.requirements


def test_an_older_interpreter_that_nobody_blames_takes_no_place_of_limits_that_help() -> None:
    one = replace(finding("numpy", "1.26.4", "2.0.0", "a"), confirmed=())
    both = limits("numpy<2.0.0", "pandas==1.5.3", passing="a")
    (entry,) = working_limits([one], [limits(passing="a", python="3.9.18"), both])
    assert entry.requirements == both.requirements


def test_what_probes_of_the_newest_instant_show() -> None:
    def probe(version: str, *constraints: str) -> ProbeResult:
        point = ProbePoint(choice=choice(version), instant=END, constraints=constraints)
        statuses = {"a": ProbeStatus.GOOD, "b": ProbeStatus.BAD, "c": ProbeStatus.SKIP}
        return ProbeResult(point=point, identity="i", statuses=statuses)

    without, held, older = probe("3.12.1"), probe("3.12.1", "n<2", "n<3"), probe("3.10.0")
    assert limits_seen([without, held, older], "3.12.1") == [
        limits("n<2", passing="a", failing="b"),
        limits(passing="a", failing="b", python="3.10.0"),
    ]


def test_one_environment_for_two_findings_is_one_entry() -> None:
    front = seen(finding("w", "2.3.7", "3.0.0", "a", "b", "c"), "w<2.3.0", "w<3.0.0", passing=3)
    hidden = seen(finding("w", "2.2.3", "2.3.0", "c", held=("w<3.0.0",)), "w<2.3.0", "w<3.0.0", passing=1)
    (entry,) = working_limits([front, hidden])
    assert (entry.requirements, entry.passing, entry.tests) == (("w<2.3.0",), 3, 3)


def test_a_finding_that_only_says_that_it_was_confirmed_holds_what_was_hidden_behind_it_as_well() -> None:
    front = finding("m", "3.26.1", "4.0.0", "a", "b")
    hidden = finding("p", "7.4.4", "8.0.0", "a", "b", held=("m<4.0.0",))
    (entry,) = working_limits([front, hidden])
    assert (entry.requirements, entry.passing) == (("m<4.0.0", "p<8.0.0"), 2)


def test_an_interpreter_is_a_limit_of_its_own() -> None:
    (entry,) = working_limits([seen(finding("python", "3.11.7", "3.12.1", "a"), passing=1, python="3.11.7")])
    assert (entry.requirements, entry.python, entry.on_python) == ((), "<3.12", "3.11.7")


def test_of_two_interpreters_the_older_one_is_the_limit_of_what_passes_with_both() -> None:
    front = seen(finding("python", "3.12.1", "3.13.0", "a", "b", "c"), passing=2, python="3.12.1")
    behind = seen(finding("python", "3.8.18", "3.9.18", "c"), passing=1, python="3.8.18")
    oldest = SeenLimits(
        requirements=(), python="3.7.16", newest_python=False, passing=frozenset(("a", "b", "c"))
    )
    (entry,) = working_limits([front, behind], [oldest], newest_python="3.13.0")
    assert (entry.python, entry.passing, entry.on_python) == ("<3.9", 3, "3.7.16")
    first, second = working_limits([front, behind], newest_python="3.13.0")
    assert (first.python, first.passing, second.python) == ("<3.13", 2, "<3.9")


def test_an_interpreter_that_is_only_said_to_be_confirmed_helps_in_its_older_version() -> None:
    one = replace(finding("python", "3.11.7", "3.12.1", "a"), confirmed=("forward", "backward"))
    (entry,) = working_limits([one])
    assert (entry.python, entry.on_python) == ("<3.12", "3.11.7")


def test_a_build_has_no_tests() -> None:
    one = replace(finding("setuptools", "59.8.0", "60.0.0"), breaks="build")
    (entry,) = working_limits([one])
    assert (entry.requirements, entry.tests) == (("setuptools<60.0.0",), 0)
    one = replace(finding("python", "3.9.18", "3.10.13"), breaks="build", confirmed=("forward", "backward"))
    (entry,) = working_limits([one], newest_python="3.12.1")
    assert (entry.python, entry.on_python) == ("<3.10", "3.9.18")


def test_where_nobody_is_to_blame_nothing_is_held_back_whatever_was_seen() -> None:
    nobody = replace(finding("a", "1", "2", "t"), culprits=())
    seen = SeenLimits(requirements=("a==1",), python="3.12.1", newest_python=True, passing=frozenset("t"))
    assert working_limits([nobody], [seen]) == ()


def test_what_was_not_seen_to_help_is_left_out() -> None:
    unproven = replace(finding("a", "1", "2", "t"), confirmed=("forward",))
    useless = seen(finding("b", "1", "2", "t"), "b<2", passing=0)
    assert working_limits([unproven, useless, replace(unproven, culprits=())]) == ()


@pytest.mark.parametrize(
    ("lines", "merged"),
    [
        (("w<3.0.0", "w<2.3.0"), ("w<2.3.0",)),
        (("w<2.3.0", "w<=2.3.0"), ("w<2.3.0",)),
        (("w<2", "v>=3"), ("v>=3", "w<2")),
        (("w<2", "w>=1"), ("w<2", "w>=1")),
    ],
)
def test_of_several_upper_limits_the_lowest_counts(lines: tuple[str, ...], merged: tuple[str, ...]) -> None:
    assert strictest(lines) == merged


def test_an_interpreter_that_is_not_the_newest_is_part_of_the_limit() -> None:
    packages = seen(finding("markupsafe", "2.0.1", "2.1.0", "a", "b"), "markupsafe<2.1.0", passing=2)
    packages = replace(packages, held_back=replace(packages.held_back, python="3.9.18"))
    python = finding("python", "3.9.18", "3.10.13", "b")
    entry = working_limits([packages, python], newest_python="3.10.13")[0]
    assert (entry.requirements, entry.python, entry.on_python) == (("markupsafe<2.1.0",), "<3.10", "3.9.18")
