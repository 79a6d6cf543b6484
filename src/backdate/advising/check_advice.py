"""What to do about errors: what they say themselves, and the knowledge tables. No environment is asked.

So of a check, which tries no limits, and of a bisection that was interrupted: there is less to say than of
one that came to its end, nothing of what goes later.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from backdate.advice import Advice, AdvisedChange, EvidenceKind, PythonChange, SourcePlace
from backdate.advising.replacements import LibraryWords, leads_for, without_alias
from backdate.advising.rule_leads import advice_behind
from backdate.checking.result import CheckResult
from backdate.diagnosis.known_changes import KnownChange, change_behind
from backdate.diagnosis.messages import read_message
from backdate.diagnosis.result import Cause, CauseKind
from backdate.index.names import normalise
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import distribution_of, in_standard_library
from backdate.testing.outcomes import Frame
from backdate.text import minor_version


@dataclass(frozen=True, slots=True, kw_only=True)
class MetError:
    """An error with which tests fail now."""

    type: str
    message: str
    places: tuple[SourcePlace, ...]
    """The project's lines at which it surfaced."""


def advice_of_check(result: CheckResult) -> Advice:
    """The names that errors are about, of distributions that moved, and what is said to take their place."""
    moved = {change.name: change.new for change in result.changes if change.new}
    pythons = [side.choice.interpreter.version for side in (result.old, result.new)]
    if minor_version(pythons[0]) != minor_version(pythons[1]):
        moved[PYTHON] = pythons[1]
    breakages = result.comparison.breakages if result.comparison else ()
    errors = [MetError(type=one.type, message=one.message, places=own_lines(one.places)) for one in breakages]
    return advice_of_errors(errors, moved)


def own_lines(frames: Iterable[Frame]) -> tuple[SourcePlace, ...]:
    """The project's lines among ``frames``; those of an installed copy are left out."""
    return tuple(
        SourcePlace(file=frame.file, line=frame.line)
        for frame in frames
        if not frame.file.startswith(("/", "<")) and "site-packages" not in frame.file
    )


def advice_of_errors(errors: Iterable[MetError], moved: Mapping[str, str]) -> Advice:
    """The same of ``errors``. ``moved``: what may be at fault, by name, each with its new release."""
    fixes: dict[tuple[str, str], AdvisedChange] = {}
    python: dict[PythonChange, None] = {}
    for error in errors:
        cause = _cause_of(error)
        known = change_behind(cause)
        fix = _fix(cause, known, error, moved) or _ruled(cause, known, error, moved)
        if fix is not None:
            before = fixes.get((fix.name, fix.argument))
            places = (*(before.places if before else ()), *fix.places)
            fixes[fix.name, fix.argument] = replace(fix, places=tuple(dict.fromkeys(places)))
        elif known is not None and PYTHON in moved and _is_of_python(known):
            change = PythonChange(
                since=known.since, what=known.note, source=known.source, places=error.places
            )
            python[change] = None
    return Advice(fixes=tuple(fixes.values()), python=tuple(python))


def _is_of_python(known: KnownChange) -> bool:
    """Whether a row is about what Python's own behaviour became, in words."""
    return known.distribution == PYTHON and not known.added and bool(known.note) and not known.name


def _cause_of(error: MetError) -> Cause:
    said = read_message(error.type, error.message)
    return Cause(
        kind=said.kind,
        type=error.type,
        message=error.message,
        name=said.name,
        owner=said.owner,
        owner_is=said.owner_is,
    )


def _fix(
    cause: Cause, known: KnownChange | None, error: MetError, moved: Mapping[str, str]
) -> AdvisedChange | None:
    """What to write instead; None where nobody says so, and of a distribution that did not move."""
    argument = cause.name if cause.kind is CauseKind.UNEXPECTED_ARGUMENT else ""
    owner = cause.owner.removesuffix(".__init__")
    name = owner if argument else without_alias(cause.dotted)
    if known is not None and not known.added:
        distribution = known.distribution
        name = known.name if not argument and "." in known.name else name
    else:
        top = name.partition(".")[0]
        distribution = PYTHON if in_standard_library(top) else normalise(distribution_of(top))
    if not name or distribution not in moved:
        return None
    words = [LibraryWords(kind=EvidenceKind.MESSAGE, text=error.message)]
    lead = next(leads_for(distribution, name, argument, words, until=moved[distribution]), None)
    if lead is None:
        return None
    return AdvisedChange(
        distribution=distribution,
        name=name,
        argument=argument,
        replacement=lead.replacement,
        rewrite=lead.rewrite,
        places=error.places,
        evidence=lead.evidence,
    )


def _ruled(
    cause: Cause, known: KnownChange | None, error: MetError, moved: Mapping[str, str]
) -> AdvisedChange | None:
    """What a rule says that recognises the error by its line, of a name that stands in it."""
    distribution = normalise(known.distribution) if known is not None else ""
    if distribution not in moved and known is not None and len(moved) == 1:
        (distribution,) = moved  # the only one at fault: its module may be a distribution of its own, too
    if distribution not in moved:
        return None
    line = f"{error.type.rpartition('.')[2]}: {error.message}"
    for rule in advice_behind(distribution, line, new=moved[distribution]):
        leaf = rule.target.rpartition(".")[2]
        if not re.search(rf"(?<!\w){re.escape(leaf)}(?!\w)", error.message):
            continue
        owner = cause.owner.rpartition(".")[2]
        return AdvisedChange(
            distribution=distribution,
            name=f"{owner}{rule.target}" if rule.target.startswith(".") else rule.target,
            argument=rule.argument,
            replacement=rule.replacement.removeprefix("builtins."),
            rewrite=rule.rewrite,
            places=error.places,
            evidence=(rule.evidence,),
        )
    return None
