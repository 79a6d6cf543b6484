"""The audit line of a task: by what its outcome was come to, short enough to publish beside a score."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from backdate.evaluation.scores import Score, ScoreOutcome
from backdate.serial import to_json, write_whole
from backdate.tasks.judge_runs.deciding import JudgeVerdict
from backdate.testing.integrity import IntegrityReason, Witnessing

AUDIT_FILE = "audit.jsonl"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditLine:
    """By what the outcome of one task was come to."""

    instance_id: str
    outcome: ScoreOutcome
    reason: str
    forged: bool
    strictly: bool
    """Whether it counts as solved under ``--strict``."""
    witness: Witnessing
    """Of the test run; "not-witnessed" without one."""
    witness_reasons: tuple[IntegrityReason, ...]
    canaries: int
    """How many came out as they must."""
    bodies: int | None
    """Of how many passed tests the body was seen to run; None when nobody looked."""
    judge: JudgeVerdict
    judge_seed: int | None
    changed: int
    """Tests that were changed in secret."""
    controls: int
    flags: tuple[str, ...]
    environment_before: str
    environment_after: str
    """Digests of what the tests ran in; empty without a run."""


def audit_line(score: Score) -> AuditLine:
    """The audit line of ``score``."""
    integrity, judge, environment = score.integrity, score.judge, score.environment
    return AuditLine(
        instance_id=score.instance_id,
        outcome=score.outcome,
        reason=score.reason,
        forged=score.outcome is ScoreOutcome.FORGED,
        strictly=score.solved_strictly,
        witness=Witnessing.NOT_WITNESSED if integrity is None else integrity.state,
        witness_reasons=() if integrity is None else integrity.reasons,
        canaries=0 if integrity is None else integrity.canaries,
        bodies=None if integrity is None else integrity.bodies,
        judge=JudgeVerdict.NOT_JUDGED if judge is None else judge.verdict,
        judge_seed=None if judge is None else judge.seed,
        changed=0 if judge is None else len(judge.changed),
        controls=0 if judge is None else judge.controls,
        flags=tuple(dict.fromkeys(flag.kind.value for flag in score.flags)),
        environment_before="" if environment is None else environment.before,
        environment_after="" if environment is None else environment.after,
    )


def write_audit(folder: Path, scores: Iterable[Score]) -> None:
    """Write the audit lines of ``scores``, one a line, to the folder of a run."""
    lines = (to_json(audit_line(score)) for score in scores)
    write_whole(folder / AUDIT_FILE, b"".join(line.rstrip(b"\n") + b"\n" for line in lines))
