"""Proof of mined rows: two environments are asked, one from before the release and one with it.

A name is proven when the older environment has it, the newer one does not, and the newer one has what is to
take its place. What is not proven is kept apart, with the reason, and is no rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import msgspec

from backdate.diagnosis.api import Member
from backdate.knowledge.change_rows import ChangeRow, EditRow
from backdate.knowledge.modules import in_standard_library

HAS_IT = "the release has it"
"""Why a name is not proven that a release still gives, by other means than its sources tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedNames:
    """The dotted names to ask of each environment."""

    old: tuple[str, ...]
    new: tuple[str, ...]


def names_to_ask(rows: Sequence[ChangeRow]) -> AskedNames:
    """What has to be known to prove ``rows``."""
    subjects = [_subject(row, name) for row in rows for name in row.names]
    replacements = [
        _whole(row, new) for row in rows if row.kind != "argument" for new in row.names.values() if new
    ]
    return AskedNames(
        old=tuple(dict.fromkeys(subjects)), new=tuple(dict.fromkeys((*subjects, *replacements)))
    )


def proven_rows(row: ChangeRow, old: dict[str, Member], new: dict[str, Member]) -> Iterator[ChangeRow]:
    """``row`` with the names that are proven, and for each reason one with those that are not."""
    reasons = {name: _why_not(row, name, old, new) for name in row.names}
    for reason in dict.fromkeys(reasons.values()):
        names = {name: row.names[name] for name, why in reasons.items() if why == reason}
        yield msgspec.structs.replace(
            row,
            names=names,
            words={name: words for name, words in row.words.items() if name in names},
            edits=tuple(_edits_of(row.edits, names)),
            unproven=reason,
        )


def _edits_of(edits: Sequence[EditRow], names: dict[str, str]) -> Iterator[EditRow]:
    yield from (edit for edit in edits if edit.argument in names)


def lacking(row: ChangeRow, old: dict[str, Member]) -> frozenset[str]:
    """The functions of a row of arguments that ``old`` has without them: of too old a release."""
    if row.kind != "argument":
        return frozenset()
    known = [(name, old.get(_subject(row, name))) for name in row.names]
    return frozenset(
        member.name
        for name, member in known
        if member is not None and member.present and not member.takes_any and name not in member.keywords
    )


def _why_not(row: ChangeRow, name: str, old: dict[str, Member], new: dict[str, Member]) -> str:
    """Why ``name`` is not proven; "" where it is."""
    subject = _subject(row, name)
    before, after = old.get(subject), new.get(subject)
    if before is None or after is None:
        return "an environment did not answer"
    if not before.present:
        return "the release before does not have it"
    replacement = row.names[name]
    if row.kind == "argument":
        if not after.present or after.takes_any or name in after.keywords:
            return "the release takes it, or may"
        if not before.takes_any and name not in before.keywords:
            return "the release before does not take it"
        return (
            ""
            if not replacement or replacement in after.keywords
            else "the release does not take the new one"
        )
    if after.present:
        return HAS_IT
    if not replacement:
        return ""
    there = new.get(_whole(row, replacement))
    if there is None or not there.present:
        return "" if in_standard_library(replacement) else "the release does not have the new one"
    if name not in row.words and not _is_same(before, there):
        return "what stands there is something else"
    return "" if _is_used_alike(before, there) else "the new one is used otherwise"


def _is_same(before: Member, there: Member) -> bool:
    """Whether two members are one definition, as far as both environments tell: what nobody announced."""
    if before.kind != there.kind:
        return False
    if before.kind in ("value", "module"):
        return True
    return before.qualified.rpartition(".")[2] == there.qualified.rpartition(".")[2]


def _is_used_alike(before: Member, there: Member) -> bool:
    """Whether what is written for one can be written for the other: its kind, and what calls give it.

    A name that merely serves the same end takes other arguments.
    """
    if before.kind != there.kind:
        return False
    if before.kind != "function" or not before.signature or not there.signature:
        return True
    old, new = _given(before), _given(there)
    return len(old & new) * 2 >= len(old)


def _given(member: Member) -> frozenset[str]:
    """Its parameters without the object and without those for all else."""
    named = (one for one in member.parameters if not one.startswith("*"))
    return frozenset(named) - {"self", "cls"}


def _subject(row: ChangeRow, name: str) -> str:
    if row.kind == "module":
        return name
    return row.module if row.kind == "argument" else f"{row.module}.{name}"


def _whole(row: ChangeRow, new: str) -> str:
    return f"{row.module}.{new}" if row.kind == "method" else new if "." in new else f"builtins.{new}"
