"""Attributes of objects: which ones two versions have differently, and whose they are in a function."""

from __future__ import annotations

import contextlib
import io
import sys
from collections.abc import Iterator
from types import ModuleType

import pytest

from backdate.construction.snippet.assemble import snippet_of
from backdate.construction.snippet.changed_apis import ChangedApi
from backdate.construction.snippet.chosen_cases import RefusedSnippet
from backdate.construction.snippet.class_members import changed_members
from backdate.construction.snippet.proving import ProvenSnippet, SnippetProver
from backdate.construction.snippet.reasons import SnippetReason
from backdate.construction.snippet.receivers import classes_seen, owner_of, recording
from backdate.construction.snippet.usages import DrawnSnippet, UsageKind, UsageOrigin
from backdate.rewriting.rewrite import ChangeArgument, RenameAttribute, ReplaceUse
from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramRun
from backdate.snippets.snippet import ApiChangeKind, SnippetSide

OLD = SnippetSide(version="1.0", python="3.11")
NEW = SnippetSide(version="2.0", python="3.11")
ORIGIN = UsageOrigin(distribution="user", version="1.0", file="a.py", line=1, licence="MIT")
SOURCES = {
    "1.0": """
class Box:
    def __init__(self, *items): self.items = items
    def node(self): return len(self.items)
    def spread(self): return max(self.items) - min(self.items)
    def sorted(self, inplace=False): return sorted(self.items)
    def kept(this): return 1
class Crate(Box): pass
class Gone:
    def node(self): return 1
class Wrong(Exception):
    def node(self): return 1
class Other:
    def node(self): return "other"
def spread(box): return max(box.items) - min(box.items)
""",
    "2.0": """
class Box:
    def __init__(self, *items): self.items = items
    def nodes(self): return len(self.items)
    def sorted(self, in_place=False): return sorted(self.items)
    def kept(self): return 1
class Crate(Box): pass
class Wrong(Exception): pass
class Other:
    def nodes(self): return "another"
def spread(box): return max(box.items) - min(box.items)
""",
}


class InThisProcess:
    """Runs what this file wrote itself, each side with its own ``boxlib``."""

    def run(self, side, programs, limits=None) -> Iterator[ProgramRun]:
        for program in programs:
            sys.modules["boxlib"] = library = ModuleType("boxlib")
            try:
                exec("__name__ = 'boxlib'\n" + SOURCES[side.version], vars(library))
                scope: dict[str, object] = {}
                exec(program.harness.before + program.code, scope)
                cases = tuple(self._case(scope, program.entry, case) for case in program.harness.cases)
            finally:
                del sys.modules["boxlib"]
            yield ProgramRun(id=program.id, end=ProgramEnd.FINISHED, cases=cases)

    @staticmethod
    def _case(scope, entry, case) -> CaseOutcome:
        printed = io.StringIO()
        try:
            with contextlib.redirect_stdout(printed):
                value = scope[entry](*eval(case, scope))
        except Exception as error:  # noqa: BLE001 - whatever the function raises is its outcome
            return CaseOutcome(error=type(error).__name__, message=str(error), printed=printed.getvalue())
        return CaseOutcome(value=str(value), kind=type(value).__name__, printed=printed.getvalue())


def found() -> dict[str, ChangedApi]:
    wanted = ("node", "spread", "sorted", "kept", "absent")
    changes = changed_members(InThisProcess(), OLD, NEW, names=("boxlib.Box",), attributes=wanted)
    return {one.key: one for one in changes}


def test_what_classes_of_both_versions_have_in_the_origin_alone() -> None:
    changes = found()
    assert set(changes) == {".node", ".spread", ".sorted(inplace)"}
    node, spread, inplace = (changes[key] for key in (".node", ".spread", ".sorted(inplace)"))
    assert node.owners == ("boxlib.Box", "boxlib.Crate", "boxlib.Other")
    assert node.rewrites[0] == RenameAttribute(old="node", new="nodes")
    assert spread.rewrites[0] == ReplaceUse(target=".spread", template="boxlib.spread({self}, {args})")
    assert inplace.kind is ApiChangeKind.SIGNATURE
    assert inplace.rewrites[0] == ChangeArgument(function=".sorted", argument="inplace", new="in_place")


