"""Proving drawn snippets: the origin runs three cases, the target differs, and a reference passes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from backdate.construction.snippet.changed_apis import ChangedApi, replacement_of
from backdate.construction.snippet.reasons import SnippetReason
from backdate.construction.snippet.receivers import classes_seen, owner_of, recording
from backdate.construction.snippet.usages import DrawnSnippet
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import (
    AddArgument,
    ChangeArgument,
    NamePositional,
    RenameAttribute,
    ReplaceUse,
    Rewrite,
)
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.snippets.runs import (
    CaseOutcome,
    ProgramEnd,
    ProgramLimits,
    ProgramRun,
    ProgramRunner,
    SnippetProgram,
)
from backdate.snippets.snippet import Harness, SnippetSide
from backdate.snippets.versions import STANDARD_LIBRARY

T = TypeVar("T")
CASES = 3
LIMITS = ProgramLimits(wall_s=10.0)
"""Of one program: what takes longer is no small function."""
_LONGEST_VALUE = 4_000
_MOST_ATTEMPTS = 6
_OBJECT = re.compile(r"<[\w.]*\.?\w+ (?:object|at )|<generator|<function|<bound method|<built-in")
"""Texts of objects that say nothing of what is in them."""
_FOLDER = re.compile(r" \(/[^()\n]*\)")
"""Where a module lies on this machine, as errors of imports tell it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvenSnippet:
    """A drawn snippet that running has proven."""

    drawn: DrawnSnippet
    cases: tuple[str, ...]
    expected: tuple[CaseOutcome, ...]
    replacements: tuple[str, ...]
    """What is written for each name; with that alone it gives the same with the target."""
    reference: str
    evidence: tuple[str, ...]
    receivers: tuple[str, ...] = ()
    """Of each name the class that it is an attribute of, "pandas.DataFrame"; "" of a dotted one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedSnippet:
    """A drawn snippet that is no task."""

    drawn: DrawnSnippet
    reason: SnippetReason
    detail: str = ""


ProofResult = ProvenSnippet | RefusedSnippet


@dataclass(frozen=True, slots=True, kw_only=True)
class _Chosen:
    """A drawn snippet with the cases on which the origin runs."""

    drawn: DrawnSnippet
    cases: tuple[str, ...]
    expected: tuple[CaseOutcome, ...]


class SnippetProver:
    """Runs drawn snippets of one pair of versions, many at a time."""

    def __init__(
        self,
        runner: ProgramRunner,
        origin: SnippetSide,
        target: SnippetSide,
        changed: Mapping[str, ChangedApi],
        library: str = "",
    ) -> None:
        self._runner = runner
        self._origin = origin
        self._target = target
        self._changed = changed
        self._library = "" if library == STANDARD_LIBRARY else library

    def prove(self, drawn: Sequence[DrawnSnippet]) -> Iterator[ProofResult]:
        """What becomes of each, those that are refused early first. Raises what the runner raises."""
        chosen: list[_Chosen] = []
        for draft, run in self._run(self._origin, drawn, lambda one: (one.code, one, one.cases)):
            found = _choose(draft, run)
            if isinstance(found, _Chosen):
                chosen.append(found)
            else:
                yield found
        steady: list[_Chosen] = []
        for one, run in self._run(self._origin, chosen, _own_code):
            if not _ended(run):
                yield _not_ended(one.drawn, run)
            elif _same(run, one.expected):
                steady.append(one)
            else:
                yield RefusedSnippet(drawn=one.drawn, reason=SnippetReason.NOT_DETERMINISTIC)
        breaking: list[tuple[_Chosen, str]] = []
        for one, run in self._run(self._target, steady, _own_code):
            if not _ended(run):
                yield _not_ended(one.drawn, run)
                continue
            difference = _difference(one, run)
            if difference:
                breaking.append((one, difference))
            else:
                yield RefusedSnippet(drawn=one.drawn, reason=SnippetReason.TARGET_SAME)
        yield from self._of_the_library(self._referenced(breaking))

    def _of_the_library(self, results: Iterable[ProofResult]) -> Iterator[ProofResult]:
        """Proven ones whose attributes are those of the library's objects, with the classes of these."""
        recorded: list[tuple[ProvenSnippet, str]] = []
        for one in results:
            leaves = [name for name in one.drawn.names if name.startswith(".")]
            if isinstance(one, RefusedSnippet) or not leaves:
                yield one
                continue
            recorded.append((one, recording(one.drawn.code, [self._changed[name].leaf for name in leaves])))
        runs = self._run(self._origin, recorded, lambda pair: (pair[1], pair[0].drawn, pair[0].cases))
        for (one, _), run in runs:
            seen = classes_seen(run.cases)
            receivers = tuple(self._owner(name, seen) for name in one.drawn.names)
            lost = [name for name, owner in zip(one.drawn.names, receivers, strict=True) if owner is None]
            if lost:
                detail = f"{lost[0]} of {', '.join(one[0] for one in seen.get(lost[0][1:], ()))}"[:200]
                yield RefusedSnippet(drawn=one.drawn, reason=SnippetReason.OTHER_OBJECT, detail=detail)
            else:
                yield replace(one, receivers=tuple(owner or "" for owner in receivers))

    def _owner(self, name: str, seen: Mapping[str, tuple[tuple[str, ...], ...]]) -> str | None:
        """The class of an attribute, "" for a dotted name; None where it is an attribute of other objects."""
        if not name.startswith("."):
            return ""
        changed = self._changed[name]
        return owner_of(seen.get(changed.leaf, ()), changed.owners, self._library) or None

    def _run(
        self,
        side: SnippetSide,
        items: Sequence[T],
        program: Callable[[T], tuple[str, DrawnSnippet, tuple[str, ...]]],
    ) -> Iterator[tuple[T, ProgramRun]]:
        programs = []
        for number, item in enumerate(items):
            code, drawn, cases = program(item)
            harness = Harness(before=drawn.before, cases=cases)
            programs.append(SnippetProgram(id=str(number), code=code, entry=drawn.entry, harness=harness))
        if programs:
            yield from zip(items, self._runner.run(side, programs, LIMITS), strict=True)

    def _referenced(self, breaking: Sequence[tuple[_Chosen, str]]) -> Iterator[ProofResult]:
        attempts: list[_RewriteAttempt] = []
        for number, (one, _) in enumerate(breaking):
            known = [self._changed[name].rewrites for name in one.drawn.names]
            made = [
                _RewriteAttempt(number=number, rewrites=rewrites, code=code)
                for rewrites in itertools.islice(itertools.product(*known), _MOST_ATTEMPTS)
                if (code := rewritten(one.drawn.code, rewrites))
            ]
            if one.drawn.migrated:
                made.append(_RewriteAttempt(number=number, rewrites=(), code=one.drawn.migrated))
            attempts += made
            if not made:
                reason = SnippetReason.NOT_REWRITTEN if all(known) else SnippetReason.NO_REPLACEMENT
                yield RefusedSnippet(drawn=one.drawn, reason=reason)
        passed: dict[int, ProvenSnippet] = {}
        failed: dict[int, str] = {}
        undecided: dict[int, ProgramRun] = {}

        def program(attempt: _RewriteAttempt) -> tuple[str, DrawnSnippet, tuple[str, ...]]:
            one = breaking[attempt.number][0]
            return attempt.code, one.drawn, one.cases

        for attempt, run in self._run(self._target, attempts, program):
            one, difference = breaking[attempt.number]
            if not _ended(run):
                undecided[attempt.number] = run
                continue
            other = _difference(one, run)
            if other:
                failed.setdefault(attempt.number, other)
            elif attempt.number not in passed:
                passed[attempt.number] = ProvenSnippet(
                    drawn=one.drawn,
                    cases=one.cases,
                    expected=one.expected,
                    replacements=_replacements(one.drawn, attempt.rewrites),
                    reference=attempt.code,
                    evidence=(difference, _agreement(one.drawn, attempt.rewrites)),
                )
        yield from passed.values()
        for number, run in undecided.items():
            if number not in passed:
                yield _not_ended(breaking[number][0].drawn, run)
        for number, detail in failed.items():
            if number not in passed and number not in undecided:
                drawn = breaking[number][0].drawn
                yield RefusedSnippet(drawn=drawn, reason=SnippetReason.REFERENCE_FAILS, detail=detail)


