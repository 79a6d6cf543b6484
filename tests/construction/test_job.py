"""What a job's trouble means for the build."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.construction import job as job_module
from backdate.construction.candidate import Candidate
from backdate.construction.job import Job, run_job
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
    ("error", "fatal"),
    [
        (SourceError("a link that leads out"), False),
        (ConfigurationError("pyproject.toml is a link that leads out of the project"), False),
        (IndexUnavailable("it is slow"), False),
        (UsageError("no such store"), True),
        (DiskFull("no space"), True),
        (SandboxUnavailable("no bubblewrap"), True),
    ],
)
def test_what_one_project_holds_does_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: Exception, fatal: bool
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
    assert (answer.fatal, answer.bug) == (fatal, False)
    assert str(error) in (answer.trouble or "")
