from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.recipes.repair.repair_context import RepairContext
from backdate.recipes.repair.setup_failure import Problem, read_failure
from backdate.recipes.repair.variables import variables_without_example


def test_what_is_only_set_gets_no_stand_in(tmp_path: Path) -> None:
    (tmp_path / "run_tests.py").write_text(
        'import os\nos.environ["CASE_MODE"] = "x"\nos.environ["DJANGO_SETTINGS_MODULE"]\n'
        'if os.environ["CASE_KEY"] == os.environ["CASE_NAME"]: pass\n'
    )
    failure = read_failure(
        phase="tests",
        status="completed",
        texts=[],
        problems=[Problem(type="KeyError", message="'CASE_KEY'")],
        python="3.8.18",
        instant=datetime(2021, 3, 1, tzinfo=UTC),
    )
    test = SuitePlan(runner="pytest", provenance=Provenance(rule="a test"))
    recipe = Recipe(install=(), test=test)
    no_index: Any = object()  # it is never asked
    context = RepairContext(failure=failure, recipe=recipe, files=Files(tmp_path), index_facts=no_index)
    (repair,) = variables_without_example(context)
    assert {one.name for one in repair.recipe.variables} == {"CASE_KEY", "CASE_NAME"}
