"""The kinds of files that recipes are read from."""

from __future__ import annotations

from typing import Literal, get_args

SourceKind = Literal["ci", "tox", "nox", "metadata", "conda", "makefile", "texts", "imports"]
ALL_SOURCES: frozenset[SourceKind] = frozenset(get_args(SourceKind))
