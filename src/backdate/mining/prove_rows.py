"""Building the environments in which mined rows are proven, and asking them."""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import msgspec
from packaging.version import Version

from backdate.checking.build_environment import build_project_environment
from backdate.checking.resources import Resources
from backdate.diagnosis.api import MOST_NAMES, Member, probe
from backdate.environments.environment import BuildFailure, Environment
from backdate.knowledge.schema import ChangeRow, ChangesFile
from backdate.mining.prove import names_to_ask, proven_rows
from backdate.progress import NO_PROGRESS, Reporter
from backdate.projects.sources.listing import fetch_listing
from backdate.text import UNREADABLE, first_line
from backdate.timeline.instants import Instant


def prove_rows(resources: Resources, file: ChangesFile, *, progress: Reporter = NO_PROGRESS) -> ChangesFile:
    """``file`` with its rows proven as far as two environments for each release say so.

    The environments are those as of two days after the release: one with what is older, one with it. Raises
    SourceError and IndexUnavailable where the index does not tell, SandboxUnavailable.
    """
    uploaded: dict[Version, Instant] = {}
    for listed in fetch_listing(resources.index, file.distribution):
        known = uploaded.get(listed.version)
        uploaded[listed.version] = min(listed.uploaded, known) if known else listed.uploaded
    rows: defaultdict[str, list[ChangeRow]] = defaultdict(list)
    for row in file.change:
        rows[row.since].append(row)
    proven = [
        row
        for since, members in rows.items()
        for row in _of_release(resources, file.distribution, since, members, uploaded, progress)
    ]
    return msgspec.structs.replace(file, change=tuple(sorted(proven, key=lambda row: bool(row.unproven))))


def _of_release(
    resources: Resources,
    distribution: str,
    since: str,
    rows: list[ChangeRow],
    uploaded: dict[Version, Instant],
    progress: Reporter,
) -> Iterator[ChangeRow]:
    try:
        at = uploaded[Version(since)] + timedelta(days=2)
    except (*UNREADABLE, KeyError):
        yield from (_unproven(row, "the index does not list the release") for row in rows)
        return
    asked = names_to_ask(rows)
    answers: list[dict[str, Member]] = []
    python: str | None = None
    for requirement, names in (
        (f"{distribution}=={since}", asked.new),
        (f"{distribution}<{since}", asked.old),
    ):
        with tempfile.TemporaryDirectory(prefix="backdate-prove-") as temporary:
            built = build_project_environment(
                resources,
                "",
                instant=at,
                output=Path(temporary, "environment"),
                packages=(requirement,),
                python=python,
                progress=progress,
            )
            if built.environment is None:
                yield from (_unproven(row, _why(built.failure, requirement)) for row in rows)
                return
            python = ".".join(built.environment.choice.interpreter.version.split(".")[:2])
            answers.append(_ask(resources, built.environment, names))
    new, old = answers
    for row in rows:
        yield from proven_rows(row, old, new)


def _ask(resources: Resources, environment: Environment, names: tuple[str, ...]) -> dict[str, Member]:
    found: dict[str, Member] = {}
    for start in range(0, len(names), MOST_NAMES):
        asked = probe(resources.sandbox, environment, names[start : start + MOST_NAMES])
        found.update((member.name, member) for member in asked.members)
    return found


def _unproven(row: ChangeRow, why: str) -> ChangeRow:
    return msgspec.structs.replace(row, unproven=why)


def _why(failure: BuildFailure | None, requirement: str) -> str:
    said = first_line(failure.message) if failure else ""
    return f"{requirement} does not install: {said}"[:200]
