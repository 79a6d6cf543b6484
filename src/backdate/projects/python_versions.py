"""From the many ways in which projects write a range of Python versions to one: a PEP 440 specifier.

Every function maps text to text. Text that cannot be read gives None; the caller decides what that means.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.text import UNREADABLE, version_numbers

_MINORS_IN_SCOPE = range(6, 40)
"""The minors of Python 3 over which a union of ranges is spelled out."""

_NUMBERS = r"\d{1,3}(?:\.\d{1,3}){0,2}"
_CLASSIFIER = re.compile(r"Programming Language\s*::\s*Python\s*::\s*3\.(\d{1,2})\s*\Z")
_POETRY_CLAUSE = re.compile(rf"(\^|~=|~|>=|<=|==|!=|>|<|=)?\s*v?({_NUMBERS})(\.\*)?\Z")
_CONDA = re.compile(rf"(={{1,2}})?\s*({_NUMBERS})(\.?\*)?(?:=\S*)?\Z")


def normalise_specifier(text: str) -> str | None:
    """The specifier that ``text`` writes (PEP 440), sorted; None when it writes none or an empty one.

    ``>=3.6.*`` is not valid but common in old metadata, and tools always read it as ``>=3.6``.
    """
    repaired = re.sub(rf"(>=|<=|>|<)\s*({_NUMBERS})\.\*", r"\1\2", text.strip().strip(","))
    if not repaired or len(repaired) > 500:
        return None
    try:
        return str(SpecifierSet(repaired)) or None
    except UNREADABLE:
        return None


def from_minors(minors: Iterable[int]) -> str | None:
    """The specifier of a set of minors of Python 3: ``{6, 7, 9}`` is ``>=3.6,<3.10,!=3.8.*``."""
    listed = sorted(set(minors))
    if not listed:
        return None
    holes = [f"!=3.{minor}.*" for minor in range(listed[0], listed[-1]) if minor not in listed]
    return normalise_specifier(",".join([f">=3.{listed[0]}", f"<3.{listed[-1] + 1}", *holes]))


def from_classifiers(classifiers: Iterable[object]) -> str | None:
    """The minors that trove classifiers name; None when they name none (``Python :: 3`` names no minor)."""
    matches = (_CLASSIFIER.match(item.strip()) for item in classifiers if isinstance(item, str))
    return from_minors(int(match[1]) for match in matches if match)


def from_pin(text: str) -> str | None:
    """The specifier of a version that is written alone: ``3.6`` any 3.6, ``3.6.4`` that release.

    Also with the prefixes of ``runtime.txt`` and pyenv: ``python-3.6.4``, ``cpython-3.6``.
    """
    match = re.match(r"(?:c?python-)?(3\.\d{1,2})(\.\d{1,3})?(?:\.\*)?\s*\Z", text.strip())
    if match is None:
        return None
    return f"=={match[1]}{match[2]}" if match[2] else f"=={match[1]}.*"


def from_conda(text: str) -> str | None:
    """The specifier of what follows ``python`` in a conda requirement: ``=3.6``, ``=3.6.8=h0371_0``."""
    text = text.strip()
    match = _CONDA.match(text)
    if match is None:
        return normalise_specifier(text)
    return f"=={match[2]}" if match[2].count(".") == 2 and not match[3] else f"=={match[2]}.*"


def from_poetry(text: str) -> str | None:
    """The specifier of a Poetry constraint: ``^3.6``, ``~3.7``, ``3.8.*``, ``~2.7 || ^3.5``; None for ``*``.

    Alternatives without any Python from 3.6 on are left out; several alternatives are joined minor by minor.
    """
    if len(text) > 500:
        return None
    alternatives = [_poetry_clauses(part) for part in re.split(r"\|\|?", text)]
    readable = [part for part in alternatives if part is not None]
    if len(readable) < len(alternatives):
        return None
    if len(readable) == 1:
        return readable[0]
    chosen = [part for part in readable if _minors_in(part)] or readable
    if len(chosen) == 1:
        return chosen[0]
    minors = set().union(*map(_minors_in, chosen))
    if minors and max(minors) == _MINORS_IN_SCOPE[-1]:  # no upper bound
        holes = [f"!=3.{minor}.*" for minor in range(min(minors), max(minors)) if minor not in minors]
        return normalise_specifier(",".join([f">=3.{min(minors)}", *holes]))
    return from_minors(minors)


def _minors_in(specifier: str) -> set[int]:
    allowed = SpecifierSet(specifier)
    return {
        minor
        for minor in _MINORS_IN_SCOPE
        if any(allowed.contains(Version(f"3.{minor}.{micro}")) for micro in range(30))
    }


def _poetry_clauses(text: str) -> str | None:
    """One alternative of a Poetry constraint: clauses joined by commas or blanks."""
    glued = re.sub(r"(\^|~=|~|>=|<=|==|!=|>|<|=)\s+", r"\1", text.strip())
    clauses = [_poetry_clause(clause) for clause in re.split(r"[,\s]+", glued) if clause and clause != "*"]
    readable = [clause for clause in clauses if clause is not None]
    return normalise_specifier(",".join(readable)) if readable and len(readable) == len(clauses) else None


def _poetry_clause(clause: str) -> str | None:
    match = _POETRY_CLAUSE.match(clause)
    if match is None:
        return None
    operator, version, star = match.groups()
    numbers = version_numbers(version)
    if operator == "^":
        return f">={version},<{numbers[0] + 1}" if numbers[0] else None
    if operator == "~":
        upper = f"{numbers[0]}.{numbers[1] + 1}" if len(numbers) > 1 else f"{numbers[0] + 1}"
        return f">={version},<{upper}"
    if operator in (None, "=", "=="):
        # Poetry takes "3.8" alone as exactly 3.8.0, but people who write it mean any 3.8.
        return f"=={version}" if len(numbers) == 3 and not star else f"=={version}.*"
    if operator == "!=" and star:
        return f"!={version}.*"
    return f"{operator}{version}"
