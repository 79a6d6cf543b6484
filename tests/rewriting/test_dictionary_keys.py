"""Keys of dictionaries that calls are given as keyword arguments."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ChangeKey
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

IN_FUNCTION = """\
def field(kind, meta=None):
    meta = {} if meta is None else dict(meta, missing=0)
    meta.setdefault("missing", 1)
    meta.update({"a": 1}, missing=2)
    if "missing" in meta:
        meta["missing"] = meta.get('missing', None)
    meta = {"missing": 3, **meta}
    return kind(**meta)


def other(meta):
    meta["missing"] = "missing"
    return meta.missing
"""


def changed(text: str, *lines: int, new: str = "now", through: tuple[str, ...] = ()) -> str:
    rewrite = ChangeKey(argument="missing", new=new, through=through)
    return apply_edits(text, rewrite_source(text, rewrite, lines=frozenset(lines)).edits)


def test_every_use_of_the_key_in_the_function_is_renamed_and_none_elsewhere() -> None:
    own, rest = IN_FUNCTION.split("\n\n\n")
    wanted = own.replace('"missing"', '"now"').replace("'missing'", "'now'").replace("missing=", "now=")
    assert changed(IN_FUNCTION, 8) == f"{wanted}\n\n\n{rest}"


@pytest.mark.parametrize(
    ("text", "line", "wanted"),
    [
        ('f(**{"missing": 1, "a": 2})\n', 1, 'f(**{"now": 1, "a": 2})\n'),
        ("f(**dict(missing=1))\n", 1, "f(**dict(now=1))\n"),
        ("O = dict(missing=1)\n\n\ndef g():\n    f(**O)\n", 5, "O = dict(now=1)\n\n\ndef g():\n    f(**O)\n"),
        (
            'class A:\n    o = {"missing": 1}\n\n    def b(self, **k):\n        f(**dict(self.o, **k))\n',
            5,
            'class A:\n    o = {"now": 1}\n\n    def b(self, **k):\n        f(**dict(self.o, **k))\n',
        ),
        (
            'class A:\n    o = {"missing": 1}\n\n    def b(self):\n        k = {**self.o}\n        f(**k)\n',
            6,
            'class A:\n    o = {"now": 1}\n\n    def b(self):\n        k = {**self.o}\n        f(**k)\n',
        ),
        (
            'class A:\n    def a(s):\n        s.o = {"missing": 1}\n\n    def b(s):\n        f(**s.o)\n',
            6,
            'class A:\n    def a(s):\n        s.o = {"now": 1}\n\n    def b(s):\n        f(**s.o)\n',
        ),
        ('o = {}\no |= {"missing": 1}\nf(**o)\n', 3, 'o = {}\no |= {"now": 1}\nf(**o)\n'),
    ],
)
def test_the_dictionary_is_found_where_it_is_made(text: str, line: int, wanted: str) -> None:
    assert changed(text, line) == wanted


TABLE = """\
MODELS = {
    "a": (A, {"missing": 1}),
    "b": (B, {"x": {"missing": 2}}),
}
for name in MODELS:
    factory, options = MODELS[name]
    factory(seed=1, **options)
"""


def test_a_dictionary_that_is_taken_out_of_a_table_is_one_of_the_few_with_the_key() -> None:
    assert changed(TABLE, 7) == TABLE.replace("missing", "now")
    called = TABLE.replace('{"missing": 1}', "dict(missing=1)")
    assert changed(called, 7) == called.replace("missing", "now")
    many = f"{TABLE}more = [{{'missing': 3}},\n{{'missing': 4}},\n{{'missing': 5}}]\n"
    assert changed(many, 7) == many


def test_a_key_is_left_out_with_its_comma() -> None:
    assert changed('f(**{"missing": 1, "a": 2})\n', 1, new="") == 'f(**{"a": 2})\n'
    assert changed("o = dict(\n    missing=1,\n    a=2,\n)\nf(**o)\n", 5, new="") == (
        "o = dict(\n    a=2,\n)\nf(**o)\n"
    )


def test_a_key_that_a_statement_sets_is_not_left_out() -> None:
    text = 'o = {"missing": 0}\no["missing"] = 1\nf(**o)\n'
    made = rewrite_source(text, ChangeKey(argument="missing"), lines=frozenset({3}))
    assert not made.edits
    assert [left.reason for left in made.left] == [LeftAloneReason.ARGUMENTS]


def test_a_keyword_that_a_function_hands_on_is_renamed_in_its_callers() -> None:
    text = "def make(**more):\n    return f(**more)\n\n\nx = make(missing=1)\ny = other(missing=1)\n"
    assert changed(text, 2, 5, 6, through=("make",)) == text.replace("make(missing", "make(now")


@pytest.mark.parametrize(
    "text",
    [
        'o = {"missing": 1}\nf(o)\n',
        'o = {"missing": 1}\nf(**g(o))\n',
        'def g(o):\n    f(**o)\n\n\no = {"missing": 1}\n',
        'o = {f"missing": 1, "missing2": 2, missing: 3}\nf(**o)\n',
    ],
)
def test_whatever_the_call_is_not_given_stays(text: str) -> None:
    assert changed(text, 2) == text


VALUED = """\
PARAMS = {"loss": "ls", "depth": 4}
OTHER = dict(loss='ls')
LEFT = {"loss": kind}


def make():
    PARAMS["loss"] = "ls"
    PARAMS["loss"] = "huber"
    LEFT["loss"] = "ls"
    return Model(**PARAMS), Model(**OTHER), Model(**LEFT)
"""


def test_a_key_takes_another_value_where_it_had_this_one() -> None:
    rewrite = ChangeKey(argument="loss", new="loss", value="'squared_error'", only_value="'ls'")
    made = apply_edits(VALUED, rewrite_source(VALUED, rewrite, lines=frozenset({10})).edits)
    assert made == VALUED.replace('"ls"', '"squared_error"').replace("'ls'", "'squared_error'")


def test_what_is_read_of_a_key_keeps_its_place_where_the_key_takes_another_value() -> None:
    text = "A = {'old': 1}\nb = A['old']\nA['old'] = 2\nf(**A)\n"
    rewrite = ChangeKey(argument="old", new="new", value="0")
    made = apply_edits(text, rewrite_source(text, rewrite, lines=frozenset({4})).edits)
    assert made == "A = {'new': 0}\nb = A['new']\nA['new'] = 0\nf(**A)\n"


def test_a_key_is_left_out_only_where_it_has_this_value() -> None:
    text = "A = {'iid': False, 'cv': 2}\nB = {'iid': True}\nf(**A)\nf(**B)\n"
    rewrite = ChangeKey(argument="iid", only_value="False")
    made = apply_edits(text, rewrite_source(text, rewrite, lines=frozenset({3, 4})).edits)
    assert made == text.replace("'iid': False, ", "")