def _replacements(drawn: DrawnSnippet, rewrites: Sequence[Rewrite]) -> tuple[str, ...]:
    """What is written for each name; of code that was written anew nothing."""
    return tuple(map(replacement_of, rewrites)) if rewrites else ("",) * len(drawn.names)


def _agreement(drawn: DrawnSnippet, rewrites: Sequence[Rewrite]) -> str:
    if rewrites:
        return f"with {' and '.join(drawn.names)} rewritten and nothing else all cases agree"
    return f"with the code that {drawn.origin.distribution} wrote for the target all cases agree"


def _ended(run: ProgramRun) -> bool:
    """Whether a run ended by itself: what a limit or a crash ends shows nothing of a name."""
    return run.end in (ProgramEnd.FINISHED, ProgramEnd.LOAD_ERROR)


def _not_ended(drawn: DrawnSnippet, run: ProgramRun) -> RefusedSnippet:
    detail = f"{run.end.value}: {run.detail}"[:200]
    return RefusedSnippet(drawn=drawn, reason=SnippetReason.NOT_ENDED, detail=detail)


def _own_code(one: _Chosen) -> tuple[str, DrawnSnippet, tuple[str, ...]]:
    return one.drawn.code, one.drawn, one.cases


@dataclass(frozen=True, slots=True, kw_only=True)
class _RewriteAttempt:
    """One set of rewrites of a snippet that breaks."""

    number: int
    rewrites: tuple[Rewrite, ...]
    code: str


