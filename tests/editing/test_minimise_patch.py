"""Patches are made small by leaving out hunks."""

from __future__ import annotations

import pytest

from backdate.editing.diff import diff_files
from backdate.editing.minimise_patch import minimise_patch
from backdate.editing.patch import read_patch


def _lines(changed: dict[int, str]) -> bytes:
    return "".join(f"{changed.get(number, number)}\n" for number in range(60)).encode()


@pytest.mark.parametrize("needed", [{5}, {5, 55}, {30}, {5, 30, 55}])
def test_only_hunks_that_are_needed_are_kept(needed: set[int]) -> None:
    texts = {5: "five", 30: "thirty", 55: "more"}
    patch = diff_files({"a": _lines({})}, {"a": _lines(texts)})
    asked: list[str] = []

    def solves(smaller: str) -> bool:
        asked.append(smaller)
        return all(f"+{texts[number]}\n" in smaller for number in needed)

    small = minimise_patch(read_patch(patch), solves)
    assert (small.kept, small.removed, small.complete) == (len(needed), 3 - len(needed), True)
    assert solves(small.patch)
    assert len(asked) - 1 == small.runs
    assert len(set(asked[:-1])) == small.runs


def test_runs_are_bounded() -> None:
    texts = dict.fromkeys(range(0, 60, 8), "x")
    patch = diff_files({"a": _lines({})}, {"a": _lines(texts)})
    small = minimise_patch(read_patch(patch), lambda _patch: False, most_runs=3)
    assert (small.runs, small.complete, small.removed) == (3, False, 0)
