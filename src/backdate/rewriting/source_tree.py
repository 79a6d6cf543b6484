"""The syntax tree of a Python file of any version, with positions in characters of its text.

tree-sitter reads Python 2 to 3.14 and goes on behind what it does not understand. It counts in bytes: it is
handed the text with an ASCII character in the place of each other one, so that bytes are characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache

import tree_sitter_python
from tree_sitter import Language, Node, Parser

from backdate.editing.encodings import line_starts
from backdate.editing.python_source import parsed_or_none

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")
_MOST_LEVELS = 150
"""Levels of a tree that is looked at: from a node to what it stands in takes as long as it is deep."""
_LEVELS_OF_A_NAME = 8
"""Levels that a single name may have for itself: a statement, an expression, a pattern."""
_COMPOUND = frozenset(
    {
        "if_statement",
        "elif_clause",
        "while_statement",
        "for_statement",
        "with_statement",
        "except_clause",
        "except_group_clause",
        "function_definition",
        "class_definition",
        "match_statement",
        "case_clause",
    }
)
_SCOPES = frozenset(
    {
        "function_definition",
        "class_definition",
        "lambda",
        "list_comprehension",
        "set_comprehension",
        "dictionary_comprehension",
        "generator_expression",
    }
)


@cache
def _parser() -> Parser:
    return Parser(Language(tree_sitter_python.language()))


@lru_cache(maxsize=8)
def source_tree(text: str) -> SourceTree:
    """The tree of ``text``; the last ones are kept, since one file is asked about many names."""
    return SourceTree(text)


class SourceTree:
    """One file's text and its tree."""

    def __init__(self, text: str) -> None:
        self.text = text
        ascii_text = text if text.isascii() else _BEYOND_ASCII.sub(_stand_in, text)
        self.root = _parser().parse(ascii_text.encode("ascii")).root_node
        self._starts = line_starts(text)
        self._identifiers: dict[str, tuple[Node, ...]] = {}

    @cached_property
    def is_python(self) -> bool:
        """Whether some version of Python would read all of it."""
        return not self.root.has_error or self.parses_here

    @cached_property
    def parses_here(self) -> bool:
        """Whether the Python that runs this reads it."""
        return parses_here(self.text)

    @cached_property
    def is_too_deep(self) -> bool:
        """Whether the tree has so many levels that working on it takes too long."""
        waiting = [(self.root, 0)]
        while waiting:
            node, level = waiting.pop()
            if level > _MOST_LEVELS:
                return True
            # each level takes a character at least: what is shorter than the levels left cannot be too deep
            shortest = _MOST_LEVELS - level - _LEVELS_OF_A_NAME
            waiting += [
                (child, level + 1) for child in node.children if child.end_byte - child.start_byte > shortest
            ]
        return False

    def code(self, node: Node) -> str:
        """The text of ``node``."""
        return self.text[node.start_byte : node.end_byte]

    def line(self, offset: int) -> int:
        """The line, from 1, of a character."""
        return bisect_right(self._starts, offset)

    def offset_of_line(self, line: int) -> int | None:
        """Where the code of a line begins, behind its blanks; None for one that is blank or not there."""
        if not 0 < line <= len(self._starts):
            return None
        start = self._starts[line - 1]
        text = self.text[start : self.line_end(start)]
        return start + len(text) - len(text.lstrip()) if text.strip() else None

    def line_start(self, offset: int) -> int:
        """The offset at which the line of a character begins."""
        return self._starts[self.line(offset) - 1]

    def line_end(self, offset: int) -> int:
        """The offset behind the line of a character, its line end included."""
        line = self.line(offset)
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def indentation(self, offset: int) -> str:
        """The blanks with which the line of a character begins."""
        start = self.line_start(offset)
        line = self.text[start : self.line_end(offset)]
        return line[: len(line) - len(line.lstrip(" \t\f"))]

    def identifiers(self, name: str) -> tuple[Node, ...]:
        """Where ``name`` stands as an identifier: not in strings or comments, nor in what cannot be read."""
        known = self._identifiers.get(name)
        if known is None:
            known = self._identifiers[name] = tuple(self._occurrences(name))
        return known

    def _occurrences(self, name: str) -> Iterator[Node]:
        if not name:
            return
        for start in _words(self.text, name):
            node = self.root.descendant_for_byte_range(start, start + len(name))
            if node is None or node.type != "identifier" or node.start_byte != start:
                continue
            if not (self.root.has_error and any(parent.is_error for parent in ancestors(node))):
                yield node

    def strings(self, text: str) -> Iterator[Node]:
        """The strings that say ``text``, a word, and nothing else."""
        for start in _words(self.text, text):
            node = self.root.descendant_for_byte_range(start, start + len(text))
            parent = None if node is None else node if node.type == "string" else node.parent
            if (
                parent is not None
                and parent.type == "string"
                and re.sub("^\\w*['\"]+|['\"]+$", "", self.code(parent)) == text
            ):
                yield parent

    def words(self, name: str) -> list[int]:
        """The offsets at which ``name`` stands as a word, strings and comments included."""
        return _words(self.text, name)

    def is_in_text(self, offset: int) -> bool:
        """Whether a character stands in a string or a comment."""
        node = self.root.descendant_for_byte_range(offset, offset + 1)
        return node is not None and node.type in ("comment", "string", "string_content", "escape_sequence")

    @cached_property
    def imports(self) -> tuple[Node, ...]:
        """All import statements but those of ``__future__``, in their order."""
        found: list[Node] = []
        for start in _words(self.text, "import"):
            node = self.root.descendant_for_byte_range(start, start + 6)
            statement = node.parent if node is not None and node.type == "import" else None
            if statement is not None and statement.type in ("import_statement", "import_from_statement"):
                found.append(statement)
        return tuple(found)

    def statement_lines(self, node: Node) -> range:
        """The lines that run with ``node``: of its simple statement, or of its part of a compound one."""
        inner = node
        while (outer := inner.parent) is not None:
            if outer.type in ("block", "module"):
                break
            if outer.type in _COMPOUND and inner.type != "block":
                return range(self.line(outer.start_byte), self.line(inner.end_byte) + 1)
            inner = outer
        return range(self.line(inner.start_byte), self.line(max(inner.end_byte - 1, inner.start_byte)) + 1)


