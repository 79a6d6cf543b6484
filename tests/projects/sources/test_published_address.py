"""What of an address is published."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.projects.sources.published_address import address_of, published_address


@pytest.mark.parametrize(
    ("location", "published"),
    [
        ("https://code.example/owner/name.git", "https://code.example/owner/name.git"),
        ("https://me:secret@code.example:8443/o/n?token=x#y", "https://code.example:8443/o/n"),
        ("https://token@code.example/o/n", "https://code.example/o/n"),
        ("http://[::1]:80/o/n", "http://[::1]:80/o/n"),
        ("ssh://git:secret@code.example/o/n", "ssh://git@code.example/o/n"),
        ("git@code.example:o/n.git", "git@code.example:o/n.git"),
        ("/home/me/clients/acme", ""),
        ("../acme", ""),
        ("file:///home/me/acme", ""),
        ("C:/clients/acme", ""),
        ("https://[broken", ""),
        ("https:///nohost", ""),
        ("", ""),
    ],
)
def test_addresses(location: str, published: str) -> None:
    assert published_address(location) == published
    assert published_address(published) == published


@given(st.text())
def test_anything(text: str) -> None:
    assert not published_address(text).startswith(("/", "file:", "."))


def test_a_local_clone_has_the_address_of_its_origin(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    git_dir = tmp_path / ".git"
    assert address_of(str(tmp_path), git_dir) == ""
    for remote, expected in (
        ("https://me:secret@code.example/o/n.git", "https://code.example/o/n.git"),
        (str(tmp_path / "elsewhere"), ""),
    ):
        subprocess.run(["git", "-C", str(tmp_path), "config", "remote.origin.url", remote], check=True)
        assert address_of(str(tmp_path), git_dir) == expected
    assert address_of("https://code.example/other", git_dir) == "https://code.example/other"
