"""Numbers for fields of texts in pydantic's models."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.coerced_numbers import coerced_numbers

REFUSED = """2 validation errors for Order
reference
  Input should be a valid string [type=string_type, input_value=100234, input_type=int]
    For further information visit https://errors.pydantic.dev/2.11/v/string_type
items.0.sku
  Input should be a valid string [type=string_type, input_value=4711, input_type=int]
    For further information visit https://errors.pydantic.dev/2.11/v/string_type"""
MODELS = '''class Base(pydantic.BaseModel):
    class Config:
        extra = "ignore"


class Item(Base):
    """A thing."""

    sku: str
    number: int


class Order(Base):
    reference: Optional[str] = None

    class Config:
        extra = "forbid"


class Other(Base):
    name: str


class Plain:
    sku: str
'''
AFTER = MODELS.replace(
    "    sku: str\n    number",
    '    model_config = {"coerce_numbers_to_str": True}\n\n    sku: str\n    number',
).replace('        extra = "forbid"', '        coerce_numbers_to_str = True\n        extra = "forbid"')


def edited(text: str, message: str = REFUSED, *, new: str = "2.11.7", kept: str = "") -> list[str]:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="ValidationError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    evidence = evidence_of({"a.py": text}, versions={"pydantic": ("1.3", new)}, kept_files=frozenset({kept}))
    return [edit.text for one in coerced_numbers(group, evidence) for edit in one.file_edits]


def test_the_models_of_the_named_fields_take_numbers() -> None:
    assert edited(MODELS) == [AFTER]
    assert edited(AFTER) == []


@pytest.mark.parametrize(
    "text",
    [
        MODELS.replace("str", "int"),
        "class Item(BaseModel):\n    model_config = ConfigDict(extra='forbid')\n    sku: str\n",
        "class Item(BaseModel): sku: str\n",
        "class Item(BaseModel:\n",
    ],
)
def test_other_models_stay(text: str) -> None:
    assert edited(text) == []


def test_only_for_numbers_past_the_release_and_where_it_may_be_edited() -> None:
    assert edited(MODELS, REFUSED.replace("input_type=int", "input_type=list")) == []
    assert edited(MODELS, new="2.3.0") == []
    assert edited(MODELS, kept="a.py") == []
