"""Arguments that a base class kept as attributes, and keeps no more: the project's own class does."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of, line_behind

_LACKS = re.compile(r"'(?P<owner>[A-Za-z_]\w{0,100})' object has no attribute '(?P<name>[A-Za-z]\w{0,100})'")
_Classes = dict[str, tuple[str, ast.ClassDef]]


def unset_attributes(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """``self.name = name`` behind the call of the base class, in the project's class that takes the argument.

    Of several classes that hand it on, in the one that is nearest to the library's.
    """
    match = next(filter(None, (_LACKS.search(message[:2000]) for message in group.messages)), None)
    if match is None or not any(f"class {match['owner']}" in text for text in evidence.texts.values()):
        return
    chain = list(_own_bases(match["owner"], _classes(evidence)))
    taking = [found for found in ((file, _taking(one, match["name"])) for file, one in chain) if found[1]]
    if not taking or any(_sets(one, match["name"]) for _, one in chain):
        return
    file, method = taking[-1]
    call = next((one for one in method.body if _calls_base(one)), None) if method is not None else None
    if method is None or call is None or file in evidence.kept_files:
        return
    name, text = match["name"], evidence.texts[file]
    edit = line_behind(call, text, f"{method.args.args[0].arg}.{name} = {name}")
    if edit is not None:
        yield Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution=library_behind(group, evidence),
            file_edits=edited_files(evidence.texts, {file: (edit,)}),
            edits_key=f"{name} of {match['owner']} in {file}",
            places=(SourcePlace(file=file, line=call.lineno),),
            why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0]),),
            last=True,
        )


def _classes(evidence: FixEvidence) -> _Classes:
    """The project's classes by their names, with their files; of those with one name the first."""
    found: _Classes = {}
    for file, text in evidence.texts.items():
        tree = parsed_or_none(text) if "class " in text else None
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, (file, node))
    return found


def _own_bases(name: str, classes: _Classes) -> Iterator[tuple[str, ast.ClassDef]]:
    """A class and the project's own classes above it, each once."""
    left, seen = [name], set[str]()
    while left:
        name = left.pop(0)
        if name in classes and name not in seen:
            seen.add(name)
            yield classes[name]
            left += [leaf_of(base) for base in classes[name][1].bases]


def _taking(owner: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """Its ``__init__``, where that has such a parameter."""
    for node in owner.body:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            given = (*node.args.args[1:], *node.args.kwonlyargs)
            return node if any(one.arg == name for one in given) else None
    return None


def _sets(owner: ast.ClassDef, name: str) -> bool:
    """Whether the class has the attribute by itself."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr == name and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.FunctionDef) and node.name == name)
        for node in ast.walk(owner)
    )


def _calls_base(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "__init__"
    )
