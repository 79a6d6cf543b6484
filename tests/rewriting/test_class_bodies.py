"""What classes say in their body, and which base classes they have."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.class_rewrites import BaseBehind, ChangeClassBody
from backdate.rewriting.rewrite import Rewrite
from backdate.rewriting.rewrite_source import rewrite_source

CONFIG = ChangeClassBody(
    of=("lib.Model",),
    within="Config",
    attributes=(
        ("orm_mode", "from_attributes = {value}"),
        ("schema_extra", "json_schema_extra = {value}"),
        ("allow_mutation = False", "frozen = True"),
        ("fields", ""),
    ),
)
FILTERS = ChangeClassBody(
    of=("lib.View", "lib.List"), attributes=(("filter_fields", "filterset_fields = {value}"),)
)
LOADS = ChangeClassBody(of=("lib.Schema",), within="Meta", adds=("load_instance = True",))
TAGS = BaseBehind(of=("lib.base.Mixin", "lib.base.Other"), base="lib.base.Estimator")


def rewritten(text: str, rewrite: Rewrite, *lines: int) -> str:
    """The text after the edits, on all lines where none are given."""
    return apply_edits(text, rewrite_source(text, rewrite, lines=frozenset(lines) or None).edits)


def test_all_that_a_class_says_changes_at_once() -> None:
    text = (
        "from lib import Model\r\n"
        "class A(Model):\r\n    x: int\r\n\r\n"
        "    class Config:\r\n"
        "        orm_mode = True  # read rows\r\n"
        "        fields = {'a': 'b'}\r\n"
        "        schema_extra = {\r\n            'example': 1,\r\n        }\r\n"
        "        allow_mutation = False\r\n"
        "        extra = 'forbid'\r\n"
        "class B:\r\n    class Config:\r\n        orm_mode = True\r\n"
    )
    after = (
        text.replace("orm_mode", "from_attributes", 1)
        .replace("schema_extra", "json_schema_extra")
        .replace("allow_mutation = False", "frozen = True")
        .replace("        fields = {'a': 'b'}\r\n", "")
    )
    assert rewritten(text, CONFIG) == rewritten(text, CONFIG, 2) == rewritten(text, CONFIG, 8) == after
    assert rewritten(text, CONFIG, 13) == text
    assert rewritten(after, CONFIG) == after


def test_a_class_that_is_made_from_one_of_the_file_says_the_same_things() -> None:
    text = (
        "import lib\nclass Base(lib.Model):\n    pass\n"
        "class A(Base):\n    class Config:\n        orm_mode = True\n"
    )
    assert rewritten(text, CONFIG) == text.replace("orm_mode", "from_attributes")


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("fields = {}", "pass"),
        ("fields = {}\n        # nothing else", "pass\n        # nothing else"),
        ("allow_mutation = True", "allow_mutation = True"),
        (
            "orm_mode = True\n        from_attributes = True",
            "orm_mode = True\n        from_attributes = True",
        ),
        ("orm_mode: bool = True", "from_attributes = True"),
    ],
)
def test_a_body_stays_one(body: str, after: str) -> None:
    text = "import lib\nclass A(lib.Model):\n    class Config:\n        {}\n"
    assert rewritten(text.format(body), CONFIG) == text.format(after)


def test_attributes_of_the_body_itself_change() -> None:
    text = "from lib import List, View\nclass A(List, View):\n    filter_fields = ['a']\n    other = 1\n"
    assert rewritten(text, FILTERS) == text.replace("filter_fields", "filterset_fields")


@pytest.mark.parametrize(
    ("meta", "after"),
    [
        ("\n        model = User", "\n        model = User\n        load_instance = True"),
        (
            '\n        "a"\n        x = (\n    1)  # 1',
            '\n        "a"\n        x = (\n    1)  # 1\n        load_instance = True',
        ),
        ("\n        load_instance = False", "\n        load_instance = False"),
        (" model = User", " model = User"),
    ],
)
def test_a_body_says_one_thing_more(meta: str, after: str) -> None:
    text = "import lib\nclass A(lib.Schema):\n    class Meta:{}\n\nx = 1\n"
    assert rewritten(text.format(meta), LOADS) == text.format(after)


@pytest.mark.parametrize(
    ("bases", "after"),
    [
        ("Estimator, Mixin", "Mixin, Estimator"),
        ("Estimator, Mixin, Other", "Mixin, Other, Estimator"),
        ("Own, Estimator, Mixin", "Own, Mixin, Estimator"),
        ("Mixin, Estimator", "Mixin, Estimator"),
        ("Mixin", "Mixin, Estimator"),
        ("Own, Mixin", "Own, Mixin"),
        ("Mixin, metaclass=abc", "Mixin, metaclass=abc"),
        ("Estimator", "Estimator"),
    ],
)
def test_a_base_class_stands_behind_those_that_call_it(bases: str, after: str) -> None:
    text = "from lib.base import Estimator, Mixin, Other\nclass A({}):\n    pass\n"
    assert rewritten(text.format(bases), TAGS, 3) == text.format(after)


def test_a_base_class_is_imported_where_it_is_not() -> None:
    text = "from lib.base import Mixin\nclass A(Mixin):\n    pass\n"
    assert (
        rewritten(text, TAGS)
        == "from lib.base import Mixin, Estimator\nclass A(Mixin, Estimator):\n    pass\n"
    )


def test_a_method_that_has_another_name_is_renamed_with_its_calls() -> None:
    renamed = ChangeClassBody(of=("lib.Option",), attributes=(("full_process()", "process"),))
    text = (
        "import lib\n"
        "class A(lib.Option):\n"
        "    @lib.traced\n"
        "    def full_process(self, value):  # doubled\n"
        "        return super().full_process(value) * 2\n"
        "    def again(self):\n"
        "        full_process = self.full_process(1)\n"
        "        return full_process\n"
        "class B:\n    def full_process(self):\n        pass\n"
    )
    after = (
        text.replace("def full_process(self, value)", "def process(self, value)")
        .replace("super().full_process", "super().process")
        .replace("self.full_process(1)", "self.process(1)")
    )
    assert rewritten(text, renamed) == rewritten(text, renamed, 4) == after
    both = text.replace("def again", "def process")
    assert rewritten(both, renamed) == both


def test_what_is_assigned_to_a_class_behind_it_is_said_by_the_class() -> None:
    text = (
        "from lib import View\nclass A(View):\n    x = 1\n"
        "A.filter_fields = ['a']\nB.filter_fields = ['b']\nA.b.filter_fields = 1\n"
    )
    after = text.replace("A.filter_fields", "A.filterset_fields")
    assert rewritten(text, FILTERS) == rewritten(text, FILTERS, 3) == after
    assert rewritten(text.replace("View", "Other"), FILTERS) == text.replace("View", "Other")
