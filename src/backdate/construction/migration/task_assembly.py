"""Assembling a task from the results for a candidate. A pure function."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backdate.checking.error_identity import normalised_line
from backdate.checking.result import Side
from backdate.construction.candidate import Candidate
from backdate.construction.migration.evidence import LaterRevisionEvidence
from backdate.construction.migration.examine import Examined
from backdate.construction.plan import BuildPlan
from backdate.diagnosis.result import Cluster
from backdate.projects.sources.published_address import published_address
from backdate.tasks.roles import ProvenRoles
from backdate.tasks.task import (
    KnownCulprit,
    MigrationFacts,
    Patches,
    Proof,
    RecipeSetup,
    Statistics,
    Task,
    TaskEnvironment,
    TaskSource,
)
from backdate.timeline.instants import now
from backdate.version import __version__


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskParts:
    """All that a task is parts of."""

    candidate: Candidate
    examined: Examined
    plan: BuildPlan
    old: Side
    new: Side
    unpinning: str
    proven: ProvenRoles
    clusters: tuple[Cluster, ...]
    related: tuple[str, ...]
    evidence: LaterRevisionEvidence
    culprits: tuple[KnownCulprit, ...]
    notes: tuple[str, ...]


def instance_id(candidate: Candidate, examined: Examined) -> str:
    """``owner__name-`` and twelve digits of the commit; for an sdist ``name-version``."""
    name = (
        re.sub(r"[^A-Za-z0-9._-]+|(?<=\.)\.+", "_", candidate.name.replace("/", "__")).strip(".-")[:150]
        or "project"
    )
    if candidate.kind == "sdist":
        return f"{name}-{examined.revision}"
    return f"{name}-{(examined.revision or examined.digest)[:12]}"


def make_task(parts: TaskParts) -> Task:
    """The task, with the proof of it."""
    candidate, examined = parts.candidate, parts.examined
    files = {
        result.file
        for side in (parts.old, parts.new)
        if side.run
        for result in side.run.results
        if result.file
    }
    test_files = tuple(sorted({*examined.test_files, *files}))
    return Task(
        instance_id=instance_id(candidate, examined),
        source=TaskSource(
            kind="sdist" if candidate.kind == "sdist" else "git",
            name=candidate.name,
            url=published_address(examined.url),
            revision=examined.revision,
            sha256=examined.sha256,
            version=examined.version_hint,
            license=examined.license,
            stars=candidate.stars,
        ),
        facts=MigrationFacts(
            old=_side(parts.old),
            causes=tuple(_cause(cluster) for cluster in parts.clusters),
            culprits=parts.culprits,
        ),
        environment=_side(parts.new),
        setup=RecipeSetup(recipe=parts.new.recipe),
        patches=Patches(preparation=parts.unpinning),
        test_files=test_files,
        tests=parts.proven.tests,
        related_libraries=parts.related,
        statistics=Statistics(
            python_files=examined.python_files,
            python_lines=examined.python_lines,
            test_files=len(test_files),
            tests=len(parts.proven.tests),
        ),
        proof=Proof(
            backdate=__version__,
            proven=now(),
            repeats=parts.plan.repeats,
            origin="pass",
            start="fail",
            reference="none",
            solvable="later commit" if parts.evidence.solvable else "unproven",
            notes=_notes(parts),
        ),
    )


def _side(side: Side) -> TaskEnvironment:
    """The environment with the interpreter that the rule asks for, or with the one that ran when that has
    another minor version: a proof on another machine must prove the same.
    """
    used = side.choice.interpreter.version
    same_minor = used.split(".")[:2] == side.choice.wanted.split(".")[:2]
    lock = side.environment.lock.distributions if side.environment is not None else ()
    return TaskEnvironment(
        instant=side.instant,
        python=side.choice.wanted if same_minor else used,
        distributions=tuple(sorted(lock, key=lambda distribution: distribution.name)),
    )


def _cause(cluster: Cluster) -> str:
    message = normalised_line(cluster.cause.message)  # without the places of one machine's environments
    raised = f"{cluster.cause.type}: {message}" if message else cluster.cause.type
    return f"{cluster.cause.kind.value}: {raised or 'no exception is known'}"


def _notes(parts: TaskParts) -> tuple[str, ...]:
    flaky = parts.proven.flaky
    notes = [*parts.notes, f"solvable: {parts.evidence.note}"]
    if flaky:
        notes.append(f"flaky and not counted: {', '.join(flaky[:20])}")
    if parts.examined.missing:
        notes.append(f"not in the source: {', '.join(parts.examined.missing[:20])}")
    repeats = max(parts.plan.repeats, parts.plan.changed_repeats)
    notes.append(f"fail-to-pass tests were run {repeats} times on each side")
    return tuple(notes)
