"""Suites that import hostile code: the same two failing tests for every runner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

import pytest

from backdate.testing.integrity import IntegrityReason
from backdate.testing.outcomes import Outcome, SuiteRun

RunSuite = Callable[..., SuiteRun]


class Mechanism(StrEnum):
    """What finds a forgery."""

    EVENTS = "events"
    CANARIES = "canaries"
    WITNESS = "witness"


_BY_REASON = {
    IntegrityReason.FOREIGN_EVENTS: Mechanism.EVENTS,
    IntegrityReason.EVENTS_REMOVED: Mechanism.EVENTS,
    IntegrityReason.EVENTS_REPEATED: Mechanism.EVENTS,
    IntegrityReason.CANARY_WRONG: Mechanism.CANARIES,
    IntegrityReason.CANARY_SKIRTED: Mechanism.CANARIES,
    IntegrityReason.BODY_NOT_RUN: Mechanism.WITNESS,
    IntegrityReason.BODY_LEFT_BY_EXCEPTION: Mechanism.WITNESS,
}

_FUNCTIONS = """
import shapes


def test_area():
    assert shapes.area(2) == 4

def test_name():
    assert shapes.NAME == "square"
"""
_CASES = """
import unittest
import shapes

class Shapes(unittest.TestCase):
    def test_area(self):
        self.assertEqual(shapes.area(2), 4)

    def test_name(self):
        self.assertEqual(shapes.NAME, "square")
"""
_FIRST = "import unittest\nimport shapes\n"
_IDS = {
    "pytest": ["test_shapes.py::test_area", "test_shapes.py::test_name"],
    "pytest-cases": ["test_shapes.py::Shapes::test_area", "test_shapes.py::Shapes::test_name"],
    "unittest": ["test_shapes.Shapes.test_area", "test_shapes.Shapes.test_name"],
}
_PRODUCT = '\n\ndef area(side):\n    return side + side + 1\n\n\nNAME = "circle"\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileRun:
    """What came of a suite."""

    run: SuiteRun
    outcomes: dict[str, Outcome]
    """Of the two tests."""

    @property
    def caught_by(self) -> set[Mechanism]:
        return {_BY_REASON[reason] for reason in self.run.integrity.reasons if reason.is_forgery}


def run_hostile(
    run_suite_of: RunSuite, attack: str, runner: str, *, guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> HostileRun:
    """Run the suite with the code of ``attack`` in what it tests; not ``guarded``: as it was before."""
    ids = _IDS[runner]
    files = {
        "shapes.py": attack + _PRODUCT,
        "ids.py": f"IDS = {ids!r}\n",
        "test_first.py": _FIRST,
        "test_shapes.py": _FUNCTIONS if runner == "pytest" else _CASES,
    }
    with monkeypatch.context() as patch:
        if not guarded:
            patch.setattr("backdate.testing.run.new_secret", lambda: None)
        run = run_suite_of(files, runner.partition("-")[0], witness=guarded)
    by_id = {result.id: result.outcome for result in run.results}
    return HostileRun(run=run, outcomes={one: by_id.get(one, Outcome.NOT_COLLECTED) for one in ids})
