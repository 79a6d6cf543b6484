"""What to do about what a bisection found: from its findings, its environments and the project's files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from backdate.advice import Advice, AdvisedChange, EvidenceKind, PythonChange, SourcePlace
from backdate.advising.lost_names import EnvironmentPair, LostName, advised_changes, lost_names
from backdate.advising.python_changes import python_changes
from backdate.advising.replacements import LibraryWords
from backdate.advising.requirements import dropped_requirements
from backdate.advising.use_visitor import NameUses, ProjectUses
from backdate.bisection.explanations.called_names import own_file
from backdate.bisection.explanations.collect import ExplanationCollector, modules_of
from backdate.bisection.prose_advice import said_advice
from backdate.bisection.result import Finding
from backdate.checking.sides import SidePair
from backdate.diagnosis.api import Member, NameChange
from backdate.diagnosis.result import Cause, CauseKind
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import in_standard_library
from backdate.sandboxes.interface import Sandbox


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A finding with its explanations, and what it rests on."""

    finding: Finding
    cause: Cause | None
    good: Environment


class BreakageAdvice:
    """Makes the advice of one bisection."""

    def __init__(
        self,
        sandbox: Sandbox,
        collector: ExplanationCollector,
        pair: SidePair,
        uses: ProjectUses,
        cache: Cache | None = None,
    ) -> None:
        """``cache``: where what environments answer is kept; None to keep nothing."""
        assert pair.old.environment is not None
        assert pair.new.environment is not None
        self._sandbox, self._collector, self._uses, self._cache = sandbox, collector, uses, cache
        self._old, self._new = pair.old.environment, pair.new.environment

    def advice(self, explained: Sequence[Explained]) -> Advice:
        """What to change for the findings in ``explained``. Raises SandboxUnavailable."""
        fixes: dict[tuple[str, str], AdvisedChange] = {}
        later: dict[tuple[str, str], AdvisedChange] = {}
        python: dict[PythonChange, None] = {}
        groups: dict[str, list[Explained]] = {}
        for one in explained:
            for culprit in one.finding.culprits:
                groups.setdefault(culprit.name, []).append(one)
        without = [one for one in explained if one.finding.culprits]
        for name, group in groups.items():
            lost, met = self._lost(name, group)
            for lost_name, change, is_met in zip(lost, self._changes(name, group, lost), met, strict=True):
                (fixes if is_met else later).setdefault((change.name, change.argument), change)
                if change.replacement or change.rewrite:
                    without = [one for one in without if not self._answers(lost_name, one)]
            if name == PYTHON:
                python.update(dict.fromkeys(self._of_python(group)))
        requirements = dropped_requirements(self._old, self._new, self._uses)
        missing = {one.module for one in requirements}  # not gone: it only has to be required
        known = {
            kind: tuple(
                with_own_files(change, self._uses)
                for change in changes.values()
                if change.name.partition(".")[0] not in missing
            )
            for kind, changes in (("met", fixes), ("not met", later))
        }
        return Advice(
            fixes=known["met"],
            later=tuple(change for change in known["not met"] if (change.name, change.argument) not in fixes),
            requirements=requirements,
            python=tuple(python),
            said=said_advice([one.finding for one in without], self._uses),
        )

    def _answers(self, lost: LostName, one: Explained) -> bool:
        """Whether what is written instead of a lost name mends what a finding's error is about."""
        alone = met_alone(one, self._uses)
        same = alone is not None and (alone.name, alone.argument) == (lost.name, lost.argument)
        return same or is_about(one, lost, self._uses)

    def _pair(self, group: Sequence[Explained]) -> EnvironmentPair:
        return EnvironmentPair(sandbox=self._sandbox, cache=self._cache, old=group[0].good, new=self._new)

    def _lost(self, name: str, group: Sequence[Explained]) -> tuple[list[LostName], list[bool]]:
        """What the project uses of a culprit and the newest environment lacks; of each whether an error is
        about it.
        """
        found = lost_names(self._pair(group), self._used_of(name, group[0].good))
        met = [any(is_about(one, lost, self._uses) for one in group) for lost in found]
        lost = list(found)
        for one in group:
            if not any(is_about(one, known, self._uses) for known in found):
                unseen = met_alone(one, self._uses)
                if unseen is not None and not any(unseen.name == known.name for known in lost):
                    lost.append(unseen)
                    met.append(True)
        return lost, met

    def _used_of(self, name: str, environment: Environment) -> Mapping[str, NameUses]:
        if name != PYTHON:
            return self._uses.of_modules(modules_of([name], environment))
        return {dotted: uses for dotted, uses in self._uses.names.items() if in_standard_library(dotted)}

    def _changes(
        self, name: str, group: Sequence[Explained], lost: Sequence[LostName]
    ) -> tuple[AdvisedChange, ...]:
        if not lost:
            return ()
        said = [text for one in group for text in words_of(one)]
        words = dict.fromkeys((one.argument or one.name for one in lost), said)
        culprit = next(one for one in group[0].finding.culprits if one.name == name)
        for key, texts in self._collector.changelog_of(culprit, list(words)).items():
            words[key] = [*words[key], *texts]
        return advised_changes(
            self._pair(group), name, lost, words, version=self._version_of(name) or culprit.new or ""
        )

    def _version_of(self, name: str) -> str:
        """The release that the newest environment has."""
        if name == PYTHON:
            return self._new.choice.interpreter.version
        return next((one.version for one in self._new.lock.distributions if one.name == name), "")

    def _of_python(self, group: Sequence[Explained]) -> tuple[PythonChange, ...]:
        causes = [(one.cause, _own_places(one, self._uses)) for one in group if one.cause is not None]
        return python_changes(self._pair(group), causes, self._uses)


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
    lines = {line for place in _own_places(one, uses) for line in uses.lines_around(place)}
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
        ),
        None,
    )
    leaf = cause.name.rpartition(".")[2]
    place = one.finding.error.place
    places = _own_places(one, uses) if place is not None and leaf in place.source else ()
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


def _own_places(one: Explained, uses: ProjectUses) -> tuple[SourcePlace, ...]:
    """The project's line at which an error surfaced, by its file in the tree; none for another's."""
    place = one.finding.error.place
    if place is None:
        return ()
    file = own_file(place.file, uses)
    return (SourcePlace(file=file, line=place.line),) if file else ()


def with_own_files(change: AdvisedChange, uses: ProjectUses) -> AdvisedChange:
    """``change`` with each place once, those of warnings in the project's own files."""
    places = dict.fromkeys(
        SourcePlace(file=file, line=place.line)
        for place in change.places
        if (file := own_file(place.file, uses))
    )
    return replace(change, places=tuple(sorted(places, key=lambda place: (place.file, place.line))))
