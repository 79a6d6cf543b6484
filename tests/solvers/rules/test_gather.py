"""Evidence gathered from both sides of a small project: real runs in two environments."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest
from two_releases import TwoReleases, with_library

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import RenameAttribute
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.gather import evidence_of, gather_evidence, with_edits
from backdate.solvers.rules.old_side import OldSide
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.choose import choose_sources
from backdate.tasks.runner import TaskRunResult

OLD = """\
import warnings
class Frame:
    def append(self, x):
        warnings.warn("append is deprecated, use `join` instead", DeprecationWarning, stacklevel=2)
        return x
    def join(self, x):
        return x
def product(x): return x
def prod(x): return x
def load(x, missing=None, load_default=None): return x
def steady(x): return x
"""
NEW = """\
class Frame:
    def join(self, x):
        return x
def prod(x): return x
def load(x, load_default=None): return x
def steady(x): return x
def __getattr__(name):
    if name == "product":
        raise AttributeError("`lib.product` was removed in the lib 2.0 release. Use `lib.prod` instead.")
    raise AttributeError(name)
"""
PROJECT = """\
import lib
from lib import product


def total(x):
    return lib.product(
        x
    )


def never(x):
    return lib.product(x) + product(x)


def grown(frame, x):
    return frame.append(x)


def loaded(x):
    lib.steady(x)
    return lib.load(x, missing=1)
"""
TESTS = """\
import unittest
import lib
import project
class T(unittest.TestCase):
    def test_total(self):
        self.assertEqual(project.total(2), 2)
    def test_grown(self):
        self.assertEqual(project.grown(lib.Frame(), 3), 3)
    def test_loaded(self):
        self.assertEqual(project.loaded(3), 3)
