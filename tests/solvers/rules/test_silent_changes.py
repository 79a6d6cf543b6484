"""What a library does not read any more, and no error names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.advising.use_visitor import ABSENCE
from backdate.advising.uses import read_uses
from backdate.knowledge.rules import RuleOrigin
from backdate.rewriting.rewrite import ChangeClassBody, ChangeParameter
from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.object_uses import calls_to_watch, object_uses, objects_to_watch
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.choose import all_sources
from backdate.solvers.rules.sources.rules import RuleSource

BASE = "from pydantic import BaseModel\nclass Base(BaseModel):\n    class Config:\n        orm_mode = True\n"
USER = (
    "from .base import Base\nclass User(Base):\n"
    "    class Config:\n        anystr_lower = True\n        title = 1\n"
    "class Plain:\n    class Config:\n        orm_mode = True\n"
)


def evidence_of(old: str, new: str) -> FixEvidence:
    texts = {"base.py": BASE, "user.py": USER, "never.py": BASE}
    uses = ProjectUses(files=tuple(texts))
    for file, text in texts.items():
        read_uses(text.encode(), file, uses, guards=ABSENCE)
    return FixEvidence(
        tree=Path(),
        uses=uses,
        texts=texts,
        executed={"base.py": frozenset({1, 2, 3, 4}), "user.py": frozenset(range(1, 9))},
        versions={"pydantic": (old, new)},
        modules={"pydantic": "pydantic"},
    )


def test_settings_of_classes_are_foreseen_all_at_once_and_lead_to_their_rule() -> None:
    evidence = evidence_of("1.10.2", "2.5.0")
    (group,) = foreseen_groups(evidence)
    assert group.tests == ()
    assert group.places == (SourcePlace(file="base.py", line=4), SourcePlace(file="user.py", line=4))
    first = next(one for source in all_sources()[:2] for one in source.propose(group, evidence))
    assert isinstance(first.rewrite, ChangeClassBody)
    assert set(group.places) <= set(first.places)


@pytest.mark.parametrize(("old", "new"), [("2.0", "2.5.0"), ("1.9", "1.10.2")])
def test_a_move_past_no_release_of_a_rule_foresees_nothing(old: str, new: str) -> None:
    assert foreseen_groups(evidence_of(old, new)) == ()


def test_nothing_is_foreseen_where_nobody_traced() -> None:
    assert foreseen_groups(replace(evidence_of("1.10.2", "2.5.0"), executed=None)) == ()


def test_an_attribute_that_is_set_is_a_use_of_its_object() -> None:
    text = "app.json_encoder = Mine\nself.x = 1\na.b, c = 1, 2\na.b += 1\na.b = c.d = 1\nself.app.y = 2\n"
    uses = [(use.expression, use.attribute) for use in object_uses(text)]
    assert uses == [("app", "json_encoder"), ("self.app", "y"), ("self", "app")]
    assert calls_to_watch({"a.py": "a.b(\n    c\n).d()\n"}) == {"a.py": {1: ("d", "b"), 3: ("d",)}}
    assert objects_to_watch({"a.py": text}) == {"a.py": {1: ("app",), 6: ("self.app", "self")}}


def test_a_whole_library_is_replaced_in_all_files_at_once() -> None:
    evidence = evidence_of("1.10.2", "2.5.0")
    (group,) = foreseen_groups(evidence)
    cause = replace(
        group.cause, message="1 validation error for User", type="ValidationError", name="", owner=""
    )
    one = replace(group, cause=cause, tests=("t",), places=(SourcePlace(file="user.py", line=2),))
    found = RuleSource(RuleOrigin.WRITTEN).propose(one, evidence)
    last = next(each for each in found if each.rule == "pydantic:pydantic")
    assert {place.file for place in last.places} == {"base.py", "user.py"}


HOOKS = """\
from marshmallow import Schema, fields, post_load, pre_load
class Upper(fields.Field):
    def _serialize(self, value, attr, obj):
        return value
    def _deserialize(self, value, attr, data):
        return value
class Person(Schema):
    name = Upper()
    @pre_load
    def first(self, data):
        return data
    @post_load
    def last(self, data):
        return data
    @post_load
    def ready(self, data, **kwargs):
        return data
"""


def test_all_functions_that_a_library_calls_by_a_decorator_are_foreseen_at_once() -> None:
    uses = ProjectUses(files=("a.py",))
    read_uses(HOOKS.encode(), "a.py", uses, guards=ABSENCE)
    evidence = replace(
        evidence_of("1.0", "1.0"),
        uses=uses,
        texts={"a.py": HOOKS},
        executed={"a.py": frozenset(range(1, 18))},
        versions={"marshmallow": ("2.21.0", "3.20.0")},
        modules={"marshmallow": "marshmallow"},
    )
    groups = foreseen_groups(evidence)
    lines = sorted(place.line for group in groups for place in group.places)
    assert lines == [10, 13], "a library may call methods as before: their error says whether it does"
    for group in groups:
        first = next(one for source in all_sources()[:2] for one in source.propose(group, evidence))
        assert isinstance(first.rewrite, ChangeParameter)
        assert set(group.places) <= set(first.places)
