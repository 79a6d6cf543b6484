"""Numbers that pydantic's fields of texts took, and that 2.0 refuses: models say that they want them.

The error names the fields; the models are the project's classes that have them as texts.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Mapping

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of

_REFUSED = re.compile(
    r"(?m)^(?P<field>[\w.]{1,200})\n\s+Input should be a valid string \[type=string_type, "
    r"input_value=[^\n]{1,200}, input_type=(?:int|float|Decimal)\]"
)
_OF_NUMBERS = re.compile(r"\b(?:int|float|bool|Decimal)\b")
_OPTION = "coerce_numbers_to_str"
_MOST_MESSAGE = 20_000
_CHANGE = DocumentedChange(
    library="pydantic",
    since="2.4",
    said=f"a field of texts takes numbers where the model has {_OPTION}",
    source="https://docs.pydantic.dev/latest/api/config/#pydantic.config.ConfigDict.coerce_numbers_to_str",
)


def coerced_numbers(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """The option for all models that have one of the fields; not for one that sets its options otherwise."""
    found = _REFUSED.finditer(group.cause.message[:_MOST_MESSAGE])
    fields = {match["field"].rstrip(".0123456789").rpartition(".")[2] for match in found}
    if not fields or not _CHANGE.lies_between(evidence):
        return
    models = _models(evidence.texts)
    made: dict[str, dict[int, Edit]] = {}
    for file, text in evidence.texts.items():
        edits = {} if file in evidence.kept_files else dict(_edits(text, fields, models))
        if edits:
            made[file] = edits
    if made:
        yield _CHANGE.mended(
            edited_files(evidence.texts, {file: edits.values() for file, edits in made.items()}),
            key="numbers for fields of texts",
            places=tuple(SourcePlace(file=file, line=line) for file, edits in made.items() for line in edits),
        )


def _models(texts: Mapping[str, str]) -> frozenset[str]:
    """The names of classes that are made from pydantic's, directly or not."""
    bases: dict[str, set[str]] = {}
    for text in texts.values():
        tree = parsed_or_none(text) if "class " in text else None
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.ClassDef):
                bases.setdefault(node.name, set()).update(map(leaf_of, node.bases))
    found = {"BaseModel", "BaseSettings"}
    while True:
        more = {name for name, of in bases.items() if of & found} - found
        if not more:
            return frozenset(found)
        found |= more


def _edits(text: str, fields: Collection[str], models: Collection[str]) -> Iterator[tuple[int, Edit]]:
    tree, source = parsed_or_none(text), SourceText(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.ClassDef) and node.name in models and _OPTION not in ast.unparse(node):
            edit = _edit(node, text, source) if any(_is_text(one, fields) for one in node.body) else None
            if edit is not None:
                yield node.lineno, edit


def _is_text(statement: ast.stmt, fields: Collection[str]) -> bool:
    """Whether it is one of the fields, and not of numbers: of a text, or of a type that is made from one."""
    if not isinstance(statement, ast.AnnAssign) or leaf_of(statement.target) not in fields:
        return False
    return _OF_NUMBERS.search(ast.unparse(statement.annotation)) is None


def _edit(node: ast.ClassDef, text: str, source: SourceText) -> Edit | None:
    options = next((one for one in node.body if isinstance(one, ast.ClassDef) and one.name == "Config"), None)
    if any(isinstance(one, ast.Assign) and leaf_of(one.targets[0]) == "model_config" for one in node.body):
        return None
    body = node.body if options is None else options.body
    first = body[0]
    is_said = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if is_said and len(body) > 1:
        first = body[1]
    at = source.offset(first.lineno - len(getattr(first, "decorator_list", ())), 0)
    indentation = text[at : source.offset(first.lineno, first.col_offset)] if at >= 0 else ""
    if indentation.strip():
        return None
    newline = "\r\n" if "\r\n" in text else "\n"
    if options is not None:
        return Edit(at, at, f"{indentation}{_OPTION} = True{newline}")
    return Edit(at, at, f'{indentation}model_config = {{"{_OPTION}": True}}{newline}{newline}')
