from __future__ import annotations

import json
import string
from html import escape

import pytest
from fake_index import file_entry, html_page, json_page
from hypothesis import example, given, settings
from hypothesis import strategies as st

from backdate.index import reading_html
from backdate.index.names import are_file_names, is_file_name
from backdate.index.page import parse_upload_time
from backdate.index.page_store import SerialisedPage, entries, serialise
from backdate.index.reading import (
    ParsedPage,
    UnusableAnswer,
    has_web_address,
    read_entries,
    read_json,
    read_project_document,
)
from backdate.index.reading_html import read_html

BASE = "https://index.example/simple/demo/"


def page_of(reading: ParsedPage) -> SerialisedPage:
    return serialise("demo", reading.files, upstream="u", fetched=0, hidden=reading.hidden)


def test_json_keeps_a_file_byte_for_byte() -> None:
    entry = file_entry("demo-1.0.tar.gz", "2020-01-01T00:00:00Z", **{"provenance": None, "x-unknown": [1]})
    reading = read_json(json_page("demo", entry), base=BASE, name="demo")
    assert json.loads(reading.files.json[0]) == entry


def test_relative_urls_become_absolute() -> None:
    entry = file_entry("demo-1.0.tar.gz", "2020-01-01T00:00:00Z", url="../../files/demo-1.0.tar.gz")
    for reading in (
        read_json(json_page("demo", entry), base=BASE, name="demo"),
        read_html(html_page("demo", entry), base=BASE, name="demo"),
    ):
        assert next(entries(page_of(reading))).url == "https://index.example/files/demo-1.0.tar.gz"


@pytest.mark.parametrize(
    "change",
    [
        {"upload-time": None},
        {"upload-time": ""},
        {"upload-time": "yesterday"},
        {"upload-time": "2020-01-01T00:00:00"},
        {"upload-time": 1577836800},
        {"filename": "../../etc/passwd"},
        {"filename": "a\u0000b"},
        {"url": "javascript:alert(1)"},
        {"url": "file:///etc/passwd"},
        {"url": "http://[broken"},
        {"url": 7},
        {"hashes": ["sha256"]},
    ],
)
def test_a_file_that_makes_no_sense_is_left_out(change: dict[str, object]) -> None:
    good = file_entry("demo-1.0.tar.gz", "2020-01-01T00:00:00Z")
    bad = {**file_entry("demo-2.0.tar.gz", "2020-01-01T00:00:00Z"), **change}
    reading = read_json(json.dumps({"files": [bad, good]}).encode(), base=BASE, name="demo")
    assert [json.loads(one)["filename"] for one in reading.files.json] == ["demo-1.0.tar.gz"]
    assert reading.hidden == 1


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"files":{}}',
        b'{"files":[',
        b"\xff\xfe",
        b'{"meta":{"api-version":"2.0"},"files":[]}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_json_page(body: bytes) -> None:
    with pytest.raises(UnusableAnswer):
        read_json(body, base=BASE, name="demo")


def test_project_document() -> None:
    file = {
        "filename": "demo-1.0.tar.gz",
        "url": "../../packages/demo-1.0.tar.gz",
        "digests": {"sha256": "0" * 64, "blake2b_256": "1" * 64},
        "requires_python": ">=3.6",
        "size": 12,
        "upload_time": "2020-01-01T00:00:00",
        "upload_time_iso_8601": "2020-01-01T00:00:00.5Z",
        "yanked": True,
        "yanked_reason": "broken",
    }
    body = json.dumps({"info": {}, "releases": {"1.0": [file], "2.0": []}}).encode()
    reading = read_project_document(body, base="https://index.example/pypi/demo/json", name="demo")
    (entry,) = entries(page_of(reading))
    assert entry.url == "https://index.example/packages/demo-1.0.tar.gz"
    assert (entry.requires_python, entry.size, entry.yanked) == (">=3.6", 12, "broken")
    assert reading.files.times[0] == parse_upload_time("2020-01-01T00:00:00.500000Z")


def test_html_with_everything() -> None:
    body = (
        b'<html><head><base href="/pkg/"></head><body>'
        b'<A HREF="demo-1.0.tar.gz#sha256=abc" data-requires-python="&gt;=3.6"'
        b' data-yanked="a &quot;reason&quot;"'
        b' data-gpg-sig="true" data-core-metadata="sha256=def" data-upload-time="2020-01-01T00:00:00Z">\n'
        b"  demo-1.0.tar.gz </A>"
        b"<a name=x>no link</a></body></html>"
    )
    (entry,) = entries(page_of(read_html(body, base=BASE, name="demo")))
    assert entry.url == "https://index.example/pkg/demo-1.0.tar.gz"
    assert entry.hashes == {"sha256": "abc"}
    assert (entry.requires_python, entry.yanked, entry.gpg_sig) == (">=3.6", 'a "reason"', True)
    assert entry.core_metadata == entry.dist_info_metadata == {"sha256": "def"}


