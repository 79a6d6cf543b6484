"""A finding with what explains it, and which lost name its error is about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from packaging.version import Version

from backdate.advice import EvidenceKind, SourcePlace
from backdate.advising.lost_names import LostName
from backdate.advising.project_uses import ProjectUses
from backdate.advising.replacements import LibraryWords
from backdate.bisection.errors_of_run import Known
from backdate.bisection.explanations.called_names import own_file
from backdate.bisection.probes import ProbeResult
from backdate.bisection.result import Finding
from backdate.diagnosis.api import Member, NameChange
from backdate.diagnosis.result import Cause, CauseKind, FrameKind
from backdate.environments.environment import Environment
from backdate.knowledge.changes import PYTHON
from backdate.testing.outcomes import Frame
from backdate.text import UNREADABLE

_OWN_CODE = (FrameKind.PROJECT, FrameKind.TEST)


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A finding with its explanations, and what it rests on."""

    finding: Finding
    cause: Cause | None
    good: Environment
    also_at: tuple[Frame, ...] = ()
    """The lines of the project at which further tests of the finding met the same error."""
    neighbours: tuple[ProbeResult, ProbeResult] | None = None
    """The last good and the first bad one, between which the culprit moved."""


def words_of(one: Explained) -> list[LibraryWords]:
    """What the library said of a finding's cause: its error, the warnings before, its changelog."""
    said: list[LibraryWords] = []
    if one.cause is not None and one.cause.message:
        said.append(LibraryWords(kind=EvidenceKind.MESSAGE, text=one.cause.message))
    explanation = one.finding.explanations
    if explanation is None:
        return said
    said += [
        LibraryWords(kind=EvidenceKind.WARNING, text=warning.message, places=warning.places)
        for warning in explanation.warnings
    ]
    said += [
        LibraryWords(kind=EvidenceKind.WARNING, text=text)
        for name in explanation.names
        for text in name.warned
    ]
    said += [
        LibraryWords(kind=EvidenceKind.CHANGELOG, text=" ".join(quoted.lines), source=quoted.file)
        for quoted in explanation.changelog
    ]
    return said


def is_about(one: Explained, lost: LostName, uses: ProjectUses) -> bool:
    """Whether a finding's error is about a lost name: it names it, or surfaced where that is used."""
    cause = one.cause
    names = {name.name for name in one.finding.explanations.names} if one.finding.explanations else set()
    if cause is not None and lost.argument:
        leaf = lost.name.rpartition(".")[2]
        owner = [part for part in cause.owner.split(".") if part != "__init__"]
        return cause.name == lost.argument and (not owner or owner[-1] == leaf or lost.name in names)
    if lost.name in names or (cause is not None and cause.dotted == lost.name):
        return True
    leaf = lost.name.rpartition(".")[2]
    named = cause is not None and leaf in (cause.name, cause.name.rpartition(".")[2])
    lines = {line for place in own_places(one, uses) for line in uses.lines_around(place)}
    return named and not lines.isdisjoint(lost.places)


def met_alone(one: Explained, uses: ProjectUses) -> LostName | None:
    """What an error is about that the project's syntax trees do not show: a method of an object, an argument.

    None where its line is not the project's, or does not name it.
    """
    cause, explanation = one.cause, one.finding.explanations
    if cause is None or not cause.name:
        return None
    changed = next(
        (
            name
            for name in (explanation.names if explanation else ())
            if name.change in (NameChange.GONE, NameChange.MOVED, NameChange.SIGNATURE)
            and not uses.defines_module_of(name.name)
        ),
        None,
    )
    leaf = cause.name.rpartition(".")[2]
    place = one.finding.error.place
    # an argument may be handed on, "clean(text, **options)", and is then named elsewhere
    given = (leaf, "**") if cause.kind is CauseKind.UNEXPECTED_ARGUMENT else (leaf,)
    if cause.kind is CauseKind.MISSING_FIXTURE:  # of the function at its line, whose arguments may follow
        given = ("",)
    shown = place is not None and any(text in place.source for text in given)
    places = own_places(one, uses) if shown else ()
    places = places or _warned_places(one, uses)
    if not places:
        return None
    if cause.kind is CauseKind.UNEXPECTED_ARGUMENT:
        name = changed.name if changed is not None else cause.owner.removesuffix(".__init__")
        old = Member(name=name, present=True)
        return LostName(name=name, argument=cause.name, old=old, places=places) if name else None
    if changed is None or changed.change is NameChange.SIGNATURE:
        return None
    return LostName(name=changed.name, old=Member(name=changed.name, present=True), places=places)


def _warned_places(one: Explained, uses: ProjectUses) -> tuple[SourcePlace, ...]:
    """The project's lines that a warning about what is missing named while it was there: those at which
    an error surfaces may only hand on what others made."""
    explanation = one.finding.explanations
    return tuple(
        SourcePlace(file=file, line=place.line)
        for warning in (explanation.warnings if explanation else ())
        if warning.names_it
        for place in warning.places
        if (file := own_file(place.file, uses))
    )


def called_places(one: Explained, uses: ProjectUses) -> tuple[SourcePlace, ...]:
    """The project's lines at which an error surfaced, and those of warnings about the same before; none for
    another's."""
    own = own_places(one, uses)
    return tuple(dict.fromkeys((*own, *_warned_places(one, uses)))) if own else ()


def own_places(one: Explained, uses: ProjectUses) -> tuple[SourcePlace, ...]:
    """The project's lines at which an error surfaced, by their files in the tree; none for another's.

    Of those of further tests the ones that name what the error is about.
    """
    leaf = one.cause.name.rpartition(".")[2] if one.cause is not None else ""
    also = [place for place in one.also_at if leaf and leaf in place.source]
    met = [one.finding.error.place] if one.finding.error.place is not None else []
    places = (
        SourcePlace(file=file, line=place.line)
        for place in (*met, *also)
        if (file := own_file(place.file, uses))
    )
    return tuple(dict.fromkeys(places))


def met_elsewhere(tests: Sequence[str], key: str, errors: Mapping[str, Known]) -> tuple[Frame, ...]:
    """The project's innermost line of each of ``tests`` that failed with the error of ``key``."""
    met = [errors[test] for test in tests if test in errors and errors[test].key == key]
    own = ([frame for frame in known.frames if frame.kind in _OWN_CODE] for known in met)
    return tuple(dict.fromkeys(frames[0].frame for frames in own if frames))


def by_culprit(explained: Sequence[Explained]) -> dict[str, list[Explained]]:
    """The findings of each culprit, that with its oldest last good release first: what one release drops is
    gone already from the last good environment of a later one.
    """
    groups: dict[str, list[Explained]] = {}
    for one in explained:
        for culprit in one.finding.culprits:
            groups.setdefault(culprit.name, []).append(one)
    return {
        name: sorted(group, key=lambda one: _order_of(version_of(name, one.good)))
        for name, group in groups.items()
    }


def version_of(name: str, environment: Environment) -> str:
    """The release of a distribution, or of Python, that an environment has; "" for none."""
    if name == PYTHON:
        return environment.choice.interpreter.version
    return next((one.version for one in environment.lock.distributions if one.name == name), "")


def _order_of(version: str) -> Version:
    """For sorting; what is no version comes first."""
    try:
        return Version(version)
    except UNREADABLE:
        return Version("0")
