"""Repairs that cannot help are not proposed, and those that can are the right ones."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.recipes.recipe import InstallStep, Provenance, Recipe, SuitePlan, SystemPackages
from backdate.recipes.repair.builds import named_packages
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.misspelt import corrected
from backdate.recipes.repair.remedies import what_helps
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.rules import repairs
from backdate.recipes.repair.setup_failure import Phase, SetupFailure, read_failure

AT = datetime(2021, 3, 1, tzinfo=UTC)
WHY = Provenance(rule="a test")
PYTHONS = ("3.6.15", "3.7.17", "3.8.18", "3.9.18")
RECIPE = Recipe(
    install=(InstallStep(kind="project", file=".", provenance=WHY),),
    test=SuitePlan(runner="pytest", provenance=WHY),
)
OWN = "  x Failed to build `mine @ file:///work/project`\n"
COMPILER = "error: command '/usr/bin/gcc' failed with exit code 1\n"
OLDER = "no wheel for the interpreter"
SETUP = "from setuptools import setup\nsetup(name='mine'"


class Index:
    """Distributions that hold the module of their own name."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def providers(self, module: str, candidates: Iterable[str], at: datetime) -> tuple[str, ...]:
        return tuple(name for name in dict.fromkeys(candidates) if name in self.names)

    def first_upload(self, name: str, wanted: str | None, after: datetime) -> datetime | None:
        return None

    def versions(self, name: str, at: datetime) -> tuple[str, ...]:
        return ("1.0",)

    def has_wheels(self, name: str, at: datetime) -> bool:
        return True

    def wants_compiling(self, name: str, wanted: str, python: str, at: datetime) -> bool:
        return False


def failed(text: str, phase: Phase = "install", **more: object) -> SetupFailure:
    given = {"status": phase, "texts": (text,), "python": "3.9.18", "instant": AT, "pythons": PYTHONS}
    absent = more.pop("absent", ())
    return replace(read_failure(phase=phase, **(given | more)), absent=absent)  # type: ignore[arg-type]


def proposed(root: Path, failure: SetupFailure, recipe: Recipe = RECIPE, *names: str) -> tuple[Repair, ...]:
    return repairs(failure, recipe, root, Index(*names))


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    return root


def rules(found: Iterable[Repair]) -> list[str]:
    return [repair.rule for repair in found]


def test_the_projects_own_hopeless_build_is_not_tried_under_every_interpreter(tmp_path: Path) -> None:
    write(tmp_path, {"setup.py": f"{SETUP})\n"})
    assert OLDER not in rules(proposed(tmp_path, failed(OWN + "RuntimeError: no such thing")))
    (one,) = (repair for repair in proposed(tmp_path, failed(OWN + COMPILER)) if repair.rule == OLDER)
    assert one.interpreter == "3.8"
    again = proposed(tmp_path, failed(OWN + COMPILER, python="3.8.18"), one.recipe)
    assert OLDER not in rules(again)
    other = failed("  x Failed to build `llvmlite==0.34`\n" + COMPILER)
    assert OLDER in rules(proposed(tmp_path, other))


@pytest.mark.parametrize(
    "line",
    [
        "cc1: fatal error: mine/_fast.c: No such file or directory\n",
        "gcc-12: error: mine/_fast.c: No such file or directory\n",
        "clang: error: no such file or directory: 'mine/_fast.c'\n",
    ],
)
def test_a_source_that_is_generated_is_given_its_generator_and_no_older_interpreter(
    tmp_path: Path, line: str
) -> None:
    failure = failed(OWN + line + COMPILER)
    write(tmp_path, {"setup.py": f"try: import Cython\nexcept: pass\n{SETUP})\n", "mine/_fast.pyx": ""})
    given = proposed(tmp_path, failure)
    assert given[0].rule == "generated source"
    assert [asked.requirement for asked in given[0].recipe.build_requirements] == ["Cython"]
    assert OLDER not in rules(given)
    assert classify(failure) is ErrorClass.INCOMPLETE_SDIST
    assert "mine/_fast.c" in what_helps(ErrorClass.INCOMPLETE_SDIST, failure.text, of_build=True, apt=False)
    write(tmp_path, {"setup.py": f"{SETUP})\n"})
    assert "generated source" not in rules(proposed(tmp_path, failure))


