from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.recipes.files import Files
from backdate.recipes.recipe import InstallStep, Provenance, Recipe, SuitePlan
from backdate.recipes.repair import installed_tests
from backdate.recipes.repair.initial_conftests import named_folders
from backdate.recipes.repair.own_build import without_own_build
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, Rule
from backdate.recipes.repair.running import import_mode
from backdate.recipes.repair.setup_failure import Phase, read_failure
from backdate.recipes.repair.shadowed import installed_modules

WHY = Provenance(rule="a test")
PROJECT = InstallStep(kind="project", file=".", provenance=WHY)
PYTEST = SuitePlan(runner="pytest", provenance=WHY)


class NoIndex:
    """Facts of an index that knows wheels of one distribution."""

    def has_wheels(self, name: str, at: datetime) -> bool:
        return name == "released"

    def wants_compiling(self, name: str, wanted: str, python: str, at: datetime) -> bool:
        return False


def proposed(
    rule: Rule,
    root: Path,
    files: Mapping[str, str],
    text: str,
    *,
    plan: SuitePlan = PYTEST,
    install: tuple[InstallStep, ...] = (PROJECT,),
    phase: Phase = "tests",
) -> list[Repair]:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    failure = read_failure(
        phase=phase,
        status="completed",
        texts=[text],
        python="3.8.18",
        instant=datetime(2021, 3, 1, tzinfo=UTC),
    )
    recipe = Recipe(install=install, test=plan)
    facts: object = NoIndex()
    return list(rule(RepairContext(failure=failure, recipe=recipe, files=Files(root), index_facts=facts)))  # type: ignore[arg-type]


FLAT = {"m/__init__.py": "", "setup.py": "Extension('m._fast', ['m/_fast.c'], ext_modules=x)"}


@pytest.mark.parametrize(
    "text",
    [
        "ModuleNotFoundError: No module named 'm._fast'",
        "ImportError: cannot import name '_fast' from partially initialized module 'm' (m/__init__.py)",
        "ImportError: cannot import name '_fast'",
        "ImportError: please run `python setup.py build_ext --inplace` first",
    ],
)
def test_what_is_installed_goes_before_the_source_folder(tmp_path: Path, text: str) -> None:
    appended, by_path = proposed(installed_modules, tmp_path, FLAT, text)
    assert appended.recipe.test.arguments == ("--import-mode=append",)
    assert by_path.recipe.test.arguments == ("--import-mode=importlib",)
    assert dict(appended.recipe.test.environment)["PYTHONSAFEPATH"] == "1"


def test_the_root_leaves_the_path_and_unittest_is_run_by_pytest(tmp_path: Path) -> None:
    plan = SuitePlan(
        runner="unittest",
        targets=("m.tests.test_one",),
        arguments=("-v",),
        environment=(("PYTHONPATH", ".:lib"), ("A", "b")),
        provenance=WHY,
    )
    (appended, _) = proposed(
        installed_modules, tmp_path, FLAT, "ModuleNotFoundError: No module named 'm._fast'", plan=plan
    )
    new = appended.recipe.test
    assert (new.runner, new.targets) == ("pytest", ("m/tests/test_one.py",))
    assert new.arguments == ("--import-mode=append",)
    assert dict(new.environment)["PYTHONPATH"] == "lib"
    assert dict(new.environment)["A"] == "b"
    assert appended.recipe.install[-1].packages == ("pytest",)


@pytest.mark.parametrize(
    ("files", "text", "install"),
    [
        (FLAT, "ModuleNotFoundError: No module named 'm._fast'", ()),
        ({**FLAT, "m/_fast.py": ""}, "ModuleNotFoundError: No module named 'm._fast'", (PROJECT,)),
        (FLAT, "ModuleNotFoundError: No module named 'other._fast'", (PROJECT,)),
        (FLAT, "ImportError: cannot import name 'soft_unicode' from 'm' (m/__init__.py)", (PROJECT,)),
        ({"src/m/__init__.py": ""}, "ModuleNotFoundError: No module named 'm._fast'", (PROJECT,)),
    ],
    ids=["not-installed", "in-the-tree", "not-its-own", "a-name-and-no-module", "src"],
)
def test_nothing_is_hidden(
    tmp_path: Path, files: dict[str, str], text: str, install: tuple[InstallStep, ...]
) -> None:
    assert not proposed(installed_modules, tmp_path, files, text, install=install)


SIGN = "Defining 'pytest_plugins' in a non-top-level conftest is no longer supported"


def test_folders_of_conftests_that_name_plugins_are_targets_and_the_rest_stays_one(tmp_path: Path) -> None:
    inside = {
        "m/tests/conftest.py": "pytest_plugins = ['p']\n",
        "m/tests/test_one.py": "def test_one():\n    pass\n",
        "other/conftest.py": "def pytest_plugins_of(): ...\n",
    }
    named, started = proposed(named_folders, tmp_path, inside, SIGN)
    assert named.recipe.test.targets == ("m/tests",)
    assert (started.recipe.test.cwd, started.recipe.test.targets) == ("m/tests", ())
    assert dict(started.recipe.test.environment)["PYTHONPATH"] == "../.."
    beside = {"test_two.py": "def test_two():\n    pass\n"}
    named, _ = proposed(named_folders, tmp_path, beside, SIGN)
    assert named.recipe.test.targets == ("m/tests", ".")
    plan = SuitePlan(runner="pytest", targets=("../test_two.py",), cwd="m", provenance=WHY)
    named, _ = proposed(named_folders, tmp_path, {}, SIGN, plan=plan)
    assert named.recipe.test.targets == ("tests", "../test_two.py")
    assert not proposed(named_folders, tmp_path, {}, "another error")