def test_an_anchor_in_a_comment_is_none() -> None:
    anchor = '<a href="https://f.example/demo-1.zip" data-upload-time="2020-01-01T00:00:00Z">demo-1.zip</a>'
    assert not read_html(f"<html><!-- {anchor} --></html>".encode(), base=BASE, name="demo").files.json
    assert read_html(f"<html>{anchor}<!--SERIAL 12--></html>".encode(), base=BASE, name="demo").files.json


@pytest.mark.parametrize("body", [b"", b"plain words", b"<html><body><a href='x'>x</a>"])
def test_what_is_no_html_page(body: bytes) -> None:
    with pytest.raises(UnusableAnswer):
        read_html(body, base=BASE, name="demo")


def assert_common_road_agrees(text: str) -> None:
    """Where the fastest road is taken, it gives what the parser gives."""
    fast = reading_html._read_common(text, "demo")
    if fast is None:
        return
    slow = list(reading_html._to_entries(reading_html._parsed_anchors(text), BASE))
    parsed = read_entries(slow, name="demo", listed=len(slow))
    assert list(entries(page_of(fast))) == slow == list(entries(page_of(parsed)))
    assert fast.files.times == parsed.files.times
    assert list(fast.files.versions) == list(parsed.files.versions)
    assert (fast.hidden, fast.files.has_sizes) == (parsed.hidden, parsed.files.has_sizes)


ATTRIBUTE = st.tuples(
    st.sampled_from(
        ["href", "data-upload-time", "data-yanked", "data-requires-python", "data-core-metadata", "title"]
    ),
    st.text(alphabet=string.ascii_letters + string.digits + " #=:/.<>&\"'", max_size=25)
    | st.sampled_from(["https://f.example/demo-1.0.tar.gz#sha256=ab", "2020-01-01T00:00:00Z", "../x-1.zip"]),
)


@pytest.mark.slow
@settings(max_examples=300)
@given(
    st.lists(
        st.tuples(
            st.lists(ATTRIBUTE, min_size=1, max_size=4),
            st.sampled_from(["demo-1.0.tar.gz", "demo-2-py3.egg", "&amp;"]),
        ),
        max_size=6,
    )
)
def test_the_fast_road_reads_what_the_parser_reads(anchors: list[tuple[list[tuple[str, str]], str]]) -> None:
    text = "\n".join(
        "<a" + "".join(f' {key}="{escape(value)}"' for key, value in attributes) + f">{content}</a>"
        for attributes, content in anchors
    )
    assert_common_road_agrees(text)
    fast = reading_html._plain_anchors(text)
    if fast is not None:
        assert list(fast) == reading_html._parsed_anchors(text)


COMMON = st.builds(
    lambda url, sha256, python, yanked, uploaded, filename: (
        f'<a href="{escape(url)}{sha256}"{python}{yanked}{uploaded}>{escape(filename)}</a><br/>'
    ),
    st.sampled_from(
        ["https://f.example/demo-1.zip", "http://f.example/a%20b?x=1&y=2", "relative", "http://[x"]
    ),
    st.sampled_from(["", "#sha256=0aF", "#md5=12", "#sha256=", "#sha256=0a&x=1"]),
    st.sampled_from(["", ' data-requires-python="&gt;=3.6"', ' data-requires-python=""']),
    st.sampled_from(["", ' data-yanked="why &amp; when"', ' data-yanked=""']),
    st.sampled_from(
        [
            "",
            ' data-upload-time="2020-01-01T00:00:00Z"',
            ' data-upload-time="x"',
            ' data-upload-time="2020-01-01T00:00"',
        ]
    ),
    st.sampled_from(["demo-1.zip", "demo 1.zip", "a&b.zip", 'a".zip', "a\\b.zip", "../x"]),
)


@pytest.mark.slow
@settings(max_examples=500)
@given(st.lists(COMMON, max_size=4))
def test_the_fastest_road_reads_what_the_parser_reads(anchors: list[str]) -> None:
    text = "<html><body>" + "\n".join(anchors) + "</body></html>"
    assert_common_road_agrees(text)


def test_the_fastest_road_is_taken() -> None:
    uploaded = 'data-upload-time="2020-01-01T00:00:00Z"'
    entry = f'<a href="https://f.example/demo-1.zip#sha256=0a" {uploaded}>demo-1.zip</a>'
    assert reading_html._read_common(f"<html><body>{entry}</body></html>", "demo") is not None


