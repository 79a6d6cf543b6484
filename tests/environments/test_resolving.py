"""Resolving a project that states its metadata: nothing of it runs, and its edits resolve nothing again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for, wheel

from backdate.environments import build
from backdate.environments.build import Builder
from backdate.environments.environment import BuildFailure, Environment
from backdate.environments.steps import Resolution, Steps

FILES = {
    "library-1-py3-none-any.whl": wheel("library", metadata="Requires-Dist: base\n"),
    "library-2-py3-none-any.whl": wheel("library", version="2"),
    "base-1-py3-none-any.whl": wheel("base"),
}


@pytest.fixture
def builder(tmp_path: Path) -> Iterator[Builder]:
    with builder_in(tmp_path / "cache", FILES) as made:
        yield made


@pytest.fixture
def steps_run(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Of each step that was run "resolve" where foreign code could run beside it, else "step"."""
    seen: list[str] = []
    run, resolve = build.Steps.run, build.Steps.resolve

    def noted(steps: Steps, *arguments: object, **more: object) -> object:
        seen.append("step")
        return run(steps, *arguments, **more)  # type: ignore[arg-type]

    def resolved(steps: Steps, *arguments: object) -> object:
        seen.append("resolve")
        return resolve(steps, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(build.Steps, "run", noted)
    monkeypatch.setattr(build.Steps, "resolve", resolved)
    return seen


def prepared(builder: Builder, tree: Path) -> Environment:
    return built(builder.prepare(replace(request_for(tree, builder.cache), name="thing")))


def locked(environment: Environment | Resolution) -> list[str]:
    return [f"{one.name} {one.version or one.source}" for one in environment.lock.distributions]


def test_a_stated_project_resolves_in_one_step(
    builder: Builder, steps_run: list[str], tmp_path: Path
) -> None:
    tree = project(tmp_path / "tree", name="thing", requires=("library<2",))
    made = builder.resolve(replace(request_for(tree, builder.cache), name="thing"))
    assert isinstance(made, Resolution)
    assert steps_run == ["step"]
    assert made.checked
    assert [one for one in locked(made) if not one.startswith(("pip", "setuptools"))] == [
        "base 1",
        "library 1",
        "thing .",
    ]
    environment = prepared(builder, tree)
    assert environment.unconfirmed is None
    assert list(environment.root.glob("lib/python*/site-packages/thing.py"))
    assert "resolve" not in steps_run


def test_an_edit_of_what_builds_read_resolves_nothing_again(
    builder: Builder, steps_run: list[str], tmp_path: Path
) -> None:
    first = prepared(builder, project(tmp_path / "first", name="thing", requires=("library",)))
    tree = project(tmp_path / "second", name="thing", requires=("library",))
    backend = tree / "own_backend.py"
    backend.write_text(backend.read_text().replace("x = 1", "x = 2"))
    steps_run.clear()
    second = prepared(builder, tree)
    assert steps_run == ["step"], "one build"
    assert locked(second) == locked(first)
    (module,) = second.root.glob("lib/python*/site-packages/thing.py")
    assert module.read_text() == "x = 2\n"


@pytest.mark.parametrize("settings", ["[tool.uv.sources]\nbase = { path = 'base' }\n", "[tool.poetry]\n"])
def test_where_a_tool_may_say_more_the_project_is_asked(
    builder: Builder, steps_run: list[str], tmp_path: Path, settings: str
) -> None:
    tree = project(tmp_path / "tree", name="thing", requires=("library",))
    with (tree / "pyproject.toml").open("a") as file:
        file.write(settings)
    assert "library 2" in locked(prepared(builder, tree))
    assert "resolve" in steps_run


def test_what_cannot_be_resolved_says_so_in_the_words_of_the_resolver(
    builder: Builder, tmp_path: Path
) -> None:
    tree = project(tmp_path / "tree", name="thing", requires=("library>2",))
    failed = builder.prepare(replace(request_for(tree, builder.cache), name="thing"))
    assert isinstance(failed, BuildFailure)
    assert failed.phase == "resolve"
    assert "library>2" in failed.message
    assert failed.certain
    assert not failed.tried_pip


@pytest.mark.slow
def test_a_pip_that_does_not_resolve_is_asked_for_what_nothing_fits(builder: Builder, tmp_path: Path) -> None:
    tree = project(tmp_path / "tree", name="thing", requires=("library==1", "base==2"))
    request = replace(request_for(tree, builder.cache), name="thing")
    old = builder.prepare(replace(request, instant=datetime(2020, 6, 1, tzinfo=UTC)))
    assert isinstance(old, BuildFailure)
    assert not old.certain
