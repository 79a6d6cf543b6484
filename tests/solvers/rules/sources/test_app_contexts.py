"""Statements that want the context of an application."""

from __future__ import annotations

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource

BLOCK = "    with app.app_context():\n"
MODULE = "from flask import Flask\napp = Flask(__name__)\n"


def mended(text: str, line: int, message: str = "Working outside of application context.") -> str:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="RuntimeError", message=message)
    place = SourcePlace(file="a.py", line=line)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))
    evidence = evidence_of({"a.py": text})
    made = [one for one in RestructuringSource().propose(group, evidence) if one.file_edits]
    return made[0].file_edits[0].text if made else ""


@pytest.mark.parametrize(
    ("before", "line", "after"),
    [
        (
            "def f():\n    x = 1\n    db.session.add(x)\n\n    return x\n",
            5,
            f"def f():\n    x = 1\n{BLOCK}        db.session.add(x)\n\n        return x\n",
        ),
        (
            f"def f():\n{BLOCK}        db.create_all()\n    if x:\n        db.add(x)\n",
            7,
            f"def f():\n{BLOCK}        db.create_all()\n        if x:\n            db.add(x)\n",
        ),
        (
            f"def f():\n{BLOCK}        db.create_all()\n    x = X()\n    db.add(x)\n",
            7,
            f"def f():\n{BLOCK}        db.create_all()\n        x = X()\n        db.add(x)\n",
        ),
        (
            f"def f():\n    db.add(1)\n{BLOCK}        pass\n",
            4,
            f"def f():\n{BLOCK}        db.add(1)\n{BLOCK}        pass\n",
        ),
    ],
)
def test_what_follows_goes_into_one_block(before: str, line: int, after: str) -> None:
    assert mended(MODULE + before, line) == MODULE + after


@pytest.mark.parametrize(
    ("text", "app"),
    [
        ("def f(app):\n    db.add(1)\n", "app"),
        ("def f():\n    mine = create_app()\n    db.add(1)\n", "mine"),
        ("from web import app\ndef f():\n    db.add(1)\n", "app"),
        ("def f():\n    db.add(1)\n", ""),
    ],
)
def test_the_application_is_one_that_can_be_named_there(text: str, app: str) -> None:
    after = mended(text, text.count("\n"))
    assert after.count("with") == (1 if app else 0)
    assert f"with {app}.app_context():\n        db.add(1)\n" in after or not app


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        (MODULE + "db.add(1)\n", 3, "Working outside of application context."),
        (MODULE + 'def f():\n    db.add("""\n    """)\n', 4, "Working outside of application context."),
        (MODULE + "def f():\n    db.add(1)\n", 4, "Working outside of request context."),
        (
            MODULE + f"def f():\n{BLOCK}        db.add(1)\n",
            5,
            "Working outside of application context.",
        ),
    ],
)
def test_anything_else_is_left_alone(text: str, line: int, message: str) -> None:
    assert mended(text, line, message) == ""
