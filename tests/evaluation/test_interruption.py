"""A real process that evaluates a model is told to end: while the model is asked, and while tests run."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from patience import PATIENCE_S
from scripted_model import Hang, Say, ScriptedModel
from slow_tests import others_slow
from small_runner import bubblewrap

from backdate.evaluation.run_folder import load_run
from backdate.solvers.records import StopReason

pytest.importorskip("openai", reason="the extra models is not installed")
ROOT = Path(__file__).parents[2]
"""Less than a request or the tests would take; far more than ending takes on a busy machine."""
PROGRAM = ROOT / "tests/support/interrupted_run.py"


@contextmanager
def started(folder: Path, url: str, seconds: str = "0") -> Iterator[subprocess.Popen[str]]:
    """The process, from the moment at which it begins with a task; killed when it is left."""
    bubblewrap()
    environment = {
        **os.environ,
        "PYTHONPATH": f"{ROOT / 'src'}:{PROGRAM.parent}",
        "OPENAI_API_KEY": "sk-test-key",
        "TMPDIR": str(folder.parent),
    }
    command = [sys.executable, str(PROGRAM), str(folder), url, seconds]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "working\n"
            yield process
        finally:
            process.kill()


def left_of(folder: Path) -> list[str]:
    """The processes whose command names something in ``folder``."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            command = path.read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue  # it ended
        if str(folder) in command and "interrupted_run.py" not in command:
            found.append(command)
    return found


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < deadline, "it never came to that"
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.parametrize("which", [signal.SIGINT, signal.SIGTERM])
def test_a_process_that_waits_for_its_model_ends_and_goes_on_later(tmp_path, which) -> None:
    folder = tmp_path / "run"
    with ScriptedModel(lambda body: Hang()) as server, started(folder, server.url) as process:
        wait_until(lambda: len(server.requests) >= 2 or process.poll() is not None)
        process.send_signal(which)
        # the server does not answer, and the client would wait for five minutes
        assert process.wait(timeout=PATIENCE_S) == (130 if which is signal.SIGINT else -which)
    assert not list(folder.glob("records/*"))
    wait_until(lambda: left_of(tmp_path) == [])
    with ScriptedModel([Say("I give up.")] * 4) as server, started(folder, server.url) as again:
        assert again.wait(timeout=PATIENCE_S) == 0
    _, records = load_run(folder)
    assert [one.ending for one in records] == [StopReason.CALLS, StopReason.CALLS]


@pytest.mark.slow
@pytest.mark.parametrize("which", others_slow([signal.SIGINT, signal.SIGTERM], kept={signal.SIGTERM}))
def test_a_process_that_runs_tests_leaves_no_sandbox_behind(tmp_path, which) -> None:
    folder = tmp_path / "run"
    with started(folder, "http://127.0.0.1:9/v1", "600") as process:
        wait_until(lambda: left_of(tmp_path) != [] or process.poll() is not None)
        process.send_signal(which)
        process.wait(timeout=PATIENCE_S)
    wait_until(lambda: left_of(tmp_path) == [])
    assert not list(folder.glob("records/*"))
