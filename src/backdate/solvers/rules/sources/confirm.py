"""Asking the new environment whether what a proposal would write is there."""

from __future__ import annotations

import builtins
from collections.abc import Iterable

from backdate.diagnosis.api import Member
from backdate.solvers.rules.proposals import FixEvidence


def is_there(name: str, evidence: FixEvidence) -> bool:
    """Whether the new environment has a dotted name; yes where there is nobody to ask."""
    if evidence.pair is None:
        return True
    if isinstance(getattr(builtins, name.partition(".")[0], None), type):  # "int.from_bytes" is in no module
        name = f"builtins.{name}"
    member = evidence.pair.ask_new((name,)).get(name)
    return member is None or member.present


def first_there(names: Iterable[str], evidence: FixEvidence) -> Member | None:
    """The first of ``names`` that the new environment has; None for none, and where nobody can be asked."""
    if evidence.pair is None:
        return None
    wanted = tuple(dict.fromkeys(names))
    members = evidence.pair.ask_new(wanted)
    return next((members[name] for name in wanted if name in members and members[name].present), None)


def takes_keyword(function: str, keyword: str, evidence: FixEvidence, *, by_name: bool = False) -> bool:
    """Whether a function takes a keyword argument in the new environment; yes where that is not known.

    ``by_name``: only where it has a parameter of that name, and not for what takes any.
    """
    if evidence.pair is None:
        return True
    member = evidence.pair.ask_new((function,)).get(function)
    if by_name:
        return member is not None and keyword in member.keywords
    return member is None or not member.present or member.takes_any or keyword in member.keywords
