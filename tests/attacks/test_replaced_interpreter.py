"""A build replaces the interpreter of its environment by a program, and waits for the host to start it."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for
from patience import PATIENCE_S

from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.sandboxes.interface import MIB, Limits
from backdate.testing.integrity import Witnessing
from backdate.testing.run import run_suite

PLANT = """
program = "#!/bin/sh\\necho started >> PLANTED\\nexit 0\\n"
for one in environments():
    for name in ("python", "python3", "pip", "uv", "git", "pytest", "sh", "env"):
        path = one / "bin" / name
        path.unlink(missing_ok=True)
        path.write_text(program)
        path.chmod(0o755)
    (one / "planted").write_text("")
"""


@pytest.mark.slow
def test_only_sandboxes_start_it(tmp_path: Path) -> None:
    planted = tmp_path / "started"
    planted.write_text("", encoding="utf-8")
    planted.chmod(0o666)
    tree = project(tmp_path / "thing", PLANT.replace("PLANTED", str(planted)))
    (tree / "test_it.py").write_text("def test_it(): assert 0\n", encoding="utf-8")
    with builder_in(tmp_path / "cache") as builder:
        environment = built(builder.prepare(request_for(tree, builder.cache)))
        assert any((root / "planted").exists() for root in environment.roots), "the attack reached nothing"
        run = run_suite(
            builder.sandbox,
            environment,
            tree,
            SuitePlan(runner="pytest", provenance=Provenance(rule="a test")),
            limits=Limits(wall_s=PATIENCE_S, memory_bytes=512 * MIB),
            log_folder=tmp_path / "logs",
        )
    assert planted.read_text(encoding="utf-8") == ""
    assert run.results == ()
    assert run.status != "completed"
    assert run.integrity.state is not Witnessing.WITNESSED
