"""What a library does not read any more, and no error names."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.advising.use_visitor import ABSENCE
from backdate.advising.uses import read_uses
from backdate.editing.spans import apply_edits
from backdate.knowledge.rules import RuleOrigin
from backdate.rewriting.class_rewrites import ChangeClassBody, ChangeParameter
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.object_uses import (
    calls_to_watch,
    members_to_watch,
    object_uses,
    objects_to_watch,
    record_objects,
)
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.choose import all_sources
from backdate.solvers.rules.sources.rules import RuleSource
from backdate.testing.tracing import SeenObject

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


def test_what_an_object_of_the_project_has_from_a_library_is_a_use_of_that() -> None:
    text = "self.assertEquals(self.made(), 1)\n"
    own = {"file": "a.py", "line": 1, "expression": "self"}
    seen = (
        SeenObject(**own, class_name="a.Tests"),
        SeenObject(**own, class_name="unittest.case.TestCase", member="assertEquals"),
    )
    uses = ProjectUses(files=("a.py",))
    record_objects(uses, {"a.py": text}, seen)
    assert {name for name, one in uses.names.items() if one.of_object} == {
        "a.Tests.assertEquals",
        "unittest.case.TestCase.assertEquals",
        "a.Tests.made",
    }
    assert members_to_watch({"a.py": text}) == {"a.py": {1: ("self.made", "self.assertEquals")}}


MODELS = """\
from django.db import models
class User(models.Model):
    here = models.NullBooleanField()
    there = models.NullBooleanField('There', null=True, default=None)
KINDS = {models.NullBooleanField: 'three'}
"""


def test_what_is_there_still_and_refused_elsewhere_is_foreseen_where_it_runs() -> None:
    uses = ProjectUses(files=("models.py",))
    read_uses(MODELS.encode(), "models.py", uses, guards=ABSENCE)
    evidence = replace(
        evidence_of("1.0", "1.0"),
        uses=uses,
        texts={"models.py": MODELS},
        executed={"models.py": frozenset(range(1, 6))},
        versions={"django": ("3.2.25", "4.2")},
        modules={"django": "django"},
    )
    (group,) = foreseen_groups(evidence)
    (proposal,) = RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)
    assert proposal.rewrite is not None
    lines = frozenset(place.line for place in proposal.places)
    made = apply_edits(MODELS, rewrite_source(MODELS, proposal.rewrite, lines=lines).edits)
    first = "models.BooleanField(null=True, blank=True)"
    second = "models.BooleanField('There', default=None, null=True, blank=True)"
    assert made == MODELS.replace("models.NullBooleanField()", first).replace(
        "models.NullBooleanField('There', null=True, default=None)", second
    )
    assert foreseen_groups(replace(evidence, versions={"django": ("3.1", "3.2.25")})) == ()


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


LABELS = """\
def both(a, b, c):
    common = a.index & b.index
    wide = (a > 1) & (b > 1) | (c & b)
    return a.index | b.index | c
"""


def test_operators_that_do_another_thing_are_foreseen_for_objects_of_the_class_that_was_seen() -> None:
    seen = [(2, "a.index", "Int64Index"), (3, ".__and__", "Series"), (4, ".__or__", "Int64Index")]
    objects = tuple(
        SeenObject(file="a.py", line=line, expression=expression, class_name=f"pandas.core.x.{name}")
        for line, expression, name in seen
    )
    uses = ProjectUses(files=("a.py",))
    record_objects(uses, {"a.py": LABELS}, objects)
    evidence = replace(
        evidence_of("1.0", "1.0"),
        uses=uses,
        texts={"a.py": LABELS},
        executed={"a.py": frozenset({2, 3, 4})},
        versions={"pandas": ("1.2.4", "2.2.3")},
        modules={"pandas": "pandas"},
        objects=objects,
    )
    text = LABELS
    for group in foreseen_groups(evidence):
        (proposal,) = RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)
        assert proposal.rewrite is not None
        lines = frozenset(place.line for place in proposal.places)
        text = apply_edits(text, rewrite_source(text, proposal.rewrite, lines=lines).edits)
    assert text == LABELS.replace("a.index & b.index", "a.index.intersection(b.index)").replace(
        "a.index | b.index | c", "a.index.union(b.index).union(c)"
    )


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


FOREST = """\
from sklearn.ensemble import RandomForestRegressor
forest = RandomForestRegressor(criterion="mse", max_features="auto")
other = RandomForestRegressor(criterion="squared_error")
never = RandomForestRegressor(criterion="mse")
"""


def test_values_that_are_refused_now_are_foreseen_at_the_calls_that_give_them() -> None:
    uses = ProjectUses(files=("a.py",))
    read_uses(FOREST.encode(), "a.py", uses, guards=ABSENCE)
    evidence = FixEvidence(
        tree=Path(),
        uses=uses,
        texts={"a.py": FOREST},
        executed={"a.py": frozenset({1, 2, 3})},
        versions={"scikit-learn": ("0.22", "1.5")},
        modules={"sklearn": "scikit-learn"},
    )
    groups = {group.cause.name: group for group in foreseen_groups(evidence)}
    assert set(groups) == {"criterion", "max_features"}
    assert [group.places for group in groups.values()] == [(SourcePlace(file="a.py", line=2),)] * 2
    written = FOREST
    for group in groups.values():
        first = next(one for source in all_sources()[:2] for one in source.propose(group, evidence))
        written = apply_edits(written, rewrite_source(written, first.rewrite, lines=frozenset({2})).edits)
    assert (
        written.splitlines()[1]
        == 'forest = RandomForestRegressor(criterion="squared_error", max_features=1.0)'
    )
    older = replace(evidence, versions={"scikit-learn": ("0.22", "0.23")})
    assert foreseen_groups(older) == ()
