"""Literals of bytes that become texts, or texts that become bytes, as a library gives the other one now."""

from __future__ import annotations

import re

from backdate.editing.spans import Edit
from backdate.rewriting.rewrite import ChangeLiteralType
from backdate.rewriting.rewritten import RewrittenSource
from backdate.rewriting.source_tree import SourceTree

_START = re.compile(r"([a-zA-Z]{0,2})(\"{3}|'{3}|\"|')")


def change_literal_types(
    tree: SourceTree, rewrite: ChangeLiteralType, lines: frozenset[int] | None
) -> RewrittenSource:
    """The edits of literals on ``lines``. Those with escapes or letters beyond ASCII, f-strings and
    documentation stay."""
    edits: list[Edit] = []
    waiting = [tree.root]
    while waiting:
        node = waiting.pop()
        if node.type != "string":
            waiting += node.named_children
            continue
        code = tree.code(node)
        start = _START.match(code)
        outside = lines is not None and tree.line(node.start_byte) not in lines
        documents = node.parent is not None and node.parent.type == "expression_statement"
        if start is None or outside or documents or not code.isascii() or "\\x" in code:
            continue
        prefix = start[1]
        if rewrite.to == "str" and "b" in prefix.casefold():
            new = re.sub("[bB]", "", prefix)
        elif rewrite.to == "bytes" and prefix.casefold() in ("", "r"):
            new = f"b{prefix}"
        else:
            continue
        edits.append(Edit(node.start_byte, node.start_byte + len(prefix), new))
    changed = sorted({tree.line(edit.start) for edit in edits})
    return RewrittenSource(edits=tuple(sorted(edits)), lines=tuple(changed))