def test_a_header_of_a_package_that_the_recipe_names_ends_in_the_option_that_installs_it(
    tmp_path: Path,
) -> None:
    write(tmp_path, {"setup.py": f"{SETUP})\n"})
    text = "  x Failed to build `other==1`\nx.c:1:2: fatal error: frobnicate/api.h: No such file\n" + COMPILER
    system = SystemPackages(manager="apt", packages=("libfrobnicate2-dev", "pandoc"), provenance=WHY)
    naming = replace(RECIPE, system=(system,))
    assert named_packages(text, naming) == ("libfrobnicate2-dev",)
    assert OLDER not in rules(proposed(tmp_path, failed(text), naming))
    assert OLDER in rules(proposed(tmp_path, failed(text)))
    error = classify(failed(text))
    assert error is ErrorClass.MISSING_HEADER
    helps = what_helps(error, text, of_build=True, apt=False, named=named_packages(text, naming))
    assert helps == "run with --apt as root: libfrobnicate2-dev"


@pytest.mark.parametrize(
    "line",
    [
        "fatal: unable to access 'https://example.org/x.git/': Could not resolve host: example.org",
        "CMake Error at x-populate/git.cmake:7 (message): Failed to clone repository: 'https://example.org'",
        "curl: (6) Could not resolve host: example.org",
        "npm error request to https://example.org/a failed: cache mode is 'only-if-cached' but …",
    ],
)
def test_a_build_that_clones_from_elsewhere_needs_the_network(tmp_path: Path, line: str) -> None:
    write(tmp_path, {"setup.py": f"{SETUP}, install_requires=['six'])\n"})
    failure = failed(OWN + line)
    assert classify(failure) is ErrorClass.NEEDS_NETWORK
    assert "without the project's own build" in rules(proposed(tmp_path, failure))
    wants = what_helps(ErrorClass.NEEDS_NETWORK, line, of_build=True, apt=False, refused=("example.org:443",))
    assert wants == "run with --build-network: the build wants example.org:443"


def test_a_requirement_that_cannot_be_cloned_is_another_thing() -> None:
    text = "error: Git operation failed\n fatal: unable to access 'https://example.org/x/': no\n"
    assert classify(failed(text, "resolve")) is ErrorClass.UNAVAILABLE_SOURCE


def test_what_was_not_let_through_tells_where_nothing_else_does() -> None:
    assert classify(failed("it failed", refused=("example.org:443",))) is ErrorClass.NEEDS_NETWORK
    assert classify(failed("it failed")) is ErrorClass.UNKNOWN


def missing(module: str) -> SetupFailure:
    return failed(f"ModuleNotFoundError: No module named '{module}'", "tests", status="completed", ran=3)


def test_own_modules_are_matched_by_their_whole_names(tmp_path: Path) -> None:
    write(tmp_path, {"lib/google/own/a.py": "", "lib/other/deep/b.py": ""})
    found = proposed(tmp_path, missing("google.protobuf"), RECIPE, "protobuf")
    assert "own modules on the path" not in rules(found)
    assert any("protobuf" in step.packages for step in found[0].recipe.install)
    (on_path, *_) = proposed(tmp_path, missing("other.deep.b"))
    assert dict(on_path.recipe.test.environment)["PYTHONPATH"] == "lib"


def test_a_folder_that_pythons_own_package_hides_is_not_put_on_the_path(tmp_path: Path) -> None:
    write(tmp_path, {"test/test_utils.py": "", "test/test_a.py": "from test.test_utils import x\n"})
    hidden = missing("test.test_utils")
    found = proposed(tmp_path, hidden, RECIPE, "test")
    assert "own modules on the path" not in rules(found)
    assert not any("test" in step.packages for one in found for step in one.recipe.install)
    write(tmp_path, {"test/__init__.py": ""})
    assert "own modules on the path" in rules(proposed(tmp_path, hidden))


def test_a_part_of_the_own_package_that_a_build_makes_is_not_sought_on_the_index(tmp_path: Path) -> None:
    write(tmp_path, {"mine/__init__.py": ""})
    found = proposed(tmp_path, missing("mine._version"), RECIPE, "mine", "mine-version")
    assert not any(
        "mine" in package for one in found for step in one.recipe.install for package in step.packages
    )


