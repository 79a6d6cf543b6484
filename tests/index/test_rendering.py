from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import mousebender.simple
import pypi_simple
import pytest
from fake_index import JSON, file_entry, json_page
from hypothesis import given, settings
from hypothesis import strategies as st

from backdate.index.page import from_microseconds, to_microseconds
from backdate.index.page_store import SerialisedPage, entries, pack, serialise, unpack
from backdate.index.reading import read_json
from backdate.index.reading_html import read_html
from backdate.index.rendering import ReadyPage, make_ready
from backdate.index.rendering import cut as cut_page
from backdate.timeline.instants import format_instant

BASE = "https://index.example/simple/demo/"
START = datetime(2015, 1, 1, tzinfo=UTC)

reasons = st.text(max_size=12).filter(lambda text: text.isprintable() and text.strip() == text)


@st.composite
def files(draw: st.DrawFn) -> list[dict[str, Any]]:
    result = []
    for number in range(draw(st.integers(1, 8))):
        version = draw(st.sampled_from(["1.0", "1.1", "2.0", "3.0rc1"]))
        ending = draw(st.sampled_from(["-py3-none-any.whl", ".tar.gz", ".zip"]))
        uploaded = START + timedelta(microseconds=draw(st.integers(0, 10)) * 1_000_001)
        more: dict[str, Any] = {"yanked": draw(st.sampled_from([False, True]) | reasons)}
        if draw(st.booleans()):
            more["requires-python"] = draw(st.sampled_from([">=3.6", "<4, !=3.0.*"]))
        if draw(st.booleans()):
            more["core-metadata"] = more["dist-info-metadata"] = draw(
                st.sampled_from([True, {"sha256": "ab" * 32}])
            )
        stem = f"demo-{version}-{number}" if ending.endswith(".whl") else f"demo-{version}"
        result.append(file_entry(f"{stem}{ending}", format_instant(uploaded), **more))
    return result


def read(listed: list[dict[str, Any]]) -> SerialisedPage:
    reading = read_json(json_page("demo", *listed), base=BASE, name="demo")
    return serialise("demo", reading.files, upstream="https://index.example/simple/", fetched=0)


def cut(ready: ReadyPage, cutoff: int) -> bytes | None:
    """The page, or None when nothing is visible (which the server answers with 404)."""
    body = cut_page(ready, cutoff)
    assert (ready.visible_count(cutoff) == 0) == (b"upload-time" not in body)
    return body if ready.visible_count(cutoff) else None


def shown(page: SerialisedPage, cutoff: int) -> dict[str, Any] | None:
    body = cut(make_ready(page, is_json=True), cutoff)
    return None if body is None else json.loads(body)


@given(files())
def test_packing_keeps_the_page(listed: list[dict[str, Any]]) -> None:
    page = read(listed)
    assert unpack(pack(page), what="test") == page


@given(files(), st.integers(-5, 12_000_000), st.integers(0, 12_000_000))
def test_the_view_grows_with_time(listed: list[dict[str, Any]], first: int, later: int) -> None:
    page = read(listed)
    start = to_microseconds(START)
    before, after = shown(page, start + first), shown(page, start + first + later)
    if before is not None:
        assert after is not None
        assert set(before["versions"]) <= set(after["versions"])
        kept = [json.dumps(entry, sort_keys=True) for entry in after["files"]]
        assert all(json.dumps(entry, sort_keys=True) in kept for entry in before["files"])


@given(files())
def test_one_microsecond_around_each_upload(listed: list[dict[str, Any]]) -> None:
    page = read(listed)
    for entry in listed:
        uploaded = to_microseconds(datetime.fromisoformat(entry["upload-time"]))
        for cutoff, visible in ((uploaded - 1, False), (uploaded, False), (uploaded + 1, True)):
            view = shown(page, cutoff)
            assert (view is not None and entry in view["files"]) == visible


