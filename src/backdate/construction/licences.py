"""Permissive or not: licences by their SPDX names, by an index' classifiers, and by their text.

TimeMachine-bench (arXiv 2601.22597, step 1) keeps repositories with a permissive licence or none at all, as
The Stack v2 labels them. The names and patterns are in ``knowledge/tables/licences.toml``.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from email.message import Message
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.knowledge import load
from backdate.projects.read import read_text

_FILE = re.compile(r"(?:licen[sc]e|copying|unlicense)(?:[-_.].*)?\Z", re.IGNORECASE)
_LICENCE_BYTES = 256 * 1024
_OPERATORS = re.compile(r" (?:AND|OR|WITH) |[()]", re.IGNORECASE)


def refuse_licences(licences: Sequence[str]) -> str | None:
    """The first licence that is not permissive, or None when all are (none at all is none that is not).

    An SPDX expression counts by its parts: every part has to be permissive, except that one permissive
    side of an ``OR`` is enough.
    """
    for written in licences:
        if not _permissive(written):
            return written
    return None


def _permissive(expression: str) -> bool:
    flat = " ".join(expression.split())
    if "(" not in flat:
        sides = re.split(" OR ", flat, flags=re.IGNORECASE)
        return any(all(map(_known, re.split(" AND ", side, flags=re.IGNORECASE))) for side in sides)
    return all(_known(part) for part in _OPERATORS.split(flat) if part.strip())


def _known(name: str) -> bool:
    upper = re.split(" WITH ", name.strip(), flags=re.IGNORECASE)[0].upper()
    plain = re.sub(r"^LICENSEREF-SCANCODE-", "", upper)
    return plain in load.licences().permissive or plain in load.licences().none


def licence_of_text(text: str) -> str | None:
    """The licence whose words ``text`` holds, by its SPDX name or its family's; None when not recognised."""
    flat = " ".join(text.split())
    return next((name for name, pattern in _patterns() if pattern.search(flat)), None)


@functools.cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """The licences that are recognised by their words."""
    flags = re.IGNORECASE | re.DOTALL
    return tuple((row.name, re.compile(row.pattern, flags)) for row in load.licences().text)


def licence_of_tree(root: Path, metadata: Message | None = None) -> str | None:
    """The licence that the project at ``root`` states: in PKG-INFO (``metadata``), else in a licence file.

    None when it states none; "unrecognised" when it states one that cannot be told.
    """
    stated = _stated(metadata) if metadata is not None else None
    if stated is not None:
        return stated
    found = False
    for path in sorted(root.iterdir()):
        if _FILE.match(path.name) is None or path.is_dir():
            continue
        found = True
        try:
            text = read_text(root, path.name, limit=_LICENCE_BYTES)
        except ConfigurationError:
            continue
        name = licence_of_text(text or "")
        if name is not None:
            return name
    return "unrecognised" if found else None


def licence_of_members(metadata: Message | None, texts: Sequence[str]) -> str | None:
    """The same of an archive that is not unpacked, of its metadata or the ``texts`` of its licence files."""
    stated = _stated(metadata) if metadata is not None else None
    if stated is not None:
        return stated
    names = (licence_of_text(text[:_LICENCE_BYTES]) for text in texts)
    return next((name for name in names if name is not None), "unrecognised" if texts else None)


def _stated(metadata: Message) -> str | None:
    expression = str(metadata.get("License-Expression") or "").strip()
    if expression:
        return expression
    for line in metadata.get_all("Classifier") or []:
        parts = [part.strip() for part in str(line).split("::")]
        if parts[0] == "License" and parts[-1] not in ("License", "OSI Approved"):
            return load.licences().classifiers.get(parts[-1], parts[-1])
    written = str(metadata.get("License") or "").strip()
    if not written or written.upper() in load.licences().none:
        return None
    return next(
        (name for name in (written, licence_of_text(written)) if name and _permissive(name)), None
    ) or (licence_of_text(written) or _free_text(written))


def _free_text(written: str) -> str | None:
    """Names as people write them into setup.py: "BSD 3-Clause", "Apache License 2.0", "GPLv3"."""
    line = written.splitlines()[0].lower()
    return next((row.name for row in load.licences().short if row.mark in line), None)
