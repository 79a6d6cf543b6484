from __future__ import annotations

import configparser
import os
import subprocess
import sys
from pathlib import Path

from backdate.index.client_environment import (
    client_environment,
    client_files,
    folders_of,
    pointed_at,
    shadow_home,
    write_client_files,
)
from backdate.timeline.instants import parse_instant

OLD = parse_instant("2019-01-01")
URL = "http://127.0.0.1:4321/snapshot/2021-03-01T00:00:00Z/simple/"


def test_every_client_is_pointed_at_the_url(tmp_path: Path) -> None:
    environment = client_environment(URL, tmp_path)
    for name in ("PIP_INDEX_URL", "UV_DEFAULT_INDEX", "UV_INDEX_URL", "PDM_PYPI_URL", "PIPENV_PYPI_MIRROR"):
        assert environment[name] == URL
    assert environment["PIP_CONFIG_FILE"] == os.devnull
    assert environment["UV_NO_CONFIG"] == "1"


def test_setuptools_own_fetching_stays_on_the_index() -> None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(client_files(URL, OLD)[".pydistutils.cfg"])
    section = parser["easy_install"]
    assert section["index_url"] == URL
    assert section["allow_hosts"] == "127.0.0.1:4321,files.pythonhosted.org"
    assert section["find_links"] == ""


def test_setuptools_that_fetches_by_pip_is_given_no_hosts() -> None:
    """From 42 on it ends every build that has ``setup_requires`` where hosts are limited."""
    text = client_files(URL, parse_instant("2020-08-22"))[".pydistutils.cfg"]
    assert "allow_hosts" not in text
    assert URL in text


def test_what_bypasses_the_date_is_taken_out(tmp_path: Path) -> None:
    given = {
        "PATH": "/usr/bin",
        "PIP_EXTRA_INDEX_URL": "https://evil.example/simple",
        "PIP_FIND_LINKS": "/opt/wheels",
        "PIP_CONFIG_FILE": "/etc/pip.conf",
        "UV_INDEX": "https://evil.example/simple",
        "UV_FIND_LINKS": "/opt/wheels",
        "UV_EXCLUDE_NEWER": "2030-01-01",
        "PIP_CERT": "/etc/ssl/ca.pem",
        "NO_PROXY": "internal.example",
        "EDITOR": "vi",
    }
    environment = pointed_at(given, URL, tmp_path)
    assert not any("evil" in value or value == "/opt/wheels" for value in environment.values())
    assert "UV_EXCLUDE_NEWER" not in environment
    assert (environment["PIP_CERT"], environment["EDITOR"]) == ("/etc/ssl/ca.pem", "vi")
    assert environment["NO_PROXY"].startswith("internal.example,127.0.0.1")
    assert environment["PATH"] == f"{tmp_path}/bin{os.pathsep}/usr/bin"
    assert given["PIP_CONFIG_FILE"] == "/etc/pip.conf"


def test_a_home_that_shows_the_real_one(tmp_path: Path) -> None:
    real, home = tmp_path / "real", tmp_path / "home"
    (real / ".ssh").mkdir(parents=True)
    (real / ".pydistutils.cfg").write_text("[easy_install]\nindex_url = https://evil.example/\n")
    (real / ".netrc").write_text("machine x")
    home.mkdir()
    shadow_home(real, home)
    write_client_files(URL, OLD, home)
    assert (home / ".netrc").read_text() == "machine x"
    assert (home / ".ssh").resolve() == real / ".ssh"
    assert "evil" not in (home / ".pydistutils.cfg").read_text()
    assert "evil" in (real / ".pydistutils.cfg").read_text()
    assert all(Path(folder).is_relative_to(real) for folder in folders_of(real).values())


FAKE_POETRY = """#!{python}
import sys
from poetry.repositories.pypi_repository import PyPiRepository
repository = PyPiRepository(disable_cache=True, config=None, fallback=False)
package = repository.package("six", "1.0")
print(repository.name, repository.url, repository.disable_cache, package._source_url, sys.argv[1:])
"""
FAKE_LEGACY = """
class Package:
    _source_url = "set"
class LegacyRepository:
    def __init__(self, name, url, disable_cache=False):
        self.name, self.url, self.disable_cache = name, url, disable_cache
    def package(self, name, version):
        return Package()
    def find_packages(self, dependency):
        return [Package()]
"""


def test_poetry_is_started_with_another_index(tmp_path: Path) -> None:
    package = tmp_path / "site" / "poetry" / "repositories"
    package.mkdir(parents=True)
    (package.parent / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "legacy_repository.py").write_text(FAKE_LEGACY)
    (package / "pypi_repository.py").write_text("class PyPiRepository: pass\n")
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "poetry").write_text(FAKE_POETRY.format(python=sys.executable))
    (programs / "poetry").chmod(0o755)
    home = tmp_path / "home"
    write_client_files(URL, OLD, home)
    environment = pointed_at(
        {"PATH": f"{programs}:/usr/bin:/bin", "PYTHONPATH": str(tmp_path / "site")}, URL, home
    )
    done = subprocess.run(
        ["poetry", "lock", "-n"], env=environment, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["PyPI", URL, "True", "None", "['lock',", "'-n']"]
    missing = pointed_at({"PATH": "/usr/bin:/bin"}, URL, home)
    done = subprocess.run([home / "bin" / "poetry"], env=missing, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (127, "poetry: not found on PATH\n")
