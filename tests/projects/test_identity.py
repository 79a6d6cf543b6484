"""Whose a project is, by its metadata."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.metadata import RawMetadata

from backdate.projects.identity import (
    identity_of_release,
    identity_of_tree,
    make_identity,
    plain_address,
)

RELEASE = RawMetadata(
    home_page="https://demo.example.org/",
    project_urls={"Source": "https://github.com/Owner/demo/tree/main"},
    author="Ada Lovelace",
    author_email="ada@example.org",
    summary="Counts  what nobody counted",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("git@github.com:Owner/Name.git", "github.com/owner/name"),
        ("ssh://git@github.com/owner/name", "github.com/owner/name"),
        ("https://user:secret@github.com/owner/name.git/", "github.com/owner/name"),
        ("https://github.com/owner/name/issues#top", "github.com/owner/name"),
        ("https://www.example.org/", "example.org"),
        ("https://github.com/owner", None),
        ("https://pypi.org/project/demo", None),
        ("http://localhost/demo", None),
        ("/home/me/demo", None),
        ("http://[broken", None),
        ("", None),
    ],
)
def test_one_address_however_it_is_written(text: str, expected: str | None) -> None:
    assert plain_address(text) == expected


@given(st.text(max_size=60))
def test_no_address_stops_anything(text: str) -> None:
    plain = plain_address(text)
    assert plain is None or "." in plain
    make_identity([text], [text], text)


@pytest.mark.parametrize(
    ("file", "content", "shared"),
    [
        ("pyproject.toml", '[project.urls]\nx = "https://github.com/owner/demo"', "the address github.com"),
        ("pyproject.toml", '[[project.authors]]\nname = "Ada Lovelace"', "the author ada lovelace"),
        ("pyproject.toml", '[tool.poetry]\nauthors = ["A L <ada@example.org>"]', "the author ada@"),
        ("pyproject.toml", '[tool.poetry]\nhomepage = "http://demo.example.org"', "the address demo."),
        ("pyproject.toml", '[project]\ndescription = "Counts what nobody counted"', "the summary"),
        (
            "setup.cfg",
            "[metadata]\nproject_urls =\n  Code = https://github.com/owner/demo.git",
            "the address",
        ),
        (
            "setup.py",
            "from setuptools import setup\nsetup(author_email='Ada@example.org')",
            "the author ada@",
        ),
        ("pyproject.toml", '[project]\nname = "demo"\ndescription = "Another demo library"', ""),
        ("pyproject.toml", "not toml", ""),
        ("pyproject.toml", '[project]\nauthors = 3\nurls = "x"\ndescription = []', ""),
    ],
)
def test_what_a_tree_shares_with_a_release(tmp_path: Path, file: str, content: str, shared: str) -> None:
    (tmp_path / file).write_text(content)
    found = identity_of_tree(tmp_path).shared_with(identity_of_release(RELEASE))
    assert found.startswith(shared)
    assert bool(found) is bool(shared)


def test_a_name_and_a_first_name_are_of_many() -> None:
    assert make_identity((), ("Ada", "me"), "A library") == make_identity((), (), "")
