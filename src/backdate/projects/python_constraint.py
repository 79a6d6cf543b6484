"""The interpreters that a project declares to work with, and the release that is chosen from them.

The rule is that of TimeMachine-bench (arXiv 2601.22597): the latest release in the range that the
project declares, released strictly before the instant; without a declared range, the latest minor
that was a year old. Measured against the published rows, a declared ``python_requires`` takes precedence
over classifiers, classifiers count only when they name a minor, and a remark in the README does not
change the default as long as the default satisfies it.
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
from backdate.timeline.calendar import default_release, latest_release, load_calendar, nearest_release
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
    """The range of interpreters that a project declares to work with, and where it declares it."""

    specifier: str | None
    """PEP 440, sorted; None when nothing is declared."""
    kind: Literal["requires", "classifiers", "mention", "pin", "none"]
    """``requires``: declared and enforced by installers. ``classifiers``: what it was tested with.
    ``mention``: a sentence or badge of the README. ``pin``: one version for developers or a host."""
    rule: str
    """Which declaration it is, in a few words: "python_requires"."""
    file: str | None = None
    """Relative to the project's root."""
    line: int | None = None
    """Counted from 1; None when the value is computed somewhere else."""
    unread: tuple[str, ...] = ()
    """Files that may hold a declaration but could not be read, each with the reason."""

    @property
    def description(self) -> str:
        """For people: "python_requires >=3.6 in setup.py:24"."""
        where = f" in {self.file}" + (f":{self.line}" if self.line else "") if self.file else ""
        return f"{self.rule} {self.specifier}{where}" if self.specifier else self.rule


@dataclass(frozen=True, slots=True, kw_only=True)
class _FileMetadata:
    """What one file declares: the raw text of a range, and the range of its classifiers."""

    requires: str | None = None
    requires_line: int | None = None
    requires_rule: str = "python_requires"
    classifiers: str | None = None
    classifiers_line: int | None = None


class _Unreadable(Exception):
    """A file that is not what its name says."""


def read_python_constraint(root: Path) -> PythonConstraint:
    """What the project at ``root`` declares about interpreters; never raises because of its files.

    The first of these that declares something: ``requires-python`` and its equivalents in pyproject.toml,
    setup.cfg and setup.py; the classifiers of the same three files; the README; .python-version,
    runtime.txt, Pipfile, environment.yml.
    """
    unread: list[str] = []
    metadata = _metadata(root, unread)
    python_constraint = (
        _from_requires(metadata, unread)
        or _from_classifiers(metadata)
        or _from_readme(root, unread)
        or _from_pins(root, unread)
        or PythonConstraint(specifier=None, kind="none", rule="the project does not say")
    )
    return replace(python_constraint, unread=tuple(unread))


def read_tested_with(root: Path) -> PythonConstraint | None:
    """The interpreters that classifiers name, whatever the project requires; None where they name none."""
    return _from_classifiers(_metadata(root, []))


def without_upper_bound(python_constraint: PythonConstraint) -> PythonConstraint:
    """What is left of a constraint on the new side of a check.

    A declared range is loosened in the file itself. Classifiers, pins and remarks name the interpreters of
    their time; they are no upper bound later, so the new side has no constraint.
    """
    if python_constraint.kind in ("requires", "none"):
        return python_constraint
    return replace(
        python_constraint,
        specifier=None,
        kind="none",
        rule=f"{python_constraint.description} is of its time and no upper bound later",
    )


def wanted_release(python_constraint: PythonConstraint, instant: Instant) -> tuple[str, str]:
    """The release (three numbers) that the constraint asks for at ``instant``, and the reason in one line."""
    day = format_day(instant)
    default = default_release(instant)
    why_default = f"latest minor that was a year old on {day}"
    calendar = load_calendar()
    warning = (
        f" (the release calendar is complete until {calendar.complete_until})"
        if calendar.incomplete_at(instant)
        else ""
    )
    if not default.visible_at(instant):
        why_default = f"no Python from 3.6 on was released before {day}: the first one"
    if python_constraint.specifier is None:
        return str(default.version), f"{python_constraint.rule}: {why_default}{warning}"
    specifier = SpecifierSet(python_constraint.specifier)
    if python_constraint.kind == "mention" and specifier.contains(default.version):
        return str(
            default.version
        ), f"{python_constraint.description}: {why_default}, which is in range{warning}"
    latest = latest_release(specifier, instant)
    if latest is None:
        problem = f"no Python from 3.6 on in that range was released before {day}"
        near = nearest_release(specifier, instant)
        if near is not None:
            reason = f"{python_constraint.description}: {problem}; {near.version} is nearest to it{warning}"
            return str(near.version), reason
        reason = f"{python_constraint.description}: {problem}; {why_default} instead{warning}"
        return str(default.version), reason
    return str(
        latest.version
    ), f"{python_constraint.description}: latest release in range before {day}{warning}"


