from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.version import Version

from backdate.errors import SourceError
from backdate.projects.sources.specification import (
    FolderSource,
    GitSource,
    SdistSource,
    parse_source,
    without_secrets,
)


@pytest.mark.parametrize(
    ("text", "location", "revision", "subdirectory"),
    [
        ("https://host/a/b", "https://host/a/b", "HEAD", ""),
        ("https://host/a/b.git@v1.0", "https://host/a/b.git", "v1.0", ""),
        ("git+https://host/a/b@feature/x", "https://host/a/b", "feature/x", ""),
        ("https://host/a/b@main#subdirectory=py/lib", "https://host/a/b", "main", "py/lib"),
        ("https://user:token@host/a/b@main", "https://user:token@host/a/b", "main", ""),
        ("ssh://git@host:22/a/b.git@abc123", "ssh://git@host:22/a/b.git", "abc123", ""),
        ("git@host:a/b.git", "git@host:a/b.git", "HEAD", ""),
        ("git@host:a/b.git@v2", "git@host:a/b.git", "v2", ""),
        ("git+git@host:a/b.git@v2#subdirectory=x", "git@host:a/b.git", "v2", "x"),
    ],
)
def test_addresses(text: str, location: str, revision: str, subdirectory: str) -> None:
    expected = GitSource(location=location, local=False, revision=revision, subdirectory=subdirectory)
    assert parse_source(text) == expected


def test_file_urls_are_local() -> None:
    expected = GitSource(location="/a b/c", local=True, revision="v1", subdirectory="")
    assert parse_source("file:///a%20b/c@v1") == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        " x",
        "a\nb",
        "a\0b",
        "--upload-pack=touch x",
        "-h",
        "ext::sh -c touch% x",
        "git+ext::sh -c x",
        "fd::17",
        "git://host/a/b",
        "http://host/a/b",
        "ftp://host/a",
        "https://-oProxyCommand=x/a",
        "ssh://-oProxyCommand=touch/a",
        "ssh://-x@host/a",
        "-x@host:a/b",
        "git@-host:a/b",
        "git@host:-a/b",
        "https:///a/b",
        "https://host",
        "https://host/a@--upload-pack=x",
        "https://host/a@a..b",
        "https://host/a@",
        "https://host/a#egg=x",
        "https://host/a#subdirectory=../x",
        "https://[host/a",
        "https://host:99999999/a",
        "file://host/a",
        "./nowhere",
        "pypi:",
        "pypi:a==",
        "pypi:a==x",
        "pypi:../x",
        "pypi:a[b]",
        "pypi:a>=1",
        "x" * 5000,
    ],
)
def test_hostile_and_malformed_names_are_refused(text: str) -> None:
    with pytest.raises(SourceError):
        parse_source(text)


def test_sdists() -> None:
    assert parse_source("pypi:Foo_Bar==1.0") == SdistSource(name="foo-bar", version=Version("1"))
    assert parse_source("pypi:foo") == SdistSource(name="foo", version=None)


def test_paths(repository: Path, git) -> None:
    assert parse_source(str(repository)) == FolderSource(path=repository)
    at = parse_source(f"{repository}@v1.2.0")
    assert at == GitSource(location=str(repository), local=True, revision="v1.2.0")
    inner = parse_source(f"{repository}/.git")
    assert inner == GitSource(location=f"{repository}/.git", local=True, revision="HEAD")


def test_a_folder_with_an_at_sign_is_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a@b").mkdir()
    assert parse_source(str(tmp_path / "a@b")) == FolderSource(path=tmp_path / "a@b")


def test_secrets_are_not_shown() -> None:
    assert without_secrets("https://user:token@host/a") == "https://host/a"
    assert without_secrets("ssh://git@host/a") == "ssh://git@host/a"
    assert without_secrets("git@host:a") == "git@host:a"


@given(st.text(max_size=60) | st.text(alphabet="git@host:/.-+#=~[]%pypi", max_size=40))
def test_anything_is_a_source_or_a_source_error(text: str) -> None:
    try:
        source = parse_source(text)
    except SourceError:
        return
    if isinstance(source, GitSource):
        assert not source.location.startswith("-")
        assert not source.revision.startswith("-")
