"""The failure of a set-up as plain data, which repair rules read besides the recipe and its files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from backdate.escapes import without_escapes
from backdate.timeline.instants import Instant

Phase = Literal["resolve", "install", "tests"]

MOST_TEXT = 200_000
"""Characters of text that rules look at: of a longer one the first quarter and the last three are kept."""
_LONGEST_LINE = 2_000
_MOST_MODULES = 40
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
MISSING_MODULE = re.compile(
    r"(?:ModuleNotFoundError|ImportError): No module named '?([A-Za-z_][\w.]{0,100})'?", re.ASCII
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One exception that stopped a test, a file of tests or the runner, and how often it was seen."""

    type: str
    """Qualified name, ``builtins.`` left out."""
    message: str
    count: int = 1
    """How many tests or files it stopped."""
    files: tuple[str, ...] = ()
    """The files of its innermost frames, each once, relative to the project's root where they lie in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupFailure:
    """A set-up that failed: its phase and its output. See ``read_failure``."""

    phase: Phase
    status: str
    """How it ended: a ``BuildFailure.phase`` or a ``TestRun.status``; "resolve", "timeout", "broken", …"""
    text: str
    """The log, bounded, without colours and control characters."""
    python: str
    """The interpreter's version: "3.8.18"."""
    instant: Instant
    pythons: tuple[str, ...] = ()
    """Every interpreter that may be used instead, by version."""
    missing_modules: tuple[str, ...] = ()
    """Modules that could not be imported, dotted as they were asked for, the most frequent first."""
    problems: tuple[Problem, ...] = ()
    """What stopped tests, the most frequent first; empty for a build."""
    by_pip: bool = False
    """Whether pip built the environment (after uv failed, or because pip was asked for)."""
    exit_code: int | None = None
    passed: int = 0
    """Tests with the expected outcome."""
    ran: int = 0
    """Tests that ran, whatever the outcome, files that could not be collected included."""
    version_hint: str | None = None
    """The version that the tree's history gives the project, when it is known."""
    refused: tuple[str, ...] = ()
    """Hosts and ports that a build wanted and was not let through to."""
    few_tests: bool = False
    """Whether enough of what ran passes, but less than half of the tests that the project defines ran."""
    installed: Mapping[str, str] | None = None
    """The versions in the environment in which tests failed, by normalised name; None of a build."""
    absent: tuple[str, ...] = ()
    """The names of files that the source lacks (``loop.LoopBackend.absent_files``)."""

    @property
    def wants_absent_files(self) -> bool:
        """Whether a build names files that the source lacks, so that no recipe could make it succeed."""
        return self.phase != "tests" and any(name.rstrip("/") in self.text for name in self.absent)

    @property
    def tests_want_absent_files(self) -> bool:
        """Whether what stopped a test names a file that the source lacks."""
        return any(name in problem.message for problem in self.problems for name in self.absent)

    @property
    def minor(self) -> tuple[int, int]:
        """The interpreter's first two numbers; (0, 0) when ``python`` is no version."""
        return numbers(self.python)


def read_failure(
    *,
    phase: Phase,
    status: str,
    texts: Iterable[str],
    python: str,
    instant: Instant,
    pythons: Iterable[str] = (),
    problems: Iterable[Problem] = (),
    by_pip: bool = False,
    exit_code: int | None = None,
    passed: int = 0,
    ran: int = 0,
    version_hint: str | None = None,
    refused: Iterable[str] = (),
    few_tests: bool = False,
) -> SetupFailure:
    """The failure that ``texts`` (messages and logs, in any order) and ``problems`` describe.

    Texts may be whatever a hostile build wrote: they are cut, and never raise.
    """
    most_frequent = tuple(sorted(problems, key=lambda problem: -problem.count))
    text = bounded("\n".join(texts))
    return SetupFailure(
        phase=phase,
        status=status,
        text=text,
        python=python,
        instant=instant,
        pythons=tuple(pythons),
        missing_modules=_missing(text, most_frequent),
        problems=most_frequent,
        by_pip=by_pip,
        exit_code=exit_code,
        passed=passed,
        ran=ran,
        version_hint=version_hint,
        refused=tuple(refused),
        few_tests=few_tests,
    )


def bounded(text: str) -> str:
    """``text`` without colours and control characters, its lines and its length cut."""
    if len(text) > MOST_TEXT:
        text = f"{text[: MOST_TEXT // 4]}\n…\n{text[-MOST_TEXT * 3 // 4 :]}"
    lines = _CONTROL.sub("", without_escapes(text).replace("\r\n", "\n").replace("\r", "\n")).split("\n")
    return "\n".join(line[:_LONGEST_LINE] for line in lines)


def numbers(version: str) -> tuple[int, int]:
    """The first two numbers of a version: (3, 8); (0, 0) when there are none."""
    match = re.match(r"(\d{1,4})\.(\d{1,4})", version, re.ASCII)
    return (int(match[1]), int(match[2])) if match else (0, 0)


def _missing(text: str, problems: tuple[Problem, ...]) -> tuple[str, ...]:
    counts: dict[str, int] = {}
    for problem in problems:
        match = MISSING_MODULE.search(f"{problem.type.rpartition('.')[2]}: {problem.message[:_LONGEST_LINE]}")
        if match:
            counts[match[1]] = counts.get(match[1], 0) + problem.count
    for match in MISSING_MODULE.finditer(text):
        counts[match[1]] = counts.get(match[1], 0) + 1
    ordered = sorted(counts, key=lambda name: -counts[name])
    return tuple(ordered[:_MOST_MODULES])
