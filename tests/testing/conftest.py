"""Interpreters, environments and sandboxes for running real suites."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from patience import PATIENCE_S
from ready_environments import environment_of, environment_with_pytest

from backdate.environments.environment import Environment
from backdate.errors import SandboxUnavailable
from backdate.recipes.recipe import Provenance, SuitePlan
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.sandboxes.unsafe_local import UnsafeLocal
from backdate.testing.outcomes import SuiteRun
from backdate.testing.run import run_suite


def find_interpreter(version: str) -> Path | None:
    """The newest CPython of ``version`` ("3.8") in pyenv's folder or on PATH."""
    root = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    pattern = re.compile(re.escape(version) + r"\.(\d+)")
    found = [
        (int(match.group(1)), folder / "bin" / "python")
        for folder in root.glob(f"versions/{version}.*")
        if (match := pattern.fullmatch(folder.name)) and (folder / "bin" / "python").exists()
    ]
    if found:
        return max(found)[1]
    on_path = shutil.which(f"python{version}")
    return Path(on_path) if on_path and "shims" not in on_path else None


@pytest.fixture(scope="session")
def bare_pytest() -> Environment:
    """One with the pytest that these tests run in: it is a recent one, and no network is needed."""
    return environment_with_pytest()


@pytest.fixture(scope="session")
def plain_environment() -> Callable[[str], Environment]:
    """The bare interpreter of a version, which stands for an environment with nothing in it."""

    def get(version: str) -> Environment:
        executable = find_interpreter(version)
        if executable is None:
            pytest.skip(f"no CPython {version} on this machine")
        environment = environment_of(executable.parent.parent, executable)
        if not (environment.root / "bin" / "python").exists():
            pytest.skip(f"CPython {version} at {executable} has no bin/python beside it")
        return environment

    return get


Build = Callable[..., Environment]


@pytest.fixture(scope="session")
def build_environment(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """Makes, once for each set of arguments, an environment of requirements as of an instant."""
    made: dict[tuple[object, ...], Environment] = {}

    def build(version: str, *requirements: str, instant: str | None = None) -> Environment:
        key = (version, requirements, instant)
        if key not in made:
            made[key] = _build(tmp_path_factory.mktemp("environment"), version, requirements, instant)
        return made[key]

    return build


def _build(folder: Path, version: str, requirements: tuple[str, ...], instant: str | None) -> Environment:
    executable = find_interpreter(version)
    if executable is None:
        pytest.skip(f"no CPython {version} on this machine")
    uv = shutil.which("uv") or str(Path(sys.executable).parent / "uv")
    root = folder / "venv"
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_"))}
    if "UV_INDEX_URL" in os.environ or "UV_DEFAULT_INDEX" in os.environ:
        clean |= {
            name: os.environ[name] for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX") if name in os.environ
        }
    cut = [] if instant is None else ["--exclude-newer", instant]
    # every file of atomicwrites was uploaded again in July 2022
    exempt = [] if instant is None else ["--exclude-newer-package", "atomicwrites=2022-07-09T00:00:00Z"]
    options = ["--no-config", "--quiet", "--python"]
    for command in (
        [uv, "venv", *options, str(executable), str(root)],
        [uv, "pip", "install", *options, str(root / "bin/python"), *cut, *exempt, *requirements],
    ):
        done = subprocess.run(command, capture_output=True, text=True, env=clean, timeout=300, check=False)
        if done.returncode:
            message = f"{' '.join(command[:3])} failed: {done.stderr.strip()[-600:]}"
            if re.search(r"dns error|error sending request|Connection refused|timed out", done.stderr):
                pytest.skip(f"the package index cannot be reached: {message}")
            pytest.fail(message)
    return environment_of(root, root / "bin" / "python")


@pytest.fixture(scope="session", params=["unsafe-local", "bwrap"])
def sandbox(request: pytest.FixtureRequest) -> Sandbox:
    """Every sandbox there is, one after the other."""
    return get_sandbox(request.param)


@pytest.fixture(scope="session")
def one_sandbox() -> Sandbox:
    """The real sandbox where there is one, else the unsafe one."""
    bubblewrap = Bubblewrap()
    try:
        bubblewrap.require()
    except SandboxUnavailable:
        return UnsafeLocal()
    return bubblewrap


def get_sandbox(name: str) -> Sandbox:
    if name == "unsafe-local":
        return UnsafeLocal()
    bubblewrap = Bubblewrap()
    try:
        bubblewrap.require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    return bubblewrap


MakePlan = Callable[..., SuitePlan]


@pytest.fixture(scope="session")
def plan() -> MakePlan:
    """Makes a plan of a test's own making."""

    def make(runner: str, *arguments: str, targets: tuple[str, ...] = (), **environment: str) -> SuitePlan:
        return SuitePlan(
            runner=runner,  # type: ignore[arg-type]
            targets=targets,
            arguments=arguments,
            environment=tuple(environment.items()),
            provenance=Provenance(rule="a test"),
        )

    return make


Run = Callable[..., SuiteRun]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Writes files into a tree and runs a suite there; the memory is modest."""

    def run(
        sandbox: Sandbox,
        environment: Environment,
        files: Mapping[str, str],
        plan: SuitePlan,
        *,
        wall_s: float = PATIENCE_S,
        **options: object,
    ) -> SuiteRun:
        tree = tmp_path / "tree"
        tree.mkdir(exist_ok=True)
        for name, text in files.items():
            path = tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        log_folder = tmp_path / "logs"
        limits = Limits(wall_s=wall_s, memory_bytes=1024 * 1024 * 1024)
        return run_suite(
            sandbox,
            environment,
            tree,
            plan,
            limits=limits,
            log_folder=log_folder,
            **options,  # type: ignore[arg-type]
        )

    return run
