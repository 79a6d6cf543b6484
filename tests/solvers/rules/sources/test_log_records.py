"""Python 3.12's attribute of log records stands in lists of all attributes."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.log_records import log_records

SHOWN = 'assert {"message": "a", "taskName": null} == {"message": "a"}'


def edited(text: str, message: str = SHOWN, *, new: str = "3.12.1", kept: bool = False) -> str | None:
    """The text of the file with the edit for a failure that a test tells."""
    place = SourcePlace(file="test_a.py", line=1)
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of(
        {"a.py": text}, versions={"python": ("3.8.1", new)}, kept_files=frozenset({"a.py"} if kept else ())
    )
    made = log_records(group, evidence)
    return None if made is None else made.file_edits[0].text


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (
            "OWN = (\n    'processName',\n    'thread',\n    'threadName',\n)\n",
            "OWN = (\n    'processName',\n    'taskName',\n    'thread',\n    'threadName',\n)\n",
        ),
        (
            'OWN = frozenset(["threadName", "processName"])\n',
            'OWN = frozenset(["taskName", "threadName", "processName"])\n',
        ),
        ('é = {"processName", "threadName"}\n', 'é = {"processName", "taskName", "threadName"}\n'),
    ],
)
def test_the_attribute_stands_before_the_thread(text: str, wanted: str) -> None:
    assert edited(text) == wanted


@pytest.mark.parametrize(
    "text",
    ["OWN = ('thread', 'threadName')\n", "OWN = ('taskName', 'processName', 'threadName')\n", "x = 1\n"],
)
def test_other_lists_stay(text: str) -> None:
    assert edited(text) is None


def test_what_fails_otherwise_is_left_alone() -> None:
    text = "OWN = ('processName', 'threadName')\n"
    assert edited(text, "assert 1 == 2") is None
    assert edited(text, new="3.11.1") is None
    assert edited(text, kept=True) is None
