"""The lock of one tree of a project for another one whose build says the same of itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from hostile_projects import INSTANT, builder_in, built, project, request_for, sdist, wheel

from backdate.environments import build
from backdate.environments.build import Builder
from backdate.environments.environment import Environment
from backdate.environments.stated_metadata import StatedMetadata, installed_metadata, read_stated
from backdate.recipes.recipe import InstallStep, Provenance
from backdate.timeline.instants import Instant

FILES = {
    "library-1-py3-none-any.whl": wheel("library", metadata="Requires-Dist: base\n"),
    "library-2-py3-none-any.whl": wheel("library", version="2"),
    "base-1-py3-none-any.whl": wheel("base"),
    "library-2.tar.gz": b"beside the wheel, and never opened",
}
"""A resolver takes the second library unless something keeps it."""
HEAD = b"Metadata-Version: 2.1\nName: thing\nVersion: 1\n"


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[Builder]:
    with builder_in(tmp_path / "cache", FILES) as made:
        yield made


@pytest.fixture
def resolutions(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The trees that were resolved, in order."""
    seen: list[Path] = []
    resolve = build.Steps.resolve

    def noted(steps: build.Steps, request: build.EnvironmentRequest, *rest: object) -> object:
        seen.append(request.tree)
        return resolve(steps, request, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(build.Steps, "resolve", noted)
    return seen


def tree(folder: Path, *, module: str = "x = 1", requires: str = "library", resolving: str = "pass") -> Path:
    """A project whose requirements only its build tells, with ``module`` in it."""
    made = project(folder, resolving=resolving)
    backend = made / "own_backend.py"
    text = backend.read_text().replace("Version: 1\\n", f"Version: 1\\nRequires-Dist: {requires}\\n")
    backend.write_text(text.replace('"x = 1\\n"', repr(f"{module}\n")))
    return made


def prepared(builder: Builder, tree: Path, *steps: InstallStep, at: Instant = INSTANT) -> Environment:
    request = replace(request_for(tree, builder.cache), name="thing", instant=at)
    return built(builder.prepare(replace(request, steps=(*request.steps, *steps))))


def locked(environment: Environment) -> list[str]:
    return [f"{one.name} {one.version}" for one in environment.lock.distributions if one.source is None]


def test_a_second_tree_takes_the_lock_of_the_first(
    builder: Builder, resolutions: list[Path], tmp_path: Path
) -> None:
    first = prepared(builder, tree(tmp_path / "first"))
    second = prepared(builder, tree(tmp_path / "second", module="x = 2"))
    assert resolutions == [tmp_path / "first"]
    assert locked(second) == locked(first)
    assert "library 2" in locked(second)
    assert second.dependencies is not None
    assert second.dependencies.reused
    (module,) = second.root.glob("lib/python*/site-packages/thing.py")
    assert module.read_text() == "x = 2\n"
    assert prepared(builder, tmp_path / "second").reused


@pytest.mark.slow
def test_what_is_built_of_sdists_is_known_to_the_step_that_confirms(
    resolutions: list[Path], tmp_path: Path
) -> None:
    old = sdist(project(tmp_path / "old", name="old", requires=("library<2",), resolving="pass"))
    with builder_in(tmp_path / "cache", {**FILES, "old-1.tar.gz": old}) as builder:
        first = prepared(builder, tree(tmp_path / "first", requires="old"))
        second = prepared(builder, tree(tmp_path / "second", requires="old", module="x = 2"))
    assert resolutions == [tmp_path / "first"]
    assert locked(second) == locked(first)
    assert "old 1" in locked(second)


@pytest.mark.slow
def test_an_environment_that_was_there_already_lends_its_lock_at_another_instant(
    builder: Builder, resolutions: list[Path], tmp_path: Path
) -> None:
    first, second = tree(tmp_path / "first"), tree(tmp_path / "second", module="x = 2")
    prepared(builder, first)
    later = INSTANT + timedelta(days=1)
    assert prepared(builder, first, at=later).reused
    prepared(builder, second, at=later)
    assert resolutions == [first, first]


@pytest.mark.slow
@pytest.mark.parametrize("changed", ["metadata", "pyproject.toml", "requirement file"])
def test_a_tree_that_may_resolve_otherwise_is_resolved(
    builder: Builder, resolutions: list[Path], tmp_path: Path, changed: str
) -> None:
    steps = [InstallStep(kind="requirements", file="needed.in", provenance=Provenance(rule="a test"))]
    first, second = tmp_path / "first", tmp_path / "second"
    tree(first)
    tree(second, requires="library<2" if changed == "metadata" else "library")
    for one in (first, second):
        (one / "needed.in").write_text("base\n")
    if changed == "requirement file":
        (second / "needed.in").write_text("base\nlibrary<2\n")
    if changed == "pyproject.toml":
        with (second / "pyproject.toml").open("a") as file:
            file.write('[tool.uv]\nconstraint-dependencies = ["library<2"]\n')
    prepared(builder, first, *steps)
    made = prepared(builder, second, *steps)
    assert resolutions == [first, second]
    assert changed == "pyproject.toml" or "library 1" in locked(made)


@pytest.mark.slow
def test_a_tree_that_does_not_build_any_more_is_resolved_to_tell_why(
    builder: Builder, resolutions: list[Path], tmp_path: Path
) -> None:
    prepared(builder, tree(tmp_path / "first"))
    broken = tree(tmp_path / "broken")
    backend = broken / "own_backend.py"
    backend.write_text(backend.read_text().replace("    attack()\n", "    raise SystemExit('broken')\n"))
    answer = builder.prepare(replace(request_for(broken, builder.cache), name="thing"))
    assert not isinstance(answer, Environment)
    assert resolutions == [tmp_path / "first", broken]


@pytest.mark.slow
def test_a_lock_that_the_metadata_do_not_resolve_to_is_nobody_elses(
    builder: Builder, resolutions: list[Path], tmp_path: Path
) -> None:
    """What the resolver was told, by code of the first tree, is not what its wheel says."""
    trees = [tmp_path / name for name in ("first", "second", "third")]
    backend = tree(trees[0]) / "own_backend.py"
    told = '"METADATA").write_text(METADATA'
    backend.write_text(backend.read_text().replace(told, f'{told}.replace("library", "library<2")', 1))
    assert "library 1" in locked(prepared(builder, trees[0]))
    for one in trees[1:]:
        assert "library 2" in locked(prepared(builder, tree(one, module=f"x = {one.name!r}")))
    assert resolutions == trees[:2]


@pytest.mark.parametrize(
    "text",
    [
        HEAD + b"Requires-Dist: six @ https://example.org/six-1.0-py3-none-any.whl\n",
        HEAD + b"Requires-Dist: six; import os\n",
        HEAD + b"Name: other\n",
        HEAD.replace(b"Version: 1", b"Version: one"),
        b"",
    ],
)
def test_metadata_that_are_not_sound_are_not_read(text: bytes) -> None:
    assert read_stated(text) is None


def test_descriptions_do_not_count() -> None:
    described = read_stated(HEAD + b"Summary: a thing\n\nLong words.\n")
    assert described == read_stated(HEAD) == StatedMetadata(name="thing", version="1")


def test_metadata_of_one_distribution_are_read_without_following_links(tmp_path: Path) -> None:
    installed = tmp_path / "lib" / "python3.11" / "site-packages"
    information = installed / "Thing-1.dist-info"
    information.mkdir(parents=True)
    (tmp_path / "elsewhere").write_bytes(HEAD)
    (information / "METADATA").symlink_to(tmp_path / "elsewhere")
    assert installed_metadata(tmp_path, "3.11.9", "thing") is None
    (information / "METADATA").unlink()
    (information / "METADATA").write_bytes(HEAD)
    assert installed_metadata(tmp_path, "3.11.9", "thing") == StatedMetadata(name="thing", version="1")
    assert installed_metadata(tmp_path, "3.11.9", "other") is None
    (installed / "thing-2.dist-info").mkdir()
    assert installed_metadata(tmp_path, "3.11.9", "thing") is None
