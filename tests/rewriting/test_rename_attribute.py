from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import LeftAloneReason, RenameAttribute
from backdate.rewriting.rewrite_source import rewrite_source

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
