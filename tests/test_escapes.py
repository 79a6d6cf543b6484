import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.escapes import without_escapes


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("\x1b[91mE: Unable to locate package a\x1b[0m\x1b[91m\n\x1b[0m", "E: Unable to locate package a\n"),
        ("\x1b[1;38;5;202mbold\x1b[m", "bold"),
        ("\x1b[?25lhidden\x1b[2K\x1b[1Gagain", "hiddenagain"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]8;;https://example.org\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b(Bplain", "plain"),
        ("a list[0] and [91m", "a list[0] and [91m"),
    ],
)
def test_only_escapes_are_taken_out(text, plain):
    assert without_escapes(text) == plain


@given(st.text())
def test_any_text_is_read_and_what_has_no_escape_stays(text):
    plain = without_escapes(text)
    assert len(plain) <= len(text)
    if "\x1b" not in text:
        assert plain == text
