"""What a snippet's claim is worth, decided from its runs in both versions and what both say of its names."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from backdate.diagnosis.api import Member
from backdate.snippets.direction import direction_of
from backdate.snippets.names import uses_of
from backdate.snippets.questions.same_outcome import raises_nothing, runs_the_same, same_case
from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramRun
from backdate.snippets.snippet import ApiChange, Direction, Snippet, Validity, ValidityClass

_ANNOUNCES = re.compile(r"Deprecat|FutureWarning|\bdeprecated\b|will be removed|removed in", re.IGNORECASE)
_NAMES_MISSING = frozenset({"AttributeError", "ImportError", "ModuleNotFoundError", "NameError"})
_MOST_EVIDENCE = 12
_LENGTH = 300

Members = Mapping[str, Member]
"""What an environment says of names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetRuns:
    """What was run of a snippet, and asked."""

    origin: tuple[ProgramRun, ...] = ()
    """The code with its origin, as often as it was repeated."""
    target: ProgramRun | None = None
    """The same code with its target."""
    reference: ProgramRun | None = None
    """The known solution with the target."""
    names_before: Members = field(default_factory=dict)
    names_after: Members = field(default_factory=dict)
    too_new: Mapping[str, str] = field(default_factory=dict)
    """Of a target that cannot be had: since which version of Python a listed name is there."""


def runs_well(run: ProgramRun) -> bool:
    """Whether code runs with its own version: to its end, and not every case raises."""
    return run.end is ProgramEnd.FINISHED and any(not case.error for case in run.cases)


def expected_of(snippet: Snippet, runs: SnippetRuns) -> tuple[CaseOutcome, ...]:
    """What each case gives with the origin; nothing where it does not run, or where tests assert."""
    if not snippet.compared or not runs.origin or not runs_well(runs.origin[0]):
        return ()
    return runs.origin[0].cases


def validity_of(snippet: Snippet, runs: SnippetRuns) -> Validity:
    """What was found of the claim, with its evidence."""
    found, evidence = _found(snippet, runs)
    repeats = [run for run in runs.origin if run.end is not ProgramEnd.NO_ENVIRONMENT]
    alike = [_alike(snippet, repeats[0], run) for run in repeats[1:]]
    return Validity(
        found=found,
        evidence=tuple(line[:_LENGTH] for line in evidence[:_MOST_EVIDENCE]),
        deterministic=all(alike) if alike else None,
        reference_passes=None if runs.reference is None else reference_passes(snippet, runs),
    )


def reference_passes(snippet: Snippet, runs: SnippetRuns) -> bool:
    """Whether the known solution gives with the target what is expected."""
    if runs.reference is None:
        return False
    expected = expected_of(snippet, runs)
    return runs_the_same(expected, runs.reference) if snippet.compared else raises_nothing(runs.reference)


def _alike(snippet: Snippet, first: ProgramRun, second: ProgramRun) -> bool:
    """Whether the same code gave the same twice; what pytest prints of tests tells how long they took."""
    if snippet.harness.module:
        first, second = (replace(run, cases=tuple(map(_unprinted, run.cases))) for run in (first, second))
    return (
        first.end is second.end
        and len(first.cases) == len(second.cases)
        and all(map(same_case, first.cases, second.cases))
    )


def _unprinted(case: CaseOutcome) -> CaseOutcome:
    return replace(case, printed="")


def _found(snippet: Snippet, runs: SnippetRuns) -> tuple[ValidityClass, list[str]]:
    if snippet.origin is None or snippet.target is None:
        return _of_one_version(snippet, runs)
    if snippet.origin.not_had:
        return ValidityClass.OTHER, [snippet.origin.not_had]
    origin = runs.origin[0] if runs.origin else None
    if origin is None or origin.end is ProgramEnd.NO_ENVIRONMENT:
        return ValidityClass.OTHER, [
            f"no environment of the origin: {origin.detail if origin else 'not run'}"
        ]
    if not (runs_well(origin) if snippet.compared else raises_nothing(origin)):
        return ValidityClass.ORIGIN_FAILS, [_told(origin)]
    if snippet.target.not_had:
        lines = [f"{name} is there since Python {since}" for name, since in sorted(runs.too_new.items())]
        if lines:
            return ValidityClass.CONFIRMED_STATICALLY, [*lines, snippet.target.not_had]
        return ValidityClass.OTHER, [snippet.target.not_had, "nothing says that a listed name is not there"]
    if runs.target is None or runs.target.end is ProgramEnd.NO_ENVIRONMENT:
        detail = runs.target.detail if runs.target else "not run"
        return ValidityClass.OTHER, [f"no environment of the target: {detail}"]
    return _of_both(snippet, runs, origin, runs.target)


def _of_one_version(snippet: Snippet, runs: SnippetRuns) -> tuple[ValidityClass, list[str]]:
    """Of a completion: there is no claim but that the known solution passes."""
    if runs.reference is None or runs.reference.end is ProgramEnd.NO_ENVIRONMENT:
        why = runs.reference.detail if runs.reference else "it names no two versions, and no solution"
        return ValidityClass.OTHER, [why]
    if not reference_passes(snippet, runs):
        return ValidityClass.ORIGIN_FAILS, [f"the known solution: {_told(runs.reference)}"]
    return ValidityClass.CONFIRMED_BY_RUNNING, ["the known solution passes the tests"]


