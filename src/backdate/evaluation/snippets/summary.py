"""The figures of a scored run over snippets: what CodeMEnv's Tables 2 and 3 and its Figure 4 are made of.

Every figure is told of all snippets and of those whose claim is confirmed, with the do-nothing baseline.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Literal

from backdate.evaluation.metrics import pass_at_k
from backdate.evaluation.snippets.scored import BASELINE, ScoredAnswer, SnippetScores, SnippetTraits
from backdate.snippets.questions.code import CODE_ASKS
from backdate.snippets.questions.score import AnswerScore, MigrationError
from backdate.snippets.snippet import Collection, Direction, SnippetAsk

Subset = Literal["all", "confirmed"]
SUBSETS: tuple[Subset, ...] = ("all", "confirmed")
_K = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleFigures:
    """Shares of snippets that are answered right by one rule."""

    pass_at_1: float
    """Unbiased over the samples (arXiv 2107.03374)."""
    pass_at_5: float | None
    """None with fewer than five samples."""
    any_of_k: float
    """One of all samples is right."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetFigures:
    """One ask of one group of snippets."""

    ask: SnippetAsk
    collection: Collection
    direction: Direction | None
    """None: both."""
    subset: Subset
    snippets: int
    """Those that are decided; the shares are of these."""
    undecided: int
    """Those without an environment to judge by; …"""
    statically: float | None
    """… the share of these whose code uses none of the row's names."""
    samples: int
    strict: RuleFigures
    released: RuleFigures
    judge: RuleFigures | None
    """None where no model judged."""
    judged: int
    """Snippets of which the model decided all samples; its shares are of these."""
    baseline: float
    """Doing nothing, by the strict rule."""
    baseline_released: float
    precision: float | None = None
    recall: float | None = None
    change: float | None = None
    version: float | None = None
    replacement: float | None = None
    visible: float | None = None
    """Code that passes the tests that were shown; None without such tests."""
    errors: dict[str, int] | None = None
    """Why code fails, by ``MigrationError``; "unreadable" for answers that hold no code."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetSummary:
    """The figures of one run."""

    model: str
    dataset: str
    judge: str
    figures: tuple[SnippetFigures, ...]
    labels: dict[str, int]
    """How many answers were odd, by ``AnswerLabel``."""
    verified: int
    """Snippets whose claim somebody examined."""


def summarise_snippets(scores: SnippetScores) -> SnippetSummary:
    """The figures of one run: of each ask, each collection, and of code each direction as well."""
    traits = {each.id: each for each in scores.snippets}
    figures: list[SnippetFigures] = []
    collections = [each for each in Collection if any(one.collection is each for one in scores.snippets)]
    for ask in scores.asks:
        own = [answer for answer in scores.answers if answer.ask is ask]
        for collection in collections:
            here = [answer for answer in own if traits[answer.snippet].collection is collection]
            for direction in _directions(ask, {traits[answer.snippet].direction for answer in here}):
                for subset in SUBSETS:
                    chosen = [a for a in here if _is_in(traits[a.snippet], direction, subset)]
                    if chosen or (here and subset == "confirmed"):
                        figures.append(_figures(chosen, ask, collection, direction, subset))
    labels = Counter(
        label.value for answer in scores.answers if answer.sample != BASELINE for label in answer.score.labels
    )
    return SnippetSummary(
        model=scores.model,
        dataset=scores.dataset,
        judge=scores.judge,
        figures=tuple(figures),
        labels=dict(sorted(labels.items())),
        verified=sum(each.found is not None for each in scores.snippets),
    )


def _directions(ask: SnippetAsk, there: set[Direction]) -> list[Direction | None]:
    if ask not in CODE_ASKS or there <= {Direction.NONE}:
        return [None]
    return [None, *(direction for direction in Direction if direction in there)]


def _is_in(traits: SnippetTraits, direction: Direction | None, subset: Subset) -> bool:
    return direction in (None, traits.direction) and (subset == "all" or traits.confirmed)


def _figures(
    answers: Sequence[ScoredAnswer],
    ask: SnippetAsk,
    collection: Collection,
    direction: Direction | None,
    subset: Subset,
) -> SnippetFigures:
    by_snippet: dict[str, list[AnswerScore]] = defaultdict(list)
    baselines: dict[str, AnswerScore] = {}
    open_ones = {answer.snippet for answer in answers if answer.score.undecided}
    for answer in answers:
        if answer.snippet in open_ones:
            continue
        if answer.sample == BASELINE:
            baselines[answer.snippet] = answer.score
        else:
            by_snippet[answer.snippet].append(answer.score)
    tries = list(by_snippet.values())
    every = [score for scores in tries for score in scores]
    judged = [scores for scores in tries if all(score.judge is not None for score in scores)]
    return SnippetFigures(
        ask=ask,
        collection=collection,
        direction=direction,
        subset=subset,
        snippets=len(tries),
        undecided=len(open_ones),
        statically=_statically(answers),
        samples=max((len(scores) for scores in tries), default=0),
        strict=_rule(tries, lambda score: score.strict),
        released=_rule(tries, lambda score: score.released),
        judge=_rule(judged, lambda score: score.judge is True) if judged else None,
        judged=len(judged),
        baseline=_mean(score.strict for score in baselines.values()) or 0.0,
        baseline_released=_mean(score.released for score in baselines.values()) or 0.0,
        precision=_mean(score.precision for score in every),
        recall=_mean(score.recall for score in every),
        change=_mean(score.change for score in every),
        version=_mean(score.version for score in every),
        replacement=_mean(score.replacement for score in every),
        visible=_mean(score.visible for score in every),
        errors=_errors(every) if ask in CODE_ASKS else None,
    )


def _rule(tries: Sequence[Sequence[AnswerScore]], right: Callable[[AnswerScore], bool]) -> RuleFigures:
    counts = [(len(scores), sum(map(right, scores))) for scores in tries]
    enough = bool(counts) and all(number >= _K for number, _ in counts)
    return RuleFigures(
        pass_at_1=fmean([pass_at_k(number, good, 1) for number, good in counts]) if counts else 0.0,
        pass_at_5=fmean([pass_at_k(number, good, _K) for number, good in counts]) if enough else None,
        any_of_k=fmean([good > 0 for _, good in counts]) if counts else 0.0,
    )


def _statically(answers: Iterable[ScoredAnswer]) -> float | None:
    """Over the answers of snippets without an environment; the baseline is none of them."""
    own = [answer.score for answer in answers if answer.sample != BASELINE]
    return _mean(score.statically for score in own if score.undecided)


def _errors(scores: Iterable[AnswerScore]) -> dict[str, int]:
    counts = dict.fromkeys([*(error.value for error in MigrationError), "unreadable"], 0)
    for score in scores:
        if not score.strict:
            counts[score.error.value if score.error is not None else "unreadable"] += 1
    return counts


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
