"""Licences by name, by what metadata state, and by their text."""

from __future__ import annotations

from email.parser import HeaderParser
from pathlib import Path

import pytest

from backdate.construction.licences import licence_of_text, licence_of_tree, refuse_licences


@pytest.mark.parametrize(
    ("licences", "refused"),
    [
        ([], None),
        (["MIT"], None),
        (["mit", "Apache-2.0"], None),
        (["NOASSERTION"], None),
        (["GPL-3.0-only"], "GPL-3.0-only"),
        (["MIT", "LGPL-2.1"], "LGPL-2.1"),
        (["MIT OR GPL-2.0"], None),
        (["MIT AND GPL-2.0"], "MIT AND GPL-2.0"),
        (["Apache-2.0 WITH LLVM-exception"], None),
        (["(MIT AND BSD-3-Clause) OR ISC"], None),
        (["(MIT AND GPL-2.0)"], "(MIT AND GPL-2.0)"),
        (["LicenseRef-Proprietary"], "LicenseRef-Proprietary"),
    ],
)
def test_permissive_or_none(licences: list[str], refused: str | None) -> None:
    assert refuse_licences(licences) == refused


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("License-Expression: BSD-3-Clause\n", "BSD-3-Clause"),
        ("Classifier: License :: OSI Approved :: MIT License\nLicense: whatever\n", "MIT"),
        (
            "Classifier: License :: OSI Approved :: GNU General Public License v3 (GPLv3)\n",
            "GNU General Public License v3 (GPLv3)",
        ),
        ("License: BSD 3-Clause\n", "BSD"),
        ("License: GPLv3\n", "GPL"),
        ("License: UNKNOWN\n", None),
        ("Name: x\n", None),
    ],
)
def test_what_metadata_state(header: str, expected: str | None, tmp_path: Path) -> None:
    assert licence_of_tree(tmp_path, HeaderParser().parsestr(header)) == expected


def test_a_text_is_told_by_its_words(tmp_path: Path) -> None:
    text = "The MIT License\n\nPermission is hereby granted, free of\ncharge, to any person obtaining a copy"
    assert licence_of_text(text) == "MIT"
    assert licence_of_text("GNU LESSER GENERAL PUBLIC LICENSE") == "LGPL"
    assert licence_of_tree(tmp_path) is None
    (tmp_path / "LICENSE").write_text("all rights reserved")
    assert licence_of_tree(tmp_path) == "unrecognised"
    (tmp_path / "COPYING.txt").write_text(text)
    assert licence_of_tree(tmp_path) == "MIT"


def test_no_expression_takes_long() -> None:
    spaces = "\n " * 500_000
    assert refuse_licences([f"MIT{spaces}OR{spaces}GPL-3.0"]) is None
    assert refuse_licences([f"x{spaces}y"]) is not None  # took days


@pytest.mark.parametrize(
    ("text", "licence"),
    [
        ("MIT License\n", "MIT"),
        ("The MIT License (MIT)\n\nCopyright (c) 2020 Somebody\n", "MIT"),
        ("MIT License, but not for sale\n", None),
        ("MIT License\n\nor the GNU General Public License\n", "GPL"),
    ],
)
def test_a_file_that_only_names_its_licence(text: str, licence: str | None) -> None:
    assert licence_of_text(text) == licence