"""


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory, one_sandbox: Sandbox) -> TwoReleases:
    root = tmp_path_factory.mktemp("two-releases")
    environments = {
        "origin": with_library(root / "old", "lib", "1.0", {"lib.py": OLD}),
        "target": with_library(root / "new", "lib", "2.0", {"lib.py": NEW}),
    }
    return TwoReleases({"project.py": PROJECT, "test_project.py": TESTS}, environments, one_sandbox)


@pytest.fixture(scope="module")
def evidence(runner: TwoReleases, tmp_path_factory: pytest.TempPathFactory) -> FixEvidence:
    folder = tmp_path_factory.mktemp("evidence")
    tree = folder / "tree"
    runner.make_tree(None, tree)
    assignment = SimpleNamespace(task=None, task_runner=runner, scratch=folder)
    return gather_evidence(assignment, tree, (), log_folder=folder / "log")  # type: ignore[arg-type]


def test_lines_that_run_are_whole_statements_of_what_ran(evidence: FixEvidence) -> None:
    assert evidence.executed is not None
    ran = evidence.executed["project.py"]
    assert {1, 2, 5, 6, 7, 8, 16, 20, 21} <= ran
    assert 12 not in ran


def test_what_moved_and_whose_modules_are_used(evidence: FixEvidence) -> None:
    assert evidence.versions == {"lib": ("1.0", "2.0")}
    assert evidence.modules["lib"] == "lib"
    assert evidence.modules["unittest"] == "python"


def test_a_build_under_another_name_is_the_library_that_moved(tmp_path: Path, one_sandbox: Sandbox) -> None:
    module = {"tensorflow/__init__.py": ""}
    old = with_library(tmp_path / "old", "tensorflow_cpu", "1.15.0", module)
    new = with_library(tmp_path / "new", "tensorflow", "2.0.0", module)
    texts = {"p.py": "import tensorflow as tf\ntf.Session()\n"}
    side = OldSide(environment=old, result=TaskRunResult(solved=True, run=None, reason=""), executed={})
    (tmp_path / "tree").mkdir()
    gathered = evidence_of(tmp_path / "tree", texts, side, new, one_sandbox)
    assert gathered.versions == {"tensorflow": ("1.15.0", "2.0.0")}
    assert gathered.modules == {"tensorflow": "tensorflow"}
    assert gathered.arrivals == ()


def test_the_projects_own_modules_are_of_no_distribution(tmp_path: Path, one_sandbox: Sandbox) -> None:
    before = with_library(tmp_path / "old", "lib", "1.0", {"lib.py": OLD})
    after = with_library(tmp_path / "new", "lib", "2.0", {"lib.py": NEW})
    texts = {"lib/__init__.py": NEW, "tests/test_lib.py": "import lib\nlib.product(1)\n"}
    result = TaskRunResult(solved=True, run=None, reason="")
    old = OldSide(environment=before, result=result, executed={"tests/test_lib.py": frozenset({1, 2})})
    evidence = evidence_of(tmp_path, texts, old, after, one_sandbox)
    assert (dict(evidence.modules), evidence.foreseen) == ({}, ())
    elsewhere = {file.replace("lib/__init__", "docs/lib"): text for file, text in texts.items()}
    assert evidence_of(tmp_path, elsewhere, old, after, one_sandbox).modules == {"lib": "lib"}


def test_warnings_name_the_line_that_is_to_blame(evidence: FixEvidence) -> None:
    (given,) = evidence.warnings
    assert given.message == "append is deprecated, use `join` instead"
    assert given.places == (SourcePlace(file="project.py", line=16),)


def test_what_the_next_runs_would_find_is_foreseen(evidence: FixEvidence) -> None:
    found = {(group.cause.kind, group.cause.owner, group.cause.name) for group in evidence.foreseen}
    assert found == {
        (CauseKind.MISSING_ATTRIBUTE, "lib", "product"),
        (CauseKind.MISSING_ATTRIBUTE, "lib.Frame", "append"),
        (CauseKind.UNEXPECTED_ARGUMENT, "lib.load", "missing"),
    }
    product = next(group for group in evidence.foreseen if group.cause.name == "product")
    assert [place.line for place in product.places] == [2, 6]
    assert product.cause.hint == "Use `lib.prod` instead."


def proposals(group: FailureGroup, evidence: FixEvidence, sources: str = "") -> list[Proposal]:
    return [one for source in choose_sources(sources) for one in source.propose(group, evidence)]


def group_of(evidence: FixEvidence, name: str) -> FailureGroup:
    return next(group for group in evidence.foreseen if group.cause.name == name)


def test_a_hint_becomes_a_rewrite_of_every_executed_use(evidence: FixEvidence) -> None:
    (one,) = proposals(group_of(evidence, "product"), evidence, "message")
    assert (one.rewrite.old, one.rewrite.new) == ("lib.product", "lib.prod")  # type: ignore[union-attr]
    assert [place.line for place in one.places] == [2, 6]
    assert one.why[0].text.endswith("Use `lib.prod` instead.")


def test_a_warning_becomes_a_rewrite_where_the_class_is_known(evidence: FixEvidence) -> None:
    (one,) = proposals(group_of(evidence, "append"), evidence, "warning")
    assert one.rewrite == RenameAttribute(old="append", new="join", owner="Frame")
    assert [place.line for place in one.places] == [16]
    assert one.why[0].text == "DeprecationWarning: append is deprecated, use `join` instead"


def test_evidence_follows_edits(evidence: FixEvidence) -> None:
    changed = PROJECT.replace("def total", "import os\n\n\ndef total").replace("frame.append", "frame.join")
    (evidence.tree / "project.py").write_text(changed)
    after = with_edits(evidence, {"project.py": (PROJECT, changed)})
    (evidence.tree / "project.py").write_text(PROJECT)
    assert {group.cause.name for group in after.foreseen} == {"product", "missing"}
    places = group_of(after, "product").places
    assert [(place.file, place.line) for place in places] == [("project.py", 2), ("project.py", 9)]


def test_without_an_old_side_the_project_alone_is_known(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import lib\nlib.f()\n")
    assignment = SimpleNamespace(task=None, task_runner=object(), scratch=tmp_path)
    found = gather_evidence(assignment, tmp_path, (), log_folder=tmp_path / "log")  # type: ignore[arg-type]
    assert "lib.f" in found.uses.names
    assert (found.executed, found.pair, found.foreseen) == (None, None, ())


def test_an_unknown_group_has_no_proposals(evidence: FixEvidence) -> None:
    cause = Cause(kind=CauseKind.UNKNOWN, type="", message="")
    assert proposals(FailureGroup(cause=cause, tests=("t",), places=()), evidence) == []
