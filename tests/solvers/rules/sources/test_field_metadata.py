"""Arguments that fields of marshmallow do not know, where they are no metadata any more."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.field_metadata import field_metadata

HEAD = "from marshmallow import Schema, fields\nfrom marshmallow.fields import Str\n"
TEXT = f"""{HEAD}class Item(Schema):
    a = fields.Int(required=True, description="of a", width=20)
    b = Str(width=3, validate=short(5), metadata={{"title": "b"}})
    c = fields.Nested(
        "Other",
        example=[1, 2],  # shown
    )
    d = fields.Email(metadata={{}}, width=1)
    e = fields.Url(metadata=of_all, width=1)
    f = Other(width=1)
"""
MENDED = f"""{HEAD}class Item(Schema):
    a = fields.Int(required=True, metadata={{"description": "of a", "width": 20}})
    b = Str(validate=short(5), metadata={{"title": "b", "width": 3}})
    c = fields.Nested(
        "Other",
        metadata={{"example": [1, 2]}},  # shown
    )
    d = fields.Email(metadata={{"width": 1}})
    e = fields.Url(metadata=of_all, width=1)
    f = Other(width=1)
"""


def proposed(text: str, name: str = "width", new: str = "4.0.0", **more: object) -> list[str]:
    cause = Cause(
        kind=CauseKind.UNEXPECTED_ARGUMENT,
        type="TypeError",
        message=f"Field.__init__() got an unexpected keyword argument '{name}'",
        name=name,
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=4),))
    evidence = evidence_of({"a.py": text}, versions={"marshmallow": ("3.3.0", new)}, **more)
    found = field_metadata(group, evidence)
    return [] if found is None else [edit.text for edit in found.file_edits]


def test_all_that_a_field_does_not_know_is_its_metadata() -> None:
    assert proposed(TEXT) == [MENDED]


@pytest.mark.parametrize(
    ("text", "name", "new"),
    [
        (TEXT, "required", "4.0.0"),
        (TEXT, "nobody_gives_it", "4.0.0"),
        (TEXT, "width", "3.26.1"),
        (TEXT.replace("marshmallow", "other"), "width", "4.0.0"),
        (f"{HEAD}x = Item(width=1)\n", "width", "4.0.0"),
        (f"{HEAD}x = (\n", "width", "4.0.0"),
    ],
)
def test_of_any_other_error_nothing_is_said(text: str, name: str, new: str) -> None:
    assert proposed(text, name, new) == []


def test_files_that_are_not_to_be_edited_stay() -> None:
    assert proposed(TEXT, kept_files=frozenset({"a.py"})) == []


HANDED_ON = f"""{HEAD}def made(kind, options):
    options = {{"width": kind.width, **options}}
    return fields.Int(**options)
"""


def test_a_key_of_the_dictionary_that_is_handed_on_becomes_metadata() -> None:
    assert proposed(HANDED_ON) == [
        HANDED_ON.replace('"width": kind.width', '"metadata": {"width": kind.width}')
    ]


@pytest.mark.parametrize(
    "text",
    [
        HANDED_ON.replace("(**options)", "(options)"),
        HANDED_ON.replace('{"width"', '{"metadata": {}, "width"'),
        HANDED_ON.replace("    return", '    other = {"width": 2}\n    return'),
        f"{HEAD}\n\n{HANDED_ON.removeprefix(HEAD)}",  # the lines that failed are outside of it
    ],
)
def test_dictionaries_that_may_be_for_something_else_stay(text: str) -> None:
    assert proposed(text) == []
