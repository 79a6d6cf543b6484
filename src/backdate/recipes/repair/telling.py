"""The lines that say why a build failed, or a test."""

from __future__ import annotations

import re

from backdate.text import first_line

_COMPILER = re.compile(
    r"^\S{1,300}\.(?:c|cc|cpp|cxx|h|hh|hpp|pyx|pxd|rs|f|f90|m|mm|cu):\d+(?::\d+)?: (?:fatal )?error: ",
    re.IGNORECASE,
)
_CONFIGURED = re.compile(r"^(?:CMake Error\b|(?:\S+/)?meson\.build:\d+:\d+: ERROR: |configure: error: )")
_RAISED = re.compile(r"^\W{0,20}((?:[A-Za-z_][\w.]{0,80})?(?:Error|Exception|Invalid\w{0,30})): (.{0,300})")
_OF_A_COMMAND = re.compile(
    r"CalledProcessError|(?:Compile|Link|Exec)Error: command|non-zero exit status|Error compiling"
)
"""Exceptions that say only that a command failed, which said why before."""
_BECAUSE = re.compile(r"\b(?:because\b|requires?\b|error:|hint:)", re.IGNORECASE)
_SAYS_THAT_ONLY = re.compile(
    r"\berror: (?:command\b|Failed to build )|subprocess-exited-with-error|metadata-generation-failed|"
    r"returned an error\b|\bNo solution found\b|\bhint: (?:See above|Build failures usually)\b"
)
"""What says that something failed, and not why."""
_CAUSE = re.compile(r"^\W{0,20}cause: ")
_FRAME = re.compile(r'File "[^"]{1,4096}", line \d')
_MOST_LINES = 8
_REPORTED = re.compile(r"^E {1,4}(\S.*)", re.MULTILINE)
"""The exception in a report of pytest's, which is all that its error about a file of tests says."""


def telling_lines(message: str) -> tuple[str, ...]:
    """The lines of a failed build's log that give the reason, the most specific first; empty for no text."""
    from backdate.recipes.repair.builds import tool_limits  # with its rules, for what did not build alone

    lines = _without_code([line.strip() for line in message.splitlines() if line.strip()])
    limits = [line for line in tool_limits(message)[1] if line]
    first = [line for line in lines if any(limit in line for limit in limits)]
    compiler = [line for line in lines if _COMPILER.match(line) or _CONFIGURED.match(line)]
    raised = [line for line in reversed(lines) if _RAISED.match(line) and not _OF_A_COMMAND.search(line)]
    because = [line for line in lines if _BECAUSE.search(line) and not _SAYS_THAT_ONLY.search(line)]
    causes = [line for line in reversed(lines) if _CAUSE.match(line) and not _SAYS_THAT_ONLY.search(line)]
    commands = [line for line in reversed(lines) if _OF_A_COMMAND.search(line) and _RAISED.match(line)]
    found = dict.fromkeys((*first, *compiler, *raised, *because))
    if not found:  # what names the command that failed tells nothing beside what says why
        found = dict.fromkeys((*causes, *commands, *lines[:1]))
    return tuple(found)[:_MOST_LINES]


def _without_code(lines: list[str]) -> list[str]:
    """``lines`` without those of code that stand under the frames of a traceback."""
    of_code = {number + 1 for number, line in enumerate(lines) if _FRAME.match(line)}
    return [
        line
        for number, line in enumerate(lines)
        if number not in of_code or _FRAME.match(line) or _RAISED.match(line)
    ]


def telling_line(message: str, *, most: int = 300) -> str:
    """The line that tells most, without the marks of an installer's tree; "no message" for no text."""
    line = next(iter(telling_lines(message)), "")
    return line.lstrip("\u00d7\u2570\u251c\u2500\u25b6> ").removeprefix("cause: ")[:most] or "no message"


def raised_line(kind: str, message: str, *, most: int = 300) -> str:
    """What an exception says, in one line; of a report of pytest's the exception that it ends with."""
    reported = _REPORTED.findall(message)
    return reported[-1].strip()[:most] if reported else first_line(f"{kind}: {message}", most=most)
