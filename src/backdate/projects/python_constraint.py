"""What a project says about the interpreter that it wants, and the release that this means.

The rule is that of TimeMachine-bench (arXiv 2601.22597): the latest release in the range that the
project declares, released strictly before the instant; where it declares none, the latest minor
that was a year old. Measured against the published rows, a declared ``python_requires`` goes before
classifiers, classifiers count only when they name a minor, and a remark in the README does not move
the default as long as the default satisfies it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from packaging.specifiers import SpecifierSet

from backdate.errors import ConfigurationError
from backdate.projects import python_versions as versions
from backdate.projects.ini import parse_ini
from backdate.projects.read import read_text
from backdate.projects.setup_script import setup_arguments
from backdate.projects.toml import parse_toml
from backdate.timeline.calendar import default_release, latest_release, load_calendar
from backdate.timeline.instants import Instant, format_day

_README = ("README.md", "README.rst", "README.txt", "README", "readme.md", "readme.rst", "Readme.md")
_MENTIONS = (
    # Python >= 3.6 / Python (3.6+) / Python 3.6+ / Python version 3.6 or higher / requires Python 3.7
    re.compile(r"python\s*(?:version)?s?\s*\(?\s*(?:>=|≥)\s*3\.(\d{1,2})(?!\d)", re.IGNORECASE),
    re.compile(r"python\s*(?:version)?s?\s*\(?\s*3\.(\d{1,2})(?:\.\d+)?\s?\+", re.IGNORECASE),
    re.compile(
        r"python\s*(?:version)?\s*3\.(\d{1,2})(?:\.\d+)?\s*(?:or|and|\()\s*(?:higher|above|newer|later|greater|up)\b",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:requires|needs)\s+(?:at least\s+)?python\s*(?:version)?\s*3\.(\d{1,2})(?!\d)", re.IGNORECASE
    ),
    # https://img.shields.io/badge/python-3.6+-blue.svg, …/python-%3E%3D3.6-…, …/python-v3.6%2B-…
    re.compile(
        r"badge/python-(?:%3E%3D|>=|v)?3\.(\d{1,2})(?:\+|%2B|-blue|-green|-yellow|-brightgreen)",
        re.IGNORECASE,
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PythonConstraint:
    """The range of interpreters that a project says it works with, and where it says so."""

    specifier: str | None
    """PEP 440, sorted; None when nothing is said."""
    kind: Literal["requires", "classifiers", "mention", "pin", "none"]
    """``requires``: declared and enforced by installers. ``classifiers``: what it was tested with then.
    ``mention``: a sentence or badge of the README. ``pin``: one version for developers or a host."""
    rule: str
    """Where from, in a few words: "python_requires"."""
    file: str | None = None
    """Relative to the project's root."""
    line: int | None = None
    """Counted from 1; None when the value is computed somewhere else."""
    unread: tuple[str, ...] = ()
    """Files that might have said something but could not be read, each with the reason."""

    @property
    def place(self) -> str:
        """For people: "python_requires >=3.6 in setup.py:24"."""
        where = f" in {self.file}" + (f":{self.line}" if self.line else "") if self.file else ""
        return f"{self.rule} {self.specifier}{where}" if self.specifier else self.rule


@dataclass(frozen=True, slots=True, kw_only=True)
class _Said:
    """What one file says: raw text of a range, and its classifiers."""

    requires: str | None = None
    requires_line: int | None = None
    requires_rule: str = "python_requires"
    classifiers: str | None = None
    classifiers_line: int | None = None


class _Unreadable(Exception):
    """A file that is not what its name says."""


def read_python_constraint(root: Path) -> PythonConstraint:
    """What the project at ``root`` says about interpreters; never raises because of its files.

    The first of these that says something: ``requires-python`` and its like in pyproject.toml,
    setup.cfg, setup.py; the classifiers of the same three; the README; .python-version,
    runtime.txt, Pipfile, environment.yml.
    """
    unread: list[str] = []
    metadata: list[tuple[str, _Said]] = []
    for file, reader in (
        ("pyproject.toml", _read_pyproject),
        ("setup.cfg", _read_setup_cfg),
        ("setup.py", _read_setup_py),
    ):
        text = _text(root, file, unread)
        if text is not None:
            try:
                metadata.append((file, reader(text)))
            except _Unreadable as reason:
                unread.append(f"{file}: {reason}")
    python_constraint = (
        _from_requires(metadata, unread)
        or _from_classifiers(metadata)
        or _from_readme(root, unread)
        or _from_pins(root, unread)
        or PythonConstraint(specifier=None, kind="none", rule="the project does not say")
    )
    return replace(python_constraint, unread=tuple(unread))