def statement_of(node: Node) -> Node:
    """The statement, simple or compound, that ``node`` stands in."""
    inner = node
    while (outer := inner.parent) is not None and outer.type not in ("block", "module"):
        inner = outer
    return inner


def ancestors(node: Node) -> Iterator[Node]:
    """What ``node`` stands in, the innermost first."""
    outer = node.parent
    while outer is not None:
        yield outer
        outer = outer.parent


def enclosing_class(tree: SourceTree, node: Node) -> str | None:
    """The name of the class in whose body, or methods, ``node`` stands; None outside, and where code of that
    class does not reach it by its name: in a class that stands in another one."""
    classes = [one for one in ancestors(node) if one.type == "class_definition"]
    name = classes[0].child_by_field_name("name") if len(classes) == 1 else None
    return None if name is None else tree.code(name)


def is_field(parent: Node, name: str, child: Node) -> bool:
    """Whether ``child`` is a field of ``parent``."""
    return any(found == child for found in parent.children_by_field_name(name))


def scope_of(node: Node) -> Node:
    """The function, class, comprehension or module in which a name at ``node`` is looked up."""
    inner = node
    for outer in ancestors(node):
        if outer.type in ("function_definition", "class_definition", "lambda"):
            if is_field(outer, "body", inner):
                return outer
        elif outer.type in _SCOPES:
            return outer
        inner = outer
    return inner


def parses_here(text: str) -> bool:
    """Whether the Python that runs this reads ``text``."""
    return parsed_or_none(text) is not None


def _stand_in(match: re.Match[str]) -> str:
    return "x" if ("a" + match[0]).isidentifier() else "?"


def _words(text: str, name: str) -> list[int]:
    if name not in text:
        return []
    return [found.start() for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)]
