"""Loosening the pip part of a conda environment file; conda's own part is reported and left alone."""

from __future__ import annotations

import re

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode, SequenceNode

from backdate.editing.spans import Fragment
from backdate.projects.unpinning.draft import Draft
from backdate.projects.unpinning.requirement_files import loosen_line

_NESTING = re.compile(r"[\[{]")
_MOST_FLOW_COLLECTIONS = 1000
_CONDA_PIN = re.compile(r"[^\s=<>!~]+\s*[=<>!~]")


def loosen_conda_environment(draft: Draft) -> None:
    """Loosen ``dependencies: - pip: […]`` of the environment file in ``draft``.

    The YAML is only composed: nothing is constructed, and aliases are not expanded.
    """
    if len(_NESTING.findall(draft.content)) > _MOST_FLOW_COLLECTIONS:
        draft.skip(None, "not YAML that can be read: too many nested collections")
        return
    try:
        root = YAML(typ="safe", pure=True).compose(draft.content)
    except (YAMLError, ValueError, RecursionError, AttributeError, LookupError, OverflowError) as error:
        draft.skip(None, f"not YAML that can be read: {' '.join(str(error).split())}")
        return
    for item in _items(_value(root, "dependencies")):
        pip = _value(item, "pip")
        if pip is not None:
            for entry in _items(pip):
                _loosen_entry(draft, entry)
        elif isinstance(item, ScalarNode) and _CONDA_PIN.match(item.value):
            draft.skip(item.start_mark.index, f"conda's own requirements are not loosened: {item.value}")


def _value(node: Node | None, key: str) -> Node | None:
    """The value of ``key`` in a mapping, else None."""
    if isinstance(node, MappingNode):
        for name, value in node.value:
            if isinstance(name, ScalarNode) and name.value == key and isinstance(value, Node):
                return value
    return None


def _items(node: Node | None) -> list[Node]:
    return list(node.value) if isinstance(node, SequenceNode) else []


def _loosen_entry(draft: Draft, entry: Node) -> None:
    if not isinstance(entry, ScalarNode):
        return
    start, end = entry.start_mark.index, entry.end_mark.index
    source = draft.content[start:end]
    if source[:1] in ("'", '"'):
        start, source = start + 1, source[1:-1]
    source = source.rstrip()
    if source != entry.value:
        draft.skip(start, f"an entry that is written with escapes or over lines: {entry.value}")
    elif source:
        loosen_line(draft, Fragment.plain(source, start), "dependency")
