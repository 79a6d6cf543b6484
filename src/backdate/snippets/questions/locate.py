"""Scoring "locate" (CodeMEnv's first task): are the names that do not work with the target found?"""

from __future__ import annotations

from backdate.snippets.names import aliases_of, bare_name, canonical_name
from backdate.snippets.questions.answer import LocateAnswer
from backdate.snippets.questions.score import AnswerScore
from backdate.snippets.snippet import Snippet

_MOST_TOLD = 5


def score_locate(snippet: Snippet, answer: LocateAnswer, reply: str) -> AnswerScore:
    """Strict: the set of names, aliases expanded, equals the row's. Released: each of the row's is in the
    reply, whatever else is, and whether or not it can be read as the JSON that was asked for.
    """
    expected = {api.name for api in snippet.apis if api.name}
    if any(label.unusable for label in answer.labels):
        return AnswerScore(
            released=contains_names(snippet, reply),
            labels=answer.labels,
            detail="the answer cannot be read",
            precision=0.0,
            recall=0.0,
        )
    aliases = aliases_of(snippet.code)
    given = {canonical_name(name, aliases, snippet.library) for name in answer.names} - {""}
    right = expected & given
    missing, besides = sorted(expected - given), sorted(given - expected)
    parts = []
    if missing:
        parts.append(f"not found: {', '.join(missing[:_MOST_TOLD])}")
    if besides:
        parts.append(f"besides: {', '.join(besides[:_MOST_TOLD])}")
    return AnswerScore(
        strict=bool(expected) and expected == given,
        released=contains_names(snippet, reply),
        precision=len(right) / len(given) if given else 0.0,
        recall=len(right) / len(expected) if expected else 0.0,
        labels=answer.labels,
        detail="; ".join(parts),
    )


def contains_names(snippet: Snippet, reply: str) -> bool:
    """The released rule: the reply contains every name of the row, as it is spelled there or in full.

    Without arguments; whatever else it contains. Words, not names: "np.sin" is in "np.sinh".
    """
    spellings = [{bare_name(api.spelled) or api.name, api.name} for api in snippet.apis]
    return bool(spellings) and all(any(name in reply for name in names) for names in spellings)
