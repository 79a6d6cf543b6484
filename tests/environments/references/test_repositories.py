"""Repositories and archives that requirements name are fetched as of the instant, and built from."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from git_server import GitServer, git, git_server
from hostile_projects import INSTANT, builder_in, built, project, request_for, wheel

from backdate.environments.build import Builder
from backdate.environments.environment import BuildFailure, Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.recipes.recipe import InstallStep, Provenance

RULE = Provenance(rule="a test")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    folder = tmp_path / "served"
    folder.mkdir()
    with git_server(folder) as server:
        yield server


@pytest.fixture
def builder(tmp_path: Path, server: GitServer) -> Iterator[Builder]:
    with builder_in(tmp_path / "cache", reference_policy=server.policy) as builder:
        yield builder


def dependency(folder: Path, value: int, *, name: str = "dep", requires: str = "") -> Path:
    """A project whose module says ``value``."""
    if not folder.exists():
        project(folder, name=name)
    backend = folder / "own_backend.py"
    text = backend.read_text()
    start = text.index('"x = ')
    text = text[:start] + f'"x = {value}\\n"' + text[text.index(",", start) :]
    if requires:
        text = text.replace("Version: 1\\n", f"Version: 1\\nRequires-Dist: {requires}\\n")
        metadata = folder / "pyproject.toml"
        metadata.write_text(
            metadata.read_text().replace("dependencies = []", f'dependencies = ["{requires}"]')
        )
    backend.write_text(text)
    return folder


def asking_for(builder: Builder, folder: Path, *lines: str) -> EnvironmentRequest:
    tree = project(folder)
    (tree / "requirements.txt").write_text("".join(f"{line}\n" for line in lines))
    request = request_for(tree, builder.cache)
    step = InstallStep(kind="requirements", file="requirements.txt", provenance=RULE)
    return replace(request, steps=(step, *request.steps))


def value_of(environment: Environment, name: str = "dep") -> str:
    (module,) = environment.root.glob(f"lib/python*/site-packages/{name}.py")
    return module.read_text().strip()


@pytest.mark.slow
def test_a_branch_ends_at_the_instant(builder: Builder, server: GitServer, tmp_path: Path) -> None:
    tree = tmp_path / "dep"
    before = server.commit("dep.git", dependency(tree, 1), "2024-02-01")
    server.commit("dep.git", dependency(tree, 2), "2024-06-01")
    address = f"{server.origin}/dep.git"
    environment = built(builder.prepare(asking_for(builder, tmp_path / "p", f"dep @ git+{address}")))
    assert value_of(environment) == "x = 1"
    (locked,) = (one for one in environment.lock.distributions if one.name == "dep")
    assert locked.source == f"git+{address}@{before}"
    asked = len(server.asked)
    other = asking_for(builder, tmp_path / "q", f"dep @ git+{address}@main", "--no-binary=none")
    again = built(builder.prepare(replace(other, instant=INSTANT.replace(year=2025))))
    assert value_of(again) == "x = 2"
    assert len(server.asked) == asked, "all of the history was fetched once"


@pytest.mark.slow
def test_tags_and_commits_are_as_they_are(builder: Builder, server: GitServer, tmp_path: Path) -> None:
    tree = tmp_path / "dep"
    server.commit("dep.git", dependency(tree, 1), "2024-02-01")
    commit = server.commit("dep.git", dependency(tree, 2), "2024-06-01", tag="v2")
    address = f"{server.origin}/dep.git"
    for number, revision in enumerate(("v2", commit, commit[:9])):
        request = asking_for(builder, tmp_path / str(number), f"-e git+{address}@{revision}#egg=dep")
        assert value_of(built(builder.prepare(request))) == "x = 2"


@pytest.mark.slow
def test_what_a_repository_requires_is_fetched_too(
    builder: Builder, server: GitServer, tmp_path: Path
) -> None:
    server.commit("low.git", dependency(tmp_path / "low", 7, name="low"), "2024-01-01")
    requires = f"low @ git+{server.origin}/low.git@main"
    tree = dependency(tmp_path / "dep", 1, requires=requires)
    part = tmp_path / "part"
    part.mkdir()
    (part / "there").write_text("x")
    server.commit("part.git", part, "2024-01-01")
    git(tree, "init", "--quiet", "--initial-branch=main")
    git(tree, "submodule", "--quiet", "add", str(server.folder / "part.git"), "part")
    modules = tree / ".gitmodules"
    modules.write_text(modules.read_text().replace(str(server.folder / "part.git"), "../part.git"))
    backend = tree / "own_backend.py"
    backend.write_text(
        backend.read_text().replace("def attack():\n", "def attack():\n    open('part/there').close()\n")
    )
    server.commit("dep.git", tree, "2024-02-01")
    environment = built(builder.prepare(asking_for(builder, tmp_path / "p", f"git+{server.origin}/dep.git")))
    assert value_of(environment, "low") == "x = 7"


@pytest.mark.slow
def test_an_archive_is_installed_and_locked_by_its_address(
    builder: Builder, server: GitServer, tmp_path: Path
) -> None:
    (server.folder / "dep-1-py3-none-any.whl").write_bytes(wheel("dep"))
    address = f"{server.origin}/dep-1-py3-none-any.whl"
    environment = built(builder.prepare(asking_for(builder, tmp_path / "p", address)))
    (locked,) = (one for one in environment.lock.distributions if one.name == "dep")
    assert locked.source == address
    assert locked.hashes
    metadata = dependency(tmp_path / "needing", 1, name="needing", requires=f"dep @ {address}")
    assert value_of(built(builder.prepare(request_for(metadata, builder.cache)))) == "x = 1"
    assert server.asked == ["/dep-1-py3-none-any.whl"]


def test_what_is_not_there_is_named(builder: Builder, server: GitServer, tmp_path: Path) -> None:
    server.commit("dep.git", dependency(tmp_path / "dep", 1), "2024-06-01")
    address = f"{server.origin}/dep.git"
    answer = builder.resolve(asking_for(builder, tmp_path / "p", f"git+{address}"))
    assert isinstance(answer, BuildFailure)
    assert f"{address} has no default branch with a commit at or before 2024-03-01" in answer.message
    answer = builder.resolve(asking_for(builder, tmp_path / "q", f"git+{server.origin}/none.git"))
    assert isinstance(answer, BuildFailure)
    assert "none.git could not be fetched" in answer.message
