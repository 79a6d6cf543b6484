"""What a project uses of objects whose classes its source does not tell, as a traced run saw them.

``frame.append(row)`` says nothing of ``frame``. The tracer of the old side is asked for its class at
that line (``objects_to_watch``), and the attribute is then a use of ``pandas.core.frame.DataFrame.append``.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.editing.python_source import parsed_or_none
from backdate.testing.tracing import SeenObject

_MOST_IN_FILE = 5_000
_MOST_PARTS = 3
_OWN = frozenset({"self", "cls"})
_OPERATORS: dict[type[ast.operator], str] = {ast.BitAnd: "__and__", ast.BitOr: "__or__"}
_PLAIN = ("builtins.", "__builtin__.")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectUse:
    """An attribute of what an expression stands for, read or set."""

    expression: str
    """A name, or attributes of one: "frame", "self.data"; "" for all else, whose class a call alone tells."""
    attribute: str
    statement: int
    """The first line of its statement, at which the interpreter stands before it runs."""
    first: int
    """The first line of the object."""
    line: int
    keywords: tuple[str, ...] = ()
    """Keyword arguments that it is called with."""

    @property
    def told_as(self) -> tuple[str, ...]:
        """How a trace tells its object's class: by what stands for it, and by a call of the attribute."""
        return tuple(filter(None, (self.expression, f".{self.attribute}")))


@functools.lru_cache(maxsize=512)
def object_uses(text: str) -> tuple[ObjectUse, ...]:
    """The attributes of objects that a file uses; none of what this interpreter cannot parse."""
    tree = parsed_or_none(text)
    if tree is None:
        return ()
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    found: dict[ObjectUse, None] = {}
    for statement in _statements(tree):
        for operation in _operations(statement):
            use = ObjectUse(
                expression=_expression_of(operation.left),
                attribute=_OPERATORS[type(operation.op)],
                statement=statement.lineno,
                first=operation.lineno,
                line=operation.left.end_lineno or operation.lineno,
            )
            found[use] = None
        for node, keywords in _attributes(statement):
            expression = _expression_of(node.value)
            if expression.partition(".")[0] not in imported:
                use = ObjectUse(
                    expression=expression,
                    attribute=node.attr,
                    statement=statement.lineno,
                    first=node.lineno,
                    line=node.end_lineno or node.lineno,
                    keywords=keywords,
                )
                found[use] = None
        if len(found) >= _MOST_IN_FILE:
            break
    return tuple(found)


def _statements(tree: ast.AST) -> Iterator[ast.stmt]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.stmt))


def _attributes(statement: ast.stmt) -> Iterator[tuple[ast.Attribute, tuple[str, ...]]]:
    """The attributes in a statement itself, not in those that it holds; with the keywords of their calls."""
    called: dict[int, tuple[str, ...]] = {}
    for node in _own_nodes(statement):
        if isinstance(node, ast.Call):
            called[id(node.func)] = tuple(keyword.arg for keyword in node.keywords if keyword.arg)
        if isinstance(node, ast.Attribute) and (isinstance(node.ctx, ast.Load) or _is_set(node, statement)):
            yield node, called.get(id(node), ())


def _operations(statement: ast.stmt) -> Iterator[ast.BinOp]:
    """The operators in a statement that are methods of their left side, where all of a kind are one chain.

    An edit takes all of its kind on a line: ``a & b`` of two sets of labels beside one of two masks is none.
    """
    own = [node for node in _own_nodes(statement) if isinstance(node, ast.BinOp)]
    for kind in _OPERATORS:
        alike = [node for node in own if isinstance(node.op, kind)]
        chain: list[ast.expr] = list(alike[:1])
        while chain and isinstance(chain[-1], ast.BinOp):
            chain.append(chain[-1].left)
        if all(any(node is one for one in chain) for node in alike):
            yield from alike


