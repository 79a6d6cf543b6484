"""Ten real projects, each in two layers and in one folder: nothing that runs in them can tell which it is."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from backdate.checking.dated_project import DatedProject, Interpreters, choose, dated_project
from backdate.checking.recipe_run import request_for
from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.environments.environment import Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.steps import Steps
from backdate.errors import SandboxUnavailable
from backdate.projects.project import Project
from backdate.projects.sources.open import open_source
from backdate.recipes.extract import extract_recipes
from backdate.recipes.recipe import Recipe
from backdate.sandboxes.choose import choose_sandbox
from backdate.sandboxes.interface import Command, Limits, Mount, Sandbox, Workspace
from backdate.testing.several import run_plans
from backdate.timeline.instants import parse_instant

pytestmark = [pytest.mark.network, pytest.mark.slow]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A project, and what it is here for."""

    sdist: str
    day: str
    python: str | None = None
    derived: bool = True
    """Whether an edited tree needs no build."""
    followed: bool = True
    """Whether a tree with a new module needs none, either."""
    tested: bool = True
    """Whether its first recipe finds tests."""


CASES = {
    "attr: version": Case(sdist="click==8.1.3", day="2023-06-01"),
    "console script": Case(sdist="sqlparse==0.4.3", day="2023-01-01"),
    "pkg_resources namespace": Case(sdist="zc.lockfile==2.0", day="2021-06-01", tested=False),
    "Python 3.6": Case(sdist="repoze.lru==0.7", day="2019-01-01", python="3.6"),
    "namespace in both layers": Case(
        sdist="sphinxcontrib-httpdomain==1.8.1", day="2023-01-01", followed=False
    ),
    "compiled": Case(sdist="markupsafe==2.1.1", day="2022-06-01", derived=False, followed=False),
    "poetry": Case(sdist="tomlkit==0.11.6", day="2023-01-01"),
    "a script": Case(sdist="jmespath==1.0.1", day="2022-07-01"),
    "pbr": Case(sdist="munch==2.5.0", day="2020-06-01", derived=False, followed=False),
    "subpackages": Case(sdist="mistune==2.0.4", day="2022-09-01"),
}

