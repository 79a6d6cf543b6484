"""Fields that marshmallow made of the names in ``Meta``: since 4.0 each has to be declared.

``fields.Raw()`` hands a value on as it is, as what was inferred did for texts and numbers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from backdate.diagnosis.result import CauseKind
from backdate.editing.encodings import split_lines
from backdate.editing.python_source import parsed_or_none
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import leaf_of

_LIBRARY = "marshmallow"
_KINDS = (CauseKind.ASSERTION, CauseKind.CHANGED_VALUE, CauseKind.OTHER_ERROR)
_IN_META = ("fields", "additional")
_CHANGE = DocumentedChange(
    library=_LIBRARY,
    since="4.0",
    said="no field is made of a name in Meta: each has to be declared",
    source="https://marshmallow.readthedocs.io/en/stable/upgrading.html",
)


def declared_fields(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """A declaration for each name in ``Meta`` that has none, in the files that the failing tests run."""
    if group.cause.kind not in _KINDS or not _CHANGE.lies_between(evidence):
        return
    texts = {
        file: text
        for file, text in evidence.texts.items()
        if file not in evidence.kept_files and file in (evidence.executed or ())
    }
    edits = tuple(
        FileEdit(file=file, text=text)
        for file, text in with_declarations(texts).items()
        if text != texts[file]
    )
    if edits:
        yield _CHANGE.mended(edits, key="fields that are declared")


def with_declarations(texts: Mapping[str, str]) -> dict[str, str]:
    """The files with a declaration before each ``Meta`` for what it names, and the schema does not have."""
    everywhere = [(file, node) for file, text in texts.items() for node in _classes(text)]
    classes = {node.name: (file, node) for file, node in everywhere}
    found = dict(texts)
    for file, node in sorted(everywhere, key=lambda pair: -pair[1].lineno):
        meta = next((one for one in node.body if isinstance(one, ast.ClassDef) and one.name == "Meta"), None)
        made = _spelled(texts[file]) or _of_its_base(node)
        if meta is None or not made or not _is_schema(node, classes):
            continue
        missing = [name for name in _named_in(meta) if name not in _declared(node, classes)]
        if missing:
            lines = list(split_lines(found[file]))
            head = lines[meta.lineno - 1]
            newline = head[len(head.rstrip("\r\n")) :] or "\n"
            indentation = head[: meta.col_offset]
            added = [f"{indentation}{name} = {made}{newline}" for name in dict.fromkeys(missing)]
            lines[meta.lineno - 1 : meta.lineno - 1] = [*added, newline]
            found[file] = "".join(lines)
    return found


def _classes(text: str) -> Iterator[ast.ClassDef]:
    tree = parsed_or_none(text) if "class " in text else None
    return (node for node in (ast.walk(tree) if tree is not None else ()) if isinstance(node, ast.ClassDef))


def _is_schema(node: ast.ClassDef, classes: Mapping[str, tuple[str, ast.ClassDef]]) -> bool:
    names = [leaf_of(base) for base in node.bases]
    return any(
        name == "Schema" or (name in classes and _is_schema(classes[name][1], classes)) for name in names
    )


def _declared(node: ast.ClassDef, classes: Mapping[str, tuple[str, ast.ClassDef]]) -> set[str]:
    """The names that a class and those it is made from give anything."""
    own = {
        target.id
        for one in node.body
        if isinstance(one, ast.Assign)
        for target in one.targets
        if isinstance(target, ast.Name)
    }
    own |= {
        one.target.id
        for one in node.body
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)
    }
    for base in node.bases:
        if leaf_of(base) in classes and classes[leaf_of(base)][1] is not node:
            own |= _declared(classes[leaf_of(base)][1], classes)
    return own


def _named_in(meta: ast.ClassDef) -> Iterator[str]:
    for one in meta.body:
        if isinstance(one, ast.Assign) and any(leaf_of(target) in _IN_META for target in one.targets):
            for value in one.value.elts if isinstance(one.value, ast.List | ast.Tuple) else ():
                if (
                    isinstance(value, ast.Constant)
                    and isinstance(value.value, str)
                    and value.value.isidentifier()
                ):
                    yield value.value


def _spelled(text: str) -> str:
    """How the file writes the field; "" where it imports neither."""
    for node in ast.walk(parsed_or_none(text) or ast.Module(body=[], type_ignores=[])):
        if isinstance(node, ast.ImportFrom) and node.module == _LIBRARY:
            for one in node.names:
                if one.name == "fields":
                    return f"{one.asname or one.name}.Raw()"
        if isinstance(node, ast.Import):
            for one in node.names:
                if one.name == _LIBRARY:
                    return f"{one.asname or one.name}.fields.Raw()"
    return ""


def _of_its_base(node: ast.ClassDef) -> str:
    """How a class writes the field that is made from ``ma.Schema``: Flask-Marshmallow's object has both."""
    for base in node.bases:
        if isinstance(base, ast.Attribute) and base.attr == "Schema" and isinstance(base.value, ast.Name):
            return f"{base.value.id}.Raw()"
    return ""
