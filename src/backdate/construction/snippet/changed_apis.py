"""What differs between two versions of a library, with what may take its place."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from backdate.diagnosis.api import ApiDifference, NameChange
from backdate.editing.python_source import UNPARSABLE
from backdate.knowledge.rules import Rule
from backdate.rewriting.in_words import in_words
from backdate.rewriting.rewrite import (
    AddArgument,
    ChangeArgument,
    NamePositional,
    RenameAttribute,
    ReplaceName,
    ReplaceUse,
    Rewrite,
)
from backdate.snippets.snippet import ApiChangeKind

_MOST_HOMES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedApi:
    """One name, or one argument of one, that the target does not have as the origin has it."""

    name: str
    """Dotted; ".iteritems" of objects whose class the source does not tell."""
    argument: str = ""
    """"*" where arguments by position are meant."""
    kind: ApiChangeKind
    rewrites: tuple[Rewrite, ...] = ()
    """What may take its place, the surest first; each is tried by itself."""
    since: str = ""
    words: str = ""
    known_by: str = ""
    """The rule's name, or "asked" for what the two environments said."""
    owners: tuple[str, ...] = ()
    """Of an attribute the classes that it is of, dotted or as messages name them; () where nobody says."""

    @property
    def key(self) -> str:
        """ "lib.name", or "lib.function(argument)"."""
        return f"{self.name}({self.argument})" if self.argument else self.name

    @property
    def leaf(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]


def of_rules(rules: Iterable[Rule]) -> tuple[ChangedApi, ...]:
    """The names that proven rules are about; several rules for one name are tried one after the other."""
    found: dict[str, ChangedApi] = {}
    for rule in rules:
        if not isinstance(rule.rewrite, _OF_NAMES):
            continue
        argument = rule.argument or ("*" if isinstance(rule.rewrite, NamePositional | AddArgument) else "")
        one = ChangedApi(
            name=rule.target,
            argument=argument,
            kind=_kind_of(rule),
            rewrites=(rule.rewrite,),
            since=rule.since,
            words=rule.words or in_words(rule.rewrite),
            known_by=rule.name,
            owners=rule.owners if rule.target.startswith(".") else (),
        )
        known = found.get(one.key)
        found[one.key] = one if known is None else with_rewrites(known, one.rewrites)
    return tuple(found.values())


_OF_NAMES = (ReplaceName, RenameAttribute, ChangeArgument, AddArgument, NamePositional, ReplaceUse)
"""Rewrites of one use at a time, which a small function can show."""


def _kind_of(rule: Rule) -> ApiChangeKind:
    if rule.argument or isinstance(rule.rewrite, NamePositional | ChangeArgument | AddArgument):
        return ApiChangeKind.SIGNATURE
    if isinstance(rule.rewrite, ReplaceName | RenameAttribute):
        return ApiChangeKind.MOVED
    return ApiChangeKind.REMOVED


def _by_position(signature: str) -> list[str] | None:
    """The parameters that may be given by position; None where the signature cannot be read."""
    try:
        (function,) = ast.parse(f"def f{signature}: pass").body
    except UNPARSABLE:
        return None
    assert isinstance(function, ast.FunctionDef)
    given = function.args
    return None if given.vararg else [one.arg for one in (*given.posonlyargs, *given.args)]


def with_rewrites(known: ChangedApi, rewrites: Sequence[Rewrite]) -> ChangedApi:
    """``known`` with further rewrites after its own."""
    return replace(known, rewrites=tuple({repr(one): one for one in (*known.rewrites, *rewrites)}.values()))


def of_differences(differences: Iterable[ApiDifference]) -> tuple[ChangedApi, ...]:
    """The names that two environments answer differently, with what might take their place.

    Nothing of that is known: a place with the same last part, another parameter in the place of one, keywords
    for positions. It counts only where running shows that it gives the same. A private place takes no public
    name's place: nobody would write it.
    """
    found: list[ChangedApi] = []
    for one in differences:
        if one.change is NameChange.MOVED:
            rewrites: tuple[Rewrite, ...] = tuple(
                ReplaceName(old=one.name, new=home)
                for home in [home for home in one.moved_to if not _is_private(home)][:_MOST_HOMES]
            )
            found.append(
                ChangedApi(name=one.name, kind=ApiChangeKind.MOVED, rewrites=rewrites, known_by=ASKED)
            )
        elif one.change is NameChange.GONE:
            found.append(ChangedApi(name=one.name, kind=ApiChangeKind.REMOVED, known_by=ASKED))
        elif one.change is NameChange.SIGNATURE:
            found += _of_signature(one)
    return tuple(found)


ASKED = "asked"


def _is_private(name: str) -> bool:
    return any(part.startswith("_") and not part.endswith("__") for part in name.split("."))


def _of_signature(one: ApiDifference) -> list[ChangedApi]:
    if one.old is None or one.new is None:
        return []
    found = []
    before, after = set(one.old.keywords), set(one.new.keywords)
    if not one.new.takes_any:
        for argument in sorted(before - after):
            renamed = tuple(
                ChangeArgument(function=one.name, argument=argument, new=new)
                for new in sorted(after - before)[:3]
            )
            gone = ChangeArgument(function=one.name, argument=argument)
            found.append(
                ChangedApi(
                    name=one.name,
                    argument=argument,
                    kind=ApiChangeKind.SIGNATURE,
                    rewrites=(*renamed, gone),
                    known_by=ASKED,
                )
            )
    plain, now = _by_position(one.old.signature), _by_position(one.new.signature)
    if plain and now is not None and plain != now[: len(plain)] and set(plain) <= after:
        found.append(
            ChangedApi(
                name=one.name,
                argument="*",
                kind=ApiChangeKind.SIGNATURE,
                rewrites=(NamePositional(function=one.name, names=("", *plain[1:])),),
                known_by=ASKED,
            )
        )
    return found


def replacement_of(rewrite: Rewrite) -> str:
    """What is written in the place of the name or the argument; "" where that is nothing, or no name."""
    match rewrite:
        case ReplaceName() | RenameAttribute() | ChangeArgument():
            return rewrite.new
        case ReplaceUse():
            return rewrite.template
        case _:
            return ""
