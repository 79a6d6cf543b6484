"""Tracebacks as text, in any of the forms in which Python and pytest print them, to chains of exceptions.

The forms: Python's own (chained, of groups, of syntax errors, of a fatal error's dump) and pytest's
``long``, ``short``, ``native`` and ``line`` (``--tb``). They may be mixed, as pytest mixes them. Reading
never fails: what is not understood is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from backdate.testing.outcomes import Frame, Raised

LONGEST_MESSAGE = 4000
MOST_EXCEPTIONS = 32
MOST_FRAMES = 1000
_MOST_NESTED = 20
FATAL = "Fatal Python error"
"""Type of what a fatal error's dump is read as."""

Link = Literal["", "cause", "context", "member"]
TYPE = r"[A-Za-z_][\w.]*"
_LINKS: dict[str, Link] = {
    "The above exception was the direct cause of the following exception:": "cause",
    "During handling of the above exception, another exception occurred:": "context",
}
TRACEBACK = re.compile(r"\s*(?:Exception Group )?Traceback \(most recent call last\):\s*")
GROUP = re.compile(r"\s*\+ Exception Group Traceback \(most recent call last\):\s*")
FATAL_LINE = re.compile(r"(?:Fatal Python error|Windows fatal exception): (.*)")
_GROUP_LINE = re.compile(r"(\s*)([|+])(.*)", re.DOTALL)
_GROUP_MARK = re.compile(r"-[+-]* (?:\d+|\.\.\.) -+\s*")
_GROUP_END = re.compile(r"-{10,}\s*")
_FILE = re.compile(r'\s*File "([^"]*)", line (\d+)(?:,? in (.*))?\s*')
_SAID = re.compile(rf"({TYPE})(?:: (.*)|:?)", re.DOTALL)
_E_LINE = re.compile(r"E(?:   .*|\s*)")
PLACE = re.compile(r"(?! )([^\s:][^:\n]*):(\d+):(?: (.*)|)")
"""pytest's line of a place: the file, the line, and "in f", a type, "type: message" or nothing."""
_DEFINITION = re.compile(r"\s*(?:async )?def (\w+)")
_SEPARATOR = re.compile(r"_ (?:_ )+_?\s*")
CAPTURED = re.compile(r"-{3,} (?:Captured|live log) .*-{3,}|Std(?:out|err):")
_CARETS = re.compile(r"\s*[\^~][\^~ ]*")
_DUMP = re.compile(r"(?:Current thread|Thread) \S+.*\(most recent call first\):")


@dataclass(slots=True)
class _Open:
    """An exception that is being read."""

    link: Link = ""
    type: str = ""
    message: list[str] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    said: bool = False
    """Whether its type is known."""

    @property
    def empty(self) -> bool:
        return not (self.type or self.message or self.frames)