@pytest.mark.parametrize("said", ["nothing", "[]", '{"boxlib.Box": 1}', "[" * 2000])
def test_an_environment_that_says_something_else_tells_nothing(said: str) -> None:
    class Says:
        def run(self, side, programs, limits=None) -> Iterator[ProgramRun]:
            for program in programs:
                yield ProgramRun(id=program.id, end=ProgramEnd.FINISHED, cases=(CaseOutcome(value=said),))

    assert changed_members(Says(), OLD, NEW, names=("boxlib.Box",), attributes=("node",)) == ()


def draw(code: str, *names: str, cases: tuple[str, ...] = ("(1,)", "(2, 3)", "(3, 4, 5)")) -> DrawnSnippet:
    return DrawnSnippet(
        code=code, entry="f", before="", cases=cases, names=names, kind=UsageKind.TEST, origin=ORIGIN
    )


def prove(drawn: DrawnSnippet) -> ProvenSnippet | RefusedSnippet:
    (result,) = SnippetProver(InThisProcess(), OLD, NEW, found(), "boxlib").prove([drawn])
    return result


def test_a_use_of_an_object_is_proven_and_named_by_the_class_that_running_shows() -> None:
    code = "import boxlib\n\ndef f(*items):\n    made = boxlib.Crate(*items)\n    return made.node()\n"
    proven = prove(draw(code, ".node"))
    assert isinstance(proven, ProvenSnippet)
    assert "made.nodes()" in proven.reference
    row = snippet_of(proven, "x", library="boxlib", origin=OLD, target=NEW, changed=found())
    assert [(one.name, one.replacement) for one in row.apis] == [("boxlib.Crate.node", "boxlib.Crate.nodes")]


def test_a_function_may_take_the_place_of_a_method() -> None:
    code = "import boxlib\n\ndef f(*items):\n    return boxlib.Box(*items, 9).spread()\n"
    proven = prove(draw(code, ".spread"))
    assert isinstance(proven, ProvenSnippet)
    assert "boxlib.spread(boxlib.Box(*items, 9))" in proven.reference


def test_an_attribute_of_another_object_proves_nothing() -> None:
    code = (
        "import boxlib\n\nclass Own:\n    if hasattr(boxlib.Box, 'node'):\n        node = 1\n"
        "    nodes = 1\n\ndef f(*items):\n    return Own.node + len(items)\n"
    )
    refused = prove(draw(code, ".node"))
    assert isinstance(refused, RefusedSnippet)
    assert refused.reason is SnippetReason.OTHER_OBJECT


def test_objects_are_noted_where_they_are_read() -> None:
    scope: dict[str, object] = {}
    printed = io.StringIO()
    exec(recording("def f(x):\n    return x.real + x.imag", ["real"]), scope)
    with contextlib.redirect_stdout(printed):
        assert scope["f"](True) == 1  # type: ignore[operator]
    seen = classes_seen([CaseOutcome(printed="before\n" + printed.getvalue())])
    assert seen == {"real": (("builtins.bool", "builtins.int"),)}
    assert recording("def f(x):\n    return x", ["real"]) == ""
    assert recording("def f(:", ["real"]) == ""


@pytest.mark.parametrize(
    ("seen", "owners", "owner"),
    [
        ([("lib.Child", "lib.Base")], ("Base",), "lib.Base"),
        ([("lib.Child", "lib.Base")], (), "lib.Child"),
        ([("lib.Child", "lib.Base"), ("builtins.list",)], ("lib.Base",), ""),
        ([("own.Child", "lib.Base")], (), "lib.Base"),
        ([("own.Base",)], ("lib.Base",), ""),
        ([], ("lib.Base",), ""),
    ],
)
def test_the_owner_is_a_class_of_the_library(
    seen: list[tuple[str, ...]], owners: tuple[str, ...], owner: str
) -> None:
    assert owner_of(seen, owners, "lib") == owner
