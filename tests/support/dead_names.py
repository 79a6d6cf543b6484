"""A world for the rules solver's loop: files use names of a library, of which some are dead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.encodings import line_starts
from backdate.editing.spans import Edit
from backdate.rewriting.rewrite import ReplaceName, Rewrite
from backdate.rewriting.rewritten import RewrittenSource
from backdate.solvers.reasons import ProposalOrigin
from backdate.solvers.rules.applying import TextChanger, Texts
from backdate.solvers.rules.backend import SuiteReading
from backdate.solvers.rules.proposals import FailureGroup, Proposal

_USE = re.compile(r"lib\.(\w+)")


def replace_names(text: str, rewrite: Rewrite, lines: frozenset[int] | None) -> RewrittenSource:
    """``lib.old`` becomes ``lib.new`` on the lines, letter by letter."""
    assert isinstance(rewrite, ReplaceName)
    starts = line_starts(text)
    edits, changed = [], []
    for match in re.finditer(rf"{re.escape(rewrite.old)}\b", text):
        line = sum(start <= match.start() for start in starts)
        if lines is None or line in lines:
            edits.append(Edit(match.start(), match.end(), rewrite.new))
            changed.append(line)
    return RewrittenSource(edits=tuple(edits), lines=tuple(changed))


def rename(old: str, new: str, *places: SourcePlace, origin: str = "written-rule") -> Proposal:
    return Proposal(
        origin=ProposalOrigin(origin),
        rewrite=ReplaceName(old=f"lib.{old}", new=f"lib.{new}"),
        places=places,
        distribution="lib",
    )


def missing(name: str, place: SourcePlace, *tests: str) -> FailureGroup:
    return FailureGroup(
        cause=Cause(
            kind=CauseKind.MISSING_ATTRIBUTE,
            type="AttributeError",
            message=f"module 'lib' has no attribute '{name}'",
            name=name,
            owner="lib",
            owner_is="module",
            distribution="lib",
        ),
        tests=tests,
        places=(place,),
        raised_at=(place,),
    )


Rules = Callable[[FailureGroup, Texts], Sequence[Proposal]]


@dataclass
class DeadNamesWorld:
    """Each file is run from its first line to its last by one test; the first dead name ends it."""

    files: Mapping[str, str]
    alive: frozenset[str]
    rules: Rules
    wrong: frozenset[str] = frozenset()
    """Names that are there and give something else: the test fails at its end."""
    hangs: frozenset[str] = frozenset()
    fatal: frozenset[str] = frozenset()
    """Names that are not there, and without which no test starts."""
    executed: Mapping[str, frozenset[int]] = field(default_factory=dict)
    read_as_text: frozenset[str] = frozenset()
    """Files that another process runs: a dead name in them shows as a value that differs."""
    catches: frozenset[str] = frozenset()
    """Files that catch what a dead name raises, and go on with another value."""
    shows: str = "assert []"
    """What the test says then."""
    selects: bool = False
    asked: list[tuple[Texts, tuple[str, ...]]] = field(default_factory=list)
    """Every run: what was changed, and the tests that were chosen."""

    @property
    def tests(self) -> int:
        return len(self.files)

    def read(self, file: str) -> str | None:
        return self.files.get(file)

    def changer(self) -> TextChanger:
        return TextChanger(self.read, replace_names)

    def run(self, texts: Texts, only: tuple[str, ...], why: str) -> SuiteReading:
        self.asked.append(({file: text for file, text in texts.items() if text != self.files[file]}, only))
        good, groups, ended = set(), {}, True
        for file in self.files:
            lines = enumerate(texts.get(file, self.files[file]).splitlines(), start=1)
            ends = [(name, line) for line, text in lines for name in _USE.findall(text) if name in self.fatal]
            if ends:
                tests = tuple(f"test_{each}" for each in self.files)
                only_one = missing(ends[0][0], SourcePlace(file=file, line=ends[0][1]), *tests)
                return SuiteReading(solved=False, missing=tests, groups=(only_one,), whole=not only)
            test = f"test_{file}"
            if only and test not in only:
                continue
            failure, hung = self._of_file(file, texts.get(file, self.files[file]), test)
            ended &= not hung
            if failure is None:
                good.add(test)
            else:
                key = (failure.cause.name, failure.cause.message)
                known = groups.get(key)
                groups[key] = failure if known is None else joined(known, failure)
        missing_tests = tuple(
            f"test_{file}"
            for file in self.files
            if f"test_{file}" not in good and (not only or f"test_{file}" in only)
        )
        return SuiteReading(
            solved=not missing_tests and ended,
            good=frozenset(good),
            missing=missing_tests,
            groups=tuple(groups.values()),
            ended=ended,
            whole=not only,
        )

    def _of_file(self, file: str, text: str, test: str) -> tuple[FailureGroup | None, bool]:
        value = None
        for number, line in enumerate(text.splitlines(), start=1):
            for name in () if line.startswith("if 0:") else _USE.findall(line):
                place = SourcePlace(file=file, line=number)
                if name in self.hangs:
                    return FailureGroup(
                        cause=Cause(kind=CauseKind.TIMEOUT, type="", message="hung"), tests=(test,), places=()
                    ), True
                if name not in self.alive and file in self.read_as_text | self.catches:
                    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message=self.shows)
                    return FailureGroup(cause=cause, tests=(test,), places=()), False
                if name not in self.alive:
                    return missing(name, place, test), False
                if name in self.wrong:
                    value = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message=f"{file} is wrong")
        return (None if value is None else FailureGroup(cause=value, tests=(test,), places=())), False

    def propose(self, group: FailureGroup, texts: Texts) -> Sequence[Proposal]:
        return self.rules(group, texts)

    def ask_together(self, works: Sequence[Callable[[], object]]) -> None:
        for work in works:
            work()

    def caught(self, texts: Texts, only: tuple[str, ...]) -> Sequence[FailureGroup]:
        self.asked.append((texts, only))
        found = []
        for file in sorted(self.catches):
            lines = enumerate(texts.get(file, self.files[file]).splitlines(), start=1)
            names = [(name, number) for number, line in lines for name in _USE.findall(line)]
            dead = next(((name, number) for name, number in names if name not in self.alive), None)
            if dead is not None:
                found.append(missing(dead[0], SourcePlace(file=file, line=dead[1])))
        return found

    def untraced(self, texts: Texts) -> Sequence[FailureGroup]:
        return [
            missing(name, SourcePlace(file=file, line=number))
            for file in self.read_as_text
            for number, line in enumerate(texts.get(file, self.files[file]).splitlines(), start=1)
            for name in _USE.findall(line)
            if name not in self.alive
        ]

    def foreseen(self, texts: Texts) -> Sequence[FailureGroup]:
        found = []
        for file, lines in self.executed.items():
            for number, line in enumerate(texts.get(file, self.files[file]).splitlines(), start=1):
                found += [
                    missing(name, SourcePlace(file=file, line=number))
                    for name in _USE.findall(line)
                    if number in lines and name not in self.alive
                ]
        return found


def joined(one: FailureGroup, other: FailureGroup) -> FailureGroup:
    return FailureGroup(
        cause=one.cause,
        tests=(*one.tests, *other.tests),
        places=(*one.places, *other.places),
        raised_at=(*one.raised_at, *other.raised_at),
    )


def by_table(**names: Sequence[str]) -> Rules:
    """Proposals by the missing name, on the lines of the traceback."""

    def rules(group: FailureGroup, texts: Texts) -> Sequence[Proposal]:
        return [rename(group.cause.name, new, *group.places) for new in names.get(group.cause.name, ())]

    return rules
