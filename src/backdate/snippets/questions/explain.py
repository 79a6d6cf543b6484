"""Scoring "explain" (CodeMEnv's second task): what became of a name, since when, and what takes its place."""

from __future__ import annotations

import re
from collections.abc import Sequence

from backdate.snippets.names import aliases_of, canonical_name
from backdate.snippets.questions.answer import ExplainAnswer, ExplainedName
from backdate.snippets.questions.locate import contains_names
from backdate.snippets.questions.score import AnswerScore
from backdate.snippets.snippet import ApiChange, ApiChangeKind, Snippet

_VERSION = re.compile(r"(?<![\d.])(\d{1,6})(?:\.(\d{1,6}))?")
_MOST_MINORS = 5
"""The paper's "at most 0.5": minor versions of one major version that lie no further apart."""


def score_explain(snippet: Snippet, answer: ExplainAnswer, reply: str) -> AnswerScore:
    """Strict: type, version (near) and replacement of every name are right; what the row does not say is not
    asked for. Released: the names are in the reply; nothing else of it is looked at.
    """
    if any(label.unusable for label in answer.labels):
        return AnswerScore(
            released=contains_names(snippet, reply),
            labels=answer.labels,
            detail="the answer cannot be read",
        )
    verdicts = [_verdict(snippet, api, _said_of(snippet, api, answer.changes)) for api in snippet.apis]
    change, version, replacement = (
        _all([verdict[part] for verdict in verdicts]) for part in ("change", "version", "replacement")
    )
    wrong = [
        f"{api.name}: {', '.join(part for part, right in verdict.items() if right is False)}"
        for api, verdict in zip(snippet.apis, verdicts, strict=True)
        if any(right is False for right in verdict.values())
    ]
    asked = [part for part in (change, version, replacement) if part is not None]
    return AnswerScore(
        strict=bool(asked) and all(asked),
        released=contains_names(snippet, reply),
        change=change,
        version=version,
        replacement=replacement,
        labels=answer.labels,
        detail="; ".join(wrong),
    )


def is_near(expected: str, given: str) -> bool:
    """Whether two versions differ by "at most 0.5" when major and minor are numbers: 3.10 is not 3.1.

    Of one major version, and at most five minor ones apart; how many lie between two majors nothing says.
    """
    first, second = major_minor(expected), major_minor(given)
    if first is None or second is None:
        return False
    return first[0] == second[0] and abs(first[1] - second[1]) <= _MOST_MINORS


def major_minor(text: str) -> tuple[int, int] | None:
    """The first version in a text: "tensorflow2.0" gives (2, 0); None where there is none."""
    found = _VERSION.search(text)
    return None if found is None else (int(found[1]), int(found[2] or 0))


def _said_of(snippet: Snippet, api: ApiChange, changes: Sequence[ExplainedName]) -> ExplainedName | None:
    """What the answer says of a name: by its name, or the only thing that it says of the only name."""
    aliases = aliases_of(snippet.code)
    for change in changes:
        if canonical_name(change.name, aliases, snippet.library) == api.name:
            return change
    if len(snippet.apis) == 1 and len(changes) == 1 and not changes[0].name:
        return changes[0]
    return None


def _verdict(snippet: Snippet, api: ApiChange, said: ExplainedName | None) -> dict[str, bool | None]:
    said = said or ExplainedName()
    replacement = canonical_name(said.replacement, aliases_of(snippet.code), snippet.library)
    return {
        "change": None if api.change is ApiChangeKind.UNKNOWN else said.change is api.change,
        "version": is_near(api.version, said.version) if api.version else None,
        "replacement": replacement == api.replacement if api.replacement else None,
    }


def _all(verdicts: Sequence[bool | None]) -> bool | None:
    known = [verdict for verdict in verdicts if verdict is not None]
    return all(known) if known else None
