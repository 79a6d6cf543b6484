"""Attributes that loader options of SQLAlchemy are given as texts: by their classes since 2.0.

``query(Gig).options(joinedload("entries"))`` is ``joinedload(Gig.entries)``, where the query says of what.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of, span_of

_REFUSED = re.compile(r"Strings are not accepted for attribute names in loader options")
_SAID = "loader options take attributes of classes, and no texts"
_SOURCE = "https://docs.sqlalchemy.org/en/20/changelog/migration_20.html#orm-query-joining-loading-on-relationships-uses-attributes-not-strings"
_RELATED = frozenset(
    ("joinedload", "subqueryload", "selectinload", "lazyload", "immediateload", "noload", "raiseload")
)
_LOADERS = _RELATED | {"contains_eager", "defaultload", "defer", "undefer", "load_only"}


def loader_options(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The options of all queries in the failing file; None for another error, or where no query tells."""
    place = next(iter(group.places), None)
    if place is None or _REFUSED.search(group.cause.message) is None or place.file in evidence.kept_files:
        return None
    related = dict(_relationships(evidence.texts))
    text = evidence.texts.get(place.file, "")
    made = list(_edits(text, related))
    if not made:
        return None
    why = AdviceEvidence(kind=EvidenceKind.KNOWN, text=_SAID, since="2.0", source=_SOURCE)
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="sqlalchemy",
        file_edits=edited_files(evidence.texts, {place.file: [edit for _, edit in made]}),
        edits_key=f"loader options in {place.file}",
        places=tuple(SourcePlace(file=place.file, line=line) for line in sorted({line for line, _ in made})),
        why=(why,),
    )


def _relationships(texts: Mapping[str, str]) -> Iterator[tuple[tuple[str, str], str]]:
    """The class that a relationship leads to, by the class that has it and its name."""
    for text in texts.values():
        tree = parsed_or_none(text) if "relationship(" in text else None
        for owner in ast.walk(tree) if tree is not None else ():
            for node in owner.body if isinstance(owner, ast.ClassDef) else ():
                if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
                    continue
                if leaf_of(node.value.func) != "relationship" or not node.value.args:
                    continue
                target = node.value.args[0]
                name = target.value if isinstance(target, ast.Constant) else leaf_of(target)
                for bound in node.targets:
                    if isinstance(bound, ast.Name) and isinstance(name, str):
                        yield (owner.name, bound.id), name.rpartition(".")[2]


def _edits(text: str, related: Mapping[tuple[str, str], str]) -> Iterator[tuple[int, Edit]]:
    tree = parsed_or_none(text)
    if tree is None:
        return
    source, names = SourceText(text), _bound(tree)
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or leaf_of(node.func) != "options":
            continue
        entity = _entity(node)
        for option in node.args if entity is not None else ():
            options = [one for one in ast.walk(option) if isinstance(one, ast.Call)]
            of = entity
            for call in reversed(options):  # the first of a chain is the innermost
                loader = leaf_of(call.func)
                given = [one for one in call.args if isinstance(one, ast.Constant)]
                if loader not in _LOADERS or of is None:
                    continue
                for one in given:
                    if isinstance(one.value, str):
                        written, of = _written(one.value, of, loader, related, names)
                        yield one.lineno, Edit(*span_of(one, source), written)


def _written(
    path: str, entity: str, loader: str, related: Mapping[tuple[str, str], str], names: frozenset[str]
) -> tuple[str, str]:
    """The attribute, with further calls for the further parts of a path, and the class that it leads to."""
    written = ""
    for number, name in enumerate(path.split(".")):
        attribute = f"{entity}.{name}"
        written += f").{loader}({attribute}" if number else attribute
        if loader in _RELATED or loader in ("contains_eager", "defaultload"):
            target = related.get((entity.rpartition(".")[2], name), "")
            entity = target if target in names else f"{attribute}.property.mapper.class_"
    return written, entity


def _entity(node: ast.Call) -> str | None:
    """The class that a query is about: ``session.query(Gig)``, or ``Gig.query``."""
    one: ast.expr = node
    while isinstance(one, ast.Call | ast.Attribute):
        if isinstance(one, ast.Call) and leaf_of(one.func) == "query" and one.args:
            first = one.args[0]
            return ast.unparse(first) if isinstance(first, ast.Name | ast.Attribute) else None
        if isinstance(one, ast.Attribute) and one.attr == "query" and isinstance(one.value, ast.Name):
            return one.value.id
        one = one.func if isinstance(one, ast.Call) else one.value
    return None


def _bound(tree: ast.AST) -> frozenset[str]:
    """The names that a file imports or defines as classes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.update((one.asname or one.name).partition(".")[0] for one in node.names)
        elif isinstance(node, ast.ClassDef):
            found.add(node.name)
    return frozenset(found)
