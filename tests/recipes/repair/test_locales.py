"""Locales that tests set: which ones the repaired recipe wants."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.recipes.repair.locales import wanted_locales
from backdate.recipes.repair.repair_context import RepairContext
from backdate.recipes.repair.setup_failure import Problem, read_failure

REFUSED = "unsupported locale setting"
TEXT = (
    "locale.setlocale(locale.LC_ALL, 'de_DE.UTF-8')\nlocale.setlocale(locale.LC_TIME, \"fr_FR\")\nX = 'a_B'\n"
)


def wanted(root: Path, message: str, *locales: str, phase: str = "tests") -> tuple[str, ...] | None:
    (root / "test_dates.py").write_text(TEXT)
    failure = read_failure(
        phase=phase,  # type: ignore[arg-type]
        status="completed",
        texts=(),
        python="3.8.18",
        instant=datetime(2021, 3, 1, tzinfo=UTC),
        problems=[Problem(type="locale.Error", message=message, files=("test_dates.py", "gone.py"))],
    )
    plan = SuitePlan(runner="pytest", provenance=Provenance(rule="a test"))
    context = RepairContext(
        failure=failure,
        recipe=Recipe(install=(), test=plan, locales=locales),
        files=Files(root),
        index_facts=object(),  # type: ignore[arg-type]
    )
    repair = next(wanted_locales(context), None)
    return None if repair is None else repair.recipe.locales


def test_the_usual_one_and_those_that_the_files_name(tmp_path: Path) -> None:
    assert wanted(tmp_path, REFUSED) == ("de_DE", "en_US", "fr_FR")


@pytest.mark.parametrize(
    ("message", "locales", "phase"),
    [("another error", (), "tests"), (REFUSED, ("en_US",), "tests"), (REFUSED, (), "install")],
)
def test_nothing_else_is_repaired_so(
    tmp_path: Path, message: str, locales: tuple[str, ...], phase: str
) -> None:
    assert wanted(tmp_path, message, *locales, phase=phase) is None
