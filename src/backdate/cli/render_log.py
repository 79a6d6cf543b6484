"""An explained log as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from backdate.cli.render import Line
from backdate.cli.render_diagnosis import cluster_lines, filter_lines, glance_lines, related_lines
from backdate.diagnosis.known_changes import KnownChange
from backdate.diagnosis.log_report import ExplainedInstall, LogReport
from backdate.diagnosis.pip_logs import InstallFailureKind
from backdate.text import counted

_INSTALLS = {
    InstallFailureKind.NO_RELEASE: "no release fits {what}",
    InstallFailureKind.WRONG_PYTHON: "{what} does not allow this Python",
    InstallFailureKind.CONFLICT: "{what} cannot be installed together",
    InstallFailureKind.BUILD: "{what} does not build",
}


def log_lines(report: LogReport, *, verbose: bool = False) -> Iterator[Line]:
    """The report, line by line: what could not be installed, then what failed by cause."""
    python = f" (Python {report.python})" if report.python else ""
    counts = []
    if report.installs:
        counts.append(counted(len(report.installs), "failed installation"))
    if report.diagnosis.failures:
        failures, causes = len(report.diagnosis.failures), len(report.diagnosis.clusters)
        counts.append(f"{counted(failures, 'failure')}, {counted(causes, 'cause')}")
    yield f"{'; '.join(counts)}{python}", "bold"
    for install in report.installs:
        yield from _install_lines(install, report.installed)
    yield from glance_lines(report.diagnosis.clusters)
    for cluster, change in zip(report.diagnosis.clusters, report.changes, strict=True):
        lines = cluster_lines(cluster, verbose=verbose)
        yield next(lines)
        if change is not None:
            yield from _change_lines(change, report.installed)
        yield from lines
    yield from related_lines(report.diagnosis)
    if verbose:
        yield from filter_lines(report.diagnosis)


def change_sentence(change: KnownChange) -> str:
    """One sentence: "numpy dropped numpy.float in 1.24; use float"."""
    library = "Python" if change.distribution == "python" else change.distribution
    if change.added:
        what = change.name or change.note or "what the code wants"
        return f"{library} has {what} since {change.since}"
    if not change.name:
        return f"{library} changed this in {change.since}{f': {change.note}' if change.note else ''}"
    use = f"; use {change.replacement}" if change.replacement else ""
    note = f" ({change.note})" if change.note else ""
    return f"{library} dropped {change.name} in {change.since}{use}{note}"


def _change_lines(change: KnownChange, installed: Mapping[str, str]) -> Iterator[Line]:
    yield f"    {change_sentence(change)}", "green"
    version = installed.get(change.distribution)
    here = f"; the log installs {version}" if version else ""
    pin = f"Python {change.pin}" if change.distribution == "python" else change.pin
    verb = "builds" if change.of_builds else "works"
    yield f"    the code {verb} unchanged with {pin}{here}", "green"
    yield f"    {change.source}", "dim"


def _install_lines(install: ExplainedInstall, installed: Mapping[str, str]) -> Iterator[Line]:
    failure = install.failure
    title = _INSTALLS[failure.kind].format(what=failure.what or "a distribution")
    yield f"  {title}: {failure.message}", "red"
    for detail in failure.details:
        yield f"    {detail}", ""
    if install.change is not None:
        yield from _change_lines(install.change, installed)
