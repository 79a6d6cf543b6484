"""Proving drawn snippets: the origin runs three cases, the target differs, and a reference passes."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from backdate.construction.snippet.changed_apis import ASKED, ChangedApi, replacement_of
from backdate.construction.snippet.chosen_cases import (
    ChosenSnippet,
    RefusedSnippet,
    choose,
    ended,
    not_ended,
    otherwise_seeded,
    own_code,
)
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
LIMITS = ProgramLimits(wall_s=10.0)
"""Of one program: what takes longer is no small function."""
_MOST_ATTEMPTS = 6
_GOING = re.compile(r"\w*(?:Deprecat|Future)\w*Warning\b")
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


ProofResult = ProvenSnippet | RefusedSnippet


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
        chosen: list[ChosenSnippet] = []
        for draft, run in self._run(self._origin, drawn, lambda one: (one.code, one, one.cases)):
            found = choose(draft, run)
            if isinstance(found, ChosenSnippet):
                chosen.append(found)
            else:
                yield found
        steady: list[ChosenSnippet] = []
        for one, run in self._run(self._origin, chosen, otherwise_seeded):
            if not ended(run):
                yield not_ended(one.drawn, run)
            elif _same(run, one.expected):
                steady.append(one)
            else:
                yield RefusedSnippet(drawn=one.drawn, reason=SnippetReason.NOT_DETERMINISTIC)
        breaking: list[tuple[ChosenSnippet, str]] = []
        for one, run in self._run(self._target, steady, own_code):
            if not ended(run):
                yield not_ended(one.drawn, run)
                continue
            difference = _difference(one.expected, run)
            if difference:
                breaking.append((one, difference))
            else:
                yield RefusedSnippet(drawn=one.drawn, reason=SnippetReason.TARGET_SAME)
        yield from self._of_the_library(self._shown(self._referenced(breaking)))

    def _shown(self, results: Iterable[ProofResult]) -> Iterator[ProofResult]:
        """Without those whose reference leaves an argument out that does nothing in the cases.

        That nobody names what takes its place does not say that nothing does; that the cases agree without it
        says so only where they differ without it in the origin.
        """
        guessed: list[ProvenSnippet] = []
        for one in results:
            if isinstance(one, ProvenSnippet) and self._leaves_out_by_guess(one):
                guessed.append(one)
            else:
                yield one
        for one, run in self._run(self._origin, guessed, lambda one: (one.reference, one.drawn, one.cases)):
            if not ended(run):
                yield not_ended(one.drawn, run)
            elif _difference(one.expected, run):
                yield one
            else:
                yield RefusedSnippet(drawn=one.drawn, reason=SnippetReason.NOT_SHOWN)

    def _leaves_out_by_guess(self, one: ProvenSnippet) -> bool:
        """Whether its reference leaves an argument out without a rule or a model that says so."""
        if one.reference == one.drawn.migrated:
            return False
        gone = [
            self._changed[name]
            for name, replacement in zip(one.drawn.names, one.replacements, strict=True)
            if not replacement
        ]
        return any(
            changed.argument not in ("", "*")
            and (changed.known_by == ASKED or bool(replacement_of(changed.rewrites[0])))
            for changed in gone
        )

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

    def _referenced(self, breaking: Sequence[tuple[ChosenSnippet, str]]) -> Iterator[ProofResult]:
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
        announced: dict[int, int] = {}
        failed: dict[int, str] = {}
        undecided: dict[int, ProgramRun] = {}

        def program(attempt: _RewriteAttempt) -> tuple[str, DrawnSnippet, tuple[str, ...]]:
            one = breaking[attempt.number][0]
            return attempt.code, one.drawn, one.cases

        for attempt, run in self._run(self._target, attempts, program):
            one, difference = breaking[attempt.number]
            if not ended(run):
                undecided[attempt.number] = run
                continue
            other = _difference(one.expected, run)
            if other:
                failed.setdefault(attempt.number, other)
            elif attempt.number not in passed or _announced(run) < announced[attempt.number]:
                announced[attempt.number] = _announced(run)
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
                yield not_ended(breaking[number][0].drawn, run)
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


def _announced(run: ProgramRun) -> int:
    """How many announcements it gave that something is to go: the reference with the fewest is taken."""
    return len({text for case in run.cases for text in case.warnings if _GOING.match(text)})


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


def _difference(expected: Sequence[CaseOutcome], run: ProgramRun) -> str:
    """The first difference to what the origin gave, in words; "" for none."""
    if run.end is not ProgramEnd.FINISHED:
        return f"{run.end.value}: {_FOLDER.sub('', run.detail)}"[:300]
    if len(run.cases) != len(expected):
        return f"{len(run.cases)} of {len(expected)} cases were run"
    for number, (before, after) in enumerate(zip(expected, run.cases, strict=True), start=1):
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