def _own_nodes(statement: ast.stmt) -> Iterator[ast.AST]:
    """A statement and what is in it, without the statements that it holds; outer nodes before inner ones."""
    open_nodes: list[ast.AST] = [statement]
    while open_nodes:
        node = open_nodes.pop()
        yield node
        open_nodes += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _is_set(node: ast.Attribute, statement: ast.stmt) -> bool:
    """Whether a statement does nothing but set an attribute: of an object, and not of the method's own."""
    own = isinstance(node.value, ast.Name) and node.value.id in _OWN
    return isinstance(statement, ast.Assign) and statement.targets == [node] and not own


def _expression_of(node: ast.expr) -> str:
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < _MOST_PARTS:
        parts.append(node.attr)
        node = node.value
    return ".".join((node.id, *reversed(parts))) if isinstance(node, ast.Name) else ""


def objects_to_watch(texts: Mapping[str, str]) -> dict[str, dict[int, tuple[str, ...]]]:
    """By file and line, the expressions whose classes the tracer is asked for."""
    watched: dict[str, dict[int, tuple[str, ...]]] = {}
    for file, text in texts.items():
        lines: dict[int, dict[str, None]] = {}
        for use in object_uses(text):
            for line in {use.statement, use.line} if use.expression else ():
                lines.setdefault(line, {})[use.expression] = None
        if lines:
            watched[file] = {line: tuple(expressions) for line, expressions in lines.items()}
    return watched


def members_to_watch(texts: Mapping[str, str]) -> dict[str, dict[int, tuple[str, ...]]]:
    """By file and line, the expressions with the attribute that is used of them."""
    watched: dict[str, dict[int, dict[str, None]]] = {}
    for file, text in texts.items():
        for use in object_uses(text):
            for line in {use.statement, use.line} if use.expression else ():
                of_line = watched.setdefault(file, {}).setdefault(line, {})
                of_line[f"{use.expression}.{use.attribute}"] = None
    return {file: {line: tuple(names) for line, names in lines.items()} for file, lines in watched.items()}


def calls_to_watch(texts: Mapping[str, str]) -> dict[str, dict[int, tuple[str, ...]]]:
    """By file and line, the attributes of objects whose calls the tracer is asked for.

    Which line of a statement calls, interpreters tell otherwise: from its first one to the attribute's.
    """
    watched: dict[str, dict[int, tuple[str, ...]]] = {}
    for file, text in texts.items():
        lines: dict[int, dict[str, None]] = {}
        for use in object_uses(text):
            for line in {use.statement, use.first, use.line}:
                lines.setdefault(line, {})[use.attribute] = None
        if lines:
            watched[file] = {line: tuple(names) for line, names in lines.items()}
    return watched


def record_objects(uses: ProjectUses, texts: Mapping[str, str], seen: Iterable[SeenObject]) -> None:
    """Add to ``uses`` what the files use of the objects in ``seen``, whose lines are those of ``texts``.

    Of an object whose class is the project's, what it has from a library is a use of the library's class.
    """
    classes: dict[str, dict[tuple[int, str, str], set[str]]] = {}
    for one in seen:
        if not one.class_name.startswith(_PLAIN) and "<" not in one.class_name:
            key = (one.line, one.expression, one.member)
            classes.setdefault(one.file, {}).setdefault(key, set()).add(one.class_name)
    for file, of_file in classes.items():
        for use in object_uses(texts.get(file, "")):
            members = ("", use.attribute)
            at = {
                (line, what, member)
                for line in (use.statement, use.line)
                for what in use.told_as
                for member in members
            }
            at.add((use.first, f".{use.attribute}", ""))
            for class_name in sorted(set().union(*(of_file.get(key, ()) for key in at))):
                place = SourcePlace(file=file, line=use.line)
                recorded = uses.record(f"{class_name}.{use.attribute}", place, of_object=True)
                if recorded is not None:
                    for keyword in use.keywords:
                        recorded.keywords.setdefault(keyword, {})[place] = None
