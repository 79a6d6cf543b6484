"""Reading the log of a run that was not captured: which tests failed, and with what.

Logs of pytest (any ``--tb``), of unittest and its relatives (Django, nose), and bare tracebacks. For every
failure that a log announces, by a header or a line of the summary, there is one record, also when what
follows is not understood. A test that prints such a header itself cannot be told apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from backdate.diagnosis.log_blocks import Block, Kind, SummaryLine, split_log
from backdate.diagnosis.log_paths import ProjectRoot, find_root
from backdate.escapes import without_escapes
from backdate.testing.outcomes import Raised
from backdate.testing.traceback_text import read_chain

LARGEST_LOG = 64 * 1024 * 1024
"""Characters of a log that are read."""
_LONGEST_LINE = 5_000
_AHEAD = 100
"""Lines of the summary that are searched for the one of a failure without a name."""
_INTERNAL = "INTERNALERROR> "
_WARNING = re.compile(r"\s*(\S[^:\n]*):(\d+): ((?:\w+\.)*\w*Warning): (.*)")
_TITLE = re.compile(r"(?:ERROR at (setup|teardown) of|ERROR (collecting)) (.*)")
_SUBTEST = re.compile(r"(.*?) (?:\(<subtest>\)|\[[^\]]*\](?: \(.*\))?|\(.*\))")
_UNITTEST_TITLE = re.compile(r"([\w.]+) \(([\w.]+)\)(.*)")
_NOSE_IMPORT = re.compile(r"Failure: ([\w.]+) \((.*)\)")
_SUMMARY_ERROR = re.compile(r"([A-Za-z_][\w.]*)(?:: (.*))?", re.DOTALL)

Phase = Literal["call", "setup", "teardown", "collection", "run"]
_PHASES: dict[str, Phase] = {"setup": "setup", "teardown": "teardown", "collecting": "collection"}


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedFailure:
    """One failure that a log reports."""

    test: str | None
    """The test's id, or the file or module that could not be collected; None when the log does not say."""
    phase: Phase
    """``run``: a traceback or a crash that belongs to no test."""
    header: str
    """The title by which the log announces it; empty for a bare traceback."""
    line: int
    """Where it is announced, from 1."""
    raised: tuple[Raised, ...]
    """As in :class:`~backdate.testing.outcomes.CaseResult`; empty when the log does not show it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedWarning:
    """One warning that a log reports."""

    category: str
    message: str
    file: str
    line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """What a log reports."""

    failures: tuple[LoggedFailure, ...]
    """In the order of the log."""
    warnings: tuple[LoggedWarning, ...]
    """Each different one once, in the order of the log."""
    root: str | None
    """The project's root folder, when the log names it; files below it are given relative to it."""


class _Summary:
    """The lines of a summary, each of which belongs to one failure."""

    def __init__(self, lines: Iterable[SummaryLine]) -> None:
        self._left = dict(enumerate(lines))
        self._by_name: dict[tuple[str, bool, str], list[tuple[int, str]]] = {}
        for number, line in self._left.items():
            for identity, _message in line.readings():
                path, colons, inner = identity.partition("::")
                names = [(True, path)] + ([(False, inner)] if colons else [])
                for whole, name in names:
                    self._by_name.setdefault((line.word, whole, _joined(name)), []).append((number, identity))

    def left(self) -> tuple[SummaryLine, ...]:
        """Those that belong to no failure so far."""
        return tuple(self._left.values())

    def take(self, word: str, title: str, *, whole: bool) -> str | None:
        """The id of the next line about a file (``whole``) or about a test of some file, by its title."""
        candidates = self._by_name.get((word, whole, _joined(title)), [])
        while candidates:
            number, identity = candidates.pop(0)
            if self._left.pop(number, None) is not None:
                return identity
        return None

    def take_error(self, raised: Raised) -> str | None:
        """The id of the next line that ends with the error ``raised``."""
        short = raised.type.rpartition(".")[2]
        for number, line in list(self._left.items())[:_AHEAD]:
            for identity, message in line.readings():
                match = _SUMMARY_ERROR.fullmatch(message)
                if match is None or match.group(1).rpartition(".")[2] != short:
                    continue
                if raised.message.startswith((match.group(2) or "").removesuffix("...")):
                    del self._left[number]
                    return identity
        return None


def read_log(text: str, *, root: str | None = None) -> Log:
    """What ``text`` reports. ``root``: the project's root, for logs that do not name it (pytest's do)."""
    lines = [_plain(line) for line in text[:LARGEST_LOG].replace("\r\n", "\n").split("\n")]
    project = ProjectRoot(root or find_root(lines))
    split = split_log(lines)
    summary = _Summary(split.summary)
    failures = [_read_block(block, lines, summary) for block in split.blocks]
    failures = [_with_summary_id(failure, summary) for failure in failures]
    failures += [_from_summary(line) for line in summary.left()]
    relative = [replace(failure, raised=tuple(map(project.raised, failure.raised))) for failure in failures]
    return Log(
        failures=tuple(sorted(relative, key=lambda failure: failure.line)),
        warnings=tuple(dict.fromkeys(_warnings(lines, split.blocks, project))),
        root=project.path,
    )


