"""From a name that is said to take another's place to the rewrite that writes it."""

from __future__ import annotations

import re

from backdate.advising.lost_names import candidates_of
from backdate.advising.moved_classes import moved_classes
from backdate.advising.replacements import without_alias
from backdate.rewriting.argument_edits import NEGATED
from backdate.rewriting.rewrite import ChangeArgument, RenameAttribute, ReplaceName, Rewrite
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.confirm import first_there, is_there, takes_keyword
from backdate.solvers.rules.sources.subjects import Subject

_MOST_USED = 40
_CONTRARY = re.compile(
    r"\b(?:inverse|inverted|opposite) (?:meaning|sense|value|effect)\b|\bnegated\b", re.IGNORECASE
)


def rewrite_to(
    subject: Subject, replacement: str, evidence: FixEvidence, *, words: str = ""
) -> Rewrite | None:
    """The rewrite of a subject to what a text calls its replacement, where the new environment has that.

    ``words``: the whole text, which may say that an argument means the contrary of the one before.
    """
    if not replacement:
        return None
    if subject.argument:
        if "." in replacement:
            return None
        if not takes_keyword(subject.name, replacement, evidence):
            return None
        function = f".{subject.leaf}" if subject.of_object else subject.name
        value = NEGATED if _CONTRARY.search(words) else ""
        return ChangeArgument(function=function, argument=subject.argument, new=replacement, value=value)
    if subject.of_object:
        leaf = replacement.rpartition(".")[2]
        name = f"{_owner_now(subject, evidence)}.{leaf}"
        if leaf == subject.leaf or ("." in subject.owner and not is_there(name, evidence)):
            return None
        if not _is_used_alike(subject.name, name, evidence):
            return None
        return RenameAttribute(old=subject.leaf, new=leaf, owner=subject.owner.rpartition(".")[2])
    there = first_there(candidates_of(subject.name, "", without_alias(replacement)), evidence)
    if there is None or there.name == subject.name or not holds_the_same(subject.name, there.name, evidence):
        return None
    return ReplaceName(old=subject.name, new=there.name)


def _owner_now(subject: Subject, evidence: FixEvidence) -> str:
    """The class of a subject, where the new environment has it: at another place it is another name."""
    owner = subject.owner
    if evidence.pair is None or "." not in owner or is_there(owner, evidence):
        return owner
    return moved_classes(evidence.pair, (owner,)).get(owner, owner)


def holds_the_same(old: str, new: str, evidence: FixEvidence) -> bool:
    """Whether what the project uses of a module or class is in the one that takes its place.

    What it uses of a function's results has the function's name as well, and is nothing that it holds.
    """
    used = [name for name in evidence.uses.names if name.startswith(f"{old}.")][:_MOST_USED]
    if evidence.pair is None or not used:
        return True
    held = [name for name, member in evidence.pair.ask_old(used).items() if member.present]
    names = [f"{new}{name.removeprefix(old)}" for name in held]
    return all(member.present for member in evidence.pair.ask_new(names).values())


def _is_used_alike(old: str, new: str, evidence: FixEvidence) -> bool:
    """Whether one attribute may be written for another: a method is called, and a property is not."""
    if evidence.pair is None:
        return True
    before, after = evidence.pair.ask_old((old,)).get(old), evidence.pair.ask_new((new,)).get(new)
    if before is None or after is None or not before.present or not after.present:
        return True
    return (before.kind == "value") == (after.kind == "value")
