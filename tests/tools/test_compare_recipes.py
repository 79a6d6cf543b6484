import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from backdate.recipes.recipe import InstallStep, Provenance, SuitePlan

ROOT = Path(__file__).parents[2]
DATASET = ROOT.parent / "shared" / "data" / "timemachine-bench" / "verified-dev.jsonl"
WHERE = Provenance(rule="test")


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    specification = importlib.util.spec_from_file_location(
        "compare_recipes", ROOT / "tools" / "compare_recipes.py"
    )
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules["compare_recipes"] = module  # dataclasses look their module up
    specification.loader.exec_module(module)
    return module


def files(*names: str) -> tuple[InstallStep, ...]:
    return tuple(InstallStep(kind="requirements", file=name, provenance=WHERE) for name in names)


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        (("a", "b"), ("b", "a"), "same"),
        (("a", "b"), ("a",), "more"),
        (("a",), ("a", "b"), "less"),
        (("a",), ("b",), "other"),
    ],
)
def test_install(tool: ModuleType, ours: tuple[str, ...], theirs: tuple[str, ...], verdict: str) -> None:
    assert tool.compare_install(files(*ours), files(*theirs)) == verdict


@pytest.mark.parametrize(
    ("ours", "theirs", "verdict"),
    [
        (("pytest", ()), ("pytest", (".",)), "same"),
        (("pytest", ("tests",)), ("pytest", (".",)), "same"),
        (("pytest", ("tests/a.py",)), ("pytest", (".",)), "less"),
        (("pytest", ()), ("unittest", ("tests.a",)), "covers"),
        (("unittest", ("tests.a",)), ("pytest", (".",)), "other"),
        (("unittest", ("a", "b")), ("unittest", ("a",)), "covers"),
    ],
)
def test_tests(
    tool: ModuleType, ours: tuple[str, tuple[str, ...]], theirs: tuple[str, tuple[str, ...]], verdict: str
) -> None:
    plans = [
        SuitePlan(runner=runner, targets=targets, provenance=WHERE) for runner, targets in (ours, theirs)
    ]
    assert tool.compare_tests(*plans) == verdict


def test_a_row_end_to_end(tool: ModuleType, tmp_path: Path) -> None:
    work = tmp_path / "o+n" / "repo"
    work.mkdir(parents=True)
    (work / "requirements.txt").write_text("a\n")
    (work / "test_a.py").write_text("import pytest\ndef test_a(): pass\n")
    who = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@a",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@a",
    }
    for command in (("init", "-q"), ("add", "."), ("commit", "-qm", "one")):
        subprocess.run(["git", *command], cwd=work, check=True, env={**os.environ, **who})
    git = tool.git_directory(tmp_path, "o/n")
    assert git == work / ".git"
    tree = tmp_path / "tree"
    assert tool.export_tree(git, "HEAD", tree)
    assert not tool.export_tree(git, "0" * 40, tree)
    patch = "".join(
        f"--- {name}_o__n.sh\n+++ {name}_o__n.sh\n@@ -0,0 +1 @@\n+{command}\n"
        for name, command in (("setup", "pip install -r requirements.txt"), ("test", "python -m pytest ."))
    )
    row = tool.compare_row("o/n", tree, patch)
    assert (row.install, row.tests, row.best) == ("same", "same", "1")
    assert "The first candidate agrees in both: 1" in tool.table([row])


@pytest.mark.shared
def test_published_scripts(tool: ModuleType) -> None:
    """Where the repositories are there too: BACKDATE_REPOSITORIES names the folder that holds them."""
    repositories = os.environ.get("BACKDATE_REPOSITORIES")
    if not DATASET.exists() or repositories is None:
        pytest.skip(f"needs {DATASET} and the repositories in BACKDATE_REPOSITORIES")
    rows = list(tool.compare_all(DATASET, Path(repositories)))
    assert len(rows) >= 15
    agreeing = sum(row.best != "-" for row in rows)
    assert agreeing >= 0.8 * len(rows), tool.table(rows)
