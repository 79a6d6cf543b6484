"""Expressions with placeholders, filled with the code of a use, and with parentheses where needed."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from tree_sitter import Node

from backdate.editing.spans import Edit, apply_edits
from backdate.rewriting.source_tree import SourceTree, enclosing_class, is_field, parses_here

PLACEHOLDER = "_placeholder_of_a_template_"
"""How names begin that stand for what a use gives, while a template is read as Python."""
_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_STATEMENT_WORDS = ("raise ", "return ")
_NAME = re.compile(PLACEHOLDER + r"(\w+?)_\b")
_PRIMARY = frozenset(
    {
        "identifier",
        "attribute",
        "call",
        "subscript",
        "parenthesized_expression",
        "list",
        "dictionary",
        "set",
        "string",
        "list_comprehension",
        "set_comprehension",
        "dictionary_comprehension",
        "generator_expression",
        "true",
        "false",
        "none",
        "ellipsis",
    }
)
_ENCLOSED = frozenset(
    {
        "argument_list",
        "parenthesized_expression",
        "list",
        "set",
        "pair",
        "keyword_argument",
        "interpolation",
    }
)
_KEPT_IN_PARENTHESES = frozenset({"named_expression", "yield", "comment"})
_STATEMENTS = frozenset(
    {
        "expression_statement",
        "assignment",
        "augmented_assignment",
        "return_statement",
        "assert_statement",
        "if_statement",
        "elif_clause",
        "while_statement",
        "decorator",
        "module",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """The code of one thing that a use gives."""

    code: str
    is_primary: bool
    """Whether it can stand before a dot or an operator without parentheses."""
    bare: str = ""
    """Without its own parentheses, where it needs none as an argument; "" for what has none to lose."""
    sole: str = ""
    """What stands where it is the only argument: a generator without them, arguments as laid out."""
    again: str = ""
    """What stands where the template has it once more; "" for the same code."""
    items: str = ""
    """What is between the brackets of a list or tuple; "" for anything else, and where a comment is there."""

    @property
    def is_empty(self) -> bool:
        """Whether it is a list or a tuple of nothing."""
        return "".join(self.code.split()) in ("[]", "()")


@lru_cache(maxsize=256)
def placeholders_of(template: str) -> tuple[str, ...]:
    """The placeholders of a template, in their order, each as often as it stands there."""
    return tuple(_PLACEHOLDER.findall(template))


def is_template(template: str) -> bool:
    """Whether a template is an expression of Python; all else that is given may stand behind keywords."""
    plain, last = as_python(template), as_python(template.replace("{args}", "**{args}"))
    return "\n" not in plain and any(parses_here(f"({text})") for text in (plain, last))


def statement_parts(template: str) -> tuple[str, str]:
    """The keyword of a template that is a statement, with its blank, and the expression behind it."""
    keyword = next((word for word in _STATEMENT_WORDS if template.startswith(word)), "")
    return keyword, template.removeprefix(keyword)


def as_python(template: str) -> str:
    """A template with a name for each placeholder."""
    return _PLACEHOLDER.sub(lambda found: f"{PLACEHOLDER}{found[1]}_", template)


def given_around(
    tree: SourceTree, use: Node, wanted: Collection[str], defaults: Mapping[str, str]
) -> dict[str, Given] | None:
    """What stands for ``wanted`` placeholders without the use itself: defaults, and ``class``, which the use
    stands in. None where it stands in none that can be named there."""
    given = {
        name: Given(code=code, is_primary=code.replace(".", "").isidentifier())
        for name, code in defaults.items()
        if name in wanted
    }
    if "class" in wanted:
        name = enclosing_class(tree, use)
        if name is None:
            return None
        given["class"] = Given(code=name, is_primary=True)
    return given


def given_by(tree: SourceTree, node: Node, code: str = "") -> Given:
    """What an expression of the file gives; ``code`` where edits were made in it."""
    code = code or tree.code(node)
    inside = node.named_child(0) if node.type == "parenthesized_expression" else None
    alone = inside is not None and node.named_child_count == 1 and inside.type not in _KEPT_IN_PARENTHESES
    is_generator = node.type == "generator_expression" and code[:1] == "("
    kind = node.type if code == tree.code(node) else _root(SourceTree(code)).type
    return Given(
        code=code,
        is_primary=node.type in _PRIMARY or kind in _PRIMARY,
        bare=code[1:-1].strip() if alone else "",
        sole=code[1:-1].strip() if is_generator else "",
        items=_items_of(node, code),
    )


def _items_of(node: Node, code: str) -> str:
    if node.type not in ("list", "tuple") or any(child.type == "comment" for child in node.children):
        return ""
    return code[1:-1].strip().removesuffix(",").rstrip()


def unpacked_items(tree: SourceTree, argument: Node, first: int, wanted: Collection[str]) -> dict[str, Given]:
    """The ``wanted`` positions from ``first`` on as items of what is unpacked: ``*info`` as ``info[1]``.

    Nothing where that is no plain name: it may be of any length, or be computed anew for each item.
    """
    inner = argument.named_child(0) if argument.type == "list_splat" else None
    if inner is None or inner.type not in ("identifier", "attribute"):
        return {}
    places = (int(name) for name in wanted if name.isdecimal())
    items = {place: f"{tree.code(inner)}[{place - first}]" for place in places if place >= first}
    return {str(place): Given(code=code, is_primary=True) for place, code in items.items()}


def fill(python: str, given: Mapping[str, Given], *, use: Node) -> str | None:
    """The template (``as_python``) with what is ``given``, as code in the place of ``use``.

    ``args`` may be empty: the comma before it goes as well, or that behind it where it is the first. None
    where a placeholder has nothing.
    """
    tree = SourceTree(python)
    edits: list[Edit] = []
    root_given: Given | None = None
    stood: set[str] = set()
    is_dropped = False
    for match in _NAME.finditer(python):
        node = tree.root.descendant_for_byte_range(*match.span())
        value = given.get(match[1])
        if value is None or node is None:
            return None
        if value.again and match[1] in stood:
            value = Given(code=value.again, is_primary=True)
        stood.add(match[1])
        parent = node.parent
        if not value.code:
            edits.append(_without(python, match.start(), match.end()))
            continue
        if parent is not None and value.is_empty and not is_dropped and _is_one_of_several(parent):
            edits.append(_without(python, parent.start_byte, match.end()))
            is_dropped = True
            continue
        if parent is not None and (written_out := _written_out(tree, parent, value)) is not None:
            edits.append(written_out)
            continue
        if parent is not None and parent.type == "list_splat" and value.items:
            edits.append(Edit(parent.start_byte, match.end(), value.items))
            continue
        is_all = parent is None or parent.type == "expression_statement"
        if is_all:
            root_given = value
        stands_alone = _is_enclosed(node) or (is_all and (_is_enclosed(use) or _is_of_statement(use)))
        needs = not value.is_primary and not stands_alone
        is_argument = parent is not None and parent.type == "argument_list"
        code = value.bare if value.bare and is_argument else value.code
        if value.sole and parent is not None and is_argument and parent.named_child_count == 1:
            code = value.sole
        edits.append(Edit(match.start(), match.end(), f"({code})" if needs else code))
    text = apply_edits(python, edits)
    root = _root(tree)
    is_primary = root_given.is_primary if root_given is not None else root.type in _PRIMARY
    if root_given is not None and not is_primary:
        return text  # it has its parentheses
    return text if is_primary or _is_enclosed(use) or _is_of_statement(use) else f"({text})"


def _written_out(tree: SourceTree, clause: Node, value: Given) -> Edit | None:
    """``[f(one) for one in [a, b]]`` as ``[f(a), f(b)]``; None where the list is not written out itself."""
    outer, loop = clause.parent, clause.child_by_field_name("left")
    body = outer.child_by_field_name("body") if outer is not None else None
    if clause.type != "for_in_clause" or outer is None or body is None or loop is None:
        return None
    inside = SourceTree(value.code) if value.items else None
    items = _root(inside).named_children if inside is not None else []
    places = [node for node in tree.identifiers(tree.code(loop)) if node.parent != clause]
    as_arguments = all(node.parent is not None and node.parent.type == "argument_list" for node in places)
    is_whole = outer.type == "list_comprehension" and outer.named_child_count == 2
    if PLACEHOLDER in tree.code(body):
        return None  # which has an edit of its own
    if inside is None or not (is_whole and as_arguments) or any(one.type == "list_splat" for one in items):
        return None
    begin = body.start_byte
    written = [
        apply_edits(
            tree.code(body),
            [Edit(node.start_byte - begin, node.end_byte - begin, inside.code(item)) for node in places],
        )
        for item in items
    ]
    return Edit(outer.start_byte, outer.end_byte, f"[{', '.join(written)}]")


def _is_one_of_several(splat: Node) -> bool:
    """Whether a node is ``*args`` of a call with other arguments."""
    outer = splat.parent
    return splat.type == "list_splat" and outer is not None and outer.named_child_count > 1


def _without(python: str, start: int, end: int) -> Edit:
    """The edit that takes an argument out of a template, with the comma before it, or behind the first."""
    before = python[:start].rstrip()
    following = re.match(r"\s*,\s*", python[end:])
    is_first = not before.endswith(",") and following is not None
    last = end + (following.end() if is_first and following else 0)
    return Edit(len(before.removesuffix(",")), last, "")


def _is_enclosed(node: Node) -> bool:
    """Whether brackets around ``node`` keep it together."""
    parent = node.parent
    if parent is None:
        return False
    if parent.type == "subscript":
        return not is_field(parent, "value", node)
    return parent.type in _ENCLOSED


def _is_of_statement(node: Node) -> bool:
    """Whether ``node`` is all that a statement has there."""
    parent = node.parent
    return parent is not None and parent.type in _STATEMENTS


def _root(tree: SourceTree) -> Node:
    """The expression that a template is."""
    node = tree.root
    while node.type in ("module", "expression_statement") and node.named_child_count == 1:
        child = node.named_child(0)
        if child is None:
            break
        node = child
    return node
