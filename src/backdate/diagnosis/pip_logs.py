"""Reading what pip says when an installation fails: what it wanted, and why that could not be had."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from backdate.testing.outcomes import Raised
from backdate.testing.traceback_text import TRACEBACK, read_chain

_ERROR = r"\s*(?:ERROR|error): "
_NO_RELEASE = re.compile(rf"{_ERROR}No matching distribution found for (?P<what>\S.*)")
_VERSIONS = re.compile(
    rf"{_ERROR}Could not find a version that satisfies the requirement .*?\(from versions: (?P<said>.*)\)"
)
_IGNORED = re.compile(
    rf"{_ERROR}Ignored the following versions that require a different python version: (?P<said>.*)"
)
_WRONG_PYTHON = re.compile(
    rf"{_ERROR}Package '(?P<what>[^']+)' requires a different Python: (?P<said>\S+ not in '[^']+')\s*"
)
_CONFLICT = re.compile(
    rf"{_ERROR}Cannot install (?P<what>.+) because these package versions have conflicting"
)
_CONFLICT_LINE = re.compile(r"\s{2,}(?P<line>\S.* (?:depends on|requested) .+)")
_COLLECTING = re.compile(r"\s*(?:Collecting|Processing|Obtaining) (?P<what>[^\s(]+)")
_FAILED_WHEEL = re.compile(rf"{_ERROR}Failed building (?:wheel|editable) for (?P<what>\S+)")
_SUBPROCESS = re.compile(
    r"\s*(?:error: subprocess-exited-with-error|ERROR: Command errored out with exit status)"
)
_OUTPUT = re.compile(r"\s*╰─> \[\d+ lines? of output\]|\s*Complete output \(\d+ lines\):")
_OUTPUT_END = re.compile(r"\s*(?:\[end of output\]|-{20,})\s*")
_STEP = re.compile("\\s*\u00d7 (?P<step>.+ did not run successfully)\\.?")
_LAST_ERROR = re.compile(r"\s*(?:\S+: )?(?:fatal )?error\b:? ?.*", re.IGNORECASE)
_COMMAND_FAILED = re.compile(r"error: command \S.* failed")
_LATEST = 3
"""Versions to name of those that an index offers."""


class InstallFailureKind(StrEnum):
    """How an installation failed."""

    NO_RELEASE = "no-release"
    """The index offers no release, for this interpreter and system, that the requirement allows."""
    WRONG_PYTHON = "wrong-python"
    """A project does not allow the interpreter."""
    CONFLICT = "conflict"
    """Requirements exclude one another."""
    BUILD = "build"
    """A build step of a source distribution failed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallFailure:
    """One thing that pip could not install."""

    kind: InstallFailureKind
    what: str
    """The requirement or requirements; "" when the log does not say."""
    message: str
    """In one line, pip's or the build's own words."""
    line: int
    """Where the log says so, from 1."""
    last_line: int
    """Where what it says ends: of a build, with its output."""
    details: tuple[str, ...] = ()
    """Of a conflict, who asks for what."""
    raised: tuple[Raised, ...] = ()
    """Of a build, the exceptions with which it ended; empty when it shows none."""


def read_install_failures(lines: Sequence[str]) -> tuple[InstallFailure, ...]:
    """What ``lines`` say of failed installations by pip, each thing once, in their order."""
    found: dict[tuple[str, str], InstallFailure] = {}
    for failure in _failures(lines):
        found.setdefault((failure.kind, failure.what), failure)
    return tuple(found.values())


def _failures(lines: Sequence[str]) -> Iterator[InstallFailure]:
    collecting = offered = ignored = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        if match := _COLLECTING.match(line):
            collecting = match["what"]
        elif match := _VERSIONS.match(line):
            offered = match["said"]
        elif match := _IGNORED.match(line):
            ignored = match["said"]
        elif match := _NO_RELEASE.match(line):
            yield _no_release(match["what"], offered, ignored, at)
            offered = ignored = ""
        elif match := _WRONG_PYTHON.match(line):
            yield _failure(InstallFailureKind.WRONG_PYTHON, match["what"], match["said"], at)
        elif match := _CONFLICT.match(line):
            yield _conflict(lines, at, match["what"])
        elif _SUBPROCESS.match(line):
            failure, at = _build(lines, at, collecting)
            if failure is not None:
                yield failure
            continue
        at += 1


