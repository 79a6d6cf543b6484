"""Files as text: the bytes that were read are the bytes that are written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.editing.encodings import (
    NotText,
    decode_configuration,
    decode_source,
    line_starts,
    lines_with_offsets,
    split_lines,
)

TEXTS = st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=30)
LINES = st.text(alphabet="ab\r\n\x0c\u2028", max_size=30)


@given(st.binary(max_size=60) | TEXTS.flatmap(lambda t: st.sampled_from(["utf-16", "utf-32"]).map(t.encode)))
def test_any_configuration_is_written_back(data: bytes) -> None:
    text = decode_configuration(data)
    assert text.encode(text.content) == data


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "latin-1"])
def test_a_configuration_is_read_by_its_mark_or_as_utf_8_or_latin_1(encoding: str) -> None:
    mark = "\ufeff" if encoding == "utf-16-le" else ""
    assert decode_configuration((mark + "größe==1").encode(encoding)).content == "größe==1"


@given(st.binary(max_size=60) | TEXTS.map(lambda text: b"# coding: latin-1\n" + text.encode()), st.booleans())
def test_any_source_is_written_back_or_refused(data: bytes, is_python: bool) -> None:
    try:
        text = decode_source(data, is_python=is_python)
    except NotText:
        return
    assert text.encode(text.content) == data


def test_python_source_is_read_as_it_declares() -> None:
    data = b"# coding: latin-1\nx = '\xe9'\n"
    assert decode_source(data, is_python=True).content.endswith("'é'\n")
    assert decode_source(data, is_python=False).content.endswith("'\udce9'\n")
    with pytest.raises(UnicodeEncodeError):
        decode_source(data, is_python=True).encode("€")


@pytest.mark.parametrize(
    ("data", "message"), [(b"a\0b", "not a text"), (b"# coding: utf-7\nx = '+AGE-'\n", "written in utf-7")]
)
def test_what_cannot_be_edited_says_why(data: bytes, message: str) -> None:
    with pytest.raises(NotText, match=message):
        decode_source(data, is_python=True)


@given(LINES)
def test_all_ways_to_count_lines_agree(content: str) -> None:
    lines = split_lines(content)
    assert "".join(lines) == content
    assert [line.rstrip("\r\n") for line in lines] == [line for _, line in lines_with_offsets(content)]
    assert [start for start, _ in lines_with_offsets(content)] == line_starts(content)[: len(lines)]


@pytest.mark.parametrize(
    ("content", "newline"), [("", "\n"), ("a\r\nb\r\nc\n", "\r\n"), ("a\rb\r", "\r"), ("a\nb\r\n", "\n")]
)
def test_the_line_end_is_the_one_that_most_lines_have(content: str, newline: str) -> None:
    assert decode_configuration(content.encode()).newline == newline
