"""What calls of a function are given, changed with their commas, layout and comments in mind."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import AddArgument, ChangeArgument, NamePositional, Rewrite
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

MISSING = ChangeArgument(function="marshmallow.fields.Str", argument="missing", new="load_default")
LOOP = ChangeArgument(function="asyncio.sleep", argument="loop")
LINES = ChangeArgument(
    function="pandas.read_csv",
    argument="error_bad_lines",
    new="on_bad_lines",
    value='"skip"',
    only_value="False",
)
FIRST = ChangeArgument(function="webargs.use_args", argument="locations", new="location", value="{value}[0]")
LOADER = AddArgument(function="yaml.load", argument="Loader", value="yaml.SafeLoader", position=1)
NAMED = NamePositional(function="a.f", names=("", "b", "c"))
GONE = ChangeArgument(function="a.f", argument="c", position=2)


LOSS = ChangeArgument(
    function="a.f", argument="loss", new="loss", value="'squared_error'", only_value="'squared_loss'"
)


def rewritten(text: str, rewrite: Rewrite, *lines: int) -> str:
    made = rewrite_source(text, rewrite, lines=frozenset(lines) if lines else None)
    return apply_edits(text, made.edits)


@pytest.mark.parametrize(
    ("rewrite", "before", "after"),
    [
        (GONE, "import a\na.f(1, 2, x, d=4)\na.f(1, c=3)\n", "import a\na.f(1, 2, d=4)\na.f(1)\n"),
        (
            GONE,  # more than one too many, and nobody knows how many
            "import a\na.f(1, 2, 3, 4)\na.f(*b, 2, 3)\na.f(1, 2)\n",
            "import a\na.f(1, 2, 3, 4)\na.f(*b, 2, 3)\na.f(1, 2)\n",
        ),
        (
            FIRST,
            "import webargs\nwebargs.use_args(a, locations=('query',))\n",
            "import webargs\nwebargs.use_args(a, location='query')\n",
        ),
        (
            FIRST,
            "import webargs\nwebargs.use_args(a, locations=[where])\nwebargs.use_args(a, locations=all)\n",
            "import webargs\nwebargs.use_args(a, location=where)\nwebargs.use_args(a, location=all[0])\n",
        ),
        (
            FIRST,
            "import webargs\nwebargs.use_args(a, locations=[*all])\n",
            "import webargs\nwebargs.use_args(a, location=[*all][0])\n",
        ),
        (
            LOADER,
            "import functools, yaml\nread = functools.partial(yaml.load)\n",
            "import functools, yaml\nread = functools.partial(yaml.load, Loader=yaml.SafeLoader)\n",
        ),
        (
            AddArgument(function="lib.Base", argument="size", value="1"),
            "import lib\nclass A(lib.Base):\n    def __init__(s):\n        lib.Base.__init__(s)\n",
            "import lib\nclass A(lib.Base):\n    def __init__(s):\n        lib.Base.__init__(s, size=1)\n",
        ),
        (
            LOADER,
            "import yaml\nyaml.load(f, **{'a': 1}, **dict(b=2))\n",
            "import yaml\nyaml.load(f, **{'a': 1}, Loader=yaml.SafeLoader, **dict(b=2))\n",
        ),
        (
            LOADER,
            (
                "import yaml\ndef read(f):\n    o = {}\n    o['a'] = 1\n"
                "    yaml.load(f, **o)\ndef other(o): do(o)\n"
            ),
            (
                "import yaml\ndef read(f):\n    o = {}\n    o['a'] = 1\n"
                "    yaml.load(f, Loader=yaml.SafeLoader, **o)\ndef other(o): do(o)\n"
            ),
        ),
        (
            MISSING,
            "from marshmallow import fields\nx = fields.Str(missing=None, a=1)\n",
            "from marshmallow import fields\nx = fields.Str(load_default=None, a=1)\n",
        ),
        (
            MISSING,
            "from marshmallow.fields import Str as S\nx = S(missing=None)\n",
            "from marshmallow.fields import Str as S\nx = S(load_default=None)\n",
        ),
        (
            MISSING,
            (
                "from marshmallow import fields\nclass A(fields.Str):\n"
                "    def __init__(self, **kw):\n        super().__init__(missing=1, **kw)\n"
            ),
            (
                "from marshmallow import fields\nclass A(fields.Str):\n"
                "    def __init__(self, **kw):\n        super().__init__(load_default=1, **kw)\n"
            ),
        ),
        (
            MISSING,
            "from functools import partial\nfrom marshmallow import fields\npartial(fields.Str, missing=1)\n",
            (
                "from functools import partial\nfrom marshmallow import fields\n"
                "partial(fields.Str, load_default=1)\n"
            ),
        ),
        (LOOP, "import asyncio\nasyncio.sleep(1, loop=x)\n", "import asyncio\nasyncio.sleep(1)\n"),
        (
            LOOP,
            "import asyncio, functools\nfunctools.partial(asyncio.sleep, loop=x)\n",
            "import asyncio, functools\nfunctools.partial(asyncio.sleep)\n",
        ),
        (LOOP, "import asyncio\nasyncio.sleep(loop=x)\n", "import asyncio\nasyncio.sleep()\n"),
        (LOOP, "import asyncio\nasyncio.sleep(loop=x, y=2)\n", "import asyncio\nasyncio.sleep(y=2)\n"),
        (
            LOOP,
            "import asyncio\nasyncio.sleep(\n    1,\n    loop=x,\n)\n",
            "import asyncio\nasyncio.sleep(\n    1,\n)\n",
        ),
        (
            LOOP,
            "import asyncio\nasyncio.sleep(1,\n              loop=x)\n",
            "import asyncio\nasyncio.sleep(1)\n",
        ),
        (
            LOOP,
            "import asyncio\nasyncio.sleep(1, loop=x,\n              y=2)\n",
            "import asyncio\nasyncio.sleep(1,\n              y=2)\n",
        ),
        (
            LOOP,
            "import asyncio\nasyncio.sleep(\n    1,  # s\n    loop=x,  # the loop\n)\n",
            "import asyncio\nasyncio.sleep(\n    1,  # s\n    # the loop\n)\n",
        ),
        (
            LINES,
            "import pandas\npandas.read_csv(error_bad_lines= False)\npandas.read_csv(error_bad_lines=True)\n",
            'import pandas\npandas.read_csv(on_bad_lines= "skip")\npandas.read_csv(error_bad_lines=True)\n',
        ),
        (LOADER, "import yaml\nyaml.load(f)\n", "import yaml\nyaml.load(f, Loader=yaml.SafeLoader)\n"),
        (LOADER, "import yaml\nyaml.load(f, yaml.Loader)\n", "import yaml\nyaml.load(f, yaml.Loader)\n"),
        (
            LOADER,
            "import yaml as y\ny.load(\n    f,\n)\n",
            "import yaml as y\ny.load(\n    f,\n    Loader=y.SafeLoader,\n)\n",
        ),
        (
            LOADER,
            "from yaml import load\nload(open(f))\n",
            "from yaml import load, SafeLoader\nload(open(f), Loader=SafeLoader)\n",
        ),
        (NAMED, "import a\na.f(1, 2, *[], c=3)\n", "import a\na.f(1, 2, *[], c=3)\n"),
        (NAMED, "import a\na.f(1, 2, 3)\n", "import a\na.f(1, b=2, c=3)\n"),
        (NAMED, "import a\na.f(1, 2, c=3)\n", "import a\na.f(1, b=2, c=3)\n"),
        (
            NamePositional(function="a.f", names=("", "b", "")),
            "import a\na.f(1, 2)\na.f(1, 2, 3)\n",
            "import a\na.f(1, b=2)\na.f(1, 2, 3)\n",
        ),
    ],
)
def test_arguments_change(rewrite: Rewrite, before: str, after: str) -> None:
    assert rewritten(before, rewrite) == after
    assert rewritten(after, rewrite) == after


@pytest.mark.parametrize(
    ("rewrite", "text"),
    [
        (MISSING, "from marshmallow import fields\nfields.Str(missing=1, load_default=2)\n"),
        (LOADER, "import yaml\nyaml.load(f, **kw)\n"),
        (LOADER, "import yaml\nyaml.load(*a, **{'a': 1})\n"),
        (LOADER, "import yaml\nyaml.load(f, **{'Loader': L})\n"),
        (LOADER, "import yaml\nyaml.load(f, **{a: 1})\n"),
        (LOADER, "import yaml\nyaml.load(f, **{**a})\n"),
        (LOADER, "import yaml\nyaml.load(f, **dict(a))\n"),
        (LOADER, "import yaml\no = {}\nyaml.load(f, **o)\n"),
        (LOADER, "import yaml\ndef read(o):\n    yaml.load(f, **o)\n"),
        (LOADER, "import yaml\ndef read(o={}):\n    yaml.load(f, **o)\n"),
        (LOADER, "import yaml\ndef read():\n    o = {}\n    o.update(a)\n    yaml.load(f, **o)\n"),
        (LOADER, "import yaml\ndef read():\n    o = p = {}\n    yaml.load(f, **o)\n"),
        (LOADER, "import yaml\ndef read():\n    o = {}\n    change(o)\n    yaml.load(f, **o)\n"),
        (LOADER, "import yaml\ndef read():\n    o = {}\n    p = o\n    yaml.load(f, **o)\n"),
        (LOADER, "import yaml\ndef read():\n    o = {}\n    o |= a\n    yaml.load(f, **o)\n"),
        (LOADER, "import yaml\ndef read():\n    o = {}\n    o['Loader'] = 1\n    yaml.load(f, **o)\n"),
        (LOADER, "import yaml\ndef read():\n    o = {}\n    o[a] = 1\n    yaml.load(f, **o)\n"),
        (LOADER, "import yaml\nyaml.load(*a)\n"),
        (NAMED, "import a\na.f(*b)\n"),
        (NAMED, "import a\na.f(1, 2, 3, 4)\n"),
    ],
)
def test_what_cannot_be_carried_over_is_left_alone(rewrite: Rewrite, text: str) -> None:
    made = rewrite_source(text, rewrite, lines=None)
    assert not made.edits
    assert [(left.reason, left.line) for left in made.left] == [(LeftAloneReason.ARGUMENTS, text.count("\n"))]


def test_a_method_of_any_object_changes_on_named_lines_only() -> None:
    rewrite = ChangeArgument(function=".to_csv", argument="line_terminator", new="lineterminator")
    text = "df.to_csv(f, line_terminator='x')\ndf.to_csv(f, line_terminator='y')\n"
    assert rewritten(text, rewrite) == text
    assert rewritten(text, rewrite, 2) == text.replace("line_terminator='y'", "lineterminator='y'")


def test_an_argument_that_is_given_twice_is_given_once() -> None:
    text = "from marshmallow import fields\nfields.Str(missing=1, load_default=1)\n"
    assert rewritten(text, MISSING) == "from marshmallow import fields\nfields.Str(load_default=1)\n"


def test_whatever_is_called_changes_on_named_lines_only() -> None:
    rewrite = ChangeArgument(function="", argument="strict")
    text = "UserSchema(many=True, strict=True).load(x)\nother(strict=True)\n"
    assert rewritten(text, rewrite) == text
    assert rewritten(text, rewrite, 1) == "UserSchema(many=True).load(x)\nother(strict=True)\n"


def test_of_calls_that_are_items_of_each_other_the_outer_one_is_given_the_argument() -> None:
    as_objects = AddArgument(function="numpy.array", argument="dtype", value="object", position=1)
    text = "import numpy as np\nx = np.array([np.array(r) for r in f(np.array(s))])\n"
    after = apply_edits(text, rewrite_source(text, as_objects, lines=frozenset({2})).edits)
    made = "np.array([np.array(r) for r in f(np.array(s, dtype=object))], dtype=object)"
    assert after == f"import numpy as np\nx = {made}\n"


CLASSES = """\
import a
class M:
    loss: str = '{0}'
    def g(self):
        a.f(loss=self.loss)
