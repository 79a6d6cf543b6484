"""What the stages of a change need is built beside each other, before the first of them runs."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from issue_project import BASE, issue_task
from small_runner import write_files

from backdate.construction.issue.patched_runner import PatchedBaseRunner
from backdate.construction.job_context import JobContext
from backdate.errors import InterpreterMissing, SandboxUnavailable

FILE, TESTS = "shop/prices.py", "tests/test_prices.py"
CODE = {FILE: BASE[FILE].replace("sum(prices)", "_rounded(sum(prices))")}
TASK = issue_task(CODE, {TESTS: BASE[TESTS] + "\n\ndef test_rounded():\n    assert total([0.004]) == 0\n"})


class Builder:
    """In place of a task runner that builds: each build ends when all of them have begun."""

    def __init__(self, builds: int, error: Exception | None = None) -> None:
        self.trees: list[tuple[bool, bool]] = []
        self._all_here = threading.Barrier(builds, timeout=60)
        self._error = error

    def build(self, _task: object, tree: Path, environment: str) -> None:
        assert environment == "target"
        changed = "_rounded(sum" in (tree / FILE).read_text()
        self.trees.append(("test_rounded" in (tree / TESTS).read_text(), changed))
        self._all_here.wait()
        if self._error is not None:
            raise self._error


def ahead(folder: Path, builder: Any, base: dict[str, str] = BASE) -> JobContext:
    write_files(folder / "base", base)
    nothing: Any = None
    context = JobContext(
        plan=nothing, config=nothing, store=nothing, scratch=folder, uses=nothing, resources=nothing
    )
    PatchedBaseRunner(context=context, local=builder, base=folder / "base").build_ahead(TASK)
    return context


def test_both_stages_are_built_at_a_time(tmp_path: Path) -> None:
    builder = Builder(2)
    context = ahead(tmp_path, builder)
    assert sorted(builder.trees) == [(True, False), (True, True)]
    assert set(context.seconds) == {"build", "build cpu"}


def test_a_stage_tells_itself_why_it_cannot_be_built(tmp_path: Path) -> None:
    ahead(tmp_path, Builder(2, InterpreterMissing("no Python 3.6")))
    other = Builder(1)
    ahead(tmp_path / "other", other, {**BASE, FILE: "def total(prices):\n    return 0\n"})
    assert other.trees == [(True, False)], "the patch of the code does not apply"


def test_what_the_machine_lacks_ends_the_job(tmp_path: Path) -> None:
    with pytest.raises(SandboxUnavailable):
        ahead(tmp_path, Builder(2, SandboxUnavailable("no bubblewrap")))
