"""A CI log explained: what failed to install or to pass, the libraries behind it, and their changes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from backdate.diagnosis.ci_logs import plain_lines, workspace_of
from backdate.diagnosis.diagnose import diagnose_log
from backdate.diagnosis.known_changes import KnownChange, change_behind_build, known_change
from backdate.diagnosis.logs import LARGEST_LOG, read_log
from backdate.diagnosis.pip_logs import InstallFailure, InstallFailureKind, read_install_failures
from backdate.diagnosis.result import Diagnosis
from backdate.migrations import read_result_file

FORMAT = 1
"""Of ``--json``; raised when a field changes its meaning."""
_PYTHON = re.compile(r"platform \S+ -- Python (\d+\.\d+\.\d+\S*?)(?:, |\[)|Python (\d+\.\d+\.\d+)\s*")
_ERROR = re.compile(r"\s*(?:ERROR|error|Error|fatal): (?!Process completed)\S", re.ASCII)
_INSTALLED = re.compile(r"\s*Successfully installed (.+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedInstall:
    """An installation that failed, and why."""

    failure: InstallFailure
    change: KnownChange | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LogReport:
    """What a log says of failures."""

    format: int = FORMAT
    kind: Literal["diagnose"] = "diagnose"
    """What tells this result from those of other commands (``output/stored.py``)."""
    python: str | None
    """The version that the log names."""
    installed: dict[str, str]
    """Versions that pip says it installed, by normalised name; the last of each."""
    installs: tuple[ExplainedInstall, ...]
    diagnosis: Diagnosis
    changes: tuple[KnownChange | None, ...]
    """For each of the diagnosis' clusters, in their order; None where no table knows the change."""

    last_error: str = ""
    """The last line that names an error, for a log without a failure that can be read."""

    @property
    def explains_nothing(self) -> bool:
        """Whether no failure was read from the log."""
        return not self.installs and not self.diagnosis.failures


def read_log_report(path: Path) -> LogReport:
    """The explained log in the file at ``path``.

    Raises SourceError when there is no such file, StoredDataError when it is none, NewerFormat when a newer
    version wrote it.
    """
    return read_result_file("diagnose", LogReport, path, FORMAT, ())


def explain_log(text: str, *, tree: Path | None = None) -> LogReport:
    """What ``text``, the log of a CI job, says of failures: see the fields of the result.

    ``tree`` is the project's folder, whose imports tell what an alias stands for; nothing of it is run. A log
    without a failure that can be read gives a report that ``explains_nothing``.
    """
    lines = plain_lines(text[:LARGEST_LOG])
    failed = read_install_failures(lines)
    root = workspace_of(lines)
    log = read_log("\n".join(_without(lines, failed)), root=root)
    diagnosis = diagnose_log(log, tree=tree)
    return LogReport(
        python=_python(lines),
        installed=_installed(lines),
        installs=tuple(_explained(failure) for failure in failed),
        diagnosis=diagnosis,
        changes=tuple(known_change(cluster) for cluster in diagnosis.clusters),
        last_error=next((line.strip()[:300] for line in reversed(lines) if _ERROR.match(line)), ""),
    )


def _without(lines: Sequence[str], failed: Sequence[InstallFailure]) -> list[str]:
    """The lines with the output of failed builds left empty: their tracebacks are no test's."""
    left = list(lines)
    for failure in failed:
        for number in range(failure.line - 1, failure.last_line):
            left[number] = ""
    return left


def _explained(failure: InstallFailure) -> ExplainedInstall:
    is_build = failure.kind is InstallFailureKind.BUILD
    return ExplainedInstall(
        failure=failure, change=change_behind_build(failure.message) if is_build else None
    )


def _python(lines: Sequence[str]) -> str | None:
    for line in lines:
        match = _PYTHON.match(line)
        if match is not None:
            return match.group(1) or match.group(2)
    return None


def _installed(lines: Sequence[str]) -> dict[str, str]:
    versions: dict[str, str] = {}
    for line in lines:
        match = _INSTALLED.fullmatch(line)
        for word in match.group(1).split() if match is not None else ():
            name, _, version = word.rpartition("-")
            versions[name.lower().replace("_", "-").replace(".", "-")] = version
    return versions
