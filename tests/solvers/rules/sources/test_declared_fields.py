"""Names in ``Meta`` of which marshmallow made fields until 4.0."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.declared_fields import declared_fields, with_declarations

SCHEMAS = """\
from marshmallow import Schema, fields


class Base(Schema):
    at = fields.Date()


class User(Base):
    label = fields.Str()

    class Meta:
        fields = ("id", "at", "label")
        additional = ["kind"]
"""
DECLARED = SCHEMAS.replace(
    "    class Meta", "    id = fields.Raw()\n    kind = fields.Raw()\n\n    class Meta"
)


def test_what_is_not_declared_is() -> None:
    assert with_declarations({"a.py": SCHEMAS}) == {"a.py": DECLARED}
    assert with_declarations({"a.py": DECLARED}) == {"a.py": DECLARED}


@pytest.mark.parametrize(
    ("head", "written"),
    [
        ("import marshmallow as ma", "ma.fields.Raw()"),
        ("from marshmallow import Schema, fields as f", "f.Raw()"),
    ],
)
def test_it_is_spelled_as_the_file_has_it(head: str, written: str) -> None:
    text = f"{head}\nclass A(Schema):\n    class Meta:\n        fields = ('id',)\n"
    assert f"    id = {written}\n" in with_declarations({"a.py": text})["a.py"]


def test_classes_in_functions_are_made_from_the_object_of_an_extension() -> None:
    text = """\
def first(ma):
    class A(ma.Schema):
        class Meta:
            fields = ("id", "url")

        url = ma.URLFor("a")

    return A


def second(ma):
    class A(ma.Schema):
        class Meta:
            fields = ("name",)

    return A
"""
    with_id = text.replace(
        '        class Meta:\n            fields = ("id"',
        '        id = ma.Raw()\n\n        class Meta:\n            fields = ("id"',
    )
    with_both = with_id.replace(
        '        class Meta:\n            fields = ("name"',
        '        name = ma.Raw()\n\n        class Meta:\n            fields = ("name"',
    )
    assert with_declarations({"a.py": text}) == {"a.py": with_both}


@pytest.mark.parametrize(
    "text",
    [
        "from other import Schema, fields\nclass A(Schema):\n    class Meta:\n        fields = ('id',)\n",
        "from marshmallow import fields\nclass A(Model):\n    class Meta:\n        fields = ('id',)\n",
        "from marshmallow import Schema, fields\nclass A(Schema):\n    class Meta:\n        ordered = True\n",
        "from marshmallow import Schema, fields\nclass A(Schema):\n    class Meta:\n        fields = NAMES\n",
        "from marshmallow import Schema, fields\nclass A(Schema\n",
    ],
)
def test_all_else_stays(text: str) -> None:
    assert with_declarations({"a.py": text}) == {"a.py": text}


@pytest.mark.parametrize(
    ("new", "executed", "found"), [("4.0.0", "a.py", 1), ("3.26.1", "a.py", 0), ("4.0.0", "b.py", 0)]
)
def test_only_past_the_release_and_in_files_that_failing_tests_run(
    new: str, executed: str, found: int
) -> None:
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="assert {} == {'id': 1}")
    group = FailureGroup(cause=cause, tests=("t",), places=())
    evidence = evidence_of(
        {"a.py": SCHEMAS}, versions={"marshmallow": ("3.3.0", new)}, executed={executed: frozenset({1})}
    )
    assert len(list(declared_fields(group, evidence))) == found
