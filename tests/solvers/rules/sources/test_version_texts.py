"""Versions of Python that are compared as texts."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.restructuring import RestructuringSource


def moved_from(text: str, old: str = "3.7.1", new: str = "3.12.1") -> FixEvidence:
    return evidence_of({"a.py": text}, executed={"a.py": frozenset({1})}, versions={"python": (old, new)})


def mended(condition: str, **versions: str) -> str | None:
    evidence = moved_from(f"import platform, sys\nif {condition}:\n    import a\n", **versions)
    groups = foreseen_groups(evidence)
    if not groups:
        return None
    (proposal,) = RestructuringSource().propose(groups[0], evidence)
    return proposal.file_edits[0].text.split("\n")[1].removeprefix("if ").removesuffix(":")


@pytest.mark.parametrize(
    ("condition", "after"),
    [
        ("sys.version < '3.3'", "sys.version_info < (3, 3)"),
        ('sys.version >= "3.6.1"', "sys.version_info >= (3, 6, 1)"),
        ("'3.5' <= sys.version", "sys.version_info >= (3, 5)"),
        ("sys.version[:3] >= '3.6' and x", "sys.version_info[:2] >= (3, 6) and x"),
        ("float(sys.version[:3]) > 3.4", "sys.version_info[:2] > (3, 4)"),
        ("platform.python_version() < '3.8'", "sys.version_info < (3, 8)"),
        ("sys.version.split()[0] >= '3.7.0'", "sys.version_info >= (3, 7, 0)"),
    ],
)
def test_numbers_are_compared(condition: str, after: str) -> None:
    assert mended(condition) == after


@pytest.mark.parametrize(
    "condition",
    [
        "sys.version < '3'",
        "sys.version_info < (3, 3)",
        "sys.version[0] == '3'",
        "sys.version[:3] == '3.6'",
        "sys.version > '2.7'",
        "sys.version < lowest",
        "sys.version < '3.x'",
        "float(sys.version[:3]) >= 3",
        "library.version < '3.3'",
    ],
)
def test_what_says_the_same_is_left_alone(condition: str) -> None:
    assert mended(condition) is None


def test_only_a_move_to_two_digits_counts() -> None:
    assert mended("sys.version < '3.3'", old="3.10.1") is None
    assert mended("sys.version < '3.3'", new="3.9.1") is None
    assert foreseen_groups(moved_from("if sys.version < '3.3':\n    pass\n")) == ()