class N(M):
    loss = 'huber'
class O(M):
    loss = '{0}'
loss = 'squared_loss'
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("import a\nLOSS = '{0}'\na.f(loss=LOSS)\n", 3),
        ('import a\ndef g(kind="{0}", *, n: int = 0):\n    return a.f(loss=kind)\n', 3),
        (CLASSES, 5),
    ],
)
def test_a_value_is_changed_where_it_is_bound_to_what_a_call_is_given(text: str, line: int) -> None:
    assert rewritten(text.format("squared_loss"), LOSS, line) == text.format("squared_error")


@pytest.mark.parametrize(
    "text",
    [
        "import a\ndef g():\n    LOSS = 'squared_loss'\na.f(loss=LOSS)\n",
        "import a\nLOSS = 'squared_loss'.strip()\na.f(loss=LOSS)\n",
        "import a\nloss = 'squared_loss'\na.f(loss=other.loss)\na.f(loss=loss())\n",
    ],
)
def test_what_is_bound_elsewhere_or_computed_stays(text: str) -> None:
    assert rewritten(text, LOSS, *range(1, 6)) == text


def test_another_keyword_is_not_looked_for_behind_names() -> None:
    text = "import pandas\nBAD = False\npandas.read_csv(f, error_bad_lines=BAD)\n"
    assert rewritten(text, LINES, 3) == text


