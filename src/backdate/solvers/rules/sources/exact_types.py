"""Values that are asked for their very type, ``type(value) is list``, and are of a subclass of it now.

Beautiful Soup 4.13 gives the values of an attribute in an ``AttributeValueList``, and the branch for lists is
not taken any more. The error is raised elsewhere, at whatever takes the value for the other kind.
"""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Iterator

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.solvers.rules.sources.syntax_edits import edited_files

_CLASS = re.compile(
    r"'(?:[A-Za-z_]\w{0,80}\.)*([A-Za-z_]\w{0,80})' object|\bnot '?(?:[\w.]{1,80}\.)?([A-Za-z_]\w{0,80})'?$"
)
_KINDS = (CauseKind.MISSING_ATTRIBUTE, CauseKind.CHANGED_TYPE, CauseKind.OTHER_ERROR, CauseKind.REMOVED)
_TYPES = frozenset(
    {"list", "dict", "tuple", "set", "frozenset", "str", "bytes", "int", "float", "bool", "complex"}
)
_OF_ONE = (ast.Is, ast.IsNot, ast.Eq, ast.NotEq)
_OF_SEVERAL = (ast.In, ast.NotIn)
_NEGATED = (ast.IsNot, ast.NotEq, ast.NotIn)
_MOST = 4


def exact_types(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each question of the failing tests' lines for a very type one for an instance of it."""
    message = group.cause.message[:2000]
    match = _CLASS.search(message) if group.cause.kind in _KINDS else None
    if match is None or hasattr(builtins, match[1] or match[2]):
        return
    made = 0
    own = {place.file for place in group.places}
    for file in sorted(evidence.executed or {}, key=lambda file: file not in own):
        text = evidence.texts.get(file, "")
        if "type(" not in text or file in evidence.kept_files:
            continue
        for line, edits in _questions(text, (evidence.executed or {})[file]):
            yield Proposal(
                origin=ProposalOrigin.RESTRUCTURING,
                distribution=library_behind(group, evidence),
                file_edits=edited_files(evidence.texts, {file: edits}),
                edits_key=f"isinstance at {file}:{edits[0].start}",
                places=(SourcePlace(file=file, line=line),),
                why=(AdviceEvidence(kind=EvidenceKind.MESSAGE, text=match[0]),),
            )
            made += 1
            if made == _MOST:
                return


def _questions(text: str, lines: frozenset[int]) -> Iterator[tuple[int, list[Edit]]]:
    """The line and the edits of each comparison on ``lines`` of the type of something with builtin ones."""
    tree, source = parsed_or_none(text), SourceText(text)
    whole = {id(test) for node in ast.walk(tree) for test in _alone(node)} if tree is not None else set()
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Compare) or node.lineno not in lines or len(node.ops) != 1:
            continue
        asked, types = node.left, node.comparators[0]
        is_type = isinstance(asked, ast.Call) and isinstance(asked.func, ast.Name) and asked.func.id == "type"
        if not is_type or not isinstance(asked, ast.Call) or len(asked.args) != 1 or asked.keywords:
            continue
        if not _are_builtin(types, node.ops[0]):
            continue
        inside = asked.args[0]
        start = source.offset(node.lineno, node.col_offset)
        first = source.offset(inside.lineno, inside.col_offset)
        last = source.offset(inside.end_lineno or inside.lineno, inside.end_col_offset or 0)
        named = source.offset(types.lineno, types.col_offset)
        end = source.offset(types.end_lineno or types.lineno, types.end_col_offset or 0)
        classes = text[named:end].replace("[", "(").replace("]", ")")
        written = f"isinstance({text[first:last]}, {classes})"
        if isinstance(node.ops[0], _NEGATED):
            written = f"not {written}" if id(node) in whole else f"(not {written})"
        yield node.lineno, [Edit(start, end, written)]


def _alone(node: ast.AST) -> Iterator[ast.expr]:
    """The expressions of a node before which ``not`` may stand without parentheses."""
    if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
        yield node.test
    elif isinstance(node, ast.BoolOp):
        yield from node.values
    elif isinstance(node, ast.comprehension):
        yield from node.ifs
    elif isinstance(node, ast.Return | ast.Assign) and node.value is not None:
        yield node.value


def _are_builtin(types: ast.expr, operator: ast.cmpop) -> bool:
    """Whether what ``operator`` compares with is a builtin type, or holds such alone."""
    several = isinstance(types, ast.Tuple | ast.List)
    if not isinstance(operator, _OF_SEVERAL if several else _OF_ONE):
        return False
    named = types.elts if isinstance(types, ast.Tuple | ast.List) else [types]
    return bool(named) and all(isinstance(one, ast.Name) and one.id in _TYPES for one in named)
