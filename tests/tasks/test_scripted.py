"""Published set-up scripts and the system packages that they, or the logs of their failures, ask for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_setups import INSTANT, carried, choice, failure, ran, recipe

from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import request_for
from backdate.checking.resources import Resources
from backdate.checking.settings import Settings
from backdate.environments.environment import BuildFailure, Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.errors import SandboxUnavailable
from backdate.projects.python_constraint import PythonConstraint
from backdate.sandboxes.bases import BaseFailure
from backdate.sandboxes.interface import BaseSystem
from backdate.tasks import scripted as module
from backdate.tasks.notes import NoteKind, texts
from backdate.tasks.scripted import build_by_script, script_recipe
from backdate.tasks.task import ScriptSetup

LACKS = "OSError: mysql_config not found"
SCRIPTS = ScriptSetup(setup="setup_a__b.sh", test="test_a__b.sh")


class World:
    """Which packages a build needs; what was built where."""

    def __init__(self, *needs: str, day: int = INSTANT.day) -> None:
        self.needs = set(needs)
        self.day = day
        self.tried: list[tuple[str, ...] | None] = []
        self.refuses = False

    def base_with(self, packages: tuple[str, ...], resources: Resources) -> BaseSystem | BaseFailure:
        return BaseSystem(sandbox="bwrap", place="/base", key="k", packages=packages)

    def prepare(
        self, builder: object, request: EnvironmentRequest, script: str
    ) -> Environment | BuildFailure:
        there = None if request.base is None else request.base.packages
        if there is not None and self.refuses:
            raise SandboxUnavailable("/usr is part of this machine's system")
        self.tried.append(there)
        if request.instant.day < self.day or not self.needs <= set(there or ()):
            return failure(LACKS if self.needs else "no solution")
        environment = carried(recipe(), ran(passed=1)).environment
        assert environment is not None
        return replace(environment, base=request.base)


def build(
    world: World,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    *,
    setup: str = "pip install -r requirements.txt",
    apt: bool = True,
    later: bool = False,
) -> module.Scripted:
    (tmp_path / SCRIPTS.setup).write_text(f"#!/bin/bash\nset -euo pipefail\n{setup}\n")
    python_constraint = PythonConstraint(specifier=None, kind="none", rule="nothing")
    ground = DatedProject(
        name="b", tree=tmp_path, digest="0" * 64, instant=INSTANT, python_constraint=python_constraint
    )
    one = script_recipe(SCRIPTS, ground)
    assert one.test.targets == (SCRIPTS.test,)
    monkeypatch.setattr(module, "prepare_by_script", world.prepare)
    monkeypatch.setattr(module, "base_with", world.base_with)
    resources = Resources(Settings(apt=apt), builder=None, interpreters=None)  # type: ignore[arg-type]
    request = request_for(one, ground, choice())
    return build_by_script(resources, request, one, SCRIPTS.setup, or_a_day_later=later)


def test_what_a_log_misses_is_applied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World("default-libmysqlclient-dev")
    done = build(world, tmp_path, monkeypatch)
    assert isinstance(done.answer, Environment)
    assert world.tried == [None, ("default-libmysqlclient-dev", "pkg-config")]
    (note,) = done.notes
    assert note.kind is NoteKind.SYSTEM_PACKAGES
    assert note.text.startswith("from apt, as they are today: default-libmysqlclient-dev, pkg-config; ")
    assert "mysql_config" in note.text


def test_without_apt_it_is_only_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World("default-libmysqlclient-dev")
    done = build(
        world, tmp_path, monkeypatch, setup="apt-get install -y libfoo-dev\npip install .", apt=False
    )
    assert isinstance(done.answer, BuildFailure)
    assert world.tried == [None]
    assert {note.kind for note in done.notes} == {NoteKind.UNTRIED_PACKAGES}
    assert texts(done.notes) == (
        "not tried without --apt: mysql_config: Debian's default-libmysqlclient-dev, pkg-config",
        "not tried without --apt: the task asks for libfoo-dev",
    )


def test_what_a_script_names_is_there_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World("libfoo-dev")
    script = "sudo apt-get update\nsudo apt-get install -y libfoo-dev 'bad name'\npip install ."
    done = build(world, tmp_path, monkeypatch, setup=script)
    assert isinstance(done.answer, Environment)
    assert world.tried == [("libfoo-dev",)]
    assert "the set-up script asks for them" in done.notes[0].text


def test_what_helps_no_more_is_not_tried_for_ever(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World("something-else")
    done = build(world, tmp_path, monkeypatch)
    assert isinstance(done.answer, BuildFailure)
    assert len(world.tried) == 2
    assert done.notes == ()


def test_other_failures_need_no_base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World(day=INSTANT.day + 1)
    assert isinstance(build(world, tmp_path, monkeypatch).answer, BuildFailure)
    done = build(world, tmp_path, monkeypatch, later=True)
    assert isinstance(done.answer, Environment)
    assert world.tried == [None] * 3
    assert done.notes[0].kind is NoteKind.LATER_DAY
    assert "2021-03-01 itself is visible" in done.notes[0].text


def test_a_system_interpreter_is_one_tasks_trouble(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    world = World("default-libmysqlclient-dev")
    world.refuses = True
    done = build(world, tmp_path, monkeypatch)
    assert isinstance(done.answer, BuildFailure)
    assert "part of this machine's system" in done.answer.message
