"""A keyword that a call has to give, where the call hands on what its function is given."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import AddArgument
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

BOT = AddArgument(function="lib.Bot", argument="intents", value="lib.Intents.default()")


def rewritten(text: str) -> str:
    return apply_edits(text, rewrite_source(text, BOT, lines=None).edits)


MADE = """\
import lib
def make(**options):
    options.setdefault('a', 1)
    return lib.Bot(b=2, **options)
"""
SET = """\
import lib
def make(**options):
    options.setdefault('a', 1)
    options.setdefault('intents', lib.Intents.default())
    return lib.Bot(b=2, **options)
"""
IMPORTED = 'from lib import Bot\r\ndef make(x, **kw):\r\n\tbot = 1\r\n\tBot(x, "a", **kw)\r\n'
IMPORTED_SET = IMPORTED.replace("import Bot", "import Bot, Intents").replace(
    "\tBot(", '\tkw.setdefault("intents", Intents.default())\r\n\tBot('
)


@pytest.mark.parametrize(("before", "after"), [(MADE, SET), (IMPORTED, IMPORTED_SET)])
def test_it_is_set_where_callers_do_not_give_it(before: str, after: str) -> None:
    assert rewritten(before) == after
    assert rewritten(after) == after  # once is enough


@pytest.mark.parametrize(
    "body",
    [
        "def make(**options):\n    kept = options\n    return lib.Bot(**options)\n",
        "def make(**options):\n    lib.Other(**options)\n    return lib.Bot(**options)\n",
        "def make(**options):\n    for name in options:\n        pass\n    return lib.Bot(**options)\n",
        "def make(**options):\n    options = dict(options)\n    return lib.Bot(**options)\n",
        "def make(options):\n    return lib.Bot(**options)\n",
        "def make(*args, **options):\n    return lib.Bot(*args, **options)\n",
        "def make(intents=None, **options):\n    return lib.Bot(**options)\n",
        "def make(**options):\n    options['intents'] = 1\n    return lib.Bot(**options)\n",
        "def make(**options):\n    if lib.Bot(**options):\n        pass\n",
        "def make(**options): return lib.Bot(**options)\n",
        "make = lambda **options: lib.Bot(**options)\n",
    ],
)
def test_other_calls_are_left_alone(body: str) -> None:
    text = f"import lib\n{body}"
    made = rewrite_source(text, BOT, lines=None)
    assert apply_edits(text, made.edits) == text
    assert {one.reason for one in made.left} <= {LeftAloneReason.ARGUMENTS, LeftAloneReason.NOT_THERE}