PROBE = r"""
import importlib, json, os, subprocess, sys
root = sys.prefix
def short(path):
    return path.replace(root, "ROOT") if isinstance(path, str) else None
answer = {"path": [short(path) for path in sys.path[1:]], "prefix": sys.prefix == sys.argv[1]}
freeze = [sys.executable, "-m", "pip", "freeze", "--all", "--disable-pip-version-check"]
answer["freeze"] = subprocess.check_output(freeze).decode().splitlines()
try:
    from importlib import metadata
    answer["metadata"] = sorted(
        (one.metadata["Name"], one.version, sorted((e.group, e.name, e.value) for e in one.entry_points))
        for one in metadata.distributions()
    )
except ImportError:
    pass
try:
    import pkg_resources
    answer["working set"] = sorted(
        (one.project_name, one.version, short(one.location), sorted(map(str, one.get_entry_map().items())))
        for one in pkg_resources.working_set
    )
except ImportError:
    pass
site = [path for path in sys.path if path.endswith("site-packages")][0]
names = set()
for name in os.listdir(site):
    if name.endswith(".dist-info"):
        try:
            with open(os.path.join(site, name, "top_level.txt")) as file:
                names.update(file.read().split())
        except IOError:
            pass
    elif name.endswith(".py") or os.path.isdir(os.path.join(site, name)):
        names.add(name.partition(".")[0])
answer["modules"] = []
for name in sorted(name for name in names if name.isidentifier()):
    try:
        module = importlib.import_module(name)
        paths = sorted(map(short, getattr(module, "__path__", [])))
        answer["modules"].append((name, short(getattr(module, "__file__", None)), paths))
    except BaseException as error:
        answer["modules"].append((name, type(error).__name__, short(str(error))))
answer["programs"] = {}
for name in sorted(os.listdir(os.path.join(root, "bin"))):
    with open(os.path.join(root, "bin", name), "rb") as file:
        answer["programs"][name] = short(file.readline(300).decode("latin-1"))
answer["folders"] = sorted(os.listdir(root))
print("ANSWER" + json.dumps(answer, sort_keys=True))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where projects are built in both forms."""

    cache: Cache
    sandbox: Sandbox
    layered: Builder
    whole: Builder

    def probe(self, environment: Environment, request: EnvironmentRequest, folder: Path) -> dict[str, Any]:
        """What a program sees of an environment."""
        script, log = folder / "probe.py", folder / "log"
        script.write_text(PROBE, encoding="utf-8")
        self.sandbox.run(
            Command(
                argv=(str(environment.python), "-W", "ignore", "/probe.py", str(environment.root)),
                cwd="/tmp",
                env={"PATH": f"{environment.root}/bin:/usr/bin:/bin", "LANG": "C.UTF-8"},
                limits=Limits(wall_s=120.0),
            ),
            Workspace(
                mounts=(
                    Mount(source=script, target="/probe.py"),
                    *(Mount(source=one, target=str(one)) for one in environment.folders),
                )
            ),
            log=log,
        )
        text = log.read_text(encoding="utf-8")
        assert "ANSWER" in text, text
        answer: dict[str, Any] = json.loads(text.partition("ANSWER")[2])
        return answer

    def outcomes(
        self, environment: Environment, recipe: Recipe, request: EnvironmentRequest, folder: Path
    ) -> dict[str, str]:
        """What the suite says in an environment."""
        run = run_plans(
            self.sandbox,
            environment,
            request.tree,
            (recipe.test,),
            limits=Limits(wall_s=300.0),
            log_folder=folder,
            at=request.at,
        )
        return {result.id: result.outcome.value for result in run.results} | {"": run.status}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Place:
    try:
        sandbox = choose_sandbox("bwrap")
        sandbox.require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    cache = Cache(tmp_path_factory.mktemp("cache"))
    whole = Builder(cache, sandbox, layered=False)
    return Place(cache=cache, sandbox=sandbox, layered=Builder(cache, sandbox), whole=whole)


@pytest.fixture(params=CASES.values(), ids=CASES)
def case(request: pytest.FixtureRequest) -> Case:
    found: Case = request.param
    return found


@pytest.fixture
def project(case: Case, place: Place, tmp_path: Path) -> Project:
    workdir = tmp_path / "source"
    workdir.mkdir()
    return open_source(
        f"pypi:{case.sdist}", workdir=workdir, cache=place.cache.downloads, before=parse_instant(case.day)
    )


def requested(case: Case, place: Place, project: Project) -> tuple[EnvironmentRequest, Recipe, DatedProject]:
    ground = dated_project(project, parse_instant(case.day), python=case.python)
    candidates = extract_recipes(ground.tree).candidates
    assert candidates, "it has no tests"
    choice = choose(candidates[0], ground, Interpreters(place.cache.folder))
    return request_for(candidates[0], ground, choice), candidates[0], ground


def built(builder: Builder, request: EnvironmentRequest) -> Environment:
    environment = builder.prepare(request)
    assert isinstance(environment, Environment), environment.message
    return environment


def made_at(environment: Environment) -> int:
    """When a file of the environment was written that no edit changes: a derived layer has a copy of it."""
    return (environment.root / "pyvenv.cfg").stat().st_mtime_ns


OF_UV = ("uv_cache.json", "uv_build.json")
"""What uv notes of where a wheel came from: of a file, or of a build of its own."""


