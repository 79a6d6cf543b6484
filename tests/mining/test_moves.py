"""What no release announced: definitions that a later release has in another place."""

from __future__ import annotations

from packaging.version import Version

from backdate.diagnosis.api import Member
from backdate.mining.candidates import RuleCandidate, mine_release
from backdate.mining.moves import moves_of
from backdate.mining.prove import proven_rows
from backdate.mining.releases import ReleaseSources
from backdate.mining.write_rows import rows_of

TOOLS = "def read(path, mode): ...\ndef write(path, text): ...\nclass Table:\n    def rows(self): ...\n"


def release(version: str, **modules: str) -> ReleaseSources:
    """A release with these modules below ``lib``."""
    sources = {"lib": "", **{f"lib.{name}": text for name, text in modules.items()}}
    return ReleaseSources(
        version=Version(version), sources=sources, packages=frozenset({"lib"}), compiled=frozenset()
    )


def moved(*releases: ReleaseSources) -> dict[str, str]:
    """What moved where."""
    return {one.name: one.replacement for one in found(*releases)}


def found(*releases: ReleaseSources) -> tuple[RuleCandidate, ...]:
    """The candidates."""
    return moves_of([mine_release(one) for one in releases])


def test_definitions_are_found_in_their_new_module_and_the_module_with_them() -> None:
    assert moved(release("1.0", tools=TOOLS), release("2.0", helpers=TOOLS)) == {
        "lib.tools": "lib.helpers",
        "lib.tools.read": "lib.helpers.read",
        "lib.tools.write": "lib.helpers.write",
        "lib.tools.Table": "lib.helpers.Table",
    }


def test_what_a_module_below_its_own_still_has_is_taken_from_there() -> None:
    shared = {"_abc": "class Mapping: ...\n", "typing": "from _abc import Mapping\n"}
    packages = frozenset({"collections"})
    older, newer = (
        ReleaseSources(version=Version(version), sources=sources, packages=packages, compiled=frozenset())
        for version, sources in (
            ("1.0", {**shared, "collections": "from _abc import Mapping\n", "collections.abc": ""}),
            ("2.0", {**shared, "collections": "", "collections.abc": "from _abc import *\n"}),
        )
    )
    assert moved(older, newer) == {"collections.Mapping": "collections.abc.Mapping"}


def test_what_another_definition_was_called_before_is_no_successor() -> None:
    older = release(
        "1.0", strict="def all(x): ...\n", plain="from lib._a import all\n", _a="def all(x): ...\n"
    )
    newer = release("2.0", plain="from lib._b import all\n", _b="def all(x): ...\n")
    assert "lib.strict.all" not in moved(older, newer)


def test_what_two_places_could_be_is_no_candidate() -> None:
    newer = release("2.0", one="def read(path, mode): ...\n", two="def read(path, mode): ...\n")
    assert moved(release("1.0", tools=TOOLS), newer) == {}


def test_a_function_that_several_modules_define_is_no_successor_of_one_that_went() -> None:
    plugin = "def register(linter): ...\n"
    older = release("1.0", empty=plugin, zero=plugin)
    assert moved(older, release("2.0", zero=plugin, data=plugin)) == {}


def test_a_definition_of_the_same_name_and_another_shape_is_no_candidate() -> None:
    newer = release("2.0", helpers="class Table:\n    def draw(self): ...\ndef read(socket): ...\n")
    assert moved(release("1.0", tools=TOOLS), newer) == {}


def test_what_was_there_before_under_that_name_is_another_definition() -> None:
    older = release("1.0", tools="def read(path): ...\n", helpers="def read(path): ...\n")
    assert moved(older, release("2.0", helpers="def read(path): ...\n")) == {}


def test_another_name_of_a_definition_leads_to_it() -> None:
    older = release("1.0", tools="def prod(a): ...\nproduct = prod\n")
    assert moved(older, release("2.0", tools="def prod(a): ...\n")) == {"lib.tools.product": "lib.tools.prod"}


def test_another_name_of_a_method_leads_to_it() -> None:
    table = "class Table:\n    def rows(self): ...\n"
    (one,) = found(release("1.0", tools=table + "    lines = rows\n"), release("2.0", tools=table))
    assert (one.name, one.replacement, one.owner) == ("lib.tools.Table.lines", "rows", "Table")


def test_what_a_module_imports_for_itself_is_nothing_that_it_offers() -> None:
    older = release("1.0", tools="from lib.base import Base\n", base="class Base: ...\n")
    assert moved(older, release("2.0", tools="", base="class Base: ...\n")) == {}


def test_what_came_back_or_went_again_is_no_candidate() -> None:
    first, second = release("1.0", tools=TOOLS), release("2.0", helpers=TOOLS)
    back = moved(first, second, release("3.0", tools=TOOLS))
    assert back["lib.helpers.read"] == "lib.tools.read"
    assert "lib.tools.read" not in back
    assert moved(first, second, release("3.0", others="x = 1\n")) == {}


def test_what_nobody_announced_is_proven_by_the_object_itself() -> None:
    candidates = found(release("1.0", tools=TOOLS), release("2.0", helpers=TOOLS))
    rows = [row for row in rows_of("lib", candidates) if row.kind == "name"]
    names = {name: f"lib.tools.{name}" for name in ("read", "write", "Table")}
    old = {
        dotted: Member(name=dotted, present=True, kind="function", qualified=name)
        for name, dotted in names.items()
    }
    new = {dotted: Member(name=dotted, present=False) for dotted in names.values()}
    for name, kind, qualified in (
        ("read", "function", "read"),
        ("write", "function", "dump"),
        ("Table", "class", "Table"),
    ):
        dotted = f"lib.helpers.{name}"
        new[dotted] = Member(name=dotted, present=True, kind=kind, qualified=qualified)
    (row,) = rows
    assert {name: one.unproven for one in proven_rows(row, old, new) for name in one.names} == {
        "read": "",
        "write": "what stands there is something else",
        "Table": "what stands there is something else",
    }
    (module,) = (row for row in rows_of("lib", candidates) if row.kind == "module")
    assert (module.module, module.names) == ("", {"lib.tools": "lib.helpers"})


def test_what_a_module_offered_of_another_distribution_is_taken_from_there() -> None:
    schema = """
from typing import Any
from core.messages import Message, _private, only_used
__all__ = ["Message", "_private"]
"""
    assert moved(release("1.0", schema=schema), release("2.0", other="")) == {
        "lib.schema.Message": "core.messages.Message"
    }
    assert moved(release("1.0", schema=schema), release("2.0", schema=schema)) == {}
