from __future__ import annotations

import pytest
from score_builders import make_run, make_score

from backdate.evaluation.scores import Flag, FlagKind, ScoreOutcome
from backdate.evaluation.summary import (
    END,
    NO_TOOL,
    START,
    Transition,
    summarise,
    summarise_model,
)
from backdate.evaluation.summary_text import summary_text
from backdate.solvers.records import SolverUsage

FAILED = ScoreOutcome.TESTS_FAILED
FACTS = {
    "a": {"difficulty": "easy", "related_libraries": ("numpy", "pandas")},
    "b": {"difficulty": "easy", "related_libraries": ("numpy",)},
    "c": {"difficulty": "hard", "related_libraries": ()},
}


def scores(**more):
    """Two of three solved, with precisions 1 and one half; the third is precise and fails."""
    return (
        make_score("a", precision=1.0, calls=3, calls_made=3, tests=1, **more),
        make_score("b", precision=0.5, calls=6, calls_made=6, tests=2, **more),
        make_score("c", FAILED, precision=0.9, calls=10, calls_made=10, tests=10, **more),
    )


def test_the_figures_of_a_run_by_hand() -> None:
    found = summarise_model([make_run(*scores(), facts=FACTS, most_calls=10, most_tests=10)])
    assert found.pass_at_1.value == pytest.approx(2 / 3)
    assert found.pass_at_1.low <= 2 / 3 <= found.pass_at_1.high
    assert found.prec_at_1.value == pytest.approx((1 + 0.5 + 0) / 3)
    assert found.prec_at_1_as_released == pytest.approx((1 + 0.5 + 0.9) / 3)
    assert found.curve == tuple([0] * 3 + [1 / 3] * 3 + [2 / 3] * 5)
    easy, hard = found.by_difficulty
    assert (easy.name, easy.tasks, easy.solved, easy.pass_at_1, easy.prec_at_1) == ("easy", 2, 2, 1.0, 0.75)
    assert (hard.name, hard.pass_at_1, hard.prec_at_1) == ("hard", 0.0, 0.0)
    assert [(one.name, one.tasks) for one in found.by_library] == [("numpy", 2), ("pandas", 1)]
    assert found.calls == pytest.approx(19 / 3)
    assert found.tests == pytest.approx(13 / 3)


def test_samples_of_one_model_are_pass_at_k() -> None:
    first = make_run(make_score("a"), make_score("b", FAILED), sample=0)
    second = make_run(make_score("a"), make_score("b"), sample=1)
    third = make_run(make_score("a", FAILED), make_score("b", FAILED), sample=2)
    (found,) = summarise([first, second, third]).models
    assert (found.samples, found.tasks, found.scored) == (3, 2, 6)
    assert found.pass_at_1.value == pytest.approx(0.5)
    # of three, two solve a and one solves b: 1 - C(1,2)/C(3,2) = 1, and 1 - C(2,2)/C(3,2) = 2/3
    assert found.pass_at_k == pytest.approx({"1": 0.5, "2": (1 + 2 / 3) / 2, "3": 1.0})
    assert found.by_difficulty[0].solved == pytest.approx(1.0)


def test_a_flag_changes_a_score_only_when_asked() -> None:
    flag = Flag(kind=FlagKind.DUMMY, detail="x")
    run = make_run(
        make_score("a", flags=(flag, flag)), make_score("b"), make_score("c", FAILED, flags=(flag,))
    )
    (plain,), (strict,) = summarise([run]).models, summarise([run], strict=True).models
    assert plain.pass_at_1.value == pytest.approx(2 / 3)
    assert strict.pass_at_1.value == pytest.approx(1 / 3)
    assert (plain.flagged, plain.flags) == (1, {"dummy-under-import-error": 1})


def test_what_is_unknown_of_the_cost_stays_unknown() -> None:
    known = SolverUsage(requests=2, input_tokens=10, cached_tokens=0, output_tokens=4, cost_usd=0.5)
    both = summarise_model([make_run(make_score("a", usage=known), make_score("b", usage=known))])
    assert both.usage == SolverUsage(
        requests=4, input_tokens=20, cached_tokens=0, output_tokens=8, cost_usd=1.0
    )
    unpriced = SolverUsage(requests=1, input_tokens=5, output_tokens=1)
    part = summarise_model([make_run(make_score("a", usage=known), make_score("b", usage=unpriced))])
    assert part.usage == SolverUsage(
        requests=3, input_tokens=15, cached_tokens=None, output_tokens=5, cost_usd=None
    )
    assert summarise_model([make_run(make_score("a"))]).usage is None


def test_tools_and_what_follows_what() -> None:
    run = make_run(
        make_score("a", sequence=("view_file", "view_file", "execute_tests")), make_score("b", sequence=("",))
    )
    found = summarise_model([run])
    assert found.tools == {"view_file": 2, "execute_tests": 1, NO_TOOL: 1}
    assert set(found.transitions) == {
        Transition(before=START, after="view_file", count=1),
        Transition(before="view_file", after="view_file", count=1),
        Transition(before="view_file", after="execute_tests", count=1),
        Transition(before="execute_tests", after=END, count=1),
        Transition(before=START, after=NO_TOOL, count=1),
        Transition(before=NO_TOOL, after=END, count=1),
    }


def test_the_best_stands_first_and_nothing_known_is_said_so() -> None:
    good, bad = make_run(make_score("a"), model="good"), make_run(make_score("a", FAILED), model="bad")
    assert [one.model for one in summarise([bad, good]).models] == ["good", "bad"]
    empty = summarise_model([make_run()])
    assert (empty.tasks, empty.pass_at_1.value, empty.prec_at_1, empty.curve, empty.calls) == (
        0,
        0,
        None,
        (),
        None,
    )


def test_the_text_names_what_was_not_scored() -> None:
    run = make_run(*scores(), facts=FACTS, unknown=("ghost-1",), problems=("line 3: it is not JSON",))
    text = summary_text(run)
    assert "pass@1          66.7%" in text
    assert "unknown-task: ghost-1" in text
    assert "not a prediction: line 3" in text
