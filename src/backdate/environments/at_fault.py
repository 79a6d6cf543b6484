"""Whose fault it is that a build step failed: the machine's, the index's, or the project's own.

Foreign code writes into the log of a step as well. So what the log says is a reason to look, and never
enough: a project that prints "No space left on device" must not end a command over a thousand projects.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from backdate.environments import uv
from backdate.environments.environment import LimitEvidence
from backdate.errors import DiskFull, IndexUnavailable, MachineError
from backdate.index.names import is_project_name
from backdate.index.upstream import open_index
from backdate.sandboxes.interface import MIB, RunResult, RunStatus
from backdate.timeline.instants import Instant

Limit = Literal["timeout", "oom", "disk"]
_LIMITS: dict[RunStatus, Limit] = {
    RunStatus.TIMEOUT: "timeout",
    RunStatus.OOM: "oom",
    RunStatus.DISK_LIMIT: "disk",
}
_USUAL_PROJECT = "pip"
"""What is asked for where the log names no page."""
_MOST_PAGES = 3
_PIP_RESOLVES = datetime(2020, 12, 1, tzinfo=UTC)
"""Pip 20.3, a day old: the ones before installed what others of the requirements refuse."""
_LITTLE = 1024 * MIB
"""With less than this free, a log that says that the disk is full is believed: a step that fails gives back
some of what it took."""


def require_machine(result: RunResult, log: str, folder: Path) -> None:
    """Raise when a step failed that no project would get through on this machine.

    ``folder`` is where builds write. Raises DiskFull, or MachineError when the sandbox did not start.
    """
    free = _free(folder)
    if free < MIB or (uv.says_disk_full(log) and free < _LITTLE):
        raise DiskFull(f"no space left in {folder}; free some, or name another folder with --cache")
    if result.status is RunStatus.SANDBOX_ERROR:
        raise MachineError(f"the sandbox did not start: {log.strip()[-2000:]}")


def require_index(log: str, index_url: str) -> None:
    """Raise IndexUnavailable when the log blames the index, and the index does not answer us either."""
    if not uv.says_index_down(log) or index_url.rstrip("/") not in log:
        return
    with (
        tempfile.TemporaryDirectory(prefix="backdate-index-") as pages,  # what was kept of it tells nothing
        open_index(index_url, Path(pages)) as client,
    ):
        for name in _pages_in(log, index_url) or (_USUAL_PROJECT,):
            try:
                client.project_page(name)
            except IndexUnavailable as error:
                raise IndexUnavailable(
                    f"the package index {index_url} did not answer: {uv.explain_failure(log, lines=6)}\n"
                    "Try again, or name another index with --index-url."
                ) from error


def _pages_in(log: str, index_url: str) -> tuple[str, ...]:
    """The projects whose pages the log names: one of them may be what the index does not answer."""
    page = re.compile(re.escape(index_url.rstrip("/")) + r"/([A-Za-z0-9][A-Za-z0-9._-]{0,100})/")
    names = dict.fromkeys(name for name in page.findall(log) if is_project_name(name))
    return tuple(names)[:_MOST_PAGES]


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitMet:
    """The limit that ended a step."""

    limit: Limit
    evidence: LimitEvidence


def limit_that_was_met(result: RunResult, log: str) -> LimitMet | None:
    """The limit that ended a step; None for a step that failed without.

    A single file that reaches the limit of the disk fails to be written, before the space that all files take
    is looked at: what wrote it says so, as does a project that writes nothing.
    """
    limit = _LIMITS.get(result.status)
    if limit is not None:
        return LimitMet(limit=limit, evidence="measured" if result.limit_measured else "told")
    if uv.says_file_too_large(log) or uv.says_disk_full(log):
        return LimitMet(limit="disk", evidence="told")
    return None


def no_pip_would_resolve(log: str, instant: Instant) -> bool:
    """Whether what uv says of a resolution is what a pip of the time would meet as well."""
    if uv.says_a_name_is_missing(log) or uv.says_a_requirement_is_not_there_yet(log):
        return True
    return instant >= _PIP_RESOLVES and uv.says_nothing_fits(log)


def _free(folder: Path) -> int:
    status = os.statvfs(folder)
    return status.f_bavail * status.f_frsize