def _of_both(
    snippet: Snippet, runs: SnippetRuns, origin: ProgramRun, target: ProgramRun
) -> tuple[ValidityClass, list[str]]:
    gone = [api for api in snippet.apis if _is_gone(api, snippet, runs)]
    lines = [f"{api.name} is not there with {_target(snippet)}" for api in gone]
    same = runs_the_same(origin.cases, target) if snippet.compared else raises_nothing(target)
    if same:
        if gone:
            return ValidityClass.CONFIRMED_STATICALLY, [*lines, "all cases give the same nevertheless"]
        warned = _announced(snippet, origin, target)
        if warned:
            return ValidityClass.ONLY_WARNS, warned
        same_cases = f"all {len(origin.cases)} cases give the same"
        return ValidityClass.NONE_SEEN, [same_cases, *_unanswered(snippet, runs)]
    told = _told(target, origin)
    if not _failures(origin, target) and any(not _alike(snippet, origin, again) for again in runs.origin[1:]):
        return ValidityClass.OTHER, ["it gives something else each time", told, *lines]
    if not snippet.apis or any(_is_behind(api, snippet, origin, target) for api in snippet.apis):
        return ValidityClass.CONFIRMED_BY_RUNNING, [told, *lines]
    if gone:
        return ValidityClass.CONFIRMED_STATICALLY, [*lines, f"it fails before that: {told}"]
    return ValidityClass.BREAKS_ELSEWHERE, [told, *_unanswered(snippet, runs)]


def _is_gone(api: ApiChange, snippet: Snippet, runs: SnippetRuns) -> bool:
    """Whether the origin has a name that the code uses, and the target does not."""
    before, after = runs.names_before.get(api.name), runs.names_after.get(api.name)
    if before is None or after is None or not before.present or after.present:
        return False
    return re.search(rf"\b{re.escape(_last(api.name))}\b", snippet.code) is not None


def _unanswered(snippet: Snippet, runs: SnippetRuns) -> list[str]:
    """The listed names of which a version said nothing: they may be gone all the same."""
    asked = ((snippet.origin, runs.names_before), (snippet.target, runs.names_after))
    return [
        f"{api.name}: {snippet.library} {side.version} did not answer whether it is there"
        for side, members in asked
        for api in snippet.apis
        if side is not None and api.name and api.name not in members
    ]


def _is_behind(api: ApiChange, snippet: Snippet, origin: ProgramRun, target: ProgramRun) -> bool:
    """Whether a failure in the target is about a listed name: it says it, or comes from where it is used.

    A name that is said to be missing has to be the listed one: others may be used on the same line.
    """
    last = _last(api.name)
    if not last:
        return False
    lines = {use.line for use in uses_of(snippet.code) if _last(use.name) == last}
    for error, message, where in _failures(origin, target):
        if re.search(rf"(?<!\w){re.escape(last)}(?!\w)", message):
            return True
        if error not in _NAMES_MISSING and where and where[-1] in lines:
            return True
    return False


def _failures(origin: ProgramRun, target: ProgramRun) -> list[tuple[str, str, tuple[int, ...]]]:
    """The errors of the target that the origin does not have."""
    if target.end is ProgramEnd.LOAD_ERROR:
        error, _, message = target.detail.partition(": ")
        return [(error, message, ())]
    before = {(case.error, case.message) for case in origin.cases}
    return [
        (case.error, case.message, case.lines)
        for case in target.cases
        if case.error and (case.error, case.message) not in before
    ]


def _announced(snippet: Snippet, origin: ProgramRun, target: ProgramRun) -> list[str]:
    """What one of the two versions warns of a listed name: the later one, whichever way the snippet goes."""
    later, earlier = (origin, target) if direction_of(snippet) is Direction.BACKWARD else (target, origin)
    known = {line for case in earlier.cases for line in case.warnings}
    fresh = dict.fromkeys(line for case in later.cases for line in case.warnings if line not in known)
    lasts = [re.escape(_last(api.name)) for api in snippet.apis if _last(api.name)]
    return [
        line
        for line in fresh
        if _ANNOUNCES.search(line) and (not lasts or re.search(rf"\b(?:{'|'.join(lasts)})\b", line))
    ]


def _told(run: ProgramRun, before: ProgramRun | None = None) -> str:
    """What went otherwise, in one line: how the run ended, else the first case that raises or differs."""
    if run.end is not ProgramEnd.FINISHED:
        return f"{run.end.value}: {run.detail}" if run.detail else run.end.value
    for number, case in enumerate(run.cases):
        known = None if before is None or number >= len(before.cases) else before.cases[number]
        if known is not None and same_case(known, case):
            continue
        if case.error:
            return f"case {number + 1}: {case.error}: {case.message}"
        if known is not None:
            return f"case {number + 1}: {_short(known.value)!r} became {_short(case.value)!r}"
    return "it gives nothing"


def _short(text: str) -> str:
    return text if len(text) <= 100 else f"{text[:99]}…"


def _target(snippet: Snippet) -> str:
    return "" if snippet.target is None else f"{snippet.library} {snippet.target.version}"


def _last(name: str) -> str:
    return name.rpartition(".")[2]
