"""Tags and filters that Django's templates have no more: in pages of a project, and in texts of its code."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.editing.python_strings import SourceText
from backdate.editing.spans import Edit, apply_edits
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import span_of
from backdate.solvers.rules.template_files import template_texts

_NOTES = "https://docs.djangoproject.com/en/stable/releases/"
_ARGUMENT = r"""("[^"\n]*"|'[^'\n]*'|[^\s%]+)"""
_LOAD = re.compile(r"(\{%[ \t]*load[ \t])([^%{}\n]{1,500})(%\}(?:\r?\n)?)")
_IF_EQUAL = re.compile(rf"(\{{%[ \t]*)if(not)?equal[ \t]+{_ARGUMENT}[ \t]+{_ARGUMENT}([ \t]*%\}})")
_END_EQUAL = re.compile(r"(\{%[ \t]*)endif(?:not)?equal([ \t]*%\})")
_LENGTH_IS = re.compile(r"\|length_is:[ \t]*(?:\"(\d+)\"|'(\d+)'|([\w.]+))")
_IF_TAG = re.compile(r"\{%[ \t]*(?:el)?if[ \t][^%{}\n]*%\}")
_STATIC = ("staticfiles", "admin_static")


@dataclass(frozen=True, slots=True)
class _TemplateChange:
    change: DocumentedChange
    said: re.Pattern[str]
    """By the error."""
    mended: Callable[[str], str]


def _loads(text: str) -> str:
    return _LOAD.sub(_load, text)


def _load(match: re.Match[str]) -> str:
    """The tag with the libraries that there are; ``{% load TAGS from LIBRARY %}`` is another form of it."""
    named = match[2].split()
    if named[-2:] == ["from", "future"]:
        return ""
    if named[-2:-1] == ["from"]:
        tags = named[:-2]
        new = named if named[-1] not in _STATIC else tags if tags == ["static"] else [*tags, "from", "static"]
    else:
        new = list(dict.fromkeys("static" if name in _STATIC else name for name in named))
    end = match[2][len(match[2].rstrip()) :]
    return match[0] if new == named else f"{match[1]}{' '.join(new)}{end}{match[3]}"


def _equal(text: str) -> str:
    text = _IF_EQUAL.sub(lambda tag: f"{tag[1]}if {tag[3]} {'!=' if tag[2] else '=='} {tag[4]}{tag[5]}", text)
    return _END_EQUAL.sub(r"\1endif\2", text)


def _lengths(text: str) -> str:
    def written(length: re.Match[str]) -> str:
        return f"|length == {length[1] or length[2] or length[3]}"

    return _IF_TAG.sub(lambda tag: _LENGTH_IS.sub(written, tag[0]), text)


_CHANGES = (
    _TemplateChange(
        DocumentedChange(
            library="django",
            since="3.0",
            said="staticfiles and admin_static are loaded as static",
            source=f"{_NOTES}3.0/#features-removed-in-3-0",
        ),
        re.compile(r"'(?:staticfiles|admin_static)' is not a registered tag library"),
        _loads,
    ),
    _TemplateChange(
        DocumentedChange(
            library="django",
            since="1.9",
            said="nothing is loaded from future any more: its tags are built in",
            source=f"{_NOTES}1.9/#features-removed-in-1-9",
        ),
        re.compile(r"'future' is not a registered tag library"),
        _loads,
    ),
    _TemplateChange(
        DocumentedChange(
            library="django",
            since="4.0",
            said="if takes the place of ifequal and ifnotequal",
            source=f"{_NOTES}4.0/#features-removed-in-4-0",
        ),
        re.compile(r"Invalid block tag on line \d+: '(?:end)?if(?:not)?equal'"),
        _equal,
    ),
    _TemplateChange(
        DocumentedChange(
            library="django",
            since="5.1",
            said="length and == take the place of length_is",
            source=f"{_NOTES}5.1/#features-removed-in-5-1",
        ),
        re.compile(r"Invalid filter: 'length_is'"),
        _lengths,
    ),
)


def django_templates(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """All templates without all that Django has no more, where the error is about a part of that; else None.

    A template is read until its first mistake, and each would take a run of its own.
    """
    said = "\n".join(message[:2000] for message in group.messages)
    between = [one for one in _CHANGES if one.change.lies_between(evidence)]
    met = next((one for one in between if one.said.search(said)), None)
    if met is None:
        return None
    edits: dict[str, str] = {}
    made: dict[DocumentedChange, None] = {met.change: None}
    for file, text in template_texts(evidence.tree):
        edits[file] = _mended(text, between, made)
        if edits[file] == text:
            del edits[file]
    edits |= _in_code(between, evidence, made)
    if not edits:
        return None
    files = tuple(FileEdit(file=file, text=text) for file, text in edits.items())
    places = tuple(SourcePlace(file=file, line=1) for file in edits)
    found = [change.mended(files, key="templates of Django", places=places) for change in made]
    return replace(found[0], why=tuple(why for one in found for why in one.why))


def _mended(text: str, changes: Sequence[_TemplateChange], made: dict[DocumentedChange, None]) -> str:
    """The text with all changes; those that it needs go to ``made``."""
    for one in changes:
        after = one.mended(text)
        if after != text:
            made[one.change] = None
        text = after
    return text


def _in_code(
    changes: Sequence[_TemplateChange], evidence: FixEvidence, made: dict[DocumentedChange, None]
) -> dict[str, str]:
    """The files of code with templates in their texts, mended."""
    files = {}
    for file, text in evidence.texts.items():
        tree = parsed_or_none(text) if "{%" in text and file not in evidence.kept_files else None
        source, edits = SourceText(text), set[Edit]()
        for node in ast.walk(tree) if tree is not None else ():
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "{%" in node.value:
                start, end = span_of(node, source)
                after = _mended(text[start:end], changes, made)
                if after != text[start:end]:
                    edits.add(Edit(start, end, after))
        if edits:
            files[file] = apply_edits(text, sorted(edits))
    return files
