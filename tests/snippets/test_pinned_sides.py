"""As of when what a row's pins leave open is resolved."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import httpx
import pytest
from packaging.requirements import Requirement

from backdate.index.upstream import IndexClient
from backdate.snippets.pinned_sides import IndexUploads, pinned_side
from backdate.timeline.calendar import settled_since
from backdate.timeline.instants import Instant

UPLOADED = {"old==1.0": "2019-03-04T05:06:07+00:00", "new==2": "2024-02-06T20:00:00+00:00"}


class _Uploads:
    def of(self, requirement: Requirement) -> Instant | None:
        said = UPLOADED.get(str(requirement))
        return datetime.fromisoformat(said).astimezone(UTC) if said else None


def _requirements(*texts: str) -> list[Requirement]:
    return [Requirement(text) for text in texts]


def test_the_rest_is_as_two_weeks_after_the_last_pinned_release() -> None:
    side = pinned_side("2", "3.10", _requirements("new==2", "old==1.0"), ("pytest", "Old"), _Uploads())
    assert side.instant == datetime(2024, 2, 20, tzinfo=UTC)
    assert side.requirements == ("new==2", "old==1.0", "pytest")
    assert not side.not_had


def test_the_rest_is_not_older_than_what_the_interpreter_needs() -> None:
    side = pinned_side("1.0", "3.10", _requirements("old==1.0"), (), _Uploads())
    assert side.instant == settled_since("3.10") == datetime(2022, 10, 4, tzinfo=UTC)


def test_a_pin_without_a_release_cannot_be_had() -> None:
    side = pinned_side("9", "3.10", _requirements("old==9"), (), _Uploads())
    assert side.not_had == "the index has no release of old==9"
    assert side.instant is None


def test_an_unknown_python_cannot_be_had() -> None:
    assert pinned_side("1.0", "3.99", _requirements("old==1.0"), (), _Uploads()).not_had


def _answer(request: httpx.Request) -> httpx.Response:
    if "absent" in request.url.path:
        return httpx.Response(404, stream=httpx.ByteStream(b""))
    uploads = {"foo-2.0.0-py3-none-any.whl": "2023-04-05", "foo-2.0.0.tar.gz": "2023-04-03"}
    files = [
        {"filename": name, "url": f"/f/{name}", "hashes": {}, "upload-time": f"{day}T00:00:00Z"}
        for name, day in {**uploads, "foo-2.1.tar.gz": "2023-08-30"}.items()
    ]
    page = {"meta": {"api-version": "1.1"}, "name": "foo", "files": files}
    kind = {"content-type": "application/vnd.pypi.simple.v1+json"}
    return httpx.Response(200, stream=httpx.ByteStream(json.dumps(page).encode()), headers=kind)


@pytest.mark.parametrize(
    ("pin", "uploaded"),
    [
        ("foo==2", datetime(2023, 4, 3, tzinfo=UTC)),  # the first of its files
        ("foo>=2", datetime(2023, 8, 30, tzinfo=UTC)),  # the newest that is allowed
        ("foo==3", None),
        ("absent==1", None),
    ],
)
def test_the_index_says_when_a_release_appeared(pin: str, uploaded: Instant | None) -> None:
    transport = httpx.MockTransport(_answer)
    with IndexClient(upstreams=("https://index/simple",), transport=transport) as client:
        assert IndexUploads(client).of(Requirement(pin)) == uploaded
