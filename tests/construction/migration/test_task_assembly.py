"""The names of tasks, and what of a diagnosis is written into them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from fake_setups import choice, recipe

from backdate.checking.result import Side
from backdate.construction.candidate import Candidate
from backdate.construction.duplicates import Sketch
from backdate.construction.migration.examine import Examined
from backdate.construction.migration.task_assembly import _cause, _side, instance_id
from backdate.diagnosis.result import Cause, CauseKind, Cluster
from backdate.tasks.dataset import require_instance_id

EXAMINED = Examined(
    revision="0123456789abcdef0123",
    url="",
    sha256="",
    digest="d" * 64,
    old=datetime(2021, 1, 1, tzinfo=UTC),
    version_hint=None,
    missing=(),
    license=None,
    sketch=Sketch(exact=""),
    python_files=0,
    python_lines=0,
    test_files=(),
)


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("git", "owner/name", "owner__name-0123456789ab"),
        ("sdist", "flask-login", "flask-login-0123456789abcdef0123"),
        ("git", "o w/..n/é", "o_w__._n___-0123456789ab"),
        ("folder", "..", "_-0123456789ab"),
    ],
)
def test_names_can_be_folders(kind: str, name: str, expected: str) -> None:
    candidate = Candidate(kind=kind, name=name, location="x")  # type: ignore[arg-type]
    found = instance_id(candidate, EXAMINED)
    assert require_instance_id(found) == found
    assert found == expected


def test_another_minor_that_stood_in_is_the_tasks() -> None:
    wanted, used = "3.8.10", ("3.8.18", "3.9.18")
    sides = [
        Side(instant=EXAMINED.old, choice=replace(choice(one), wanted=wanted), recipe=recipe())
        for one in used
    ]
    assert [_side(one).python for one in sides] == ["3.8.10", "3.9.18"]


def test_causes_name_no_place_of_this_machine() -> None:
    message = (
        "cannot import name 'x' from 'y' (/root/cache/environments/0ab/lib/python3.12/site-packages/y.py)"
    )
    cause = Cause(kind=CauseKind.MISSING_NAME, type="ImportError", message=message)
    said = _cause(Cluster(cause=cause, tests=(), places=(), messages=()))
    assert said == "missing-name: ImportError: cannot import name 'x' from 'y' (site-packages/y.py)"
