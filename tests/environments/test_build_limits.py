"""What builds may take and need besides what they declare, with real builds."""

import textwrap
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.checking.dated_project import Interpreters
from backdate.environments.build import Builder
from backdate.environments.cache import Cache, default_cache
from backdate.environments.environment import (
    BuildFailure,
    CutoffOverride,
    Environment,
    Interpreter,
    InterpreterChoice,
)
from backdate.environments.inputs import EnvironmentRequest, configuration, requirement_lines
from backdate.environments.lock import PROJECT as PLACE
from backdate.environments.restated_metadata import restated_metadata
from backdate.projects.python_constraint import read_python_constraint
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import InstallStep, Provenance
from backdate.sandboxes.choose import choose_sandbox

INSTANT = datetime(2022, 3, 1, tzinfo=UTC)
PROJECT = InstallStep(kind="project", file=".", provenance=Provenance(rule="a test"))


def _request(tree: Path, **more: object) -> EnvironmentRequest:
    choice = InterpreterChoice(
        wanted="3.8.18",
        reason="",
        interpreter=Interpreter(version="3.8.18", executable=Path("/p"), prefix=Path("/"), source="path"),
    )
    return EnvironmentRequest(
        name="p",
        tree=tree,
        digest=tree_digest(tree),
        steps=(PROJECT,),
        choice=choice,
        instant=INSTANT,
        **more,
    )


def _project(folder: Path, setup: str) -> Path:
    folder.mkdir()
    (folder / "setup.py").write_text(textwrap.dedent(setup))
    return folder


def test_a_build_that_needs_something_is_named(tmp_path: Path) -> None:
    tree = _project(tmp_path / "p", 'from setuptools import setup\nsetup(name="Pro_ject", version="1")\n')
    plain = _request(tree)
    assert requirement_lines(plain)[0] == PLACE
    assert configuration(plain) == restated_metadata()
    needy = replace(plain, build_requirements=(("pro-ject", "numpy"), ("other", 'x>1; python_version>"3"')))
    assert requirement_lines(needy)[0] == f"Pro_ject @ file://{PLACE}"
    assert configuration(needy).removesuffix(restated_metadata()) == (
        '[extra-build-dependencies]\n"other" = ["x>1; python_version>\\"3\\""]\n"pro-ject" = ["numpy"]\n\n'
    )
    assert needy.at != plain.at


def test_later_cuts_are_in_force_only_before_they_end(tmp_path: Path) -> None:
    tree = _project(tmp_path / "p", "")
    late = CutoffOverride(name="six", until=datetime(2022, 4, 1, tzinfo=UTC), reason="r")
    early = CutoffOverride(name="attrs", until=datetime(2022, 1, 1, tzinfo=UTC), reason="r")
    assert [one.name for one in _request(tree, extra_cutoff_overrides=(late, early)).cutoff_overrides] == [
        "atomicwrites",
        "six",
    ]


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize(
    ("setup", "more"),
    [
        (
            'from setuptools import setup\nsetup(name="p", version="1", py_modules=["m"], use_2to3=True)\n',
            {"build_constraints": ("setuptools<58",)},
        ),
        (
            'import simplejson, setuptools\nsetuptools.setup(name="p", version="1", py_modules=["m"])\n',
            {"build_requirements": (("p", "simplejson"),)},
        ),
    ],
    ids=["a limit", "a need"],
)
def test_a_build_that_fails_works_within_limits(tmp_path: Path, setup: str, more: dict[str, object]) -> None:
    tree = _project(tmp_path / "p", setup)
    (tree / "m.py").write_text("")
    (tree / "pyproject.toml").write_text(
        '[build-system]\nrequires = ["setuptools", "wheel"]\n'
        'build-backend = "setuptools.build_meta:__legacy__"\n'
    )
    cache = Cache(default_cache())
    choice = Interpreters(cache.folder).choose(read_python_constraint(tree), INSTANT, forced="3.8")
    builder = Builder(cache, choose_sandbox("bwrap"))
    request = replace(_request(tree), choice=choice)
    failed = builder.prepare(request)
    assert isinstance(failed, BuildFailure)
    built = builder.prepare(replace(request, **more))
    assert isinstance(built, Environment)
    assert "p" in {one.name for one in built.lock.distributions}
    assert built.installer == ""
