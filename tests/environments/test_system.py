"""Environments whose distributions need Debian packages."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from small_debian import bases

from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.environments.environment import BuildFailure, Environment, Interpreter, InterpreterChoice
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.system import apt_packages, base_for
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import InstallStep, Provenance, Recipe, SuitePlan, SystemPackages
from backdate.sandboxes.bases import Bases
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import BaseSystem, Limits, Sandbox
from backdate.testing.run import run_suite
from backdate.timeline.instants import parse_instant

RULE = Provenance(rule="written in a test")
HEADERS = ("libldap2-dev", "libsasl2-dev")


def request_for(tree: Path, base: BaseSystem | None) -> EnvironmentRequest:
    """python-ldap, which is compiled against headers that no image and no small Debian has."""
    version = ".".join(map(str, sys.version_info[:3]))
    prefix = Path(sys.base_prefix).resolve()
    interpreter = Interpreter(
        version=version, executable=Path(sys.executable).resolve(), prefix=prefix, source="path"
    )
    return EnvironmentRequest(
        name="packages",
        tree=tree,
        digest=tree_digest(tree),
        steps=(InstallStep(kind="packages", packages=("python-ldap==3.4.4",), provenance=RULE),),
        choice=InterpreterChoice(wanted=version, reason="the tests' own", interpreter=interpreter),
        instant=parse_instant("2024-06-01"),
        base=base,
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "test_it.py").write_text(
        "import unittest\n\nclass T(unittest.TestCase):\n    def test_it(self):\n        import ldap\n"
    )
    return folder


def build_without_and_with(
    sandbox: Sandbox, made: Bases, without: BaseSystem | None, tree: Path, cache: Path, index_url: str
) -> Environment:
    builder = Builder(Cache(cache), sandbox, index_url=index_url)
    failed = builder.build_at(request_for(tree, without), cache / "kept")  # by uv alone, which is enough
    assert isinstance(failed, BuildFailure)
    assert "lber.h" in failed.message or "ldap.h" in failed.message
    base = made.prepare(HEADERS)
    assert isinstance(base, BaseSystem)
    built = builder.prepare(request_for(tree, base))
    assert isinstance(built, Environment), built.message
    assert built.base == base
    again = builder.prepare(request_for(tree, base))
    assert isinstance(again, Environment)
    assert (again.reused, again.base) == (True, base)
    still = builder.build_at(request_for(tree, without), cache / "kept")
    assert isinstance(still, BuildFailure), "what was built with the headers must not reach those without"
    return built


def outcomes(sandbox: Sandbox, environment: Environment, tree: Path, logs: Path) -> list[str]:
    plan = SuitePlan(runner="unittest", targets=("test_it",), provenance=RULE)
    run = run_suite(sandbox, environment, tree, plan, limits=Limits(wall_s=120), log_folder=logs)
    return [str(one.outcome) for one in run.results]


own_interpreter = pytest.mark.skipif(
    Path(sys.base_prefix).resolve() == Path("/usr"), reason="the interpreter of the tests is the system's"
)


@pytest.mark.network
@pytest.mark.debian
@own_interpreter
def test_a_distribution_that_needs_headers_builds_with_them(
    debian: BaseSystem, tree: Path, tmp_path: Path, index_url: str
) -> None:
    sandbox = Bubblewrap()
    built = build_without_and_with(sandbox, bases(), debian, tree, tmp_path / "cache", index_url)
    assert outcomes(sandbox, built, tree, tmp_path / "logs") == ["passed"]


@pytest.mark.network
@pytest.mark.docker
@own_interpreter
def test_a_distribution_that_needs_headers_builds_with_them_in_a_container(
    docker_sandbox: Sandbox, tree: Path, tmp_path: Path, index_url: str
) -> None:
    made = Bases(sandbox=docker_sandbox, folder=tmp_path / "systems")
    built = build_without_and_with(docker_sandbox, made, None, tree, tmp_path / "cache", index_url)
    assert outcomes(docker_sandbox, built, tree, tmp_path / "logs") == ["passed"]


def test_the_packages_of_a_recipe() -> None:
    recipe = Recipe(
        install=(),
        test=SuitePlan(runner="pytest", provenance=RULE),
        system=(
            SystemPackages(manager="apt", packages=("libxml2-dev", "$PACKAGES", "g++"), provenance=RULE),
            SystemPackages(manager="conda", packages=("openblas",), provenance=RULE),
            SystemPackages(manager="apt", packages=("g++", "./x.deb"), provenance=RULE),
        ),
    )
    assert apt_packages(recipe) == (("g++", "libxml2-dev"), ("$PACKAGES", "./x.deb"))


def test_no_packages_no_base(tmp_path: Path) -> None:
    assert base_for(Cache(tmp_path), Bubblewrap(), ()) is None
