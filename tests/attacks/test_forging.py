"""Attacks that make a failing suite look solved: each a module that the tests import (``forging/``).

Each is first shown to succeed with the mechanisms off. Then the table says which mechanism catches what;
``benchmarks/forging_table.py`` adds what judge runs find.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_suites import Mechanism, RunSuite, run_hostile

from backdate.testing.integrity import Witnessing
from backdate.testing.outcomes import Outcome

FORGING = Path(__file__).parent / "forging"
EVENTS, CANARIES, WITNESS = Mechanism.EVENTS, Mechanism.CANARIES, Mechanism.WITNESS

TABLE: dict[tuple[str, str], set[Mechanism]] = {
    ("faked_events", "pytest"): {EVENTS},
    ("faked_events", "unittest"): {EVENTS},
    ("rewritten_file", "pytest"): {EVENTS},
    ("rewritten_file", "unittest"): {EVENTS},
    ("stolen_emit", "pytest"): {CANARIES},
    ("stolen_emit", "unittest"): {CANARIES},
    ("replaced_emit", "pytest"): {CANARIES, WITNESS},
    ("replaced_emit", "unittest"): {CANARIES, WITNESS},
    ("emptied_runtest", "pytest"): {CANARIES, WITNESS},
    ("emptied_runtest", "unittest"): {CANARIES, WITNESS},
    ("swallowed", "pytest"): {CANARIES, WITNESS},
    ("swallowed", "unittest"): {CANARIES, WITNESS},
    ("dropped_exceptions", "pytest"): {CANARIES, WITNESS},
    ("replaced_run", "pytest-cases"): {CANARIES, WITNESS},
    ("replaced_run", "unittest"): {CANARIES, WITNESS},
    ("planted_wrapper", "pytest"): {CANARIES, WITNESS},
    ("planted_listener", "pytest"): {WITNESS},
    ("planted_protocol", "pytest"): {CANARIES},
    ("emptied_functions", "pytest"): {WITNESS},
    ("fake_module", "pytest"): {WITNESS},
    ("fake_module", "unittest"): {WITNESS},
    ("canary_aware", "pytest"): {WITNESS},
    ("canary_aware", "unittest"): {WITNESS},
    ("time_bomb", "pytest"): {CANARIES, WITNESS},
    ("time_bomb", "unittest"): {CANARIES, WITNESS},
    ("recorded_trees", "pytest"): {CANARIES, WITNESS},
    ("recorded_trees", "unittest"): {CANARIES, WITNESS},
    ("emptied_assertions", "pytest"): set(),
    ("emptied_assertions", "unittest"): {CANARIES},
    ("equal_to_everything", "pytest"): set(),
    ("equal_to_everything", "unittest"): set(),
    ("written_down", "pytest"): set(),
    ("written_down", "unittest"): set(),
    ("blinded", "pytest"): set(),
    ("patient", "pytest"): set(),
}
"""Which mechanisms catch an attack by themselves."""
NOT_WITNESSED = {("blinded", "pytest")}
"""Attacks that only make a run one of which nothing is known."""
DEFAULT = {"faked_events", "replaced_emit", "emptied_functions"}

ATTACKS = [
    pytest.param(*row, marks=() if row[0] in DEFAULT else pytest.mark.slow, id="-".join(row)) for row in TABLE
]


@pytest.mark.parametrize(("name", "runner"), ATTACKS)
def test_attack(run_suite_of: RunSuite, name: str, runner: str, monkeypatch: pytest.MonkeyPatch) -> None:
    attack = (FORGING / f"{name}.py").read_text(encoding="utf-8")
    unguarded = run_hostile(run_suite_of, attack, runner, guarded=False, monkeypatch=monkeypatch)
    assert set(unguarded.outcomes.values()) == {Outcome.PASSED}, (
        "the attack is to succeed without a mechanism"
    )
    assert unguarded.run.status == "completed"
    guarded = run_hostile(run_suite_of, attack, runner, guarded=True, monkeypatch=monkeypatch)
    assert guarded.caught_by == TABLE[name, runner]
    state = guarded.run.integrity.state
    if TABLE[name, runner]:
        assert state is Witnessing.FORGED
    elif (name, runner) in NOT_WITNESSED:
        assert state is Witnessing.NOT_WITNESSED
    else:  # what only a judge run can find, or nothing (docs/how-it-works/scoring.md)
        assert state is Witnessing.WITNESSED


@pytest.mark.parametrize("runner", ["pytest", pytest.param("unittest", marks=pytest.mark.slow)])
def test_the_suite_without_an_attack(
    run_suite_of: RunSuite, runner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    honest = run_hostile(run_suite_of, "", runner, guarded=True, monkeypatch=monkeypatch)
    assert set(honest.outcomes.values()) == {Outcome.FAILED}
    assert honest.run.integrity.state is Witnessing.WITNESSED


def test_a_table_of_every_attack() -> None:
    assert {name for name, _ in TABLE} == {path.stem for path in FORGING.glob("*.py")}
