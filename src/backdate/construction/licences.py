"""Permissive or not: licences by their SPDX names, by an index' classifiers, and by their text.

TimeMachine-bench (arXiv 2601.22597, step 1) keeps repositories with a permissive licence or none at all, as
The Stack v2 labels them. The table is the part of the SPDX list that Blue Oak Council rates as permissive and
that occurs in Python projects.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from email.message import Message
from pathlib import Path

from backdate.errors import ConfigurationError
from backdate.projects.read import read_text

PERMISSIVE = frozenset(
    {
        *(
            "0BSD",
            "AFL-2.0",
            "AFL-2.1",
            "AFL-3.0",
            "APACHE-1.1",
            "APACHE-2.0",
            "ARTISTIC-2.0",
            "BLUEOAK-1.0.0",
        ),
        *("BSD", "BSD-1-CLAUSE", "BSD-2-CLAUSE", "BSD-2-CLAUSE-PATENT", "BSD-2-CLAUSE-FREEBSD"),
        *("BSD-2-CLAUSE-VIEWS", "BSD-3-CLAUSE", "BSD-3-CLAUSE-CLEAR", "BSD-3-CLAUSE-LBNL", "BSD-4-CLAUSE"),
        *("BSD-SOURCE-CODE", "BSL-1.0", "CC0-1.0", "CNRI-PYTHON", "ECL-2.0", "HPND", "ISC", "JSON", "MIT"),
        *("MIT-0", "MIT-CMU", "MIT-FEH", "MIT-MODERN-VARIANT", "MITNFA", "MS-PL", "MULANPSL-2.0", "NCSA"),
        *("OLDAP-2.8", "PHP-3.01", "POSTGRESQL", "PSF-2.0", "PYTHON-2.0", "PYTHON-2.0.1", "UNICODE-DFS-2016"),
        *("UNLICENSE", "UPL-1.0", "VIM", "W3C", "WTFPL", "X11", "ZLIB", "ZPL-2.0", "ZPL-2.1", "LIBPNG"),
        "WARRANTY-DISCLAIMER",  # ScanCode's name for a paragraph that stands beside a licence
    }
)
NO_LICENCE = frozenset({"", "NONE", "NOASSERTION", "NO_LICENSE", "NO-LICENSE", "UNKNOWN", "NULL"})
"""How tables of repositories write that there is none."""

_FLAGS = re.IGNORECASE | re.DOTALL
_FAMILIES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("AGPL-3.0", re.compile(r"gnu affero general public licen[sc]e", re.IGNORECASE)),
    ("LGPL", re.compile(r"gnu (?:lesser|library) general public licen[sc]e", re.IGNORECASE)),
    ("GPL", re.compile(r"gnu general public licen[sc]e", re.IGNORECASE)),
    ("MPL-2.0", re.compile(r"mozilla public licen[sc]e", re.IGNORECASE)),
    ("EPL", re.compile(r"eclipse public licen[sc]e", re.IGNORECASE)),
    ("EUPL", re.compile(r"european union public licen[sc]e", re.IGNORECASE)),
    ("CC-BY", re.compile(r"creative commons (?:attribution|legal code.{0,200}attribution)", _FLAGS)),
    ("Apache-2.0", re.compile(r"apache licen[sc]e,?\s+version 2\.0", re.IGNORECASE)),
    ("MIT", re.compile(r"permission is hereby granted, free of charge, to any person obtaining", _FLAGS)),
    ("ISC", re.compile(r"permission to use, copy, modify, and(?:/or)? distribute this software", _FLAGS)),
    ("BSD-3-Clause", re.compile(r"redistribution and use in source and binary forms.*endorse", _FLAGS)),
    ("BSD-2-Clause", re.compile(r"redistribution and use in source and binary forms", re.IGNORECASE)),
    ("Unlicense", re.compile(r"free and unencumbered software released into the public domain", _FLAGS)),
    ("CC0-1.0", re.compile(r"cc0 1\.0 universal", re.IGNORECASE)),
    ("WTFPL", re.compile(r"do what the fuck you want to", re.IGNORECASE)),
    ("Zlib", re.compile(r"this software is provided 'as-is', without any express or implied", re.IGNORECASE)),
    ("Python-2.0", re.compile(r"python software foundation licen[sc]e", re.IGNORECASE)),
    ("ZPL-2.1", re.compile(r"zope public licen[sc]e", re.IGNORECASE)),
)
_CLASSIFIERS = {
    "Apache Software License": "Apache-2.0",
    "BSD License": "BSD",
    "MIT License": "MIT",
    "MIT No Attribution License (MIT-0)": "MIT-0",
    "ISC License (ISCL)": "ISC",
    "Python Software Foundation License": "PSF-2.0",
    "The Unlicense (Unlicense)": "Unlicense",
    "Zope Public License": "ZPL-2.1",
    "zlib/libpng License": "Zlib",
    "Academic Free License (AFL)": "AFL-3.0",
    "CC0 1.0 Universal (CC0 1.0) Public Domain Dedication": "CC0-1.0",
    "Public Domain": "CC0-1.0",
    "Historical Permission Notice and Disclaimer (HPND)": "HPND",
}
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
    return plain in PERMISSIVE or plain in NO_LICENCE


def licence_of_text(text: str) -> str | None:
    """The licence whose words ``text`` holds, by its SPDX name or its family's; None when not recognised."""
    flat = " ".join(text.split())
    return next((name for name, pattern in _FAMILIES if pattern.search(flat)), None)


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


def _stated(metadata: Message) -> str | None:
    expression = str(metadata.get("License-Expression") or "").strip()
    if expression:
        return expression
    for line in metadata.get_all("Classifier") or []:
        parts = [part.strip() for part in str(line).split("::")]
        if parts[0] == "License" and parts[-1] not in ("License", "OSI Approved"):
            return _CLASSIFIERS.get(parts[-1], parts[-1])
    written = str(metadata.get("License") or "").strip()
    if not written or written.upper() in NO_LICENCE:
        return None
    return next(
        (name for name in (written, licence_of_text(written)) if name and _permissive(name)), None
    ) or (licence_of_text(written) or _free_text(written))


def _free_text(written: str) -> str | None:
    """Names as people write them into setup.py: "BSD 3-Clause", "Apache License 2.0", "GPLv3"."""
    words = written.splitlines()[0].lower()
    for mark, name in (
        ("agpl", "AGPL-3.0"),
        ("lgpl", "LGPL"),
        ("gpl", "GPL"),
        ("mpl", "MPL-2.0"),
        ("mozilla", "MPL-2.0"),
        ("bsd", "BSD"),
        ("mit", "MIT"),
        ("apache", "Apache-2.0"),
        ("isc", "ISC"),
        ("psf", "PSF-2.0"),
        ("unlicense", "Unlicense"),
        ("public domain", "CC0-1.0"),
    ):
        if mark in words:
            return name
    return None
