"""Members of enumerations that are texts or numbers as well, and that Python 3.11 shows otherwise.

``f"{Colour.RED}"`` of ``class Colour(str, Enum)`` was "red", and is "Colour.RED" now; ``str(Size.BIG)`` of an
``IntEnum`` was "Size.BIG", and is "3". The error is far from the class: it holds the text that was made.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from backdate.advice import SourcePlace
from backdate.editing.python_source import parsed_or_none
from backdate.knowledge.changes import PYTHON
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import with_methods
from backdate.text import version_numbers

_SINCE = (3, 11)
_MEMBER = re.compile(r"(?<![A-Za-z0-9<])(?P<owner>[A-Z]\w{0,100})\.(?P<member>[A-Za-z]\w{0,100})")
_NUMBER_AS_TEXT = re.compile(r"Unknown format code '[bcdeEfFgGnoxX%]' for object of type 'str'")
_MIXED = frozenset({"str", "int", "float", "bytes"})
_NUMBERS = frozenset({"IntEnum", "IntFlag"})
_SHOWN = ("__str__", "__format__", "__repr__")
_MOST = 4
"""Classes that one message leads to."""
_FORMAT = ("def __format__(self, format_spec):", "    return format(self.value, format_spec)")
_TEXT = ("def __str__(self):", '    return f"{type(self).__name__}.{self.name}"')
_CHANGE = DocumentedChange(
    library=PYTHON,
    since="3.11",
    said="members of enumerations with another type are shown otherwise",
    source="https://docs.python.org/3/whatsnew/3.11.html#enum",
)


def shown_as_before(group: FailureGroup, evidence: FixEvidence) -> Iterator[Proposal]:
    """For each enumeration of the project that the error shows a member of: methods that show it as before.

    None where the interpreter did not move past 3.11.
    """
    old, new = (version_numbers(version) for version in evidence.versions_of(PYTHON))
    if not old or not new or not old[:2] < _SINCE <= new[:2]:
        return
    message = group.cause.message
    owners = dict.fromkeys((found["owner"], found["member"]) for found in _MEMBER.finditer(message))
    shown = (one for owner in owners for one in _classes(*owner, evidence.texts))
    found = _of_numbers(evidence.texts) if _NUMBER_AS_TEXT.search(message) else shown
    made: set[tuple[str, int]] = set()
    for file, definition, methods in found:
        if len(made) >= _MOST:
            return
        if (file, definition.lineno) in made:
            continue
        made.add((file, definition.lineno))
        yield _CHANGE.mended(
            (FileEdit(file=file, text=with_methods(evidence.texts[file], definition, methods)),),
            key=f"how members of {definition.name} in {file} are shown",
            places=(SourcePlace(file=file, line=definition.lineno),),
        )


def _of_numbers(texts: Mapping[str, str]) -> Iterator[tuple[str, ast.ClassDef, tuple[tuple[str, ...], ...]]]:
    """The enumerations of numbers: which of them was formatted as a number the error does not say."""
    for file, text in texts.items():
        tree = parsed_or_none(text) if "Enum" in text else None
        for node in ast.walk(tree) if tree is not None else ():
            bases = _bases(node) if isinstance(node, ast.ClassDef) else ()
            of_numbers = {"float", "int"}.intersection(bases) and any(base.endswith("Enum") for base in bases)
            if isinstance(node, ast.ClassDef) and of_numbers and not _is_shown(node):
                yield file, node, (_FORMAT,)


def _is_shown(definition: ast.ClassDef) -> bool:
    """Whether a class says itself how its members are shown."""
    return any(getattr(one, "name", "") in _SHOWN for one in definition.body)


def _classes(
    owner: str, member: str, texts: Mapping[str, str]
) -> Iterator[tuple[str, ast.ClassDef, tuple[tuple[str, ...], ...]]]:
    """By file the class that mixes the types, itself or one that it is made from, and the methods."""
    known = {
        node.name: (file, node)
        for file, text in texts.items()
        if "enum" in text or owner in text
        for node in ast.walk(parsed_or_none(text) or ast.Module(body=[], type_ignores=[]))
        if isinstance(node, ast.ClassDef)
    }
    found = known.get(owner)
    if found is None or not any(member in _names(node) for node in found[1].body):
        return
    for name in (owner, *_bases(found[1])):
        file, node = known.get(name, ("", None))
        if node is None or _is_shown(node):
            continue
        bases = _bases(node)
        if _NUMBERS.intersection(bases):
            yield file, node, (_TEXT, _FORMAT)
            return
        if _MIXED.intersection(bases) and len(bases) > 1:
            yield file, node, (_FORMAT,)
            return


def _bases(definition: ast.ClassDef) -> tuple[str, ...]:
    """The last parts of the names of its base classes."""
    return tuple(
        base.attr if isinstance(base, ast.Attribute) else base.id
        for base in definition.bases
        if isinstance(base, ast.Attribute | ast.Name)
    )


def _names(node: ast.stmt) -> Iterator[str]:
    targets = node.targets if isinstance(node, ast.Assign) else ()
    yield from (target.id for target in targets if isinstance(target, ast.Name))