def test_extras_are_looked_into_before_the_tree(tmp_path: Path) -> None:
    extras = f"{SETUP}, extras_require={{'cache': ['redis>=3,<4']}})\n"
    write(tmp_path, {"setup.py": extras, "mine/backends/redis.py": "import redis\n"})
    (first, *_) = found = proposed(tmp_path, missing("redis"), RECIPE, "redis")
    assert "redis<4,>=3" in str(first.recipe.install) or "redis>=3,<4" in str(first.recipe.install)
    assert "own modules on the path" not in rules(found)


def test_what_an_extra_requires_beside_the_missing_distribution_comes_along(tmp_path: Path) -> None:
    """A token library that signs needs what it signs with, though no line imports that."""
    everything = [f"p{number}" for number in range(20)]
    extras = {"signed": ["cryptography", "pyjwt>=1"], "all": ["pyjwt>=1", *everything], "s": everything}
    write(tmp_path, {"setup.py": f"{SETUP}, extras_require={extras!r})\n"})
    (first, *_) = proposed(tmp_path, missing("jwt"), RECIPE, "pyjwt")
    assert first.recipe.install[-1].packages == ("pyjwt>=1", "cryptography")
    (only, *_) = proposed(tmp_path, missing("p1"), RECIPE, "p1")
    assert only.recipe.install[-1].packages == ("p1",)


FILE = InstallStep(kind="requirements", file="requirements.txt", provenance=WHY)
BOTH = Recipe(install=(FILE, *RECIPE.install), test=RECIPE.test)


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("six=1.16", "six==1.16"),
        ("six=>1.0", "six>=1.0"),
        ("six > =1.0", "six>=1.0"),
        ("six>=1.0<2", "six<2,>=1.0"),
        ("six==1.16.", "six==1.16"),
        ("six>=1.*", "six>=1"),
        ("six,>=1", "six>=1"),
        ("six[a]=1 ; python_version > '3'", 'six[a]==1; python_version > "3"'),
        ("six==1.16", None),
        ("one two", None),
        ("", None),
    ],
)
def test_slips_of_specifiers(written: str, meant: str | None) -> None:
    assert corrected(written) == meant


@pytest.mark.parametrize(
    "said",
    [
        "error: Couldn't parse requirement in `requirements.txt` at position 0\n no such comparison operator",
        "error in mine setup command: 'install_requires' must hold valid project/version requirement specs",
    ],
)
def test_a_typo_is_mended_in_every_file_that_states_it(tmp_path: Path, said: str) -> None:
    setup = "from setuptools import setup\nsetup(name='mine', install_requires=['six=1.16', 'attrs'])\n"
    write(tmp_path, {"requirements.txt": "six=1.16\npytest\n", "setup.py": setup})
    found = repairs(failed(said), BOTH, tmp_path, Index())
    (one,) = (repair for repair in found if repair.rule == "misspelt requirement")
    assert [step.packages for step in one.recipe.install] == [("six==1.16", "attrs"), ("six==1.16", "pytest")]
    assert dict(one.recipe.test.environment)["PYTHONPATH"] == "."
    assert one.reason == "six=1.16 is meant as six==1.16"


@pytest.mark.parametrize(
    "said",
    [
        "`sklearn` is often confused for `scikit-learn`. Did you mean to install `scikit-learn` instead?",
        "The 'sklearn' PyPI package is deprecated, use 'scikit-learn'\nrather than 'sklearn' for pip",
    ],
)
def test_a_name_that_is_taken_for_another_is_mended_in_every_file(tmp_path: Path, said: str) -> None:
    setup = "from setuptools import setup\nsetup(name='mine', install_requires=['sklearn', 'attrs'])\n"
    write(tmp_path, {"requirements.txt": "sklearn==0.0 ; python_version > '3'\npytest\n", "setup.py": setup})
    log = f"error: Failed to build `sklearn==0.0.post12`\n{said}"
    found = repairs(failed(log), BOTH, tmp_path, Index())
    (one,) = (repair for repair in found if repair.rule == "misnamed requirement")
    assert [step.packages for step in one.recipe.install] == [
        ("scikit-learn", "attrs"),
        ('scikit-learn; python_version > "3"', "pytest"),
    ]
    assert one.reason == "sklearn is meant as scikit-learn"
    assert classify(failed(log)) is ErrorClass.BROKEN_REQUIREMENT
    of_another = f"error: Failed to build `attrs==1.0`\n{said}"
    rules = [repair.rule for repair in repairs(failed(of_another), BOTH, tmp_path, Index())]
    assert "misnamed requirement" not in rules


