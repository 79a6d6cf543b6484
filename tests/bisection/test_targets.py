"""Which tests a bisection searches for."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))
from world import SKIPPED, START, World, choice, environment, from_on, versions_of

from backdate.bisection.targets import targets_of
from backdate.checking.compare import compare_runs
from backdate.checking.sides import SidePair


def pair_of(world: World, folder: Path) -> SidePair:
    """Two sides of ``world``: each release of "a" is the only thing that differs."""
    sides = []
    for pin in ("a<2", "a>=2"):
        lock = world.lock(START, (pin,), "3.10.0")
        assert lock is not None
        made = environment(choice("3.10.0"), lock, folder)
        sides.append(SimpleNamespace(environment=made, run=world.run(versions_of(lock), "3.10.0", 0)))
    old, new = sides
    comparison = compare_runs(old.run, new.run)
    project = SimpleNamespace(tree=folder)
    return SimpleNamespace(  # type: ignore[return-value]
        old=old, new=new, comparison=comparison, new_project=project, broken_tools=None
    )


def test_what_the_old_side_skips_and_the_new_one_fails_is_a_target(tmp_path: Path) -> None:
    gone = from_on("a", "2", "module a has no f")
    world = World(
        releases={"a": [("1", -10), ("2", -5)]},
        tests={
            "broke": gone,
            "skipped": lambda *known: gone(*known) or SKIPPED,
            "passes now": lambda versions, *_: SKIPPED if versions["a"] == "1" else None,
            "skipped still": lambda *_: SKIPPED,
        },
    )
    pair = pair_of(world, tmp_path)
    found = {target.tests: target.failed_before for target in targets_of(pair, ())}
    assert found == {("broke",): False, ("skipped",): True}
    assert [target.tests for target in targets_of(pair, ["broke"])] == [("broke",)]


def test_items_that_run_a_linter_are_searched_after_the_tests(tmp_path: Path) -> None:
    """Many items of one linter took the time that was there for the tests."""
    flagged = from_on("a", "2", "reformatted")
    world = World(
        releases={"a": [("1", -10), ("2", -5)]},
        tests={
            "p/a.py::BLACK": flagged,
            "p/b.py::BLACK": flagged,
            "t.py::t": from_on("a", "2", "module a has no f"),
        },
    )
    found = [target.tests for target in targets_of(pair_of(world, tmp_path), ())]
    assert found == [("t.py::t",), ("p/a.py::BLACK", "p/b.py::BLACK")]
