"""A budget that is used up ends the command and says so; what an answer takes too much is its own fault."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hostile_projects import builder_in, project, request_for

from backdate.environments.build import Builder
from backdate.environments.environment import BuildFailure
from backdate.errors import DiskFull
from backdate.projects.tree import copy_tree, tree_digest
from backdate.sandboxes.disk_budget import GIB, DiskBudget
from backdate.sandboxes.interface import MIB, Limits
from backdate.tasks import throwaway_trees
from backdate.tasks.task import Task
from backdate.tasks.throwaway_trees import AskedSide, BuiltSide, ThrowawayTrees

GREEDY = """
import time
for number in range(75):  # no file is as large as the limit, at which writing it would fail
    pathlib.Path(os.environ["HOME"], f"much-{number}").write_bytes(b"x" * (4 << 20))
time.sleep(300)
"""
TASK = cast(
    Task, SimpleNamespace(instance_id="one", proof=None, scripts=None, setup=None, has_reference=False)
)


class Trees:
    """Builds the trees of a task that has no data set."""

    settings: Any = None

    def __init__(self, given: Path, builder: Builder) -> None:
        self._given = given
        self.resources: Any = SimpleNamespace(builder=builder)

    def make_tree(self, task: Task, target: Path, stage: object = None) -> None:
        copy_tree(self._given, target)

    def request(self, task: Task, tree: Path, environment: object) -> AskedSide:
        request = replace(request_for(tree, self.resources.builder.cache), name="thing")
        unused = cast(Any, None)
        return AskedSide(recipe=unused, dated=unused, request=request, notes=())

    def side(self, task: Task, tree: Path, environment: object) -> BuiltSide:
        asked = self.request(task, tree, environment)
        return asked.built(self.resources.builder.prepare(asked.request), ())


@pytest.fixture
def trees(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Trees]:
    monkeypatch.setattr(throwaway_trees, "environment_of", lambda *_: SimpleNamespace(distributions=()))
    with builder_in(tmp_path / "cache") as builder:
        yield Trees(project(tmp_path / "thing"), builder)


SAYING = "raise SystemExit('error: No space left on device (os error 28)')"
PRETENDING = """
import signal
for number in [one for one in os.listdir("/proc") if one.isdigit() and int(one) != 1]:
    try:
        os.kill(int(number), signal.SIGXFSZ)  # as if a file had met its limit
    except OSError:
        pass
"""


def answer(folder: Path, build: str = GREEDY) -> Path:
    """The task's tree with a build that by default writes more than it may."""
    tree = project(folder, build)
    backend = tree / "own_backend.py"
    backend.write_text(backend.read_text().replace("NAME", "thing").replace(folder.name, "thing"))
    text = (tree / "pyproject.toml").read_text()
    (tree / "pyproject.toml").write_text(text.replace(f'"{folder.name}"', '"thing"'))
    assert tree_digest(tree)
    return tree


def built(
    trees: Trees, tmp_path: Path, *, budget_bytes: int, held_bytes: int = 0, build: str = GREEDY
) -> BuiltSide:
    folder = tmp_path / "throwaway"
    folder.mkdir()
    (folder / "of-another").write_bytes(b"x" * held_bytes)
    with ThrowawayTrees(folder, DiskBudget(folder=folder, limit_bytes=budget_bytes)) as throwaway:
        return throwaway.build(trees, TASK, answer(tmp_path / "greedy", build), "target")


@pytest.mark.slow
def test_an_answer_that_takes_too_much_does_not_end_the_command(trees: Trees, tmp_path: Path) -> None:
    builder = trees.resources.builder
    builder.steps = replace(builder.steps, limits=replace(builder.steps.limits, disk_bytes=64 * MIB))
    failure = built(trees, tmp_path, budget_bytes=GIB).answer
    assert isinstance(failure, BuildFailure)
    assert failure.phase == "disk"


@pytest.mark.slow
def test_an_answer_that_fills_its_share_of_a_budget_fails_alone(trees: Trees, tmp_path: Path) -> None:
    failure = built(trees, tmp_path, budget_bytes=192 * MIB, held_bytes=32 * MIB).answer
    assert isinstance(failure, BuildFailure)
    assert failure.phase == "disk"
    assert failure.limit_evidence == "measured"


@pytest.mark.slow
def test_a_budget_that_leaves_no_share_ends_the_command_before_the_build(
    trees: Trees, tmp_path: Path
) -> None:
    with pytest.raises(DiskFull, match="--disk-budget"):
        built(trees, tmp_path, budget_bytes=96 * MIB, held_bytes=64 * MIB, build=SAYING)


@pytest.mark.slow
@pytest.mark.parametrize("build", [SAYING, PRETENDING], ids=["in its log", "by a signal"])
def test_a_build_that_only_says_so_fails_alone(build: str, trees: Trees, tmp_path: Path) -> None:
    failure = built(trees, tmp_path, budget_bytes=192 * MIB, held_bytes=32 * MIB, build=build).answer
    assert isinstance(failure, BuildFailure)
    assert failure.phase == "disk"
    assert failure.limit_evidence == "told"


def test_answers_have_equal_shares_whatever_is_used(tmp_path: Path) -> None:
    (tmp_path / "of-another").write_bytes(b"x" * (32 * MIB))
    one, three = (DiskBudget(folder=tmp_path, limit_bytes=64 * MIB, answers_at_once=n) for n in (1, 3))
    assert one.share(Limits()).disk_bytes == 32 * MIB
    assert three.share(Limits()).disk_bytes == 16 * MIB
    assert three.share(Limits(disk_bytes=MIB)).disk_bytes == MIB


@pytest.mark.slow
def test_a_budget_that_is_used_up_ends_the_command(trees: Trees, tmp_path: Path) -> None:
    with pytest.raises(DiskFull, match=r"takes 0\.\d GiB, and the disk budget is 0\.0 GiB"):
        built(trees, tmp_path, budget_bytes=16 * MIB, held_bytes=64 * MIB)
