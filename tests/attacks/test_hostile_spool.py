"""Who may write to the folder of a cluster's workers plants links, pipes and answers of their own in it."""

from __future__ import annotations

import os
import pickle
import threading
from pathlib import Path

import pytest

from backdate.construction.executors import spool as module
from backdate.construction.executors.spool import Spool, work
from backdate.construction.job import JobResult
from backdate.errors import BackdateError, StoredDataError
from backdate.serial import from_json

SECRET = b"root:$6$of-the-host:19000::::::"


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "shadow"
    path.write_bytes(SECRET)
    return path


class _Runs:
    """What runs a command where it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, (f"touch {self.path}",)


@pytest.mark.parametrize("plant", ["link", "pipe", "folder", "endless"])
def test_an_answer_that_is_no_file_is_refused(plant: str, victim: Path, tmp_path: Path) -> None:
    spool = Spool(tmp_path / "spool")
    spool.submit(1, b"{}")
    answer = tmp_path / "spool" / "answers" / "1.json"
    match plant:
        case "link":
            answer.symlink_to(victim)
        case "pipe":
            os.mkfifo(answer)  # reading it would wait for ever
        case "folder":
            answer.mkdir()
        case "endless":
            with answer.open("wb") as file:
                file.truncate(1 << 40)
    with pytest.raises(BackdateError, match=r"1\.json"):
        spool.collect(0)


def test_an_answer_runs_nothing(tmp_path: Path) -> None:
    """Answers are JSON: neither a pickle nor a value of another type is taken."""
    for answer in (pickle.dumps(_Runs(tmp_path / "ran")), b"[]", b'{"number": "x"}', b"\xff", b"[" * 100_000):
        with pytest.raises(StoredDataError):
            from_json(JobResult, answer, what="an answer")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("plant", ["link", "pipe"])
def test_a_worker_takes_no_such_job(
    plant: str, victim: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "spool"
    Spool(folder).close(at_once=True)
    seen: list[bytes] = []
    monkeypatch.setattr(module, "run_bytes", lambda job: seen.append(job) or b"{}")
    job = folder / "jobs" / "7.json"
    if plant == "link":
        job.symlink_to(victim)
    else:
        os.mkfifo(job)
    with pytest.raises(BackdateError, match=r"7\.json"):
        work(folder, most=1)
    assert seen == []
    assert list((folder / "answers").iterdir()) == []


def test_an_answer_is_not_written_through_a_link(victim: Path, tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / "spool"
    spool = Spool(folder)
    spool.submit(3, b"{}")
    monkeypatch.setattr(module, "run_bytes", lambda _job: b"the answer")
    (folder / "answers" / ".3.json").symlink_to(victim)
    worker = threading.Thread(target=work, args=(folder,), kwargs={"most": 1})
    worker.start()
    worker.join()
    assert [one.answer for one in spool.collect(5)] == [b"the answer"]
    assert victim.read_bytes() == SECRET


def test_a_claim_that_is_a_link_touches_nothing(victim: Path, tmp_path: Path, monkeypatch) -> None:
    folder = tmp_path / "spool"
    spool = Spool(folder, lease_s=60)
    spool.submit(4, b"{}")
    os.utime(victim, (1, 1))
    (folder / "claims" / "4").symlink_to(victim)
    (folder / "clock").unlink(missing_ok=True)
    (folder / "clock").symlink_to(victim)
    with pytest.raises(BackdateError, match="clock"):
        spool.collect(0)
    assert victim.stat().st_mtime == 1
    assert victim.read_bytes() == SECRET
