"""How like two objects of two environments are: by kind, parameters, names, documentation and code."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from difflib import SequenceMatcher

from backdate.diagnosis.api import Member
from backdate.diagnosis.homes import OwnedMember

_LEAST = 1.2
"""Of a likeness of 3.0: two of name, parameters and documentation have to be much alike."""
_MOST = 3
_FEWEST_NAMES = 5
_SAME_CODE = 0.7
"""The share of names in common from which on the code of one is that of the other, changed a little."""
_WEIGHT_OF_CODE = 1.5
"""With nearly the same code neither names nor parameters have to be alike."""
_CALLABLE = ("class", "function")
_PARTICLES = frozenset({"as", "by", "for", "from", "get", "in", "is", "of", "set", "to", "with"})
"""Words that say nothing of what a name is about."""
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")


def likeness(old: Member, new: Member) -> float:
    """From 0.0, for another kind of object, to 1.0 for the same parameters and documentation."""
    if old.kind != new.kind and not (old.kind in _CALLABLE and new.kind in _CALLABLE):
        return 0.0
    alike = 0.4 if old.kind == new.kind else 0.2
    alike += 0.4 * parameters_alike(old.parameters, new.parameters)
    return alike + 0.2 * _texts_alike(old.document, new.document)


def resembling(
    old: Member, leaf: str, members: Iterable[OwnedMember], before: Collection[str]
) -> Iterator[tuple[str, float]]:
    """Names of ``members`` that may be the successor of ``old``, called ``leaf``, the likest first; and how
    like its code is.

    What was there ``before`` has to be more like it than what came since.
    """
    liked: list[tuple[float, str, float]] = []
    for member in members:
        if member.name == leaf or (member.kind != old.kind):
            continue
        names = names_alike(leaf, member.name)
        score = names + parameters_alike(old.parameters, member.parameters)
        score += _texts_alike(old.document, member.document)
        # what stood beside it may have done nearly the same all the time
        code = 0.0 if member.name in before else code_alike(old.code, member.code)
        score += _WEIGHT_OF_CODE * code
        if member.name in before:
            score -= 0.6
        if score >= _LEAST and (names > 0 or code > 0):
            liked.append((score, member.name, code))
    ordered = sorted(liked, key=lambda one: (-one[0], one[1]))[:_MOST]
    return ((name, code) for _, name, code in ordered)


def parameters_alike(old: Collection[str], new: Collection[str]) -> float:
    """The share of parameters that two signatures have in common; half where one is not known."""
    if not old or not new:
        return 0.5 if bool(old) != bool(new) else 0.3
    one, other = set(old) - {"self"}, set(new) - {"self"}
    return len(one & other) / len(one | other) if one | other else 1.0


def code_alike(old: Collection[int], new: Collection[int]) -> float:
    """The share of the names that the code of two has in common, by checksums; 0.0 where little is."""
    one, other = set(old), set(new)
    if min(len(one), len(other)) < _FEWEST_NAMES:
        return 0.0
    share = len(one & other) / len(one | other)
    return share if share >= _SAME_CODE else 0.0


def names_alike(old: str, new: str) -> float:
    """1.0 for the same words, 0.0 for nothing in common."""
    plain_old, plain_new = old.replace("_", "").casefold(), new.replace("_", "").casefold()
    if plain_old == plain_new:
        return 1.0
    words, others = _words(old), _words(new)
    both = words & others
    shared = len(both) / len(words | others) if not both <= _PARTICLES else 0.0
    short, long = sorted((plain_old, plain_new), key=len)
    if len(short) >= 3 and long.startswith(short):
        shared = max(shared, 0.6)
    if len(short) >= 4 and (short in long or (short[0] == long[0] and _abbreviates(short, long))):
        shared = max(shared, 0.5)
    return shared


def _abbreviates(short: str, long: str) -> bool:
    """Whether the letters of ``short`` stand in ``long`` in their order, as in "trapz" and "trapezoid"."""
    letters = iter(long)
    return all(letter in letters for letter in short)


def _words(name: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(name)}


def _texts_alike(old: str, new: str) -> float:
    if not old or not new:
        return 0.0
    ratio = SequenceMatcher(None, old[:200], new[:200]).ratio()
    return ratio if ratio > 0.6 else 0.0
