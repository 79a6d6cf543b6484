"""Blocks over connections that commit each statement start no transaction."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.autocommit_blocks import autocommit_blocks

REFUSED = "CREATE DATABASE cannot run inside a transaction block\n"


def edited(text: str, line: int, *, message: str = REFUSED, new: str = "2.9.10") -> list[str]:
    place = SourcePlace(file="a.py", line=line)
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="psycopg2.errors.ActiveSqlTransaction", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of({"a.py": text}, versions={"psycopg2": ("2.8.6", new)})
    return [edit.text for one in autocommit_blocks(group, evidence) for edit in one.file_edits]


def test_a_connection_that_is_made_there_is_closed() -> None:
    text = "import psycopg2\nwith connect('é') as con:\n    cur = con.cursor()\n    cur.execute(q)\nf()\n"
    (made,) = edited(text, 4)
    head, _, rest = made.partition("with ")
    assert set(head.split()) == {"import", "contextlib", "psycopg2"}
    closed = text.replace("connect('é')", "contextlib.closing(connect('é'))")
    assert f"with {rest}" == closed.removeprefix("import psycopg2\n")


@pytest.mark.parametrize(
    ("head", "behind"), [("with connect() as con:", "con.close()"), ("with con:", "f()"), ("with con:", "")]
)
def test_one_that_is_used_elsewhere_stays_open(head: str, behind: str) -> None:
    text = f"import contextlib\n\ndef g(con):\n    {head}\n        con.cursor().execute(q)\n    {behind}\n"
    context = head.removeprefix("with ").partition(" as ")[0].removesuffix(":")
    assert edited(text, 5) == [text.replace(f"with {context}", f"with contextlib.nullcontext({context})")]


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("with con:\n    f()\n", {"new": "2.8.7"}),
        ("with con:\n    f()\n", {"message": "relation does not exist"}),
        ("if con:\n    f()\n", {}),
        ("with (:\n    f()\n", {}),
    ],
)
def test_other_failures_are_left_alone(text: str, options: dict[str, str]) -> None:
    assert edited(text, 2, **options) == []
