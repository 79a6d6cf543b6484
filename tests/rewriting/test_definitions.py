"""Functions that a library calls, with the parameters that it gives them."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.class_rewrites import ChangeParameter
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

KEYWORDS = ChangeParameter(of=("lib.post_load",), adds="**kwargs")
FIELD = ChangeParameter(of=("lib.fields.Field",), methods=("_serialize",), adds="**kwargs")


def rewritten(text: str, rewrite: ChangeParameter, *lines: int) -> str:
    """The text after the edits, on all lines where none are given."""
    made = rewrite_source(text, rewrite, lines=frozenset(lines) or None)
    return apply_edits(text, made.edits)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def make(self, data):", "def make(self, data, **kwargs):"),
        ("def make(self, data, ):", "def make(self, data, **kwargs, ):"),
        ("def make():", "def make(**kwargs):"),
        (
            "def make(self, data: dict = None) -> dict:",
            "def make(self, data: dict = None, **kwargs) -> dict:",
        ),
    ],
)
def test_what_a_decorator_calls_takes_more(before: str, after: str) -> None:
    text = "import lib\nclass S:\n    @lib.post_load{call}\n    {head}\n        return data\n"
    for call in ("", "()", "(pass_many=True)"):
        source = text.format(call=call, head=before)
        assert rewritten(source, KEYWORDS) == text.format(call=call, head=after)
        assert rewritten(text.format(call=call, head=after), KEYWORDS) == text.format(call=call, head=after)


def test_only_what_is_on_the_lines_and_named_by_the_library_changes() -> None:
    one = "@post_load\ndef {name}(data):\n    pass\n"
    text = "from lib import post_load\n" + one.format(name="a") + one.format(name="b")
    assert rewritten(text, KEYWORDS, 2) == text.replace("a(data)", "a(data, **kwargs)")
    other = text.replace("from lib", "from other")
    assert rewritten(other, KEYWORDS) == other


def test_methods_of_classes_with_the_base_class_change() -> None:
    text = (
        "from lib import fields\n"
        "class Mine(fields.Field):\n"
        "    def _serialize(self, value, attr, obj):\n        return value\n"
        "    def other(self, value):\n        return value\n"
        "class Else:\n    def _serialize(self, value):\n        return value\n"
    )
    assert rewritten(text, FIELD) == text.replace("attr, obj)", "attr, obj, **kwargs)")
    assert rewritten(text, FIELD, 4) == rewritten(text, FIELD, 2) == rewritten(text, FIELD)


def test_a_parameter_goes_where_it_is_not_used() -> None:
    rewrite = ChangeParameter(of=("lib.Field",), methods=("read",), drops="context")
    text = "import lib\nclass A(lib.Field):\n    def read(self, value, context):\n        return {}\n"
    assert rewritten(text.format("value"), rewrite) == text.format("value").replace(", context", "")
    made = rewrite_source(text.format("context"), rewrite, lines=None)
    assert not made.edits
    assert made.left[0].reason is LeftAloneReason.ARGUMENTS


@pytest.mark.parametrize(
    ("adds", "before", "after"),
    [
        ("renderer=None", "(self, name, *args)", "(self, name, renderer=None, *args)"),
        ("renderer=None", "(self, name)", "(self, name, renderer=None)"),
        ("request", "(self, name=None)", "(self, request, name=None)"),
        ("request", "(self)", "(self, request)"),
        ("request", "(self, request)", "(self, request)"),
        ("renderer=None", "(self, **kwargs)", "(self, **kwargs)"),
    ],
)
def test_a_parameter_comes_where_the_library_gives_it(adds: str, before: str, after: str) -> None:
    rewrite = ChangeParameter(of=("lib.Widget",), methods=("render",), adds=adds)
    text = "import lib\nclass A(lib.Widget):\n    def render{}:\n        pass\n"
    assert rewritten(text.format(before), rewrite) == text.format(after)


def test_all_methods_and_all_bases_change_at_once() -> None:
    rewrite = ChangeParameter(
        of=("lib.Field", "lib.Text"), methods=("_serialize", "_deserialize"), adds="**kwargs"
    )
    text = (
        "from lib import Field, Text as T\n"
        "class A(Field):\n    def _serialize(self, value):\n        pass\n"
        "    def _deserialize(self, value):\n        pass\n"
        "class B(T):\n    def _deserialize(self, value):\n        pass\n"
    )
    assert rewritten(text, rewrite) == text.replace("value)", "value, **kwargs)")
    hooks = ChangeParameter(of=("lib.pre", "lib.post"), adds="**kwargs")
    text = (
        "import lib\nclass A:\n    @lib.pre\n    def a(self): pass\n    @lib.post()\n    def b(self): pass\n"
    )
    assert rewritten(text, hooks) == text.replace("self)", "self, **kwargs)")


def test_a_decorator_that_is_a_method_of_an_object_is_known_by_its_name() -> None:
    loader = ChangeParameter(of=(".loader",), adds="header")
    text = "@jwt.loader\ndef check(token):\n    return token\n\n@loader\ndef other(token):\n    pass\n"
    edits = rewrite_source(text, loader, lines=None).edits
    assert apply_edits(text, edits) == text.replace("check(token)", "check(header, token)")
