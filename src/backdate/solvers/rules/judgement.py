"""Whether a change helped: what failed before it beside what fails with it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from enum import StrEnum

from backdate.advice import SourcePlace
from backdate.diagnosis.clusters import shape
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import (
    AddArgument,
    CallYielded,
    ChangeArgument,
    ChangeKey,
    DefineHere,
    DropImport,
    RenameAttribute,
    ReplaceName,
    ReplaceUse,
    Rewrite,
)
from backdate.solvers.reasons import ProposalOrigin
from backdate.solvers.rules.applying import ChangedTexts, MadeChange, PlannedChange
from backdate.solvers.rules.backend import SuiteReading
from backdate.solvers.rules.proposals import FailureGroup, quoted_words

_OF_CALLS = (CauseKind.ARGUMENT_COUNT, CauseKind.UNEXPECTED_ARGUMENT)


class ChangeVerdict(StrEnum):
    """What is made of a change that was tried."""

    HELPED = "helped"
    """What it is to mend is not raised any more where it was, or nothing speaks against it."""
    NO_EFFECT = "no-effect"
    HARMFUL = "harmful"


def group_key(group: FailureGroup) -> str:
    """What makes two groups of different runs one: what is missing, or the shape of the message."""
    cause = group.cause
    if cause.name:
        return f"{cause.kind}|{cause.owner}|{cause.name}"
    file = group.places[0].file if group.places else ""
    return "|".join((cause.kind, cause.type, shape(cause.message), *quoted_words(cause), file))


def is_silent(groups: Iterable[FailureGroup]) -> bool:
    """Whether a failure names nothing, so that what went wrong may stand where no trace shows it."""
    return any(group.cause.kind is CauseKind.ASSERTION for group in groups)


def judge_change(
    change: MadeChange,
    before_keys: frozenset[str],
    moved: FailureGroup,
    after: SuiteReading,
    can_go_on: Callable[[FailureGroup], bool],
) -> ChangeVerdict:
    """What ``after`` says of one change.

    ``before_keys``: of all that failed before. ``moved``: the group that it is to mend, with its places in
    the texts that were run. ``can_go_on``: whether something is proposed for a new failure, so that the
    change may have been right, and the next thing on the same line is met now.
    """
    key = group_key(moved)
    for group in after.groups:
        at = group.raised_at or group.places[:1]
        on_its_lines = any(place in change.lines for place in at)
        if group_key(group) == key:
            where = moved.raised_at or moved.places[:1]
            again = not at or on_its_lines or any(place in where for place in at)
            if at and not on_its_lines and not change.lines.isdisjoint(where):
                again = False  # of several lines that raise it, one does not any more
            if on_its_lines and _takes_away(change.planned.proposal.rewrite, moved.cause):
                again = False  # the next name of the module that is gone, on the line or in its place
            if says_less(group.cause, moved.cause):
                again = False  # of all that was wrong with what was given
            # what ends the runner before any test names no tests, as what is foreseen does
            failed = moved.tests or (not at and key in before_keys)
            if failed and again and len(group.tests) >= len(moved.tests):
                return ChangeVerdict.NO_EFFECT
        elif isinstance(change.planned.proposal.rewrite, CallYielded):
            continue  # a test that nobody ran for years may fail; without the change its whole file does
        elif group_key(group) not in before_keys and (
            on_its_lines or _refuses_its_call(change.planned.proposal.rewrite, group.cause)
        ):
            about = is_about(change.planned.proposal.rewrite, group.cause)
            if on_its_lines and (group.cause.kind is CauseKind.SYNTAX or about):
                return ChangeVerdict.HARMFUL
            if not can_go_on(group):
                return ChangeVerdict.HARMFUL
    return ChangeVerdict.HELPED


def says_less(after: Cause, before: Cause) -> bool:
    """Whether an error that lists what is wrong, a line or more each, lists a part of that by now."""
    if CauseKind.ASSERTION in (after.kind, before.kind):
        return False  # what pytest shows of two values lists other things
    left, listed = ({*one.message.splitlines()[1:]} for one in (after, before))
    return left < listed and bool(left)


def _takes_away(rewrite: Rewrite | None, cause: Cause) -> bool:
    """Whether a line with the change needs less of a module that is gone."""
    if cause.kind is not CauseKind.MISSING_MODULE or not cause.name:
        return False
    if isinstance(rewrite, ReplaceName):
        return not f"{rewrite.new}.".startswith(f"{cause.name}.")
    return isinstance(rewrite, ReplaceUse | DefineHere | DropImport)


def new_on_lines(
    groups: Sequence[FailureGroup], before_keys: frozenset[str], lines: frozenset[SourcePlace]
) -> tuple[FailureGroup, ...]:
    """The groups that were not there before and go through some lines."""
    return tuple(
        group
        for group in groups
        if group_key(group) not in before_keys and any(place in lines for place in group.places)
    )


def is_refused_guess(
    change: PlannedChange,
    changed: ChangedTexts,
    groups: Sequence[FailureGroup],
    before_keys: frozenset[str],
) -> bool:
    """Whether a guessed default is refused on its own lines: it is guessed for no other failure again."""
    if change.proposal.origin is not ProposalOrigin.CHANGED_DEFAULT:
        return False
    lines = (made.lines for made in changed.made if made.planned is change)
    return any(new_on_lines(groups, before_keys, own) for own in lines)


def _refuses_its_call(rewrite: Rewrite | None, cause: Cause) -> bool:
    """Whether the function that a rewrite wrote refuses what it is given, on whichever line it is called."""
    if not isinstance(rewrite, ReplaceName) or cause.owner_is != "function":
        return False
    return cause.kind in _OF_CALLS and cause.owner.rpartition(".")[2] == rewrite.new.rpartition(".")[2]


def is_about(rewrite: Rewrite | None, cause: Cause) -> bool:
    """Whether an error is about what the rewrite wrote."""
    match rewrite:
        case ReplaceName(new=new) | RenameAttribute(new=new):
            written = new.rpartition(".")[2]
        case ChangeArgument(new=new, argument=argument) | ChangeKey(new=new, argument=argument):
            written = new or argument
        case AddArgument(argument=argument):
            written = argument
        case _:
            return False
    return bool(written) and cause.name.rpartition(".")[2] == written


def gained(before: SuiteReading, after: SuiteReading) -> bool:
    """Whether tests are good that were not; of chosen ones those that were missing."""
    return bool(set(before.missing) & after.good) or (after.whole and len(after.good) > len(before.good))


def ends_runner(groups: Iterable[FailureGroup]) -> frozenset[str]:
    """The keys of what ends the runner before it comes to any test: it names neither a test nor a line."""
    return frozenset(group_key(group) for group in groups if not group.tests and not group.places)


def mends_others(before: SuiteReading, after: SuiteReading, helped: Iterable[Sequence[str]]) -> bool:
    """Whether a test passes now that is none of ``helped``: the tests of each change that mended its own."""
    known = tuple(helped)
    return any(not any(has_one_of(tests, {one}) for tests in known) for one in after.good - before.good)


def has_one_of(tests: Sequence[str], failing: Collection[str]) -> bool:
    """Whether one of ``tests``, or of those in files that were not collected then, is among ``failing``."""
    files = tuple(f"{test}::" for test in tests if "::" not in test)
    return any(test in tests or test.startswith(files) for test in failing)
