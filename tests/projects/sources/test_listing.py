from __future__ import annotations

import json

import httpx
import pytest
from packaging.version import Version

from backdate.errors import IndexUnavailable, SourceError
from backdate.index.upstream import IndexClient
from backdate.projects.sources.listing import ListedFile, fetch_listing

DIGEST = "0" * 64


def listing_of(
    *names: str, status: int = 200, upload_time: str | None = "2020-01-02T00:00:00Z"
) -> tuple[ListedFile, ...]:
    def answer(_request: httpx.Request) -> httpx.Response:
        files = [
            {"filename": name, "url": f"/f/{name}", "hashes": {"sha256": DIGEST}, "upload-time": upload_time}
            for name in names
        ]
        page = {"meta": {"api-version": "1.1"}, "name": "foo", "files": files}
        kind = {"content-type": "application/vnd.pypi.simple.v1+json"}
        return httpx.Response(status, stream=httpx.ByteStream(json.dumps(page).encode()), headers=kind)

    with IndexClient(upstreams=("https://index/simple",), transport=httpx.MockTransport(answer)) as client:
        return fetch_listing(client, "foo")


def test_kinds_of_files() -> None:
    sdist, archive, wheel = listing_of("foo-1.0.tar.gz", "foo-1.1.zip", "foo-1.1-py3-none-any.whl")
    assert (sdist.version, sdist.sdist, sdist.sha256) == (Version("1.0"), True, DIGEST)
    assert sdist.url == "https://index/f/foo-1.0.tar.gz"
    assert archive.sdist
    assert not wheel.sdist


def test_files_without_a_version_are_left_out() -> None:
    assert [file.filename for file in listing_of("foo-final.tar.gz", "foo-2.0.tar.gz")] == ["foo-2.0.tar.gz"]


def test_a_name_that_the_index_does_not_know() -> None:
    with pytest.raises(SourceError, match="foo is not on the package index https://index/simple"):
        listing_of(status=404)


def test_an_index_without_upload_times() -> None:
    with pytest.raises(IndexUnavailable, match="upload time"):
        listing_of("foo-1.0.tar.gz", upload_time=None)
