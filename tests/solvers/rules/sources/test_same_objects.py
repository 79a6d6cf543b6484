"""Lines behind the one that raised that use the same attribute of the same object."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

MESSAGE = "'zoneinfo.ZoneInfo' object has no attribute 'localize'"


def result(text: str, *, line: int, ran: frozenset[int]) -> str:
    """What the first proposal for an error of ``line`` makes of ``text``."""
    cause = Cause(kind=CauseKind.MISSING_ATTRIBUTE, type="AttributeError", message=MESSAGE)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=line),))
    evidence = evidence_of({"a.py": text}, executed={"a.py": ran})
    proposal = RestructuringSource().propose(group, evidence)[0]
    assert proposal.rewrite is not None
    lines = frozenset(place.line for place in proposal.places)
    return apply_edits(text, rewrite_source(text, proposal.rewrite, lines=lines).edits)


def test_all_lines_of_the_function_that_use_the_object_change_at_once() -> None:
    text = (
        "def test(self):\n"
        "    tz = zone()\n"
        "    make(tz.localize(a))\n"
        "    make(\n        tz.localize(b))\n"
        "    other.localize(c)\n"
        "    tz.localize(d), other.localize(d)\n"
        "    tz.localize(e)\n"
        "def test_other(self):\n"
        "    tz = pytz.utc\n"
        "    tz.localize(f)\n"
    )
    changed = text.replace("tz.localize(a)", "a.replace(tzinfo=tz)")
    changed = changed.replace("tz.localize(b)", "b.replace(tzinfo=tz)")
    assert result(text, line=3, ran=frozenset({2, 3, 4, 5, 6, 7, 10, 11})) == changed


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    tz = zone()\n    tz.localize(a)\n    tz = pytz.utc\n    tz.localize(b)\n",
        "def f(tz):\n    tz = tz or zone()\n    tz.localize(a)\n    tz.localize(b)\n",
        "def f(self):\n    pass\n    self.tz.localize(a)\n    self.tz = g()\n    self.tz.localize(b)\n",
        "def f(tz):\n    pass\n    tz.localize(a)\n    x = [tz.localize(b) for tz in zones]\n",
    ],
)
def test_a_name_that_is_given_something_else_is_another_object(text: str) -> None:
    changed = result(text, line=3, ran=frozenset(range(1, 7)))
    assert changed.count("localize") == 1


def test_an_attribute_of_the_object_itself_is_one_object_until_it_is_set() -> None:
    text = "def f(self):\n    self.x = 1\n    self.tz.localize(a)\n    self.tz.localize(b)\n"
    assert "localize" not in result(text, line=3, ran=frozenset({2, 3, 4}))
