"""Asking a culprit: the warnings that it gave while the tests still passed, its changelog, the changed names.

Nothing here decides anything: who is to blame was proved before. What cannot be had is said in a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from backdate.advising.project_uses import ProjectUses
from backdate.advising.replacements import LibraryWords
from backdate.bisection.explanations.api_changes import (
    MOST_NAMES,
    changed_names,
    names_of,
    of_a_library,
    operator_terms,
    search_terms_of,
)
from backdate.bisection.explanations.called_names import lines_about, lines_around, names_called_at
from backdate.bisection.explanations.changed_types import types_told_apart
from backdate.bisection.explanations.changelog_reader import ChangelogReader
from backdate.bisection.explanations.warnings import foretelling
from backdate.bisection.one_cause import Attributed
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import ProbeResult
from backdate.bisection.result import Culprit, Excerpt, Explanation, Finding, GivenWarning
from backdate.checking.resources import Resources
from backdate.diagnosis.distributions import Distributions, read_bounded, site_packages
from backdate.diagnosis.logs import read_log
from backdate.diagnosis.result import Cause, CauseKind
from backdate.environments.environment import Environment
from backdate.sandboxes import interruption
from backdate.sandboxes.interface import MIB
from backdate.sandboxes.threads import both
from backdate.serial import digest
from backdate.testing.outcomes import Frame

MOST_TESTS = 40
"""Affected tests that are run once more with warnings on."""
_LARGEST_LOG = 32 * MIB
_FORMAT = 18
_OF_VALUES = (CauseKind.CHANGED_TYPE, CauseKind.CHANGED_VALUE, CauseKind.ASSERTION)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedSide:
    """A run whose log may hold warnings."""

    log: Path
    root: str
    """Where the project lay."""
    folders: tuple[Path, ...]
    """Of its environment."""


class ExplanationCollector:
    """Explanations of the findings of one bisection, kept in the cache."""

    def __init__(
        self,
        probe_runner: ProbeRunner,
        resources: Resources,
        uses: ProjectUses,
        old_side: LoggedSide | None = None,
        new_side: LoggedSide | None = None,
    ) -> None:
        self._old_side, self._new_side = old_side, new_side
        self._probe_runner, self._resources, self._uses = probe_runner, resources, uses
        self._sandbox, self._cache = resources.sandbox, resources.cache
        self._changelogs_read = ChangelogReader(lambda: resources.index, resources.cache.downloads)

    def with_explanations(self, attributed: Attributed) -> Finding:
        """The finding of ``attributed`` with explanations; as it is if it has no culprit.

        Raises SandboxUnavailable.
        """
        good, bad = attributed.good, attributed.bad
        if not attributed.finding.culprits or good is None or bad is None:
            return attributed.finding
        old, new = self._probe_runner.environment_of(good), self._probe_runner.environment_of(bad)
        if old is None or new is None:
            return attributed.finding
        key = digest(
            *(
                "explanations",
                _FORMAT,
                old.key,
                new.key,
                attributed.target.tests,
                attributed.finding.culprits,
            ),
            *(attributed.target.cause, self._sandbox.name, self._resources.settings.index_url),
            attributed.finding.error.place,
        )
        explanation = self._cache.read(Explanation, "probes", key)
        if explanation is None:
            self._changelogs_read.unreachable = False
            explanation = self._ask(attributed, good, old, new)
            if not self._changelogs_read.unreachable:  # another time the index may answer
                self._cache.write("probes", key, explanation)
        return replace(attributed.finding, explanations=explanation)

    def _ask(
        self, attributed: Attributed, good: ProbeResult, old: Environment, new: Environment
    ) -> Explanation:
        culprits, cause = attributed.finding.culprits, attributed.target.cause
        told = of_a_library(cause, self._uses)
        terms = search_terms_of(told)
        modules = modules_of([culprit.name for culprit in culprits], old)
        asked = names_of(told, modules)
        leaves: tuple[str, ...] = ()
        if not asked or (cause is not None and cause.kind in _OF_VALUES):
            # nothing is missing: what the code called there may give something else now
            called = names_called_at(attributed.finding.error.place, self._uses, modules)
            if cause is not None:  # a method of what it should have given is not its own
                called = tuple(name for name in called if name.rpartition(".")[2] != cause.name)
            asked = (*called, *(name for name in asked if name not in called))[:MOST_NAMES]
            leaves = tuple(name.rpartition(".")[2] for name in called)
        only_called = tuple(leaf for leaf in leaves if leaf not in terms)
        terms = (*terms, *leaves)
        errors = attributed.bad.errors if attributed.bad is not None else {}
        met = next((errors[test] for test in attributed.target.tests if test in errors), None)
        frames = met.frames if met is not None else ()
        terms = (*terms, *operator_terms(frames, {culprit.name for culprit in culprits}))
        owning = (cause.owner,) if cause is not None and cause.owner_is == "module" else ()
        types = types_told_apart(cause.message) if cause is not None else ()
        (changelog, notes), (warnings, names) = both(
            lambda: self._changelogs(culprits, terms, only_called, types),
            lambda: both(
                lambda: self._warnings(good, old, attributed.finding, terms, (*modules, *owning)),
                lambda: changed_names(self._sandbox, old, new, asked),
            ),
        )
        return Explanation(warnings=warnings, changelog=changelog, names=names, notes=notes)

    def _changelogs(
        self, culprits: Sequence[Culprit], terms: Sequence[str], called: Sequence[str], types: Sequence[str]
    ) -> tuple[tuple[Excerpt, ...], tuple[str, ...]]:
        """What was found in changelogs, and why there is nothing of the others."""
        asked = [culprit for culprit in culprits if culprit.name != "python" and culprit.new]
        answers = [
            interruption.wait_for(partial(self._changelog, culprit, terms, called, types))
            for culprit in asked
        ]
        return (
            tuple(excerpt for answer in answers if not isinstance(answer, str) for excerpt in answer),
            tuple(answer for answer in answers if isinstance(answer, str)),
        )

    def _warnings(
        self,
        good: ProbeResult,
        environment: Environment,
        finding: Finding,
        terms: Sequence[str],
        modules: Sequence[str],
    ) -> tuple[GivenWarning, ...]:
        run = self._probe_runner.run_with_warnings(good, finding.tests[:MOST_TESTS])
        logged = LoggedSide(log=run.log, root=self._probe_runner.at(good), folders=environment.roots)
        return self._foretelling(logged, terms, modules, finding.error.place)

    def warned_on_old_side(self, modules: Sequence[str]) -> tuple[GivenWarning, ...]:
        """What the whole suite was warned of on the old side, of what concerns ``modules``: those that fail
        now may be many, and only the first of them are asked."""
        return () if self._old_side is None else self._foretelling(self._old_side, (), modules)

    def first_warned_on_new_side(
        self, cause: Cause | None, modules: Sequence[str], failed_at: Frame | None
    ) -> tuple[GivenWarning, ...]:
        """What concerns ``modules`` of which nothing was said on the old side, and the new one warns: the
        release that breaks a use may deprecate it as well. Of these, what names what ``cause`` is about."""
        if self._new_side is None:
            return ()
        kind = cause.owner.rpartition(".")[2] if cause is not None and cause.owner_is == "type" else ""
        terms = (*search_terms_of(of_a_library(cause, self._uses)), *([kind] if kind else ()))
        before = {warning.message for warning in self.warned_on_old_side(modules)}
        now = self._foretelling(self._new_side, terms, modules, failed_at)
        return tuple(one for one in now if one.names_it and one.message not in before)

    def _foretelling(
        self,
        logged: LoggedSide,
        terms: Sequence[str],
        modules: Sequence[str],
        failed_at: Frame | None = None,
    ) -> tuple[GivenWarning, ...]:
        text = read_bounded(logged.log, _LARGEST_LOG) or ""
        lines = lines_about(failed_at, self._uses, modules)
        installed = Distributions(site_packages(*logged.folders))
        return foretelling(
            read_log(text).warnings,
            terms=terms,
            modules=modules,
            root=logged.root,
            is_used_at=lambda place: not lines.isdisjoint(lines_around(place, self._uses)),
            is_of_another=lambda name: name not in modules and installed.has_top_level(name),
            is_own=self._uses.defines_module_of,
        )

    def changelog_of(self, culprit: Culprit, names: Sequence[str]) -> dict[str, list[LibraryWords]]:
        """See ``ChangelogReader.said_of``."""
        return self._changelogs_read.said_of(culprit, names)

    def quoted_for(self, culprit: Culprit, names: Sequence[str]) -> tuple[Excerpt, ...]:
        """What the changelog of the culprit's bad version says of ``names``, new ones among them."""
        read = interruption.wait_for(partial(self._changelog, culprit, names, (), ()))
        return () if isinstance(read, str) else read

    def _changelog(
        self, culprit: Culprit, terms: Sequence[str], called: Sequence[str], types: Sequence[str]
    ) -> tuple[Excerpt, ...] | str:
        """What the changelog of the culprit's bad version says of ``terms``, or why nothing was read.

        Where it says nothing of them: of ``types``, of which a value had one before and has another now.
        """
        files = self._changelogs_read.files_of(culprit)
        if isinstance(files, str):
            return files
        said = files.quote(culprit, terms, called=called)
        return said or (files.quote(culprit, types, together=True) if types else ())


def modules_of(names: Sequence[str], environment: Environment) -> tuple[str, ...]:
    """The top-level modules that the distributions ``names`` installed, public ones first."""
    distributions = Distributions(site_packages(*environment.roots))
    top_levels = [top for name in names for top in distributions.top_level_of(name)]
    return tuple(
        sorted(dict.fromkeys(top_levels), key=lambda top_level: (top_level.startswith("_"), top_level))
    )
