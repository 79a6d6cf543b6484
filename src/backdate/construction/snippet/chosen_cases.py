"""Which cases of a drawn function are kept: three that run with the origin and tell something of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from backdate.construction.snippet.reasons import SnippetReason
from backdate.construction.snippet.usages import DrawnSnippet
from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramRun

CASES = 3
_LONGEST_VALUE = 4_000
_OBJECT = re.compile(r"<[\w.]*\.?\w+ (?:object|at )|<generator|<function|<bound method|<built-in")
"""Texts of objects that say nothing of what is in them."""
_SEEDS = (("random", "seed(1)"), ("numpy", "random.seed(1)"), ("torch", "manual_seed(1)"))
"""How the generators are seeded that the runner seeds with 0."""
_MORE_THAN_ZEROS = re.compile(r"[1-9A-Za-z]")
"""What a value has that is not zeros in brackets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedSnippet:
    """A drawn snippet that is no task."""

    drawn: DrawnSnippet
    reason: SnippetReason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenSnippet:
    """A drawn snippet with the cases on which the origin runs."""

    drawn: DrawnSnippet
    cases: tuple[str, ...]
    expected: tuple[CaseOutcome, ...]


def choose(drawn: DrawnSnippet, run: ProgramRun) -> ChosenSnippet | RefusedSnippet:
    """The first three cases that give different values (more than zeros first), or else those that run."""
    if not ended(run) and len(run.cases) < CASES:
        return not_ended(drawn, run)
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
    first.sort(key=lambda pair: not _MORE_THAN_ZEROS.search(pair[1].value + pair[1].printed))
    rest = [pair for pair in telling if pair not in first]
    kept = (first + rest)[:CASES]
    if len(kept) < CASES:
        return RefusedSnippet(drawn=drawn, reason=SnippetReason.FEW_CASES)
    if len(first) < 2:
        return RefusedSnippet(drawn=drawn, reason=SnippetReason.NOT_TELLING, detail=kept[0][1].value[:80])
    return ChosenSnippet(
        drawn=drawn, cases=tuple(case for case, _ in kept), expected=tuple(outcome for _, outcome in kept)
    )


def _tells(outcome: CaseOutcome) -> bool:
    if len(outcome.value) + len(outcome.printed) > _LONGEST_VALUE or _OBJECT.search(outcome.value):
        return False
    return bool(outcome.printed) or outcome.kind != "NoneType"


def ended(run: ProgramRun) -> bool:
    """Whether a run ended by itself: what a limit or a crash ends shows nothing of a name."""
    return run.end in (ProgramEnd.FINISHED, ProgramEnd.LOAD_ERROR)


def not_ended(drawn: DrawnSnippet, run: ProgramRun) -> RefusedSnippet:
    """What becomes of a drawn snippet whose run a limit or a crash ended."""
    detail = f"{run.end.value}: {run.detail}"[:200]
    return RefusedSnippet(drawn=drawn, reason=SnippetReason.NOT_ENDED, detail=detail)


def own_code(one: ChosenSnippet) -> tuple[str, DrawnSnippet, tuple[str, ...]]:
    """What is run of it: its code, what it is drawn from, and the kept cases."""
    return one.drawn.code, one.drawn, one.cases


def otherwise_seeded(one: ChosenSnippet) -> tuple[str, DrawnSnippet, tuple[str, ...]]:
    """The same with other seeds than the runner's: what a function draws is no value of its own."""
    modules = [module for module, _ in _SEEDS if _mentions(one.drawn.code, module)]
    seeds = [f"__import__({module!r}).{seed}" for module, seed in _SEEDS if module in modules]
    if "rand" not in one.drawn.code or not seeds:
        return own_code(one)
    cases = tuple(f"({', '.join(seeds)}, {case})[-1]" for case in one.cases)
    return one.drawn.code, one.drawn, cases


def _mentions(code: str, module: str) -> bool:
    return re.search(rf"\b{module}\b", code) is not None
