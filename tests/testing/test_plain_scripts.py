from __future__ import annotations

from pathlib import Path

import pytest

from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.testing.plain_scripts import is_plain, starts_one_suite

HEAD = "#!/bin/bash\nset -euo pipefail\n\n"


@pytest.mark.parametrize(
    ("commands", "plain"),
    [
        ("python -m pytest .\n", True),
        ("python3 -m unittest tests.a \\\n  tests.b\n", True),
        ("# all of them\npython -m pytest tests/a.py::test_b --cov=pkg\n", True),
        ("poetry run python -m pytest .\n", True),
        ("uv run python3 -m unittest a\n", True),
        ("poetry run pytest .\n", False),
        ("poetry -C a run python -m pytest\n", False),
        ("uv run --with b python -m pytest\n", False),
        ("pipenv run python -m pytest .\n", False),
        ("poetry run\n", False),
        ("pytest .\n", False),
        ("python -m pytest . | tee log\n", False),
        ("python -m pytest $(make)\n", False),
        ("python -m pytest `make`\n", False),
        ("python -m pytest; make\n", False),
        ("python -m pytest &\nmake\n", False),
        ("python -m pytest <(make)\n", False),
        ("make\npython -m pytest\n", False),
        ("python setup.py build\npython -m pytest\n", False),
        ("python -c 'import pkg'\n", False),
        ("python -mpytest\n", False),
        ("python -m\n", False),
        ("PATH=. python -m pytest\n", False),
        ("set -- a\npython -m pytest\n", False),
        ("python -m pytest tests/*\n", False),
        ("", False),
    ],
)
def test_which_scripts_start_one_suite_and_nothing_else(commands: str, plain: bool) -> None:
    assert starts_one_suite(HEAD + commands) is plain


def test_a_script_is_read_in_the_tree_alone(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "outside.sh").write_text("python -m pytest\n")
    (tmp_path / "tree/link.sh").symlink_to("../outside.sh")
    (tmp_path / "tree/run.sh").write_text("python -m pytest\n")

    def plan(*targets: str, **more: object) -> SuitePlan:
        return SuitePlan(runner="script", targets=targets, provenance=Provenance(rule="a test"), **more)

    assert is_plain(tmp_path / "tree", plan("run.sh"))
    for other in (
        plan("link.sh"),
        plan("gone.sh"),
        plan("run.sh", "run.sh"),
        plan("run.sh", arguments=("x",)),
    ):
        assert not is_plain(tmp_path / "tree", other)
