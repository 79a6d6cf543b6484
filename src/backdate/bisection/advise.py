"""What to do about what a bisection found: from its findings, its environments and the project's files."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from backdate.advice import (
    Advice,
    AdvisedChange,
    ChangedCode,
    EvidenceKind,
    PythonChange,
    SaidAdvice,
    SourcePlace,
)
from backdate.advising.advised_changes import MovedDistribution, advised_changes, is_answered, worth_saying
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.lost_names import LostName, lost_names
from backdate.advising.moved_arguments import taken_by
from backdate.advising.project_uses import NameUses, ProjectUses
from backdate.advising.python_changes import python_changes
from backdate.advising.requirements import dropped_requirements
from backdate.advising.ruled_arguments import ruled_arguments
from backdate.advising.told import is_told
from backdate.bisection.announced_leads import announced_leads
from backdate.bisection.changed_calls import TakenBy, changed_calls
from backdate.bisection.changed_code_runs import ChangedCodeReader
from backdate.bisection.errors_told import changes_behind, requirement_in_error
from backdate.bisection.explained import (
    Explained,
    by_culprit,
    is_about,
    met_alone,
    own_places,
    version_of,
    words_of,
)
from backdate.bisection.explanations.called_names import own_file
from backdate.bisection.explanations.collect import ExplanationCollector, modules_of
from backdate.bisection.prose_advice import MOST_SAID, noted_advice, said_advice, warned_advice
from backdate.bisection.result import Finding
from backdate.bisection.values_told import changed_values
from backdate.bisection.warned_later import WarnedOf, warned_later
from backdate.checking.sides import SidePair
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import in_standard_library
from backdate.mining.between import ReleasesBetween
from backdate.sandboxes.interface import Sandbox

_MOST_SILENT = 3
"""Findings of which nothing is known, and whose tests run once more to see what their culprits changed."""


class BreakageAdvice:
    """Makes the advice of one bisection."""

    def __init__(
        self,
        sandbox: Sandbox,
        collector: ExplanationCollector,
        pair: SidePair,
        uses: ProjectUses,
        cache: Cache | None = None,
        releases: ReleasesBetween | None = None,
        changed_code: ChangedCodeReader | None = None,
    ) -> None:
        """``cache``: where what environments answer is kept; None to keep nothing. ``releases``: reads what
        releases in between announce; None to read none. ``changed_code``: looks for what a culprit changed
        where nothing else says anything; None for not at all.
        """
        assert pair.old.environment is not None
        assert pair.new.environment is not None
        self._sandbox, self._collector, self._uses, self._cache = sandbox, collector, uses, cache
        self._releases, self._changed_code = releases, changed_code
        self._pairs: dict[Path, EnvironmentPair] = {}
        self._old, self._new = pair.old.environment, pair.new.environment

    def advice(self, explained: Sequence[Explained]) -> Advice:
        """What to change for the findings in ``explained``. Raises SandboxUnavailable."""
        fixes: dict[tuple[str, str], AdvisedChange] = {}
        later: dict[tuple[str, str], AdvisedChange] = {}
        python: dict[PythonChange, None] = {}
        quoted: dict[SaidAdvice, None] = {}
        groups = by_culprit(explained)
        wanted = [(one, requirement_in_error(one, self._uses)) for one in explained]
        without = [one for one, required in wanted if one.finding.culprits and required is None]
        for name, group in groups.items():
            lost, met = self._lost(name, group)
            changes = self._changes(name, group, lost)
            said = worth_saying(lost, changes)
            for lost_name, change, is_met, is_said in zip(lost, changes, met, said, strict=True):
                if is_said:
                    (fixes if is_met else later).setdefault((change.name, change.argument), change)
                if is_answered(change) or is_told(change):
                    without = [one for one in without if not self._answers(lost_name, one)]
            for one in group:
                mended = tuple(changes_behind(one, self._moved(name, group), self._uses))
                mended = mended or tuple(changed_calls(one, name, self._uses, self._taken_by(one, group)))
                mended = mended or tuple(changed_values(one, name, self._uses))
                add_mended(fixes, mended)
                without = [other for other in without if other is not one or not mended]
            warned = self._warned(name, group, (*fixes.values(), *later.values()))
            later.update({(change.name, change.argument): change for change in warned.changes})
            quoted.update(dict.fromkeys(warned.quoted))
            if name == PYTHON:
                python.update(dict.fromkeys(self._of_python(group)))
        gone = {change.name for change in fixes.values()}
        requirements = dict.fromkeys(dropped_requirements(self._old, self._new, self._uses, gone))
        requirements.update(dict.fromkeys(required for _, required in wanted if required is not None))
        missing = tuple(f"{one.module}." for one in requirements)  # not gone: it only has to be required
        met_ones, not_met = (
            tuple(
                with_own_files(change, self._uses)
                for change in changes.values()
                if not f"{change.name}.".startswith(missing)
            )
            for changes in (fixes, later)
        )
        met_ones = without_doubles(met_ones, self._uses.names)
        said_ones, silent = self._said(without)
        return Advice(
            fixes=met_ones,
            later=tuple(change for change in not_met if (change.name, change.argument) not in fixes),
            requirements=tuple(requirements),
            python=tuple(python),
            said=said_ones,
            warned=tuple(one for one in quoted if all(one.text != other.text for other in said_ones)),
            changed=self._changed(silent),
        )

    def _said(self, without: Sequence[Explained]) -> tuple[tuple[SaidAdvice, ...], list[Explained]]:
        """What is said in words of findings for which no name is to be written, and those of which the
        library itself says nothing."""
        said: dict[tuple[str, str], SaidAdvice] = {}
        silent: list[Explained] = []
        for one in without:
            known = said_advice([in_full(one)], self._uses) or noted_advice(one, self._uses)
            known = known or self._first_warned(one)
            silent += [one] if all(words.kind is EvidenceKind.KNOWN for words in known) else []
            for words in known:
                said.setdefault((words.distribution, words.text), words)
        return tuple(said.values())[:MOST_SAID], silent

    def _changed(self, silent: Sequence[Explained]) -> tuple[ChangedCode, ...]:
        """What the tests of findings run that their only culprits changed, where nothing else is known."""
        changed: dict[ChangedCode, None] = {}
        alone = [one for one in silent if len(one.finding.culprits) == 1]
        for one in [one for one in alone if one.finding.culprits[0].name != PYTHON][:_MOST_SILENT]:
            if self._changed_code is not None and one.neighbours is not None:
                culprit, tests = one.finding.culprits[0], one.finding.tests
                errors = (one.finding.error, *one.finding.caught)
                found = self._changed_code.changed(
                    culprit, tests, *one.neighbours, named=_named_by(one), errors=errors
                )
                changed.update(dict.fromkeys(found))
        return tuple(changed)

    def _first_warned(self, one: Explained) -> tuple[SaidAdvice, ...]:
        """What the only culprit of a finding warns of on the new side, and never before, about its error."""
        names = [culprit.name for culprit in one.finding.culprits]
        if len(names) != 1 or names[0] == PYTHON:
            return ()
        modules = modules_of(names, one.good)
        given = self._collector.first_warned_on_new_side(one.cause, modules, one.finding.error.place)
        return warned_advice(one.finding, given, self._uses)

    def _warned(self, name: str, group: Sequence[Explained], known: Sequence[AdvisedChange]) -> WarnedOf:
        """What else a culprit warned of while tests passed: those that fail now, and all of the old side."""
        if name == PYTHON:
            return WarnedOf()
        modules = modules_of([name], group[0].good)
        given = [
            warning for of in group if of.finding.explanations for warning in of.finding.explanations.warnings
        ]
        given += self._collector.warned_on_old_side(modules)
        met = [place for of in group for place in own_places(of, self._uses)]
        return warned_later(given, self._moved(name, group), modules, known, self._uses, met)

    def _answers(self, lost: LostName, one: Explained) -> bool:
        """Whether what is written instead of a lost name mends what a finding's error is about."""
        alone = met_alone(one, self._uses)
        same = alone is not None and (alone.name, alone.argument) == (lost.name, lost.argument)
        return same or is_about(one, lost, self._uses)

    def _taken_by(self, one: Explained, group: Sequence[Explained]) -> TakenBy:
        """What says which method takes an argument now: asked of both environments and of the library."""
        said = [words.text for words in words_of(one)]
        return lambda name, argument: taken_by(name, argument, self._pair(group), said)

    def _pair(self, group: Sequence[Explained]) -> EnvironmentPair:
        """The oldest last good environment of a group and the newest; one for each, so that it is asked once.

        What one release drops is gone already from the last good environment of a later one.
        """
        good = group[0].good
        if good.root not in self._pairs:
            self._pairs[good.root] = EnvironmentPair(
                sandbox=self._sandbox, cache=self._cache, old=good, new=self._new
            )
        return self._pairs[good.root]

    def _lost(self, name: str, group: Sequence[Explained]) -> tuple[list[LostName], list[bool]]:
        """What the project uses of a culprit and the newest environment lacks; of each whether an error is
        about it.
        """
        pair, used, moved = self._pair(group), self._used_of(name, group[0].good), self._moved(name, group)
        found = lost_names(pair, used, held=True)
        told = {(one.name, one.argument) for one in found} | {(one.name, "") for one in found}
        found += tuple(
            one
            for one in ruled_arguments(pair, used, name, old=moved.old, new=moved.new)
            if told.isdisjoint({(one.name, one.argument), (one.name, "")})
        )
        about = [any(is_about(one, lost, self._uses) for one in group) for lost in found]
        # an error names a module that is gone, or the first of what the project uses of it
        wholes = {lost.within or lost.name for lost, known in zip(found, about, strict=True) if known}
        held = {lost.within for lost in found if lost.within}
        met = [
            known or lost.within in wholes or (not lost.argument and lost.name in wholes & held)
            for lost, known in zip(found, about, strict=True)
        ]
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
        culprits = dict.fromkeys(one for of in group for one in of.finding.culprits if one.name == name)
        for culprit in culprits:
            for key, texts in self._collector.changelog_of(culprit, list(words)).items():
                words[key] = [*words[key], *texts]
        moved = self._moved(name, group)
        pair = self._pair(group)
        announced = partial(announced_leads, pair, moved, self._releases)
        return advised_changes(pair, moved, lost, words, announced=announced)

    def _moved(self, name: str, group: Sequence[Explained]) -> MovedDistribution:
        """Between which releases a culprit moved: that of the last good environment, and the newest."""
        culprit = next(one for one in group[0].finding.culprits if one.name == name)
        old, new = (version_of(name, environment) for environment in (group[0].good, self._new))
        return MovedDistribution(name=name, old=old or culprit.old or "", new=new or culprit.new or "")

    def _of_python(self, group: Sequence[Explained]) -> tuple[PythonChange, ...]:
        causes = [(one.cause, own_places(one, self._uses)) for one in group if one.cause is not None]
        return python_changes(self._pair(group), causes, self._uses)


