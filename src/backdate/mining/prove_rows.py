"""Building the environments in which mined rows are proven, and asking them."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from itertools import zip_longest
from pathlib import Path

import msgspec
from packaging.version import Version

from backdate.checking.build_environment import build_project_environment
from backdate.checking.resources import Resources
from backdate.diagnosis.api import MOST_NAMES, Member, probe
from backdate.environments.environment import BuildFailure
from backdate.knowledge.change_rows import ChangeRow, ChangesFile
from backdate.mining.prove import HAS_IT, lacking, names_to_ask, proven_rows
from backdate.progress import NO_PROGRESS, Reporter
from backdate.projects.sources.listing import fetch_listing
from backdate.text import UNREADABLE, first_line
from backdate.timeline.instants import Instant


def prove_rows(resources: Resources, file: ChangesFile, *, progress: Reporter = NO_PROGRESS) -> ChangesFile:
    """``file`` with its rows proven as far as environments with each release and an older one say so.

    The environments are those as of two days after the release. The one of the release before in the file is
    the older one, too, for the names that it has; for others one with what is right before is built. What a
    release still has is asked of the next one in the file. Raises
    SourceError and IndexUnavailable where the index does not tell, SandboxUnavailable.
    """
    uploaded: dict[Version, Instant] = {}
    for listed in fetch_listing(resources.index, file.distribution):
        known = uploaded.get(listed.version)
        uploaded[listed.version] = min(listed.uploaded, known) if known else listed.uploaded
    rows: defaultdict[Version, list[ChangeRow]] = defaultdict(list)
    proven: list[ChangeRow] = []
    for row in file.change:
        version = _version(row.since)
        if version is None or version not in uploaded:
            proven.append(_unproven(row, "the index does not list the release"))
        else:
            rows[version].append(row)
    prover = _Prover(
        resources=resources, distribution=file.distribution, beside=file.with_, progress=progress
    )
    older: dict[str, Member] = {}
    releases = sorted(rows)
    for version, following in zip_longest(releases, releases[1:]):
        also = names_to_ask([*rows[version], *rows[following]]).old if following else ()
        at = uploaded[version] + timedelta(days=2)
        made, older = prover.of_release(rows[version], at, older, also=also)
        for row in made:
            if row.unproven == HAS_IT and following:
                later = msgspec.structs.replace(row, since=str(following), unproven="")
                rows[following].append(later)
            else:
                proven.append(row)
    return msgspec.structs.replace(file, change=tuple(sorted(proven, key=_in_order)))


def _in_order(row: ChangeRow) -> tuple[bool, Version, str, str]:
    """What is proven first, from the oldest release."""
    return bool(row.unproven), _version(row.since) or Version("0"), row.module, row.kind


def _version(text: str) -> Version | None:
    try:
        return Version(text)
    except UNREADABLE:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prover:
    """Builds and asks the environments of one distribution."""

    resources: Resources
    distribution: str
    beside: tuple[str, ...]
    """Further requirements, such as the distribution that has the new names."""
    progress: Reporter

    def of_release(
        self, rows: list[ChangeRow], at: Instant, older: dict[str, Member], *, also: tuple[str, ...]
    ) -> tuple[list[ChangeRow], dict[str, Member]]:
        """The rows of one release, proven or not, and what its environment says of their names and ``also``.

        ``older``: what an environment of an older release says.
        """
        since = rows[0].since
        asked = names_to_ask(rows)
        new, python = self._ask(f"{self.distribution}=={since}", at, (*asked.new, *also), None)
        if isinstance(new, str):
            return [_unproven(row, new) for row in rows], {}
        unlike = {subject for row in rows for subject in lacking(row, older)}
        missing = tuple(
            name for name in asked.old if name not in older or not older[name].present or name in unlike
        )
        if missing:
            before, _ = self._ask(f"{self.distribution}<{since}", at, missing, python)
            if isinstance(before, str):
                return [_unproven(row, before) for row in rows], new
            older = older | before
        return [proven for row in rows for proven in proven_rows(row, older, new)], new

    def _ask(
        self, requirement: str, at: Instant, names: tuple[str, ...], python: str | None
    ) -> tuple[dict[str, Member] | str, str | None]:
        """What an environment says of ``names``, or why there is none; and its Python."""
        with tempfile.TemporaryDirectory(prefix="backdate-prove-") as temporary:
            built = build_project_environment(
                self.resources,
                "",
                instant=at,
                output=Path(temporary, "environment"),
                packages=(requirement, *self.beside),
                python=python,
                progress=self.progress,
            )
            if built.environment is None:
                return _why(built.failure, requirement), python
            minor = ".".join(built.environment.choice.interpreter.version.split(".")[:2])
            found: dict[str, Member] = {}
            for start in range(0, len(names), MOST_NAMES):
                asked = probe(self.resources.sandbox, built.environment, names[start : start + MOST_NAMES])
                found.update((member.name, member) for member in asked.members)
            return found, minor


def _unproven(row: ChangeRow, why: str) -> ChangeRow:
    return msgspec.structs.replace(row, unproven=why)


def _why(failure: BuildFailure | None, requirement: str) -> str:
    said = first_line(failure.message) if failure else ""
    return f"{requirement} does not install: {said}"[:200]
