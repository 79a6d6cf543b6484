"""YAML as plain nodes with line numbers, bounded.

Scalars stay as they are written (``3.10`` is not 3.1), no tag is given a meaning, aliases and merge keys are
followed up to a bound, and a repeated key is taken to mean its last value.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    MappingEndEvent,
    NodeEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

from backdate.recipes.recipe import Provenance, SkippedInstruction

MOST_NODES = 20_000
"""After following aliases: ten lines of YAML can ask for billions."""
_DEEPEST = 40
_MOST_BRACKETS = 150
_YAML_BYTES = 200 * 1024


class YamlProblem(ValueError):
    """A text that is no YAML, or too much of it."""


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a document."""

    line: int = 1
    """Where its content starts, from 1."""
    scalar: str | None = None
    """The text of a scalar; None for a list, a mapping and nothing."""
    items: tuple[Node, ...] = ()
    fields: dict[str, Node] = field(default_factory=dict)

    def get(self, *path: str) -> Node:
        """The value under nested keys; an empty node where there is none."""
        node = self
        for key in path:
            node = node.fields.get(key, _NOTHING)
        return node

    @property
    def present(self) -> bool:
        """Whether there is anything."""
        return self is not _NOTHING

    @property
    def text(self) -> str:
        """The text of a scalar; "" for anything else."""
        return self.scalar or ""

    @property
    def listed(self) -> tuple[Node, ...]:
        """The items of a list; a scalar alone is a list of itself, lists inside are flattened."""
        if self.scalar is not None:
            return (self,)
        listed: list[Node] = []
        for item in self.items:
            listed += item.listed if item.items else (item,)
        return tuple(listed)

    @property
    def texts(self) -> tuple[str, ...]:
        """The scalars of a list, or of a scalar alone."""
        return tuple(node.scalar for node in self.listed if node.scalar is not None)

    def pairs(self) -> Iterator[tuple[str, Node]]:
        """The entries of a mapping, in order."""
        return iter(self.fields.items())


_NOTHING = Node()
_NULLS = ("", "~", "null", "Null", "NULL")


def read_document(text: str, rule: str, file: str) -> Node | SkippedInstruction:
    """The first document of a project's ``file``, or that nothing in it is followed, and why."""
    try:
        return read_yaml(text)
    except YamlProblem as problem:
        return SkippedInstruction(reason=str(problem), provenance=Provenance(rule=rule, file=file))


def read_yaml(text: str) -> Node:
    """The first document of ``text``. Raises YamlProblem."""
    if len(text) > _YAML_BYTES:
        raise YamlProblem(f"more than {_YAML_BYTES:,} characters of YAML are not read")
    if _brackets(text) > _MOST_BRACKETS:
        raise YamlProblem("it is nested deeper than is read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is doubtful about the project's YAML
            return _YamlReader(YAML(typ="safe", pure=True).parse(text)).document()
    except YAMLError as error:
        raise YamlProblem(f"not YAML: {' '.join(str(error).split())[:200]}") from error
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError, AssertionError) as error:
        if isinstance(error, YamlProblem):
            raise
        raise YamlProblem(f"not YAML that can be read: {type(error).__name__}") from error


def _brackets(text: str) -> int:
    """How many brackets are open at most: the parser takes seconds for a thousand, before it says a word."""
    deepest = depth = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        depth += 1 if bracket[0] in "[{" else -1
        deepest = max(deepest, depth)
    return deepest


class _YamlReader:
    """Nodes from the parser's events, which come one by one: what is too deep is never read to its end."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events = events
        self._count = 0
        self._anchors: dict[str, tuple[Node, int]] = {}

    def document(self) -> Node:
        for event in self._events:
            if isinstance(event, NodeEvent):
                return self._node(event, 0)
        return _NOTHING

    def _node(self, event: Any, depth: int) -> Node:
        self._spend(1)
        if depth > _DEEPEST:
            raise YamlProblem("it is nested deeper than is read")
        if isinstance(event, AliasEvent):
            node, size = self._anchors.get(event.anchor, (_NOTHING, 1))  # one inside itself is nothing yet
            self._spend(size)
            return node
        before = self._count
        line = event.start_mark.line + 1
        if isinstance(event, ScalarEvent):
            null = event.style is None and event.value in _NULLS
            node = Node(line=line + (event.style in ("|", ">")), scalar=None if null else event.value)
        elif isinstance(event, SequenceStartEvent):
            node = Node(line=line, items=tuple(self._nodes(SequenceEndEvent, depth)))
        else:
            node = Node(line=line, fields=_merged(list(self._nodes(MappingEndEvent, depth))))
        if event.anchor:
            self._anchors[event.anchor] = (node, self._count - before + 1)
        return node

    def _nodes(self, end: type, depth: int) -> Iterator[Node]:
        for event in self._events:
            if isinstance(event, end):
                return
            yield self._node(event, depth + 1)

    def _spend(self, amount: int) -> None:
        self._count += amount
        if self._count > MOST_NODES:
            raise YamlProblem("its aliases or its size make more of it than is read")


def _merged(nodes: list[Node]) -> dict[str, Node]:
    """Keys and values in turn as a mapping; ``<<`` gives what is not given otherwise."""
    own: dict[str, Node] = {}
    merged: dict[str, Node] = {}
    for key, value in zip(nodes[::2], nodes[1::2], strict=False):
        if key.scalar == "<<":
            for source in (value, *value.items):
                merged |= {name: node for name, node in source.fields.items() if name not in merged}
        elif key.scalar is not None:
            own[key.scalar] = value
    return {**merged, **own}