def _named_by(one: Explained) -> tuple[str, ...]:
    """The function, or the class's, that an error is about: "TyperCommand.__init__"."""
    owner = one.cause.owner if one.cause is not None else ""
    return (".".join(owner.split(".")[-2:]),) if owner else ()


def in_full(one: Explained) -> Finding:
    """A finding whose error has all of its message: what to do may stand below the first line."""
    error = one.finding.error
    if one.cause is None or not one.cause.message:
        return one.finding
    return replace(one.finding, error=replace(error, message=one.cause.message))


def add_mended(fixes: dict[tuple[str, str], AdvisedChange], mended: Sequence[AdvisedChange]) -> None:
    """Add to ``fixes`` what rules say that recognise errors, where nothing was said of the name so far.

    A rule of a method names its class alone, "TestCase.assertEquals": at the same lines it is the same one.
    """
    for change in mended:
        known = fixes.get((change.name, change.argument))
        said = known is not None and is_answered(known)
        if not said and not any(_is_same(change, other) for other in fixes.values() if is_answered(other)):
            fixes[change.name, change.argument] = change


def _is_same(change: AdvisedChange, other: AdvisedChange) -> bool:
    """Whether a change is said of the same name at lines of ``other``."""
    same_name = f".{other.name}".endswith(f".{change.name}") and change.argument == other.argument
    return same_name and set(change.places) <= set(other.places)