@pytest.mark.parametrize(
    ("given", "changes"),
    [
        ("'10min', base=5", True),
        ("rule='10min', base=5", False),
        ("'10H', base=5", False),
        ("'10min'.lower(), base=5", False),
        ("base=5", False),
    ],
)
def test_what_is_given_beside_it_is_looked_at(given: str, changes: bool) -> None:
    rewrite = ChangeArgument(
        function=".resample",
        argument="base",
        new="offset",
        value="'%dmin' % {value}",
        beside=(("0", r"'\d*min'"),),
    )
    text = f"x.resample({given})\n"
    after = text.replace("base=5", "offset='%dmin' % 5") if changes else text
    edits = rewrite_source(text, rewrite, lines=frozenset({1})).edits
    assert apply_edits(text, edits).replace("'5min'", "'%dmin' % 5") == after


@pytest.mark.parametrize(
    ("pattern", "adds"), [("r'a+'", True), ("'a.b'", True), ("'.'", False), ("p", False)]
)
def test_what_is_given_beside_an_argument_that_is_added_is_looked_at(pattern: str, adds: bool) -> None:
    several = r"r?'(?=[^']*[.+])[^']{2,}'"
    rewrite = AddArgument(function=".replace", argument="regex", value="True", beside=(("0", several),))
    text = f"x.str.replace({pattern}, '')\n"
    after = text.replace("'')", "'', regex=True)") if adds else text
    assert apply_edits(text, rewrite_source(text, rewrite, lines=frozenset({1})).edits) == after


def test_keywords_beside_it_are_looked_at() -> None:
    rewrite = ChangeArgument(function="a.f", argument="base", beside=(("freq", "'D'"),))
    text = "import a\na.f(base=1, freq='D')\na.f(base=1, freq='H')\na.f(base=1)\n"
    edits = rewrite_source(text, rewrite, lines=None).edits
    assert apply_edits(text, edits) == text.replace("base=1, freq='D'", "freq='D'")
