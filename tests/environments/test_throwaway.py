"""Environments of changed trees: from the locked files alone, in a folder of their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for, wheel

from backdate.environments.build import Builder
from backdate.environments.environment import BuildFailure, Environment
from backdate.environments.throwaway import ThrowawayBuilder, allowed_by, files_that_builds_take
from backdate.index.closed import AllowedFiles
from backdate.projects.tree import tree_digest

FILES = {"tool-1-py3-none-any.whl": wheel("tool"), "other-1-py3-none-any.whl": wheel("other")}


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[Builder]:
    with builder_in(tmp_path / "cache", FILES) as builder:
        yield builder


def needing(folder: Path, *tools: str, name: str = "thing") -> Path:
    """A project whose build requires ``tools``."""
    tree = project(folder, name=name)
    metadata = tree / "pyproject.toml"
    metadata.write_text(metadata.read_text().replace("requires = []", f"requires = {list(tools)}"))
    return tree


def files_in(folder: Path) -> dict[str, bytes]:
    """What lies below, but locks that are held and pages of the index."""
    return {
        path.relative_to(folder).as_posix(): b"link" if path.is_symlink() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if (path.is_symlink() or path.is_file())
        and path.relative_to(folder).parts[0] not in ("guards", "index", "logs")
    }


@pytest.mark.slow
def test_only_a_throwaway_folder_holds_what_a_changed_tree_makes(builder: Builder, tmp_path: Path) -> None:
    request = request_for(needing(tmp_path / "thing"), builder.cache)
    made = built(builder.prepare(request))
    before = files_in(builder.cache.folder)
    changed = replace(request, tree=needing(tmp_path / "thing-2"))
    (changed.tree / "new_module.py").write_text("x = 2\n")
    changed = replace(changed, digest=tree_digest(changed.tree))
    folder = tmp_path / "throwaway"
    folder.mkdir()
    with ThrowawayBuilder(builder, request, made, locked=(), folder=folder) as throwaway:
        environment = built(throwaway.prepare(changed))
        assert throwaway.prepare(changed) is environment
        assert built(throwaway.prepare(request)) is made
    assert environment.root.is_relative_to(folder)
    assert environment.lock == made.lock
    assert list(environment.root.glob("lib/python*/site-packages/thing.py"))
    assert list(environment.root.glob("lib/python*/site-packages/pip.py"))
    assert files_in(builder.cache.folder) == before


@pytest.mark.slow
def test_a_build_takes_what_is_locked_and_nothing_else(builder: Builder, tmp_path: Path) -> None:
    request = request_for(needing(tmp_path / "thing", "tool"), builder.cache)
    made = built(builder.prepare(request))
    taken = files_that_builds_take(builder, request, made, tmp_path / "recorded")
    assert not isinstance(taken, BuildFailure)
    assert {one.name for one in taken} == {"tool"}
    assert all(one.hashes for one in taken)

    def changed(*tools: str) -> Environment | BuildFailure:
        tree = needing(tmp_path / "-".join(("changed", *tools)), *tools)
        (tree / "new_module.py").write_text("")
        folder = tmp_path / "-".join(("throwaway", *tools))
        asked = replace(request, tree=tree, digest=tree_digest(tree))
        with ThrowawayBuilder(builder, request, made, locked=taken, folder=folder) as throwaway:
            return throwaway.prepare(asked)

    assert isinstance(changed("tool"), Environment)
    assert isinstance(changed("other"), BuildFailure)
    assert isinstance(changed("tool", "other"), BuildFailure)


def test_the_files_of_a_lock_are_what_is_allowed(builder: Builder, tmp_path: Path) -> None:
    made = built(builder.prepare(request_for(project(tmp_path / "thing"), builder.cache)))
    assert {(one.name, one.version) for one in allowed_by(made)} >= {("pip", "1")}
    assert all(isinstance(one, AllowedFiles) and one.name != "thing" for one in allowed_by(made))
