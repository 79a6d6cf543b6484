import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import RenameAttribute
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

TEXT = "import os\nfor a in x.iteritems():\n    y = f(x).iteritems() # .iteritems\nos.iteritems()\n"
RENAME = RenameAttribute(old="iteritems", new="items")


def test_attributes_of_objects_change_on_named_lines() -> None:
    made = rewrite_source(TEXT, RENAME, lines=frozenset({2, 3, 4}))
    assert made.lines == (2, 3)
    assert apply_edits(TEXT, made.edits) == (
        "import os\nfor a in x.items():\n    y = f(x).items() # .iteritems\nos.iteritems()\n"
    )


def test_nothing_is_renamed_where_no_line_is_named() -> None:
    made = rewrite_source(TEXT, RENAME, lines=None)
    assert not made.edits
    assert [left.reason for left in made.left] == [LeftAloneReason.NOT_THERE]


ONCE = RenameAttribute(old="before_first_request", new="before_request", around="functools.lru_cache")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            """import flask
app = flask.Flask('a')
@app.before_first_request  # once
def fill():
    pass
""",
            """import flask
import functools
app = flask.Flask('a')
@app.before_request  # once
@functools.lru_cache
def fill():
    pass
""",
        ),
        (
            """from functools import lru_cache
def create(app):
    @app.before_first_request
    def fill():
        pass
""",
            """from functools import lru_cache
def create(app):
    @app.before_request
    @lru_cache
    def fill():
        pass
""",
        ),
        (
            "import functools\napp.before_first_request(self.fill)\n",
            "import functools\napp.before_request(functools.lru_cache(self.fill))\n",
        ),
    ],
)
def test_a_decorator_goes_between_the_attribute_and_what_it_decorates(before: str, after: str) -> None:
    made = rewrite_source(before, ONCE, lines=frozenset(range(1, 9)))
    assert apply_edits(before, made.edits) == after


@pytest.mark.parametrize("use", ["f = app.before_first_request", "app.before_first_request(*all_of_them)"])
def test_a_use_that_decorates_nothing_is_left_alone_where_a_decorator_is_needed(use: str) -> None:
    made = rewrite_source(f"import functools\n{use}\n", ONCE, lines=frozenset({2}))
    assert not made.edits
    assert [(left.reason, left.line) for left in made.left] == [(LeftAloneReason.ARGUMENTS, 2)]