class _TracebackReader:
    """Reads the lines of one failure, from the first to the last."""

    def __init__(self, lines: Sequence[str], depth: int, *, to_the_end: bool) -> None:
        self._lines = lines
        self._at = 0
        self._depth = depth
        self._to_the_end = to_the_end
        self._done: list[Raised] = []
        self._open = _Open()
        self._native = False
        self._shown = ""
        self._function = ""

    def read(self) -> tuple[Raised, ...]:
        """The chain, the first raised first."""
        while self._at < len(self._lines):
            line = self._lines[self._at]
            self._at += 1
            if CAPTURED.fullmatch(line):
                break
            self._line(line)
        self._close("")
        return tuple(self._done)

    def _line(self, line: str) -> None:
        link = _LINKS.get(line.strip())
        if link is not None:
            self._close(link)
        elif GROUP.fullmatch(line) and self._depth < _MOST_NESTED:
            self._group()
        elif TRACEBACK.fullmatch(line):
            self._start_native()
        elif _E_LINE.fullmatch(line):
            self._e_lines()
        elif (match := _FILE.fullmatch(line)) is not None:
            self._file(match)
        elif (match := FATAL_LINE.match(line)) is not None:
            self._fatal(match.group(1))
        elif self._native and line and not line[0].isspace() and not self._open.said:
            self._exception(line)
        elif (match := PLACE.fullmatch(line)) is not None:
            self._place(match)
        else:
            self._source(line)

    def _close(self, link: Link) -> None:
        """The open exception is complete; ``link`` is how it leads to the next."""
        complete, self._open = self._open, _Open(link=link)
        self._native, self._shown, self._function = False, "", ""
        if complete.empty or len(self._done) >= MOST_EXCEPTIONS:
            self._open.link = link if self._done else ""
            return
        self._done.append(
            Raised(
                type=complete.type or "Failed",
                message="\n".join(complete.message).strip()[:LONGEST_MESSAGE],
                frames=without_runner(complete.frames),
                link=complete.link if self._done else "",
            )
        )

    def _start_native(self) -> None:
        if self._open.said:
            self._close("")
        else:  # what came before the traceback only announces it
            self._open = _Open(link=self._open.link)
        self._native = True

    def _file(self, match: re.Match[str]) -> None:
        if self._open.said and self._native:
            return  # a message that quotes a traceback
        path, number, function = match.groups()
        self._native = True
        source = ""
        following = self._peek()
        if following[:1].isspace() and following.strip() and not _FILE.fullmatch(following):
            source = following.strip()
            self._at += 1
        while _CARETS.fullmatch(self._peek()):
            self._at += 1
        self._frame(path, number, (function or "<module>").strip(), source)

    def _frame(self, path: str, number: str, function: str, source: str) -> None:
        if len(self._open.frames) < MOST_FRAMES:
            line = int(number) if len(number) < 10 else 0
            frame = Frame(file=path, line=line, function=function[:300], source=source[:300])
            self._open.frames.append(frame)

    def _peek(self) -> str:
        return self._lines[self._at] if self._at < len(self._lines) else ""

    def _exception(self, line: str) -> None:
        """The line that names the exception, and the rest of its message."""
        match = _SAID.fullmatch(line.rstrip())
        if match is None:
            return
        self._open.type, self._open.said = match.group(1), True
        self._open.message = [match.group(2) or ""]
        while self._at < len(self._lines):
            following = self._lines[self._at]
            ends = not following.strip() and not self._to_the_end
            if ends or _starts_something(following):
                break
            self._open.message.append(following)
            self._at += 1

    def _e_lines(self) -> None:
        """pytest's lines of an exception: the type and the message, or all of a syntax error."""
        self._at -= 1
        texts: list[str] = []
        while self._at < len(self._lines) and _E_LINE.fullmatch(self._lines[self._at]):
            texts.append(self._lines[self._at][1:].rstrip())
            self._at += 1
        indent = min((len(text) - len(text.lstrip()) for text in texts if text), default=0)
        texts = [text[indent:] for text in texts]
        first = 0
        while first < len(texts) and (file := _FILE.fullmatch(texts[first])) is not None:
            first += 1
            source = texts[first].strip() if first < len(texts) and texts[first][:1] == " " else ""
            self._frame(file.group(1), file.group(2), "<module>", source)
            while first < len(texts) and texts[first][:1] == " ":
                first += 1
        texts = texts[first:]
        if self._open.said or not texts:
            self._open.message.extend(texts)
            return
        match = _SAID.fullmatch(texts[0])
        if match is not None:
            self._open.type, self._open.said = match.group(1), True
            texts[0] = match.group(2) or ""
        self._open.message.extend(texts)

    def _place(self, match: re.Match[str]) -> None:
        path, number, rest = match.group(1), match.group(2), (match.group(3) or "").strip()
        if rest.startswith("in "):
            source = self._peek()
            shown = source.strip() if source[:1].isspace() and source.strip() != "???" else ""
            self._frame(path, number, rest[3:], shown)
            return
        message = _SAID.fullmatch(rest)
        if rest and message is None:
            return
        if message is not None and self._open.empty and self._repeats(message.group(1)):
            return
        self._frame(path, number, self._function or "<module>", self._shown)
        self._shown = self._function = ""
        if message is not None and not self._open.said:
            self._open.type, self._open.said = message.group(1), True
            if message.group(2) and not self._open.message:
                self._open.message = [message.group(2)]

    def _repeats(self, kind: str) -> bool:
        """Whether ``--tb=line`` names a group once more, below its traceback."""
        return bool(self._done) and self._done[-1].link == "member" and self._done[-1].type == kind

    def _source(self, line: str) -> None:
        """Source as pytest shows it: what raised is marked, and its function begins the excerpt."""
        if _SEPARATOR.fullmatch(line):
            self._shown = self._function = ""
        elif line.startswith(">"):
            self._shown = line[1:].strip()
        elif not self._shown and (match := _DEFINITION.match(line)) is not None:
            self._function = match.group(1)

    def _fatal(self, message: str) -> None:
        """The dump of a fatal error: the frames of the thread that it struck, the innermost first."""
        if not self._open.empty:
            self._close("")
        self._open.type, self._open.message, self._open.said = FATAL, [message], True
        while self._at < len(self._lines) and not _DUMP.match(self._lines[self._at]):
            if _starts_something(self._lines[self._at]):
                return
            self._at += 1
        self._at += 1
        while (match := _FILE.fullmatch(self._peek())) is not None:
            self._frame(match.group(1), match.group(2), (match.group(3) or "").strip(), "")
            self._at += 1
        self._open.frames.reverse()

    def _group(self) -> None:
        """An ExceptionGroup: its own exception after those of its members."""
        if self._open.said:
            self._close("")
        link = self._open.link
        end = self._at
        while end < len(self._lines) and _GROUP_LINE.fullmatch(self._lines[end]):
            end += 1
        inside = _group_chain(self._lines[self._at : end], self._depth)
        self._at = end
        if inside and inside[0].link == "":
            inside = (replace(inside[0], link=link if self._done else ""), *inside[1:])
        self._done.extend(inside[: MOST_EXCEPTIONS - len(self._done)])
        self._open = _Open()


