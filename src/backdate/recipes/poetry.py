"""Poetry's way of writing requirements, as PEP 508.

Poetry's ``^``, ``~`` and bare versions follow its documentation ("Dependency specification"):
``^1.2.3`` is ``>=1.2.3,<2``, ``^0.2.3`` is ``>=0.2.3,<0.3``, ``~1.2.3`` is ``>=1.2.3,<1.3``, ``1.2.*``
is ``==1.2.*``, a bare ``1.2`` is ``==1.2``, ``*`` is anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from packaging.specifiers import SpecifierSet

from backdate.text import UNREADABLE, version_numbers


class UnreadableRequirement(ValueError):
    """A requirement that cannot be written as PEP 508 (a local path, an odd version)."""


def poetry_specifier(text: str) -> str:
    """The PEP 440 specifier that a Poetry constraint means; "" for anything. Raises UnreadableRequirement."""
    text = text.strip()
    if "||" in text or "|" in text:
        raise UnreadableRequirement(f"alternatives cannot be written as one specifier: {text}")
    clauses = [_clause(part) for part in text.replace(" ", ",").split(",") if part]
    joined = ",".join(clause for clause in clauses if clause)
    try:
        SpecifierSet(joined)
    except UNREADABLE as error:
        raise UnreadableRequirement(f"not a version constraint: {text}") from error
    return joined


def _clause(text: str) -> str:
    if text == "*":
        return ""
    if text.startswith("^"):
        return _caret(text[1:])
    if text.startswith("~") and not text.startswith("~="):
        return _tilde(text[1:])
    if text[0].isdigit():
        return f"=={text}"
    if text.startswith("=") and not text.startswith("=="):
        return f"={text}"
    return text


def _numbers(version: str) -> tuple[int, ...]:
    numbers = version_numbers(version)
    if not numbers:
        raise UnreadableRequirement(f"not a version: {version}")
    return numbers


def _caret(version: str) -> str:
    numbers = _numbers(version)
    first = next((position for position, number in enumerate(numbers) if number), len(numbers) - 1)
    upper = [*numbers[:first], numbers[first] + 1]
    return f">={version},<{'.'.join(map(str, upper))}"


def _tilde(version: str) -> str:
    numbers = _numbers(version)
    kept = numbers[: min(2, len(numbers))]
    upper = [*kept[:-1], kept[-1] + 1]
    return f">={version},<{'.'.join(map(str, upper))}"


def poetry_requirements(table: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """A Poetry dependency table as PEP 508 requirements, and the names that cannot be written so.

    ``python`` is left out: it is not a distribution. A list of alternatives for one name gives one
    requirement each, told apart by their markers.
    """
    requirements: list[str] = []
    unreadable: list[str] = []
    for name, constraint in table.items():
        if name.lower() == "python":
            continue
        for alternative in constraint if isinstance(constraint, list) else [constraint]:
            try:
                requirements.append(_requirement(name, alternative))
            except UnreadableRequirement as error:
                unreadable.append(f"{name}: {error}")
    return tuple(requirements), tuple(unreadable)


def _requirement(name: str, constraint: object) -> str:
    if isinstance(constraint, str):
        return f"{name}{poetry_specifier(constraint)}"
    if not isinstance(constraint, Mapping):
        raise UnreadableRequirement(f"not a constraint: {constraint!r}")
    extras = constraint.get("extras", [])
    named = f"{name}[{','.join(map(str, extras))}]" if extras else name
    if "git" in constraint:
        revision = next((f"@{constraint[key]}" for key in ("rev", "tag", "branch") if key in constraint), "")
        written = f"{named} @ git+{constraint['git']}{revision}"
    elif "url" in constraint:
        written = f"{named} @ {constraint['url']}"
    elif "path" in constraint:
        raise UnreadableRequirement("a path of the project's own file system")
    else:
        written = f"{named}{poetry_specifier(str(constraint.get('version', '*')))}"
    markers = []
    if "python" in constraint:
        markers.append(_python_marker(str(constraint["python"])))
    if "markers" in constraint:
        markers.append(f"({constraint['markers']})")
    return f"{written} ; {' and '.join(markers)}" if markers else written


def _python_marker(constraint: str) -> str:
    clauses = [clause for clause in poetry_specifier(constraint).split(",") if clause]
    if not clauses:
        return 'python_version >= "3"'
    written = []
    for clause in clauses:
        operator = clause.rstrip("0123456789.*abrc")
        written.append(f'python_full_version {operator} "{clause[len(operator) :]}"')
    return f"({' and '.join(written)})"
