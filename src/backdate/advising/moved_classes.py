"""Where a class is defined in the new environment whose module has another name there.

A traced run tells the classes of objects by the module that defines them, and libraries move these about:
``pandas.core.strings.StringMethods`` is in ``pandas.core.strings.accessor`` since pandas 1.2. What goes of
such a class, or is called otherwise, is asked at its new place.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from backdate.advising.environment_pair import EnvironmentPair
from backdate.diagnosis.api import Member

_MOST_CLASSES = 20
_MOST_PLACES = 20
"""Of one class: where modules import it, and others that are called the same."""


def moved_classes(pair: EnvironmentPair, classes: Iterable[str]) -> dict[str, str]:
    """By class that the new environment lacks by that name: where the only one of its library is that is
    called the same. Raises SandboxUnavailable.
    """
    wanted = list(dict.fromkeys(classes))
    there = pair.ask_new(wanted)
    gone = [name for name in wanted if name in there and not there[name].present][:_MOST_CLASSES]
    if not gone:
        return {}
    pair.search_at_once(gone)
    places = {name: pair.search_new(name, ())[:_MOST_PLACES] for name in gone}
    members = pair.ask_new(place for found in places.values() for place in found)
    return {name: home for name, found in places.items() if (home := _only_home(found, members))}


def members_of_moved(
    pair: EnvironmentPair, members: Mapping[str, Member], names: Iterable[str]
) -> dict[str, Member]:
    """What the new environment has of the methods ``names`` whose classes it has elsewhere, by these names.

    ``members``: what it said of them by these names. Raises SandboxUnavailable.
    """
    absent = [name for name in names if name in members and not members[name].present]
    homes = moved_classes(pair, (name.rpartition(".")[0] for name in absent))
    asked = {
        name: f"{homes[owner]}.{leaf}"
        for name in absent
        for owner, _, leaf in [name.rpartition(".")]
        if owner in homes
    }
    found = pair.ask_new(asked.values()) if asked else {}
    return {name: found[place] for name, place in asked.items() if place in found}


def _only_home(places: Iterable[str], members: Mapping[str, Member]) -> str:
    """The one class that these names stand for, by its definition's name; "" where they are several."""
    known = [members[place] for place in places if place in members]
    homes = {one.home for one in known if one.present and one.kind == "class"}
    return next(iter(homes)) if len(homes) == 1 else ""
