"""Validators of marshmallow that say False: until 4.0 that was an error, since then they have to raise one.

The test sees that nothing is refused, and no line fails. All validators of the files that the failing tests
run are changed at once, as all of them say nothing any more.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Set
from types import MappingProxyType

from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import leaf_of, span_of

_KINDS = (CauseKind.ASSERTION, CauseKind.CHANGED_VALUE, CauseKind.OTHER_ERROR)
_LIBRARY = "marshmallow"
_NAMES = ("checked", "checked_value", "must_hold")
_HELPER = '''

def {name}(check):
    """A validator that refuses what ``check`` says False to."""

    def validate(value):
        if check(value) is False:
            raise {error}("Invalid value.")

    return validate
'''
_CHANGE = DocumentedChange(
    library=_LIBRARY,
    since="4.0",
    said="a validator that says False refuses nothing any more: it has to raise ValidationError",
    source="https://marshmallow.readthedocs.io/en/latest/upgrading.html",
)


def returned_checks(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The validators that may say False, each within one that raises the error, with its words of then."""
    if group.cause.kind not in _KINDS or not _CHANGE.lies_between(evidence):
        return
    elsewhere = {
        file.removesuffix(".py").rpartition("/")[2]: _returning(tree)
        for file, text in evidence.texts.items()
        if "return" in text and (tree := parsed_or_none(text)) is not None
    }
    edits = tuple(
        FileEdit(file=file, text=text)
        for file in evidence.executed or ()
        if file not in evidence.kept_files
        and (text := with_raising_checks(evidence.texts.get(file, ""), elsewhere))
        != evidence.texts.get(file, "")
    )
    if edits:
        yield _CHANGE.mended(edits, key="validators that raise")


def with_raising_checks(text: str, elsewhere: Mapping[str, Set[str]] = MappingProxyType({})) -> str:
    """A file's text in which validators of fields raise where they said False; as it is where none does.

    ``elsewhere``: of other modules, by the last part of their names, the functions that may say False.
    """
    tree = parsed_or_none(text) if _LIBRARY in text and "validate" in text else None
    if not isinstance(tree, ast.Module):
        return text
    checks = list(dict.fromkeys(_checks(tree, elsewhere)))
    name = next((name for name in _NAMES if name not in text), "")
    first = min((check.lineno for check in checks), default=0)
    before = [node for node in tree.body if node.lineno < first]  # a field is made where its class is
    imports = [node for node in before if isinstance(node, ast.Import | ast.ImportFrom)]
    if not checks or not name or not imports:
        return text
    source = SourceText(text)
    edits = []
    for check in checks:
        start, end = span_of(check, source)
        edits.append(Edit(start, end, f"{name}({text[start:end]})"))
    last = imports[-1]
    found = text.find("\n", source.offset(last.end_lineno or last.lineno, last.end_col_offset or 0))
    behind = len(text) if found < 0 else found - text.startswith("\r", found - 1)
    error = _error_of(imports)
    added = "" if error else "\nfrom marshmallow import ValidationError"
    helper = _HELPER.format(name=name, error=error or "ValidationError")
    newline = "\r\n" if "\r\n" in text else "\n"
    apart = "" if text[behind:].replace("\r", "").startswith(("\n\n", "\n#")) else "\n\n"
    inserted = f"{added}\n{helper}".rstrip("\n") + apart
    edits.append(Edit(behind, behind, inserted.replace("\n", newline)))
    return apply_edits(text, sorted(edits))


def _checks(tree: ast.Module, elsewhere: Mapping[str, Set[str]]) -> Iterator[ast.expr]:
    """What fields are given as validators that may say False: lambdas, functions of the project, and what
    the file's own ones make."""
    returning = {*_returning(tree), *_imported(tree, elsewhere)}
    making = {
        node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and _makes_checks(node)
    }
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not leaf_of(call.func)[:1].isupper():
            continue  # fields are classes; a parser's own `validate` is another
        for given in call.keywords:
            if given.arg != "validate":
                continue
            for value in given.value.elts if isinstance(given.value, ast.List | ast.Tuple) else [given.value]:
                is_own = isinstance(value, ast.Name | ast.Attribute) and ast.unparse(value) in returning
                is_made = isinstance(value, ast.Call) and leaf_of(value.func) in making
                if is_own or is_made or isinstance(value, ast.Lambda):
                    yield value


def _returning(tree: ast.AST) -> set[str]:
    """The functions of a file that may say False."""
    return {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and not node.decorator_list and _may_say_false(node)
    }


def _imported(tree: ast.AST, elsewhere: Mapping[str, Set[str]]) -> Iterator[str]:
    """How a file writes what it imports of ``elsewhere``: "is_sku", "rules.is_sku"."""
    for node in ast.walk(tree):
        for one in node.names if isinstance(node, ast.Import | ast.ImportFrom) else ():
            written, last = one.asname or one.name, one.name.rpartition(".")[2]
            of = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            if one.name in elsewhere.get(of.rpartition(".")[2], ()):
                yield written
            yield from (f"{written}.{function}" for function in elsewhere.get(last, ()))


def _may_say_false(function: ast.FunctionDef) -> bool:
    """Whether a function returns what may be False: a comparison, a call, a name."""
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return) and node.value]
    return any(not isinstance(value, ast.Constant) or value.value is False for value in returned)


def _makes_checks(function: ast.FunctionDef) -> bool:
    """Whether a function gives validators: lambdas, or functions within it that may say False."""
    inner = {
        node.name for node in function.body if isinstance(node, ast.FunctionDef) and _may_say_false(node)
    }
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    return any(
        isinstance(value, ast.Lambda) or (isinstance(value, ast.Name) and value.id in inner)
        for value in returned
    )


def _error_of(imports: list[ast.Import | ast.ImportFrom]) -> str:
    """How the file spells marshmallow's ValidationError; "" where it has to be imported."""
    for node in imports:
        for one in node.names:
            if isinstance(node, ast.Import) and one.name == _LIBRARY:
                return f"{one.asname or one.name}.ValidationError"
            of_library = isinstance(node, ast.ImportFrom) and (node.module or "").startswith(_LIBRARY)
            if of_library and one.name == "ValidationError":
                return one.asname or one.name
    return ""
