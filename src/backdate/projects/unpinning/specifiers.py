"""Loosening version specifiers: pins and upper bounds go, lower bounds and exclusions stay.

The rule is that of TimeMachine-bench's text (pins and upper bounds are removed); its released data
also drops lower bounds in places, which this does not do.

================  =====================  ============================================
clause            becomes                because
================  =====================  ============================================
``==1.4.2``       nothing                a pin says what was installed, not what is needed
``===1.4.2``      nothing                the same, by string
``==1.4.*``       ``>=1.4``              a range, with a lower bound that is written
``~=1.4.2``       ``>=1.4.2``            PEP 440: ``>=1.4.2, ==1.4.*``
``<2``, ``<=2``   nothing                an upper bound
``>=1``, ``>1``   itself                 a lower bound
``!=1.5``         itself                 an exclusion, with or without ``.*``
``^1.2``          ``>=1.2``              Poetry: ``>=1.2,<2``
``~1.2``          ``>=1.2``              Poetry: ``>=1.2,<1.3``
``1.2.3``         ``*``                  Poetry: ``==1.2.3``
================  =====================  ============================================

A version that the old specifier admits is admitted by the new one, except for pre-releases of the bound
itself under a wildcard (``==1.4.*`` admits 1.4a1, ``>=1.4`` does not): naming them would make installers
choose pre-releases of everything. For an interpreter (``python=True``) a pin keeps its lower bound,
``==3.8`` becomes ``>=3.8``: a project pinned to a Python release runs on none that is older.
"""

from __future__ import annotations

import re

from backdate.errors import ConfigurationError

_VERSION = r"[\w.*+!${}-]+"
_PEP440_CLAUSE = re.compile(rf"(?P<operator>===|==|~=|!=|<=|>=|<|>)\s*(?P<version>{_VERSION})")
_PEP440_SEPARATOR = re.compile(r"\s*,\s*")
_POETRY_CLAUSE = re.compile(rf"(?P<operator>\^|~=|~|===|==|!=|<>|<=|>=|<|>|=)?\s*(?P<version>{_VERSION})")
_POETRY_SEPARATOR = re.compile(r"\s*,\s*|(?<=[\w*])\s+(?=[<>=!~^])")
_POETRY_UNION = re.compile(r"\s*\|\|?\s*")
_POETRY_HYPHEN = re.compile(r"(?P<low>[\w.+!-]+)\s+-\s+[\w.*+!-]+")
_WILDCARD = re.compile(r"(?:\.[*xX])+$")

_LONGEST = 4000
"""Characters of one specifier; real ones are under two hundred."""


def loosen_specifier(text: str, *, python: bool = False) -> str:
    """The PEP 440 specifier set ``text`` without pins and upper bounds; empty when nothing is left.

    What stays keeps its spelling and order. Raises ConfigurationError when ``text`` is not one.
    """
    return _loosen_clauses(text, _PEP440_CLAUSE, _PEP440_SEPARATOR, python=python)


def loosen_poetry_constraint(text: str, *, python: bool = False) -> str:
    """The Poetry or Pipenv constraint ``text`` without pins and upper bounds; ``*`` when nothing is left.

    Unions (``^1.0 || ^2.0``) are loosened part by part. Raises ConfigurationError when ``text`` is not one.
    """
    core = text.strip()
    if core in ("", "*"):
        return text
    _check_length(core)
    parts = [_loosen_alternative(part, python=python) for part in _POETRY_UNION.split(core)]
    if "*" in parts:
        return "*"
    separators = _POETRY_UNION.findall(core)
    lead, trail = _margins(text, core)
    return lead + "".join(a + b for a, b in zip(parts, [*separators, ""], strict=True)) + trail


def _loosen_alternative(text: str, *, python: bool) -> str:
    hyphen = _POETRY_HYPHEN.fullmatch(text)
    if hyphen is not None:
        return f">={hyphen['low']}"
    return _loosen_clauses(text, _POETRY_CLAUSE, _POETRY_SEPARATOR, python=python) or "*"


def _loosen_clauses(text: str, clause: re.Pattern[str], separator: re.Pattern[str], *, python: bool) -> str:
    core = text.strip()
    _check_length(core)
    lead, trail = _margins(text, core)
    separators = list(separator.finditer(core))
    starts = [0, *(match.end() for match in separators)]
    ends = [*(match.start() for match in separators), len(core)]
    pieces = [core[start:end] for start, end in zip(starts, ends, strict=True)]
    loose = [_loosen_clause(piece, clause, python=python) if piece else "" for piece in pieces]
    if loose == pieces:
        return text
    kept = ""
    for index, piece in enumerate(loose):
        if piece:
            kept += (separators[index - 1].group() if kept else "") + piece
    return lead + kept + trail if kept else ""


def _check_length(core: str) -> None:
    if len(core) > _LONGEST:
        raise ConfigurationError(f"a version specifier of {len(core)} characters is not read")


def _margins(text: str, core: str) -> tuple[str, str]:
    start = text.index(core)
    return text[:start], text[start + len(core) :]


def _loosen_clause(piece: str, clause: re.Pattern[str], *, python: bool) -> str:
    match = clause.fullmatch(piece)
    if match is None:
        raise ConfigurationError(f"{piece[:100]!r} is not a version specifier that can be loosened")
    operator, version = match["operator"] or "", match["version"]
    bound = _WILDCARD.sub("", version)
    if operator in (">=", ">", "!=", "<>"):
        return piece
    if operator in ("<", "<=") or bound in ("*", ""):
        return "" if operator else piece
    if operator in ("~=", "~", "^") or bound != version or python:
        return f">={bound}"
    return ""
