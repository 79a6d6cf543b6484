"""Bodies of classes that a library reads."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

MODELS = """\
from typing import Any, List, Optional, Union

from pydantic import BaseModel


class Part(BaseModel):
    number: int
    note: Optional[str]  # of the seller


class Whole(BaseModel):
    é: Optional["Part"]; extra: Any
    either: Union[int, None]
    parts: List[Part]
    size: "int | None"
    other: int | None
    given: Optional[int] = 3
"""
MISSING = """1 validation error for Whole
either
  Field required [type=missing, input_value={}, input_type=dict]
    For further information visit https://errors.pydantic.dev/2.14/v/missing"""


def mended(message: str, text: str, line: int, moved: tuple[str, str] = ("1.10.2", "2.5.0")) -> str:
    """The text of ``a.py`` with the proposal made; "" where there is none."""
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="ValidationError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="b.py", line=line),))
    evidence = evidence_of({"a.py": text, "b.py": "x = 1\n"}, versions={"pydantic": moved})
    made = RestructuringSource().propose(group, evidence)
    return made[0].file_edits[0].text if made else ""


def test_fields_that_may_be_none_get_the_default_that_they_had() -> None:
    after = mended(MISSING, MODELS, 1)
    assert 'é: Optional["Part"] = None; extra: Any = None\n    either: Union[int, None] = None\n' in after
    assert '    parts: List[Part]\n    size: "int | None"\n    other: int | None = None\n' in after
    assert "note: Optional[str]  # of the seller\n" in after, "another class"
    assert mended(MISSING, MODELS, 1, ("2.0", "2.5")) == ""
    assert mended(MISSING.replace("for Whole", "for Nobody"), MODELS, 1) == ""


def test_a_field_is_found_by_an_alias_that_a_constant_of_another_file_is() -> None:
    """pytradfri's models, whose aliases are the numbers that its device speaks."""
    models = (
        "from pydantic import BaseModel, Field\nfrom . import const\nfrom .const import ATTR_NAME\n"
        "class Response(BaseModel):\n    id: int = Field(alias=const.ATTR_ID)\n"
        "    name: str | None = Field(alias=ATTR_NAME)\n    level: int | None = Field(\n"
        "        alias=const.ATTR_LEVEL\n    )\n"
        "class Other(BaseModel):\n    x: int | None = Field(alias='7')\n"
    )
    constants = 'ATTR_ID = "9003"\nATTR_NAME: Final = "9001"\nATTR_LEVEL = "5850"\n'
    message = MISSING.replace("either\n", "3311.0.9001\n").replace("for Whole", "for Outer")
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="ValidationError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="b.py", line=1),))
    texts = {"a.py": models, "b.py": "x = 1\n", "const.py": constants}
    evidence = evidence_of(texts, versions={"pydantic": ("1.10.2", "2.11.7")})
    (made,) = RestructuringSource().propose(group, evidence)
    (edited,) = made.file_edits
    after = models.replace("Field(alias=ATTR_NAME)", "Field(None, alias=ATTR_NAME)")
    assert edited.text == after.replace("Field(\n        alias", "Field(\n        None,\n        alias")


def test_a_field_inside_another_model_is_found_by_its_name() -> None:
    after = mended(MISSING.replace("either\n", "parts.0.note\n"), MODELS, 1)
    assert "note: Optional[str] = None  # of the seller\n" in after
    assert "either: Union[int, None]\n" in after


def test_a_field_that_is_given_more_than_a_default_and_one_of_a_base_class_are_found() -> None:
    base = (
        "from pydantic import BaseModel, Field\nclass Base(BaseModel):\n"
        "    é: Optional[int] = Field(alias='either', ge=0); b: Optional[int] = Field()\n"
        "    c: Optional[int] = Field(3)\nclass Whole(Base):\n    name: str\n"
    )
    after = base.replace("Field(alias", "Field(None, alias").replace("Field()", "Field(None)")
    assert mended(MISSING, base, 1) == after
    assert mended(MISSING.replace("either", "name"), base, 1) == ""


@pytest.mark.parametrize(
    ("body", "after"),
    [
        ("    size = 3\n    name = 'a'\n", "    size: int = 3\n    name: str = 'a'\n"),
        ("    _kept = 1\n    size = 3.0\n", "    _kept = 1\n    size: float = 3.0\n"),
    ],
)
def test_fields_without_annotation_get_the_type_of_their_default(body: str, after: str) -> None:
    message = "A non-annotated attribute was detected: `size = 3`. All model fields require a type annotation"
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="PydanticUserError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    head = "class Model(Base):\n"
    evidence = evidence_of({"a.py": head + body})
    (proposal,) = RestructuringSource().propose(group, evidence)
    assert proposal.file_edits[0].text == head + after


def test_an_attribute_that_the_error_asks_for_is_set_on_the_class() -> None:
    text = '''class Other(Base):
    pass


class Thing(Base):
    """A thing."""

    parts: List[Other] = relationship("Other")
'''
    message = (
        'Type annotation for "Thing.parts" can\'t be correctly interpreted for Annotated Declarative Table. '
        "To allow Annotated Declarative to disregard legacy annotations which don't use Mapped[] to pass, "
        'set "__allow_unmapped__ = True" on the class or a superclass this class.'
    )
    after = mended(message, text, 1)
    assert '    __allow_unmapped__ = True\n    parts: List[Other] = relationship("Other")\n' in after
    assert mended(message, after, 1) == "", "it is there"
