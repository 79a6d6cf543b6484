"""INI files with line numbers, as tox and setuptools read them. Never raises."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

Lines: TypeAlias = tuple[tuple[int, str], ...]
"""The lines of a value, stripped, with their numbers from 1; neither comments nor blank ones."""

_SECTION = re.compile(r"\[([^\]\n]+)\]\s*(?:[#;].*)?\Z")
_KEY = re.compile(r"([^\s=:\[#;][^=:]*)[=:]\s*(.*)\Z")


def read_ini(text: str) -> Mapping[str, Mapping[str, Lines]]:
    """Sections, keys (lower case), values. What is in no section or has no key is passed over."""
    sections: dict[str, dict[str, list[tuple[int, str]]]] = {}
    section: dict[str, list[tuple[int, str]]] | None = None
    value: list[tuple[int, str]] | None = None
    for number, raw in enumerate(text.split("\n"), start=1):
        stripped = raw.strip()
        if not stripped or stripped.startswith(("#", ";")):
            continue
        if raw[0].isspace() and value is not None:
            value.append((number, _uncommented(stripped)))
            continue
        header = _SECTION.match(stripped)
        if header:
            section, value = sections.setdefault(header[1].strip(), {}), None
            continue
        key = _KEY.match(stripped)
        if key and section is not None:
            value = section[key[1].strip().lower()] = []
            if key[2]:
                value.append((number, _uncommented(key[2])))
    return {name: {key: tuple(lines) for key, lines in keys.items()} for name, keys in sections.items()}


def _uncommented(text: str) -> str:
    return re.sub(r"\s[#;]\s.*\Z", "", text).strip()
