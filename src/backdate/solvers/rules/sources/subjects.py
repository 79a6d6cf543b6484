"""What a group of failures is about: the names of libraries that its lines use and its error means."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from packaging.utils import canonicalize_name

from backdate.advice import SourcePlace
from backdate.diagnosis.owners import BUILTIN
from backdate.diagnosis.result import Cause, CauseKind
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import aliases
from backdate.solvers.rules.executed import statement_around
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence

_WORD = re.compile(r"[A-Za-z]\w{3,80}")
_MOST_READ = 2_000
_CONSTRUCTORS = ("__init__", "__new__", "__call__")
_MOST_SUBJECTS = 12
_NAMED_KINDS = (
    CauseKind.MISSING_ATTRIBUTE,
    CauseKind.MISSING_NAME,
    CauseKind.MISSING_MODULE,
    CauseKind.REMOVED,
)
_CALL_KINDS = (CauseKind.UNEXPECTED_ARGUMENT, CauseKind.ARGUMENT_COUNT)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """One name that a failure may be about."""

    name: str
    """Dotted as the project uses it: "numpy.product"; of objects with their class, "DataFrame.append"."""
    argument: str = ""
    """A keyword argument of it."""
    distribution: str
    """Normalised; "python" for the standard library."""
    of_object: bool = False
    """Whether it is an attribute of objects, and ``name`` begins with their class."""
    named: bool = True
    """Whether the error itself names it, and not its line alone."""
    places: tuple[SourcePlace, ...]
    """Where it is used: on lines that the failing tests run, and on the group's lines."""

    @property
    def leaf(self) -> str:
        """The last part of the name."""
        return self.name.rpartition(".")[2]

    @property
    def owner(self) -> str:
        """The name without its last part."""
        return self.name.rpartition(".")[0]


def subjects_of(group: FailureGroup, evidence: FixEvidence) -> tuple[Subject, ...]:
    """What ``group`` is about, the likeliest first."""
    found: dict[tuple[str, str], Subject] = {}
    for subject in _subjects(group, evidence):
        found.setdefault((subject.name, subject.argument), subject)
    return tuple(found.values())[:_MOST_SUBJECTS]


def _subjects(group: FailureGroup, evidence: FixEvidence) -> Iterator[Subject]:
    cause = group.cause
    on_lines = tuple(names_on_lines(group.places, evidence))
    if cause.kind in _NAMED_KINDS:
        yield from _missing(group, evidence, on_lines)
    elif cause.kind in _CALL_KINDS:
        yield from _called(group, evidence, on_lines)
    for name in on_lines:
        yield _subject(name, "", group, evidence, named=False)
    for name in _mentioned(cause, on_lines, evidence):
        yield _subject(name, "", group, evidence)


def _mentioned(cause: Cause, on_lines: Iterable[str], evidence: FixEvidence) -> Iterator[str]:
    """What the error is about in prose, and what the project uses elsewhere: a function in a table that the
    failing line calls."""
    if cause.kind in _CALL_KINDS:
        return
    words = {word for word in _WORD.findall(cause.message[:_MOST_READ]) if _is_no_plain_word(word)}
    known = set(on_lines)
    for name, uses in evidence.uses.names.items() if words else ():
        moved = evidence.distribution_of(name) in evidence.versions
        if moved and name not in known and not uses.of_object and name.rpartition(".")[2] in words:
            yield name


def _is_no_plain_word(word: str) -> bool:
    """Whether it is a name and no word of a language: "indigenous_day", "PdfReader"."""
    return "_" in word.strip("_") or (word[:1].isupper() and not word[1:].islower() and not word.isupper())


def _missing(group: FailureGroup, evidence: FixEvidence, on_lines: Iterable[str]) -> Iterator[Subject]:
    cause = group.cause
    dotted = _whole_name(cause)
    if dotted in evidence.uses.names:
        yield _subject(dotted, "", group, evidence)
    known = False
    for name in on_lines:
        if name.rpartition(".")[2] == cause.name or name == dotted or name.startswith(f"{dotted}."):
            known = True
            yield _subject(name, "", group, evidence)
    if dotted and cause.owner_is != "type":
        yield _subject(dotted, "", group, evidence)
    elif cause.owner_is == "type" and cause.name and not known:
        owner = cause.owner.rpartition(".")[2]
        places = _of_attribute(owner, cause.name, evidence)
        yield Subject(
            name=f"{owner}.{cause.name}",
            distribution=distribution_of_cause(cause),
            of_object=True,
            places=tuple(dict.fromkeys((*group.places, *places))),
        )


def _whole_name(cause: Cause) -> str:
    dotted = cause.dotted
    first, dot, rest = dotted.partition(".")
    return f"{aliases().get(first, first)}{dot}{rest}"


