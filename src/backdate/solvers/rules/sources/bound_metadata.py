"""Engines that SQLAlchemy's ``MetaData`` kept: in 2.0 what uses the database is given the engine itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import function_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import (
    CallArgument,
    edited_files,
    leaf_of,
    span_of,
    without_arguments,
)
from backdate.text import version_numbers

_ABOUT_IT = re.compile(
    r"(?:MetaData|__init__|declarative_base)\(\) got an unexpected keyword argument 'bind'|"
    r"expected schema argument to be a string, got <class 'sqlalchemy|"
    r"\b(?:create_all|drop_all|reflect)\(\) missing 1 required positional argument: 'bind'"
)
_MADE_OF = {"MetaData": "{0}", "declarative_base": "{0}.metadata"}
"""The functions that took an engine, and where its metadata is behind what they give."""
_USERS = frozenset({"create_all", "drop_all", "reflect"})
_SQLALCHEMY_2 = (2, 0)
_CHANGE = DocumentedChange(
    library="sqlalchemy",
    since="2.0",
    said="metadata keeps no engine: what uses the database is given it",
    source="https://docs.sqlalchemy.org/en/20/changelog/migration_20.html#implicit-and-connectionless-execution-bound-metadata-removed",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeptEngine:
    """Metadata that was given an engine, both as they are written."""

    metadata: str
    engine: str
    scope: ast.AST
    """The function in which that is so, or the module."""
    call: ast.Call | None = None
    argument: CallArgument | None = None
    """What gave it, where that was an argument of ``call``."""

    def holds_in(self, scope: ast.AST) -> bool:
        """Whether a function can name both."""
        of_object = self.metadata.startswith("self.") and self.engine.startswith("self.")
        return isinstance(self.scope, ast.Module) or self.scope is scope or of_object


def bound_metadata(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The engine for each use of metadata that kept it, in the files that fail; None for another error."""
    old, new = evidence.versions_of("sqlalchemy")
    moved = bool(old and new) and version_numbers(old) < _SQLALCHEMY_2 <= version_numbers(new)
    if not moved or _ABOUT_IT.search(group.cause.message[:1000]) is None:
        return None
    edits = {
        file: made
        for file in dict.fromkeys(place.file for place in group.raised_at or group.places)
        if (made := sorted(set(_edits(evidence.texts.get(file, "")))))
    }
    if not edits:
        return None
    return _CHANGE.mended(
        edited_files(evidence.texts, edits),
        key=f"engines of metadata in {', '.join(edits)}",
        places=group.raised_at,
    )


def _edits(text: str) -> Iterator[Edit]:
    tree = parsed_or_none(text)
    if tree is None:
        return
    source = SourceText(text)
    bindings = tuple(_bindings(tree))
    for binding in bindings:
        if binding.call is not None and binding.argument is not None:
            yield from without_arguments(binding.call, (binding.argument,), source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and bindings:
            yield from _given(node, bindings, tree, source)


def _bindings(tree: ast.Module) -> Iterator[_KeptEngine]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, scope = node.targets[0], function_around(tree, node.lineno)
        if isinstance(target, ast.Attribute) and target.attr == "bind" and _is_plain(node.value):
            yield _KeptEngine(metadata=ast.unparse(target.value), engine=ast.unparse(node.value), scope=scope)
        elif isinstance(node.value, ast.Call) and leaf_of(node.value.func) in _MADE_OF:
            call = node.value
            by_name: list[CallArgument] = [one for one in call.keywords if one.arg == "bind"]
            for argument in (*by_name, *call.args)[:1]:
                value = argument.value if isinstance(argument, ast.keyword) else argument
                if _is_plain(value):
                    yield _KeptEngine(
                        metadata=_MADE_OF[leaf_of(call.func)].format(ast.unparse(target)),
                        engine=ast.unparse(value),
                        scope=scope,
                        call=call,
                        argument=argument,
                    )


def _given(
    call: ast.Call, bindings: Sequence[_KeptEngine], tree: ast.Module, source: SourceText
) -> Iterator[Edit]:
    """The edits that give the engine to one call that used the one of its metadata."""
    scope = function_around(tree, call.lineno)
    known = {one.metadata: one.engine for one in bindings if one.holds_in(scope)}
    if isinstance(call.func, ast.Attribute) and call.func.attr in _USERS:
        engine = known.get(ast.unparse(call.func.value))
        named = any(one.arg in ("bind", None) for one in call.keywords)
        if engine is not None and not call.args and not named:
            behind = source.content.index("(", span_of(call.func, source)[1]) + 1
            yield Edit(behind, behind, f"{engine}, " if call.keywords else engine)
    elif leaf_of(call.func) == "Table" and len(call.args) > 1:
        engine = known.get(ast.unparse(call.args[1]))
        given = {one.arg: one for one in call.keywords}
        if engine is not None and "autoload" in given and "autoload_with" not in given:
            start, end = span_of(given["autoload"], source)
            yield Edit(start, end, f"autoload_with={engine}")


def _is_plain(node: ast.expr) -> bool:
    """Whether it is a name, or attributes of one, so that it can be written again."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)
