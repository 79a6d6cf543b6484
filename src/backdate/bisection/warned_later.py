"""What else a culprit warned of on the project's lines, that no error has met yet. Pure functions.

What fails at an import hides all behind it, and the object of an attribute or an argument that is handed
on is often not known from the syntax trees. A warning that was given while the tests passed tells its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from backdate.advice import AdvisedChange, EvidenceKind, SaidAdvice, SourcePlace
from backdate.advising.advised_changes import MovedDistribution
from backdate.advising.project_uses import ProjectUses
from backdate.advising.rule_leads import advice_in_warning
from backdate.advising.wording import is_for_later, since_in
from backdate.bisection.explanations.called_names import own_file
from backdate.bisection.result import GivenWarning
from backdate.diagnosis.messages import read_hint

MOST_QUOTED = 6
"""Warnings of one culprit."""
_ARGUMENT = re.compile(
    r"[`'\"]([A-Za-z_]\w{0,60})[`'\"]+ (?:keyword |named )?(?:argument|parameter|kwarg|keyword|option)\b"
)
_IN_BRACES = re.compile(r"\{[^{}]{0,400}\}")
_OWN_PART = re.compile(rf"{_IN_BRACES.pattern}|`[^`]{{1,100}}`|'[^']{{1,100}}'|\"[^\"]{{1,100}}\"")
"""What a warning says of the one value or name that it is about, and not of others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarnedOf:
    """What is to be changed for further warnings of one culprit."""

    changes: tuple[AdvisedChange, ...] = ()
    """Attributes for which its rules say what to write."""
    quoted: tuple[SaidAdvice, ...] = ()
    """What else it says to do, in its own words."""


def warned_later(
    warnings: Sequence[GivenWarning],
    moved: MovedDistribution,
    modules: Sequence[str],
    known: Iterable[AdvisedChange],
    uses: ProjectUses,
    met: Sequence[SourcePlace] = (),
) -> WarnedOf:
    """What ``warnings`` say of lines of the project, but for what is ``known`` or goes in later releases.

    ``modules``: the culprit's. Of others' warnings that stand at its uses nothing is said. ``met``: the lines
    of the project at which errors surfaced.
    """
    told = list(known)
    changes: list[AdvisedChange] = []
    quoted: list[SaidAdvice] = []
    for warning in dict.fromkeys(warnings):
        places = _own_places(warning, uses) or _like_calls(warning.message, met, uses)
        of_it = _is_of(warning, (moved.name, *modules)) and not is_for_later(warning.message, moved.new)
        if not places or not of_it or any(_is_told(warning.message, places, one) for one in told):
            continue
        ruled = [
            AdvisedChange(
                distribution=moved.name,
                name=rule.target.removeprefix("."),
                replacement=rule.replacement.removeprefix("builtins."),
                rewrite=rule.rewrite,
                places=places,
                evidence=(rule.evidence,),
            )
            for rule in advice_in_warning(moved.name, warning.message, old=moved.old, new=moved.new)
        ]
        changes += ruled[:1]
        told += ruled[:1]
        if not ruled and read_hint(warning.message):
            quoted.append(
                SaidAdvice(
                    distribution=moved.name,
                    kind=EvidenceKind.WARNING,
                    text=warning.message,
                    since=since_in(warning.message),
                    places=places,
                )
            )
    return WarnedOf(changes=tuple(changes), quoted=one_for_each_wording(quoted)[:MOST_QUOTED])


def one_for_each_wording(quoted: Sequence[SaidAdvice]) -> tuple[SaidAdvice, ...]:
    """``quoted`` with one for all that say to do the same in the same words about values or names of their
    own: "Additional metadata: {'a': 1}". What they differ in is "…", and the places are those of all.
    """
    groups: dict[tuple[str, str, str], list[SaidAdvice]] = {}
    for one in quoted:
        wording = _OWN_PART.sub("…", one.text)
        to_do = _IN_BRACES.sub("…", read_hint(one.text))
        groups.setdefault((one.distribution, wording, to_do), []).append(one)
    return tuple(
        replace(
            group[0],
            text=_in_common([one.text for one in group]),
            places=tuple(dict.fromkeys(place for one in group for place in one.places)),
        )
        for group in groups.values()
    )


def _in_common(texts: Sequence[str]) -> str:
    """``texts`` of one wording as one of them, with "…" for each part in which they differ."""
    own = iter(
        [part[0] if len(set(part)) == 1 else "…" for part in zip(*map(_own_parts, texts), strict=True)]
    )
    return _OWN_PART.sub(lambda _: next(own), texts[0])


def _own_parts(text: str) -> list[str]:
    return [found[0] for found in _OWN_PART.finditer(text)]


def _own_places(warning: GivenWarning, uses: ProjectUses) -> tuple[SourcePlace, ...]:
    """The project's lines, without those that only ask whether the name is there: they are ready for it."""
    places = {
        SourcePlace(file=file, line=place.line)
        for place in warning.places
        if (file := own_file(place.file, uses))
    }
    places = {place for place in places if not uses.is_asked(place)}
    return tuple(sorted(places, key=lambda place: (place.file, place.line)))


def _like_calls(message: str, met: Sequence[SourcePlace], uses: ProjectUses) -> tuple[SourcePlace, ...]:
    """The calls that give the argument that a warning is about, and begin as those at the errors' lines do.

    A library warns at lines of its own where a call is handed on: ``ma.Integer(missing=1)``.
    """
    argument = _ARGUMENT.search(message)
    given = uses.by_keyword.get(argument[1], {}) if argument is not None else {}
    lines = {line for place in met for line in uses.lines_around(place)} if given else set()
    heads = {head for calls in uses.by_keyword.values() for place, head in calls.items() if place in lines}
    places = (place for place, head in given.items() if head in heads and not uses.is_asked(place))
    return tuple(sorted(places, key=lambda place: (place.file, place.line)))


def _is_of(warning: GivenWarning, names: Iterable[str]) -> bool:
    """Whether a warning names the culprit, in its text or category: RemovedInMarshmallow4Warning."""
    said = re.sub(r"[^a-z]", "", f"{warning.category} {warning.message}".casefold())
    return any(re.sub(r"[^a-z]", "", name.casefold()) in said for name in names if name)


def _is_told(message: str, places: Sequence[SourcePlace], change: AdvisedChange) -> bool:
    """Whether a change is about what a warning names, or stands at all of its lines."""
    leaf = change.argument or change.name.rpartition(".")[2]
    named = re.search(rf"(?<!\w){re.escape(leaf)}(?!\w)", message) is not None
    return named or set(places) <= set(change.places)
