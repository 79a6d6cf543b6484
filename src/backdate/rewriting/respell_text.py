"""What literal texts hold is spelled otherwise: the weight of a header, ``q=.5``."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from backdate.editing.spans import Edit
from backdate.rewriting.rewrite import RespellText
from backdate.rewriting.rewritten import RewrittenSource
from backdate.rewriting.source_tree import SourceTree


def respell_text(tree: SourceTree, rewrite: RespellText, lines: frozenset[int] | None) -> RewrittenSource:
    """The edits of literal texts on ``lines``; docstrings and comments stay."""
    patterns = [(re.compile(old), new) for old, new in rewrite.texts]
    edits: dict[Edit, None] = {}
    for node in _texts(tree.root):
        first, last = tree.line(node.start_byte), tree.line(node.end_byte)
        if lines is not None and lines.isdisjoint(range(first, last + 1)):
            continue
        text = tree.code(node)
        for pattern, new in patterns:
            for match in pattern.finditer(text):
                edit = Edit(node.start_byte + match.start(), node.start_byte + match.end(), match.expand(new))
                edits.setdefault(edit)
    changed = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(edits=tuple(sorted(edits)), lines=tuple(changed))


def _texts(root: Node) -> Iterator[Node]:
    """What stands between the quotes of literal texts that are used, in whatever order."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.type == "string_content":
            yield node
        elif not (
            node.type == "string" and node.parent is not None and node.parent.type == "expression_statement"
        ):
            waiting += node.named_children