def test_a_name_that_is_not_there_is_left_out_of_the_metadata_as_well(tmp_path: Path) -> None:
    class Nothing(Index):
        def versions(self, name: str, at: object) -> tuple[str, ...]:
            return () if name == "no-such" else ("1.0",)

    setup = "from setuptools import setup\nsetup(name='mine', install_requires=['no-such', 'attrs'])\n"
    write(tmp_path, {"requirements.txt": "no-such\n", "setup.py": setup})
    said = "Because no-such was not found in the package registry and you require no-such, we can conclude"
    found = repairs(failed(said, "resolve"), BOTH, tmp_path, Nothing())
    (one,) = (repair for repair in found if repair.rule == "unsatisfiable requirement")
    assert [step.packages for step in one.recipe.install] == [("attrs",)]


def test_limits_of_the_own_metadata_stay(tmp_path: Path) -> None:
    setup = "from setuptools import setup\nsetup(name='mine', install_requires=['six<2'])\n"
    write(tmp_path, {"requirements.txt": "six==9\n", "setup.py": setup})
    said = "Because there is no version of six==9 and you require six==9, we can conclude"
    (one,) = (
        repair
        for repair in repairs(failed(said, "resolve"), BOTH, tmp_path, Index())
        if repair.rule == "unsatisfiable requirement"
    )
    assert [step.kind for step in one.recipe.install] == ["packages", "project"]


def test_a_project_that_compiles_is_built_all_the_same(tmp_path: Path) -> None:
    setup = "setup(name='mine', install_requires=['six=1.16'], ext_modules=[Extension('a', ['a.c'])])\n"
    write(tmp_path, {"requirements.txt": "pytest\n", "setup.py": f"from setuptools import setup\n{setup}"})
    found = repairs(failed("Couldn't parse requirement"), BOTH, tmp_path, Index())
    assert "misspelt requirement" not in [repair.rule for repair in found]


EXTRA = """\
[project]
name = "tox"
dependencies = ["pluggy>=0.13"]
[project.optional-dependencies]
testing = ["devpi-client>=5.2", "hatchling>=0.14", "psycopg2", "pytest>=7"]
"""
CONFLICT = """error: No solution found when resolving dependencies
  cause: Because hatchling>=1.0.0 depends on pluggy>=1.0.0 and devpi-client>=5.2.3 depends on
         tox>=3.1.0,<4.dev0, we can conclude that devpi-client>=5.2.0, hatchling>=0.14.0 are incompatible.
         And because only tox[testing]==4.0.0b2 is available and you require tox[testing], we can conclude
         that your requirements are unsatisfiable.
"""


