"""What JSON does not know any more is made something that it knows."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.json_values import json_values


def edited(text: str, kind: str, line: int = 1) -> list[str]:
    place = SourcePlace(file="a.py", line=line)
    message = f"Object of type {kind} is not JSON serializable"
    cause = Cause(kind=CauseKind.CHANGED_TYPE, type="TypeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of({"a.py": text})
    return [edit.text for proposal in json_values(group, evidence) for edit in proposal.file_edits]


@pytest.mark.parametrize(
    ("kind", "made"),
    [
        ("Column", "list"),
        ("set", "list"),
        ("int64", "int"),
        ("float32", "float"),
        ("ndarray", "lambda value: value.tolist()"),
        ("PosixPath", "str"),
    ],
)
def test_the_class_says_what_is_made_of_it(kind: str, made: str) -> None:
    assert edited("x = json.dumps(y, indent=1)\n", kind) == [f"x = json.dumps(y, indent=1, default={made})\n"]


def test_the_call_may_take_several_lines() -> None:
    text = "json.dump(\n    {\n        'a': x,\n    },\n    file,\n)\n"
    assert edited(text, "Column", line=1) == [text.replace("file,", "file,\n    default=list,")]


def test_the_ends_of_lines_stay() -> None:
    text = "json.dumps(\r\n    x\r\n)\r\n"
    assert edited(text, "Column") == ["json.dumps(\r\n    x,\r\n    default=list\r\n)\r\n"]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x = json.dumps(y, default=str)\n", "Column"),
        ("x = json.dumps(y, cls=Own)\n", "Column"),
        ("x = json.dumps(y, **options)\n", "Column"),
        ("x = json.dumps(y)\n", "bytes"),
        ("x = json.dumps(y)\n", "Undefined"),
        ("x = f(y)\n", "Column"),
    ],
)
def test_other_calls_stay(text: str, kind: str) -> None:
    assert edited(text, kind) == []
