"""Bisections of a build, in a world where nothing is really built."""

import sys
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.version import Version
from world import END, START, choice, environment, python

from backdate.bisection.build_trials import BuildTrials, named_in
from backdate.bisection.builds_axis import attribute_build
from backdate.bisection.builds_search import BuildSearch, tools_of
from backdate.bisection.points import DistributionRelease
from backdate.bisection.probe_builder import ProbeFailure
from backdate.bisection.result import Finding
from backdate.bisection.search import MOST_BUILDS, ProbeStatus
from backdate.environments.environment import Environment, Lock, LockedDistribution
from backdate.environments.inputs import EnvironmentRequest
from backdate.progress import NO_PROGRESS
from backdate.recipes.repair.telling import telling_lines

BOTH = ("forward", "backward")
NO_FEATURE = "does not install: error: in setup command: use_2to3 is invalid."
Rows = Mapping[str, Sequence[tuple[str, int]]]
Why = Callable[[Mapping[str, str], str], str]
"""From everything that is taken, tools included, and an interpreter to a failure, or an empty text."""


class World:
    """Stands for ``ProbeBuilder``: it takes the newest release of everything that cuts and limits allow."""

    def __init__(self, rows: Rows, why: Why, tools: tuple[str, ...] = ("setuptools",)) -> None:
        self.rows, self.why, self.tools = rows, why, tools
        self.builds = 0

    def taken(self, request: EnvironmentRequest) -> dict[str, str]:
        later = {one.name: one.until for one in request.extra_cutoff_overrides}
        limits = [Requirement(line) for line in (*request.constraints, *request.build_constraints)]
        found = {}
        for name, rows in self.rows.items():
            there = [
                version
                for version, day in rows
                if START + timedelta(days=day) < later.get(name, request.instant)
                and all(limit.specifier.contains(version) for limit in limits if limit.name == name)
            ]
            found[name] = max(there, key=Version)
        return found

    def resolve(self, request: EnvironmentRequest, *, older_tools: bool) -> Lock | ProbeFailure:
        assert not older_tools
        why = self.why(self.taken(request), request.choice.interpreter.version)
        return failed(why) if why.startswith("does not resolve") else self.lock(request)

    def lock(self, request: EnvironmentRequest) -> Lock:
        taken = self.taken(request)
        return Lock(
            instant=request.instant,
            python=request.choice.interpreter.version,
            distributions=tuple(
                LockedDistribution(name=name, version=taken[name]) for name in taken if name not in self.tools
            ),
        )

    def build(self, request: EnvironmentRequest, *, older_tools: bool) -> Environment | ProbeFailure:
        assert not older_tools
        self.builds += 1
        why = self.why(self.taken(request), request.choice.interpreter.version)
        return failed(why) if why else environment(request.choice, self.lock(request))


def failed(text: str) -> ProbeFailure:
    phase, _, message = text.removeprefix("does not ").partition(": ")
    return ProbeFailure(phase=phase, message=message)  # type: ignore[arg-type]


def request(version: str, instant: datetime) -> EnvironmentRequest:
    return EnvironmentRequest(
        name="p", tree=Path("/t"), digest="d" * 64, steps=(), choice=choice(version), instant=instant
    )


def search(
    rows: Rows, why: Why, *, pythons: tuple[str, str] = ("3.10.0", "3.10.0"), others: tuple[str, ...] = ()
) -> tuple[Finding, World]:
    world = World(rows, why)
    newest = request(pythons[1], END)
    failure = failed(why(world.taken(newest), pythons[1]))
    releases = {name: tuple(release(name, *row) for row in each) for name, each in rows.items()}
    finding = attribute_build(
        BuildSearch(
            trials=BuildTrials(world, newest, failure, NO_PROGRESS),  # type: ignore[arg-type]
            old=choice(pythons[0]),
            new=choice(pythons[1]),
            available=[python(one) for one in (*pythons, *others)],
            start=START,
            end=END,
            failure=failure,
            releases=releases,
            ranged=tuple(sorted(rows)),
        )
    )
    assert len(finding.probes) <= MOST_BUILDS
    return finding, world


def release(name: str, version: str, day: int) -> DistributionRelease:
    uploaded = START + timedelta(days=day)
    return DistributionRelease(
        name=name,
        version=version,
        uploaded=uploaded,
        instants=(uploaded + timedelta(seconds=1),),
        prerelease=False,
        yanked=False,
    )


def rows(count: int, every: int) -> list[tuple[str, int]]:
    return [(str(number + 1), -10 + number * every) for number in range(count)]