def _group_chain(lines: Sequence[str], depth: int) -> tuple[Raised, ...]:
    """The chain of a group's lines, each of which begins with its bar or its plus."""
    own: list[str] = []
    members: list[list[str]] = []
    column = -1
    for line in lines:
        match = _GROUP_LINE.fullmatch(line)
        if match is None:
            continue
        at, mark, rest = len(match.group(1)), match.group(2), match.group(3)
        column = at if column < 0 else column
        first = rest.startswith("-+")  # of its members
        if mark == "+" and _GROUP_MARK.fullmatch(rest) and at == (column if first else column + 2):
            members.append([])
        elif members:
            members[-1].append(line)
        elif mark == "|":
            own.append(rest[1:])
    chains = [_member_chain(member, depth) for member in members[:MOST_EXCEPTIONS]]
    inside = [member_exception for chain in chains for member_exception in chain]
    itself = _TracebackReader(_with_head(own), depth + 1, to_the_end=True).read()
    if not inside or not itself:
        return (*inside, *itself)
    return (*inside, *itself[:-1], replace(itself[-1], link="member"))


def _member_chain(lines: Sequence[str], depth: int) -> tuple[Raised, ...]:
    if depth >= _MOST_NESTED:
        return ()
    texts = [match.group(3) for line in lines if (match := _GROUP_LINE.fullmatch(line)) is not None]
    if any(_GROUP_MARK.fullmatch(text) for text in texts):
        return _group_chain(lines, depth + 1)
    texts = [text[1:] for text in texts if not _GROUP_END.fullmatch(text)]
    return _TracebackReader(_with_head(texts), depth + 1, to_the_end=True).read()


def _with_head(texts: list[str]) -> list[str]:
    """Lines of Python's own form, also of an exception that has no traceback."""
    has_one = any(TRACEBACK.fullmatch(text) for text in texts)
    return texts if has_one else ["Traceback (most recent call last):", *texts]


def _starts_something(line: str) -> bool:
    return bool(
        line.strip() in _LINKS
        or TRACEBACK.fullmatch(line)
        or GROUP.fullmatch(line)
        or FATAL_LINE.match(line)
        or PLACE.fullmatch(line)
        or CAPTURED.fullmatch(line)
    )


_RUNNER = re.compile(
    r"(?:^|/)(?:_pytest|pluggy|importlib|unittest)/|(?:^|/)runpy\.py$|^<frozen (?:importlib|runpy|zipimport)"
)


def without_runner(frames: Sequence[Frame]) -> tuple[Frame, ...]:
    """``frames`` without the leading ones of the runner and the import system; the last one always stays."""
    start = 0
    while start < len(frames) - 1 and _RUNNER.search(frames[start].file):
        start += 1
    return tuple(frames[start:])


def read_chain(lines: Sequence[str], *, to_the_end: bool = False) -> tuple[Raised, ...]:
    """The chain that the lines of one failure hold; empty when they hold none.

    ``to_the_end``: nothing follows the message, which may then have empty lines.
    """
    return _TracebackReader(lines, 0, to_the_end=to_the_end).read()
