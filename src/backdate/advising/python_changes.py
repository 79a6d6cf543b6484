"""What a release of Python changed that a project meets, beside names that are gone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from backdate.advice import PythonChange, SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.project_uses import ProjectUses
from backdate.diagnosis.api import MOST_NAMES
from backdate.diagnosis.known_changes import change_behind
from backdate.diagnosis.result import Cause
from backdate.knowledge import load
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import in_standard_library
from backdate.text import minor_version, version_numbers


def python_changes(
    pair: EnvironmentPair, causes: Sequence[tuple[Cause, tuple[SourcePlace, ...]]], uses: ProjectUses
) -> tuple[PythonChange, ...]:
    """What the tables know of ``causes`` (each with the project's lines), and attributes of the project's
    classes that their base classes have as well since the newer interpreter; each with all of its lines.
    Raises SandboxUnavailable.
    """
    found: dict[tuple[str, str, str], tuple[SourcePlace, ...]] = {}
    for cause, places in causes:
        known = change_behind(cause, culprit=PYTHON)
        if known is not None and known.distribution == PYTHON and known.note and not known.replacement:
            told = (known.since, known.note, known.source)
            found[told] = tuple(dict.fromkeys((*found.get(told, ()), *places)))
    known_ones = [
        PythonChange(since=since, what=what, source=source, places=places)
        for (since, what, source), places in found.items()
    ]
    return tuple(dict.fromkeys((*known_ones, *_of_base_classes(pair, uses))))


def _of_base_classes(pair: EnvironmentPair, uses: ProjectUses) -> list[PythonChange]:
    """Attributes that a class of the project defines, and by now its base class of Python too."""
    defined = {name: tuple(places) for name, places in uses.defined.items() if in_standard_library(name)}
    old, new = (environment.choice.interpreter.version for environment in (pair.old, pair.new))
    rows = [
        (dotted, row.since, row.note, row.source)
        for row in load.python_changes()
        if row.kind == "attribute"
        and version_numbers(old) < version_numbers(row.since) <= version_numbers(new)
        for owner in row.owners
        for attribute in row.names
        if (dotted := f"{owner}.{attribute}") in defined
    ]
    known = {
        dotted: PythonChange(
            since=since, what=_collision(dotted, note), source=source, places=defined[dotted]
        )
        for dotted, since, note, source in rows
    }
    asked = [name for name in sorted(defined) if name not in known][:MOST_NAMES]
    return [*known.values(), *_asked(pair, asked, defined, minor_version(new))]


def _asked(
    pair: EnvironmentPair,
    names: Sequence[str],
    defined: Mapping[str, tuple[SourcePlace, ...]],
    version: str,
) -> list[PythonChange]:
    if not names:
        return []
    before = pair.ask_old(names[:MOST_NAMES])
    missing = [name for name in names if name in before and not before[name].present]
    bases = {name.rpartition(".")[0] for name in missing}
    there = {name for name, member in pair.ask_old(sorted(bases)).items() if member.present}
    candidates = [name for name in missing if name.rpartition(".")[0] in there]
    if not candidates:
        return []
    after = [member for member in pair.ask_new(candidates).values() if member.present]
    source = f"https://docs.python.org/3/whatsnew/{version}.html"
    return [
        PythonChange(
            since=version, what=_collision(member.name, ""), source=source, places=defined[member.name]
        )
        for member in after
    ]


def _collision(dotted: str, note: str) -> str:
    owner, _, attribute = dotted.rpartition(".")
    return f"{owner} has `{attribute}` of its own{f': {note}' if note else ''}"
