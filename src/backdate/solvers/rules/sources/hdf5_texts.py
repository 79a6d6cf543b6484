"""Texts in HDF5 files: since h5py 3.0 datasets of texts are read as bytes, unless ``.asstr()`` is asked for.

Which datasets hold texts is read from where the project creates them; they are known by their names. Where an
error is about bytes, those count as well that are created of a variable, as texts are handed to functions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Set

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of, span_of

_KINDS = frozenset(
    {CauseKind.ASSERTION, CauseKind.CHANGED_VALUE, CauseKind.CHANGED_TYPE, CauseKind.OTHER_ERROR}
)
_CREATING = frozenset({"create_dataset", "require_dataset"})
_BYTES = re.compile(r"\bb['\"]|\bbytes\b")
_READING = frozenset({"list", "tuple", "set", "sorted", "zip", "enumerate", "map", "reversed"})
_Function = ast.FunctionDef | ast.AsyncFunctionDef
_CHANGE = DocumentedChange(
    library="h5py",
    since="3.0",
    said="texts are read as bytes; Dataset.asstr() reads them as texts",
    source="https://docs.h5py.org/en/stable/whatsnew/3.0.html",
)


def hdf5_texts(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """All that reads datasets of texts, in the files that failing tests run."""
    if group.cause.kind not in _KINDS or not _CHANGE.lies_between(evidence):
        return
    trees = {
        file: tree for file, text in evidence.texts.items() if (tree := parsed_or_none(text)) is not None
    }
    sure = set(names_of_texts(trees.values()))
    about_bytes = _BYTES.search(group.cause.message) is not None
    maybe = sure.union(names_of_variables(trees.values())) if about_bytes else sure
    for names in (maybe, sure) if maybe != sure else (sure,):
        made = {
            file: edits
            for file in evidence.executed or ()
            if file in trees
            and file not in evidence.kept_files
            and (edits := dict(text_reads(trees[file], evidence.texts[file], names)))
        }
        if made:
            yield _CHANGE.mended(
                edited_files(evidence.texts, {file: list(edits) for file, edits in made.items()}),
                key="texts of HDF5 files" if names == sure else "texts of HDF5 files, and variables",
                places=tuple(
                    SourcePlace(file=file, line=line)
                    for file, edits in made.items()
                    for line in dict.fromkeys(edits.values())
                ),
            )


def names_of_texts(trees: Iterable[ast.AST]) -> Iterator[str]:
    """The names under which datasets are created whose type is one of texts."""
    for tree in trees:
        types = {
            target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and _is_text_type(node.value, frozenset())
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or leaf_of(node.func) not in _CREATING or not node.args:
                continue
            given = {one.arg: one.value for one in node.keywords}
            data = given.get("data")
            of_text = isinstance(data, ast.Constant) and isinstance(data.value, str)
            typed = given.get("dtype", node.args[2] if len(node.args) > 2 else None)
            if of_text or (typed is not None and _is_text_type(typed, types)):
                yield from _text_of(node.args[0])


def names_of_variables(trees: Iterable[ast.AST]) -> Iterator[str]:
    """The names under which datasets are created of a variable, without a type of their own."""
    for tree in trees:
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or leaf_of(node.func) not in _CREATING or len(node.args) != 1:
                continue
            given = {one.arg: one.value for one in node.keywords}
            if "dtype" not in given and isinstance(given.get("data"), ast.Name):
                yield from _text_of(node.args[0])


def _is_text_type(node: ast.expr, known: Set[str]) -> bool:
    if isinstance(node, ast.Call) and leaf_of(node.func) == "special_dtype":
        return any(one.arg == "vlen" and leaf_of(one.value) in ("str", "unicode") for one in node.keywords)
    return leaf_of(node) in known or (isinstance(node, ast.Call) and leaf_of(node.func) == "string_dtype")


def _text_of(node: ast.expr) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value.rpartition("/")[2]


def text_reads(tree: ast.AST, text: str, names: Set[str]) -> Iterator[tuple[Edit, int]]:
    """The edits of a file that read those datasets as texts, each with its line."""
    source = SourceText(text)
    above = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Subscript | ast.Name) or not isinstance(node.ctx, ast.Load):
            continue
        if not _is_dataset(node, names, above):
            continue
        _, end = span_of(node, source)
        outer = above[node]
        if isinstance(outer, ast.Subscript) and outer.value is node and isinstance(outer.ctx, ast.Load):
            yield Edit(end, end, ".asstr()"), node.lineno
        elif isinstance(outer, ast.Attribute) and outer.attr == "value":
            yield Edit(end, span_of(outer, source)[1], ".asstr()[()]"), node.lineno
        elif _goes_through(node, outer):
            yield Edit(end, end, ".asstr()[:]"), node.lineno


def _is_dataset(node: ast.Subscript | ast.Name, names: Set[str], above: Mapping[ast.AST, ast.AST]) -> bool:
    """Whether it is an item by one of the names, or a variable that its function gives nothing else."""
    if isinstance(node, ast.Subscript):
        return not names.isdisjoint(_text_of(node.slice))
    function = above.get(node)
    while function is not None and not isinstance(function, _Function):
        function = above.get(function)
    values = [
        one.value
        for one in (ast.walk(function) if function is not None else ())
        if isinstance(one, ast.Assign)
        and any(isinstance(target, ast.Name) and target.id == node.id for target in one.targets)
    ]
    return bool(values) and all(
        isinstance(value, ast.Subscript) and not names.isdisjoint(_text_of(value.slice)) for value in values
    )


def _goes_through(node: ast.expr, outer: ast.AST) -> bool:
    """Whether ``outer`` goes through the dataset ``node``."""
    if isinstance(outer, ast.For | ast.comprehension):
        return outer.iter is node
    return isinstance(outer, ast.Call) and node in outer.args and leaf_of(outer.func) in _READING
