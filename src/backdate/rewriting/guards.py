"""Whether code around a use is ready for the name to be gone, so that nothing has to be changed."""

from __future__ import annotations

import re

from tree_sitter import Node

from backdate.rewriting.source_tree import SourceTree, ancestors

_RELEASE_QUESTION = re.compile(r"hasattr|version|VERSION|\bPY_?[23]|\bpy[23]|TYPE_CHECKING|\bHAS_")
_ABSENCE = re.compile(
    r"\b(?:ImportError|ModuleNotFoundError|AttributeError|NameError|Exception|BaseException)\b"
)
_OF_ATTRIBUTES = re.compile(r"\bAttributeError\b")
_IMPORTED_FROM = re.compile(r"\bfrom\s+[\w.]+\s+import\b")


def is_guarded(tree: SourceTree, node: Node, old: str, new: str, *, anywhere: bool, local: str = "") -> bool:
    """Whether the code at ``node`` is ready for both: what runs in its place uses ``new`` already.

    ``anywhere``: nobody saw that it runs, so a handler or a question about the release is enough. ``local``:
    the name that an import binds; a handler that binds it to something is ready as well.
    """
    inner = node
    for outer in ancestors(node):
        if outer.type in ("function_definition", "class_definition"):
            return False
        ready = False
        if outer.type == "try_statement":
            ready = inner.type in ("block", "except_clause") and _of_try(
                tree, outer, inner, old, new, local=local, anywhere=anywhere
            )
        elif outer.type in ("if_statement", "conditional_expression", "boolean_operator"):
            ready = _of_condition(tree, outer, inner, old, new, anywhere=anywhere)
        if ready:
            return True
        inner = outer
    return False


def _of_try(
    tree: SourceTree, statement: Node, part: Node, old: str, new: str, *, local: str, anywhere: bool
) -> bool:
    handlers = [
        child
        for child in statement.children
        if child.type == "except_clause" and _catches_absence(tree, child)
    ]
    if not handlers:
        return False
    if part.type == "except_clause":
        body = statement.child_by_field_name("body")
        return anywhere or (body is not None and _mentions(tree.code(body), old, new))
    if anywhere:
        return True
    for handler in handlers:
        text = tree.code(handler)
        if _mentions(text, old, new) or (not local and _OF_ATTRIBUTES.search(text.partition(":")[0])):
            return True
        if local and re.search(
            rf"(?:import|as)\s+{re.escape(local)}\b|\b{re.escape(local)}\s*=(?!\s*(?:None|False)\b)", text
        ):
            return True
    return False


def _of_condition(
    tree: SourceTree, statement: Node, part: Node, old: str, new: str, *, anywhere: bool
) -> bool:
    text = tree.code(statement)
    condition = statement.child_by_field_name("condition")
    question = tree.code(condition) if condition is not None else text
    if condition == part or not _RELEASE_QUESTION.search(question):
        return False
    leaf = re.escape(old.rpartition(".")[2])
    if re.search(rf"""hasattr\s*\([^)]*["']{leaf}["']""", question):
        return True
    others = text[: part.start_byte - statement.start_byte] + text[part.end_byte - statement.start_byte :]
    return anywhere or _mentions(others, old, new)


def _catches_absence(tree: SourceTree, handler: Node) -> bool:
    head = tree.code(handler).partition(":")[0]
    return head.strip() == "except" or bool(_ABSENCE.search(head))


def _mentions(text: str, old: str, new: str) -> bool:
    """Whether ``text`` uses what takes the place: its own name, or where that is the same, its module.

    A module that is called as the name is another thing: Python 2's ``ConfigParser`` has no ``ConfigParser``.
    """
    module, _, leaf = new.rpartition(".")
    if not new:
        return False
    if leaf == old.rpartition(".")[2] and module:
        wanted = module
    else:
        wanted, text = leaf, _IMPORTED_FROM.sub("", text)
    return bool(re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text))