OWN = (
    "Failed to build `case @ file:///project`\npython setup.py egg_info\n"
    "FileNotFoundError: [Errno 2] No such file or directory: {path}"
)
LACKING = {
    "setup.py": "setup(name='case', install_requires=open('requirements.txt').read())",
    "case.egg-info/PKG-INFO": "Name: case\n",
    "case.egg-info/requires.txt": "six\n[tests]\nPyYAML\n",
    "case/__init__.py": "",
}


def test_requirements_of_a_build_that_opens_a_file_that_is_not_there(tmp_path: Path) -> None:
    text = OWN.format(path="'requirements.txt'")
    (repair,) = proposed(without_own_build, tmp_path, LACKING, text, phase="resolve")
    assert [step.packages for step in repair.recipe.install] == [("six",)]
    assert dict(repair.recipe.test.environment)["PYTHONPATH"] == "."


@pytest.mark.parametrize(
    ("more", "path"),
    [
        ({"requirements.txt": "six"}, "'requirements.txt'"),
        ({"requirements.txt": "six"}, "'/project/requirements.txt'"),
        ({}, "'cmake'"),
        ({}, "'/usr/include/foo.h'"),
        ({"setup.py": "ext_modules=[], open('requirements.txt')"}, "'requirements.txt'"),
    ],
    ids=["there", "there-by-its-whole-path", "a-program", "not-named-by-setup", "compiles"],
)
def test_a_build_that_fails_otherwise_is_not_gone_around(
    tmp_path: Path, more: dict[str, str], path: str
) -> None:
    files = {**LACKING, **more}
    assert not proposed(without_own_build, tmp_path, files, OWN.format(path=path), phase="resolve")


@pytest.mark.parametrize(
    ("name", "packages"), [("released", [("released[t]",), ("six", "PyYAML")]), ("case", [("six", "PyYAML")])]
)
def test_a_release_holds_what_a_build_would_have_fetched(
    tmp_path: Path, name: str, packages: list[tuple[str, ...]]
) -> None:
    script = (
        "c = dict(name='{}')\nc['install_requires'] = ['six']\nc['extras_require'] = {{'t': ['PyYAML']}}\n"
    )
    text = f"Failed to build `{name} @ file:///project`\n <urlopen error Tunnel failed: 403>"
    step = InstallStep(kind="project", file=".", extras=("t",), provenance=WHY)
    repairs = proposed(
        *(without_own_build, tmp_path, {"setup.py": script.format(name) + "setup(**c)"}, text),
        install=(step,),
        phase="install",
    )
    assert [repair.recipe.install[0].packages for repair in repairs] == packages
    assert {dict(repair.recipe.test.environment)["PYTHONPATH"] for repair in repairs} == {"."}


INSTALLED = "/env/lib/python3.9/site-packages/ns/thing/tests"
BY_UNITTEST = (
    f"ImportError: 'test_one' module incorrectly imported from '{INSTALLED}'. "
    "Expected '/work/project/src/ns/thing/tests'. Is this module globally installed?"
)
BY_PYTEST = (
    f"CollectError: import file mismatch: imported module 'ns.thing.tests' has this __file__ attribute: "
    f"{INSTALLED}/__init__.py which is not the same as the test file we want to collect: /work/x/__init__.py"
)
OF_A_CONFTEST = f"ImportPathMismatchError: ('ns.thing.conftest', '{INSTALLED}/conftest.py', PosixPath('/w'))"
IN_THE_TREE = (
    "CollectError: import file mismatch: imported module 'test_one' has this __file__ attribute: "
    "/work/a/test_one.py which is not the same as the test file we want to collect: /work/b/test_one.py"
)


@pytest.mark.parametrize("text", [BY_UNITTEST, BY_PYTEST, OF_A_CONFTEST])
def test_pytest_takes_the_installed_modules(tmp_path: Path, text: str) -> None:
    plan = SuitePlan(
        runner="unittest",
        arguments=("discover", "-s", "src", "-p", "*_t.py"),
        environment=(("A", "b"),),
        provenance=WHY,
    )
    (repair,) = proposed(installed_tests.installed_test_modules, tmp_path, {}, text, plan=plan)
    new = repair.recipe.test
    assert (new.runner, new.targets, new.arguments) == ("pytest", ("src",), ("-o", "python_files=*_t.py"))
    assert dict(new.environment) == {"A": "b", "PY_IGNORE_IMPORTMISMATCH": "1"}
    assert repair.recipe.install[-1].packages == ("pytest",)
    assert not proposed(import_mode, tmp_path, {}, text)
    (of_modules,) = proposed(
        installed_tests.installed_test_modules,
        tmp_path,
        {},
        text,
        plan=SuitePlan(runner="unittest", targets=("a.b",), provenance=WHY),
    )
    assert of_modules.recipe.test.targets == ("a/b.py",)


def test_what_was_done_is_not_proposed_again(tmp_path: Path) -> None:
    (repair,) = proposed(installed_tests.installed_test_modules, tmp_path, {}, BY_PYTEST)
    assert not proposed(
        installed_tests.installed_test_modules, tmp_path, {}, BY_PYTEST, plan=repair.recipe.test
    )


def test_files_of_one_name_in_the_tree_are_told_apart_by_the_import_mode(tmp_path: Path) -> None:
    assert not proposed(installed_tests.installed_test_modules, tmp_path, {}, IN_THE_TREE)
    (repair,) = proposed(import_mode, tmp_path, {}, IN_THE_TREE)
    assert repair.recipe.test.arguments == ("--import-mode=importlib",)
    assert not proposed(installed_tests.installed_test_modules, tmp_path, {}, BY_PYTEST, install=())
