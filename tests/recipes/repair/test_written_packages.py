"""Tests that write beside the modules of the project: the tree's folder goes before what is installed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.recipes.repair.repair_context import RepairContext
from backdate.recipes.repair.setup_failure import Problem, read_failure
from backdate.recipes.repair.written_packages import written_packages

REFUSED = "[Errno 30] Read-only file system: '/e/lib/python3.10/site-packages/{}/test/data/Copy.ufo'"


def path_after(root: Path, message: str, *, phase: str = "tests", cwd: str = ".") -> str | None:
    """The path of the repaired recipe, whose tests run in ``cwd``."""
    package = root / "Lib" / "fonts"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    failure = read_failure(
        phase=phase,  # type: ignore[arg-type]
        status="completed",
        texts=(),
        python="3.10.1",
        instant=datetime(2022, 3, 1, tzinfo=UTC),
        problems=[Problem(type="OSError", message=message, count=40)],
    )
    plan = SuitePlan(
        runner="pytest", cwd=cwd, environment=(("PYTHONPATH", "more"),), provenance=Provenance(rule="a test")
    )
    context = RepairContext(
        failure=failure,
        recipe=Recipe(install=(), test=plan),
        files=Files(root),
        index_facts=object(),  # type: ignore[arg-type]
    )
    repair = next(written_packages(context), None)
    return None if repair is None else dict(repair.recipe.test.environment)["PYTHONPATH"]


@pytest.mark.parametrize(("cwd", "path"), [(".", "Lib:more"), ("Lib", ".:more"), ("tests", "../Lib:more")])
def test_the_folder_of_the_package_comes_first(tmp_path: Path, cwd: str, path: str) -> None:
    assert path_after(tmp_path, REFUSED.format("fonts"), cwd=cwd) == path


@pytest.mark.parametrize(
    ("message", "phase"),
    [
        (REFUSED.format("numpy"), "tests"),
        ("[Errno 30] Read-only file system: '/usr/share/fonts/x'", "tests"),
        ("[Errno 2] No such file or directory: '/e/site-packages/fonts/x'", "tests"),
        (REFUSED.format("fonts"), "install"),
    ],
)
def test_nothing_else_is_repaired_so(tmp_path: Path, message: str, phase: str) -> None:
    assert path_after(tmp_path, message, phase=phase) is None
