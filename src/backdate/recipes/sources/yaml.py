"""YAML as plain nodes with line numbers, bounded.

Scalars stay as they are written (``3.10`` is not 3.1), no tag is given a meaning, aliases and merge keys are
followed up to a bound, and a repeated key is taken to mean its last value.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

MOST_NODES = 20_000
"""After following aliases: ten lines of YAML can ask for billions."""
_DEEPEST = 40
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
    def given(self) -> bool:
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
        found: list[Node] = []
        for item in self.items:
            found += item.listed if item.items else (item,)
        return tuple(found)

    @property
    def texts(self) -> tuple[str, ...]:
        """The scalars of a list, or of a scalar alone."""
        return tuple(node.scalar for node in self.listed if node.scalar is not None)

    def pairs(self) -> Iterator[tuple[str, Node]]:
        """The entries of a mapping, in order."""
        return iter(self.fields.items())


_NOTHING = Node()


def read_yaml(text: str) -> Node:
    """The first document of ``text``. Raises YamlProblem."""
    if len(text) > _YAML_BYTES:
        raise YamlProblem(f"more than {_YAML_BYTES:,} characters of YAML are not read")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is doubtful about the project's YAML
            loader = YAML(typ="safe", pure=True)
            document: Any = next(iter(loader.compose_all(text)), None)
    except YAMLError as error:
        raise YamlProblem(f"not YAML: {' '.join(str(error).split())[:200]}") from error
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError, AssertionError) as error:
        raise YamlProblem(f"not YAML that can be read: {type(error).__name__}") from error
    return _Converter().convert(document, 0)


class _Converter:
    def __init__(self) -> None:
        self._count = 0

    def convert(self, node: Any, depth: int) -> Node:
        self._count += 1
        if self._count > MOST_NODES or depth > _DEEPEST:
            raise YamlProblem("its aliases or its depth make more of it than is read")
        if isinstance(node, ScalarNode):
            null = node.tag == "tag:yaml.org,2002:null" or (not node.value and not node.style)
            below = node.style in ("|", ">")
            return Node(
                line=node.start_mark.line + (2 if below else 1), scalar=None if null else str(node.value)
            )
        if isinstance(node, SequenceNode):
            return Node(
                line=node.start_mark.line + 1,
                items=tuple(self.convert(item, depth + 1) for item in node.value),
            )
        if isinstance(node, MappingNode):
            return Node(line=node.start_mark.line + 1, fields=self._mapping(node, depth))
        return _NOTHING

    def _mapping(self, node: Any, depth: int) -> dict[str, Node]:
        found: dict[str, Node] = {}
        merged: dict[str, Node] = {}
        for key, value in node.value:
            if not isinstance(key, ScalarNode):
                continue
            converted = self.convert(value, depth + 1)
            if key.value == "<<":
                for source in (converted, *converted.items):
                    merged |= {name: one for name, one in source.fields.items() if name not in merged}
            else:
                found[str(key.value)] = converted
        return {**merged, **found}
