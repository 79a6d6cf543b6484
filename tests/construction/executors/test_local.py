"""Processes of this machine: answers, and processes that are lost."""

from __future__ import annotations

import os
import signal
import time
from datetime import UTC, datetime
from multiprocessing import active_children
from pathlib import Path

import pytest

from backdate.construction.candidate import Candidate
from backdate.construction.executors.local import LocalPool
from backdate.construction.job import Job, JobResult
from backdate.construction.plan import BuildPlan, WorkerConfig
from backdate.serial import from_json, to_json


def job(folder: Path, number: int) -> bytes:
    return to_json(
        Job(
            number=number,
            kind="examine",
            candidate=Candidate(kind="folder", name="x", location=str(folder / "gone")),
            plan=BuildPlan(target=datetime(2025, 1, 1, tzinfo=UTC)),
            place=WorkerConfig(cache=folder / "cache", store=str(folder / "store")),
        )
    )


@pytest.mark.slow
def test_answers_come_back_and_a_lost_process_is_told(tmp_path: Path) -> None:
    pool = LocalPool(1)
    try:
        pool.submit(1, job(tmp_path, 1))
        (first,) = pool.collect(60)
        assert first.answer is not None
        answer = from_json(JobResult, first.answer)
        assert answer.exclusion is not None
        assert answer.exclusion.stage == "source"
        pool.submit(2, job(tmp_path, 2))
        for process in active_children():
            assert process.pid is not None
            os.kill(process.pid, signal.SIGKILL)
        lost = pool.collect(60)
        assert [one.number for one in lost] == [2]
        time.sleep(0.1)
        pool.submit(3, job(tmp_path, 3))
        (third,) = pool.collect(60)
        assert third.answer is not None
    finally:
        pool.close(at_once=True)