def _failure(kind: InstallFailureKind, what: str, message: str, at: int) -> InstallFailure:
    return InstallFailure(
        kind=kind,
        what=_shown(what),
        message=" ".join(message.split())[:300],
        line=at + 1,
        last_line=at + 1,
    )


def _no_release(what: str, offered: str, ignored: str, at: int) -> InstallFailure:
    """``offered``: versions, "none", or "" when the log does not say. ``ignored``: those of other Pythons."""
    asked = what.partition("==")[2].strip()
    for entry in ignored.split(";"):
        version, _, pythons = entry.strip().partition(" Requires-Python ")
        if asked and version == asked:
            return _failure(InstallFailureKind.WRONG_PYTHON, what, f"it requires Python {pythons}", at)
    versions = [version.strip() for version in offered.split(",") if version.strip() not in ("", "none")]
    message = "the index offers none"
    if versions:
        older = " and older" if len(versions) > _LATEST else ""
        message = f"the index offers {', '.join(reversed(versions[-_LATEST:]))}{older}"
    others = "; other releases ask for another Python" if ignored else ""
    return _failure(InstallFailureKind.NO_RELEASE, what, f"{message}{others}", at)


def _conflict(lines: Sequence[str], at: int, what: str) -> InstallFailure:
    details: list[str] = []
    for line in lines[at + 1 : at + 60]:
        match = _CONFLICT_LINE.fullmatch(line)
        if match is not None:
            details.append(match["line"])
        elif details:
            break
    failure = _failure(InstallFailureKind.CONFLICT, what, "they exclude one another", at)
    return replace(failure, details=tuple(dict.fromkeys(details)))


def _build(lines: Sequence[str], at: int, collecting: str) -> tuple[InstallFailure | None, int]:
    """The failed build step that ``lines`` tell of from ``at`` on, and where to go on.

    None where pip only repeats, without the output, that one failed.
    """
    step, start, end = "", None, at + 1
    while end < len(lines) and not (start is not None and _OUTPUT_END.fullmatch(lines[end])):
        if start is None and (end - at > 30 or _SUBPROCESS.match(lines[end])):
            break
        if match := _STEP.match(lines[end]):
            step = step or match["step"]
        if start is None and _OUTPUT.match(lines[end]):
            start = end + 1
        end += 1
    if start is None:
        return None, end
    output = list(lines[start:end])
    what = next(
        (match["what"] for line in lines[end : end + 12] if (match := _FAILED_WHEEL.match(line))), collecting
    )
    raised = last_chain(output)
    message = f"{raised[-1].type}: {raised[-1].message}" if raised else _last_error(output) or step
    failure = _failure(InstallFailureKind.BUILD, what, message or "a build step failed", at)
    return replace(failure, raised=raised, last_line=end), end


def last_chain(output: Sequence[str]) -> tuple[Raised, ...]:
    """The exceptions of the last traceback of a build's output, which pip and uv indent."""
    starts = [number for number, line in enumerate(output) if TRACEBACK.fullmatch(line.strip())]
    if not starts:
        return ()
    start = starts[-1]
    while (earlier := _chained_to(output, start, starts)) is not None:
        start = earlier
    indent = len(output[start]) - len(output[start].lstrip())
    return read_chain([line[indent:] if line[:indent].isspace() else line for line in output[start:]])


def _chained_to(output: Sequence[str], start: int, starts: Sequence[int]) -> int | None:
    """The traceback before ``start`` that led to it, when the lines between say so."""
    before = [number for number in starts if number < start]
    words = " ".join(output[max(0, start - 4) : start])
    chained = "During handling of the above" in words or "direct cause of the following" in words
    return before[-1] if before and chained else None


def _last_error(output: Sequence[str]) -> str:
    """The last line that names an error, rather one of a compiler than that its command failed."""
    errors = [line.strip() for line in output if _LAST_ERROR.fullmatch(line)]
    told = [line for line in errors if not _COMMAND_FAILED.match(line)]
    lines = told or errors or [line.strip() for line in output if line.strip()]
    return lines[-1] if lines else ""


def _shown(what: str) -> str:
    """A requirement without the folder or address that it was taken from."""
    return re.sub(r".*/([^/]+)$", r"\1", what.strip()) if "/" in what and "@" not in what else what.strip()
