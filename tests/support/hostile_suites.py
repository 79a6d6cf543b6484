"""Suites that import hostile code: the same failing tests for every runner."""

from __future__ import annotations

import ast
import hashlib
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


BY_REASON = {
    IntegrityReason.FOREIGN_EVENTS: Mechanism.EVENTS,
    IntegrityReason.EVENTS_REMOVED: Mechanism.EVENTS,
    IntegrityReason.EVENTS_REPEATED: Mechanism.EVENTS,
    IntegrityReason.CANARY_WRONG: Mechanism.CANARIES,
    IntegrityReason.CANARY_SKIRTED: Mechanism.CANARIES,
    IntegrityReason.BODY_NOT_RUN: Mechanism.WITNESS,
    IntegrityReason.BODY_LEFT_BY_EXCEPTION: Mechanism.WITNESS,
}

SQUARES = range(3, 9)
MORE = range(9, 12)
INSIDE = range(12, 15)
NAMES = (
    "test_area",
    "test_name",
    *(f"test_square_{side}" for side in SQUARES),
    *(f"test_more_{side}" for side in MORE),
    *(f"test_inside_{side}" for side in INSIDE),
)
"""The tests, the same for every runner."""
FILE = "test_shapes.py"
_FIRST = "import unittest\nimport shapes\n"
BROKEN = '\n\ndef area(side):\n    return side + side + 1\n\n\nNAME = "circle"\n'
SOLVED = BROKEN.replace("side + side + 1", "side * side").replace("circle", "square")


def hostile_files(attack: str, runner: str, product: str = BROKEN) -> dict[str, str]:
    """The tree: what is tested begins with the code of ``attack``; ``ids`` is what an attacker has noted."""
    suite = _functions() if runner == "pytest" else _cases()
    ids = identities(runner)
    nodes = {node.name: node for node in ast.walk(ast.parse(suite)) if isinstance(node, ast.FunctionDef)}
    notes = {
        "IDS": ids,
        "LINES": {identity: nodes[name].lineno for identity, name in zip(ids, NAMES, strict=True)},
        "TREES": [ast.dump(node) for node in nodes.values()],
        "DIGEST": hashlib.sha256(suite.encode()).hexdigest(),
    }
    return {
        "shapes.py": attack + product,
        "ids.py": "".join(f"{name} = {value!r}\n" for name, value in notes.items()),
        "test_first.py": _FIRST,
        FILE: suite,
    }


def identities(runner: str) -> list[str]:
    """The ids of the tests."""
    before = {
        "pytest": "test_shapes.py::",
        "pytest-cases": "test_shapes.py::Shapes::",
        "unittest": "test_shapes.Shapes.",
    }
    return [before[runner] + name for name in NAMES]


def _functions() -> str:
    bodies = [
        "    assert shapes.area(2) == 4\n",
        '    assert shapes.NAME == "square"\n',
        *(f"    side = {side}\n    assert shapes.area(side) == {side * side}\n" for side in SQUARES),
        *(f"    assert shapes.area({side}) > {side * side - 1}\n" for side in MORE),
        *(
            f"    with open(__file__):\n        assert shapes.area({side}) == {side * side}\n"
            for side in INSIDE
        ),
    ]
    tests = (f"def {name}():\n{body}" for name, body in zip(NAMES, bodies, strict=True))
    return "import shapes\n\n\n" + "\n\n".join(tests)


def _cases() -> str:
    bodies = [
        "        self.assertEqual(shapes.area(2), 4)\n",
        '        self.assertEqual(shapes.NAME, "square")\n',
        *(f"        self.assertEqual({side * side}, shapes.area({side}))\n" for side in SQUARES),
        *(f"        self.assertGreater(shapes.area({side}), {side * side - 1})\n" for side in MORE),
        *(
            "        with open(__file__):\n"
            f"            self.assertEqual(shapes.area({side}), {side * side})\n"
            for side in INSIDE
        ),
    ]
    tests = (f"    def {name}(self):\n{body}" for name, body in zip(NAMES, bodies, strict=True))
    return "import unittest\nimport shapes\n\n\nclass Shapes(unittest.TestCase):\n" + "\n".join(tests)


@dataclass(frozen=True, slots=True, kw_only=True)
class HostileRun:
    """What came of a suite."""

    run: SuiteRun
    outcomes: dict[str, Outcome]
    """Of the tests of the suite."""

    @property
    def caught_by(self) -> set[Mechanism]:
        return {BY_REASON[reason] for reason in self.run.integrity.reasons if reason.is_forgery}


def run_hostile(
    run_suite_of: RunSuite, attack: str, runner: str, *, guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> HostileRun:
    """Run the suite with the code of ``attack`` in what it tests; not ``guarded``: as it was before."""
    ids, files = identities(runner), hostile_files(attack, runner)
    with monkeypatch.context() as patch:
        if not guarded:
            patch.setattr("backdate.testing.run.new_secret", lambda: None)
        run = run_suite_of(files, runner.partition("-")[0], witness=guarded)
    by_id = {result.id: result.outcome for result in run.results}
    return HostileRun(run=run, outcomes={one: by_id.get(one, Outcome.NOT_COLLECTED) for one in ids})
