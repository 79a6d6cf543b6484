"""Attributes of mapped classes that queries of SQLAlchemy took by their names, and 2.0 takes themselves."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from backdate.advice import AdviceEvidence, EvidenceKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import function_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of, span_of

_BY_NAME = re.compile(
    r"Strings are not accepted for attribute names in loader options|"
    r"ORM relationship attribute expected, got '\w{1,100}'"
)
_LEADING_ON = frozenset(
    (
        *("joinedload", "subqueryload", "selectinload", "lazyload", "immediateload", "noload", "raiseload"),
        *("contains_eager", "defaultload"),
    )
)
"""Options that are of another class behind them."""
_OPTIONS = _LEADING_ON | {"defer", "undefer", "load_only"}
_JOINS = frozenset({"join", "outerjoin"})
_MOST_HANDS = 2
"""Variables that a query goes through."""
_SAID = "an attribute of the class takes the place of its name"
_SOURCE = "https://docs.sqlalchemy.org/en/20/changelog/migration_20.html#migration-20-query-join-strings"


def attribute_targets(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``joinedload(User.addresses)`` for ``joinedload("addresses")`` in a query of a class, and so for joins.

    All failing statements at once. None for another error, and where the class is not told there.
    """
    if _BY_NAME.search(group.cause.message[:1000]) is None:
        return None
    edits: dict[str, set[Edit]] = {}
    related = dict(_relationships(evidence.texts))
    for place in group.raised_at or group.places[:1]:
        for edit in _edits(evidence.texts.get(place.file, ""), place.line, related):
            edits.setdefault(place.file, set()).add(edit)
    if not edits:
        return None
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="sqlalchemy",
        file_edits=edited_files(evidence.texts, edits),
        edits_key=f"names of attributes in {', '.join(edits)}",
        places=group.raised_at,
        why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=_SAID, since="2.0", source=_SOURCE),),
    )


def _relationships(texts: Mapping[str, str]) -> Iterator[tuple[tuple[str, str], str]]:
    """The class that a relationship leads to, by the class that has it and its name."""
    for text in texts.values():
        tree = parsed_or_none(text) if "relationship(" in text else None
        for owner in ast.walk(tree) if tree is not None else ():
            if isinstance(owner, ast.ClassDef):
                yield from (((owner.name, name), target) for name, target in _led_to(owner))


