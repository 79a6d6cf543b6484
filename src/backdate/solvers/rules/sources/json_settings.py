"""Settings of an application's JSON that Flask 2.3 does not read any more: attributes of its provider.

Nothing fails where they are set, and the answers differ: keys are sorted, letters escaped.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import arguments_of, edited_files, without_arguments
from backdate.text import version_numbers

_ATTRIBUTES = {
    "JSON_AS_ASCII": "ensure_ascii = {value}",
    "JSON_SORT_KEYS": "sort_keys = {value}",
    "JSONIFY_MIMETYPE": "mimetype = {value}",
    "JSONIFY_PRETTYPRINT_REGULAR": "compact = not {value}",
}
_APPLICATION, _PROVIDER = "flask.app.Flask", "json"
_SAID = "an application's JSON is set at its provider, and no setting of its configuration is read"
_SINCE = (2, 3)
_PLAIN = (ast.Constant, ast.Name, ast.Attribute, ast.Call, ast.Subscript)
_CHANGE = DocumentedChange(
    library="flask",
    since="2.3",
    said=_SAID,
    source="https://flask.palletsprojects.com/en/stable/changes/#version-2-3-0",
)


def unread_settings(evidence: FixEvidence) -> Iterator[FailureGroup]:
    """A group of the executed lines that set what is not read any more, if there are any."""
    old, new = evidence.versions_of("flask")
    if not old or not new or not version_numbers(old) < _SINCE <= version_numbers(new):
        return
    places = tuple(
        place
        for file, lines in (evidence.executed or {}).items()
        if any(name in evidence.texts.get(file, "") for name in _ATTRIBUTES)
        for place in (SourcePlace(file=file, line=line) for line in sorted(lines))
        if _edits(place, evidence)
    )
    if places:
        cause = Cause(
            kind=CauseKind.OTHER_ERROR,
            type="",
            message=_SAID,
            name=_PROVIDER,
            owner=_APPLICATION,
            owner_is="type",
            distribution="flask",
            version=new,
        )
        yield FailureGroup(cause=cause, tests=(), places=places)


def json_settings(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``app.json.sort_keys = False`` for each setting of ``unread_settings``; None for any other failure."""
    if group.tests or (group.cause.owner, group.cause.name) != (_APPLICATION, _PROVIDER):
        return None
    edits: dict[str, set[Edit]] = {}
    for place in group.places:
        for edit in _edits(place, evidence):
            edits.setdefault(place.file, set()).add(edit)
    if not edits:
        return None
    return _CHANGE.mended(
        edited_files(evidence.texts, edits),
        key=f"settings of JSON in {', '.join(edits)}",
        places=group.places,
    )


def _edits(place: SourcePlace, evidence: FixEvidence) -> tuple[Edit, ...]:
    """What the statement that begins at ``place`` becomes; nothing where it sets nothing of that."""
    text = evidence.texts.get(place.file, "")
    tree = parsed_or_none(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Assign | ast.Expr) and node.lineno == place.line:
            found = _of_item(node) if isinstance(node, ast.Assign) else _of_update(node)
            application, settings = found
            if settings and _is_application(application, place, evidence):
                return _written(node, application, settings, text)
    return ()


def _is_application(expression: str, place: SourcePlace, evidence: FixEvidence) -> bool:
    return any(
        one.file == place.file
        and one.line == place.line
        and one.expression == expression
        and one.class_name == _APPLICATION
        for one in evidence.objects
    )


def _configured(node: ast.expr) -> str:
    """``app`` of ``app.config``; "" for anything else."""
    return ast.unparse(node.value) if isinstance(node, ast.Attribute) and node.attr == "config" else ""


def _of_item(statement: ast.Assign) -> tuple[str, list[tuple[str, ast.expr]]]:
    """The application and the setting of ``app.config["NAME"] = value``."""
    target = statement.targets[0]
    if len(statement.targets) != 1 or not isinstance(target, ast.Subscript):
        return "", []
    name = target.slice.value if isinstance(target.slice, ast.Constant) else None
    settings = [(name, statement.value)] if isinstance(name, str) and name in _ATTRIBUTES else []
    return _configured(target.value), settings


def _of_update(statement: ast.Expr) -> tuple[str, list[tuple[str, ast.expr]]]:
    """The application and the settings of ``app.config.update(NAME=value)``."""
    call = statement.value
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return "", []
    given = [(one.arg or "", one.value) for one in call.keywords if (one.arg or "") in _ATTRIBUTES]
    updates = call.func.attr in ("update", "from_mapping")
    return (_configured(call.func.value), given) if updates else ("", [])


def _written(
    statement: ast.Assign | ast.Expr, application: str, settings: list[tuple[str, ast.expr]], text: str
) -> tuple[Edit, ...]:
    source = SourceText(text)
    start = source.offset(statement.lineno, statement.col_offset)
    end = source.offset(statement.end_lineno or statement.lineno, statement.end_col_offset or 0)
    indentation = text[text.rfind("\n", 0, start) + 1 : start]
    behind = text[end:].partition("\n")[0].partition("#")[0]
    if indentation.strip() or behind.strip():
        return ()
    written = [f"{application}.json.{_attribute(name, value)}" for name, value in settings]
    call = statement.value
    if isinstance(statement, ast.Assign) or not isinstance(call, ast.Call):
        return (Edit(start, end, f"\n{indentation}".join(written)),)
    names = {name for name, _ in settings}
    gone = [one for one in call.keywords if one.arg in names]
    if len(gone) == len(arguments_of(call)):
        return (Edit(start, end, f"\n{indentation}".join(written)),)
    before = "".join(f"{line}\n{indentation}" for line in written)
    return (Edit(start, start, before), *without_arguments(call, gone, source))


def _attribute(name: str, value: ast.expr) -> str:
    if name == "JSONIFY_PRETTYPRINT_REGULAR" and isinstance(value, ast.Constant):
        return f"compact = {not value.value}"
    code = ast.unparse(value)
    return _ATTRIBUTES[name].format(value=code if isinstance(value, _PLAIN) else f"({code})")