def _of_attribute(owner: str, attribute: str, evidence: FixEvidence) -> Iterator[SourcePlace]:
    """Executed lines that use an attribute of objects of a class with that last name."""
    end = f".{owner}.{attribute}"
    for name, uses in evidence.uses.names.items():
        if uses.of_object and name.endswith(end):
            yield from evidence.executed_of(uses.places)


def _called(group: FailureGroup, evidence: FixEvidence, on_lines: Iterable[str]) -> Iterator[Subject]:
    cause = group.cause
    parts = [part for part in cause.owner.split(".") if part and part not in _CONSTRUCTORS]
    leaf = parts[-1] if parts else ""
    argument = cause.name if cause.kind is CauseKind.UNEXPECTED_ARGUMENT else ""
    if cause.owner in evidence.uses.names:
        yield _subject(cause.owner, argument, group, evidence)
    names = tuple(on_lines)
    for name in names:
        if leaf and name.rpartition(".")[2] == leaf:
            yield _subject(name, argument, group, evidence)
    if parts != cause.owner.split(".") and not leaf and not argument:
        for name in names:  # Python before 3.10 does not say of which class "__init__" is
            if name.rpartition(".")[2][:1].isupper():
                yield _subject(name, "", group, evidence)
    for name in names:  # an alias, or a function that hands its arguments on
        if argument and argument in evidence.uses.names[name].keywords:
            yield _subject(name, argument, group, evidence)


def _subject(
    name: str, argument: str, group: FailureGroup, evidence: FixEvidence, *, named: bool = True
) -> Subject:
    uses = evidence.uses.names.get(name)
    places: tuple[SourcePlace, ...] = ()
    if uses is not None:
        used = uses.keywords.get(argument, {}) if argument else uses.places
        near = [place for place in used if _near(place, group.places, evidence)]
        places = tuple(dict.fromkeys((*near, *evidence.executed_of(used))))
    below = _below(name, evidence) if not argument else ()
    return Subject(
        name=name,
        argument=argument,
        distribution=evidence.distribution_of(name) or distribution_of_cause(group.cause),
        of_object=uses is not None and uses.of_object,
        named=named,
        places=tuple(dict.fromkeys((*places, *below))) or group.places,
    )


def _below(name: str, evidence: FixEvidence) -> Iterator[SourcePlace]:
    """Executed uses of what is in a module or class."""
    for used, uses in evidence.uses.names.items():
        if used.startswith(f"{name}."):
            yield from evidence.executed_of(uses.places)


def names_on_lines(places: Iterable[SourcePlace], evidence: FixEvidence) -> Iterator[str]:
    """The dotted names of libraries that the statements at ``places`` use, the longest first."""
    around: dict[str, set[int]] = {}
    for place in places:
        text = evidence.texts.get(place.file, "")
        around.setdefault(place.file, set()).update(statement_around(text, place.line))
    names = [
        name
        for name, uses in evidence.uses.names.items()
        if evidence.distribution_of(name)
        and any(place.line in around.get(place.file, ()) for place in uses.places)
    ]
    yield from sorted(names, key=lambda name: -name.count("."))


def _near(place: SourcePlace, places: Iterable[SourcePlace], evidence: FixEvidence) -> bool:
    same_file = [one for one in places if one.file == place.file]
    if not same_file:
        return False
    text = evidence.texts.get(place.file, "")
    return any(place.line in statement_around(text, one.line) for one in same_file)


def distribution_of_cause(cause: Cause) -> str:
    """The distribution that a cause names; "" where it names none."""
    named = cause.distribution or next(iter(cause.related), "")
    return PYTHON if named == BUILTIN else canonicalize_name(named) if named else ""


def library_behind(group: FailureGroup, evidence: FixEvidence) -> str:
    """The distribution to name for a value that changed: a builtin's error is of the library that made it.

    That is the one that moved and that the failing lines use; else the one that the cause names.
    """
    moved = (one for one in libraries_of(group, evidence) if one in evidence.versions and one != PYTHON)
    named = distribution_of_cause(group.cause)
    return next(moved, named) if named in ("", PYTHON) else named


def libraries_of(group: FailureGroup, evidence: FixEvidence) -> tuple[str, ...]:
    """The distributions that may be behind a group, the likeliest first; Python last."""
    cause = group.cause
    related = [PYTHON if one == BUILTIN else canonicalize_name(one) for one in cause.related]
    used = [evidence.distribution_of(name) for name in names_on_lines(group.places, evidence)]
    found = dict.fromkeys((distribution_of_cause(cause), *related, *used))
    return (*(one for one in found if one and one != PYTHON), PYTHON)
