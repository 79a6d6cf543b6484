from __future__ import annotations

import hashlib
import io
import json
import tarfile
from pathlib import Path

import httpx
import pytest
from packaging.version import Version

from backdate.errors import IndexUnavailable, SourceError
from backdate.index.upstream import IndexClient
from backdate.projects.sources import sdist as room
from backdate.projects.sources.listing import ListedFile
from backdate.projects.sources.sdist import choose_sdist, fetch_sdist, read_package_info
from backdate.projects.sources.specification import SdistSource
from backdate.projects.sources.tree import TreeLimits
from backdate.timeline.instants import parse_instant


def listed(filename: str, version: str, day: str, *, yanked: bool = False) -> ListedFile:
    return ListedFile(
        filename=filename,
        url="https://index/" + filename,
        version=Version(version),
        uploaded=parse_instant(day),
        sha256="a" * 64,
        yanked=yanked,
        sdist=not filename.endswith(".whl"),
    )


FILES = (
    listed("foo-1.0.tar.gz", "1.0", "2019-01-01"),
    listed("foo-1.0.zip", "1.0", "2019-01-01"),
    listed("foo-1.1.zip", "1.1", "2020-01-01"),
    listed("foo-2.0rc1.tar.gz", "2.0rc1", "2020-06-01"),
    listed("foo-1.2.tar.gz", "1.2", "2020-07-01", yanked=True),
    listed("foo-2.0-py3-none-any.whl", "2.0", "2021-01-01"),
)
LATEST = SdistSource(name="foo", version=None)


@pytest.mark.parametrize(
    ("version", "before", "filename"),
    [
        (None, "2019-06-01", "foo-1.0.tar.gz"),
        (None, "2020-12-01", "foo-1.1.zip"),
        (None, "2020-01-01", "foo-1.0.tar.gz"),
        ("1.0", None, "foo-1.0.tar.gz"),
        ("2.0rc1", None, "foo-2.0rc1.tar.gz"),
        ("1.2", None, "foo-1.2.tar.gz"),
    ],
)
def test_the_sdist_that_is_meant(version: str | None, before: str | None, filename: str) -> None:
    source = SdistSource(name="foo", version=Version(version) if version else None)
    assert choose_sdist(FILES, source, parse_instant(before) if before else None).filename == filename


@pytest.mark.parametrize(
    ("version", "before", "words"),
    [
        (None, None, r"foo 2\.0 has only wheels, no sdist.* latest version with an sdist is 2.0rc1"),
        ("2.0", None, "only wheels"),
        (None, "2018-01-01", "no file on the index before 2018-01-01; it was first uploaded on 2019-01-01"),
        ("9", None, "9 is not on the index; the latest version is 2.0"),
        (
            "1.1",
            "2019-06-01",
            "1.1 is not on the index before 2019-06-01; it was first uploaded on 2020-01-01",
        ),
    ],
)
def test_missing_sources_are_reported(version: str | None, before: str | None, words: str) -> None:
    source = SdistSource(name="foo", version=Version(version) if version else None)
    with pytest.raises(SourceError, match=words):
        choose_sdist(FILES, source, parse_instant(before) if before else None)


def test_only_candidates_are_not_chosen_unasked() -> None:
    with pytest.raises(SourceError, match=r"pypi:foo==2\.0rc1"):
        choose_sdist(FILES[3:5], LATEST, None)


def make_sdist(*, top: str = "foo-1.0", info: str = "Name: foo\nVersion: 1.0\n") -> bytes:
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w:gz") as tar:
        for name, text in ((f"{top}PKG-INFO", info), (f"{top}foo.py", "x = 1\n")):
            member = tarfile.TarInfo(
                name if top.endswith("/") or not top else name.replace(top, top + "/", 1)
            )
            member.size = len(text)
            tar.addfile(member, io.BytesIO(text.encode()))
    return raw.getvalue()


