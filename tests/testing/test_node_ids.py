"""Ids of tests, as every pytest writes them."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

import backdate.testing.run
from backdate.testing.node_ids import plain_id

IDS = [
    ("a.py::A::()::test_a", "a.py::A::test_a"),
    ("a.py::A::()::B::()::test_a[1]", "a.py::A::B::test_a[1]"),
    ("a.py::A::()", "a.py::A"),
    ("a.py::test_a[::()::]", "a.py::test_a[::()::]"),
    ("d[1]/a.py::A::()::test_a", "d[1]/a.py::A::test_a"),
    ("a.py::A::test_a", "a.py::A::test_a"),
    ("tests.test_a.A.test_a", "tests.test_a.A.test_a"),
]


@pytest.mark.parametrize(("written", "plain"), IDS)
def test_instances_are_left_out(written: str, plain: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(backdate.testing.run.__file__).parent / "capture"))
    monkeypatch.delitem(sys.modules, "backdate_capture_events", raising=False)
    inside = importlib.import_module("backdate_capture_events")
    assert plain_id(written) == inside.plain_id(written) == plain
    assert inside.SelectedIds(only=[written]).wants(plain)
    assert not inside.SelectedIds(exclude=[written]).wants(plain)
