"""The same dead names where no failing test runs them: a second patch, for people to choose."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from backdate.rewriting.class_rewrites import BaseBehind, ChangeClassBody
from backdate.rewriting.rewrite import (
    AddArgument,
    ChangeArgument,
    NamePositional,
    ReplaceName,
    ReplaceUse,
    Rewrite,
)
from backdate.solvers.rules.applying import PlannedChange, TextChanger, Texts, identity_of
from backdate.solvers.rules.proposals import Proposal


def texts_elsewhere(
    changer: TextChanger, texts: Texts, changes: Sequence[PlannedChange], files: Iterable[str]
) -> Texts:
    """``texts`` with every other use of the names that ``changes`` replaced; only the files that it changes.

    Attributes of objects are left out: without a run nobody knows of which class an object is.
    """
    rewrites: dict[str, Rewrite] = {
        identity_of(change.proposal): change.proposal.rewrite
        for change in changes
        if change.proposal.rewrite is not None and _is_sure(change.proposal)
    }
    found: dict[str, str] = {}
    for file in dict.fromkeys(files):
        before = changer.text(texts, file)
        if before is None:
            continue
        after = before
        for rewrite in rewrites.values():
            after = changer.rewritten(after, rewrite)
        if after != before and changer.is_valid(file, after):
            found[file] = after
    return found


def _is_sure(proposal: Proposal) -> bool:
    """Whether the name alone says what is meant, without the object that it is looked up on."""
    match proposal.rewrite:
        case ReplaceName() | ChangeClassBody() | BaseBehind():
            return True
        case ReplaceUse(target=name):
            return not name.startswith(".")
        case ChangeArgument(function=name) | AddArgument(function=name) | NamePositional(function=name):
            return not name.startswith(".")
        case _:
            return False