def without_upper_bound(python_constraint: PythonConstraint) -> PythonConstraint:
    """What is left of a python_constraint on the new side of a check.

    A declared range is loosened in the file itself. Classifiers, pins and remarks name what there was
    then; they bound nothing later, so nothing is wished for.
    """
    if python_constraint.kind in ("requires", "none"):
        return python_constraint
    return replace(
        python_constraint,
        specifier=None,
        kind="none",
        rule=f"{python_constraint.place} is of then and bounds nothing later",
    )


def wanted_release(python_constraint: PythonConstraint, instant: Instant) -> tuple[str, str]:
    """The release (three numbers) that the constraint means at ``instant``, and the reason in one line."""
    day = format_day(instant)
    default = default_release(instant)
    default_words = f"latest minor that was a year old on {day}"
    calendar = load_calendar()
    warning = (
        f" (the release calendar is complete until {calendar.complete_until})"
        if calendar.incomplete_at(instant)
        else ""
    )
    if not default.visible_at(instant):
        default_words = f"no Python from 3.6 on was released before {day}: the first one"
    if python_constraint.specifier is None:
        return str(default.version), f"{python_constraint.rule}: {default_words}{warning}"
    specifier = SpecifierSet(python_constraint.specifier)
    if python_constraint.kind == "mention" and specifier.contains(default.version):
        return str(default.version), f"{python_constraint.place}: {default_words}, which is in range{warning}"
    latest = latest_release(specifier, instant)
    if latest is None:
        words = f"no Python from 3.6 on in that range was released before {day}"
        return str(default.version), f"{python_constraint.place}: {words}; {default_words} instead{warning}"
    return str(latest.version), f"{python_constraint.place}: latest release in range before {day}{warning}"


def _text(root: Path, file: str, unread: list[str]) -> str | None:
    try:
        return read_text(root, file)
    except ConfigurationError as error:
        unread.append(str(error))
        return None


def _from_requires(metadata: list[tuple[str, _Said]], unread: list[str]) -> PythonConstraint | None:
    for file, said in metadata:
        if said.requires is None:
            continue
        read = versions.from_poetry if said.requires_rule.startswith("tool.poetry") else None
        specifier = (read or versions.normalise_specifier)(said.requires)
        if specifier is not None:
            return PythonConstraint(
                specifier=specifier,
                kind="requires",
                rule=said.requires_rule,
                file=file,
                line=said.requires_line,
            )
        if said.requires.strip() not in ("", "*"):
            unread.append(f"{file}: {said.requires_rule} {said.requires[:80]!r} is not a range of versions")
    return None


def _from_classifiers(metadata: list[tuple[str, _Said]]) -> PythonConstraint | None:
    for file, said in metadata:
        if said.classifiers is not None:
            return PythonConstraint(
                specifier=said.classifiers,
                kind="classifiers",
                rule="classifiers",
                file=file,
                line=said.classifiers_line,
            )
    return None


def _from_readme(root: Path, unread: list[str]) -> PythonConstraint | None:
    for file in _README:
        text = _text(root, file, unread)
        for number, line in enumerate((text or "").splitlines(), 1):
            words = " ".join(line[:2000].split())  # else many spaces can be shared out in many ways
            found = [int(match[1]) for pattern in _MENTIONS for match in pattern.finditer(words)]
            if found:
                return PythonConstraint(
                    specifier=f">=3.{min(found)}", kind="mention", rule="README", file=file, line=number
                )
    return None


def _from_pins(root: Path, unread: list[str]) -> PythonConstraint | None:
    readers: tuple[tuple[str, str, Callable[[str], tuple[str, int] | None]], ...] = (
        (".python-version", "pyenv version", _first_pin),
        ("runtime.txt", "runtime", _first_pin),
        ("Pipfile", "requires", _pipfile_pin),
        ("environment.yml", "conda environment", _conda_pin),
        ("environment.yaml", "conda environment", _conda_pin),
    )
    for file, rule, reader in readers:
        text = _text(root, file, unread)
        found = reader(text) if text is not None else None
        if found is not None:
            specifier, line = found
            return PythonConstraint(specifier=specifier, kind="pin", rule=rule, file=file, line=line)
    return None