@given(files(), st.integers(0, 12_000_000))
def test_nothing_of_the_future_is_in_the_bytes(listed: list[dict[str, Any]], later: int) -> None:
    cutoff = START + timedelta(microseconds=later)
    page = read(listed)
    for is_json in (True, False):
        body = cut(make_ready(page, is_json=is_json), to_microseconds(cutoff))
        visible = {
            entry["filename"] for entry in listed if datetime.fromisoformat(entry["upload-time"]) < cutoff
        }
        hidden = {entry["filename"] for entry in listed} - visible
        assert (body is None) == (not visible)
        for filename in hidden:
            assert body is None or filename.encode() not in body
        if is_json and body is not None:
            versions = {
                filename.removesuffix(".zip").removesuffix(".tar.gz").split("-")[1] for filename in visible
            }
            view = json.loads(body)
            assert set(view["versions"]) == versions
            assert set(view) == {"meta", "name", "versions", "files"}


@pytest.mark.slow
@settings(max_examples=200)
@given(files(), st.integers(0, 12_000_000))
def test_html_says_what_json_says_and_both_oracles_agree(listed: list[dict[str, Any]], later: int) -> None:
    cutoff = to_microseconds(START) + later
    page = read(listed)
    as_json = cut(make_ready(page, is_json=True), cutoff)
    as_html = cut(make_ready(page, is_json=False), cutoff)
    if as_json is None or as_html is None:
        assert as_json is as_html is None
        return
    from_json = pypi_simple.ProjectPage.from_json_data(json.loads(as_json), BASE)
    from_html = pypi_simple.ProjectPage.from_html("demo", as_html.decode(), BASE)
    assert len(from_json.packages) == len(from_html.packages) > 0
    for one, other in zip(from_json.packages, from_html.packages, strict=True):
        for field in (
            "filename",
            "url",
            "digests",
            "requires_python",
            "is_yanked",
            "yanked_reason",
            "has_metadata",
        ):
            assert (getattr(one, field) or None) == (getattr(other, field) or None), field
        assert one.upload_time is not None
        assert to_microseconds(one.upload_time) < cutoff
    parsed = mousebender.simple.parse_project_details(as_json, JSON, "demo")
    again = mousebender.simple.from_project_details_html(as_html.decode(), "demo")
    assert [file["filename"] for file in parsed["files"]] == [file["filename"] for file in again["files"]]
    ours = read_html(as_html, base=BASE, name="demo")
    assert list(ours.files.times) == [
        to_microseconds(package.upload_time)
        for package in from_json.packages
        if package.upload_time is not None
    ]


@given(files())
def test_yanked_never(listed: list[dict[str, Any]]) -> None:
    page = read(listed)
    cutoff = to_microseconds(START + timedelta(days=1))
    body = cut(make_ready(page, is_json=True, keep_yanked=False), cutoff)
    assert body is not None
    assert not any(entry.get("yanked") for entry in json.loads(body)["files"])
    anchors = cut(make_ready(page, is_json=False, keep_yanked=False), cutoff)
    assert anchors is not None
    assert b"data-yanked" not in anchors


def test_pages_without_sizes_are_version_1_0() -> None:
    entry = file_entry("demo-1.0.tar.gz", format_instant(START))
    later = to_microseconds(START + timedelta(days=1))
    view = shown(read([entry]), later)
    assert view is not None
    assert view["meta"]["api-version"] == "1.1"
    del entry["size"]
    view = shown(read([entry]), later)
    assert view is not None
    assert view["meta"]["api-version"] == "1.0"


@given(st.integers(0, 4_000_000_000_000_000))
def test_microseconds_are_exact(value: int) -> None:
    assert to_microseconds(from_microseconds(value)) == value


def test_hostile_text_cannot_break_out_of_html() -> None:
    nasty = '"><script>alert(1)</script>'
    entry = file_entry(
        "demo-1.0.tar.gz",
        format_instant(START),
        url="https://f.example/&quot;'onclick='",
        yanked=nasty,
        hashes={nasty: nasty},
        **{"requires-python": nasty, "core-metadata": {nasty: nasty}},
    )
    page = read([entry])
    body = cut(make_ready(page, is_json=False), to_microseconds(START) + 1)
    assert body is not None
    assert b"<script" not in body
    assert b"'onclick" not in body
    assert len(list(entries(page))) == 1
