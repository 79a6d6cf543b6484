"""What became of an object: other names, what it only called, what its words name, its place, its like."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.likeness import likeness, resembling
from backdate.advising.lost_names import candidates_of
from backdate.advising.moved_classes import moved_classes
from backdate.advising.nested_homes import nested_homes
from backdate.advising.renamed_modules import renamed_modules
from backdate.advising.replacements import without_alias
from backdate.advising.wording import replacement_in
from backdate.diagnosis.api import Member
from backdate.diagnosis.homes import Homes
from backdate.knowledge.modules import in_standard_library

_EQUIVALENT = re.compile(
    r"^\s{0,12}(?P<name>[A-Za-z_][\w.]{0,120})\s?:\s{0,4}"
    r"(?:[Ee]quivalent (?:function|method)|[Aa]lias|[Nn]ew name|[Pp]referred)",
    re.MULTILINE,
)
"""A line under "See Also" in documentation of NumPy's form."""
_COMPATIBLE = re.compile(
    r"(?:compatibility|backward\w{0,2} compatible|legacy|deprecated) (?:alias|name|synonym) (?:for|of) "
    r"(?:the )?[`'\"]{0,2}~?\.?(?P<name>[A-Za-z_][\w.]{0,120})"
)
_ALIAS = re.compile(
    r"\A(?:An? )?(?:[Aa]lias|[Ss]ynonym) (?:for|of) [`'\"]{0,2}~?\.?(?P<name>[A-Za-z_][\w.]{0,120})"
)
_DEPRECATED = re.compile(r"[Dd]eprecated|[Oo]bsolete|[Ll]egacy|no longer maintained")
_LONGEST_DEPRECATION = 400
_ALIKE_ELSEWHERE = 0.7
"""The likeness of what a package that has nothing to do with the old one may give in its place."""
_INNER = frozenset({"python", "core", "internal"})
"""Packages that libraries keep for themselves without an underscore: ``tensorflow.python``."""
_ALL_THE_SAME = 0.95
"""The likeness of what has the same kind, parameters and documentation."""
_MOST_LETTERS = 2
"""By which the name of a package that goes on under another one is longer or shorter: cattr, cattrs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """Where an object may be now, and why that is thought."""

    name: str
    why: str
    likeness: float = 1.0
    """1.0 where it is the same object, or is said to be; else how like the two are."""
    template: str = ""
    """For a method, the whole call that takes the place of one, "{self}.tree().stage({args})"; "" where it is
    the name alone."""
    holder: str = ""
    """The object of a module whose method it is; "" for none."""


def ask_at_once(names: Sequence[str], pair: EnvironmentPair) -> None:
    """Ask for all that ``names`` may need at once: each run of a probe imports the libraries anew."""
    members = pair.ask_old(names)
    known = pair.homes_of(members)
    near = {
        name: (
            *_aliases(name, known, member),
            *_delegates(name, known),
            *_documented_as(name, known, member),
            *_defined_at(name, member),
        )
        for name, member in members.items()
    }
    new = pair.ask_new((*near, *(candidate for candidates in near.values() for candidate in candidates)))
    there = {name for name, member in new.items() if member.present}
    lost = [name for name, member in members.items() if member.present and name not in there]
    pair.search_at_once(name for name in lost if there.isdisjoint(near[name]))


def new_homes(
    name: str,
    old: Member,
    pair: EnvironmentPair,
    *,
    packages: Collection[str] = (),
    arrivals: Sequence[str] = (),
) -> Iterator[Home]:
    """Where the object of the old environment's ``name`` may be, the surest first; all are in the new one.

    Less sure ways are taken only where the surer ones find nothing. ``packages``: top-level modules of the
    new environment; ``arrivals``: those of distributions that came.
    """
    known = pair.homes_of((name,))
    ways: tuple[Callable[[], Iterator[Home]], ...] = (
        lambda: (
            Home(name=alias, why=f"{name} was the same object as {alias}")
            for alias in _there(_aliases(name, known, old), pair)
        ),
        lambda: _delegated(name, known, pair),
        lambda: (
            Home(name=there, why=f"the documentation of {name} names {there}")
            for there in _there(_documented_as(name, known, old), pair)
            if (pair.ask_new((there,))[there].kind == "module") == (old.kind == "module")
        ),
        lambda: (
            Home(name=home, why=f"{name} was defined there")
            for home in _there(_defined_at(name, old), pair)
            if not _is_of_instance(name, old, pair) and not _is_inherited(name, old, pair)
        ),
        lambda: _same_leaf(name, old, pair, packages, arrivals),
        lambda: (
            Home(name=home, why=why, holder=holder) for home, holder, why in nested_homes(name, old, pair)
        ),
        lambda: _renamed(name, old, pair),
        lambda: _likes(name, old, pair),
        lambda: _in_renamed_package(name, old, pair, packages),
        lambda: _in_private(name, old, pair),
    )
    for way in ways:
        found = tuple(way())
        yield from found
        if found:
            return


def _aliases(name: str, known: Homes, old: Member) -> list[str]:
    """The other names, those first by which the object calls itself."""
    own_top = old.module.partition(".")[0]
    near = [
        one
        for one in known.aliases.get(name, ())
        if _may_be_named(one, name) and (_is_near(one, name) or one.partition(".")[0] == own_top)
    ]
    own = old.module if old.kind == "module" else f"{old.module}.{old.qualified}"

    def rank(one: str) -> tuple[bool, bool, tuple[bool, int, int, bool, str]]:
        leaf = bool(own) and one.rpartition(".")[2] == own.rpartition(".")[2]
        at_home = one.partition(".")[0] == own_top and (old.kind != "module" or one == own)
        return not (leaf and at_home), not leaf, _distance(name, one, own)

    return sorted(near, key=rank)


def _delegates(name: str, known: Homes) -> tuple[str, ...]:
    """What has to be there for what ``name`` only called: the function, or what it began with, and where the
    method is defined that it came to."""
    called = known.delegates.get(name, "")
    if not called.startswith("{self}."):
        return (called,) if called else ()
    first = f"{name.rpartition('.')[0]}.{called.split('.')[1].removesuffix('()')}"
    return tuple(filter(None, (first, known.delegate_homes.get(name, ""))))


def _delegated(name: str, known: Homes, pair: EnvironmentPair) -> Iterator[Home]:
    """What a function did nothing but call, with all that it was given: that is what it says to write."""
    called, owner = known.delegates.get(name, ""), name.rpartition(".")[0].rpartition(".")[2]
    through = called.startswith("{self}.") and called.count(".") > 1
    needed = _delegates(name, known)
    members = pair.ask_new(needed) if needed and _may_be_named(needed[0], name) else {}
    there = [one in members and members[one].present for one in needed]
    if members and all(there) and members[needed[0]].reached:
        why = f"{name} only called {called.replace('{self}', owner)}"
        yield Home(name=needed[0], why=why, template=f"{called}({{args}})" if through else "")


def _documented_as(name: str, known: Homes, old: Member) -> list[str]:
    if not old.module and "." in old.qualified:
        return []  # a method of a plain value: dict.items is documented, and not this name
    return [
        candidate
        for said in _documented(name, known.documents.get(name, ""))
        for candidate in candidates_of(name, "", without_alias(said))
        if _may_be_named(candidate, name)
    ]


def _defined_at(name: str, old: Member) -> tuple[str, ...]:
    named = old.kind in ("class", "function") and old.qualified and _may_be_named(old.home, name)
    return (old.home,) if named else ()


def _is_of_instance(name: str, old: Member, pair: EnvironmentPair) -> bool:
    """Whether it is a method of an object that a module holds, "signals.connected.connect": its class's own
    function wants the object as well."""
    owner = name.rpartition(".")[0]
    if "." not in old.qualified or "." not in owner:
        return False
    held = pair.ask_old((owner,)).get(owner)
    return held is not None and held.present and held.kind not in ("class", "module")


def _is_inherited(name: str, old: Member, pair: EnvironmentPair) -> bool:
    """Whether it is a method of a class that is there still, without the base class that has it."""
    owner = name.rpartition(".")[0]
    if "." not in old.qualified or "." not in owner or old.home == name:
        return False
    now = pair.ask_new((owner,)).get(owner)
    return now is not None and now.present and now.kind == "class"


def _documented(name: str, document: str) -> Iterator[str]:
    """What the documentation of an object calls its better name."""
    leaf = name.rpartition(".")[2]
    for pattern in (_EQUIVALENT, _COMPATIBLE, _ALIAS):
        for match in pattern.finditer(document):
            said = match["name"].rstrip(".")
            if said.rpartition(".")[2] != leaf:
                yield said
    for text in (document, *_deprecations(document)):
        said_so = replacement_in(f"{leaf}: {text}", name)
        if said_so is not None and not said_so.expression:
            yield said_so.replacement


def _deprecations(document: str) -> Iterator[str]:
    """What documentation says from where it calls its object deprecated."""
    for match in _DEPRECATED.finditer(document):
        yield document[match.start() : match.start() + _LONGEST_DEPRECATION].replace(".", ",", 1)


def _same_leaf(
    name: str, old: Member, pair: EnvironmentPair, packages: Collection[str], arrivals: Sequence[str]
) -> Iterator[Home]:
    """What has the same name elsewhere in the same package, then in the packages that came."""
    leaf = name.rpartition(".")[2]
    if old.kind == "module" and leaf in packages and leaf != name.partition(".")[0]:
        yield Home(name=leaf, why=f"{leaf} is a package of its own")
        return
    for also in ((), arrivals):
        found = [one for one in pair.search_new(name, also) if _may_be_named(one, name)]
        members = pair.ask_new(found)
        found = [one for one in found if one in members and members[one].reached]
        liked = [(likeness(old, members[one]), one) for one in _outer(found)]
        for score, one in sorted(liked, key=lambda pair: (-pair[0], _distance(name, pair[1]))):
            if score > 0 and (_is_akin(one, name) or score >= _ALIKE_ELSEWHERE):
                yield Home(name=one, why=f"{one} has its name", likeness=score)
        if liked or not arrivals:
            break


def _renamed(name: str, old: Member, pair: EnvironmentPair) -> Iterator[Home]:
    """What a module is called by now."""
    for one in renamed_modules(name, pair) if old.kind == "module" else ():
        yield Home(name=one, why=f"{one} holds what {name} held", likeness=0.0)


def _likes(name: str, old: Member, pair: EnvironmentPair) -> Iterator[Home]:
    """What stands beside the old name and is like it (``likeness.py``)."""
    if old.kind not in ("class", "function"):
        return
    owner, _, leaf = name.rpartition(".")
    before = {member.name for member in pair.members_of(owner, "old")}
    now = pair.members_of(owner, "new")
    if not now:  # its class may have another place
        now = pair.members_of(moved_classes(pair, (owner,)).get(owner, owner), "new")
    for member, code in resembling(old, leaf, now, before):
        why = f"the code of {owner}.{member} is like its own" if code else f"{owner}.{member} is like it"
        yield Home(name=f"{owner}.{member}", why=why, likeness=code)


def _in_renamed_package(
    name: str, old: Member, pair: EnvironmentPair, packages: Collection[str]
) -> Iterator[Home]:
    """The same place in a package whose name is nearly that of the old one: ``cattrs._compat`` of ``cattr``.

    A private place, too: it was one before.
    """
    top, _, rest = name.partition(".")
    near = [one for one in packages if one != top and (one.startswith(top) or top.startswith(one))]
    candidates = [f"{one}.{rest}" for one in sorted(near) if abs(len(one) - len(top)) <= _MOST_LETTERS]
    members = pair.ask_new(candidates) if rest and candidates else {}
    for candidate, member in members.items():
        alike = old.kind == member.kind == "module" or likeness(old, member) >= _ALL_THE_SAME
        if member.present and member.reached and alike:
            yield Home(name=candidate, why=f"{candidate} is the same, in the place of {name}")


def _in_private(name: str, old: Member, pair: EnvironmentPair) -> Iterator[Home]:
    """What has the same name in a private place of the package, when all that can be compared is the same.

    The last resort: the library may move it again without a word, which the reason says.
    """
    found = [one for one in pair.search_new(name, ()) if one != name and not _may_be_named(one, name)]
    members = pair.ask_new(found)
    for one in sorted(found, key=lambda one: _distance(name, one)):
        member = members.get(one)
        same = member is not None and member.reached and likeness(old, member) >= _ALL_THE_SAME
        if same and old.kind in ("class", "function"):
            why = f"{one} is the same, in a place that the library calls private"
            yield Home(name=one, why=why, likeness=0.0)
            return


def _there(names: Iterable[str], pair: EnvironmentPair) -> Iterator[str]:
    """Those of ``names`` that the new environment has; the ones of which it warns last."""
    wanted = tuple(dict.fromkeys(names))
    members = pair.ask_new(wanted)
    there = [name for name in wanted if name in members and members[name].present and members[name].reached]
    return iter(sorted(_outer(there), key=lambda name: bool(members[name].warnings)))


def _outer(names: Sequence[str]) -> Sequence[str]:
    """``names`` without places in a library's inner packages, where some of them are in no such."""
    outer = [name for name in names if _INNER.isdisjoint(name.split(".")[1:-1])]
    return outer or names


def _may_be_named(candidate: str, name: str) -> bool:
    """Whether a project may write it in the place of ``name``: its places are public."""
    return candidate != name and not any(part.startswith("_") for part in candidate.split("."))


def _is_near(candidate: str, name: str) -> bool:
    """Whether it is of the same package, or of Python's."""
    top = name.partition(".")[0]
    return candidate.partition(".")[0] == top or in_standard_library(candidate)


def _is_akin(candidate: str, name: str) -> bool:
    """Whether one package is called after the other, as pydantic_settings after pydantic."""
    one, other = (text.partition(".")[0].replace("_", "").casefold() for text in (candidate, name))
    return one.startswith(other) or other.startswith(one)


def _distance(name: str, candidate: str, own: str = "") -> tuple[bool, int, int, bool, str]:
    """How far a name is from another: another package, fewer parts in common, more parts.

    Of those that are equally far the object's ``own`` name is nearest: the others only import it.
    """
    top = name.partition(".")[0]
    near = candidate.startswith(("builtins.", f"{top}."))
    common = sum(one == other for one, other in zip(name.split("."), candidate.split("."), strict=False))
    if candidate.startswith("builtins."):
        common = len(name)
    return (not near, -common, candidate.count("."), candidate != own, candidate)