def _text(root: Path, file: str, unread: list[str]) -> str | None:
    try:
        return read_text(root, file)
    except ConfigurationError as error:
        unread.append(str(error))
        return None


def _metadata(root: Path, unread: list[str]) -> list[tuple[str, _FileMetadata]]:
    metadata: list[tuple[str, _FileMetadata]] = []
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
    return metadata


def _from_requires(metadata: list[tuple[str, _FileMetadata]], unread: list[str]) -> PythonConstraint | None:
    for file, declared in metadata:
        if declared.requires is None:
            continue
        read = versions.from_poetry if declared.requires_rule.startswith("tool.poetry") else None
        specifier = (read or versions.normalise_specifier)(declared.requires)
        if specifier is not None:
            return PythonConstraint(
                specifier=specifier,
                kind="requires",
                rule=declared.requires_rule,
                file=file,
                line=declared.requires_line,
            )
        if declared.requires.strip() not in ("", "*"):
            text = declared.requires[:80]
            unread.append(f"{file}: {declared.requires_rule} {text!r} is not a range of versions")
    return None


def _from_classifiers(metadata: list[tuple[str, _FileMetadata]]) -> PythonConstraint | None:
    for file, declared in metadata:
        if declared.classifiers is not None:
            return PythonConstraint(
                specifier=declared.classifiers,
                kind="classifiers",
                rule="classifiers",
                file=file,
                line=declared.classifiers_line,
            )
    return None


def _from_readme(root: Path, unread: list[str]) -> PythonConstraint | None:
    for file in _README:
        text = _text(root, file, unread)
        for number, line in enumerate((text or "").splitlines(), 1):
            # Single spaces only: on a run of spaces the patterns would backtrack for long.
            sentence = " ".join(line[:2000].split())
            minors = [int(match[1]) for pattern in _MENTIONS for match in pattern.finditer(sentence)]
            if minors:
                return PythonConstraint(
                    specifier=f">=3.{min(minors)}", kind="mention", rule="README", file=file, line=number
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
        pin = reader(text) if text is not None else None
        if pin is not None:
            specifier, line = pin
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


def _read_pyproject(text: str) -> _FileMetadata:
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
    declared = _FileMetadata()
    for value, rule, key in candidates:
        if isinstance(value, str):
            declared = _FileMetadata(requires=value, requires_rule=rule, requires_line=_key_line(text, key))
            break
    for table in (project, poetry, flit):
        specifier = versions.from_classifiers(_strings(table.get("classifiers")))
        if specifier is not None:
            return replace(declared, classifiers=specifier, classifiers_line=_classifier_line(text))
    return declared


def _read_setup_cfg(text: str) -> _FileMetadata:
    try:
        sections = parse_ini(text)
    except ConfigurationError as error:
        raise _Unreadable(str(error)) from error
    declared = _FileMetadata()
    for section, key in (
        ("options", "python_requires"),
        ("options", "python-requires"),
        ("metadata", "python_requires"),  # pbr
        ("metadata", "python-requires"),
        ("metadata", "requires-python"),
    ):
        value = sections.get(section, {}).get(key)
        if value:
            declared = _FileMetadata(
                requires=value.replace("\n", ","), requires_rule=key, requires_line=_key_line(text, key)
            )
            break
    for key in ("classifiers", "classifier"):
        specifier = versions.from_classifiers(sections.get("metadata", {}).get(key, "").splitlines())
        if specifier is not None:
            return replace(declared, classifiers=specifier, classifiers_line=_classifier_line(text))
    return declared


def _read_setup_py(text: str) -> _FileMetadata:
    arguments = setup_arguments(text)
    if arguments is None:
        raise _Unreadable("not Python 3 that can be parsed")
    requires, classifiers = arguments.get("python_requires"), arguments.get("classifiers")
    listed = classifiers.value if classifiers else None
    if isinstance(listed, str):
        listed = [*listed.splitlines()]
    return _FileMetadata(
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