def test_of_an_extra_only_what_does_not_fit_is_left_out(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": EXTRA})
    project = InstallStep(kind="project", file=".", extras=("testing",), provenance=WHY)
    recipe = Recipe(install=(project,), test=RECIPE.test)
    found = proposed(tmp_path, failed(CONFLICT, "resolve"), recipe)
    assert rules(found)[:3] == ["a part of an extra", "a part of an extra", "fewer extras"]
    assert [(one.kind, one.extras, one.packages) for one in found[0].recipe.install] == [
        ("project", (), ()),
        ("packages", (), ("hatchling>=0.14", "psycopg2", "pytest>=7")),
    ]
    assert found[1].recipe.install[1].packages == ("psycopg2", "pytest>=7")
    unbuilt = proposed(tmp_path, failed("  x Failed to build `psycopg2==2.9`\n" + COMPILER), recipe)
    (one,) = (repair for repair in unbuilt if repair.rule == "a part of an extra")
    assert one.recipe.install[1].packages == ("devpi-client>=5.2", "hatchling>=0.14", "pytest>=7")
    assert rules(unbuilt).index("a part of an extra") < rules(unbuilt).index("fewer extras")


def test_an_extra_of_which_nothing_is_named_is_not_told_apart(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": EXTRA})
    project = InstallStep(kind="project", file=".", extras=("testing",), provenance=WHY)
    recipe = Recipe(install=(project,), test=RECIPE.test)
    said = "No solution found: because x==1 depends on y and you require x, we can conclude"
    assert "a part of an extra" not in rules(proposed(tmp_path, failed(said, "resolve"), recipe))


def test_a_build_that_wants_an_empty_submodule_is_not_tried_in_other_ways(tmp_path: Path) -> None:
    write(tmp_path, {"setup.py": f"{SETUP}, install_requires=['six'])\n", "requirements-dev.txt": "x\n"})
    said = "FileNotFoundError: [Errno 2] No such file or directory: 'src/ext/uchardet/src'"
    failure = failed(OWN + COMPILER + said, absent=("src/ext/uchardet/",))
    assert classify(failure) is ErrorClass.MISSING_DATA
    assert set(rules(proposed(tmp_path, failure, BOTH))) <= {"without the project's own build"}
    assert classify(failed(OWN + COMPILER + said)) is not ErrorClass.MISSING_DATA
    helps = what_helps(ErrorClass.MISSING_DATA, said, of_build=True, apt=False)
    assert "git submodule update --init" in helps


VERSIONINGIT = "      RuntimeError: versioningit could not find a version for the project in /work/1/repo!"
SCM = "LookupError: setuptools-scm was unable to detect version for /work/1/repo."


def test_a_build_that_takes_a_version_from_git_alone_is_gone_around(tmp_path: Path) -> None:
    stated = '[project]\nname = "mine"\ndynamic = ["version"]\ndependencies = ["six"]\n'
    write(tmp_path, {"pyproject.toml": stated, "mine/__init__.py": ""})
    failure = failed(OWN + VERSIONINGIT, version_hint="1.0")
    assert classify(failure) is ErrorClass.UNKNOWN_VERSION
    found = proposed(tmp_path, failure)
    assert "unknown version" not in rules(found)
    (one,) = (repair for repair in found if repair.rule == "without the project's own build")
    assert [step.packages for step in one.recipe.install] == [("six",)]
    assert dict(one.recipe.test.environment)["PYTHONPATH"] == "."


def test_a_version_that_a_variable_can_tell_is_told_first(tmp_path: Path) -> None:
    write(tmp_path, {"pyproject.toml": '[project]\nname = "mine"\ndynamic = ["version"]\n'})
    (told, *_) = found = proposed(tmp_path, failed(OWN + SCM, version_hint="1.0"))
    assert told.rule == "unknown version"
    assert "without the project's own build" not in rules(found)
    again = proposed(tmp_path, failed(OWN + SCM, version_hint="1.0"), told.recipe)
    assert "without the project's own build" in rules(again)


def test_tests_deep_in_a_package_are_named_to_a_runner_that_finds_none(tmp_path: Path) -> None:
    case = "import unittest\n\n\nclass A(unittest.TestCase):\n    def test_a(self):\n        pass\n"
    write(
        tmp_path,
        {
            "setup.py": f"{SETUP})",
            "src/zope/mine/tests.py": case,
            "src/zope/mine/core.py": "x = 1\n",
            "docs/a/tests.py": case,
        },
    )
    failure = failed("collected 0 items\n", "tests", status="no-tests")
    targets = [one.recipe.test.targets for one in proposed(tmp_path, failure)]
    assert ("src/zope/mine/tests.py",) in targets


@pytest.mark.parametrize(
    "line",
    [
        "numpy is required during installation",
        "ImportError: NumPy is required to build this package",
        "RuntimeError: numpy must be installed before running setup.py",
        "Please install numpy first",
    ],
)
def test_what_a_build_asks_for_in_words_is_given_to_it(tmp_path: Path, line: str) -> None:
    write(tmp_path, {"setup.py": f"{SETUP})\n"})
    (given,) = (
        one
        for one in proposed(tmp_path, failed(f"{OWN}\n         [stdout]\n         {line}\n"), RECIPE, "numpy")
        if one.rule == "missing build dependency"
    )
    assert [asked.requirement for asked in given.recipe.build_requirements] == ["numpy"]
    prose = failed(f"{OWN}\nIt is required that users read the manual; help is needed before launch\n")
    assert "missing build dependency" not in rules(proposed(tmp_path, prose, RECIPE, "users", "help"))
