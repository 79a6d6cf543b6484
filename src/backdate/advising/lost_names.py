"""Which names that a project uses a newer environment lacks, asked of both environments, without a build.

Each environment's own interpreter answers (see ``diagnosis/api.py``): at most three runs of a small script in
the sandbox for each two hundred names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from backdate.advice import SourcePlace
from backdate.advising.project_uses import CallShape, NameUses
from backdate.diagnosis.api import LIMITS, MOST_NAMES, Member, ProbeRun, probe
from backdate.diagnosis.api_answers import ApiAnswers
from backdate.diagnosis.homes import Homes, OwnedMember, find_homes
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Limits, Sandbox

_MOST_ROUNDS = 3
"""Of two hundred names each: what a project uses of one library is rarely more."""
_NO_MODULE = re.compile(r"No module named '([\w.]{1,300})'")
_OF_EVERY_OBJECT = frozenset(dir(object))
_GONE = ("AttributeError", "ModuleNotFoundError", "ImportError: cannot import name")


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


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvironmentPair:
    """The environments that are asked, and how. Of one name each is asked once."""

    sandbox: Sandbox
    cache: Cache | None = None
    """Where answers are kept; None to keep none."""
    old: Environment
    new: Environment
    known_old: dict[str, Member] = field(default_factory=dict, repr=False, compare=False)
    """What the old environment answered so far."""
    known_new: dict[str, Member] = field(default_factory=dict, repr=False, compare=False)
    homes: dict[tuple[str, str], Homes] = field(default_factory=dict, repr=False, compare=False)
    """What ``homes_of`` and ``members_of`` were told, by side and name."""
    searches: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """What ``search_new`` found, by what it was asked."""
    limits: Limits = LIMITS
    """Of one run in an environment."""
    by: ProbeRun | None = field(default=None, repr=False, compare=False)
    """What asks the environments; None for a process of its own each time."""

    def ask_old(self, names: Iterable[str]) -> dict[str, Member]:
        """What ``names`` are in the old environment; without those that it does not answer for.

        Missing ones are not searched: see ``search_new``. Raises SandboxUnavailable.
        """
        return self._ask(self.old, self.known_old, names)

    def ask_new(self, names: Iterable[str]) -> dict[str, Member]:
        """What ``names`` are in the new environment, in the same way."""
        return self._ask(self.new, self.known_new, names)

    def homes_of(self, names: Iterable[str]) -> Homes:
        """The other names and the documentation of ``names`` in the old environment."""
        wanted = tuple(dict.fromkeys(names))
        unknown = tuple(name for name in wanted if ("old", name) not in self.homes)
        if unknown:
            found = find_homes(self.sandbox, self.old, names=unknown, limits=self.limits, by=self.by)
            self.homes.update((("old", name), found) for name in unknown)
        of_names = [(name, self.homes["old", name]) for name in wanted]
        return Homes(
            aliases={name: homes.aliases.get(name, ()) for name, homes in of_names},
            documents={name: homes.documents.get(name, "") for name, homes in of_names},
            members={},
        )

    def members_of(self, owner: str, side: Literal["old", "new"]) -> tuple[OwnedMember, ...]:
        """The public members of a module or class in one of the environments; none where it has none."""
        key = (f"members, {side}", owner)
        if key not in self.homes:
            environment = self.old if side == "old" else self.new
            self.homes[key] = find_homes(
                self.sandbox, environment, owners=(owner,), limits=self.limits, by=self.by
            )
        return self.homes[key].members.get(owner, ())

    def search_new(self, name: str, also: Sequence[str]) -> tuple[str, ...]:
        """Names with the same last part in the new environment, in its own package and in ``also``.

        None where it has the name itself. Raises SandboxUnavailable.
        """
        self.search_at_once((name,), also)
        return self.searches[name, tuple(also)]

    def search_at_once(self, names: Iterable[str], also: Sequence[str] = ()) -> None:
        """Search for all of ``names`` in one run, which imports the libraries once.

        It looks into every module of them: only for what nothing else finds. Raises SandboxUnavailable.
        """
        unknown = [name for name in dict.fromkeys(names) if (name, tuple(also)) not in self.searches]
        for start in range(0, len(unknown), MOST_NAMES):
            asked = unknown[start : start + MOST_NAMES]
            if also:
                answer = probe(self.sandbox, self.new, asked, also=also, limits=self.limits, by=self.by)
                members = answer.members
            else:
                answers = ApiAnswers(self.sandbox, self.cache, limits=self.limits, by=self.by)
                members = answers.probe(self.new, asked).members
            found = {member.name: member.candidates for member in members}
            self.searches.update(((name, tuple(also)), found.get(name, ())) for name in asked)

    def _ask(
        self, environment: Environment, known: dict[str, Member], names: Iterable[str]
    ) -> dict[str, Member]:
        wanted = tuple(dict.fromkeys(names))
        unknown = [name for name in wanted if name not in known]
        answers = ApiAnswers(self.sandbox, self.cache, candidates=False, limits=self.limits, by=self.by)
        for start in range(0, min(len(unknown), _MOST_ROUNDS * MOST_NAMES), MOST_NAMES):
            asked = unknown[start : start + MOST_NAMES]
            known.update((member.name, member) for member in answers.probe(environment, asked).members)
        return {name: known[name] for name in wanted if name in known}


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
    for start in range(0, min(len(names), _MOST_ROUNDS * MOST_NAMES), MOST_NAMES):
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
            if not new.why.startswith(_GONE) or (within and not uses[name].places):
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


def _held_by(name: str, gone: Collection[str]) -> str:
    """The widest of what is gone that held ``name``; "" where nothing did."""
    parts = name.split(".")
    owners = (".".join(parts[:length]) for length in range(1, len(parts)))
    return next((owner for owner in owners if owner in gone), "")


def _places_below(uses: Mapping[str, NameUses], name: str) -> tuple[SourcePlace, ...]:
    """Where a name, or one of those in it, is used."""
    below = f"{name}."
    places: dict[SourcePlace, None] = dict.fromkeys(uses[name].places if name in uses else ())
    for used, one in uses.items():
        if used.startswith(below):
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
