"""Tests of scoring a run over snippets, and of its figures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from backdate.evaluation.snippets.answers import SnippetReply, SnippetRunSettings, SnippetSolver
from backdate.evaluation.snippets.running import SnippetPlan, ask_all
from backdate.evaluation.snippets.scored import BASELINE, SnippetScores, load_snippet_scores
from backdate.evaluation.snippets.scoring import SnippetScorePlan, score_snippets
from backdate.evaluation.snippets.solvers import GoldSnippets
from backdate.evaluation.snippets.summary import SnippetFigures, summarise_snippets
from backdate.evaluation.snippets.summary_text import snippet_summary_text
from backdate.models.open import open_model
from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramRun, SnippetProgram
from backdate.snippets.snippet import Harness, Snippet, SnippetAsk, SnippetSide, Validity, ValidityClass
from tests.support.scripted_model import Say, ScriptedModel
from tests.support.snippet_builders import CODE, MIGRATED, TableRunner, make_java, make_snippet, run_of

CONFIRMED = Validity(found=ValidityClass.CONFIRMED_BY_RUNNING, deterministic=True)
SNIPPETS = (
    make_snippet("easy-1", validity=CONFIRMED, reference=MIGRATED),
    make_snippet("easy-2", validity=Validity(found=ValidityClass.NONE_SEEN), code=MIGRATED),
    make_java("java-1"),
)


class Scripted:
    """Says the same of every snippet, sample by sample."""

    name = "scripted"
    deterministic = False

    def __init__(self, *replies: str) -> None:
        self._replies = replies

    def answer(self, snippet: Snippet, ask: SnippetAsk, sample: int) -> SnippetReply:
        return SnippetReply(text=self._replies[sample])


def scored(
    folder: Path,
    solver: SnippetSolver,
    *asks: SnippetAsk,
    samples: int = 1,
    snippets: tuple[Snippet, ...] = SNIPPETS,
    runner: TableRunner | None = None,
) -> SnippetScores:
    settings = SnippetRunSettings(solver=solver.name, samples=samples, asks=asks or tuple(SnippetAsk))
    ask_all(SnippetPlan(dataset="d", snippets=snippets, solver=solver, settings=settings, folder=folder))
    plan = SnippetScorePlan(folder=folder, dataset="d", snippets=snippets, runner=runner or TableRunner())
    return score_snippets(plan)


def figures(scores: SnippetScores, ask: SnippetAsk, subset: str = "all") -> SnippetFigures:
    return next(
        each for each in summarise_snippets(scores).figures if each.ask is ask and each.subset == subset
    )


def test_the_baseline_and_the_confirmed_subset_stand_beside_the_score(tmp_path: Path) -> None:
    scores = scored(tmp_path, Scripted(MIGRATED), SnippetAsk.MIGRATE)
    whole, confirmed = figures(scores, SnippetAsk.MIGRATE), figures(scores, SnippetAsk.MIGRATE, "confirmed")
    assert (whole.snippets, whole.strict.pass_at_1, whole.baseline) == (2, 1.0, 0.5)
    assert (confirmed.snippets, confirmed.strict.pass_at_1, confirmed.baseline) == (1, 1.0, 0.0)
    assert load_snippet_scores(tmp_path) == scores


def test_programs_of_answers_and_of_the_baseline_share_no_call(tmp_path: Path) -> None:
    runner = TableRunner()
    unverified = tuple(replace(snippet, expected=()) for snippet in SNIPPETS[:1])
    scored(tmp_path, Scripted(MIGRATED), SnippetAsk.MIGRATE, snippets=unverified, runner=runner)
    calls = [
        (side.version, [program.code.strip() for program in programs]) for side, programs in runner.calls
    ]
    assert calls == [("1.26", [CODE.strip()]), ("2.0", [CODE.strip()]), ("2.0", [MIGRATED.strip()])]


def test_what_has_a_score_is_not_run_again(tmp_path: Path) -> None:
    scored(tmp_path, Scripted(MIGRATED), SnippetAsk.MIGRATE)
    runner = TableRunner()
    scored(tmp_path, Scripted(MIGRATED), SnippetAsk.MIGRATE, runner=runner)
    assert runner.calls == []
    runner = TableRunner()  # another harness is another question
    changed = (replace(SNIPPETS[0], expected=SNIPPETS[0].expected[:1]), *SNIPPETS[1:])
    scored(tmp_path, Scripted(MIGRATED), SnippetAsk.MIGRATE, snippets=changed, runner=runner)
    assert len(runner.calls) == 2


def test_samples_give_pass_at_1_pass_at_5_and_any_of_k(tmp_path: Path) -> None:
    right = '{"names": ["np.asfarray"]}'
    solver = Scripted(right, "[]", "no", "", right)
    scores = scored(tmp_path, solver, SnippetAsk.LOCATE, samples=5, snippets=SNIPPETS[:1])
    found = figures(scores, SnippetAsk.LOCATE).strict
    assert found.pass_at_1 == pytest.approx(0.4)
    assert found.pass_at_5 == 1.0
    assert found.any_of_k == 1.0
    few = scored(tmp_path / "few", Scripted("[]", "[]"), SnippetAsk.LOCATE, samples=2)
    assert figures(few, SnippetAsk.LOCATE).strict.pass_at_5 is None


def test_gold_is_right_and_a_row_without_a_solution_counts_as_wrong(tmp_path: Path) -> None:
    scores = scored(tmp_path, GoldSnippets())
    assert figures(scores, SnippetAsk.LOCATE).strict.pass_at_1 == 1.0
    assert figures(scores, SnippetAsk.EXPLAIN).strict.pass_at_1 == 1.0
    assert figures(scores, SnippetAsk.MIGRATE).strict.pass_at_1 == 0.5  # the second has nothing to replace
    assert summarise_snippets(scores).labels["no-reply"] == 1


def test_a_version_that_cannot_be_had_is_judged_by_the_names_alone(tmp_path: Path) -> None:
    def gives(side: SnippetSide, program: SnippetProgram) -> ProgramRun:
        return ProgramRun(id=program.id, end=ProgramEnd.NO_ENVIRONMENT, detail="Python 3.1 cannot be had")

    runner = TableRunner(gives=gives)
    scores = scored(tmp_path, Scripted(MIGRATED), SnippetAsk.MIGRATE, runner=runner, snippets=SNIPPETS[:1])
    found = figures(scores, SnippetAsk.MIGRATE)
    assert (found.snippets, found.undecided, found.statically) == (0, 1, 1.0)
    runner = TableRunner()  # it can be had by now
    again = scored(tmp_path, Scripted(MIGRATED), SnippetAsk.MIGRATE, runner=runner, snippets=SNIPPETS[:1])
    assert figures(again, SnippetAsk.MIGRATE).strict.pass_at_1 == 1.0


def test_failures_are_counted_by_their_kind(tmp_path: Path) -> None:
    solver = Scripted(CODE, "def total(v):\n    return 1", "no code at all, sorry")
    scores = scored(tmp_path, solver, SnippetAsk.MIGRATE, samples=3, snippets=SNIPPETS[:1])
    assert figures(scores, SnippetAsk.MIGRATE).errors == {
        "call-error": 1,
        "run-error": 0,
        "wrong-answer": 1,
        "unreadable": 1,
    }
    text = snippet_summary_text(summarise_snippets(scores))
    assert "doing nothing 0.0%" in text
    assert "confirmed: 1 snippet" in text


def test_a_judge_decides_beside_the_rules_and_is_asked_again_where_it_did_not(tmp_path: Path) -> None:
    scored(tmp_path, Scripted('["np.asfarray"]'), SnippetAsk.LOCATE, snippets=SNIPPETS[:1])
    for said, decided in (("hm", 0), ('{"correct": false}', 1)):
        with ScriptedModel([Say(said)]) as server, open_model(server.endpoint()) as judge:
            plan = SnippetScorePlan(
                folder=tmp_path,
                dataset="d",
                snippets=SNIPPETS[:1],
                runner=TableRunner(),
                judge=judge,
                judge_name="model:judge",
            )
            found = figures(score_snippets(plan), SnippetAsk.LOCATE)
            assert found.judged == decided
    assert found.strict.pass_at_1 == 1.0
    assert found.judge is not None
    assert found.judge.pass_at_1 == 0.0


def test_crashes_and_odd_runs_are_wrong_answers_and_no_error(tmp_path: Path) -> None:
    def gives(side: SnippetSide, program: SnippetProgram) -> ProgramRun:
        return replace(run_of(end=ProgramEnd.CRASHED), id=program.id)

    scores = scored(tmp_path, Scripted(MIGRATED), SnippetAsk.MIGRATE, runner=TableRunner(gives=gives))
    found = figures(scores, SnippetAsk.MIGRATE)
    assert (found.strict.pass_at_1, found.baseline, found.snippets) == (0.0, 0.0, 2)
    assert sum(answer.sample == BASELINE for answer in scores.answers) == 2


def test_tests_that_were_shown_are_scored_beside_those_that_judge(tmp_path: Path) -> None:
    def gives(side: SnippetSide, program: SnippetProgram) -> ProgramRun:
        hidden = program.harness.script == "hidden"
        case = CaseOutcome(error="AssertionError") if hidden else CaseOutcome()
        return replace(run_of(case), id=program.id)

    snippet = make_snippet(
        asks=(SnippetAsk.COMPLETE,), harness=Harness(script="hidden"), visible=Harness(script="shown")
    )
    runner = TableRunner(gives=gives)
    scores = scored(tmp_path, Scripted(MIGRATED), snippets=(snippet,), runner=runner)
    found = figures(scores, SnippetAsk.COMPLETE)
    assert (found.strict.pass_at_1, found.visible) == (0.0, 1.0)
