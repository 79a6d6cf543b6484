"""Asking a culprit: the warnings that it gave while the tests still passed, its changelog, the changed names.

Nothing here decides anything: who is to blame was proved before. What cannot be had is said in a note.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from packaging.version import Version

from backdate.bisection.explanations.api_changes import changed_names, names_of, search_terms_of
from backdate.bisection.explanations.changelog import description_of, quote
from backdate.bisection.explanations.changelog_files import is_changelog
from backdate.bisection.explanations.warnings import foretelling
from backdate.bisection.one_cause import Attributed
from backdate.bisection.probe_runner import ProbeRunner
from backdate.bisection.probes import ProbeResult
from backdate.bisection.result import Culprit, Excerpt, Explanation, Finding, GivenWarning
from backdate.checking.resources import Resources
from backdate.diagnosis.distributions import Distributions, read_bounded, site_packages
from backdate.diagnosis.logs import read_log
from backdate.environments.environment import Environment
from backdate.errors import IndexUnavailable, SourceError
from backdate.projects.sources.archives import read_members
from backdate.projects.sources.download import download, new_client
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
_MOST_FILES = 40
_FORMAT = 5


class ExplanationCollector:
    """Explanations of the findings of one bisection, kept in the cache."""

    def __init__(self, probe_runner: ProbeRunner, resources: Resources) -> None:
        self._probe_runner, self._resources = probe_runner, resources
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
        terms = search_terms_of(cause)
        modules = modules_of([culprit.name for culprit in culprits], old)
        owning = (cause.owner,) if cause is not None and cause.owner_is == "module" else ()
        (changelog, notes), (warnings, names) = both(
            lambda: self._changelogs(culprits, terms),
            lambda: both(
                lambda: self._warnings(good, attributed.finding.tests, terms, (*modules, *owning)),
                lambda: changed_names(self._sandbox, old, new, names_of(cause, modules)),
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
        self, good: ProbeResult, tests: Sequence[str], terms: Sequence[str], modules: Sequence[str]
    ) -> tuple[GivenWarning, ...]:
        run = self._probe_runner.run_with_warnings(good, tests[:MOST_TESTS])
        text = read_bounded(run.log, _LARGEST_LOG) or ""
        return foretelling(
            read_log(text).warnings, terms=terms, modules=modules, root=self._probe_runner.at(good)
        )

    def _changelog(self, culprit: Culprit, terms: Sequence[str]) -> tuple[Excerpt, ...] | str:
        """What the changelog of the culprit's bad version says of ``terms``, or why nothing was read."""
        assert culprit.new is not None
        try:
            file = archive_of(fetch_listing(self._resources.index, culprit.name), culprit.new)
            if file is None:
                return f"the index has no file of {culprit.name} {culprit.new} any more, so no changelog"
            with new_client() as downloading:
                path = download(downloading, file, self._cache.downloads, most_bytes=LARGEST_ARCHIVE)
            excerpts = read_changelog(path, culprit, file.filename, terms)
        except SourceError as error:
            return f"no changelog was read: {error}"
        except IndexUnavailable as error:
            self._unreachable = True
            return f"no changelog could be had: {error}"
        return f"{file.filename} has no changelog" if excerpts is None else excerpts


def archive_of(files: Sequence[ListedFile], version: str) -> ListedFile | None:
    """The file of a version that most likely holds a changelog: its sdist, else a wheel."""
    of_version = [file for file in files if file.version == Version(version)]
    sdists = [file for file in of_version if file.sdist]
    wheels = [file for file in of_version if file.filename.endswith(".whl")]
    return next(iter((*sdists, *wheels)), None)


def read_changelog(
    path: Path, culprit: Culprit, archive: str, terms: Sequence[str]
) -> tuple[Excerpt, ...] | None:
    """What the changelogs in the archive at ``path`` say of ``terms`` after the last good version.

    None for an archive without a changelog; it may carry one in its long description, as the metadata of many
    do. Raises SourceError for an archive that is damaged.
    """
    old, new = culprit.old, culprit.new or ""
    limits = {"what": archive, "most_files": _MOST_FILES, "most_bytes": _LARGEST_CHANGELOG}
    files = read_members(path, lambda name: is_changelog(name, old, new), **limits)  # type: ignore[arg-type]
    metadata = read_members(path, _is_description, **limits)  # type: ignore[arg-type]
    described = {name: description_of(data) for name, data in metadata.items()}
    if not files and not any(described.values()):
        return None
    quoted = quote(files, old, new, terms) or quote(described, old, new, terms)
    return tuple(
        Excerpt(
            distribution=culprit.name,
            version=one.version,
            archive=archive,
            file=one.file,
            lines=one.lines,
            about=one.about,
            replacement=one.replacement,
        )
        for one in quoted
    )


def _is_description(name: str) -> bool:
    return name.endswith(".dist-info/METADATA") or (name.count("/") == 1 and name.endswith("/PKG-INFO"))


def modules_of(names: Sequence[str], environment: Environment) -> tuple[str, ...]:
    """The top-level modules that the distributions ``names`` installed, public ones first."""
    distributions = Distributions(site_packages(*environment.roots))
    top_levels = [top for name in names for top in distributions.top_level_of(name)]
    return tuple(
        sorted(dict.fromkeys(top_levels), key=lambda top_level: (top_level.startswith("_"), top_level))
    )