def _plain(line: str) -> str:
    """A line without colours, of bounded length."""
    return without_escapes(line[:_LONGEST_LINE]).rstrip("\r").removeprefix(_INTERNAL).expandtabs(8)


def _read_block(block: Block, lines: Sequence[str], summary: _Summary) -> LoggedFailure:
    body = lines[block.start : block.end]
    raised = read_chain(body, to_the_end=block.kind in (Kind.UNITTEST, Kind.PYTEST))
    if block.kind is Kind.UNITTEST:
        test, phase = _unittest_id(block.header)
        nose = _NOSE_IMPORT.match(block.header)
        if nose is not None and not raised:
            raised = (Raised(type=nose.group(1), message=nose.group(2)[:4000], frames=()),)
    elif block.kind is Kind.PYTEST:
        test, phase = _pytest_id(block.header, summary)
        if not raised:
            raised = _unexplained(body)
    else:
        test, phase = None, "run"
    return LoggedFailure(test=test, phase=phase, header=block.header, line=block.line, raised=raised)


def _unexplained(body: Sequence[str]) -> tuple[Raised, ...]:
    """What pytest shows without a traceback (``pytest.fail(…, pytrace=False)``, a dead worker)."""
    text = "\n".join(line for line in body if line.strip())[:4000].strip()
    return (Raised(type="Failed", message=text, frames=()),) if text else ()


def _unittest_id(header: str) -> tuple[str | None, Phase]:
    """The dotted id of a header: "test_x (mod.Class)", from Python 3.11 on "test_x (mod.Class.test_x)"."""
    match = _UNITTEST_TITLE.match(header)
    if match is None:
        return (None, "collection") if header.startswith("Failure: ") else (header.strip() or None, "call")
    name, where = match.group(1), match.group(2)
    if "_FailedTest" in where or "ModuleImportFailure" in where or "LoadTestsFailure" in where:
        return name, "collection"
    if name in ("setUpClass", "setUpModule"):
        return where, "setup"
    if name in ("tearDownClass", "tearDownModule"):
        return where, "teardown"
    return (where if where.endswith("." + name) else f"{where}.{name}"), "call"


def _pytest_id(title: str, summary: _Summary) -> tuple[str | None, Phase]:
    """The node id of a title, by its line of the summary, which is then used up; else the title itself."""
    match = _TITLE.fullmatch(title)
    if match is not None:
        phase = _PHASES[match.group(1) or match.group(2)]
        if phase == "collection":
            return summary.take("ERROR", match.group(3), whole=True) or match.group(3), phase
        return summary.take("ERROR", match.group(3), whole=False) or match.group(3), phase
    plain = _SUBTEST.fullmatch(title[:1000])
    identity = summary.take("FAILED", title, whole=False)
    if identity is None and plain is not None:
        identity = summary.take("FAILED", plain.group(1), whole=False)
    return identity or title, "call"


def _joined(name: str) -> str:
    return name.replace("::", ".")


def _with_summary_id(failure: LoggedFailure, summary: _Summary) -> LoggedFailure:
    """A failure without a header (``--tb=line``), with the id of the next summary line of its error."""
    if failure.header or not failure.raised:
        return failure
    identity = summary.take_error(failure.raised[-1])
    return failure if identity is None else replace(failure, test=identity, phase="call")


def _from_summary(line: SummaryLine) -> LoggedFailure:
    """A failure that only the summary reports."""
    identity, message = next(
        ((identity, message) for identity, message in line.readings() if _SUMMARY_ERROR.fullmatch(message)),
        (line.text, ""),
    )
    match = _SUMMARY_ERROR.fullmatch(message)
    raised: tuple[Raised, ...] = ()
    if match is not None:
        raised = (Raised(type=match.group(1), message=(match.group(2) or "")[:4000], frames=()),)
    phase: Phase = "collection" if line.word == "ERROR" and "::" not in identity else "call"
    return LoggedFailure(
        test=identity, phase=phase, header=f"{line.word} {line.text}", line=line.line, raised=raised
    )


def _warnings(lines: Sequence[str], blocks: Iterable[Block], project: ProjectRoot) -> Iterable[LoggedWarning]:
    inside = bytearray(len(lines) + 1)
    for block in blocks:
        inside[block.start : block.end] = b"\1" * (block.end - block.start)
    for number, line in enumerate(lines):
        match = None if inside[number] or "Warning: " not in line else _WARNING.fullmatch(line)
        if match is not None:
            path, at, category, message = match.groups()
            yield LoggedWarning(
                category=category,
                message=message[:4000],
                file=project.relative(path),
                line=int(at) if len(at) < 10 else 0,
            )
