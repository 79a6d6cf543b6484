"""YAML as plain nodes with line numbers, bounded.

Scalars stay as they are written (``3.10`` is not 3.1), no tag is given a meaning, aliases and merge keys are
followed up to a bound, and a repeated key is taken to mean its last value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from backdate.recipes.recipe import Provenance, SkippedInstruction

MOST_NODES = 20_000
"""After following aliases: ten lines of YAML can ask for billions."""
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
            node = node.fields.get(key, NOTHING)
        return node

    @property
    def present(self) -> bool:
        """Whether there is anything."""
        return self is not NOTHING

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


NOTHING = Node()


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
    from backdate.recipes.sources.yaml_events import read_events  # its parser takes long to import

    return read_events(text)


def _brackets(text: str) -> int:
    """How many brackets are open at most: the parser takes seconds for a thousand, before it says a word."""
    deepest = depth = 0
    for bracket in re.finditer(r"[\[\]{}]", text):
        depth += 1 if bracket[0] in "[{" else -1
        deepest = max(deepest, depth)
    return deepest
