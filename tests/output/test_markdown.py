"""Whatever strangers wrote, it stays text where Markdown is read."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from stored_results import every_result, make_bisection, make_check_result

from backdate.advice import Advice, WorkingLimits
from backdate.output.markdown import code, markdown, prose, title_of
from backdate.output.render import report_of

READER = MarkdownIt("gfm-like", {"linkify": False}).enable("table")
OURS = ("<details>", "</details>", "<sub>", "</sub>", "<!-- -->")
"""The HTML that we write ourselves."""


def tokens_of(text: str) -> list[Token]:
    """Every token of a document, those inside of lines too."""
    return [inner for token in READER.parse(text) for inner in (token, *(token.children or ()))]


def html_in(text: str) -> str:
    """The HTML of a document without what we write ourselves."""
    found = "".join(token.content for token in tokens_of(text) if token.type.startswith("html"))
    for ours in OURS:
        found = found.replace(ours, "")
    return found


HOSTILE = (
    "<script>alert(1)</script> ![x](https://evil/x.png) [a](javascript:1) @everyone #12 `x` ``` | a | b |\n"
    "# heading\n::error::x\n<!-- a -->\x1b[31m</details>"
)


@pytest.mark.parametrize("number", range(7))
def test_a_hostile_message_is_obeyed_nowhere(number: int) -> None:
    text = markdown(report_of(every_result(HOSTILE)[number]))
    kinds = {token.type for token in tokens_of(text)}
    assert kinds.isdisjoint({"image", "link_open"})
    assert "alert" not in html_in(text)
    assert "\x1b" not in text
    headings = [token.tag for token in tokens_of(text) if token.type == "heading_open"]
    assert headings[0] == "h1"
    assert set(headings[1:]) <= {"h2"}


@given(st.text(max_size=200))
@example("``")
@example("a\\")
@example(" `a` ")
@example("`")
def test_code_holds_its_text(text: str) -> None:
    (inline,) = [token for token in READER.parse(f"x {code(text)} y") if token.type == "inline"]
    kinds = [token.type for token in inline.children or ()]
    assert kinds.count("code_inline") == 1 or not text.split()
    assert "\n" not in code(text)


@given(st.text(max_size=200))
@example("@me see gh#1, closes GH-2, https://evil and www.evil *bold* _x_ <b> &lt; [a](b)")
def test_prose_is_nothing_but_words(text: str) -> None:
    written = prose(text)
    kinds = {token.type for token in READER.parseInline(f"x {written}")[0].children or ()}
    assert kinds <= {"text", "html_inline", "text_special"}
    assert html_in(f"x {written}") == ""
    bare = written.replace("\\", "")
    assert "@" not in bare.replace("@<!-- -->", "")
    assert "://" not in bare
    assert re.search(r"(?i)gh-\d|#\d", bare) is None


def test_an_answer_in_markdown_says_what_broke_and_since_when() -> None:
    text = markdown(report_of(make_bisection()))
    assert text.startswith("# thing: numpy 1.24.0 breaks 1 test\n\n❌ **CULPRITS FOUND**: for 1 cause;")
    assert "**numpy 1.23.5 -> 1.24.0, released 2022-12-18** (confirmed both ways): `AttributeError" in text
    assert "- at `pkg/a.py:12`" in text


def test_a_long_answer_fits_into_an_issue() -> None:
    result = make_check_result()
    assert result.comparison is not None
    breakage = replace(
        result.comparison.breakages[0], message="x" * 5_000, tests=tuple(f"t.py::t{n}" for n in range(5_000))
    )
    comparison = replace(result.comparison, breakages=(breakage,) * 500)
    changes = tuple(replace(result.changes[0], name=f"d{number}") for number in range(2_000))
    text = markdown(report_of(replace(result, comparison=comparison, changes=changes, notes=("n",))))
    assert len(text) < 60_000


def test_titles_are_one_plain_line() -> None:
    report = report_of(make_check_result(project="a\nb\x1b"))
    assert title_of(report) == "a b\\x1b: dependency updates broke 1 test"


@pytest.mark.parametrize(
    ("ending", "words"), [("first", "stopped at the first culprit"), ("interrupted", "it was interrupted")]
)
def test_a_bisection_that_did_not_end_says_so(ending: str, words: str) -> None:
    assert words in markdown(report_of(make_bisection(ending=ending)))
    assert words not in markdown(report_of(make_bisection()))


def test_what_is_written_is_code_and_why_is_words() -> None:
    limits = WorkingLimits(requirements=("a<2",), tests=9, passing=9, on_python="3.12.1")
    report = replace(report_of(make_check_result()), advice=Advice(now=(limits,)), notes=("it is so",))
    text = markdown(report)
    assert "- **Now:** `a<2` (seen: the 9 tests pass on Python 3.12.1)\n" in text
    assert "\n\n**Notes:**\n\n- it is so\n" in text
