"""What ty finds in files with one environment, and not with the other: what the next run would find.

ty checks types and edits nothing. It knows the classes of values that no name stands for, and misses what a
library makes while it is imported; so only what it says of one environment alone counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal

import msgspec

from backdate.diagnosis.distributions import site_packages
from backdate.diagnosis.result import CauseKind
from backdate.environments.environment import Environment
from backdate.serial import decoder_of
from backdate.solvers.rules.fixers.running import AT

_OwnerIs = Literal["", "module", "type", "function"]
_PATTERNS: tuple[tuple[re.Pattern[str], CauseKind, _OwnerIs], ...] = (
    (re.compile(r"Cannot resolve imported module `(?P<name>[\w.]+)`"), CauseKind.MISSING_MODULE, ""),
    (
        re.compile(r"Module `(?P<owner>[\w.]+)` has no member `(?P<name>\w+)`"),
        CauseKind.MISSING_ATTRIBUTE,
        "module",
    ),
    (
        re.compile(r"Object of type `(?P<owner>[\w.]+)` has no attribute `(?P<name>\w+)`"),
        CauseKind.MISSING_ATTRIBUTE,
        "type",
    ),
    (
        re.compile(
            r"Argument `(?P<name>\w+)` does not match any known parameter of (?:\w+ )?`(?P<owner>[\w.]+)`"
        ),
        CauseKind.UNEXPECTED_ARGUMENT,
        "function",
    ),
)
_LONGEST = 500


class _TyBegin(msgspec.Struct, frozen=True):
    line: int


class _TyPositions(msgspec.Struct, frozen=True):
    begin: _TyBegin


class _TyLocation(msgspec.Struct, frozen=True):
    path: str
    positions: _TyPositions


class _TyDiagnostic(msgspec.Struct, frozen=True):
    description: str
    location: _TyLocation


@dataclass(frozen=True, slots=True, kw_only=True)
class TyFinding:
    """A name or an argument that an environment lacks, by types."""

    file: str
    line: int
    kind: CauseKind
    owner: str
    owner_is: _OwnerIs
    name: str
    message: str


def ty_arguments(environment: Environment, files: Iterable[str]) -> tuple[str, ...]:
    """Arguments for files below ``AT``, which import what ``environment`` holds."""
    below = site_packages(*environment.roots[1:]) if len(environment.roots) > 1 else ()
    return (
        *("check", "--project", AT, "--python", str(environment.root), "--exit-zero", "--no-progress"),
        *("--output-format", "gitlab", "--color", "never"),
        *(part for folder in below for part in ("--extra-search-path", str(folder))),
        *("--", *(f"{AT}/{file}" for file in files)),
    )


def read_ty(answer: bytes, files: Mapping[str, str]) -> tuple[TyFinding, ...]:
    """The findings in ty's JSON that a failure could have. Raises ValueError where it is none."""
    try:
        diagnostics = decoder_of(list[_TyDiagnostic]).decode(answer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise ValueError("its answer is no list of findings") from error
    found = (_finding(diagnostic, files) for diagnostic in diagnostics)
    return tuple(finding for finding in found if finding is not None)


def _finding(diagnostic: _TyDiagnostic, files: Mapping[str, str]) -> TyFinding | None:
    text = diagnostic.description[:_LONGEST]
    parts = PurePosixPath(diagnostic.location.path).parts
    ends = ("/".join(parts[first:]) for first in range(len(parts)))
    file = next((end for end in ends if end in files), "")
    for pattern, kind, owner_is in _PATTERNS:
        match = pattern.search(text)
        if match is not None and file:
            return TyFinding(
                file=file,
                line=diagnostic.location.positions.begin.line,
                kind=kind,
                owner=match.groupdict().get("owner", ""),
                owner_is=owner_is,
                name=match["name"],
                message=match[0],
            )
    return None