@settings(max_examples=300)
@given(st.data())
def test_fuzzed_pages_are_read_or_refused(data: st.DataObject) -> None:
    files = [
        file_entry(f"demo-{n}.0.tar.gz", "2020-01-01T00:00:00Z", yanked="no <b> &amp;") for n in range(3)
    ]
    whole = data.draw(st.sampled_from([json_page("demo", *files), html_page("demo", *files)]))
    start = data.draw(st.integers(0, len(whole)))
    length = data.draw(st.integers(0, 40))
    body = whole[:start] + data.draw(st.binary(max_size=20)) + whole[start + length :]
    for read in (read_json, read_html, read_project_document):
        try:
            reading = read(body, base=BASE, name="demo")
        except UnusableAnswer:
            continue
        for written, uploaded in zip(reading.files.json, reading.files.times, strict=True):
            entry = json.loads(written)
            assert parse_upload_time(entry["upload-time"]) == uploaded
            assert entry["url"].startswith(("http://", "https://"))


@given(st.text(max_size=40))
def test_any_upload_time_is_a_value(text: str) -> None:
    value = parse_upload_time(text)
    assert value is None or isinstance(value, int)


@given(
    st.lists(st.text("aé.:/\\ [\n\x00", max_size=4) | st.sampled_from(["a.whl", "b-1.0.tar.gz"]), max_size=4)
)
def test_a_look_at_all_names_says_the_same_as_a_look_at_each(names: list[str]) -> None:
    assert are_file_names(names) == all(map(is_file_name, names))


@example(["https://a", "https://\na"])
@given(
    st.lists(
        st.builds(
            "{}{}".format,
            st.sampled_from(["https://", "http://", "", "ftp://"]),
            st.text("a [\n/", max_size=3),
        ),
        max_size=4,
    )
)
def test_a_look_at_all_addresses_never_lets_one_pass_that_a_look_at_each_refuses(urls: list[str]) -> None:
    one = {"filename": "demo-1.0.tar.gz", "upload-time": "2020-01-01T00:00:00Z"}
    body = json.dumps(
        {"meta": {"api-version": "1.1"}, "files": [{**one, "url": url} for url in urls]}
    ).encode()
    kept = [json.loads(entry)["url"] for entry in read_json(body, base=BASE, name="demo").files.json]
    assert all(map(has_web_address, kept))
    good = [url for url in urls if has_web_address(url)]  # one with a new line may become one of these
    assert all(kept.count(url) >= good.count(url) for url in good)


@pytest.mark.parametrize("text", ["<a " * 45_000, "<a href='x' " * 30_000])
def test_anchors_that_never_end_are_read_at_once(text: str) -> None:
    page = f"<a href='demo-1.0.tar.gz'>demo-1.0.tar.gz</a>{text}"
    with pytest.raises(UnusableAnswer, match="cut short"):  # which took minutes to find
        read_html(page.encode(), base=BASE, name="demo")


@pytest.mark.parametrize(
    ("page", "reason"),
    [
        ("<a" + " b" * 40_000 + ">x</a>", "64 KB"),
        ("<a" + ' b="<"' * 20_000 + ">x</a>", "64 KB"),
        ("<base><a href='x'>" + ("y" * 20_000 + "<b>") * 3 + "</a>", "32 KB"),
        ("<a href='x'>y</a>" * 60_000, "50000 files"),
    ],
)
def test_html_that_would_fill_the_memory_is_refused(page: str, reason: str) -> None:
    with pytest.raises(UnusableAnswer, match=reason):
        read_html(page.encode(), base=BASE, name="demo")


def test_versions_that_no_file_could_bear_are_left_out() -> None:
    long = ["9" * 5000, "9" * 5000 + ".dev1", "1" + ".0" * 400]
    page = {
        "versions": ["1.0", *long],
        "files": [{"filename": "demo-1.0.zip", "url": "https://x/demo-1.0.zip"}],
    }
    assert read_json(json.dumps(page).encode(), base=BASE, name="demo").listed_versions == ("1.0",)


def test_an_entry_that_is_too_large_is_left_out_before_it_is_read() -> None:
    entry = {
        "filename": "demo-1.0.zip",
        "url": "https://x/demo-1.0.zip",
        "upload-time": "2020-01-01T00:00:00Z",
    }
    large = {**entry, "hashes": {f"k{n}": "v" for n in range(9000)}}
    reading = read_json(json.dumps({"files": [entry, large]}).encode(), base=BASE, name="demo")
    assert (len(reading.files.json), reading.hidden) == (1, 1)
