"""Objects that came into SQLAlchemy's session along a backref: ``Recipe(author=author)``, and no ``add``.

Until 2.0 the new object was added with the one that it refers to, as that one's collection holds it. Now it
is added by nobody, and nothing fails where it is made: what was made is missed where it is looked for.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import function_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of, line_behind, span_of

_KINDS = frozenset({CauseKind.ASSERTION, CauseKind.CHANGED_VALUE, CauseKind.CHANGED_TYPE})
_OF_SESSIONS = frozenset({"add", "add_all", "commit", "execute", "flush", "merge", "query", "scalars"})
_ADDING = frozenset({"add", "add_all", "append", "extend", "merge"})
_CHANGE = DocumentedChange(
    library="sqlalchemy",
    since="2.0",
    said="an object is added to the session by no backref any more",
    source="https://docs.sqlalchemy.org/en/20/changelog/migration_20.html#cascade-backrefs-behavior-deprecated-for-removal-in-2-0",
)


def backref_cascades(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """``session.add(recipe)`` behind all that failing tests make so, where the session is at hand."""
    if group.cause.kind not in _KINDS or not _CHANGE.lies_between(evidence):
        return
    relations = set(_relations(evidence.texts))
    made = {
        file: edits
        for file, lines in (evidence.executed or {}).items()
        if file not in evidence.kept_files
        and (edits := dict(_edits(evidence.texts.get(file, ""), lines, relations)))
    }
    if made:
        yield _CHANGE.mended(
            edited_files(evidence.texts, {file: list(edits.values()) for file, edits in made.items()}),
            key="objects that a backref added",
            places=tuple(SourcePlace(file=file, line=line) for file, edits in made.items() for line in edits),
        )


def _relations(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Classes and their attributes that refer to another class which refers back."""
    for text in texts.values():
        tree = parsed_or_none(text) if "relationship(" in text else None
        for owner in ast.walk(tree) if tree is not None else ():
            if isinstance(owner, ast.ClassDef):
                for node in owner.body:
                    if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
                        yield from _of_relationship(owner, node, node.value)


def _of_relationship(owner: ast.ClassDef, node: ast.Assign, call: ast.Call) -> Iterator[tuple[str, str]]:
    if leaf_of(call.func) != "relationship" or not call.args:
        return
    given = {keyword.arg: keyword.value for keyword in call.keywords}
    if "back_populates" in given or "backref" in given:
        yield from ((owner.name, target.id) for target in node.targets if isinstance(target, ast.Name))
    back = given.get("backref")
    if isinstance(back, ast.Call) and back.args:
        back = back.args[0]
    target = call.args[0]
    of = str(target.value).rpartition(".")[2] if isinstance(target, ast.Constant) else leaf_of(target)
    if isinstance(back, ast.Constant) and of:
        yield of, str(back.value)


def _edits(
    text: str, executed: Collection[int], relations: Collection[tuple[str, str]]
) -> Iterator[tuple[int, Edit]]:
    tree = parsed_or_none(text) if relations else None
    source = SourceText(text)
    for node in ast.walk(tree) if tree is not None else ():
        if tree is None or not isinstance(node, ast.Assign | ast.Expr) or node.lineno not in executed:
            continue
        around = function_around(tree, node.lineno)
        if isinstance(node, ast.Expr):  # what is made is held by nobody else
            session = _session(around) if _refers(node.value, relations) else ""
            if session:
                start, end = span_of(node.value, source)
                yield node.lineno, Edit(start, end, f"{session}.add({text[start:end]})")
            continue
        made = _attached(node, around, relations)
        session = "" if not made or _is_added(made, around) else _session(around)
        edit = line_behind(node, text, f"{session}.add({made})") if session else None
        if edit is not None:
            yield node.lineno, edit


def _attached(node: ast.Assign, around: ast.AST, relations: Collection[tuple[str, str]]) -> str:
    """The name of the object that a statement refers to another one; "" where it does no such thing.

    ``recipe = Recipe(author=author)``, or ``recipe.author = author`` of what the function made before.
    """
    target, value = node.targets[0], node.value
    if len(node.targets) > 1:
        return ""
    if isinstance(target, ast.Name) and isinstance(value, ast.Call):
        return target.id if _refers(value, relations) else ""
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        of = {(name, target.attr) for name in _classes_of(target.value.id, around)}
        return target.value.id if not of.isdisjoint(relations) else ""
    return ""


def _refers(value: ast.expr, relations: Collection[tuple[str, str]]) -> bool:
    """Whether an expression makes an object that refers to another one: ``Recipe(author=author)``."""
    return isinstance(value, ast.Call) and any(
        (leaf_of(value.func), str(keyword.arg)) in relations for keyword in value.keywords
    )


def _classes_of(name: str, around: ast.AST) -> Iterator[str]:
    """What a name is bound to a call of, in one function."""
    for node in ast.walk(around):
        if not isinstance(node, ast.Assign) or not isinstance(node.value, ast.Call):
            continue
        if any(isinstance(target, ast.Name) and target.id == name for target in node.targets):
            yield leaf_of(node.value.func)


def _is_added(name: str, around: ast.AST) -> bool:
    """Whether the object is given to something that adds it: a session, a collection."""
    return any(
        isinstance(inner, ast.Name) and inner.id == name
        for node in ast.walk(around)
        if isinstance(node, ast.Call) and leaf_of(node.func) in _ADDING
        for given in node.args
        for inner in ast.walk(given)
    )


def _session(around: ast.AST) -> str:
    """What a function asks as a session, as it is written there; "" for none, and for several."""
    found = {
        ast.unparse(node.func.value)
        for node in ast.walk(around)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in _OF_SESSIONS
        and "session" in leaf_of(node.func.value).lower()
    }
    return found.pop() if len(found) == 1 else ""
