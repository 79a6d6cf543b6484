"""Asking a culprit: the warnings that it gave while the tests still passed, its changelog, the changed names.

Nothing here decides anything: who is to blame was proved before. What cannot be had is said in a note.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from packaging.version import Version

from backdate.advice import EvidenceKind, SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.advising.replacements import LibraryWords
from backdate.bisection.explanations.api_changes import (
    MOST_NAMES,
    changed_names,
    names_of,
    of_a_library,
    search_terms_of,
)
from backdate.bisection.explanations.called_names import names_called_at, own_file
from backdate.bisection.explanations.changelog import Quoted, announced_before, description_of, quote
from backdate.bisection.explanations.changelog_files import is_changelog
from backdate.bisection.explanations.warnings import foretelling
from backdate.bisection.one_cause import Attributed
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import ProbeResult
from backdate.bisection.result import Culprit, Excerpt, Explanation, Finding, GivenWarning
from backdate.checking.resources import Resources
from backdate.diagnosis.distributions import Distributions, read_bounded, site_packages
from backdate.diagnosis.logs import read_log
from backdate.diagnosis.result import CauseKind
from backdate.environments.environment import Environment
from backdate.errors import IndexUnavailable, SourceError
from backdate.knowledge.changes import PYTHON
from backdate.projects.sources.archives import read_members
from backdate.projects.sources.download import download, kept_file, new_client
from backdate.projects.sources.listing import ListedFile, fetch_listing
from backdate.sandboxes import interruption
from backdate.sandboxes.interface import MIB
from backdate.sandboxes.threads import both
from backdate.serial import digest

MOST_TESTS = 40
"""Affected tests that are run once more with warnings on."""
LARGEST_ARCHIVE = 96 * MIB
_LARGEST_LOG = 32 * MIB
_LARGEST_CHANGELOG = 4 * MIB
_MOST_FILES = 80
_FORMAT = 9
_OF_VALUES = (CauseKind.CHANGED_TYPE, CauseKind.CHANGED_VALUE, CauseKind.ASSERTION)


class ExplanationCollector:
    """Explanations of the findings of one bisection, kept in the cache."""

    def __init__(self, probe_runner: ProbeRunner, resources: Resources, uses: ProjectUses) -> None:
        self._probe_runner, self._resources, self._uses = probe_runner, resources, uses
        self._sandbox, self._cache = resources.sandbox, resources.cache
        self._unreachable = False

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
            self._unreachable = False
            explanation = self._ask(attributed, good, old, new)
            if not self._unreachable:  # another time the index may answer
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
        if not asked or (cause is not None and cause.kind in _OF_VALUES):
            # nothing is missing: what the code called there may give something else now
            called = names_called_at(attributed.finding.error.place, self._uses, modules)
            if cause is not None:  # a method of what it should have given is not its own
                called = tuple(name for name in called if name.rpartition(".")[2] != cause.name)
            asked = (*called, *(name for name in asked if name not in called))[:MOST_NAMES]
            terms = (*terms, *(name.rpartition(".")[2] for name in called))
        owning = (cause.owner,) if cause is not None and cause.owner_is == "module" else ()
        (changelog, notes), (warnings, names) = both(
            lambda: self._changelogs(culprits, terms),
            lambda: both(
                lambda: self._warnings(good, old, attributed.finding.tests, terms, (*modules, *owning)),
                lambda: changed_names(self._sandbox, old, new, asked),
            ),
        )
        return Explanation(warnings=warnings, changelog=changelog, names=names, notes=notes)

    def _changelogs(
        self, culprits: Sequence[Culprit], terms: Sequence[str]
    ) -> tuple[tuple[Excerpt, ...], tuple[str, ...]]:
        """What was found in changelogs, and why there is nothing of the others."""
        asked = [culprit for culprit in culprits if culprit.name != "python" and culprit.new]
        answers = [interruption.wait_for(partial(self._changelog, culprit, terms)) for culprit in asked]
        return (
            tuple(excerpt for answer in answers if not isinstance(answer, str) for excerpt in answer),
            tuple(answer for answer in answers if isinstance(answer, str)),
        )

    def _warnings(
        self,
        good: ProbeResult,
        environment: Environment,
        tests: Sequence[str],
        terms: Sequence[str],
        modules: Sequence[str],
    ) -> tuple[GivenWarning, ...]:
        run = self._probe_runner.run_with_warnings(good, tests[:MOST_TESTS])
        text = read_bounded(run.log, _LARGEST_LOG) or ""
        used = self._uses.of_modules(modules)
        lines = {place for name, one in used.items() if "." in name for place in one.places}
        installed = Distributions(site_packages(*environment.roots))
        return foretelling(
            read_log(text).warnings,
            terms=terms,
            modules=modules,
            root=self._probe_runner.at(good),
            is_used_at=lambda place: not lines.isdisjoint(self._around(place)),
            is_of_another=lambda name: name not in modules and installed.has_top_level(name),
        )

    def _around(self, place: SourcePlace) -> frozenset[SourcePlace]:
        """The lines of the project's statement that a warning names, in an installed copy as well."""
        file = own_file(place.file, self._uses)
        return self._uses.lines_around(SourcePlace(file=file, line=place.line)) if file else frozenset()

    def changelog_of(self, culprit: Culprit, names: Sequence[str]) -> dict[str, list[LibraryWords]]:
        """What the changelog of the culprit's bad version says of each of ``names``: first of the releases
        after the last good one, then of earlier ones, where they say what is to be written."""
        if culprit.name == PYTHON or not culprit.new or not names:
            return {}
        files = interruption.wait_for(partial(self._changelog_files, culprit))
        if isinstance(files, str):
            return {}
        said: dict[str, list[LibraryWords]] = {}
        for name in names:
            parts = name.split(".")
            terms = [".".join(parts[-2:]), parts[-1]] if len(parts) > 1 else parts
            excerpts = (*files.quote(culprit, terms), *files.announced_before(culprit, parts[-1]))
            said[name] = [
                LibraryWords(kind=EvidenceKind.CHANGELOG, text=" ".join(one.lines), source=one.file)
                for one in excerpts
            ]
        return said

    def _changelog(self, culprit: Culprit, terms: Sequence[str]) -> tuple[Excerpt, ...] | str:
        """What the changelog of the culprit's bad version says of ``terms``, or why nothing was read."""
        files = self._changelog_files(culprit)
        return files if isinstance(files, str) else files.quote(culprit, terms)

    def _changelog_files(self, culprit: Culprit) -> ChangelogFiles | str:
        assert culprit.new is not None
        try:
            file = archive_of(fetch_listing(self._resources.index, culprit.name), culprit.new)
            if file is None:
                return f"the index has no file of {culprit.name} {culprit.new} any more, so no changelog"
            path = kept_file(file, self._cache.downloads)
            if path is None:  # a client takes longer to make than to find that there is nothing to fetch
                with new_client() as downloading:
                    path = download(downloading, file, self._cache.downloads, most_bytes=LARGEST_ARCHIVE)
            files = changelog_files(path, culprit, file.filename)
        except SourceError as error:
            return f"no changelog was read: {error}"
        except IndexUnavailable as error:
            self._unreachable = True
            return f"no changelog could be had: {error}"
        return files or f"{file.filename} has no changelog"


