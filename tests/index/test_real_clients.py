"""Real clients install from the real index through ours."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest
from slow_tests import others_slow

from backdate.index.addresses import PUBLIC_INDEX
from backdate.index.cache import DiskCache
from backdate.index.client_environment import client_environment, write_client_files
from backdate.index.server import SnapshotServer
from backdate.index.upstream import IndexClient

pytestmark = pytest.mark.network

DAY = datetime(2021, 3, 1, tzinfo=UTC)
AS_OF_DAY = {
    "certifi": "2020.12.5",
    "chardet": "4.0.0",
    "idna": "2.10",
    "requests": "2.25.1",
    "urllib3": "1.26.3",
}
PIPS = {
    "2.7": ("9.0.3", "20.3.4"),
    "3.6": ("18.1", "21.3.1"),
    "3.8": ("10.0.1", "24.3.1"),
    "3.10": ("22.3.1",),
    "3.12": ("23.3.2",),
    "3.13": ("26.0.1",),
}
"""A sample; the whole matrix is tools/install_matrix.py."""
ALL_PIPS = tuple((python, pip) for python, pips in PIPS.items() for pip in pips)
CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SnapshotServer]:
    try:
        httpx.get(f"{PUBLIC_INDEX}six/", timeout=10).raise_for_status()
    except httpx.HTTPError as error:
        pytest.skip(f"the package index cannot be reached: {error}")
    with (
        IndexClient(cache=DiskCache(tmp_path_factory.mktemp("cache"))) as client,
        SnapshotServer(client) as server,
    ):
        yield server


@pytest.fixture(scope="module")
def uv() -> str:
    from uv import find_uv_bin

    return find_uv_bin()


@pytest.fixture
def environment(server: SnapshotServer, tmp_path: Path) -> dict[str, str]:
    url, home = server.url(DAY), tmp_path / "home"
    write_client_files(url, DAY, home)
    certificates = {name: os.environ[name] for name in CERTIFICATES if name in os.environ}
    folders = {"PATH": f"{home / 'bin'}:/usr/bin:/bin", "XDG_CACHE_HOME": str(tmp_path / "client-cache")}
    return {**folders, **certificates, **client_environment(url, home)}


def run(command: Sequence[str | Path], environment: Mapping[str, str], cwd: Path | None = None) -> str:
    """What the command prints; it has to succeed."""
    done = subprocess.run(
        [str(part) for part in command],
        env=dict(environment),
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def interpreter(version: str) -> Path:
    """A CPython of that version on PATH or where pyenv keeps them, or a skip."""
    found = shutil.which(f"python{version}", path=os.environ.get("PATH", ""))
    if found and subprocess.run([found, "--version"], capture_output=True, check=False).returncode == 0:
        return Path(found)
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    for candidate in sorted(root.glob(f"versions/{version}.*/bin/python")):
        return candidate
    pytest.skip(f"no CPython {version} on this machine")


def installed(folder: Path) -> dict[str, str]:
    """Names and versions of what lies in a target folder or a site-packages."""
    infos = [path.name.removesuffix(".dist-info") for path in folder.glob("*.dist-info")]
    return {
        name.replace("_", "-").lower(): version
        for name, _, version in (info.partition("-") for info in infos)
    }


@pytest.mark.slow
@pytest.mark.parametrize(("python", "pip"), others_slow(ALL_PIPS, kept={("3.12", "23.3.2")}))
def test_pip(python: str, pip: str, environment: dict[str, str], tmp_path: Path) -> None:
    executable = interpreter(python)
    wheels = tmp_path / "pip"
    without_ours = {**os.environ, "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
    fetch = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir"]
    fetch += ["--ignore-requires-python", "--only-binary=:all:", "--dest", str(wheels), f"pip=={pip}"]
    run(fetch, without_ours)
    (wheel,) = wheels.iterdir()
    target = tmp_path / "target"
    install = ["install", "--quiet", "--no-cache-dir", "--target", target, "requests"]
    run([executable, wheel / "pip", *install], environment)
    assert installed(target) == AS_OF_DAY


def test_uv(environment: dict[str, str], tmp_path: Path, uv: str) -> None:
    target = tmp_path / "target"
    run(
        [uv, "pip", "install", "--quiet", "--target", target, "--python", sys.executable, "requests"],
        environment,
    )
    assert installed(target) == AS_OF_DAY


@pytest.fixture(scope="module")
def tools(server: SnapshotServer, uv: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Poetry and PDM, both as of one day of theirs."""
    root = tmp_path_factory.mktemp("tools")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_"))}
    environment |= {"UV_DEFAULT_INDEX": server.url(datetime(2024, 11, 1, tzinfo=UTC)), "UV_NO_CONFIG": "1"}
    run([uv, "venv", "--quiet", "--python", sys.executable, root / "venv"], environment)
    run([uv, "pip", "install", "--quiet", "--python", root / "venv", "poetry", "pdm"], environment)
    return root / "venv" / "bin"


