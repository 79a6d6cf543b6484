"""How a whole run ended, and what about it cannot be trusted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from builders import ENFORCED

from backdate.sandboxes.interface import RunResult, RunStatus
from backdate.testing.assembly import Capture, CaseRecord
from backdate.testing.ending import describe_end, ending_of
from backdate.testing.judging import judge
from backdate.testing.outcomes import Outcome, Raised
from backdate.testing.suspicions import find_suspicions
from backdate.testing.verdict import reach_verdict
from backdate.testing.wire import Finish, Interrupted, Phase, RunnerBroken


def ended(status: RunStatus = RunStatus.EXITED, code: int | None = 0, signal: int | None = None) -> RunResult:
    return RunResult(
        status=status,
        exit_code=code,
        signal=signal,
        duration_s=1.0,
        peak_memory_bytes=None,
        dropped_log_bytes=0,
        enforced=ENFORCED,
    )


def finish(status: int = 0, collected: int = 1, failed: int = 0) -> Finish:
    return Finish(pid=1, exit_status=status, collected=collected, failed=failed, stopped="")


def record(outcome: str | None = "passed", *, ended: bool = True) -> CaseRecord:
    phases = (
        ()
        if outcome is None
        else (
            Phase(pid=1, id="t", when="call", outcome=outcome, xfail=None, sub=False, reason="", raised=()),
        )
    )
    return CaseRecord(id="t", file=None, phases=phases, ended=ended, duration_s=0.0)


ONE = Capture(collected=("t",), tests=(record(),))
BROKEN = RunnerBroken(pid=1, where="before the tests", raised=(Raised(type="E", message="m", frames=()),))


def status_of(
    run: RunResult, capture: Capture, missing: tuple[str, ...] = (), log: Path | None = None
) -> str:
    results = judge(capture, ending_of(capture, run))
    return reach_verdict(run, capture, results, missing, log or Path("/nonexistent")).status


def with_finish(capture: Capture, done: Finish) -> Capture:
    return Capture(collected=capture.collected, tests=capture.tests, finish=done)


@pytest.mark.parametrize(
    ("run", "capture", "missing", "status"),
    [
        (ended(), with_finish(ONE, finish()), (), "completed"),
        (ended(code=5), Capture(finish=finish(5, 0)), (), "no-tests"),
        (ended(RunStatus.TIMEOUT, None), with_finish(ONE, finish()), (), "completed"),
        (ended(RunStatus.TIMEOUT, None), ONE, (), "timeout"),
        (ended(RunStatus.OOM, None), ONE, (), "oom"),
        (ended(RunStatus.DISK_LIMIT, None), ONE, (), "disk-limit"),
        (ended(RunStatus.SANDBOX_ERROR, None), Capture(), (), "broken"),
        (ended(code=None, signal=11), ONE, (), "crashed"),
        (ended(code=None, signal=11), Capture(), (), "crashed"),
        (ended(code=1), Capture(), (), "broken"),
        (ended(code=4), Capture(broken=BROKEN, finish=finish(4, 0)), (), "broken"),
        (ended(code=3), Capture(broken=BROKEN), (), "broken"),
        (ended(code=0), ONE, (), "crashed"),
        (ended(code=2), with_finish(ONE, finish(2)), ("u",), "broken"),
        (
            ended(code=2),
            Capture(interrupted=Interrupted(pid=1, raised=()), finish=finish(2, 0)),
            (),
            "broken",
        ),
    ],
)
def test_status(run: RunResult, capture: Capture, missing: tuple[str, ...], status: str) -> None:
    assert status_of(run, capture, missing) == status


def test_the_log_says_why_nothing_was_reached(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(b"x\n" * 10_000 + b"\xffNo module named pytest\n\n")
    verdict = reach_verdict(ended(code=1), Capture(), (), (), log)
    assert "exited with status 1" in verdict.trouble
    assert verdict.trouble.endswith("No module named pytest")
    assert len(verdict.trouble) < 1000


@pytest.mark.parametrize(
    ("run", "words"),
    [
        (ended(code=None, signal=11), "killed by SIGSEGV"),
        (ended(code=None, signal=77), "killed by signal 77"),
        (ended(code=3), "exited with status 3"),
        (ended(RunStatus.OOM, None), "the memory limit struck"),
    ],
)
def test_ends_in_words(run: RunResult, words: str) -> None:
    assert words in describe_end(run)


def test_what_became_of_open_tests() -> None:
    capture = Capture(tests=(record(None, ended=False),))
    assert ending_of(capture, ended(RunStatus.TIMEOUT, None)).outcome is Outcome.TIMED_OUT
    assert ending_of(capture, ended(RunStatus.OOM, None)).outcome is Outcome.CRASHED
    broken = Capture(tests=capture.tests, broken=BROKEN)
    assert ending_of(broken, ended(code=3)).raised == BROKEN.raised


@pytest.mark.parametrize(
    ("run", "capture", "suspicion"),
    [
        (ended(), with_finish(ONE, finish()), None),
        (
            ended(),
            Capture(tests=(record("failed"),), finish=finish(failed=1)),
            "exit status 0 but 1 test was not good",
        ),
        (ended(), ONE, "exit status 0 though the runner never said that it was done"),
        (ended(code=1), with_finish(ONE, finish(1)), "exit status 1 though no test failed"),
        (ended(code=1), with_finish(ONE, finish(0)), "the runner said it would end with status 0"),
        (ended(), Capture(finish=finish(collected=3)), "collected 3 tests, but none was reported"),
        (
            ended(),
            Capture(tests=(record("failed"),), finish=finish()),
            "counted no failure, but 1 failed test",
        ),
        (ended(), Capture(after_finish=2, finish=finish(collected=0)), "2 tests started after"),
        (
            ended(),
            Capture(collected=("u",), tests=(record(),), finish=finish()),
            "1 test ran that had not been collected: t",
        ),
        (
            ended(code=1),
            Capture(tests=(record(None),), finish=finish(1)),
            "1 test ended without an outcome: t",
        ),
        (ended(), Capture(malformed=1), "1 line of the event file cannot be read"),
        (ended(), Capture(foreign=2), "2 events came from another process"),
        (ended(), Capture(contradictory=1), "1 event cannot have come from an honest runner"),
        (ended(), Capture(truncated=True), "the event file was too large"),
    ],
)
def test_suspicions(run: RunResult, capture: Capture, suspicion: str | None) -> None:
    found = find_suspicions(capture, run, judge(capture, ending_of(capture, run)))
    if suspicion is None:
        assert found == ()
    else:
        assert any(suspicion in one for one in found), found


def test_an_exit_status_of_a_process_that_is_known_to_have_died_is_no_sign() -> None:
    capture = replace(ONE, malformed=1)
    found = find_suspicions(capture, ended(), judge(capture, ending_of(capture, ended())), died=True)
    assert found == ("1 line of the event file cannot be read",)


def test_a_runner_that_dies_of_an_exception_before_any_event_is_explained_by_its_log(tmp_path: Path) -> None:
    log = tmp_path / "tests.log"
    log.write_text(
        "some words\nTraceback (most recent call last):\n"
        '  File "/env/lib/python3.12/site-packages/pytest_shutil/run.py", line 6, in <module>\n'
        '    import imp\n  File "/work/project/own.py", line 1, in <module>\n    x\n'
        "ModuleNotFoundError: No module named 'imp'\n"
    )
    verdict = reach_verdict(ended(code=1), Capture(), (), (), log, root="/work/project")
    (raised,) = verdict.raised
    assert (raised.type, raised.message) == ("ModuleNotFoundError", "No module named 'imp'")
    assert [frame.file for frame in raised.frames] == [
        "/env/lib/python3.12/site-packages/pytest_shutil/run.py",
        "own.py",
    ]
    assert "without reaching the tests: ModuleNotFoundError: No module named 'imp'" in verdict.trouble


@pytest.mark.parametrize(
    "text", ["", "usage: pytest\nerror: no such option\n", "Traceback (most recent call last):"]
)
def test_a_log_without_a_traceback_explains_nothing(tmp_path: Path, text: str) -> None:
    log = tmp_path / "tests.log"
    log.write_text(text)
    assert reach_verdict(ended(code=4), Capture(), (), (), log).raised == ()
