"""Core metadata of strangers: what an honest distribution has is read, and floods are not."""

from __future__ import annotations

import pytest

from backdate.index import core_metadata
from backdate.index.core_metadata import read_core_metadata

HONEST = b"Metadata-Version: 2.1\nName: x\nVersion: 1\n"


def test_what_they_say() -> None:
    many = b"".join(b"Requires-Dist: a%d\n" % number for number in range(5000))
    body = b"".join(b"Heading%d: of the description\n" % number for number in range(500))
    read = read_core_metadata(HONEST + many + b"\n" + body)
    assert read is not None
    assert len(read[0]["requires_dist"]) == 5000
    assert read[0]["description"].encode() == body


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
def test_many_different_headers_are_not_read(end: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_metadata, "parse_email", lambda _: pytest.fail("that takes minutes"))
    flood = b"".join(b"A%d: x%b" % (number, end) for number in range(9999))
    assert read_core_metadata(HONEST.replace(b"\n", end) + flood) is None


def test_very_many_headers_are_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_metadata, "parse_email", lambda _: pytest.fail("that takes minutes"))
    assert read_core_metadata(HONEST + b"A:\n" * 60_000) is None
