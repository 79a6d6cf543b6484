import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from world import END, START, World, bisect_world, choice, from_on

from backdate.bisection.points import DistributionRelease
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import ProbePoint, ProbeResult, Target
from backdate.bisection.result import Culprit, Failing
from backdate.bisection.version_moves import VersionMoves, hold_back
from backdate.environments.environment import Lock, LockedDistribution


def seen(instant, **versions: str) -> ProbeResult:
    distributions = tuple(
        LockedDistribution(name=name, version=one) for name, one in sorted(versions.items())
    )
    lock = Lock(instant=instant, python="3.10.0", distributions=distributions)
    return ProbeResult(point=ProbePoint(choice=choice("3.10.0"), instant=instant), identity="i", lock=lock)


def releases(*versions: str) -> tuple[DistributionRelease, ...]:
    return tuple(
        DistributionRelease(
            name="a",
            version=version,
            uploaded=START + timedelta(days=number),
            instants=(START + timedelta(days=number, seconds=1),),
            prerelease=False,
            yanked=False,
        )
        for number, version in enumerate(versions)
    )


GOOD = seen(START, a="1", b="1", c="1")
BAD = seen(START + timedelta(days=400), a="2", b="2", c="1")
TARGET = Target(tests=("t",), error=Failing(type="E", message=""), suspects=("z", "a"))
BACK = ProbePoint(choice=choice("3.10.0"), instant=END, constraints=("a<2", "d<9"))


def test_only_what_is_named_moves() -> None:
    between = VersionMoves(GOOD, BAD, ("d<9",))
    assert between.point({"a": "2"}) == replace(BAD.point, constraints=("a==2", "b==1", "c==1", "d<9"))
    assert between.point({"a": "1"}, frozenset({"b"})).constraints == ("a==1", "b==2", "c==1", "d<9")


def test_the_first_suspect_alone_is_foreseen_and_then_held_back() -> None:
    between = VersionMoves(GOOD, BAD, ("d<9",))
    assert between.foreseen(TARGET, {"a": releases("1", "2")}, END) == [between.point({"a": "2"}), BACK]
    # With another version between, it takes a search to tell which is held back.
    assert between.foreseen(TARGET, {"a": releases("1", "1.5", "2")}, END) == [between.point({"a": "2"})]
    assert between.foreseen(replace(TARGET, suspects=("z",)), {}, END) == []


def test_what_moved_alone_is_only_held_back() -> None:
    between = VersionMoves(GOOD, seen(START + timedelta(days=400), a="2", b="1", c="1"), ("d<9",))
    assert between.foreseen(replace(TARGET, suspects=()), {}, END) == [BACK]
    gone = VersionMoves(GOOD, seen(START + timedelta(days=400), b="1", c="1"), ())
    assert gone.foreseen(replace(TARGET, suspects=()), {}, END) == []


def test_what_is_foreseen_is_what_is_asked() -> None:
    asked: list[ProbePoint] = []
    expected: list[ProbePoint] = []

    class Noting(ProbeRunner):
        def expect(self, setups) -> None:
            noted = list(setups)
            expected.extend(noted)
            super().expect(noted)

        def _look(self, setup, *more):
            asked.append(setup)
            return super()._look(setup, *more)

    rows = [(str(number + 1), -10 + number * 20) for number in range(30)]
    world = World(releases={"a": rows, "b": rows}, tests={"t": from_on("a", "12", "gone")})
    for suspects in ((), ("a",)):
        asked.clear()
        expected.clear()
        bisect_world(world, suspects, Noting)
        # Each is expected by its own question; the points but for the first ones were before that as well.
        points = [one for one in asked if one.instant != END and one.constraints == ()]
        if suspects:
            points = [one for one in asked if any("==" in line for line in one.constraints)][1:]
        assert len(points) >= 3
        assert [expected.count(one) > 1 for one in points] == [True] * len(points)
    assert asked[-1].constraints == ("a<12",)
    assert expected.count(asked[-1]) > 1


def test_what_holds_back() -> None:
    def culprit(old, new) -> Culprit:
        return Culprit(name="a", old=old, new=new, released=None)

    assert hold_back([culprit("1", "2")]) == ("a<2",)
    assert hold_back([culprit("2", "1")]) == ("a>1",)
    assert hold_back([culprit("1", "3")], exact=False) == ("a<=1",)
    assert hold_back([culprit("3", "1")], exact=False) == ("a>=3",)
    assert hold_back([culprit(None, "1")]) == ("a<1",)
    assert hold_back([culprit("1", "2"), culprit("1", None)]) == ()
