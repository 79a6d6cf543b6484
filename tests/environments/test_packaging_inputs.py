"""What of a tree its build reads: which edits are nothing to it, and when the whole tree is the key."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from backdate.environments.packaging_inputs import PackagingInputs, read_packaging_inputs

SETUP_CFG = "[metadata]\nname = thing\nversion = 1.0\n[options]\npackages = find:\n"
FILES = {
    "setup.cfg": SETUP_CFG,
    "thing/__init__.py": "'''A thing.'''\n__version__ = '1.0'\n",
    "thing/core.py": "def f():\n    return 1\n",
    "tests/test_core.py": "def test(): pass\n",
    "docs/guide.rst": "Guide\n",
    "README.md": "A thing.\n",
    "thing/data.json": "{}",
}
SETUPTOOLS = '[build-system]\nrequires = ["setuptools", "wheel"]\nbuild-backend = "setuptools.build_meta"\n'
FLIT = '[build-system]\nrequires = ["flit_core >=3"]\nbuild-backend = "flit_core.buildapi"\n'
HATCH = '[build-system]\nrequires = ["hatchling"]\nbuild-backend = "hatchling.build"\n'
POETRY = '[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "poetry.core.masonry.api"\n'


def write(tree: Path, files: Mapping[str, str]) -> Path:
    for name, text in files.items():
        path = tree / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tree


def inputs_of(tree: Path) -> PackagingInputs:
    inputs = read_packaging_inputs(tree)
    assert inputs is not None
    return inputs


def edited(tree: Path, name: str) -> bool:
    """Whether an edit of a file changes what the build reads."""
    before = inputs_of(tree)
    with (tree / name).open("a", encoding="utf-8") as file:
        file.write("\n# edited\n")
    return inputs_of(tree).digest != before.digest


@pytest.mark.parametrize(
    "name", ["thing/core.py", "thing/__init__.py", "tests/test_core.py", "docs/guide.rst"]
)
def test_an_edit_of_a_source_file_changes_nothing_that_is_read(tmp_path: Path, name: str) -> None:
    assert not edited(write(tmp_path, FILES), name)


@pytest.mark.parametrize("name", ["setup.cfg", "README.md", "thing/data.json"])
def test_an_edit_of_what_the_build_may_read_counts(tmp_path: Path, name: str) -> None:
    assert edited(write(tmp_path, FILES), name)


def changed_by(tree: Path, files: Mapping[str, str]) -> tuple[bool, bool]:
    """Whether new files change what a build reads, and what a resolution reads."""
    before = inputs_of(tree)
    after = inputs_of(write(tree, files))
    return after.digest != before.digest, after.metadata_digest != before.metadata_digest


@pytest.mark.parametrize("name", ["thing/more.py", "tests/test_more.py"])
def test_a_new_module_in_a_folder_with_others_changes_nothing_that_is_read(tmp_path: Path, name: str) -> None:
    assert changed_by(write(tmp_path, FILES), {name: "x = 1\n"}) == (False, False)
    assert name in inputs_of(tmp_path).modules


@pytest.mark.parametrize(
    "name",
    ["thing/sub/__init__.py", "thing/more/x.py", "tests/more/shapes.json", "docs/more.rst", "thing/more.csv"],
)
def test_what_a_new_file_may_add_to_the_package_is_nothing_to_a_resolution(tmp_path: Path, name: str) -> None:
    assert changed_by(write(tmp_path, FILES), {name: ""}) == (True, False)


@pytest.mark.parametrize(
    "name",
    ["more.py", "src/more.py", "other/__init__.py", "other/x.json", "thing/requirements.txt", "LICENSE.md"],
)
def test_a_new_file_of_which_metadata_may_be_made_counts(tmp_path: Path, name: str) -> None:
    discovered = SETUP_CFG.replace("[options]\npackages = find:\n", "")
    assert changed_by(write(tmp_path, {**FILES, "setup.cfg": discovered}), {name: ""})[1]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"setup.cfg": "[options]\npy_modules = thing\n"},
        {"setup.cfg": "", "setup.py": "from setuptools import setup\nsetup(packages=['thing'])\n"},
        {"setup.cfg": "", "pyproject.toml": SETUPTOOLS + "[tool.setuptools]\npackages = ['thing']\n"},
    ],
)
def test_where_packages_are_named_the_tops_of_the_tree_are_nothing_to_a_resolution(
    tmp_path: Path, files: Mapping[str, str]
) -> None:
    tree = write(tmp_path, {**FILES, "run.py": "", **files})
    assert changed_by(tree, {"reproduce.py": ""}) == (False, False)
    assert changed_by(tree, {"other/__init__.py": ""}) == (True, False)


def test_data_that_a_packaging_file_names_count(tmp_path: Path) -> None:
    named = "import json\nfrom setuptools import setup\nsetup(**json.load(open('thing/facts.json')))\n"
    assert changed_by(write(tmp_path, {**FILES, "setup.py": named}), {"thing/facts.json": "{}"}) == (
        True,
        True,
    )


def test_an_executable_module_counts(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "thing/more.py": ""})
    before = inputs_of(tmp_path)
    (tmp_path / "thing/more.py").chmod(0o755)
    assert inputs_of(tmp_path).digest != before.digest


SETUP = "from setuptools import setup, find_packages\n"


@pytest.mark.parametrize(
    "script",
    [
        "import os\nsetup(packages=find_packages(), zip_safe=os.path.exists('thing'))\n",
        "import os\nsetup(packages=find_packages(), keywords=os.listdir('thing'))\n",
        "names = find_packages()\nsetup(name=names[0], packages=names)\n",
        "from setuptools import PEP420PackageFinder\nsetup(packages=PEP420PackageFinder.find())\n",
    ],
)
def test_a_setup_py_that_looks_around_makes_every_path_count(tmp_path: Path, script: str) -> None:
    tree = write(tmp_path, {**FILES, "setup.py": SETUP + script})
    assert changed_by(tree, {"thing/more.py": ""}) == (True, True)


@pytest.mark.parametrize(
    "files",
    [
        {"setup.py": SETUP + "setup(cmdclass={'build_py': build_some}, packages=find_packages())\n"},
        {"setup.py": SETUP + "setup(package_data={'thing': ['parts/a.py']}, packages=find_packages())\n"},
        {"setup.py": SETUP + "setup(package_data={'thing': ['parts/a*']}, packages=find_packages())\n"},
        {"setup.py": SETUP + "setup(py_modules=['thing.core'])\n"},
        {"setup.py": SETUP + "names = ['thing.core']\nsetup(py_modules=names)\n"},
        {"setup.cfg": SETUP_CFG + "[options.package_data]\nthing = parts/a.py, *.txt\n"},
        {"setup.cfg": "[options]\npy_modules = thing.core\n"},
        {"pyproject.toml": SETUPTOOLS + "[tool.setuptools.package-data]\nthing = ['*.txt', 'parts/a*']\n"},
        {"MANIFEST.in": "include README.md\ninclude thing/parts/a.py\n"},
        {"MANIFEST.in": "recursive-include thing a*\n"},
        {"pyproject.toml": POETRY + '[tool.poetry]\nname = "thing"\nexclude = ["thing/more.py"]\n'},
        {"pyproject.toml": POETRY + '[tool.poetry]\npackages = [{include = "thing/a*.py"}]\n'},
        {"pyproject.toml": POETRY + '[tool.poetry]\ninclude = ["thing/data.json", "thing/parts/a.py"]\n'},
        {"pyproject.toml": HATCH + '[tool.hatch.build]\nexclude = ["more.py"]\n'},
        {"pyproject.toml": HATCH, ".gitignore": "more.py\n"},
    ],
)
def test_where_single_modules_may_be_chosen_a_new_one_may_change_the_package(
    tmp_path: Path, files: Mapping[str, str]
) -> None:
    assert changed_by(write(tmp_path, {**FILES, **files}), {"thing/more.py": ""}) == (True, False)


@pytest.mark.parametrize(
    "files",
    [
        {
            "setup.py": SETUP
            + "setup(packages=find_packages(), package_data={'thing': ['*.txt', 'data/*']})\n"
        },
        {"setup.py": SETUP + "setup(packages=['thing'], py_modules=['other'])\n"},
        {"setup.cfg": SETUP_CFG + "[options.package_data]\n* = *.txt, py.typed\n"},
        {"MANIFEST.in": "include setup.py\nrecursive-include tests *.py\nglobal-exclude *.py[cod]\n"},
        {"pyproject.toml": FLIT + '[project]\nname = "thing"\nversion = "1.0"\n'},
        {"pyproject.toml": POETRY + '[tool.poetry]\npackages = [{include = "thing"}]\n'},
        {"pyproject.toml": POETRY + '[tool.poetry]\ninclude = [{path = "tests", format = "sdist"}]\n'},
        {"pyproject.toml": HATCH + '[project]\nname = "thing"\nversion = "1.0"\n'},
    ],
)
def test_where_packages_are_whole_folders_it_does_not(tmp_path: Path, files: Mapping[str, str]) -> None:
    assert changed_by(write(tmp_path, {**FILES, **files}), {"thing/more.py": ""}) == (False, False)


def test_an_edit_of_data_is_nothing_to_a_resolution(tmp_path: Path) -> None:
    write(tmp_path, FILES)
    before = inputs_of(tmp_path)
    write(tmp_path, {"thing/data.json": '{"a": 1}'})
    after = inputs_of(tmp_path)
    assert after.metadata_digest == before.metadata_digest
    assert after.digest != before.digest


def test_a_named_requirement_file_is_never_free(tmp_path: Path) -> None:
    write(tmp_path, {**FILES, "docs/needs.rst": "six\n"})
    inputs = read_packaging_inputs(tmp_path, named=["docs/needs.rst"])
    assert inputs is not None
    assert "docs/needs.rst" not in inputs.free
    assert "docs/guide.rst" in inputs.free


def test_a_tree_without_packaging_is_free(tmp_path: Path) -> None:
    assert not edited(write(tmp_path, {"run.py": "", "requirements.txt": "six\n"}), "run.py")


@pytest.mark.parametrize(
    "script",
    [
        "import re\nsetup(version=re.search('x', open('thing/core.py').read()))\n",
        "import os\npath = os.path.join('thing', 'core.py')\nsetup(version=open(path).readline())\n",
        "from setuptools import setup\nname = 'core'\nsetup(version=open('thing/%s.py' % name).read())\n",
        "from setuptools import setup\nabout = {}\nexec(open('thing/core.py').read(), about)\nsetup()\n",
    ],
    ids=["a path", "a name", "a name put together", "run by its text"],
)
def test_a_module_that_setup_py_reads_counts_and_others_do_not(tmp_path: Path, script: str) -> None:
    write(tmp_path, {**FILES, "thing/other.py": "", "setup.py": script})
    assert edited(tmp_path, "thing/core.py")
    assert not edited(tmp_path, "thing/other.py")


def test_what_setup_py_does_to_publish_does_not_count(tmp_path: Path) -> None:
    script = "import os, sys\nfrom setuptools import setup\n{}\n    os.system('x')\nsetup()\n"
    write(tmp_path, {**FILES, "setup.py": script.format("if sys.argv[-1] == 'publish':")})
    assert not edited(tmp_path, "thing/core.py")
    write(tmp_path, {"setup.py": script.format("if sys.argv[-1] == 'sdist':")})
    assert read_packaging_inputs(tmp_path) is None
    write(tmp_path, {"setup.py": script.format("if sys.argv[-1] != 'publish':")})
    assert read_packaging_inputs(tmp_path) is None


@pytest.mark.parametrize(
    "script",
    [
        "import thing\nfrom setuptools import setup\nsetup(version=thing.__version__)\n",
        "from thing import __version__\nfrom setuptools import setup\nsetup()\n",
        "import importlib\nfrom setuptools import setup\nsetup()\n",
        "__import__('thing')\n",
        "import subprocess\nsubprocess.check_output(['git', 'describe'])\n",
        "import os\nos.system('make')\n",
        "import os\nos.execv('/bin/sh', [])\n",
        "import glob\ntext = [open(path).read() for path in glob.glob('thing/*')]\n",
        "from setuptools import setup\nsetup(use_scm_version=True)\n",
        "from setuptools import setup\nsetup(setup_requires=['pbr'], pbr=True)\n",
        "from setuptools import setup\nsetup(**{'use_scm_version': True})\n",
        "from setuptools import setup\nsetup(cffi_modules=['build.py:ffi'])\n",
        "from setuptools import setup\nexec(open('thing/reads.py').read())\n",
        "print 'Python 2'\n",
    ],
)
def test_a_setup_py_that_computes_makes_the_whole_tree_the_key(tmp_path: Path, script: str) -> None:
    reads = "import thing.core\n"
    write(tmp_path, {**FILES, "thing/reads.py": reads, "setup.py": script})
    assert read_packaging_inputs(tmp_path) is None


def test_of_a_module_whose_attribute_is_the_version_only_the_version_counts(tmp_path: Path) -> None:
    cfg = SETUP_CFG.replace("version = 1.0", "version = attr: thing.__version__")
    write(tmp_path, {**FILES, "setup.cfg": cfg})
    assert not edited(tmp_path, "thing/__init__.py")
    before = inputs_of(tmp_path)
    write(tmp_path, {"thing/__init__.py": "__version__ = '1.1'\n"})
    assert inputs_of(tmp_path).digest != before.digest
    assert read_packaging_inputs(tmp_path, parses_attributes=False) is None
    write(tmp_path, {"thing/__init__.py": "from thing.core import f\n__version__ = str(f())\n"})
    assert read_packaging_inputs(tmp_path) is None
    write(tmp_path, {"thing/__init__.py": "__version__ = '1.1'\n)\n"})
    assert read_packaging_inputs(tmp_path) is None


def test_of_a_module_that_flit_reads_version_and_docstring_count(tmp_path: Path) -> None:
    project = FLIT + '[project]\nname = "thing"\ndynamic = ["version", "description"]\n'
    write(tmp_path, {**FILES, "setup.cfg": "", "pyproject.toml": project})
    assert not edited(tmp_path, "thing/__init__.py")
    before = inputs_of(tmp_path)
    write(tmp_path, {"thing/__init__.py": "'''Another.'''\n__version__ = '1.0'\n"})
    assert inputs_of(tmp_path).digest != before.digest
    write(tmp_path, {"thing/__init__.py": "__version__ = '1.0'\n"})
    assert read_packaging_inputs(tmp_path) is None


def test_the_file_that_hatchling_searches_for_the_version_counts(tmp_path: Path) -> None:
    project = HATCH + '[project]\nname = "thing"\ndynamic = ["version"]\n[tool.hatch.version]\npath = "{}"\n'
    write(tmp_path, {**FILES, "setup.cfg": "", "pyproject.toml": project.format("thing/__init__.py")})
    assert edited(tmp_path, "thing/__init__.py")
    assert not edited(tmp_path, "thing/core.py")


STATIC = '[project]\nname = "thing"\nversion = "1.0"\n'


@pytest.mark.parametrize("head", [SETUPTOOLS, FLIT, HATCH, POETRY])
def test_static_metadata_of_every_back_end(tmp_path: Path, head: str) -> None:
    assert not edited(
        write(tmp_path, {**FILES, "setup.cfg": "", "pyproject.toml": head + STATIC}), "thing/core.py"
    )


@pytest.mark.parametrize(
    "pyproject",
    [
        SETUPTOOLS.replace('"wheel"', '"setuptools_scm"') + STATIC,
        SETUPTOOLS.replace('"wheel"', '"cython"') + STATIC,
        SETUPTOOLS + 'backend-path = ["."]\n' + STATIC,
        SETUPTOOLS.replace("setuptools.build_meta", "own_backend") + STATIC,
        SETUPTOOLS + STATIC + '[tool.setuptools.cmdclass]\nbuild_py = "thing.core.Build"\n',
        HATCH + STATIC + '[tool.hatch.build.hooks.custom]\npath = "hatch_build.py"\n',
        HATCH + STATIC + "[tool.hatch.build.targets.wheel.hooks.custom]\n",
        HATCH + '[project]\nname = "thing"\ndynamic = ["version"]\n[tool.hatch.version]\nsource = "vcs"\n',
        POETRY + '[tool.poetry]\nname = "thing"\nversion = "1.0"\nbuild = "build.py"\n',
        FLIT + '[tool.flit.metadata]\nmodule = "thing"\n',
        "not toml",
    ],
)
def test_a_back_end_that_runs_code_makes_the_whole_tree_the_key(tmp_path: Path, pyproject: str) -> None:
    assert read_packaging_inputs(write(tmp_path, {**FILES, "pyproject.toml": pyproject})) is None