def _led_to(owner: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The relationships of a class, each with the class that it leads to."""
    for node in owner.body:
        value = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(value, ast.Call) or leaf_of(value.func) != "relationship" or not value.args:
            continue
        target = value.args[0]
        name = target.value if isinstance(target, ast.Constant) else leaf_of(target)
        for bound in node.targets if isinstance(node, ast.Assign) else ():
            if isinstance(bound, ast.Name) and isinstance(name, str):
                yield bound.id, name.rpartition(".")[2]


def _edits(text: str, line: int, related: Mapping[tuple[str, str], str]) -> Iterator[Edit]:
    tree = parsed_or_none(text)
    if tree is None:
        return
    source = SourceText(text)
    scope = function_around(tree, line)
    names = _AttributeNames(related=related, bound=_bound(tree))
    for literal, written in _names_on(scope, line, names):
        yield Edit(*span_of(literal, source), written)


def _bound(tree: ast.AST) -> frozenset[str]:
    """The names that a file imports, or defines as classes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.update((one.asname or one.name).partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ClassDef):
            found.add(node.name)
    return frozenset(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class _AttributeNames:
    """How attributes are written in one file."""

    related: Mapping[tuple[str, str], str]
    bound: frozenset[str]

    def written(self, path: str, owner: str, option: str) -> tuple[str, str]:
        """The attribute ``path`` of ``owner``, with further options for its further parts, and the class that
        it leads to."""
        text = ""
        for number, name in enumerate(path.split(".")):
            attribute = f"{owner}.{name}"
            text += f").{option}({attribute}" if number else attribute
            if option in _LEADING_ON:
                target = self.related.get((owner.rpartition(".")[2], name), "")
                owner = target if target in self.bound else f"{attribute}.property.mapper.class_"
        return text, owner


def _names_on(scope: ast.AST, line: int, names: _AttributeNames) -> Iterator[tuple[ast.expr, str]]:
    """The names of attributes in queries on a line, each with what takes its place."""
    for node in ast.walk(scope):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        if not node.lineno <= line <= (node.end_lineno or node.lineno):
            continue
        owner = _queried(node.func.value, scope, _class_of)
        if node.func.attr in _JOINS and owner:
            yield from ((one, f"{owner}.{name}") for one, name in _literals(node.args[:1]))
        for option in node.args if node.func.attr == "options" and owner else ():
            yield from _of_option(option, owner, names)
        yield from _of_variables(node, node.func.attr, _queried(node.func.value, scope, _entity_of))


def _of_variables(call: ast.Call, method: str, owner: str) -> Iterator[tuple[ast.expr, str]]:
    """The same of names that are in variables: ``getattr(User, name)``, of whatever is queried."""
    if method in _JOINS:
        given = call.args[:1]
    else:
        options = [one for one in call.args if isinstance(one, ast.Call) and leaf_of(one.func) in _OPTIONS]
        given = [one for option in options for one in option.args if method == "options"]
    for one in given if owner else ():
        if isinstance(one, ast.Name | ast.Subscript) and not leaf_of(one)[:1].isupper():
            yield one, f"getattr({owner}, {ast.unparse(one)})"


def _of_option(option: ast.expr, owner: str, names: _AttributeNames) -> Iterator[tuple[ast.Constant, str]]:
    """The same of one option, and of what follows it: of the class behind its attribute."""
    chain: list[ast.Call] = []
    while isinstance(option, ast.Call):
        chain.insert(0, option)
        option = option.func.value if isinstance(option.func, ast.Attribute) else option.func
    for call in chain:
        name = leaf_of(call.func)
        given = list(_literals(call.args))
        if name not in _OPTIONS or (not given and call is not chain[-1]):
            return
        of = owner
        for literal, path in given:
            text, owner = names.written(path, of, name)
            yield literal, text


def _literals(nodes: list[ast.expr]) -> Iterator[tuple[ast.Constant, str]]:
    for node in nodes:
        value = node.value if isinstance(node, ast.Constant) else None
        if (
            isinstance(node, ast.Constant)
            and isinstance(value, str)
            and value.replace(".", "").isidentifier()
        ):
            yield node, value


def _queried(node: ast.expr, scope: ast.AST, read: Callable[[ast.expr], str], depth: int = 0) -> str:
    """What ``read`` makes of what a chain of calls queries: of its ``query(User)``, or ``User.query``."""
    while True:
        if isinstance(node, ast.Call):
            if leaf_of(node.func) in ("query", "select") and node.args:
                return read(node.args[0])
            node = node.func
        elif isinstance(node, ast.Attribute):
            if node.attr == "query":
                return read(node.value)
            node = node.value
        else:
            break
    if not isinstance(node, ast.Name) or depth > _MOST_HANDS:
        return ""
    assigned = [
        one.value
        for one in ast.walk(scope)
        if isinstance(one, ast.Assign) and any(leaf_of(target) == node.id for target in one.targets)
    ]
    found = {_queried(value, scope, read, depth + 1) for value in assigned} - {""}
    return found.pop() if len(found) == 1 else ""


def _entity_of(node: ast.expr) -> str:
    """What is queried as it is written, ``self.model``; "" for what is more than a name."""
    root = node
    while isinstance(root, ast.Attribute):
        root = root.value
    return _class_of(node) or (ast.unparse(node) if isinstance(root, ast.Name) else "")


def _class_of(node: ast.expr) -> str:
    """``models.User`` of itself and of ``models.User.id``; "" for what is not written as a class."""
    while isinstance(node, ast.Attribute) and not node.attr[:1].isupper():
        node = node.value
    is_class = isinstance(node, ast.Name | ast.Attribute) and leaf_of(node)[:1].isupper()
    return ast.unparse(node) if is_class else ""
