"""Functions that went into something that their module holds: a module of its own, or an object's method."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.likeness import parameters_alike
from backdate.diagnosis.api import Member

_CALLABLE = ("class", "function")
_MOST_OBJECTS = 40
_ALIKE = 0.5
"""The share of parameters that a method has to have in common with the function of its name."""


def nested_homes(name: str, old: Member, pair: EnvironmentPair) -> Iterator[tuple[str, str, str]]:
    """Where a function or class ``name`` is inside its module, the object that has it there (or ""), and why
    that is thought.

    ``lib.snappy_compress`` as ``lib.snappy.compress``, and ``lib.get_database`` as a method of the one object
    in ``lib`` that has such a method: ``lib.registry.get_database``.
    """
    owner, _, leaf = name.rpartition(".")
    if not owner or old.kind not in _CALLABLE or "." in old.qualified:
        return
    parts = leaf.split("_")
    split = [
        inner
        for at in range(1, len(parts))
        for one, other in [("_".join(parts[:at]), "_".join(parts[at:]))]
        for inner in (f"{owner}.{one}.{other}", f"{owner}.{other}.{one}")
        if one and other
    ]
    for home in _callable_there(split, pair):
        yield home, "", f"{home} has the words of its name"
        return
    top = owner.partition(".")[0]
    objects = [
        member.name
        for member in pair.members_of(owner, "new")
        if member.kind == "value" and member.module.partition(".")[0] == top
    ][:_MOST_OBJECTS]
    methods = [f"{owner}.{one}.{leaf}" for one in objects]
    there = [one for one in _callable_there(methods, pair) if _takes_the_same(old, one, pair)]
    if len(there) == 1:
        holder = there[0].rpartition(".")[0]
        yield there[0], holder, f"{holder} has a method of its name"


def _callable_there(names: list[str], pair: EnvironmentPair) -> list[str]:
    members = pair.ask_new(names) if names else {}
    return [
        name
        for name in names
        if name in members
        and members[name].present
        and members[name].reached
        and members[name].kind in _CALLABLE
    ]


def _takes_the_same(old: Member, name: str, pair: EnvironmentPair) -> bool:
    now = pair.ask_new((name,))[name]
    return parameters_alike(old.parameters, now.parameters) >= _ALIKE or old.parameters == now.parameters