def archive_of(files: Sequence[ListedFile], version: str) -> ListedFile | None:
    """The file of a version that most likely holds a changelog: its sdist, else a wheel."""
    of_version = [file for file in files if file.version == Version(version)]
    sdists = [file for file in of_version if file.sdist]
    wheels = [file for file in of_version if file.filename.endswith(".whl")]
    return next(iter((*sdists, *wheels)), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangelogFiles:
    """The changelogs of one archive, by name."""

    archive: str
    files: Mapping[str, bytes]
    described: Mapping[str, bytes]
    """Long descriptions, which of many distributions hold the changelog."""

    def quote(self, culprit: Culprit, terms: Sequence[str]) -> tuple[Excerpt, ...]:
        """What they say of ``terms`` after the culprit's last good version."""
        old, new = culprit.old, culprit.new or ""
        quoted = quote(self.files, old, new, terms) or quote(self.described, old, new, terms)
        return self._excerpts(culprit, quoted)

    def announced_before(self, culprit: Culprit, term: str) -> tuple[Excerpt, ...]:
        """What they said of ``term`` up to the last good version: that it is to go, and what to do."""
        quoted = announced_before(self.files, culprit.old, term) or announced_before(
            self.described, culprit.old, term
        )
        return self._excerpts(culprit, quoted)

    def _excerpts(self, culprit: Culprit, quoted: Sequence[Quoted]) -> tuple[Excerpt, ...]:
        return tuple(
            Excerpt(
                distribution=culprit.name,
                version=one.version,
                archive=self.archive,
                file=one.file,
                lines=one.lines,
                about=one.about,
                replacement=one.replacement,
            )
            for one in quoted
        )


def changelog_files(path: Path, culprit: Culprit, archive: str) -> ChangelogFiles | None:
    """The changelogs in the archive at ``path`` that may say what changed after the last good version.

    None without any. Raises SourceError for an archive that is damaged.
    """
    old, new = culprit.old, culprit.new or ""
    limits = {"what": archive, "most_files": _MOST_FILES, "most_bytes": _LARGEST_CHANGELOG}
    files = read_members(path, lambda name: is_changelog(name, old, new), **limits)  # type: ignore[arg-type]
    metadata = read_members(path, _is_description, **limits)  # type: ignore[arg-type]
    described = {name: description_of(data) for name, data in metadata.items()}
    if not files and not any(described.values()):
        return None
    return ChangelogFiles(archive=archive, files=files, described=described)


def _is_description(name: str) -> bool:
    return name.endswith(".dist-info/METADATA") or (name.count("/") == 1 and name.endswith("/PKG-INFO"))


def modules_of(names: Sequence[str], environment: Environment) -> tuple[str, ...]:
    """The top-level modules that the distributions ``names`` installed, public ones first."""
    distributions = Distributions(site_packages(*environment.roots))
    top_levels = [top for name in names for top in distributions.top_level_of(name)]
    return tuple(
        sorted(dict.fromkeys(top_levels), key=lambda top_level: (top_level.startswith("_"), top_level))
    )
