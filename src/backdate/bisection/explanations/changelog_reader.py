"""What the changelog of a release says, read from its archive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from backdate.advice import EvidenceKind
from backdate.advising.changelog_archives import ArchivedChangelogs, archive_of, read_changelogs
from backdate.advising.replacements import LibraryWords
from backdate.bisection.explanations.changelog import Quoted, announced_before, quote
from backdate.bisection.result import Culprit, Excerpt
from backdate.errors import IndexUnavailable, SourceError
from backdate.index.upstream import IndexClient
from backdate.knowledge.changes import PYTHON
from backdate.projects.sources.download import download, kept_file, new_client
from backdate.projects.sources.listing import fetch_listing
from backdate.sandboxes import interruption
from backdate.sandboxes.interface import MIB

LARGEST_ARCHIVE = 96 * MIB


class ChangelogReader:
    """Reads the changelogs of releases, each archive once."""

    def __init__(
        self, index: Callable[[], IndexClient], downloads: Path, *, most_bytes: int = LARGEST_ARCHIVE
    ) -> None:
        """``downloads``: where archives are kept."""
        self._index, self._downloads, self._most_bytes = index, downloads, most_bytes
        self._read: dict[Culprit, ChangelogFiles | str] = {}
        self.unreachable = False
        """Whether the index did not answer: another time it may."""

    def said_of(self, culprit: Culprit, names: Sequence[str]) -> dict[str, list[LibraryWords]]:
        """What the changelog of the culprit's bad version says of each of ``names``: first of the releases
        after the last good one, then of earlier ones, where they say what is to be written."""
        if culprit.name == PYTHON or not culprit.new or not names:
            return {}
        files = interruption.wait_for(partial(self.files_of, culprit))
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

    def files_of(self, culprit: Culprit) -> ChangelogFiles | str:
        """The changelogs in the archive of the culprit's bad version, or why there are none."""
        if culprit not in self._read:
            files = self._files(culprit)
            if self.unreachable:
                return files
            self._read[culprit] = files
        return self._read[culprit]

    def _files(self, culprit: Culprit) -> ChangelogFiles | str:
        assert culprit.new is not None
        try:
            file = archive_of(fetch_listing(self._index(), culprit.name), culprit.new)
            if file is None:
                return f"the index has no file of {culprit.name} {culprit.new} any more, so no changelog"
            path = kept_file(file, self._downloads)
            if path is None:  # a client takes longer to make than to find that there is nothing to fetch
                with new_client() as downloading:
                    path = download(downloading, file, self._downloads, most_bytes=self._most_bytes)
            files = changelog_files(path, culprit, file.filename)
        except SourceError as error:
            return f"no changelog was read: {error}"
        except IndexUnavailable as error:
            self.unreachable = True
            return f"no changelog could be had: {error}"
        return files or f"{file.filename} has no changelog"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangelogFiles:
    """The changelogs of one archive, by name."""

    archive: str
    members: ArchivedChangelogs

    def quote(
        self,
        culprit: Culprit,
        terms: Sequence[str],
        *,
        called: Sequence[str] = (),
        together: bool = False,
    ) -> tuple[Excerpt, ...]:
        """What they say of ``terms`` after the culprit's last good version: see ``changelog.quote``."""
        old, new = culprit.old, culprit.new or ""
        quoted = quote(self.members.files, old, new, terms, called=called, together=together)
        quoted = quoted or quote(self.members.described, old, new, terms, called=called, together=together)
        return self._excerpts(culprit, quoted)

    def announced_before(self, culprit: Culprit, term: str) -> tuple[Excerpt, ...]:
        """What they said of ``term`` up to the last good version: that it is to go, and what to do."""
        quoted = announced_before(self.members.files, culprit.old, term) or announced_before(
            self.members.described, culprit.old, term
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
    members = read_changelogs(path, culprit.old, culprit.new or "", what=archive)
    return None if members is None else ChangelogFiles(archive=archive, members=members)
