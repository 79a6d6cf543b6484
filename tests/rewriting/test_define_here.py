"""Functions that are gone, defined where they are used."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import DefineHere, NeededImport
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason, RewrittenSource

DEFINITION = """\
# lib.part.shout as in lib 1.0; 2.0 lacks it
_END = '!'


def shout(text):
    return os.sep + text + _END"""
REWRITE = DefineHere(
    name="lib.part.shout",
    definition=DEFINITION,
    binds=("_END", "shout"),
    imports=(NeededImport(statement="import os", local="os", dotted="os"),),
)


def defined(text: str, lines: frozenset[int] | None = frozenset({1})) -> RewrittenSource:
    return rewrite_source(text, REWRITE, lines=lines)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "from lib.part import shout, kept\n\n\nprint(shout('a'), kept)\n",
            f"from lib.part import kept\nimport os\n\n\n{DEFINITION}\n\n\nprint(shout('a'), kept)\n",
        ),
        (
            "import os\nfrom lib.part import shout\n\n\nx = shout\n",
            f"import os\n\n\n{DEFINITION}\n\n\nx = shout\n",
        ),
        (
            "import lib.part\nimport os\n\n\nprint(lib.part.shout('a'))\n",
            f"import os\n\n\n{DEFINITION}\n\n\nprint(shout('a'))\n",
        ),
        (
            "import os\nfrom lib.part import shout\nx = shout('a')\n",
            f"import os\n\n\n{DEFINITION}\n\n\nx = shout('a')\n",
        ),
        (
            "from lib import part\nimport os\n\n\nprint(part.shout('a'), part.other)\n",
            f"from lib import part\nimport os\n\n\n{DEFINITION}\n\n\nprint(shout('a'), part.other)\n",
        ),
    ],
)
def test_the_definition_stands_behind_the_imports(before: str, after: str) -> None:
    made = defined(before, None)
    assert apply_edits(before, made.edits) == after


def test_lines_end_as_in_the_file() -> None:
    text = "import os\r\nfrom lib.part import shout\r\n\r\n\r\nshout('a')\r\n"
    after = apply_edits(text, defined(text, None).edits)
    assert "\n" not in after.replace("\r\n", "")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("from lib.part import shout, shout as cry\ncry('a')\n", LeftAloneReason.SHADOWED),
        ("from lib.part import shout\n_END = 1\n", LeftAloneReason.SHADOWED),
        ("from lib.part import shout\nfrom other import os\n", LeftAloneReason.SHADOWED),
        ("def f():\n    from lib.part import shout\n    return shout\n", LeftAloneReason.SHADOWED),
        (
            "try:\n    from lib.part import shout\nexcept ImportError:\n    shout = None\n",
            LeftAloneReason.GUARDED,
        ),
        ("from lib.other import shout\n", LeftAloneReason.NOT_THERE),
    ],
)
def test_what_means_something_else_is_left_alone(text: str, reason: LeftAloneReason) -> None:
    made = defined(text, None)
    assert not made.edits
    assert [one.reason for one in made.left] == [reason]


def test_only_files_with_a_line_that_is_asked_for_are_edited() -> None:
    text = "import os\nfrom lib.part import shout\n\n\nx = 1\ny = shout('a')\n"
    assert defined(text, frozenset({2})).edits
    assert not defined(text, frozenset({5})).edits


def test_it_has_the_name_that_the_file_gives_it() -> None:
    text = "import os\nfrom lib.part import shout as cry\n\n\ncry('a')\n"
    own = DEFINITION.replace("def shout", "def cry")
    assert apply_edits(text, defined(text, None).edits) == f"import os\n\n\n{own}\n\n\ncry('a')\n"
    again = replace(REWRITE, definition=DEFINITION + " + shout('')")  # it calls itself by its name
    assert not rewrite_source(text, again, lines=None).edits