def without_doubles(fixes: Sequence[AdvisedChange], used: Collection[str]) -> tuple[AdvisedChange, ...]:
    """``fixes`` without those that say, at the same lines, what another one says of an argument or name.

    An error names the class of what lacks the name, or the function that takes the argument no more, which
    may be that of a base class; the rules name what the project uses. Of two at the same lines that one stays
    whose name is ``used``.
    """
    kept: list[AdvisedChange] = []
    for change in sorted(fixes, key=lambda change: (-len(set(change.places)), change.name not in used)):
        if not any(_is_said_by(change, other) for other in kept):
            kept.append(change)
    return tuple(change for change in fixes if change in kept)


def _is_said_by(change: AdvisedChange, other: AdvisedChange) -> bool:
    same = (change.distribution, change.argument, change.replacement, change.rewrite)
    same_leaf = change.name.rpartition(".")[2] == other.name.rpartition(".")[2]
    alike = bool(change.argument) or (same_leaf and is_answered(change))
    return (
        alike
        and bool(change.places)
        and same == (other.distribution, other.argument, other.replacement, other.rewrite)
        and set(change.places) <= set(other.places)
    )


def with_own_files(change: AdvisedChange, uses: ProjectUses) -> AdvisedChange:
    """``change`` with each place once, those of warnings in the project's own files."""
    places = dict.fromkeys(
        SourcePlace(file=file, line=place.line)
        for place in change.places
        if (file := own_file(place.file, uses))
    )
    return replace(change, places=tuple(sorted(places, key=lambda place: (place.file, place.line))))
