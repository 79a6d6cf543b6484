"""What a function needs to be defined elsewhere, as the probe says it."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from backdate.diagnosis.api import PROBES
from backdate.diagnosis.homes import MovableDefinition, read_homes

LIBRARY = '''
import functools
import os.path
import re
from os.path import join as put
LIMIT = 3
WORDS = ("a", "b")
PATTERN = re.compile("x+", re.I)
STATE = object()
ENDLESS = float("inf")
class Own: pass
class Trouble(ValueError): pass
class Box(dict):
    size = LIMIT
    def grow(self, by: int = len(WORDS)) -> "Box": return plain(self)
def plain(text="a"): return text.lower()[:LIMIT]
def with_helper(text):
    """Give it."""
    return [helper(one) for one in WORDS if one in text]
def helper(text): return put(os.path.sep, PATTERN.sub("", text))
def recursive(n): return n and recursive(n - 1)
def of_class(x): return isinstance(x, Own)
def of_error(x): raise Trouble(x)
def of_state(): return STATE
@functools.lru_cache()
def decorated(): return 1
def closing():
    value = 1
    def inner(): return value
    return inner
closed = closing()
renamed = plain
anonymous = lambda x: x
'''


DefinitionOf = Callable[[str], Any]


@pytest.fixture
def definition_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DefinitionOf]:
    (tmp_path / "defined_lib.py").write_text(LIBRARY)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.syspath_prepend(str(PROBES))
    probe, library = (importlib.import_module(name) for name in ("backdate_definitions", "defined_lib"))
    yield lambda name: probe.definition_of(getattr(library, name), f"defined_lib.{name}")
    for module in ("defined_lib", "backdate_definitions"):
        sys.modules.pop(module, None)


def test_constants_and_helpers_come_along(definition_of: DefinitionOf) -> None:
    assert definition_of("plain") == {
        "parts": [["LIMIT", "LIMIT = 3"], ["plain", 'def plain(text="a"): return text.lower()[:LIMIT]']],
        "imports": [],
    }
    found = definition_of("with_helper")
    assert [name for name, _ in found["parts"]] == ["WORDS", "PATTERN", "helper", "with_helper"]
    assert found["parts"][1][1] == "PATTERN = re.compile('x+', 2)"
    assert found["imports"] == [
        ["import os", "os", "os"],
        ["from posixpath import join as put", "put", "posixpath.join"],
        ["import re", "re", "re"],
    ]


def test_a_function_that_calls_itself_is_one(definition_of: DefinitionOf) -> None:
    assert [name for name, _ in definition_of("recursive")["parts"]] == ["recursive"]


def test_classes_and_constants_are_defined_as_well(definition_of: DefinitionOf) -> None:
    assert definition_of("WORDS") == {"parts": [["WORDS", "WORDS = ('a', 'b')"]], "imports": []}
    assert [name for name, _ in definition_of("of_class")["parts"]] == ["Own", "of_class"]
    assert [name for name, _ in definition_of("Box")["parts"]] == ["LIMIT", "WORDS", "plain", "Box"]


@pytest.mark.parametrize(
    "name", ["of_state", "decorated", "closed", "anonymous", "Trouble", "of_error", "STATE", "ENDLESS"]
)
def test_what_needs_more_has_none(definition_of: DefinitionOf, name: str) -> None:
    assert definition_of(name) is None


@pytest.mark.parametrize(
    ("parts", "imports", "kept"),
    [
        ([["f", "def f(): return 1"]], [["import os", "os", "os"]], True),
        ([["A", "A = 1"], ["f", "def f(): return A"]], [["from a.b import c as d", "d", "a.b.c"]], True),
        ([["f", "def f(): return 1\nimport os"]], [], False),
        ([["f", "def g(): return 1"]], [], False),
        ([["f", "def f(:"]], [], False),
        ([["f", "def f(): pass" + "\n" * 7000]], [], False),
        ([["f", "def f(): return 1"]], [["import os; os.remove('a')", "os", "os"]], False),
        ([["f", "def f(): return 1"]], [["import os", "os", "os; x"]], False),
        ([["f", "def f(): return 1"]], [["import os", "os", "sys"]], False),
        ([["f", "def f(): return 1"]], [["from .a import b", "b", "a.b"]], False),
        ([], [], False),
    ],
)
def test_only_definitions_are_read(parts: list[list[str]], imports: list[list[str]], kept: bool) -> None:
    line = json.dumps({"name": "lib.f", "definition": {"parts": parts, "imports": imports}})
    definitions = read_homes(line.encode()).definitions
    assert bool(definitions) is kept
    if kept:
        assert definitions["lib.f"] == MovableDefinition(
            parts=tuple((name, text) for name, text in parts),
            imports=tuple((statement, local, dotted) for statement, local, dotted in imports),
        )
