"""Edits of the arguments of calls: commas, layout and comments stay as a person would leave them."""

from __future__ import annotations

import re

from tree_sitter import Node

from backdate.editing.encodings import DecodedText
from backdate.editing.spans import Edit
from backdate.rewriting.calls import FunctionCall
from backdate.rewriting.source_tree import SourceTree

NEGATED = "not {value}"
"""What an argument is given in the place of one that means the contrary."""
_COUNTED = re.compile(r"'([^'%\\]*)%d([^'%\\]*)' % \{value\}")
_SIMPLE = re.compile(r"[A-Za-z_][\w.]*")
_PLAIN_TEXT = re.compile(r"(['\"])([^'\"\\\n]*)\1\Z")


def keyword_of(tree: SourceTree, call: FunctionCall, name: str) -> Node | None:
    """The argument that a call gives by this keyword."""
    for argument in call.given:
        if argument.type == "keyword_argument" and argument_name(tree, argument) == name:
            return argument
    return None


def argument_name(tree: SourceTree, argument: Node) -> str:
    """The keyword of a keyword argument; "" of any other."""
    name = argument.child_by_field_name("name")
    return tree.code(name) if argument.type == "keyword_argument" and name is not None else ""


def argument_value(argument: Node) -> Node:
    """The expression that an argument gives."""
    value = argument.child_by_field_name("value") if argument.type == "keyword_argument" else None
    return value or argument


def one_item(wanted: str, value: Node) -> tuple[str, Node] | None:
    """The placeholder of "[{key}]", and the item of a list of one; None for all else."""
    placeholder = re.fullmatch(r"\[\{(\w+)\}\]", wanted)
    if placeholder is None or value.type != "list" or value.named_child_count != 1:
        return None
    item = value.named_children[0]
    return None if item.type in ("list_splat", "comment") else (placeholder[1], item)


def remove_argument(tree: SourceTree, call: FunctionCall, argument: Node) -> Edit:
    """The edit that takes an argument out with its comma; with its lines where it alone stands on them."""
    index = call.given.index(argument)
    start, end = argument.start_byte, argument.end_byte
    following = call.given[index + 1] if index + 1 < len(call.given) else None
    line_start, line_end = tree.line_start(start), tree.line_end(end)
    before, behind = tree.text[line_start:start], tree.text[end:line_end]
    if not before.strip() and behind.strip() in (",", ""):
        return Edit(line_start, line_end, "")
    if following is not None:
        if tree.line(following.start_byte) == tree.line(end):
            return Edit(start, following.start_byte, "")
        if index and not _comment_between(call, call.given[index - 1].end_byte, start):
            # the comma behind it stays, with the line break; the one before it goes
            return Edit(call.given[index - 1].end_byte, end, "")
        comma = tree.text.find(",", end, following.start_byte)
        behind = tree.text[comma + 1 : line_end]
        return Edit(start, comma + 1 + len(behind) - len(behind.lstrip(" \t")), "")
    if index:
        previous = call.given[index - 1].end_byte
        if not _comment_between(call, previous, start):
            return Edit(previous, end, "")
    if not call.is_whole:  # behind the function itself, or ``self``, which the comma follows
        first = [
            one for one in call.arguments.named_children if one.end_byte <= start and one.type != "comment"
        ]
        if first and not _comment_between(call, first[-1].end_byte, start):
            return Edit(first[-1].end_byte, end, "")
    comma = _behind_comma(tree, end)
    rest = tree.text[comma : tree.line_end(comma)]
    return Edit(start, comma + (len(rest) - len(rest.lstrip(" \t")) if index else 0), "")


def append_argument(tree: SourceTree, call: FunctionCall, text: str) -> Edit:
    """The edit that adds ``text`` as the last one, before ``**kwargs``; on its own line where all are."""
    opening = call.arguments.start_byte
    if not call.given and not call.is_whole:  # behind the function itself, or ``self``
        before = [one for one in call.arguments.named_children if one.type != "comment"][-1].end_byte
        return Edit(before, before, f", {text}")
    if not call.given:
        return Edit(opening + 1, opening + 1, text)
    last = call.given[-1]
    if last.type == "dictionary_splat":
        return Edit(last.start_byte, last.start_byte, f"{text}, ")
    if call.arguments.type == "generator_expression":
        return Edit(opening, call.arguments.end_byte, f"({tree.code(call.arguments)}, {text})")
    comma = _behind_comma(tree, last.end_byte)
    own_line = not tree.text[tree.line_start(last.start_byte) : last.start_byte].strip()
    if comma != last.end_byte and own_line and not tree.text[comma : tree.line_end(comma)].strip():
        newline = DecodedText(content=tree.text, encoding="utf-8").newline
        return Edit(comma, comma, f"{newline}{tree.indentation(last.start_byte)}{text},")
    return Edit(last.end_byte, last.end_byte, f", {text}")


def _behind_comma(tree: SourceTree, offset: int) -> int:
    """The offset behind the comma that follows, or ``offset`` where none does."""
    rest = tree.text[offset : offset + 200]
    blanks = len(rest) - len(rest.lstrip())
    return offset + blanks + 1 if rest[blanks : blanks + 1] == "," else offset


def _comment_between(call: FunctionCall, start: int, end: int) -> bool:
    return any(
        child.type == "comment" and start <= child.start_byte < end for child in call.arguments.children
    )


def same_code(one: str, other: str) -> bool:
    """Whether two expressions differ in nothing but layout and quotes."""
    return _plain(one) == _plain(other)


def value_made_of(template: str, code: str) -> str:
    """``template`` with ``code`` for ``{value}``, in the quotes of ``code`` where both are plain texts.

    >>> value_made_of("'%dh' % {value}", "start"), value_made_of("'%dh' % {value}", "6")
    ("'%dh' % start", "'6h'")
    >>> value_made_of("'%dh' % {value}", "a + b")
    "'%dh' % (a + b)"
    >>> value_made_of(NEGATED, "True"), value_made_of(NEGATED, "a"), value_made_of(NEGATED, "a or b")
    ('False', 'not a', 'not (a or b)')
    """
    if template == NEGATED:
        written = code if _SIMPLE.fullmatch(code) else f"({code})"
        return {"True": "False", "False": "True"}.get(code, f"not {written}")
    counted = _COUNTED.fullmatch(template)
    if counted is not None:
        if code.isdecimal():
            return f"'{counted[1]}{code}{counted[2]}'"
        code = code if _SIMPLE.fullmatch(code) else f"({code})"
    return quoted_alike(template.replace("{value}", code), code)


def quoted_alike(new: str, old: str) -> str:
    """``new`` in the quotes of ``old``, where both are plain texts and it has none of its own."""
    wanted, found = _PLAIN_TEXT.match(old), _PLAIN_TEXT.match(new)
    return f"{wanted[1]}{found[2]}{wanted[1]}" if wanted and found else new


def _plain(code: str) -> str:
    """An expression without what its layout and its quotes add."""
    return "".join(code.split()).replace("'", '"')
