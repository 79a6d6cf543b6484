"""Advice for values that changed without an error: only of the release that broke the tests."""

from __future__ import annotations

import pytest

from backdate.advice import SourcePlace
from backdate.advising.project_uses import ProjectUses
from backdate.advising.uses import read_uses
from backdate.bisection.explained import Explained
from backdate.bisection.result import Culprit, Failing, Finding
from backdate.bisection.values_told import changed_values
from backdate.diagnosis.result import Cause, CauseKind
from backdate.environments.environment import Environment

SOURCE = """import yaml

def text(data):
    return yaml.dump(data)

def short(data):
    return yaml.dump(data, default_flow_style=None)
"""


def uses() -> ProjectUses:
    found = ProjectUses()
    read_uses(SOURCE.encode(), "src/p/a.py", found)
    found.files = ("src/p/a.py",)
    return found


def explained(old: str | None, new: str, cause: Cause) -> Explained:
    finding = Finding(
        tests=("t",),
        error=Failing(type=cause.type, message=cause.message, place=None),
        axis="packages",
        culprits=(Culprit(name="pyyaml", old=old, new=new, released=None),),
        python="3.8.18",
    )
    environment: Environment = None  # type: ignore[assignment]
    return Explained(finding=finding, cause=cause, good=environment)


WRONG = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="assert 'a:' == 'a: [1]'")


def test_calls_are_told_as_they_gave_it() -> None:
    (change,) = changed_values(explained("3.13", "5.1", WRONG), "pyyaml", uses())
    assert change.name == "yaml.dump"
    assert "default_flow_style=None" in change.rewrite
    assert change.places == (SourcePlace(file="src/p/a.py", line=4),)
    assert "blocks" in change.evidence[0].text


@pytest.mark.parametrize(
    ("old", "new", "cause"),
    [
        ("5.4", "6.0", WRONG),  # another release broke the tests
        (None, "5.1", WRONG),
        (
            "3.13",
            "5.1",
            Cause(kind=CauseKind.MISSING_ATTRIBUTE, type="AttributeError", message="no", name="x"),
        ),
    ],
)
def test_nothing_is_said_where_it_was_not_seen(old: str | None, new: str, cause: Cause) -> None:
    assert list(changed_values(explained(old, new, cause), "pyyaml", uses())) == []
