"""Reports of Django's system checks, as its runner prints them and as exceptions say them."""

from __future__ import annotations

from pathlib import Path

from builders import ENFORCED

from backdate.diagnosis.messages import read_hint
from backdate.sandboxes.interface import RunResult, RunStatus
from backdate.testing.assembly import Capture
from backdate.testing.check_reports import check_errors, errors_first
from backdate.testing.outcomes import Raised
from backdate.testing.verdict import reach_verdict

ERRORS = (
    "app.Model.flag: (fields.E903) NullBooleanField is removed except for support in historical migrations.\n"
    "HINT: Use BooleanField(null=True, blank=True) instead.\n"
    "app.Other.data: (fields.E904) JSONField is removed."
)
WARNINGS = "\n".join(
    f"app.Model{n}: (models.W042) Auto-created primary key used.\n\tHINT: Set it." for n in range(40)
)
REPORT = (
    "System check identified some issues:\n\nERRORS:\n"
    + ERRORS.replace("HINT", "\tHINT")
    + f"\n\nWARNINGS:\n{WARNINGS}\n\nSystem check identified 42 issues (0 silenced).\n"
)
ENDED = RunResult(
    status=RunStatus.EXITED,
    exit_code=1,
    signal=None,
    duration_s=1.0,
    peak_memory_bytes=None,
    dropped_log_bytes=0,
    enforced=ENFORCED,
)
TYPE = "django.core.management.base.SystemCheckError"


def test_a_runner_that_checks_refuse_ends_with_the_errors_and_not_with_the_warnings(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text(f"Found 3 test(s).\nSystemCheckError: {REPORT}")
    verdict = reach_verdict(ENDED, Capture(), (), (), log)
    (raised,) = verdict.raised
    assert (verdict.status, raised.type, raised.message) == ("broken", TYPE, ERRORS)
    assert "(fields.E903)" in verdict.trouble.split("The log ends:")[0]
    assert read_hint(raised.message) == "HINT: Use BooleanField(null=True, blank=True) instead."


def test_a_traceback_that_ends_with_them_keeps_its_lines(tmp_path: Path) -> None:
    log = tmp_path / "log"
    frame = '  File "/app/manage.py", line 9, in <module>\n    run()\n'
    log.write_text(f"Traceback (most recent call last):\n{frame}{TYPE}: {REPORT}")
    (raised,) = reach_verdict(ENDED, Capture(), (), (), log, root="/app").raised
    assert (raised.message, raised.frames[0].file) == (ERRORS, "manage.py")


def test_warnings_alone_refuse_nothing(tmp_path: Path) -> None:
    report = f"System check identified some issues:\n\nWARNINGS:\n{WARNINGS}\n"
    assert check_errors(report) == ""
    log = tmp_path / "log"
    log.write_text(f"{report}\nTraceback (most recent call last):\nKeyError: 1\n")
    (raised,) = reach_verdict(ENDED, Capture(), (), (), log).raised
    assert (raised.type, raised.message) == ("KeyError", "1")


def test_what_a_test_raised_says_the_errors_first() -> None:
    other = Raised(type="ValueError", message=REPORT, frames=())
    assert errors_first((other,)) == (other,)
    assert errors_first(()) == ()
    own = Raised(type=TYPE, message=REPORT, frames=())
    assert errors_first((other, own))[-1].message == ERRORS
