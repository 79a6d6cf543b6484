"""What a log says is a reason to look at the machine and the index, and never enough."""

from __future__ import annotations

import os
from pathlib import Path
from signal import SIGXFSZ
from types import SimpleNamespace

import pytest

from backdate.environments import at_fault
from backdate.environments.at_fault import Limit, LimitMet, limit_that_was_met, require_index, require_machine
from backdate.environments.environment import LimitEvidence
from backdate.errors import DiskFull, IndexUnavailable, MachineError
from backdate.sandboxes.interface import MIB, Enforced, RunResult, RunStatus

DOWN = "http://127.0.0.1:9/simple"
SAYS_DOWN = f"error: Failed to fetch: `{DOWN}/thing/`\n  Caused by: Connection refused (os error 111)"
SAYS_FULL = "error: No space left on device (os error 28)"
SAYS_LARGE = "OSError: [Errno 27] File too large: '/build/model.bin'"


def run(status: RunStatus = RunStatus.EXITED, signal: int | None = None) -> RunResult:
    enforced = Enforced(
        sandbox="bwrap",
        memory="tree",
        processes="tree",
        disk="watched",
        network="gateway",
        files="isolated",
        seccomp="on",
    )
    return RunResult(
        status=status,
        exit_code=1,
        signal=signal,
        duration_s=1.0,
        peak_memory_bytes=None,
        dropped_log_bytes=0,
        enforced=enforced,
    )


def free(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: SimpleNamespace(f_bavail=size, f_frsize=1))


@pytest.mark.parametrize(
    ("left", "log", "is_full"),
    [
        (MIB - 1, "", True),
        (MIB, "", False),
        (1023 * MIB, SAYS_FULL, True),  # the build took the rest, and gave it back when it failed
        (1024 * MIB, SAYS_FULL, False),  # the project says it, or its part of memory is full
    ],
)
def test_a_full_disk_is_looked_at(
    left: int, log: str, is_full: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    free(monkeypatch, left)
    if is_full:
        with pytest.raises(DiskFull, match="--cache"):
            require_machine(run(), log, tmp_path)
    else:
        require_machine(run(), log, tmp_path)


def test_a_sandbox_that_does_not_start_is_the_machines_fault(tmp_path: Path) -> None:
    with pytest.raises(MachineError, match=r"did not start: no such mount"):
        require_machine(run(RunStatus.SANDBOX_ERROR), "no such mount", tmp_path)


def test_an_index_that_is_down_is_asked_again() -> None:
    with pytest.raises(IndexUnavailable, match="--index-url"):
        require_index(SAYS_DOWN, DOWN)


def test_it_is_asked_for_what_the_log_names(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    class Lacking:
        def __enter__(self) -> Lacking:
            return self

        def __exit__(self, *_: object) -> None: ...

        def project_page(self, name: str) -> None:
            asked.append(name)
            if name == "tool":
                raise IndexUnavailable("it is not in the bundle")

    monkeypatch.setattr(at_fault, "open_index", lambda *_: Lacking())
    require_index(f"{SAYS_DOWN}\n{DOWN}/../x/ {DOWN}/-/", DOWN)
    assert asked == ["thing"]
    with pytest.raises(IndexUnavailable):
        require_index(SAYS_DOWN.replace("/thing/", "/tool/"), DOWN)


def test_an_index_that_answers_is_not_down(monkeypatch: pytest.MonkeyPatch) -> None:
    class Answering:
        def __enter__(self) -> Answering:
            return self

        def __exit__(self, *_: object) -> None: ...

        def project_page(self, _: str) -> None: ...

    monkeypatch.setattr(at_fault, "open_index", lambda *_: Answering())
    require_index(SAYS_DOWN, DOWN)


def test_another_server_that_is_down_is_the_projects_matter() -> None:
    require_index(SAYS_DOWN.replace(DOWN, "http://127.0.0.1:9/own"), DOWN)


@pytest.mark.parametrize(
    ("status", "log", "limit"),
    [
        (RunStatus.EXITED, "", None),
        (RunStatus.EXITED, SAYS_LARGE, ("disk", "told")),
        (RunStatus.EXITED, SAYS_FULL, ("disk", "told")),
        (RunStatus.DISK_LIMIT, "", ("disk", "measured")),
        (RunStatus.TIMEOUT, SAYS_LARGE, ("timeout", "measured")),
        (RunStatus.OOM, SAYS_FULL, ("oom", "measured")),
    ],
)
def test_what_only_the_log_says_of_a_limit_is_told(
    status: RunStatus, log: str, limit: tuple[Limit, LimitEvidence] | None
) -> None:
    expected = None if limit is None else LimitMet(limit=limit[0], evidence=limit[1])
    assert limit_that_was_met(run(status), log) == expected


def test_a_signal_that_the_build_can_send_itself_measures_nothing() -> None:
    assert limit_that_was_met(run(RunStatus.DISK_LIMIT, SIGXFSZ), "") == LimitMet(
        limit="disk", evidence="told"
    )
