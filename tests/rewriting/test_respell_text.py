"""What literal texts hold, spelled otherwise on named lines."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.in_words import in_words
from backdate.rewriting.rewrite import RespellText
from backdate.rewriting.rewrite_source import rewrite_source

WEIGHT = RespellText(texts=((r"(;\s*q=)(?=\.\d)", r"\g<1>0"),))


@pytest.mark.parametrize(
    ("before", "after", "lines"),
    [
        (
            "get(headers={\n    'Accept': 'a/b; q=1, c/d; q=.5, e/f;q=.25'\n})\n",
            "get(headers={\n    'Accept': 'a/b; q=1, c/d; q=0.5, e/f;q=0.25'\n})\n",
            (2,),
        ),
        ("a = f'{b}; q=.5'\r\n", "a = f'{b}; q=0.5'\r\n", (1,)),
        ("a = ';q=.5'\nb = ';q=.5'\n", "a = ';q=.5'\nb = ';q=0.5'\n", (2,)),
        ('a = """ä\n;q=.5"""\n', 'a = """ä\n;q=0.5"""\n', (2,)),
    ],
)
def test_texts_on_the_lines_are_respelled(before: str, after: str, lines: tuple[int, ...]) -> None:
    made = rewrite_source(before, WEIGHT, lines=frozenset(lines))
    assert apply_edits(before, made.edits) == after
    assert made.lines == lines


@pytest.mark.parametrize(
    "text", ["a = ';q=0.5'\n", "def f():\n    'Reads ;q=.5'\n", "a = 1  # ;q=.5\n", "a = 1\nb = ';q=.5'\n"]
)
def test_docstrings_comments_and_other_lines_stay(text: str) -> None:
    assert not rewrite_source(text, WEIGHT, lines=frozenset({1})).edits
    if "b =" not in text:
        assert not rewrite_source(text, WEIGHT, lines=None).edits


def test_it_is_told_in_words() -> None:
    assert in_words(RespellText(texts=(("old", "new"),))) == "old in a text becomes new"
