"""What reading somebody else's rows gives."""

from __future__ import annotations

from dataclasses import dataclass

from backdate.snippets.snippet import Snippet

PROBLEM_MISSING = "problem-missing"
"""The flag of a snippet whose row does not say in words what its code is for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusedRow:
    """A row of which no snippet could be made."""

    name: str
    """Its id, else where it stands: "line 7"."""
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetImport:
    """Snippets from rows, and what is to be said of them."""

    snippets: tuple[Snippet, ...]
    refused: tuple[RefusedRow, ...] = ()
    notes: tuple[str, ...] = ()
    """What a person has to know of them all: "no hidden tests beside …"."""