def since(name: str, version: int, message: str = NO_FEATURE) -> Why:
    return lambda taken, _: message if Version(taken[name]) >= Version(str(version)) else ""


def moves(finding: Finding) -> list[tuple[str, str | None, str | None]]:
    return [(one.name, one.old, one.new) for one in finding.culprits]


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 24), st.sampled_from(["setuptools", "a"]))
def test_the_release_since_which_it_does_not_build_is_found(guilty: int, name: str) -> None:
    finding, _ = search(
        {"a": rows(24, 40), "setuptools": rows(24, 41), "b": rows(9, 100)}, since(name, guilty)
    )
    assert moves(finding) == [(name, str(guilty - 1), str(guilty))]
    assert (finding.breaks, finding.axis, finding.tests, finding.confirmed) == ("build", "packages", (), BOTH)
    assert "use_2to3 is invalid" in finding.error.message
    assert finding.error.type == "does not install"
    assert finding.culprits[0].released is not None


def test_what_does_not_resolve_is_searched_as_well() -> None:
    why = since("a", 5, "does not resolve: because p requires a<5 and a==5, it is unsatisfiable")
    finding, world = search({"a": rows(10, 90), "setuptools": rows(5, 50)}, why)
    assert moves(finding) == [("a", "4", "5")]
    assert finding.confirmed == BOTH
    assert world.builds < len(finding.probes)


def test_trials_that_fail_for_another_reason_are_gone_around() -> None:
    def why(taken: Mapping[str, str], version: str) -> str:
        if taken["b"] in ("5", "6"):
            return "does not install: fatal error: x.h: No such file or directory"
        return since("setuptools", 9)(taken, version)

    finding, _ = search({"setuptools": rows(20, 45), "b": rows(12, 80)}, why)
    assert moves(finding) == [("setuptools", "8", "9")]
    assert any(probe.status is ProbeStatus.SKIP for probe in finding.probes)


def test_an_interpreter_that_does_not_build_the_same_packages_is_the_culprit() -> None:
    def why(taken: Mapping[str, str], version: str) -> str:
        gone = Version(version) >= Version("3.12")
        return "does not install: ModuleNotFoundError: No module named 'distutils'" if gone else ""

    finding, _ = search({"a": rows(9, 90)}, why, pythons=("3.9.1", "3.13.0"), others=("3.11.2", "3.12.1"))
    assert (finding.axis, moves(finding), finding.confirmed) == (
        "interpreter",
        [("python", "3.11.2", "3.12.1")],
        BOTH,
    )


def test_a_project_that_its_pins_alone_kept_building_has_no_culprit() -> None:
    finding, _ = search({"a": rows(3, 90)}, lambda *_: NO_FEATURE)
    assert (finding.culprits, finding.axis) == ((), "unknown")
    assert "without the project's own pins" in finding.notes[0]


def test_two_that_break_the_build_only_together_are_both_named() -> None:
    def why(taken: Mapping[str, str], _: str) -> str:
        return NO_FEATURE if (taken["a"], taken["setuptools"]) == ("2", "2") else ""

    finding, _ = search({name: [("1", -5), ("2", 400)] for name in ("a", "setuptools", "c")}, why)
    assert moves(finding) == [("a", "1", "2"), ("setuptools", "1", "2")]


@given(st.text(max_size=300))
def test_reading_a_log_never_fails(text: str) -> None:
    lines = telling_lines(f"does not install: {text}")
    assert lines
    assert set(named_in(text, ("a", "setuptools"))) <= {"a", "setuptools"}


def test_the_log_is_quoted_where_it_says_why() -> None:
    log = "does not install: error: Failed\n  File \"x\"\nModuleNotFoundError: No module named 'imp'\n[end]"
    assert telling_lines(log)[0] == "ModuleNotFoundError: No module named 'imp'"
    assert named_in("error: typing_extensions 4.0 and numpydoc", ("numpy", "typing-extensions")) == (
        "typing-extensions",
    )


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ('[build-system]\nrequires = ["poetry_core>=1", "Cython", ">", 3]\n', {"poetry-core"}),
        ("build-system = 3\n", set()),
        ('[build-system]\nrequires = "x"\n', set()),
        ("not toml [", set()),
    ],
)
def test_the_tools_of_a_build_are_read_from_whatever_stands_there(
    tmp_path: Path, text: str, more: set[str]
) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    assert set(tools_of(tmp_path)) == {"cython", "numpy", "setuptools", "wheel"} | more
