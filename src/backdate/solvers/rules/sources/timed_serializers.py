"""The serializers of tokens that itsdangerous dropped in 2.1: those of its other format take their place.

``TimedJSONWebSignatureSerializer`` was told at first how long its tokens hold and gave bytes;
``URLSafeTimedSerializer`` gives texts, and is told when it reads a token how old that may be. Tokens that
were given out before are not read any more, which no other serializer of the library can do either.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.executed import function_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import (
    CallArgument,
    arguments_of,
    edited_files,
    span_of,
    without_arguments,
)

_LIBRARY = "itsdangerous"
_SUCCESSORS = {
    "TimedJSONWebSignatureSerializer": "URLSafeTimedSerializer",
    "JSONWebSignatureSerializer": "URLSafeSerializer",
}
_TIMED = "TimedJSONWebSignatureSerializer"
_HELD = "3600"
"""Seconds that tokens held which were given no other time (itsdangerous 1.1)."""
_CHANGE = DocumentedChange(
    library=_LIBRARY,
    since="2.1",
    said="URLSafeTimedSerializer takes its place, which is told how old a token may be when it is read",
    source="https://itsdangerous.palletsprojects.com/en/stable/changes/#version-2-1-0",
)


def timed_serializers(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """All uses in the files that import one of them, at once; None for another error."""
    if group.cause.owner.partition(".")[0] != _LIBRARY or group.cause.name not in _SUCCESSORS:
        return None
    edits = {
        file: made
        for file, text in evidence.texts.items()
        if _LIBRARY in text and file not in evidence.kept_files
        if (made := _edits(text))
    }
    if not edits:
        return None
    return _CHANGE.mended(
        edited_files(evidence.texts, edits),
        key="serializers that take times",
        places=tuple(SourcePlace(file=file, line=_line(evidence.texts[file], edits[file])) for file in edits),
    )


def _line(text: str, edits: list[Edit]) -> int:
    return text.count("\n", 0, min(edit.start for edit in edits)) + 1


def _edits(text: str) -> list[Edit]:
    tree = parsed_or_none(text)
    return list(_Serializers(tree, SourceText(text)).edits()) if isinstance(tree, ast.Module) else []


@dataclass(frozen=True, slots=True)
class _Serializers:
    """One file."""

    tree: ast.Module
    source: SourceText

    def edits(self) -> Iterator[Edit]:
        made = [
            (node, self._class_of(node.func))
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Call) and self._class_of(node.func)
        ]
        times = [time for call, of in made if of == _TIMED if (time := _time_of(call)) is not None]
        yield from self._names()
        for call, _ in made:
            time = _time_of(call)
            yield from without_arguments(call, [time] if time is not None else [], self.source)
        for use in ast.walk(self.tree):
            if not isinstance(use, ast.Call) or not isinstance(use.func, ast.Attribute):
                continue
            serializer = self._serializer(use.func.value, made)
            if serializer is not None and use.func.attr == "loads" and serializer[1] == _TIMED:
                place = span_of(arguments_of(use)[-1], self.source)[1] if use.args else None
                if place is not None:
                    yield Edit(place, place, f", max_age={self._age(serializer[0], times)}")
            inner = use.func.value
            if use.func.attr == "decode" and isinstance(inner, ast.Call) and self._is_dump(inner, made):
                yield Edit(span_of(inner, self.source)[1], span_of(use, self.source)[1], "")

    def _names(self) -> Iterator[Edit]:
        """The names themselves: imported ones, and attributes of the module."""
        for node in ast.walk(self.tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == _LIBRARY:
                for alias in node.names:
                    if alias.name in _SUCCESSORS:
                        start = self.source.offset(alias.lineno, alias.col_offset)
                        yield Edit(start, start + len(alias.name), _SUCCESSORS[alias.name])
            elif isinstance(node, ast.Name) and node.id in self._imported and node.id in _SUCCESSORS:
                start, end = span_of(node, self.source)
                yield Edit(start, end, _SUCCESSORS[node.id])
            elif isinstance(node, ast.Attribute) and self._class_of(node) and node.attr in _SUCCESSORS:
                end = span_of(node, self.source)[1]
                yield Edit(end - len(node.attr), end, _SUCCESSORS[node.attr])

    @property
    def _imported(self) -> dict[str, str]:
        """By local name what is imported from the library."""
        return {
            alias.asname or alias.name: alias.name
            for node in ast.walk(self.tree)
            if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == _LIBRARY
            for alias in node.names
        }

    def _class_of(self, function: ast.expr) -> str:
        """Which of the serializers it names; "" for anything else."""
        name = ""
        if isinstance(function, ast.Name):
            name = self._imported.get(function.id, "")
        elif isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            modules = (
                alias.asname or alias.name
                for node in ast.walk(self.tree)
                if isinstance(node, ast.Import)
                for alias in node.names
                if alias.name == _LIBRARY
            )
            name = function.attr if function.value.id in modules else ""
        return name if name in _SUCCESSORS else ""

    def _serializer(self, value: ast.expr, made: list[tuple[ast.Call, str]]) -> tuple[ast.Call, str] | None:
        """The call that made what ``value`` is: itself, or what its function, or the class, assigns to it."""
        for call, of in made:
            if call is value:
                return call, of
        written = ast.unparse(value)
        scope = function_around(self.tree, value.lineno)
        for call, of in made:
            for node in ast.walk(self.tree):
                if isinstance(node, ast.Assign) and node.value is call:
                    same = any(ast.unparse(target) == written for target in node.targets)
                    shared = written.startswith("self.") or function_around(self.tree, node.lineno) in (
                        scope,
                        self.tree,
                    )
                    if same and shared:
                        return call, of
        return None

    def _is_dump(self, call: ast.Call, made: list[tuple[ast.Call, str]]) -> bool:
        function = call.func
        is_one = isinstance(function, ast.Attribute) and function.attr == "dumps"
        return is_one and isinstance(function, ast.Attribute) and bool(self._serializer(function.value, made))

    def _age(self, call: ast.Call, times: list[CallArgument]) -> str:
        """How long tokens hold, as it is written: of its own serializer, else of another one of the file."""
        own = _time_of(call)
        for time in (own, *times):
            if time is None:
                continue
            value: ast.expr | None = time.value if isinstance(time, ast.keyword) else time
            if time is not own and value is not None:
                value = self._outside(value)
            if value is not None:
                return ast.unparse(value)
        return _HELD

    def _outside(self, value: ast.expr) -> ast.expr | None:
        """What another function can write for it: a parameter's default; None where it is local."""
        scope = function_around(self.tree, value.lineno)
        arguments = scope.args if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef) else None
        if arguments is None:
            return value
        names = [one.arg for one in (*arguments.posonlyargs, *arguments.args)]
        defaults = dict(zip(reversed(names), reversed(arguments.defaults), strict=False))
        keywords = zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        defaults |= {one.arg: default for one, default in keywords if default is not None}
        if isinstance(value, ast.Name) and value.id in defaults:
            return defaults[value.id]
        local = {*names, *(one.arg for one in arguments.kwonlyargs)} | {
            node.id
            for node in ast.walk(scope)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        used = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)} - {"self"}
        return None if used & local else value


def _time_of(call: ast.Call) -> CallArgument | None:
    """The argument that says how long tokens hold."""
    named = next((one for one in call.keywords if one.arg == "expires_in"), None)
    return named if named is not None or len(call.args) < 2 else call.args[1]
