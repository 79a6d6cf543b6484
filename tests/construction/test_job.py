"""What a job's trouble means for the build."""

from __future__ import annotations

import errno
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.construction import job as job_module
from backdate.construction.candidate import Candidate
from backdate.construction.job import Job, TroubleKind, run_job
from backdate.construction.plan import BuildPlan, WorkerConfig
from backdate.errors import (
    ConfigurationError,
    DiskFull,
    IndexUnavailable,
    SandboxUnavailable,
    SourceError,
    UsageError,
)


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (SourceError("a link that leads out"), TroubleKind.TRY_AGAIN),
        (ConfigurationError("pyproject.toml is a link that leads out of the project"), TroubleKind.TRY_AGAIN),
        (IndexUnavailable("it is slow"), TroubleKind.TRY_AGAIN),
        (UsageError("no such store"), TroubleKind.MACHINE),
        (DiskFull("no space"), TroubleKind.DISK_FULL),
        (OSError(errno.ENOSPC, "no space"), TroubleKind.DISK_FULL),
        (OSError(errno.EIO, "a bad disk"), TroubleKind.TRY_AGAIN),
        (ValueError("nobody expected it"), TroubleKind.DEFECT),
        (SandboxUnavailable("no bubblewrap"), TroubleKind.MACHINE),
    ],
)
def test_what_one_project_holds_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, kind: TroubleKind
) -> None:
    def examine(*_: object) -> None:
        raise error

    monkeypatch.setattr(job_module, "examine", examine)
    job = Job(
        number=1,
        kind="examine",
        candidate=Candidate(kind="folder", name="one", location="one"),
        plan=BuildPlan(target=datetime(2025, 1, 1, tzinfo=UTC)),
        place=WorkerConfig(cache=tmp_path / "cache", store=str(tmp_path / "store")),
    )
    answer = run_job(job)
    assert answer.trouble is not None
    assert answer.trouble.kind is kind
    assert (error.strerror if isinstance(error, OSError) else str(error)) in answer.trouble.text