PROJECT = (
    '[project]\nname = "demo"\nversion = "1"\nrequires-python = ">=3.8,<4"\ndependencies = ["requests"]\n'
)
POETRY_PROJECT = (
    '[tool.poetry]\nname = "demo"\nversion = "1"\ndescription = ""\nauthors = ["a <a@example.org>"]\n'
    'packages = [{include = "demo.py"}]\n[tool.poetry.dependencies]\npython = ">=3.8,<4"\nrequests = "*"\n'
)


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["poetry", "pdm"])
def test_poetry_and_pdm(tool: str, tools: Path, environment: dict[str, str], tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "pyproject.toml").write_text(POETRY_PROJECT if tool == "poetry" else PROJECT)
    (project / "demo.py").touch()
    environment["PATH"] = environment["PATH"].replace(":/usr/bin", f":{tools}:/usr/bin")
    environment |= {"POETRY_VIRTUALENVS_IN_PROJECT": "true", "PDM_USE_VENV": "1", "LANG": "C.UTF-8"}
    if tool == "pdm":
        run([sys.executable, "-m", "venv", "--without-pip", ".venv"], environment, cwd=project)
        run(["pdm", "use", "-f", ".venv"], environment, cwd=project)
    options = ["--no-root"] if tool == "poetry" else ["--no-self"]
    run([tool, "lock"], environment, cwd=project)
    run([tool, "install", *options], environment, cwd=project)
    lock = (project / f"{tool}.lock").read_text()
    assert "127.0.0.1" not in lock, "the lock is the project's own, not this server's"
    (site,) = project.glob(".venv/lib/python*/site-packages")
    found = installed(site)
    assert {name: found.get(name) for name in AS_OF_DAY} == AS_OF_DAY


def test_old_setuptools_fetches_as_of_the_day(environment: dict[str, str], tmp_path: Path, uv: str) -> None:
    python = interpreter("3.8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_"))}
    run([uv, "venv", "--quiet", "--no-config", "--python", python, tmp_path / "venv"], clean)
    install = [
        uv,
        "pip",
        "install",
        "--quiet",
        "--no-config",
        "--python",
        tmp_path / "venv",
        "setuptools==40.0",
    ]
    run(install, clean)
    setup = (
        "from setuptools import setup\nsetup(name='x', version='1', setup_requires=['six'], py_modules=[])\n"
    )
    (tmp_path / "setup.py").write_text(setup)
    run([tmp_path / "venv" / "bin" / "python", "setup.py", "egg_info"], environment, cwd=tmp_path)
    assert [path.name for path in (tmp_path / ".eggs").glob("*.egg")] == ["six-1.15.0-py3.8.egg"]


@pytest.mark.slow
def test_demjson_builds_at_its_time_only(tmp_path: Path, uv: str) -> None:
    """Its setup.py says use_2to3, which setuptools dropped in release 58."""
    python = interpreter("3.8")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_"))}
    clean |= {name: os.environ[name] for name in CERTIFICATES if name in os.environ}
    clean["PIP_CONFIG_FILE"] = os.devnull
    run([uv, "venv", "--quiet", "--no-config", "--python", python, tmp_path / "venv"], clean)
    run([uv, "pip", "install", "--quiet", "--no-config", "--python", tmp_path / "venv", "pip"], clean)
    venv_python = str(tmp_path / "venv" / "bin" / "python")
    install = [venv_python, "-m", "pip", "install", "--quiet", "--no-cache-dir", "demjson==2.2.4"]
    without = subprocess.run(install, env=clean, capture_output=True, text=True, check=False)
    assert without.returncode != 0
    assert "use_2to3" in without.stdout + without.stderr
    program = "import typer; from backdate.cli.run import run_command; typer.run(run_command)"
    at = [sys.executable, "-c", program, "--at", "2020-06-01", "--cache", str(tmp_path / "cache"), "--"]
    run([*at, *install], os.environ)
    assert run([venv_python, "-c", "import demjson; print(demjson.__version__)"], clean).strip() == "2.2.4"
