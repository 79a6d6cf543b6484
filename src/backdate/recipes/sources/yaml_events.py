"""The nodes of a YAML document from its parser's events (see ``yaml.py``)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
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

from backdate.recipes.sources.yaml import MOST_NODES, NOTHING, Node, YamlProblem

_READER_FAULTS = (
    *(ValueError, TypeError, AttributeError, LookupError),
    *(RecursionError, AssertionError, OverflowError),
)
"""What ruamel raises, besides its own errors, for texts that are no YAML: a character beyond all is one."""
_DEEPEST = 40
_NULLS = ("", "~", "null", "Null", "NULL")


def read_events(text: str) -> Node:
    """The first document of ``text``, of which size and brackets were looked at. Raises YamlProblem."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is doubtful about the project's YAML
            return _YamlReader(YAML(typ="safe", pure=True).parse(text)).document()
    except YAMLError as error:
        raise YamlProblem(f"not YAML: {' '.join(str(error).split())[:200]}") from error
    except _READER_FAULTS as error:
        if isinstance(error, YamlProblem):
            raise
        raise YamlProblem(f"not YAML that can be read: {type(error).__name__}") from error


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
        return NOTHING

    def _node(self, event: Any, depth: int) -> Node:
        self._spend(1)
        if depth > _DEEPEST:
            raise YamlProblem("it is nested deeper than is read")
        if isinstance(event, AliasEvent):
            node, size = self._anchors.get(event.anchor, (NOTHING, 1))  # one inside itself is nothing yet
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
