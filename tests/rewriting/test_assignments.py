"""Assignments to attributes that are gone."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceAssignment
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

ENCODER = ReplaceAssignment(target=".json_encoder", template="{self}.json.default = {value}().default")
PROVIDER = ReplaceAssignment(
    target=".json_encoder", template="{self}.json = lib.json.Provider({self}, {value})"
)
CATEGORIES = ReplaceAssignment(
    target=".categories", template="{owner} = {owner}.cat.rename_categories({value})", owned_as="cat"
)
CALLED = ReplaceAssignment(target=".lines", template="lib.clear({self}, {value})")
OPTION = ReplaceAssignment(target="lib.debug", template="lib.config['debug'] = {value}")


def made(text: str, rewrite: ReplaceAssignment, *lines: int):
    return rewrite_source(text, rewrite, lines=frozenset(lines or range(1, 20)))


@pytest.mark.parametrize(
    ("rewrite", "before", "after"),
    [
        (ENCODER, "app.json_encoder = Mine\n", "app.json.default = Mine().default\n"),
        (ENCODER, "a.b.json_encoder = m.Mine  # ours\r\n", "a.b.json.default = m.Mine().default  # ours\r\n"),
        (ENCODER, "app.json_encoder = A if b else C\n", "app.json.default = (A if b else C)().default\n"),
        (ENCODER, "make().json_encoder = A\n", "make().json.default = A().default\n"),
        (
            PROVIDER,
            "import lib.json\napp.json_encoder = A\n",
            "import lib.json\napp.json = lib.json.Provider(app, A)\n",
        ),
        (
            CATEGORIES,
            "frame['a'].cat.categories = ['x', 'y']\n",
            "frame['a'] = frame['a'].cat.rename_categories(['x', 'y'])\n",
        ),
        (CALLED, "import lib\nax.lines = [\n    1,\n]\n", "import lib\nlib.clear(ax, [\n    1,\n])\n"),
        (OPTION, "import lib as l\nl.debug = not x\n", "import lib as l\nl.config['debug'] = not x\n"),
    ],
)
def test_a_statement_takes_the_place_of_the_assignment(
    rewrite: ReplaceAssignment, before: str, after: str
) -> None:
    assert apply_edits(before, made(before, rewrite).edits) == after


@pytest.mark.parametrize(
    "text",
    [
        "app.json_encoder = other.json_encoder = Mine\n",
        "other = app.json_encoder = Mine\n",
        "app.json_encoder, x = Mine, 1\n",
        "app.json_encoder += Mine\n",
        "app.json_encoder: type = Mine\n",
        "x = app.json_encoder\n",
        "json_encoder = Mine\n",
        "import app\napp.json_encoder = Mine\n",
    ],
)
def test_what_is_more_or_less_than_one_assignment_stays(text: str) -> None:
    assert made(text, ENCODER).edits == ()


def test_an_object_around_is_needed_where_the_template_names_it() -> None:
    for text in ("categories.categories = ['x']\n", "a.dog.categories = ['x']\n"):
        result = made(text, CATEGORIES)
        assert [one.reason for one in result.left] == [LeftAloneReason.ARGUMENTS]


def test_only_named_lines_change_of_objects_nobody_knows() -> None:
    text = "a.json_encoder = X\nb.json_encoder = X\n"
    assert rewrite_source(text, ENCODER, lines=None).edits == ()
    assert apply_edits(text, made(text, ENCODER, 2).edits).startswith("a.json_encoder = X\nb.json.default")


def test_code_that_asks_for_the_attribute_is_ready() -> None:
    text = "if hasattr(app, 'json_encoder'):\n    app.json_encoder = X\n"
    assert [one.reason for one in made(text, ENCODER).left] == [LeftAloneReason.GUARDED]
