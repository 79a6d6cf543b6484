"""Commands that click calls otherwise: of ``drop_cmd`` it makes ``drop`` since 8.2, and not ``drop-cmd``.

Nothing says so: there is no such command, and the program ends with another status.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from packaging.version import Version

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of

_SUFFIXES = ("command", "cmd", "group", "grp")
_DECORATORS = ("command", "group")
_STATUS = re.compile(r"\b[12] (?:==|!=) [01]\b|\b[01] (?:==|!=) [12]\b|\bNo such command\b|\bSystemExit: 2\b")
_DASHES, _SHORT = Version("7"), Version("8.2")
_CHANGES = (
    DocumentedChange(
        library="click",
        since="8.2.0",
        said="the name of a command is that of its function without _command, _cmd, _group or _grp",
        source="https://click.palletsprojects.com/en/stable/changes/#version-8-2-0",
    ),
    DocumentedChange(
        library="click",
        since="7.0",
        said="the name of a command has dashes where that of its function has underscores",
        source="https://click.palletsprojects.com/en/stable/changes/#version-7-0",
    ),
)
"""The newest first."""


def command_names(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The names that commands had, written out; where a program ended with another status or lacks one."""
    change = next((one for one in _CHANGES if one.lies_between(evidence)), None)
    if change is None:
        return
    old, new = map(Version, evidence.versions_of(change.library))
    edits: dict[str, list[Edit]] = {}
    places: list[SourcePlace] = []
    names: list[str] = []
    for file, text in evidence.texts.items():
        tree = parsed_or_none(text) if "click" in text and file not in evidence.kept_files else None
        for function in _functions(tree) if tree is not None else ():
            name = _name_of(function.name, old)
            edit = _named(function, text, name) if name != _name_of(function.name, new) else None
            if edit is not None:
                edits.setdefault(file, []).append(edit)
                places.append(SourcePlace(file=file, line=function.lineno))
                names.append(name)
    message = group.cause.message[:4000]
    silent = group.cause.kind is CauseKind.ASSERTION and _STATUS.search(message)
    if edits and (silent or any(name in message for name in names)):
        files = edited_files(evidence.texts, edits)
        yield change.mended(files, key="names of commands", places=tuple(places))


def _functions(tree: ast.AST) -> Iterator[ast.FunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.decorator_list)


def _name_of(function: str, release: Version) -> str:
    """What click calls the command of a function."""
    name = function.lower()
    if release < _DASHES:
        return name
    shorter, _, suffix = name.rpartition("_")
    return (shorter if shorter and suffix in _SUFFIXES and release >= _SHORT else name).replace("_", "-")


def _named(function: ast.FunctionDef, text: str, name: str) -> Edit | None:
    """The edit of the decorator that makes a command of a function; None where that says its name."""
    source = SourceText(text)
    for decorator in function.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if leaf_of(called) not in _DECORATORS:
            continue
        end = source.offset(called.end_lineno or called.lineno, called.end_col_offset or 0)
        if not isinstance(decorator, ast.Call):
            return Edit(end, end, f'("{name}")')
        if decorator.args or any(one.arg in ("name", None) for one in decorator.keywords):
            return None
        opened = text.index("(", end) + 1
        return Edit(opened, opened, f'"{name}"{", " if decorator.keywords else ""}')
    return None
