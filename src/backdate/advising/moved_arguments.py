"""Which method of a class takes an argument now that another one, or the class itself, took before."""

from __future__ import annotations

import re
from collections.abc import Iterable

from backdate.advising.environment_pair import EnvironmentPair
from backdate.diagnosis.homes import OwnedMember


def taken_by(name: str, argument: str, pair: EnvironmentPair, said: Iterable[str] = ()) -> str:
    """The only method of the class ``name``, or of the class of the method ``name``, that takes ``argument``
    in the new environment and took none of that name in the old one, or that the library names in what it
    said; "" where there is none or several.

    So of pydyf 0.11: ``PDF(version=…)`` is no more, "Please pass these properties to the PDF.write() method
    instead". Raises SandboxUnavailable.
    """
    owner = _class_of(name, pair)
    if not owner:
        return ""
    before, after = (_takers(argument, pair.members_of(owner, side)) for side in ("old", "new"))
    after -= {name.removeprefix(f"{owner}.")}
    texts = tuple(said)
    named = {method for method in after if any(_is_named(owner, method, text) for text in texts)}
    found = named or after - before
    return f"{owner}.{found.pop()}" if len(found) == 1 else ""


def _is_named(owner: str, method: str, text: str) -> bool:
    of_class = rf"{re.escape(owner.rpartition('.')[2])}\.{re.escape(method)}\b"
    return re.search(rf"(?<!\w)(?:{of_class}|{re.escape(method)}\()", text) is not None


def _class_of(name: str, pair: EnvironmentPair) -> str:
    owner = name.rpartition(".")[0]
    there = pair.ask_new(one for one in (name, owner) if "." in one)
    return next((one for one in (name, owner) if one in there and there[one].kind == "class"), "")


def _takers(argument: str, members: Iterable[OwnedMember]) -> set[str]:
    """Those that take an argument of that name."""
    return {one.name for one in members if argument in one.parameters}
