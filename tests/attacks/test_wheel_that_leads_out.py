"""A distribution of the index holds files that lead out of the environment that they are installed into."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hostile_projects import builder_in, project, request_for, wheel

from backdate.environments.environment import BuildFailure
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import InstallStep, Provenance


@pytest.mark.parametrize(
    "name",
    [
        "../../../../../../../planted.py",
        pytest.param("PLACE/planted.py", marks=pytest.mark.slow),
        pytest.param("bad-1.data/data/../../../../planted.py", marks=pytest.mark.slow),
        pytest.param("bad-1.data/scripts/../../../planted.py", marks=pytest.mark.slow),
    ],
)
def test_nothing_is_written_elsewhere(name: str, tmp_path: Path) -> None:
    tree = project(tmp_path / "thing")
    (tree / "requirements.txt").write_text("bad\n", encoding="utf-8")
    bad = wheel("bad", {name.replace("PLACE", str(tmp_path)): "PLANTED = 1\n"})
    with builder_in(tmp_path / "cache", {"bad-1-py3-none-any.whl": bad}) as builder:
        request = dataclasses.replace(
            request_for(tree, builder.cache),
            steps=(
                InstallStep(
                    kind="requirements", file="requirements.txt", provenance=Provenance(rule="a test")
                ),
            ),
            digest=tree_digest(tree),
        )
        built = builder.prepare(request)
        inside = [] if isinstance(built, BuildFailure) else [root.resolve() for root in built.roots]
    planted = [path for path in tmp_path.rglob("planted.py") if path.is_file()]
    leftover = tmp_path / "cache"
    for path in planted:
        assert any(path.resolve().is_relative_to(root) for root in inside) or path.is_relative_to(
            leftover / "uv"
        ), path
    if isinstance(built, BuildFailure):
        assert "bad" in built.message
