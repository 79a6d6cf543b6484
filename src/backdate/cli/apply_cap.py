"""``--apply-cap`` of check and bisect: limits are written into a project's file where a check proves them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from backdate.cli.changed_folder import UNDO
from backdate.errors import UsageError

if TYPE_CHECKING:
    from backdate.bisection.result import BisectResult
    from backdate.checking.answers import CheckAnswers
    from backdate.checking.options import SideKeywords
    from backdate.checking.result import CheckResult
    from backdate.cli.render import Line
    from backdate.fixing.cap import TriedCaps
    from backdate.progress import Reporter
    from backdate.session import Session


@dataclass(frozen=True, slots=True, kw_only=True)
class SoughtLimits:
    """What became of the limits that keep tests passing, before anything is written."""

    checked: CheckResult | None = None
    """Where nothing was searched: the declared answer, which is not that something broke."""
    found: BisectResult | None = None
    tried: TriedCaps | None = None
    """None where no limit was seen to help."""
    problem: UsageError | None = None
    """Why there is nothing to write: no file can be plainly edited, or what helps is an interpreter."""


def limits_of_bisection(
    session: Session,
    folder: Path,
    result: BisectResult,
    *,
    progress: Reporter,
    **sides: Unpack[SideKeywords],
) -> SoughtLimits:
    """The limits that the advice of ``result`` names, checked in a copy of ``folder``."""
    from backdate.fixing.cap import try_caps

    if not result.advice.now:
        return SoughtLimits(found=result)
    try:
        tried = try_caps(session, folder, result, progress=progress, **sides)
    except UsageError as error:  # raised again when what was found is told
        return SoughtLimits(found=result, problem=error)
    return SoughtLimits(found=result, tried=tried)


def limits_of_check(
    session: Session,
    folder: Path,
    answers: CheckAnswers,
    *,
    progress: Reporter,
    **sides: Unpack[SideKeywords],
) -> SoughtLimits:
    """The same for what breaks for users: a check does not know the culprit, so it is searched first."""
    from backdate.checking.question import Question
    from backdate.checking.result import Verdict

    declared = answers.declared
    assert declared is not None  # a command asks both questions
    if declared.verdict is not Verdict.BROKE:
        return SoughtLimits(checked=declared)
    sides.update({"from_instant": declared.old.instant, "to_instant": declared.new.instant})
    found = session.bisect(
        folder,
        question=Question.DECLARED,
        explanations=False,
        progress=progress,
        **sides,
    )
    return limits_of_bisection(session, folder, found, progress=progress, **sides)


def write_limits(folder: Path, sought: SoughtLimits, *, told: bool, findings: bool = False) -> None:
    """Write the limits where they are proven. ``told``: whether text says what became of them.

    ``findings``: whether it names the culprits as well. Raises UsageError for a problem, and where a file
    changed meanwhile.
    """
    from backdate.cli.render import print_lines
    from backdate.fixing.applying import apply_fix

    tried = sought.tried
    if tried is not None and tried.proven:
        try:
            apply_fix(folder, tried.files.before, tried.files.after, folder / UNDO)
        except UsageError as error:  # raised again when what was found is told
            sought = replace(sought, problem=error)
    if told:
        print_lines([("", ""), *_culprits(sought, findings=findings), *_what_became(sought)])
    if sought.problem is not None:
        raise sought.problem


def _culprits(sought: SoughtLimits, *, findings: bool) -> Iterator[Line]:
    from backdate.output.culprit_words import finding_in_a_line

    if findings and sought.found is not None:
        yield from ((finding_in_a_line(finding), "bold") for finding in sought.found.findings)


def _what_became(sought: SoughtLimits) -> Iterator[Line]:
    from backdate.checking.result import Verdict

    tried = sought.tried
    if sought.problem is not None:
        yield "Nothing was written.", "yellow"
        for cap in tried.files.caps if tried is not None else ():
            yield f"  proven, to be written by hand: {cap.file}:{cap.line} {cap.after}", ""
    elif sought.checked is not None:
        fine = sought.checked.verdict is Verdict.NOTHING_BROKE
        why = "nothing breaks for users today" if fine else "no breakage for users is known"
        yield f"Nothing was written: {why}, so there is no limit to write.", "green" if fine else "yellow"
    elif tried is None:
        yield "No limit was seen to help: nothing was written.", "yellow"
    elif not tried.proven:
        yield f"Nothing was written: with the limits {tried.reason}.", "yellow"
    else:
        for cap in tried.files.caps:
            was = f"{cap.before} → " if cap.before else "added "
            yield f"Written: {cap.file}:{cap.line} {was}{cap.after}", "bold"
        yield f"  proven by a check of a copy: {tried.reason}; take it back: patch -p0 < {UNDO}", ""
