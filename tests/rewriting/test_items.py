"""Items that are read, with another expression in their place."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.in_words import in_words
from backdate.rewriting.rewrite import ReplaceItem
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

WORD = ReplaceItem(target=".__getitem__", template="{self}.wv[{key}]")
COUNT = ReplaceItem(target=".vocab", template="{self}.get_vecattr({key}, 'count')", then="count")
GROUP = ReplaceItem(target="lib.meta.entry_points()", template="lib.meta.entry_points(group={key})")


def rewritten(text: str, rewrite: ReplaceItem, *lines: int) -> str:
    """The text after the edits, on the first line where none are given."""
    return apply_edits(text, rewrite_source(text, rewrite, lines=frozenset(lines or (1,))).edits)


@pytest.mark.parametrize(
    ("text", "after"),
    [
        ("x = model['a'] + self.model[w]\n", "x = model.wv['a'] + self.model.wv[w]\n"),
        ("x = [model[w] for w in model[a]]\n", "x = [model.wv[w] for w in model.wv[a]]\n"),
        ("x = model['a'], model.wv.vocab['a']\n", "x = model.wv['a'], model.wv.vocab['a']\n"),
        ("model['a'] = 1\n", "model['a'] = 1\n"),
        ("del model['a']\n", "del model['a']\n"),
        ("a, model['a'] = b\n", "a, model['a'] = b\n"),
        ("x = model[1:2], model[a, b], f()[0]\n", "x = model[1:2], model[a, b], f()[0]\n"),
        ("x = model[other[1]]\n", "x = model.wv[other[1]]\n"),
    ],
)
def test_items_of_objects_on_the_lines(text: str, after: str) -> None:
    assert rewritten(text, WORD) == after
    assert rewritten(f"\n{text}", WORD) == f"\n{text}"


def test_an_attribute_of_an_item_of_an_attribute_is_one_use() -> None:
    text = "n = model.wv.vocab[word + 's'].count, m.vocab[w].index, vocab[w].count\n"
    assert rewritten(text, COUNT) == text.replace(
        "model.wv.vocab[word + 's'].count", "model.wv.get_vecattr(word + 's', 'count')"
    )


def test_items_of_what_a_function_gives_change_with_its_name_as_it_is_written() -> None:
    text = "from lib.meta import entry_points\nx = entry_points()['a']\ny = entry_points(1)['a']\n"
    after = text.replace("entry_points()['a']", "entry_points(group='a')")
    assert apply_edits(text, rewrite_source(text, GROUP, lines=None).edits) == after


def test_of_any_object_only_on_named_lines() -> None:
    (left,) = rewrite_source("x = a['b']\n", WORD, lines=None).left
    assert left.reason is LeftAloneReason.NOT_THERE


def test_it_is_told_in_words() -> None:
    assert in_words(WORD) == "{self}[{key}] becomes {self}.wv[{key}]"
    assert in_words(COUNT) == ".vocab[{key}].count becomes {self}.get_vecattr({key}, 'count')"
