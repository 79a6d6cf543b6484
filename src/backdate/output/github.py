"""A report as workflow commands of GitHub Actions: annotations at the responsible lines.

Source: GitHub's page "Workflow commands for GitHub Actions", and ``@actions/core``'s ``command.ts`` for what
is escaped. GitHub shows ten errors, ten warnings and ten notices of a step: the heaviest come first.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from backdate.advice import AdvisedChange, SourcePlace
from backdate.output.advice_text import change_in_words
from backdate.output.report import FindingLevel, OutputReport, ReportedFinding, Standing, where
from backdate.reports.text import shown
from backdate.text import counted

_MOST = 10
_COMMANDS = {FindingLevel.ERROR: "error", FindingLevel.WARNING: "warning", FindingLevel.NOTE: "notice"}
_STANDINGS = {
    Standing.GOOD: FindingLevel.NOTE,
    Standing.BAD: FindingLevel.ERROR,
    Standing.UNCLEAR: FindingLevel.WARNING,
}


def github(report: OutputReport, *, folder: str = "") -> str:
    """The commands, a line each. ``folder``: where the project lies in the repository, "" for its root."""
    return "".join(f"{line}\n" for line in _commands(report, folder))


def _commands(report: OutputReport, folder: str) -> Iterator[str]:
    summary = f"{report.heading}: {report.reason}"
    yield _command(_STANDINGS[report.standing], None, report.project, summary, folder)
    left = {
        level: _MOST - (level is _STANDINGS[report.standing]) for level in FindingLevel
    }  # the summary has taken one
    for finding in report.findings:
        places = where(finding) or (None,)
        for place in places[: max(0, left[finding.level])]:
            yield _command(finding.level, place, finding.culprit or finding.rule, _message(finding), folder)
            left[finding.level] -= 1
    for change in (*report.advice.fixes, *report.advice.later):
        for place in change.places[: max(0, left[FindingLevel.NOTE])]:
            yield _command(FindingLevel.NOTE, place, "What to write", _fix(change), folder)
            left[FindingLevel.NOTE] -= 1


def _message(finding: ReportedFinding) -> str:
    tests = f" ({counted(len(finding.tests), 'test')})" if finding.tests else ""
    group = f"{finding.group}: " if finding.group else ""
    return f"{group}{finding.title}{tests}"


def _fix(change: AdvisedChange) -> str:
    return change_in_words(change, places=False)


def _command(level: FindingLevel, place: SourcePlace | None, title: str, message: str, folder: str) -> str:
    at = ""
    if place is not None:
        at = f"file={_property(str(PurePosixPath(folder, place.file)))},line={max(1, place.line)},"
    return f"::{_COMMANDS[level]} {at}title={_property(title)}::{_data(message)}"


def _data(text: str) -> str:
    """What stands after the second "::": no line feed ends the command."""
    return shown(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
