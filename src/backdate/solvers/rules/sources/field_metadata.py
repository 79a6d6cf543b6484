"""What fields of marshmallow are given besides their own arguments: since 4.0 that goes into ``metadata=``.

Until then any argument that a field did not know was kept as its metadata, so that none may be left out.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of, span_of, without_arguments

_LIBRARY = "marshmallow"
_OWNERS = ("fields", "ma")
_METADATA = "metadata"
_KNOWN = frozenset(
    (
        *("load_default", "missing", "dump_default", "default", "data_key", "attribute", "validate"),
        *("required", "allow_none", "load_only", "dump_only", "error_messages", "metadata", "nested"),
        *("many", "only", "exclude", "unknown", "cls_or_instance", "keys", "values", "tuple_fields"),
        *("as_string", "places", "rounding", "allow_nan", "strict", "truthy", "falsy", "format"),
        *("timezone", "default_timezone", "precision", "serialization_type", "relative", "absolute"),
        *("schemes", "require_tld", "exploded", "enum", "by_value", "serialize", "deserialize"),
        *("constant", "field_name"),
    )
)
"""The arguments of the library's own fields."""
_FIELDS = frozenset(
    (
        *("Field", "Raw", "Nested", "Mapping", "Dict", "List", "Tuple", "String", "UUID", "Number"),
        *("Integer", "Decimal", "Boolean", "Float", "DateTime", "NaiveDateTime", "AwareDateTime", "Time"),
        *("Date", "TimeDelta", "Url", "URL", "Email", "IP", "IPv4", "IPv6", "IPInterface", "Enum"),
        *("Method", "Function", "Str", "Bool", "Int", "Constant", "Pluck", "LocalDateTime"),
        "FormattedString",
    )
)
_CHANGE = DocumentedChange(
    library=_LIBRARY,
    since="4.0",
    said="what else a field is given goes into metadata=",
    source="https://marshmallow.readthedocs.io/en/stable/upgrading.html",
)


def field_metadata(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The further arguments of fields in the files that fail, as their metadata; None for another error."""
    of_field = group.cause.kind is CauseKind.UNEXPECTED_ARGUMENT and group.cause.name not in _KNOWN
    if not of_field or not _CHANGE.lies_between(evidence):
        return None
    edits = {}
    for file in dict.fromkeys(place.file for place in group.places):
        text = "" if file in evidence.kept_files else evidence.texts.get(file, "")
        made = list(metadata_edits(text, group.cause.name))
        if not made:
            lines = [place.line for place in group.places if place.file == file]
            made = list(_display_edits(text, group.cause.name, lines))
        if made:
            edits[file] = made
    if not edits:
        return None
    return _CHANGE.mended(
        edited_files(evidence.texts, edits),
        key=f"metadata of fields in {', '.join(edits)}",
        places=group.places[:1],
    )


def metadata_edits(text: str, refused: str) -> Iterator[Edit]:
    """The edits of all fields of a file, where one of them is given the argument that is ``refused``."""
    tree = parsed_or_none(text) if _LIBRARY in text else None
    calls = [] if tree is None else [one for one in ast.walk(tree) if _is_field(one)]
    if any(argument.arg == refused for call in calls for argument in _further(call)):
        source = SourceText(text)
        for call in calls:
            yield from _edits(call, source, text)


def _display_edits(text: str, refused: str, lines: Collection[int]) -> Iterator[Edit]:
    """The edit of the one dictionary with the key ``refused`` that a function with one of ``lines`` writes
    out, and hands to a field there as ``**``."""
    tree = parsed_or_none(text) if _LIBRARY in text else None
    for function in ast.walk(tree) if tree is not None else ():
        if not isinstance(function, ast.FunctionDef) or not any(
            function.lineno <= line <= (function.end_lineno or 0) for line in lines
        ):
            continue
        inside = [*ast.walk(function)]
        hands_on = any(
            isinstance(one, ast.Call) and any(given.arg is None for given in one.keywords) for one in inside
        )
        entries = [
            (key, value)
            for one in inside
            if isinstance(one, ast.Dict) and _METADATA not in map(_constant, one.keys)
            for key, value in zip(one.keys, one.values, strict=True)
            if _constant(key) == refused
        ]
        if hands_on and len(entries) == 1:
            source = SourceText(text)
            ((key, value),) = entries
            assert key is not None
            start, _ = span_of(key, source)
            yield Edit(start, start, f'"{_METADATA}": {{')
            _, end = span_of(value, source)
            yield Edit(end, end, "}")
            return


def _constant(key: ast.expr | None) -> object:
    return key.value if isinstance(key, ast.Constant) else None


def _is_field(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or leaf_of(node.func) not in _FIELDS:
        return False
    return isinstance(node.func, ast.Name) or (
        isinstance(node.func, ast.Attribute) and leaf_of(node.func.value) in _OWNERS
    )


def _further(call: ast.AST) -> list[ast.keyword]:
    given = call.keywords if isinstance(call, ast.Call) else []
    return [one for one in given if one.arg is not None and one.arg not in _KNOWN]


def _edits(call: ast.AST, source: SourceText, text: str) -> Iterator[Edit]:
    further = _further(call)
    if not isinstance(call, ast.Call) or not further:
        return
    entries = []
    for one in further:
        start, end = span_of(one.value, source)
        entries.append(f'"{one.arg}": {text[start:end]}')
    written = ", ".join(entries)
    kept = next((one.value for one in call.keywords if one.arg == _METADATA), None)
    if kept is None:
        start, end = span_of(further[0], source)
        yield Edit(start, end, f"{_METADATA}={{{written}}}")
        yield from without_arguments(call, further[1:], source)
    elif isinstance(kept, ast.Dict):
        _, end = span_of(kept, source)
        yield Edit(end - 1, end - 1, f", {written}" if kept.keys else written)
        yield from without_arguments(call, further, source)
