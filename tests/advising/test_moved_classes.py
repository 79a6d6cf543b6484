"""Methods of a class that is defined in another module are asked at its new place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.moved_classes import members_of_moved, moved_classes
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Limits, Sandbox


def pair_of(there: Mapping[str, Mapping[str, Any]], found: Mapping[str, Sequence[str]]) -> EnvironmentPair:
    """A pair whose new environment has ``there``, and finds ``found`` where it is searched."""

    def answer(
        environment: Any, script: str, request: Mapping[str, Sequence[str]], *, limits: Limits
    ) -> tuple[str, bytes]:
        lines = [
            {"name": name, "present": name in there, "candidates": found.get(name, ()), **there.get(name, {})}
            for name in request["names"]
        ]
        return "exited", b"".join(json.dumps(line).encode() + b"\n" for line in lines)

    environments = [cast("Environment", SimpleNamespace(key=str(number), root=Path())) for number in (1, 2)]
    sandbox = cast("Sandbox", SimpleNamespace(name="none"))
    return EnvironmentPair(sandbox=sandbox, old=environments[0], new=environments[1], by=answer)


def a_class(home: str) -> dict[str, str]:
    module, _, name = home.rpartition(".")
    return {"kind": "class", "module": module, "qualified": name}


TEXTS = a_class("lib.core.texts.accessor.Texts")
THERE = {
    "lib.Frame": a_class("lib.frame.Frame"),
    "lib.core.texts.accessor.Texts": TEXTS,
    "lib.series.Texts": TEXTS,
    "lib.core.texts.accessor.Texts.replace": {"kind": "function", "signature": "(self, old, regex=False)"},
}
FOUND = {"lib.core.texts.Texts": ["lib.core.texts.accessor.Texts", "lib.series.Texts"]}


def test_a_class_has_the_place_that_defines_it() -> None:
    pair = pair_of(THERE, FOUND)
    assert moved_classes(pair, ["lib.core.texts.Texts", "lib.Frame", "lib.gone.Gone"]) == {
        "lib.core.texts.Texts": "lib.core.texts.accessor.Texts"
    }


@pytest.mark.parametrize("other", [a_class("lib.bytes.Texts"), {"kind": "function", "module": "lib.series"}])
def test_of_several_that_are_called_the_same_none_is_taken(other: dict[str, str]) -> None:
    there = {**THERE, "lib.series.Texts": other}
    only = {"lib.core.texts.Texts": "lib.core.texts.accessor.Texts"}
    found = moved_classes(pair_of(there, FOUND), ["lib.core.texts.Texts"])
    assert found == ({} if other["kind"] == "class" else only)


def test_its_methods_are_what_they_are_there() -> None:
    pair = pair_of(THERE, FOUND)
    names = ["lib.core.texts.Texts.replace", "lib.core.texts.Texts.lost", "lib.Frame.append"]
    members = members_of_moved(pair, pair.ask_new(names), names)
    assert {name: member.present for name, member in members.items()} == {names[0]: True, names[1]: False}
    assert members[names[0]].signature == "(self, old, regex=False)"


def test_nothing_is_searched_for_what_is_there() -> None:
    pair = pair_of(THERE, FOUND)
    name = "lib.core.texts.accessor.Texts.replace"
    assert members_of_moved(pair, pair.ask_new([name]), [name]) == {}
    assert not pair.searches
