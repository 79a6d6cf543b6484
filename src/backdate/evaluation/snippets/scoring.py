"""Scores the answers of a run over snippets: words by the row, code by running it in the target.

Beside the answers the do-nothing baseline is scored by the same rules. Who passes tests that assert is judged
by such tests changed in secret (``judging.py``). Programs of answers, of the baseline
and of origins never share a process.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from backdate.evaluation.run_folder import alone_in
from backdate.evaluation.snippets.answers import SnippetReply, SnippetRunInfo
from backdate.evaluation.snippets.judging import PassedTests, judge_passes, judged
from backdate.evaluation.snippets.run_folder import load_answers, load_snippet_run
from backdate.evaluation.snippets.scored import (
    BASELINE,
    ScoredAnswer,
    SnippetScores,
    SnippetTraits,
    write_snippet_scores,
)
from backdate.evaluation.snippets.solvers import NullSnippets
from backdate.models.interface import Model
from backdate.progress import NO_PROGRESS, Activity, Reporter
from backdate.serial import digest
from backdate.snippets.direction import direction_of
from backdate.snippets.line_file import LineFile
from backdate.snippets.questions.answer import AnswerLabel, CodeAnswer
from backdate.snippets.questions.code import CODE_ASKS, harness_of, program_of, score_code, visible_program
from backdate.snippets.questions.explain import score_explain
from backdate.snippets.questions.judge import JUDGED_ASKS, judge_answer
from backdate.snippets.questions.locate import score_locate
from backdate.snippets.questions.read_code import read_code
from backdate.snippets.questions.read_text import read_explain, read_locate
from backdate.snippets.questions.same_outcome import raises_nothing
from backdate.snippets.questions.score import AnswerScore
from backdate.snippets.runs import CaseOutcome, ProgramRun, ProgramRunner, SnippetProgram
from backdate.snippets.snippet import Snippet, SnippetAsk, SnippetSide
from backdate.version import __version__

_RULES_VERSION = 3
"""Of the rules of ``snippets/questions``: scores by older ones are made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetScorePlan:
    """What is to be scored."""

    folder: Path
    dataset: str
    snippets: Sequence[Snippet]
    runner: ProgramRunner
    judge: Model | None = None
    judge_name: str = ""
    secret: str = ""
    """Of this user's cache: scores that the folder says were made without it are made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """One answer on its way."""

    snippet: Snippet
    ask: SnippetAsk
    sample: int
    reply: SnippetReply
    key: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Running:
    """An answer whose programs run."""

    item: _Item
    answer: CodeAnswer
    program: str
    """Key of the program that judges it."""
    visible: str
    """Key of that with the tests that were shown; empty without one."""

    def is_in(self, runs: Mapping[str, ProgramRun]) -> bool:
        """Whether all of its programs have run."""
        return self.program in runs and (not self.visible or self.visible in runs)


def score_snippets(plan: SnippetScorePlan, progress: Reporter = NO_PROGRESS) -> SnippetScores:
    """Score what has no score yet, and write them all. Raises UsageError, StoredDataError, MachineError."""
    with alone_in(plan.folder):
        info = load_snippet_run(plan.folder)
        items = _items(plan, info)
        kept = LineFile(plan.folder / "scores.jsonl", ScoredAnswer)
        known = {(scored.place, scored.key): scored for scored in kept.read()}
        left = [item for item in items if ((item.snippet.id, item.ask, item.sample), item.key) not in known]
        for number, (scored, is_final) in enumerate(_scored(plan, left), start=1):
            progress.report(Activity(text=f"{number} of {len(left)} answers scored: {scored.snippet}"))
            known[scored.place, scored.key] = scored
            if is_final:
                kept.append(scored)
        answers = tuple(known[(item.snippet.id, item.ask, item.sample), item.key] for item in items)
        scores = SnippetScores(
            model=info.settings.solver,
            dataset=info.dataset,
            dataset_digest=info.dataset_digest,
            judge=plan.judge_name,
            samples=info.settings.samples,
            asks=info.settings.asks,
            snippets=tuple(traits_of(snippet) for snippet in _asked(plan, info)),
            answers=answers,
            scored=datetime.now(UTC),
            backdate=__version__,
        )
        write_snippet_scores(plan.folder, scores)
    return scores


def traits_of(snippet: Snippet) -> SnippetTraits:
    """What figures are parted by."""
    validity = snippet.validity
    return SnippetTraits(
        id=snippet.id,
        collection=snippet.collection,
        language=snippet.language,
        direction=direction_of(snippet),
        library=snippet.library,
        found=None if validity is None else validity.found,
        confirmed=validity is not None and validity.confirmed,
    )


def _asked(plan: SnippetScorePlan, info: SnippetRunInfo) -> list[Snippet]:
    names = set(info.snippets)
    return [snippet for snippet in plan.snippets if snippet.id in names]


def _items(plan: SnippetScorePlan, info: SnippetRunInfo) -> list[_Item]:
    """Every answer of the run and of the baseline; a question that nobody answered counts as a wrong one."""
    replies = load_answers(plan.folder)
    null = NullSnippets()
    judge = plan.judge_name
    items: list[_Item] = []
    for snippet in _asked(plan, info):
        for ask in info.settings.asks:
            if ask not in snippet.asks:
                continue
            for sample in (BASELINE, *range(info.settings.samples)):
                answer = replies.get((snippet.id, ask, sample))
                reply = answer.reply if answer is not None else SnippetReply(problem="not-asked")
                if sample == BASELINE:
                    reply = null.answer(snippet, ask, 0)
                about = (
                    snippet.code,
                    snippet.entry,
                    snippet.apis,
                    snippet.target,
                    harness_of(snippet),
                    snippet.visible,
                )
                key = digest(
                    *(_RULES_VERSION, plan.secret, about, snippet.expected, snippet.origin),
                    *(reply.text, reply.problem, judge if ask in JUDGED_ASKS else ""),
                )
                items.append(_Item(snippet=snippet, ask=ask, sample=sample, reply=reply, key=key))
    return items


def _scored(plan: SnippetScorePlan, items: Sequence[_Item]) -> Iterator[tuple[ScoredAnswer, bool]]:
    """Each item's score, and whether it is the answer's alone: not of an environment that is not there."""
    for item in items:
        if item.ask not in CODE_ASKS:
            score = _score_words(plan, item)
            yield _of(item, score), plan.judge is None or score.judge is not None
    code = [item for item in items if item.ask in CODE_ASKS]
    if not code:
        return
    expected = dict(_expected(plan.runner, {item.snippet.id: item.snippet for item in code}.values()))
    for part in (
        [item for item in code if item.sample == BASELINE],
        [item for item in code if item.sample != BASELINE],
    ):
        yield from _score_code(plan.runner, part, expected)


def _score_words(plan: SnippetScorePlan, item: _Item) -> AnswerScore:
    if item.reply.problem:
        return AnswerScore(labels=(AnswerLabel.NO_REPLY,), detail=item.reply.problem)
    text = item.reply.text
    if item.ask is SnippetAsk.LOCATE:
        score = score_locate(item.snippet, read_locate(text), text)
    else:
        score = score_explain(item.snippet, read_explain(text), text)
    if plan.judge is None or item.sample == BASELINE:
        return score
    return replace(score, judge=judge_answer(plan.judge, item.snippet, item.ask, text).correct)


def _score_code(
    runner: ProgramRunner, items: Sequence[_Item], expected: Mapping[str, Sequence[CaseOutcome]]
) -> Iterator[tuple[ScoredAnswer, bool]]:
    """Scores of code: equal programs run once, those of one target in one call."""
    by_side: dict[SnippetSide, dict[str, SnippetProgram]] = defaultdict(dict)
    waiting: dict[SnippetSide, list[_Running]] = defaultdict(list)
    for item in items:
        answer, side = _read(item), item.snippet.target
        if not answer.usable or side is None:
            yield _of(item, score_code(item.snippet, answer, None, ())), True
            continue
        program, shown = program_of(item.snippet, answer), visible_program(item.snippet, answer)
        keys = [digest(made) if made is not None else "" for made in (program, shown)]
        for made, key in zip((program, shown), keys, strict=True):
            if made is not None:
                by_side[side][key] = replace(made, id=key)
        waiting[side].append(_Running(item=item, answer=answer, program=keys[0], visible=keys[1]))
    for side, programs in by_side.items():
        runs: dict[str, ProgramRun] = {}
        passes: list[tuple[_Running, AnswerScore]] = []
        for run in runner.run(side, tuple(programs.values())):
            runs[run.id] = run
            ready = [each for each in waiting[side] if each.is_in(runs)]
            waiting[side] = [each for each in waiting[side] if not each.is_in(runs)]
            for each in ready:
                score = _score_run(each, runs, expected)
                if score.strict and not each.item.snippet.compared:
                    passes.append((each, score))
                else:
                    yield _of(each.item, score), not score.undecided
        asserted = {
            each.program: PassedTests(snippet=each.item.snippet, program=programs[each.program])
            for each, _ in passes
        }
        labels = judge_passes(runner, side, tuple(asserted.values()))
        for each, score in passes:
            yield _of(each.item, judged(score, labels[each.program])), True


def _score_run(
    running: _Running, runs: Mapping[str, ProgramRun], expected: Mapping[str, Sequence[CaseOutcome]]
) -> AnswerScore:
    snippet = running.item.snippet
    score = score_code(snippet, running.answer, runs[running.program], expected.get(snippet.id, ()))
    if running.visible:
        score = replace(score, visible=raises_nothing(runs[running.visible]))
    return score


def _expected(
    runner: ProgramRunner, snippets: Iterable[Snippet]
) -> Iterator[tuple[str, Sequence[CaseOutcome]]]:
    """What each case gives with the origin, from verifying; else it is run now."""
    by_side: dict[SnippetSide, list[Snippet]] = defaultdict(list)
    for snippet in snippets:
        if snippet.expected:
            yield snippet.id, snippet.expected
        elif snippet.origin is not None and snippet.compared:
            by_side[snippet.origin].append(snippet)
    for side, those in by_side.items():
        programs = [
            SnippetProgram(id=each.id, code=each.code, entry=each.entry, harness=each.harness)
            for each in those
        ]
        for run in runner.run(side, programs):
            yield run.id, run.cases


def _read(item: _Item) -> CodeAnswer:
    if item.reply.problem:
        return CodeAnswer(labels=(AnswerLabel.NO_REPLY,))
    return read_code(item.reply.text, item.snippet.entry, item.snippet.code)


def _of(item: _Item, score: AnswerScore) -> ScoredAnswer:
    return ScoredAnswer(snippet=item.snippet.id, ask=item.ask, sample=item.sample, score=score, key=item.key)
