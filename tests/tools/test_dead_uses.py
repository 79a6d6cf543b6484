"""What the environments of two days say of names that packages use: which are gone, and which have a rule."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from backdate.diagnosis.api import Member
from backdate.serial import to_json

TOOLS = str(Path(__file__).parents[2] / "tools")
sys.path.insert(0, TOOLS)
try:
    from dead_uses import AskedDistribution, CountedUse, DrawnUses, by_distribution, dead_uses, page
finally:
    sys.path.remove(TOOLS)


def function(name: str, *keywords: str) -> Member:
    return Member(name=name, present=True, kind="function", keywords=keywords, takes_any=False)


def gone(name: str) -> Member:
    return Member(name=name, present=False)


def used(packages: int, **keywords: int) -> CountedUse:
    return CountedUse(packages=packages, keywords=keywords)


DRAWN = DrawnUses(
    seed="s",
    months=("2018-06", "2021-12"),
    read=("a", "b"),
    dropped=1,
    names={
        "numpy": used(9),
        "numpy.product": used(3),
        "numpy.own": used(2),
        "numpy.own.inside": used(2),
        "numpy.kept": used(2, old=2, same=1),
        "numpy.distutils.core": used(1),
        "os.path.join": used(9),
    },
)
OLD = (
    Member(name="numpy", present=True, kind="module"),
    function("numpy.product"),
    function("numpy.own"),
    function("numpy.own.inside"),
    function("numpy.kept", "old", "same"),
    function("numpy.distutils.core"),
)
NEW = (
    OLD[0],
    gone("numpy.product"),
    gone("numpy.own"),
    gone("numpy.own.inside"),
    function("numpy.kept", "same"),
    gone("numpy.distutils.core"),
)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    asked = AskedDistribution(
        distribution="numpy", old_version="1.18.1", new_version="2.3.2", old=OLD, new=NEW
    )
    dead = AskedDistribution(distribution="dead", old=(OLD[1],), new=(NEW[1],))
    (tmp_path / "numpy.json").write_bytes(to_json(asked))
    (tmp_path / "dead.json").write_bytes(to_json(dead))
    return tmp_path


def test_what_is_gone_is_told_with_its_rule(results: Path) -> None:
    found = {one.shown: (one.packages, one.rule) for one in dead_uses(DRAWN, results)}
    assert found == {
        "numpy.product": (3, "numpy:numpy.product"),
        "numpy.own.inside": (2, ""),  # the innermost that is used
        "numpy.kept(old=)": (2, ""),
    }


def test_names_are_told_apart_by_who_has_them() -> None:
    assert {name: len(names) for name, names in by_distribution(DRAWN, 2).items()} == {
        "numpy": 5,
        "python": 1,
    }


def test_the_page_counts_names_and_uses(results: Path) -> None:
    text = page(DRAWN, sorted(dead_uses(DRAWN, results), key=lambda one: one.shown), "A note.")
    assert "**3 names and arguments are gone, 1 (33 %) have a rule; of their 7 uses" in text
    assert "| numpy | 3 | 1 | 7 | 3 |" in text
    assert "- 2: `numpy.kept(old=)` (numpy)" in text
    assert "A note." in text
