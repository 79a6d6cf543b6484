"""When a case gives the same twice: the one rule by which answers, references and claims are judged."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramRun


def same_case(expected: CaseOutcome, got: CaseOutcome) -> bool:
    """Whether status and output are equal: what was printed, what was given, and the type of what was raised.

    An error's message may be worded otherwise in another version, and an object's type may be a subclass.
    """
    if expected.error or got.error:
        return expected.error == got.error and expected.printed == got.printed
    return expected.value == got.value and expected.printed == got.printed


def same_text(expected: CaseOutcome, got: CaseOutcome) -> bool:
    """Whether what the published harness prints is equal; an error is printed like a value there."""
    return as_printed(expected) == as_printed(got)


def as_printed(case: CaseOutcome) -> str:
    """The case in the output of the published harness: ``print(result)``, or ``print("error:", e)``."""
    told = f"error: {case.message}" if case.error else case.value
    return f"{case.printed}{told}".strip()


def wrong_cases(expected: Sequence[CaseOutcome], run: ProgramRun) -> tuple[int, ...]:
    """The cases, from 0, that do not give what is expected; all that were not reached among them."""
    wrong = [
        at for at, case in enumerate(expected) if at >= len(run.cases) or not same_case(case, run.cases[at])
    ]
    return tuple(wrong)


def runs_the_same(expected: Sequence[CaseOutcome], run: ProgramRun) -> bool:
    """Whether a run ended by itself and gives on all cases what is expected; never without a case."""
    finished = run.end is ProgramEnd.FINISHED and len(run.cases) == len(expected)
    return finished and bool(expected) and not wrong_cases(expected, run)


def raises_nothing(run: ProgramRun) -> bool:
    """Whether a script of tests passes: it ended by itself and no case of it raised."""
    return run.end is ProgramEnd.FINISHED and bool(run.cases) and not any(case.error for case in run.cases)
