"""The wheel and the sdist: they hold what the source tree holds, and a wheel made of the sdist works."""

from __future__ import annotations

import subprocess
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from ruamel.yaml import YAML

from backdate.environments.uv import find_uv
from backdate.version import __version__

ROOT = Path(__file__).parent.parent.parent


def built(test: Callable[[Path], None]) -> Callable[[Path], None]:
    """Marks a test of distributions that have to be built."""
    return pytest.mark.network(pytest.mark.slow(test))


def uv(*words: str, cwd: Path) -> str:
    done = subprocess.run([find_uv(), *words], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("distributions")
    uv("build", "--quiet", "--out-dir", str(folder), str(ROOT), cwd=folder)
    return folder


def tracked(under: str) -> set[str]:
    listed = subprocess.run(["git", "ls-files", under], cwd=ROOT, capture_output=True, text=True, check=True)
    return set(listed.stdout.split())


@built
def test_the_wheel_holds_the_whole_package(distributions: Path) -> None:
    wheel = distributions / f"backdate-{__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        held = {f"src/{name}" for name in archive.namelist() if name.startswith("backdate/")}
    assert held == tracked("src/backdate")


@built
def test_the_sdist_holds_what_is_needed_to_work_on_it(distributions: Path) -> None:
    name = f"backdate-{__version__}"
    with tarfile.open(distributions / f"{name}.tar.gz") as archive:
        held = set(archive.getnames())
    assert {f"{name}/{file}" for file in ("dev", "uv.lock", "docs/conf.py", "tests/conftest.py")} <= held


@built
def test_it_runs_from_the_wheel_without_being_installed(distributions: Path) -> None:
    wheel = distributions / f"backdate-{__version__}-py3-none-any.whl"
    said = uv("tool", "run", "--from", str(wheel), "backdate", "--version", cwd=distributions)
    assert said.strip() == f"backdate {__version__}"
    helped = uv("tool", "run", "--from", str(wheel), "backdate", "rules", "list", "numpy", cwd=distributions)
    assert "numpy" in helped


def test_the_citation_names_the_version() -> None:
    assert YAML(typ="safe").load((ROOT / "CITATION.cff").read_text())["version"] == __version__


def test_the_issue_forms_are_forms() -> None:
    forms = [
        file for file in (ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml") if file.name != "config.yml"
    ]
    assert len(forms) == 3
    for file in forms:
        form = YAML(typ="safe").load(file.read_text())
        assert {"name", "description", "body"} <= form.keys()
        assert all(part["type"] in ("input", "textarea", "dropdown", "markdown") for part in form["body"])
