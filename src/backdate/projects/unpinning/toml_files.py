"""Loosening pyproject.toml and Pipfile.

A table says which strings hold what: first the standards (PEP 518, 621, 735), then one block a tool.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from backdate.editing.spans import Fragment
from backdate.editing.toml_strings import MalformedToml, Path, string_values
from backdate.errors import ConfigurationError
from backdate.projects.toml import parse_toml
from backdate.projects.unpinning.draft import Draft
from backdate.projects.unpinning.report import Kind
from backdate.projects.unpinning.requirement import loosen_in
from backdate.projects.unpinning.specifiers import loosen_poetry_constraint, loosen_specifier

_Meaning = Literal["requirement", "constraint", "python", "address", "file", "interpreter"]
"""
``requirement``  a requirement (PEP 508)
``constraint``   a version constraint of Poetry or Pipenv; the key before it is the name
``python``       a specifier for the interpreter (PEP 440)
``address``      where a direct dependency comes from: left alone, reported
``file``         a requirements file that the build back end reads
``interpreter``  the one interpreter that Pipenv asks for
"""

_KEY, _INDEX = object(), object()
_Rule = tuple[tuple[object, ...], _Meaning, Kind]


def _poetry_like(*table: object) -> list[_Rule]:
    """Rules for a table of names and constraints, as Poetry and Pipenv have it."""
    rules: list[_Rule] = []
    for path in ((*table, _KEY), (*table, _KEY, _INDEX)):
        rules.append((path, "constraint", "dependency"))
        rules.append(((*path, "version"), "constraint", "dependency"))
        rules += [((*path, key), "address", "dependency") for key in ("git", "hg", "svn", "url", "file")]
    return rules


_PYPROJECT: list[_Rule] = [
    (("project", "dependencies", _INDEX), "requirement", "dependency"),
    (("project", "optional-dependencies", _KEY, _INDEX), "requirement", "dependency"),
    (("project", "requires-python"), "python", "python"),
    (("dependency-groups", _KEY, _INDEX), "requirement", "dependency"),
    (("build-system", "requires", _INDEX), "requirement", "build"),
    # Poetry
    *_poetry_like("tool", "poetry", "dependencies"),
    *_poetry_like("tool", "poetry", "dev-dependencies"),
    *_poetry_like("tool", "poetry", "group", _KEY, "dependencies"),
    # PDM
    (("tool", "pdm", "dev-dependencies", _KEY, _INDEX), "requirement", "dependency"),
    # Flit, as it was before PEP 621
    (("tool", "flit", "metadata", "requires", _INDEX), "requirement", "dependency"),
    (("tool", "flit", "metadata", "dev-requires", _INDEX), "requirement", "dependency"),
    (("tool", "flit", "metadata", "requires-extra", _KEY, _INDEX), "requirement", "dependency"),
    (("tool", "flit", "metadata", "requires-python"), "python", "python"),
    # Hatch
    (("tool", "hatch", "envs", _KEY, "dependencies", _INDEX), "requirement", "dependency"),
    (("tool", "hatch", "envs", _KEY, "extra-dependencies", _INDEX), "requirement", "dependency"),
    (("tool", "hatch", "build", "dependencies", _INDEX), "requirement", "build"),
    (("tool", "hatch", "build", "targets", _KEY, "dependencies", _INDEX), "requirement", "build"),
    (("tool", "hatch", "metadata", "hooks", "requirements_txt", "files", _INDEX), "file", "dependency"),
    # uv
    (("tool", "uv", "dev-dependencies", _INDEX), "requirement", "dependency"),
    (("tool", "uv", "constraint-dependencies", _INDEX), "requirement", "constraint"),
    (("tool", "uv", "override-dependencies", _INDEX), "requirement", "constraint"),
    (("tool", "uv", "build-constraint-dependencies", _INDEX), "requirement", "build"),
    # setuptools' dynamic metadata
    (("tool", "setuptools", "dynamic", "dependencies", "file"), "file", "dependency"),
    (("tool", "setuptools", "dynamic", "dependencies", "file", _INDEX), "file", "dependency"),
    (("tool", "setuptools", "dynamic", "optional-dependencies", _KEY, "file"), "file", "dependency"),
    (("tool", "setuptools", "dynamic", "optional-dependencies", _KEY, "file", _INDEX), "file", "dependency"),
]

_PIPFILE_OTHER = ("source", "requires", "scripts", "pipenv", "pipfile")
_PIPFILE: list[_Rule] = [
    (("requires", "python_version"), "interpreter", "python"),
    (("requires", "python_full_version"), "interpreter", "python"),
    *_poetry_like(_KEY),
]

_ANY_PYTHON = ">=0"
"""What is left of a requires-python that was an upper bound only: some back ends refuse an empty one."""


def loosen_pyproject(draft: Draft) -> None:
    """Loosen the pyproject.toml in ``draft``; the whole file is skipped when it is not TOML."""
    _loosen_toml(draft, _PYPROJECT)


def loosen_pipfile(draft: Draft) -> None:
    """Loosen the Pipfile in ``draft``, every category of it; skipped as a whole when it is not TOML."""
    _loosen_toml(draft, _PIPFILE)


def _loosen_toml(draft: Draft, rules: list[_Rule]) -> None:
    try:
        document = parse_toml(draft.content)
        strings = list(string_values(draft.content))
    except ConfigurationError as error:
        draft.skip(None, str(error))
        return
    except (MalformedToml, RecursionError) as error:
        draft.skip(None, f"not TOML that can be read: {error}")
        return
    for path, fragment in strings:
        for pattern, meaning, kind in rules:
            if not _matches(path, pattern) or (rules is _PIPFILE and _is_no_category(path, pattern)):
                continue
            if _look_up(document, path) == fragment.text:
                _loosen_string(draft, path, fragment, meaning, kind)
            else:
                draft.skip(None, f"the value of {'.'.join(map(str, path))} could not be located")
            break


def requirement_strings(content: str) -> Iterator[tuple[Path, Fragment, bool]]:
    """Each requirement of a pyproject.toml: its place, its text, and whether that is a constraint alone.

    Of a constraint, as Poetry writes it, the key before it is the name. Raises ConfigurationError where the
    content is no TOML that can be read.
    """
    document = parse_toml(content)
    try:
        strings = list(string_values(content))
    except (MalformedToml, RecursionError) as error:
        raise ConfigurationError(f"not TOML that can be read: {error}") from error
    for path, fragment in strings:
        for pattern, meaning, kind in _PYPROJECT:
            if kind == "dependency" and meaning in ("requirement", "constraint") and _matches(path, pattern):
                if _look_up(document, path) == fragment.text:
                    yield path, fragment, meaning == "constraint"
                break


def _is_no_category(path: Path, pattern: tuple[object, ...]) -> bool:
    return pattern[0] is _KEY and path[0] in _PIPFILE_OTHER


def _matches(path: Path, pattern: tuple[object, ...]) -> bool:
    if len(path) != len(pattern):
        return False
    for part, expected in zip(path, pattern, strict=True):
        if expected is _INDEX:
            if not isinstance(part, int):
                return False
        elif not isinstance(part, str) or (expected is not _KEY and part != expected):
            return False
    return True


def _look_up(document: Any, path: Path) -> object:
    for part in path:
        try:
            document = document[part]
        except (KeyError, IndexError, TypeError):
            return None
    return document


def _loosen_string(draft: Draft, path: Path, fragment: Fragment, meaning: _Meaning, kind: Kind) -> None:
    name = next(str(part) for part in reversed(path) if isinstance(part, str) and part != "version")
    text = fragment.text
    if not text:
        return
    if meaning == "requirement":
        loosen_in(draft, fragment, kind)
    elif meaning == "file":
        draft.references.append((text, kind))
    elif meaning == "address":
        owner = [str(part) for part in path if isinstance(part, str)][-2]
        draft.skip(fragment.starts[0], f"a direct URL is not loosened: {owner} ({text})")
    else:
        python = meaning == "python" or name.lower() == "python"
        try:
            if meaning == "python":
                loose = loosen_specifier(text, python=True) or _ANY_PYTHON
            elif meaning == "interpreter":
                loose, name = "*", "python"
            else:
                loose = loosen_poetry_constraint(text, python=python)
        except ConfigurationError as error:
            draft.skip(fragment.starts[0], f"{name}: {error}")
            return
        if loose != text:
            draft.change(
                fragment.replace(0, len(text), loose),
                kind="python" if python else kind,
                name="python" if python else name,
                before=text if python or kind == "python" else f"{name} {text}",
                after=loose if python or kind == "python" else f"{name} {loose}",
            )
