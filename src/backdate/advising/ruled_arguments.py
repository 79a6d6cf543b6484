"""Keyword arguments that a newer release drops and that only the rules of the tables know about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.lost_names import LostName
from backdate.advising.project_uses import NameUses
from backdate.knowledge.rules import Rule, rules_for
from backdate.rewriting.rewrite import ChangeArgument

_MOST_CALLS = 100
"""Functions of one library that are called with such arguments."""


def ruled_arguments(
    pair: EnvironmentPair, uses: Mapping[str, NameUses], distribution: str, *, old: str, new: str
) -> Iterator[LostName]:
    """The arguments in ``uses`` that a rule says go between two releases, of functions whose signatures do
    not tell: they take any, or have none that can be read.

    Of rules about one value only where the project gives that one. Raises SandboxUnavailable.
    """
    ruled: dict[str, list[str]] = {}
    for name, used in uses.items():
        gone = [
            keyword
            for keyword in used.keywords
            if any(
                _is_about(rule, used.values.get(keyword, ()))
                for rule in rules_for(distribution, name, argument=keyword, old=old, new=new)
            )
        ]
        if gone and len(ruled) < _MOST_CALLS:
            ruled[name] = gone
    if not ruled:
        return
    before = {name: member for name, member in pair.ask_old(ruled).items() if member.present}
    after = pair.ask_new(before)
    for name, keywords in ruled.items():
        there = after.get(name)
        if there is None or not there.present or not (there.takes_any or not there.signature):
            continue
        for keyword in keywords:
            if keyword not in there.keywords:
                yield LostName(
                    name=name,
                    argument=keyword,
                    old=before[name],
                    new=there,
                    places=tuple(uses[name].keywords[keyword]),
                    ruled=True,
                )


def _is_about(rule: Rule, values: Iterable[str]) -> bool:
    only = rule.rewrite.only_value if isinstance(rule.rewrite, ChangeArgument) else ""
    return not only or only in values
