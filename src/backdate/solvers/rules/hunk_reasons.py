"""Why each line of a finished patch is changed: the change that wrote it, and what that is to mend."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.encodings import split_lines
from backdate.editing.line_maps import line_units
from backdate.environments.environment import Environment
from backdate.knowledge.changes import PYTHON
from backdate.solvers.reasons import HunkReason
from backdate.solvers.rules.applying import Texts
from backdate.solvers.rules.changes import StandingChange
from backdate.solvers.rules.proposals import FixEvidence
from backdate.text import first_line

_MOST_TESTS = 20


def hunk_reasons(
    first: Mapping[str, str],
    texts: Texts,
    changes: Sequence[StandingChange],
    evidence: FixEvidence | None,
    environment: Environment | None,
) -> tuple[HunkReason, ...]:
    """The reasons of all changed lines of ``texts``, in the order of the patch.

    ``first``: the files as they were. ``environment``: the new side's, which knows when releases appeared.
    """
    return tuple(
        reason
        for file in sorted(texts)
        for reason in _of_file(file, first[file], texts[file], changes, evidence, environment)
    )


def _of_file(
    file: str,
    old: str,
    new: str,
    changes: Sequence[StandingChange],
    evidence: FixEvidence | None,
    environment: Environment | None,
) -> Iterator[HunkReason]:
    for old_start, old_end, new_start, new_end in line_units(split_lines(old), split_lines(new)):
        lines = {
            SourcePlace(file=file, line=line)
            for line in range(new_start + 1, max(new_end, new_start + 1) + 1)
        }
        change = next((change for change in changes if lines & change.lines), None)
        if change is not None:
            added = old_start == old_end
            yield _reason(
                change,
                file,
                (old_start, old_start - 1) if added else (old_start + 1, old_end),
                evidence,
                environment,
            )


def _reason(
    change: StandingChange,
    file: str,
    lines: tuple[int, int],
    evidence: FixEvidence | None,
    environment: Environment | None,
) -> HunkReason:
    proposal, group = change.planned.proposal, change.planned.group
    distribution = proposal.distribution or (group.cause.distribution or "").lower()
    distribution = PYTHON if distribution == "builtin" else distribution
    old_version, new_version = evidence.versions.get(distribution, ("", "")) if evidence else ("", "")
    locked = environment.lock.distributions if environment is not None else ()
    released = next((each.uploaded for each in locked if each.name == distribution), None)
    cause = group.cause
    return HunkReason(
        file=file,
        first_line=lines[0],
        last_line=lines[1],
        origin=proposal.origin,
        rule=proposal.rule,
        cause=error_line(cause),
        tests=group.tests[:_MOST_TESTS],
        failed=len(group.tests),
        caught=group.caught,
        distribution=distribution,
        old_version=old_version,
        new_version=new_version,
        released=released,
        evidence=proposal.why,
    )


def error_line(cause: Cause) -> str:
    """The error in one line, without the file that Python names behind an import's error."""
    line = first_line(cause.message, most=300)
    head, opening, path = line.rpartition(" (")
    if (
        opening
        and cause.kind is CauseKind.MISSING_NAME
        and (path.startswith("/") or path == "unknown location)")
    ):
        line = head
    return ": ".join(filter(None, (cause.type, line)))
