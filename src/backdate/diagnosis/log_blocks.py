"""Where the failures of a log begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum, auto

from backdate.testing.traceback_text import FATAL_LINE, GROUP, PLACE, TRACEBACK, TYPE

_SECTION = re.compile(r"={2,} (\S.*?) ={2,}")
_BLOCK = re.compile(r"_+ (\S.*?) _+")
_ONLY_RULES = re.compile(r"[_ ]*")
_UNITTEST_RULE = re.compile(r"={70}")
_UNITTEST = re.compile(r"(?:ERROR|FAIL): (.+)")
_UNITTEST_END = re.compile(r"={70}|-{70}|Ran \d+ tests? in .*")
_SUMMARY = re.compile(r"(FAILED|FAIL|ERROR|SUBFAIL(?:ED)?(?:\([^)]*\)|\[[^\]]*\])?)(?: \[[^\]]*\])? +(\S.*)")
_LINKED = re.compile(
    r"The above exception was the direct cause of the following exception:"
    r"|During handling of the above exception, another exception occurred:"
)
_CONFTEST = re.compile(r"\w+ while loading conftest ")
_LINE_END = re.compile(rf"(?:{TYPE})(?:: .*)?")
_READINGS = 50


class Kind(Enum):
    """How a block is announced."""

    PYTEST = auto()
    """By a title between underscores."""
    LINE = auto()
    """Not at all: one of ``--tb=line``."""
    UNITTEST = auto()
    BARE = auto()
    """A traceback, a group's or a fatal error's, outside of any other block."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """The lines ``start`` to ``end`` (from 0, the end not included) of one failure."""

    kind: Kind
    header: str
    line: int
    """Where it is announced, from 1."""
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SummaryLine:
    """A line of pytest's short summary."""

    word: str
    """FAILED or ERROR."""
    text: str
    line: int

    def readings(self) -> Iterator[tuple[str, str]]:
        """(id, message) for every " - " at which the line may be split: ids may hold it as well."""
        start = 0
        for _ in range(_READINGS):
            at = self.text.find(" - ", start)
            if at < 0:
                break
            yield self.text[:at], self.text[at + 3 :]
            start = at + 1
        yield self.text, ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A log, split."""

    blocks: tuple[Block, ...]
    summary: tuple[SummaryLine, ...]


class _Splitter:
    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._blocks: list[Block] = []
        self._summary: list[SummaryLine] = []
        self._open: tuple[Kind, str, int] | None = None
        self._section = ""

    def split(self) -> Split:
        at = 0
        while at < len(self._lines):
            at = self._step(at)
        self._close(len(self._lines))
        return Split(blocks=tuple(self._blocks), summary=tuple(self._summary))

    def _step(self, at: int) -> int:
        """Process the line at ``at``; the line to continue with."""
        line = self._lines[at]
        section = _SECTION.fullmatch(line) if line.startswith("==") else None
        if section is not None:
            self._close(at)
            self._section = _section_of(section.group(1))
            if self._section == "failures":
                self._open = (Kind.LINE, "", at + 1)
            return at + 1
        if self._starts_unittest(at):
            match = _UNITTEST.fullmatch(self._lines[at + 1].rstrip())
            assert match is not None
            self._close(at)
            self._section = "unittest"
            self._open = (Kind.UNITTEST, match.group(1), at + 1)
            return self._skip_description(at + 2)
        if self._section == "failures":
            self._in_failures(at, line)
        elif self._section == "summary":
            self._in_summary(at, line)
        elif self._section == "unittest":
            if _UNITTEST_END.fullmatch(line):
                self._close(at)
                self._section = ""
        elif self._section == "":
            return self._outside(at, line)
        return at + 1

    def _skip_description(self, at: int) -> int:
        """The test's docstring and a rule stand between a unittest header and its traceback."""
        for ahead in range(at, min(at + 10, len(self._lines))):
            if re.fullmatch(r"-{70}", self._lines[ahead]):
                if self._open is not None:
                    self._open = (self._open[0], self._open[1], ahead)
                return ahead + 1
        return at

    def _starts_unittest(self, at: int) -> bool:
        return bool(
            _UNITTEST_RULE.fullmatch(self._lines[at])
            and at + 1 < len(self._lines)
            and _UNITTEST.fullmatch(self._lines[at + 1].rstrip())
        )

    def _close(self, at: int) -> None:
        if self._open is None:
            return
        kind, header, start = self._open
        self._open = None
        if kind is Kind.LINE and not any(self._lines[number].strip() for number in range(start, at)):
            return
        line = self._header_line(kind, header, start)
        self._blocks.append(Block(kind=kind, header=header, line=line, start=start, end=at))

    def _header_line(self, kind: Kind, header: str, start: int) -> int:
        if kind is not Kind.UNITTEST:
            return start if header else start + 1
        for number in range(start, max(start - 12, -1), -1):
            if self._lines[number : number + 1] and self._lines[number].rstrip().endswith(header):
                return number + 1
        return start + 1

    def _in_failures(self, at: int, line: str) -> None:
        block = _BLOCK.fullmatch(line.rstrip()) if line.startswith("_") else None
        if block is not None and not _ONLY_RULES.fullmatch(block.group(1)):
            self._close(at)
            self._open = (Kind.PYTEST, block.group(1), at + 1)
        elif self._open is not None and self._open[0] is Kind.LINE and self._ends_line_block(at, line):
            self._close(at + 1)
            self._open = (Kind.LINE, "", at + 1)

    def _ends_line_block(self, at: int, line: str) -> bool:
        match = PLACE.fullmatch(line)
        error = match.group(3) if match is not None else None
        if not error or error.startswith("in ") or not _LINE_END.fullmatch(error):
            return False
        return not self._linked(at)

    def _linked(self, at: int) -> bool:
        following = [line for line in self._lines[at + 1 : at + 3] if line.strip()]
        return bool(following and _LINKED.fullmatch(following[0].strip()))

    def _in_summary(self, at: int, line: str) -> None:
        match = _SUMMARY.fullmatch(line.rstrip())
        if match is not None:
            word = "ERROR" if match.group(1) == "ERROR" else "FAILED"
            self._summary.append(SummaryLine(word=word, text=match.group(2), line=at + 1))

    def _outside(self, at: int, line: str) -> int:
        """Outside of any section: tracebacks of their own."""
        if _CONFTEST.match(line):
            end = at + 1
            while end < len(self._lines) and self._is_message(end):
                end += 1
            self._blocks.append(Block(kind=Kind.BARE, header="", line=at + 1, start=at, end=end))
            return end
        if not (TRACEBACK.fullmatch(line) or GROUP.fullmatch(line) or FATAL_LINE.match(line)):
            return at + 1
        end = self._end_of_bare(at)
        self._blocks.append(Block(kind=Kind.BARE, header="", line=at + 1, start=at, end=end))
        return end

    def _end_of_bare(self, at: int) -> int:
        """Where a chain of bare tracebacks ends: after the message of its last exception."""
        end = self._end_of_link(at)
        while (following := self._linked_traceback(end)) is not None:
            end = self._end_of_link(following)
        return end

    def _end_of_link(self, at: int) -> int:
        if FATAL_LINE.match(self._lines[at]):
            return self._end_of_dump(at + 1)
        group = bool(GROUP.fullmatch(self._lines[at]))
        indent = len(self._lines[at]) - len(self._lines[at].lstrip())
        end = at + 1
        while end < len(self._lines) and self._carries_on(end, indent, group=group):
            end += 1
        while not group and end < len(self._lines) and self._is_message(end):
            end += 1  # the exception's own line, and the rest of its message
        return end

    def _linked_traceback(self, at: int) -> int | None:
        """The next traceback of the chain, if the text after ``at`` links it to the one before."""
        near = [number for number in range(at, min(at + 6, len(self._lines))) if self._lines[number].strip()]
        if len(near) < 2 or not _LINKED.fullmatch(self._lines[near[0]].strip()):
            return None
        line = self._lines[near[1]]
        return near[1] if TRACEBACK.fullmatch(line) or GROUP.fullmatch(line) else None

    def _carries_on(self, at: int, indent: int, *, group: bool) -> bool:
        line = self._lines[at]
        if group:
            return bool(re.match(r"\s*[|+]", line))
        return len(line) - len(line.lstrip()) > indent and bool(line.strip())

    def _is_message(self, at: int) -> bool:
        line = self._lines[at]
        stops = TRACEBACK.fullmatch(line) or GROUP.fullmatch(line) or FATAL_LINE.match(line)
        return bool(line.strip()) and not (
            stops or _SECTION.fullmatch(line) or _LINKED.fullmatch(line.strip()) or self._starts_unittest(at)
        )

    def _end_of_dump(self, at: int) -> int:
        while at < len(self._lines) and (
            not self._lines[at].strip()
            or re.match(
                r"(?:Current thread|Thread|Python runtime state|\s+File|\s+\.\.\.|  <)", self._lines[at]
            )
        ):
            at += 1
        return at


def _section_of(title: str) -> str:
    if title in ("FAILURES", "ERRORS"):
        return "failures"
    if title == "short test summary info":
        return "summary"
    if title == "test session starts" or re.match(r"(?:\d+ |no tests)", title):
        return ""
    return "other"


def split_log(lines: Sequence[str]) -> Split:
    """The failures and the summary of a log."""
    return _Splitter(lines).split()
