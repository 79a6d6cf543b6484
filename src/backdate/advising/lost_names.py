"""Which names that a project uses a newer environment lacks, asked of both environments, without a build.

Each environment's own interpreter answers (see ``diagnosis/api.py``): at most three runs of a small script in
the sandbox for each two hundred names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import MOST_ROUNDS, EnvironmentPair
from backdate.advising.project_uses import CallShape, NameUses
from backdate.diagnosis.api import MOST_NAMES, Member

_NO_MODULE = re.compile(r"No module named '([\w.]{1,300})'")
_OF_EVERY_OBJECT = frozenset(dir(object))
_LACKING = re.compile(
    r"ImportError: cannot import name '(\w{1,300})'"
    r"|AttributeError: [^\n]{0,300} has no attribute '(\w{1,300})'"
)
_REFUSED = re.compile(r"\w{0,80}ImportError: ")
"""What a module raises for a name that it dropped: one of its own, or with words of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LostName:
    """A name, or a keyword argument, that a newer environment lacks."""

    name: str
    argument: str = ""
    old: Member
    new: Member | None = None
    """What the new environment said; None where it was not asked."""
    places: tuple[SourcePlace, ...]
    calls: tuple[CallShape, ...] = ()
    """How the project calls it."""
    within: str = ""
    """The module or class that is gone as a whole and held it; "" where none is."""
    ruled: bool = False
    """Whether only a rule of the tables says that it goes: the environments do not tell."""


def lost_names(
    pair: EnvironmentPair, uses: Mapping[str, NameUses], *, held: bool = False
) -> tuple[LostName, ...]:
    """What of ``uses`` the old environment has and the new one lacks; of what is lost nothing below it.

    ``held``: also what is below, after the module or class that held it, whether the project names that by
    itself or not. A library that the new environment cannot import at all tells nothing of its names. Raises
    SandboxUnavailable.
    """
    known = {**dict.fromkeys(_owners_of(uses) if held else (), NameUses()), **uses}
    before: dict[str, Member] = {}
    after: dict[str, Member] = {}
    names = sorted(known, key=lambda name: (known[name].of_object, name.count("."), name))
    for start in range(0, min(len(names), MOST_ROUNDS * MOST_NAMES), MOST_NAMES):
        asked = names[start : start + MOST_NAMES]
        before.update(pair.ask_old(asked))
        after.update(pair.ask_new([name for name in asked if name in before and before[name].present]))
    return tuple(one for one in _lost(known, before, after) if held or not one.within)


def _owners_of(uses: Iterable[str]) -> Iterator[str]:
    """The modules and classes in libraries that hold the names: a file may name them by parts alone."""
    for name in uses:
        parts = name.split(".")
        yield from (".".join(parts[:length]) for length in range(2, len(parts)))


def _lost(
    uses: Mapping[str, NameUses], before: Mapping[str, Member], after: Mapping[str, Member]
) -> Iterator[LostName]:
    gone: set[str] = set()
    for name in sorted(after, key=lambda name: (name.count("."), name)):
        old, new = before[name], after[name]
        within = _held_by(name, gone)
        if not new.present:
            if not _is_gone(name, new.why) or (within and not uses[name].places):
                continue
            if within and name.rpartition(".")[2] in _OF_EVERY_OBJECT:
                continue  # it goes with its class, and whatever takes the place of that has it
            module = _NO_MODULE.search(new.why)
            whole = module[1] if module and name.startswith(f"{module[1]}.") else name
            if whole != name and not within:
                gone.add(whole)
                member = Member(name=whole, present=True, kind="module")
                yield LostName(name=whole, old=member, new=new, places=_places_below(uses, whole))
            gone.add(name)
            below = _places_below(uses, name)
            yield LostName(
                name=name,
                old=old,
                new=new,
                places=below,
                calls=tuple(uses[name].calls),
                within=_held_by(name, gone - {name}),
            )
            continue
        if new.takes_any:
            continue
        for keyword, places in uses[name].keywords.items():
            took = keyword in old.keywords or (old.takes_any and old.signature)
            if took and keyword not in new.keywords:
                yield LostName(name=name, argument=keyword, old=old, new=new, places=tuple(places))


def _is_gone(name: str, why: str) -> bool:
    """Whether a name is not there because it was dropped, and not because something else went wrong."""
    absent = _NO_MODULE.search(why) if why.startswith("ModuleNotFoundError") else None
    if absent is not None:  # else it is what the library itself imports that is not there
        return f"{name}.".startswith(f"{absent[1]}.")
    lacking = _LACKING.match(why)
    if lacking is not None:  # likewise
        return (lacking[1] or lacking[2]) in name.split(".")
    leaf = re.escape(name.rpartition(".")[2])
    refused = _REFUSED.match(why) is not None and re.search(rf"(?<!\w){leaf}(?!\w)", why) is not None
    return refused or why.startswith("AttributeError")


def _held_by(name: str, gone: Collection[str]) -> str:
    """The widest of what is gone that held ``name``; "" where nothing did."""
    parts = name.split(".")
    owners = (".".join(parts[:length]) for length in range(1, len(parts)))
    return next((owner for owner in owners if owner in gone), "")


def _places_below(uses: Mapping[str, NameUses], name: str) -> tuple[SourcePlace, ...]:
    """Where a name, or one of those in it, is used; not where only an object made by it is."""
    below = f"{name}."
    places: dict[SourcePlace, None] = dict.fromkeys(uses[name].places if name in uses else ())
    for used, one in uses.items():
        if used.startswith(below) and not one.of_object:
            places.update(one.places)
    return tuple(places)


def candidates_of(name: str, argument: str, replacement: str) -> tuple[str, ...]:
    """The dotted names that a replacement may stand for, the likeliest first; of an argument its function."""
    if not replacement or argument:
        # an argument's place may be taken by something that is no argument: `contextvars.ContextVar`
        return (name, *([replacement] if "." in replacement else [])) if argument else ()
    parts = name.split(".")
    owners = [".".join(parts[:length]) for length in range(len(parts) - 1, 0, -1)]
    beside = tuple(f"{owner}.{replacement}" for owner in owners)
    if "." not in replacement:
        return tuple(dict.fromkeys((*beside, f"builtins.{replacement}", replacement)))
    # in the module that the name moved to, as it is written, or below what the text takes for granted
    first = replacement.partition(".")[0]
    within = tuple(
        f"{owner.rpartition('.')[0]}.{replacement}" for owner in owners if owner.endswith(f".{first}")
    )
    return tuple(dict.fromkeys((f"{replacement}.{parts[-1]}", replacement, *within, *beside)))
