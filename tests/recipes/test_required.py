import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.recipes.declared import version_variables
from backdate.recipes.files import Files
from backdate.recipes.required import released_extras, released_requirements, required

PROJECT = """
[project]
name = "a"
dependencies = ["six>1", "attrs ; python_version > '3'", "not a requirement!"]
[project.optional-dependencies]
Test = ["pytest"]
docs = ["sphinx"]
"""
POETRY = """
[tool.poetry]
name = "a"
[tool.poetry.dependencies]
python = "^3.7"
six = "^1.2"
lxml = {version = "*", optional = true}
attrs = {version = "*", optional = true}
[tool.poetry.extras]
xml = ["lxml"]
"""
CFG = """
[metadata]
name = a
[options]
install_requires =
    six  # why
    # attrs
    lxml>1
[options.extras_require]
test = pytest
"""
SCRIPT = "from setuptools import setup\nMORE = ['lxml']\nsetup(install_requires=['six'] + {more})\n"


def _required(folder: Path, extras: tuple[str, ...] = (), **files: str) -> tuple[str, ...] | None:
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text)
    return required(Files(folder), extras)


def test_a_project_table(tmp_path: Path) -> None:
    found = _required(tmp_path, ("test",), pyproject_toml=PROJECT)
    assert found == ("six>1", "attrs ; python_version > '3'", "pytest")


def test_poetry(tmp_path: Path) -> None:
    assert _required(tmp_path, pyproject_toml=POETRY) == ("six>=1.2,<2",)
    assert _required(tmp_path, ("xml",), pyproject_toml=POETRY) == ("six>=1.2,<2", "lxml")


def test_setup_cfg(tmp_path: Path) -> None:
    assert _required(tmp_path, setup_cfg=CFG) == ("six", "lxml>1")
    assert _required(tmp_path, ("test",), setup_cfg=CFG) == ("six", "lxml>1", "pytest")


def test_a_setup_script(tmp_path: Path) -> None:
    assert _required(tmp_path, setup_py=SCRIPT.format(more="MORE")) == ("six", "lxml")
    assert _required(tmp_path, setup_py="from setuptools import setup\nsetup(name='a')\n") == ()


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"setup_py": SCRIPT.format(more="read('requirements.txt')")},
        {"setup_py": "print 'Python 2'"},
        {"pyproject_toml": "[project]\nname = 'a'\ndynamic = ['dependencies']\n"},
        {"setup_cfg": "[flake8]\nignore = E501\n"},
    ],
)
def test_what_only_running_could_tell(tmp_path: Path, files: dict[str, str]) -> None:
    assert _required(tmp_path, **files) is None


@given(st.text(max_size=300))
def test_garbage_never_raises(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    folder = tmp_path_factory.mktemp("tree")
    for name in ("pyproject.toml", "setup.cfg", "setup.py"):
        (folder / name).write_text(text, encoding="utf-8", errors="replace")
    found = required(Files(folder))
    assert found is None or isinstance(found, tuple)


def sdist(tmp_path: Path, requires: str | None, folder: str = "a.egg-info") -> Files:
    info = tmp_path / folder
    info.mkdir(parents=True)
    (info / "PKG-INFO").write_text("Name: a\n")
    if requires is not None:
        (info / "requires.txt").write_text(requires)
    return Files(tmp_path)


RELEASED = """six>1
not a requirement!

[:python_version < "3.8"]
typing-extensions

[Test]
pytest

[test:sys_platform == "linux"]
pytest-xvfb

[docs]
sphinx
"""


def test_what_the_build_of_an_sdist_wrote_down(tmp_path: Path) -> None:
    files = sdist(tmp_path, RELEASED)
    assert released_requirements(files) == ("six>1", 'typing-extensions; python_version < "3.8"')
    assert released_requirements(files, ["test"]) == (
        "six>1",
        'typing-extensions; python_version < "3.8"',
        "pytest",
        'pytest-xvfb; sys_platform == "linux"',
    )


def test_an_egg_info_without_requirements_and_none_at_all(tmp_path: Path) -> None:
    assert released_requirements(Files(tmp_path)) is None
    (tmp_path / "b.egg-info").mkdir()  # names nothing
    assert released_requirements(Files(tmp_path)) is None
    assert released_requirements(sdist(tmp_path, None, "src/a.egg-info")) == ()


@given(st.text())
def test_no_egg_info_makes_it_raise(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        released = released_requirements(sdist(Path(folder), text.encode("utf-8", "replace").decode()))
        assert released is not None


@pytest.mark.parametrize(
    ("requires", "variable"),
    [
        ('"hatchling", "hatch-vcs>=0.1"', "SETUPTOOLS_SCM_PRETEND_VERSION"),
        ('"poetry-core", "poetry_dynamic_versioning"', "POETRY_DYNAMIC_VERSIONING_BYPASS"),
        ('"pdm-backend"', "PDM_BUILD_SCM_VERSION"),
        ('"setuptools", "setuptools_scm"', None),
    ],
)
def test_a_build_that_asks_version_control_is_told_the_version(
    tmp_path: Path, requires: str, variable: str | None
) -> None:
    (tmp_path / "pyproject.toml").write_text(
        f'[build-system]\nrequires = [{requires}]\n[project]\nname = "a.b"\ndynamic = ["version"]\n'
    )
    own = {"SETUPTOOLS_SCM_PRETEND_VERSION_FOR_A_B": "1.2"}
    assert version_variables(tmp_path, "1.2") == own | ({variable: "1.2"} if variable else {})
    assert version_variables(tmp_path, None) == {}


PKG_INFO = """\
Metadata-Version: 2.4
Name: a
Version: 1.0
Requires-Dist: six>1
Requires-Dist: tomli>=2; python_version < "3.11"
Requires-Dist: pygments>=2.12; extra == "extra"
Requires-Dist: lxml; (python_version > "3") and (extra == 'Xml' or extra == "all")
Provides-Extra: extra
Provides-Extra: Xml

Requires-Dist: of-the-description
"""


def test_what_a_build_said_of_an_sdist_is_read(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\ndynamic = ["dependencies"]\n')
    assert required(Files(tmp_path)) is None
    (tmp_path / "PKG-INFO").write_text(PKG_INFO)
    own = ("six>1", 'tomli>=2; python_version < "3.11"')
    assert required(Files(tmp_path)) == own
    assert required(Files(tmp_path), ["EXTRA"]) == (*own, "pygments>=2.12")
    assert required(Files(tmp_path), ["xml"]) == (
        *own,
        'lxml; (python_version > "3") and (python_version > "0" or python_version < "0")',
    )
    assert released_extras(Files(tmp_path)) == ("extra", "Xml")


@pytest.mark.parametrize("text", ["", "Metadata-Version: 2.1\nName: a\n", "\0", "Requires-Dist:\n"])
def test_a_pkg_info_that_says_nothing_of_requirements_is_passed_over(tmp_path: Path, text: str) -> None:
    (tmp_path / "PKG-INFO").write_text(text)
    assert not required(Files(tmp_path))
    assert released_extras(Files(tmp_path)) == ()
