"""A result of any command, in any form but ``text``, which the command line has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from backdate.bisection.result import BisectResult
from backdate.checking.answers import CheckAnswers
from backdate.checking.result import CheckResult
from backdate.checking.setup_result import SetupResult
from backdate.diagnosis.log_report import LogReport
from backdate.fixing.result import FixResult
from backdate.lowest.result import LowestResult
from backdate.output.answers_report import answers_report
from backdate.output.bisection_report import bisection_report
from backdate.output.check_report import check_report
from backdate.output.formats import OutputFormat
from backdate.output.github import github
from backdate.output.html import html
from backdate.output.junit import junit
from backdate.output.lowest_report import lowest_report
from backdate.output.markdown import markdown
from backdate.output.next_steps import next_steps
from backdate.output.other_reports import fix_report, log_report, setup_report
from backdate.output.report import OutputReport
from backdate.output.sarif import sarif
from backdate.serial import to_json

AnyResult = CheckResult | CheckAnswers | BisectResult | FixResult | SetupResult | LogReport | LowestResult

_RENDERERS: Mapping[OutputFormat, Callable[[OutputReport], str]] = MappingProxyType(
    {OutputFormat.MARKDOWN: markdown, OutputFormat.JUNIT: junit, OutputFormat.HTML: html}
)


def report_of(result: AnyResult) -> OutputReport:
    """``result`` as renderers take it."""
    report = _said_by(result)
    if isinstance(result, (SetupResult, LogReport)):
        return report
    return replace(report, next=next_steps(result))


def _said_by(result: AnyResult) -> OutputReport:
    match result:
        case CheckResult():
            return check_report(result)
        case CheckAnswers():
            return answers_report(result)
        case BisectResult():
            return bisection_report(result)
        case FixResult():
            return fix_report(result)
        case SetupResult():
            return setup_report(result)
        case LowestResult():
            return lowest_report(result)
        case LogReport():
            return log_report(result)


def rendered(result: AnyResult, form: OutputFormat, *, folder: str = "") -> bytes:
    """``result`` in ``form``, in UTF-8.

    ``folder``: where the project lies in the repository that CI checked out, for forms that name its lines.
    Raises ValueError for ``text``.
    """
    if form is OutputFormat.JSON:
        return to_json(result, indent=2) + b"\n"
    report = report_of(result)
    if form is OutputFormat.GITHUB:
        text = github(report, folder=folder)
    elif form is OutputFormat.SARIF:
        text = sarif(report, folder=folder)
    elif form in _RENDERERS:
        text = _RENDERERS[form](report)
    else:
        raise ValueError(f"{form} is not written here")
    return text.encode("utf-8", "backslashreplace")