def _first_pin(text: str) -> tuple[str, int] | None:
    for number, line in enumerate(text.splitlines()[:20], 1):
        specifier = versions.from_pin(line)
        if specifier is not None:
            return specifier, number
    return None


def _pipfile_pin(text: str) -> tuple[str, int] | None:
    match = re.search(
        r"""(?m)^[ \t]*python_(?:full_)?version[ \t]*=[ \t]*["']([\d.*]{1,20})["'][ \t]*(?:#.*)?$""", text
    )
    specifier = versions.from_pin(match[1]) if match else None
    return (specifier, _line_of(text, match.start(1))) if specifier and match else None


def _conda_pin(text: str) -> tuple[str, int] | None:
    match = re.search(r"""(?m)^[ \t]*-[ \t]*["']?python[ \t]*([=<>!~][^"'#\n]{1,80})""", text)
    specifier = versions.from_conda(match[1]) if match else None
    return (specifier, _line_of(text, match.start(1))) if specifier and match else None


def _read_pyproject(text: str) -> _Said:
    try:
        data = parse_toml(text)
    except ConfigurationError as error:
        raise _Unreadable(str(error)) from error
    flit = _table(data, "tool", "flit", "metadata")
    project, poetry = _table(data, "project"), _table(data, "tool", "poetry")
    python = _table(poetry, "dependencies").get("python")
    if isinstance(python, dict):
        python = python.get("version")
    candidates = (
        (project.get("requires-python"), "requires-python", "requires-python"),
        (python, "tool.poetry.dependencies.python", "python"),
        (flit.get("requires-python"), "tool.flit.metadata.requires-python", "requires-python"),
    )
    said = _Said()
    for value, rule, key in candidates:
        if isinstance(value, str):
            said = _Said(requires=value, requires_rule=rule, requires_line=_key_line(text, key))
            break
    for table in (project, poetry, flit):
        specifier = versions.from_classifiers(_strings(table.get("classifiers")))
        if specifier is not None:
            return replace(said, classifiers=specifier, classifiers_line=_classifier_line(text))
    return said


def _read_setup_cfg(text: str) -> _Said:
    try:
        sections = parse_ini(text)
    except ConfigurationError as error:
        raise _Unreadable(str(error)) from error
    said = _Said()
    for section, key in (
        ("options", "python_requires"),
        ("options", "python-requires"),
        ("metadata", "python_requires"),  # pbr
        ("metadata", "python-requires"),
        ("metadata", "requires-python"),
    ):
        value = sections.get(section, {}).get(key)
        if value:
            said = _Said(
                requires=value.replace("\n", ","), requires_rule=key, requires_line=_key_line(text, key)
            )
            break
    for key in ("classifiers", "classifier"):
        specifier = versions.from_classifiers(sections.get("metadata", {}).get(key, "").splitlines())
        if specifier is not None:
            return replace(said, classifiers=specifier, classifiers_line=_classifier_line(text))
    return said


def _read_setup_py(text: str) -> _Said:
    arguments = setup_arguments(text)
    if arguments is None:
        raise _Unreadable("not Python 3 that can be parsed")
    requires, classifiers = arguments.get("python_requires"), arguments.get("classifiers")
    listed = classifiers.value if classifiers else None
    if isinstance(listed, str):
        listed = [*listed.splitlines()]
    return _Said(
        requires=requires.value if requires and isinstance(requires.value, str) else None,
        requires_line=requires.line if requires else None,
        classifiers=versions.from_classifiers(_strings(listed)),
        classifiers_line=classifiers.line if classifiers else None,
    )


def _table(data: dict[str, Any], *keys: str) -> dict[str, Any]:
    for key in keys:
        inner = data.get(key)
        data = inner if isinstance(inner, dict) else {}
    return data


def _strings(value: object) -> Iterable[object]:
    return value if isinstance(value, list) else ()


def _line_of(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1


def _key_line(text: str, key: str) -> int | None:
    match = re.search(rf"(?m)^[ \t]*[\"']?{re.escape(key)}[\"']?[ \t]*[=:]", text)
    return _line_of(text, match.end()) if match else None


def _classifier_line(text: str) -> int | None:
    match = re.search(r"Programming Language\s*::\s*Python\s*::\s*3\.\d", text)
    return _line_of(text, match.start()) if match else None