class Index:
    """A package index with one sdist, which counts how often it is downloaded."""

    def __init__(self, data: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
        self.data = data
        self.digest: str | None = hashlib.sha256(data).hexdigest()
        self.downloads = 0
        self.transport = httpx.MockTransport(self.answer)
        monkeypatch.setattr(room, "new_client", lambda: httpx.Client(transport=self.transport))

    def answer(self, request: httpx.Request) -> httpx.Response:
        if request.url.path == "/simple/foo/":
            hashes = {"sha256": self.digest} if self.digest else {}
            file = {
                "filename": "foo-1.0.tar.gz",
                "url": "/f/foo-1.0.tar.gz",
                "hashes": hashes,
                "upload-time": "2020-01-02T00:00:00Z",
            }
            return httpx.Response(
                200,
                stream=httpx.ByteStream(json.dumps({"files": [file]}).encode()),
                headers={"content-type": "application/vnd.pypi.simple.v1+json"},
            )
        self.downloads += 1
        return httpx.Response(200, stream=httpx.ByteStream(self.data))

    def fetch(self, tmp_path: Path, target: str = "out"):
        with IndexClient(upstreams=("https://index/simple",), transport=self.transport) as client:
            return fetch_sdist(
                LATEST,
                tmp_path / target,
                client=client,
                before=None,
                cache=tmp_path / "cache",
                limits=TreeLimits(),
            )


def test_an_sdist_is_unpacked_without_its_folder_and_kept(tmp_path: Path, monkeypatch, files_of) -> None:
    index = Index(make_sdist(), monkeypatch)
    origin, python_files = index.fetch(tmp_path)
    assert set(files_of(tmp_path / "out")) == {"PKG-INFO", "foo.py"}
    assert python_files == 1
    assert origin.location == "foo==1.0"
    assert origin.revision == index.digest
    assert origin.dated == parse_instant("2020-01-02")
    assert origin.version_hint == "1.0"
    index.fetch(tmp_path, "again")
    assert index.downloads == 1
    next((tmp_path / "cache").rglob("*.tar.gz")).write_bytes(b"damaged")
    index.fetch(tmp_path, "third")
    assert index.downloads == 2


def test_an_sdist_without_a_folder(tmp_path: Path, monkeypatch, files_of) -> None:
    Index(make_sdist(top=""), monkeypatch).fetch(tmp_path)
    assert set(files_of(tmp_path / "out")) == {"PKG-INFO", "foo.py"}


@pytest.mark.parametrize("info", ["Name: bar\nVersion: 1.0\n", "Name: foo\nVersion: 2.0\n"])
def test_an_sdist_of_something_else_is_refused(tmp_path: Path, monkeypatch, info: str) -> None:
    with pytest.raises(SourceError, match=r"foo-1\.0\.tar\.gz holds"):
        Index(make_sdist(info=info), monkeypatch).fetch(tmp_path)


@pytest.mark.parametrize("info", ["", "no headers at all", "Name: Foo\nVersion: one-ish\n"])
def test_an_sdist_with_sparse_metadata_is_taken(tmp_path: Path, monkeypatch, info: str) -> None:
    Index(make_sdist(info=info), monkeypatch).fetch(tmp_path)


def test_a_file_with_another_hash_than_listed_is_refused(tmp_path: Path, monkeypatch) -> None:
    index = Index(make_sdist(), monkeypatch)
    index.digest = "b" * 64
    with pytest.raises(SourceError, match="is not what the index lists"):
        index.fetch(tmp_path)
    assert not list(tmp_path.glob("cache/**/*.tar.gz"))


def test_an_index_without_hashes_is_refused(tmp_path: Path, monkeypatch) -> None:
    index = Index(make_sdist(), monkeypatch)
    index.digest = None
    with pytest.raises(IndexUnavailable, match="no SHA-256"):
        index.fetch(tmp_path)


def test_package_info_of_a_hostile_tree(tmp_path: Path) -> None:
    (tmp_path / "PKG-INFO").symlink_to("/etc/passwd")
    assert read_package_info(tmp_path).name is None