def files_of(root: Path) -> dict[str, str]:
    """Every file that is seen below ``site-packages`` and its content, whichever layer it lies in.

    Of compiled modules only the name counts: an sdist is compiled for each environment, and compilers write
    the folder that they work in into what they make.
    """
    (site,) = root.glob("lib/python*/site-packages")
    found = {}
    for path in _below(site):
        name = path.relative_to(site).as_posix()
        if path.suffix == ".so":
            found[name] = "a compiled module"
        elif path.suffix != ".pyc" and path.name not in (*OF_UV, "RECORD"):
            found[name] = hashlib.sha256(path.read_bytes()).hexdigest()
        elif path.name == "RECORD":
            text = path.read_text(encoding="utf-8")
            found[name] = "\n".join(
                row
                for row in sorted(text.splitlines())
                if not row.startswith("../") and not any(name in row for name in (*OF_UV, ".so,"))
            )
    return found


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_dir():
            yield from _below(path)
        else:
            yield path


def test_two_layers_behave_as_one(case: Case, place: Place, project: Project, tmp_path: Path) -> None:
    request, recipe, _ = requested(case, place, project)
    layered, whole = built(place.layered, request), built(place.whole, request)
    assert layered.dependencies is not None
    assert whole.dependencies is None
    assert replace(layered.lock) == whole.lock
    assert place.probe(layered, request, tmp_path) == place.probe(whole, request, tmp_path)
    assert files_of(layered.root) == files_of(whole.root)
    first = place.outcomes(layered, recipe, request, tmp_path / "layered")
    assert ("passed" in first.values()) is case.tested
    assert first == place.outcomes(whole, recipe, request, tmp_path / "whole")


def test_an_edited_tree_gets_what_a_build_of_it_would_give(
    case: Case, place: Place, project: Project, tmp_path: Path
) -> None:
    request, _, _ = requested(case, place, project)
    first = built(place.layered, request)
    assert first.dependencies is not None
    before = files_of(first.root)
    contents = set(before.values())
    modules = [
        path
        for path in sorted(project.root.rglob("*.py"))
        if path.stat().st_size and hashlib.sha256(path.read_bytes()).hexdigest() in contents
    ]
    module = max(modules, key=lambda path: path.stat().st_size)
    with module.open("a", encoding="utf-8") as file:
        file.write("\n# an edit\n")
    request, _, _ = requested(case, place, project)
    layered = built(place.layered, request)
    assert layered.root != first.root
    assert layered.dependencies == replace(first.dependencies, reused=True)
    assert (made_at(layered) == made_at(first)) is case.derived
    whole = built(place.whole, request)
    assert files_of(layered.root) == files_of(whole.root)
    assert files_of(layered.root) != before
    assert files_of(first.root) == before
    assert place.probe(layered, request, tmp_path) == place.probe(whole, request, tmp_path)


def test_a_tree_with_new_files_gets_what_a_build_of_it_would_give(
    case: Case, place: Place, project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request, _, _ = requested(case, place, project)
    first = built(place.layered, request)
    installed = files_of(first.root)
    packages = {
        path.parent: [module.name for module in path.parent.glob("*.py")]
        for path in sorted(project.root.rglob("*/__init__.py"))
    }
    package = max(
        (
            folder
            for folder, modules in packages.items()
            if all(any(name.endswith(f"{folder.name}/{module}") for name in installed) for module in modules)
        ),
        key=lambda folder: len(packages[folder]),
    )
    (package / "added_here.py").write_text("added = True\n", encoding="utf-8")
    request, _, _ = requested(case, place, project)
    whole = built(place.whole, request)
    with monkeypatch.context() as patch:
        if case.followed:
            patch.setattr(Steps, "resolve", None)
            patch.setattr(Steps, "install", None)
        layered = built(place.layered, request)
    assert layered.dependencies == replace(first.dependencies, reused=True)
    assert any(name.endswith("/added_here.py") for name in files_of(layered.root))
    assert files_of(layered.root) == files_of(whole.root)
    assert place.probe(layered, request, tmp_path) == place.probe(whole, request, tmp_path)