def rewritten(code: str, rewrites: Sequence[Rewrite]) -> str:
    """``code`` with every use changed; "" where one of ``rewrites`` finds none that it can change."""
    for rewrite in rewrites:
        every = frozenset(range(1, code.count("\n") + 2))
        made = rewrite_source(code, rewrite, lines=every if _of_attribute(rewrite) else None)
        after = apply_edits(code, made.edits)
        if after == code:
            return ""
        code = after
    return code


def _of_attribute(rewrite: Rewrite) -> bool:
    """Whether it is about an attribute of objects, which is rewritten on lines that are named only.

    Whose attribute it is shows when the code runs.
    """
    match rewrite:
        case RenameAttribute():
            return True
        case ReplaceUse():
            return rewrite.target.startswith(".")
        case ChangeArgument() | AddArgument() | NamePositional():
            return rewrite.function.startswith(".")
        case _:
            return False


def _choose(drawn: DrawnSnippet, run: ProgramRun) -> _Chosen | RefusedSnippet:
    """The first three cases that give different values, or those that run."""
    if not _ended(run) and len(run.cases) < CASES:
        return _not_ended(drawn, run)
    if run.end is not ProgramEnd.FINISHED and not run.cases:
        return RefusedSnippet(drawn=drawn, reason=SnippetReason.ORIGIN_FAILS, detail=run.detail)
    ran = [
        (case, outcome) for case, outcome in zip(drawn.cases, run.cases, strict=False) if not outcome.error
    ]
    if not ran:
        detail = f"{run.cases[0].error}: {run.cases[0].message}" if run.cases else run.detail
        return RefusedSnippet(drawn=drawn, reason=SnippetReason.ORIGIN_FAILS, detail=detail[:200])
    telling = [(case, outcome) for case, outcome in ran if _tells(outcome)]
    if not telling:
        return RefusedSnippet(drawn=drawn, reason=SnippetReason.NOT_TELLING, detail=ran[0][1].value[:80])
    distinct = {(outcome.value, outcome.printed): (case, outcome) for case, outcome in reversed(telling)}
    first = [pair for pair in telling if pair in distinct.values()]
    rest = [pair for pair in telling if pair not in first]
    kept = (first + rest)[:CASES]
    if len(kept) < CASES:
        return RefusedSnippet(drawn=drawn, reason=SnippetReason.FEW_CASES)
    if len(first) < 2:
        return RefusedSnippet(drawn=drawn, reason=SnippetReason.NOT_TELLING, detail=kept[0][1].value[:80])
    return _Chosen(
        drawn=drawn, cases=tuple(case for case, _ in kept), expected=tuple(outcome for _, outcome in kept)
    )


def _tells(outcome: CaseOutcome) -> bool:
    if len(outcome.value) + len(outcome.printed) > _LONGEST_VALUE or _OBJECT.search(outcome.value):
        return False
    return bool(outcome.printed) or outcome.kind != "NoneType"


def _difference(chosen: _Chosen, run: ProgramRun) -> str:
    """The first difference to what the origin gave, in words; "" for none."""
    if run.end is not ProgramEnd.FINISHED:
        return f"{run.end.value}: {_FOLDER.sub('', run.detail)}"[:300]
    if len(run.cases) != len(chosen.expected):
        return f"{len(run.cases)} of {len(chosen.expected)} cases were run"
    for number, (before, after) in enumerate(zip(chosen.expected, run.cases, strict=True), start=1):
        if after.error:
            return f"case {number}: {after.error}: {_FOLDER.sub('', after.message)}"[:300]
        if (before.value, before.printed) != (after.value, after.printed):
            given, wanted = after.value or after.printed, before.value or before.printed
            return f"case {number} gives {given!r}, not {wanted!r}"[:300]
    return ""


def _same(run: ProgramRun, expected: Sequence[CaseOutcome]) -> bool:
    """Whether a run gave what was given before; which lines warned does not matter."""
    given = [(case.value, case.printed, case.kind, case.error) for case in run.cases]
    return given == [(case.value, case.printed, case.kind, case.error) for case in expected]
