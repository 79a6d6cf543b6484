"""Proposals for bodies of classes that a library reads: defaults, annotations, attributes it asks for."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.subjects import library_behind
from backdate.text import version_numbers

_LONGEST = 4_000
_MIGRATION = "https://docs.pydantic.dev/latest/migration/#required-optional-and-nullable-fields"
_VALIDATION = re.compile(r"\bvalidation errors? for (?P<model>\w{1,120})")
_REQUIRED = re.compile(r"^(?P<path>\S{1,240})\n\s+Field required \[type=missing", re.MULTILINE)
_UNANNOTATED = re.compile(r"A non-annotated attribute was detected: `(?P<name>\w{1,120}) = [^\n]{0,400}")
_ASKED = re.compile(
    r"for \"(?P<owner>\w{1,120})\.\w{1,120}\" [\s\S]{0,900}?"
    r"set \"(?P<name>__\w{1,80}__) = (?P<value>True|False|None)\" on the class"
)
_PYDANTIC_2 = (2, 0)
_OF_MODELS = ("BaseModel", "pydantic")
"""What files hold that define models: where a base is the project's own, they import ``Field`` alone."""


def class_bodies(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """What a class has to say in its body by now; None where the error asks for nothing of the kind."""
    message = group.cause.message[:_LONGEST]
    return (
        _optional_fields(message, group, evidence)
        or _annotated(message, group, evidence)
        or _asked_attribute(message, group, evidence)
    )


def _optional_fields(message: str, group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``= None`` for fields that may be None, which have no default any more (pydantic 2.0)."""
    found = _VALIDATION.search(message)
    old, new = evidence.versions_of("pydantic")
    moved = bool(old and new) and version_numbers(old) < _PYDANTIC_2 <= version_numbers(new)
    if found is None or not moved:
        return None
    paths = [match["path"] for match in _REQUIRED.finditer(message)]
    leaves = {path.rpartition(".")[2] for path in paths}
    nested = any("." in path for path in paths)
    files = _of_interest(group, evidence, *(_OF_MODELS if nested else (found["model"],)))
    texts = _TextsOfNames(evidence.texts)
    if not nested and not any(
        _says(evidence.texts.get(file, ""), found["model"], leaves, texts) for file in files
    ):
        # the model has the field from a class that it is made from, which another file may hold
        nested = any(f"class {found['model']}(" in evidence.texts.get(file, "") for file in files)
        files = _of_interest(group, evidence, *_OF_MODELS) if nested else ()

    def edits(text: str, tree: ast.Module) -> Iterator[Edit]:
        source = SourceText(text)
        for owner in _classes(tree):
            fields = {name: field for name, field in _bare_fields(owner) if _may_be_none(field)}
            if (leaves & _meant(fields.values(), texts)) if nested else owner.name == found["model"]:
                for field in fields.values():
                    yield _none_for(source, field)

    said = "a field that may be None has no default"
    why = AdviceEvidence(kind=EvidenceKind.KNOWN, text=said, since="2.0", source=_MIGRATION)
    return _proposal(group, "pydantic", _edited(evidence, files, edits), "fields that may be None", why)


def _annotated(message: str, group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The type of a field that says none, by its default's (pydantic 2.0); all of the class at once."""
    found = _UNANNOTATED.search(message)
    if found is None:
        return None

    def edits(text: str, tree: ast.Module) -> Iterator[Edit]:
        source = SourceText(text)
        for owner in _classes(tree):
            plain = list(_unannotated(owner))
            if not any(name.id == found["name"] for name, _ in plain):
                continue
            for name, value in plain:
                end = source.offset(name.end_lineno or name.lineno, name.end_col_offset or 0)
                yield Edit(end, end, f": {type(value.value).__name__}")

    why = AdviceEvidence(kind=EvidenceKind.MESSAGE, text=found[0], source=_MIGRATION)
    files = tuple(dict.fromkeys(place.file for place in group.places))
    return _proposal(group, "pydantic", _edited(evidence, files, edits), "annotations of fields", why)


def _asked_attribute(message: str, group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """An attribute that the error asks for by name and value, in the class that it names."""
    found = _ASKED.search(message)
    if found is None:
        return None

    def edits(text: str, tree: ast.Module) -> Iterator[Edit]:
        source = SourceText(text)
        for owner in _classes(tree):
            says = {name.id for node in owner.body for name in ast.walk(node) if isinstance(name, ast.Name)}
            if owner.name == found["owner"] and found["name"] not in says:
                documented = len(owner.body) > 1 and ast.get_docstring(owner) is not None
                first = owner.body[1 if documented else 0]
                if first.lineno > owner.lineno and not getattr(first, "decorator_list", ()):
                    start = source.offset(first.lineno, first.col_offset)
                    line = text.rfind("\n", 0, start) + 1
                    yield Edit(line, line, f"{text[line:start]}{found['name']} = {found['value']}\n")

    why = AdviceEvidence(
        kind=EvidenceKind.MESSAGE, text=f'set "{found["name"]} = {found["value"]}" on the class'
    )
    files = _of_interest(group, evidence, found["owner"])
    edited = _edited(evidence, files, edits)
    key = f"{found['name']} of {found['owner']}"
    return _proposal(group, library_behind(group, evidence), edited, key, why)


def _proposal(
    group: FailureGroup, distribution: str, edited: tuple[FileEdit, ...], key: str, why: AdviceEvidence
) -> Proposal | None:
    if not edited:
        return None
    return Proposal(
        origin=ProposalOrigin.RESTRUCTURING,
        distribution="" if distribution == PYTHON else distribution,
        file_edits=edited,
        edits_key=f"{key} in {', '.join(edit.file for edit in edited)}",
        places=tuple(SourcePlace(file=place.file, line=place.line) for place in group.places),
        why=(why,),
    )


def _edited(
    evidence: FixEvidence, files: Iterable[str], edits: Callable[[str, ast.Module], Iterator[Edit]]
) -> tuple[FileEdit, ...]:
    """The files that ``edits`` changes, as they are then."""
    found: list[FileEdit] = []
    for file in files:
        text = evidence.texts.get(file, "")
        tree = parsed_or_none(text)
        changed = "" if tree is None else apply_edits(text, sorted(set(edits(text, tree))))
        if changed not in ("", text):
            found.append(FileEdit(file=file, text=changed))
    return tuple(found)


def _of_interest(group: FailureGroup, evidence: FixEvidence, *words: str) -> tuple[str, ...]:
    """The files of the failure, and then all others that hold one of ``words``."""
    others = (file for file, text in sorted(evidence.texts.items()) if any(word in text for word in words))
    return tuple(dict.fromkeys((*(place.file for place in group.places), *others)))


def _classes(tree: ast.Module) -> Iterator[ast.ClassDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef) and node.bases)


def _bare_fields(owner: ast.ClassDef) -> Iterator[tuple[str, ast.AnnAssign]]:
    """Annotated names of a class without a default: no value, or a call of ``Field`` that gives none."""
    for node in owner.body:
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        if node.value is None or _lacks_default(node.value):
            yield node.target.id, node


def _lacks_default(value: ast.expr) -> bool:
    name = value.func if isinstance(value, ast.Call) else None
    leaf = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
    if not isinstance(value, ast.Call) or leaf != "Field" or value.args:
        return False
    return not {keyword.arg for keyword in value.keywords} & {"default", "default_factory", None}


class _TextsOfNames:
    """What names stand for that some file of the project assigns a literal text: ``ATTR_ID = "9003"``."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._known: dict[str, str] = {}

    def of(self, value: ast.expr) -> str:
        """The text that an expression is; "" where that cannot be read."""
        if isinstance(value, ast.Constant):
            return str(value.value)
        name = value.attr if isinstance(value, ast.Attribute) else getattr(value, "id", "")
        if name and name not in self._known:
            assigned = re.compile(
                rf"^{re.escape(name)}[ \t]{{0,9}}(?::[^=\n]{{0,80}})?=[ \t]{{0,9}}(['\"])(.{{0,120}}?)\1",
                re.MULTILINE,
            )
            matches = (assigned.search(text) for text in self._texts.values() if name in text)
            self._known[name] = next((match[2] for match in matches if match), "")
        return self._known.get(name, "")


def _says(text: str, model: str, names: Collection[str], texts: _TextsOfNames) -> bool:
    """Whether a file has the model, and that itself one of the fields."""
    tree = parsed_or_none(text)
    return tree is not None and any(
        owner.name == model
        and not _meant((field for _, field in _bare_fields(owner)), texts).isdisjoint(names)
        for owner in _classes(tree)
    )


def _meant(fields: Iterable[ast.AnnAssign], texts: _TextsOfNames) -> set[str]:
    """The names by which an error may mean fields: their own, and their aliases."""
    found: set[str] = set()
    for field in fields:
        keywords = field.value.keywords if isinstance(field.value, ast.Call) else ()
        aliases = [given.value for given in keywords if given.arg in ("alias", "validation_alias")]
        found |= set(filter(None, map(texts.of, aliases)))
        found |= {field.target.id} if isinstance(field.target, ast.Name) else set()
    return found


def _none_for(source: SourceText, field: ast.AnnAssign) -> Edit:
    """``= None`` behind an annotation; None as the first that ``Field`` is given."""
    if isinstance(field.value, ast.Call):
        function = field.value.func
        behind = source.offset(function.end_lineno or function.lineno, function.end_col_offset or 0)
        start = source.content.index("(", behind) + 1
        own_line = re.match(r"[ \t]{0,80}(\r?\n[ \t]{0,200})\S", source.content[start : start + 400])
        if own_line is not None and field.value.keywords:  # each argument stands on a line of its own
            return Edit(start, start, f"{own_line[1]}None,")
        return Edit(start, start, "None, " if field.value.keywords else "None")
    end = field.annotation
    offset = source.offset(end.end_lineno or end.lineno, end.end_col_offset or 0)
    return Edit(offset, offset, " = None")


def _unannotated(owner: ast.ClassDef) -> Iterator[tuple[ast.Name, ast.Constant]]:
    """Public names of a class and the plain values that they are given without an annotation."""
    for node in owner.body:
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        target, value = node.targets[0], node.value
        if not isinstance(target, ast.Name) or target.id.startswith("_"):
            continue
        if isinstance(value, ast.Constant) and isinstance(value.value, bool | int | float | str):
            yield target, value


def _may_be_none(field: ast.AnnAssign) -> bool:
    """Whether the annotation says so: ``Optional[…]``, ``… | None``, ``Union[…, None]``, ``Any``."""
    annotation = field.annotation
    name = annotation.value if isinstance(annotation, ast.Subscript) else annotation
    leaf = name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")
    members: list[ast.expr] = []
    if isinstance(annotation, ast.Subscript) and leaf == "Union":
        members = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
    elif isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        members = [annotation.left, annotation.right]
    has_none = any(isinstance(one, ast.Constant) and one.value is None for one in members)
    return has_none or leaf in ("Optional", "Any")
