"""How rules change recipes: requirements rewritten, evidence weighed, what is added rendered."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from backdate.recipes.files import Files
from backdate.recipes.recipe import (
    BuildConstraint,
    BuildRequirement,
    InstallStep,
    LaterCut,
    Provenance,
    Recipe,
    SuitePlan,
)
from backdate.recipes.render import as_dockerfile, as_json, as_shell_script, read_recipe
from backdate.recipes.repair.builds import debian_packages, system_names
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass, ErrorGroup
from backdate.recipes.repair.incompatible import wanted_minor
from backdate.recipes.repair.missing_modules import candidates_for, own_folder
from backdate.recipes.repair.plugins import options_of
from backdate.recipes.repair.requirements import lines_of, rewritten
from backdate.recipes.repair.rules import repairs
from backdate.recipes.repair.setup_failure import SetupFailure, read_failure

AT = datetime(2021, 3, 1, tzinfo=UTC)
WHY = Provenance(rule="a test")


class Index:
    """Every candidate that is named so provides everything."""

    def __init__(self, *known: str) -> None:
        self.known = known

    def providers(self, module: str, candidates: Iterable[str], at: datetime) -> tuple[str, ...]:
        return tuple(one for one in candidates if one in self.known)

    def first_upload(self, name: str, wanted: str | None, after: datetime) -> datetime | None:
        return None

    def versions(self, name: str, at: datetime) -> tuple[str, ...]:
        return ("1.0",) if name in self.known else ()

    def has_wheels(self, name: str, at: datetime) -> bool:
        return name in self.known

    def wants_compiling(self, name: str, wanted: str, python: str, at: datetime) -> bool:
        return (name, wanted, python) == ("pandas", "<2.0", "3.13.0")


def _recipe(*files: str, runner: str = "pytest") -> Recipe:
    return Recipe(
        install=tuple(InstallStep(kind="requirements", file=one, provenance=WHY) for one in files),
        test=SuitePlan(runner=runner, provenance=WHY),
    )


def _trouble(text: str, phase: str = "tests", **more: object) -> SetupFailure:
    return read_failure(
        phase=phase,
        status="broken" if phase == "tests" else phase,
        texts=(text,),
        python="3.8.18",
        instant=AT,
        pythons=("3.7.16", "3.8.18", "3.9.18"),
        **more,
    )


def test_requirements_are_read_with_what_they_include(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("-r b.txt\nsix>1 # why\n--index-url x\n-e .[dev]\n-r a.txt\n")
    (tmp_path / "b.txt").write_text("attrs==1 \\\n  --hash=sha256:00\ngit+https://x/y.git#egg=Y_z\n")
    found = list(lines_of(Files(tmp_path), "a.txt"))
    assert [one.text for one in found] == ["attrs==1", "git+https://x/y.git#egg=Y_z", "six>1", ".[dev]"]
    assert [one.name for one in found] == ["attrs", "y-z", "six", None]
    assert (found[2].file, found[2].line) == ("a.txt", 2)


def test_a_file_of_which_a_line_has_to_go_is_written_out(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("six\nattrs==99\n.\n")
    (tmp_path / "setup.py").write_text("")
    files = Files(tmp_path)
    recipe = _recipe("a.txt")
    after = rewritten(recipe, files, lambda line: None if line.name == "attrs" else line.text, "rule", "why")
    assert [(one.kind, one.file, one.packages) for one in after.install] == [
        ("project", ".", ()),
        ("packages", None, ("six",)),
    ]
    assert after.install[0].provenance.file == "a.txt"
    assert rewritten(recipe, files, lambda line: line.text, "rule", "why") is recipe


def test_nothing_is_installed_that_does_not_hold_the_module(tmp_path: Path) -> None:
    failure = _trouble("ModuleNotFoundError: No module named 'yaml'")
    assert classify(failure) is ErrorClass.MISSING_MODULE
    first = repairs(failure, _recipe(), tmp_path, Index("PyYAML"))[0]
    assert first.recipe.install[-1].packages == ("PyYAML",)
    assert first.recipe.install[-1].provenance.rule == "repair: missing module"
    assert not [one for one in repairs(failure, _recipe(), tmp_path, Index()) if "missing module" in one.rule]


def test_the_projects_own_specifier_is_kept(tmp_path: Path) -> None:
    (tmp_path / "requirements-extra.txt").write_text("PyYAML<5.4\n")
    failure = _trouble("ModuleNotFoundError: No module named 'yaml'")
    first = repairs(failure, _recipe(), tmp_path, Index("PyYAML"))[0]
    assert first.recipe.install[-1].packages == ("PyYAML<5.4",)


def test_all_that_is_missing_is_proposed_at_once(tmp_path: Path) -> None:
    text = "ModuleNotFoundError: No module named 'yaml'\nE  fixture 'mocker' not found\n"
    first = repairs(_trouble(text), _recipe(), tmp_path, Index("PyYAML"))[0]
    assert [one.packages for one in first.recipe.install] == [("PyYAML",), ("pytest-mock",)]
    assert first.rule == "missing module + missing test plugin"


@pytest.mark.parametrize(
    ("said", "packages", "mode"),
    [
        ("RuntimeError: Trio fixtures can only be used by Trio tests", ("pytest-trio",), "trio_mode=true"),
        ("async def functions are not natively supported", ("pytest-asyncio>=0.20",), "asyncio_mode=auto"),
    ],
)
def test_async_tests_of_an_sdist_without_its_configuration(
    tmp_path: Path, said: str, packages: tuple[str, ...], mode: str
) -> None:
    there = InstallStep(kind="packages", packages=packages, provenance=WHY)
    recipe = replace(_recipe(), install=(there,))
    (first, *_) = repairs(
        _trouble(f"{said}\nasync def functions are not natively supported\n"), recipe, tmp_path, Index()
    )
    assert first.recipe.install == (there,)
    assert first.recipe.test.arguments[-2:] == ("-o", mode)
    again = repairs(_trouble(said), first.recipe, tmp_path, Index())
    assert not [one for one in again if "async mode" in one.rule]


@pytest.mark.parametrize(("python", "tried"), [("3.8.18", True), ("3.13.0", False)])
def test_a_release_that_would_have_to_be_compiled_is_not_gone_back_to(
    tmp_path: Path, python: str, *, tried: bool
) -> None:
    text = "AttributeError: 'DataFrame' object has no attribute 'iteritems'"
    failure = replace(_trouble(text), python=python)
    proposed = repairs(failure, _recipe(), tmp_path, Index())
    assert any("pandas<2.0" in one.reason for one in proposed) is tried


def test_no_older_interpreter_is_tried_where_none_could_have_a_wheel(tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("pygraphviz\nsix\n")
    text = (
        "error: Failed to build `pygraphviz==1.7`\n"
        "pygraphviz/graphviz_wrap.c:2711:10: fatal error: graphviz/cgraph.h: No such file or directory\n"
    )
    failure = _trouble(text, "install")

    def rules(*known: str) -> list[str]:
        return [one.rule for one in repairs(failure, _recipe("more.txt"), tmp_path, Index(*known))]

    older, without = "no wheel for the interpreter", "without what does not build"
    assert older in rules("pygraphviz")
    assert older not in rules()
    assert without in rules()


def test_an_own_build_that_an_update_broke_is_not_gone_around(tmp_path: Path) -> None:
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\nsetup(name='own', install_requires=['six'])\n"
    )
    project = InstallStep(kind="project", file=".", provenance=WHY)
    recipe = replace(_recipe(), install=(project,))

    def rules(said: str) -> list[str]:
        text = f"error: Failed to build `own @ file:///work/0/own`\n  {said}\n"
        return [one.rule for one in repairs(_trouble(text, "resolve"), recipe, tmp_path, Index())]

    rule = "without the project's own build"
    assert rule in rules("urllib.error.URLError: <urlopen error [Errno -2] Name or service not known>")
    assert rule not in rules("AttributeError: module 'configparser' has no attribute 'SafeConfigParser'")
    (tmp_path / "setup.py").write_text("from setuptools import setup\nsetup(name='own', ext_modules=[x])\n")
    assert rule not in rules("urllib.error.URLError: <urlopen error [Errno -2] Name or service not known>")


def test_all_names_of_which_nothing_was_there_go_at_once(tmp_path: Path) -> None:
    (tmp_path / "more.txt").write_text("xorg-libxrender\nsix\n")
    packages = InstallStep(kind="packages", packages=("cairo", "rdkit>=1", "pandas"), provenance=WHY)
    recipe = _recipe("more.txt")
    recipe = replace(recipe, install=(packages, *recipe.install))
    failure = _trouble("ERROR: No matching distribution found for cairo", "resolve")
    found = repairs(failure, recipe, tmp_path, Index("pandas", "six"))
    first = next(one for one in found if one.rule == "unsatisfiable requirement")
    assert [one.packages for one in first.recipe.install] == [("pandas",), ("six",)]
    assert first.reason == "without cairo, rdkit, xorg-libxrender, of which nothing was there"


def test_the_standard_library_and_python_2_are_not_looked_for(tmp_path: Path) -> None:
    for module in ("tkinter", "urllib2", "_sqlite3"):
        failure = _trouble(f"ModuleNotFoundError: No module named '{module}'")
        proposed = repairs(failure, _recipe(), tmp_path, Index(*candidates_for(module)))
        assert not [one for one in proposed if "missing module" in one.rule]


def test_a_wheel_is_taken_instead_of_a_build_against_the_system(tmp_path: Path) -> None:
    (tmp_path / "r.txt").write_text("psycopg2>=2.8\n")
    failure = _trouble("Error: pg_config executable not found.", phase="install")
    assert classify(failure) is ErrorClass.MISSING_HEADER
    found = repairs(failure, _recipe("r.txt"), tmp_path, Index())
    assert found[0].recipe.install[0].packages == ("psycopg2-binary>=2.8",)
    assert ("libpq-dev",) in [one.packages for repair in found for one in repair.recipe.system]


@pytest.mark.parametrize(
    "said",
    ["error: Failed to build `dtlssocket==0.1.16`", "  ERROR: Failed building wheel for DTLSSocket\nmore"],
)
def test_what_does_not_build_goes_alone(tmp_path: Path, said: str) -> None:
    (tmp_path / "r.txt").write_text("aiocoap==0.4.7\nDTLSSocket==0.1.16\npydantic==1.10.9\n")
    recipe = _recipe("r.txt")
    recipe = replace(recipe, install=(InstallStep(kind="project", file=".", provenance=WHY), *recipe.install))
    found = repairs(_trouble(said, phase="install"), recipe, tmp_path, Index())
    rules = [one.rule for one in found]
    assert rules.index("without what does not build") < rules.index("fewer steps")
    repaired = found[rules.index("without what does not build")].recipe
    assert [step.packages for step in repaired.install] == [(), ("aiocoap==0.4.7", "pydantic==1.10.9")]


def test_the_project_itself_is_not_left_out_for_its_build(tmp_path: Path) -> None:
    (tmp_path / "setup.cfg").write_text("[metadata]\nname = case\n")
    (tmp_path / "r.txt").write_text("case\nsix\n")
    found = repairs(_trouble("Failed to build `case`", phase="install"), _recipe("r.txt"), tmp_path, Index())
    assert "without what does not build" not in [one.rule for one in found]


def test_of_two_releases_of_one_name_the_cut_is_moved_once(tmp_path: Path) -> None:
    class Later(Index):
        def first_upload(self, name: str, wanted: str | None, after: datetime) -> datetime | None:
            return AT + timedelta(days=1 if wanted == "1.0" else 2)

    said = "there is no version of x==1.0 and there is no version of x==1.1"
    found = repairs(_trouble(said, phase="resolve"), _recipe(), tmp_path, Later())
    (cut,) = found[0].recipe.extra_cutoff_overrides
    assert (cut.name, cut.until) == ("x", AT + timedelta(days=2, minutes=10))


def test_a_cut_is_moved_to_the_first_release_that_is_wanted(tmp_path: Path) -> None:
    class Deleted(Index):
        """Nothing is left of what was there; of what came later the second suits."""

        def first_upload(self, name: str, wanted: str | None, after: datetime) -> datetime | None:
            return AT + timedelta(days=200 if wanted == ">=0.2.0" else 100)

        def versions(self, name: str, at: datetime) -> tuple[str, ...]:
            return ()

    said = "there are no versions of ml-dtypes and all versions of jaxlib depend on ml-dtypes>=0.2.0, we"
    said += " can conclude: No matching distribution found for ml-dtypes>=0.2.0"
    found = repairs(_trouble(said, phase="resolve"), _recipe(), tmp_path, Deleted())
    (cut,) = found[0].recipe.extra_cutoff_overrides
    assert (cut.name, cut.until) == ("ml-dtypes", AT + timedelta(days=200, minutes=10))


@pytest.mark.parametrize(
    ("line", "allowed", "refused"),
    [
        ("x.c:9:10: fatal error: longintrepr.h: No such file or directory", (3, 10), (3, 11)),
        ("error: \u2018PyThreadState\u2019 has no member named \u2018exc_type\u2019", (3, 6), (3, 7)),
        ("error: 'struct _ts' has no member named 'use_tracing'", (3, 10), (3, 11)),
        ("error: invalid use of incomplete typedef \u2018PyFrameObject\u2019", (3, 10), (3, 11)),
        ("error: 'PyThreadState' has no member named 'curexc_type'", (3, 11), (3, 12)),
        ("error: too few arguments to function \u2018_PyLong_AsByteArray\u2019", (3, 12), (3, 13)),
    ],
)
def test_what_headers_do_not_hold_any_more_asks_for_an_older_python(
    line: str, allowed: tuple[int, int], refused: tuple[int, int]
) -> None:
    failure = replace(_trouble(line, phase="install"), python=f"{refused[0]}.{refused[1]}.1")
    assert classify(failure) is ErrorClass.WRONG_INTERPRETER
    found = wanted_minor(failure)
    assert found is not None
    assert found[0](allowed)
    assert not found[0](refused)


@pytest.mark.parametrize(
    ("module", "wanted"),
    [("unittest.mock", True), ("asyncio", True), ("numpy", False), ("project.mock", False)],
)
def test_what_a_module_of_python_lacks_asks_for_an_older_one(module: str, wanted: bool) -> None:
    line = f"AttributeError: module '{module}' has no attribute '_is_started'"
    found = wanted_minor(replace(_trouble(line, phase="tests"), python="3.9.18"))
    assert (found is not None) is wanted
    if found is not None:
        assert [found[0](minor) for minor in ((3, 8), (3, 9), (3, 10))] == [True, False, False]


@pytest.mark.parametrize(
    ("line", "missing", "packages"),
    [
        (
            "src/m.c:1:10: fatal error: mysql.h: No such file or directory",
            "mysql.h",
            "default-libmysqlclient-dev",
        ),
        ("/bin/sh: 1: mysql_config: not found", "mysql_config", "default-libmysqlclient-dev"),
        ("x.c:2:10: fatal error: openssl/ssl.h: No such file", "openssl/ssl.h", "libssl-dev"),
        (
            "Error: Please make sure the libxml2 and libxslt: xml2-config not found",
            "xml2-config",
            "libxml2-dev",
        ),
        ("c/_cffi_backend.c:15:10: fatal error: ffi.h: No such file", "ffi.h", "libffi-dev"),
        ("No package 'cairo' found", "cairo", "libcairo2-dev"),
        ("/usr/bin/ld: cannot find -llber: No such file", "lber", None),
        (
            "  sudo apt-get install -y libmagickwand-dev and try again",
            "libmagickwand-dev",
            "libmagickwand-dev",
        ),
        ("ImportError: MagickWand shared library not found.", "MagickWand", "libmagickwand-dev"),
        ("try: apt install graphviz", "graphviz", "graphviz"),
        (
            "E   locale.Error: unsupported locale setting",
            "unsupported locale setting",
            "locales-all",
        ),
    ],
)
def test_what_the_system_lacks_has_a_package(line: str, missing: str, packages: str | None) -> None:
    if packages is None:
        assert debian_packages(missing) == ()
    else:
        assert packages in system_names(line)[missing]


def test_not_every_word_behind_apt_is_a_package() -> None:
    assert system_names("apt-get install it with; apt-get install $(evil) -dev; apt-get install") == {}


def test_the_longest_start_of_an_option_counts() -> None:
    assert dict(options_of("--cov=x --doctest-plus -n4 --nope --durations=3")) == {
        "--cov": "pytest-cov",
        "--doctest-plus": "pytest-doctestplus",
        "-n4": "pytest-xdist",
    }


def test_own_modules_are_found_below_the_root(tmp_path: Path) -> None:
    (tmp_path / "src" / "deep").mkdir(parents=True)
    (tmp_path / "src" / "deep" / "__init__.py").write_text("")
    (tmp_path / "helpers.py").write_text("")
    files = Files(tmp_path)
    assert own_folder(files, "deep") == "src"
    assert own_folder(files, "helpers") == "."
    assert own_folder(files, "nothing") is None


def test_a_part_of_a_package_that_adapts_another_distribution_is_not_that_one(tmp_path: Path) -> None:
    """marshmallow_validators/colander.py was taken for colander, and stood on the path in its place."""
    package = tmp_path / "adapters"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "colander.py").write_text("from colander import Invalid\n")
    (package / "wtforms.py").write_text("from .core import Converter\n")
    (package / "helpers.py").write_text("import os\n")
    files = Files(tmp_path)
    assert own_folder(files, "colander") is None
    assert own_folder(files, "wtforms") is None
    assert own_folder(files, "helpers") == "adapters"
    assert own_folder(files, "adapters.wtforms") == "."


def test_every_class_has_a_group() -> None:
    assert {one.group for one in ErrorClass} == set(ErrorGroup)


def test_what_rules_add_is_rendered_and_read_back() -> None:
    recipe = Recipe(
        install=(InstallStep(kind="project", file=".", provenance=WHY),),
        test=SuitePlan(runner="pytest", provenance=WHY),
        build_constraints=(BuildConstraint(requirement="setuptools<58", provenance=WHY),),
        build_requirements=(BuildRequirement(distribution="p", requirement="numpy", provenance=WHY),),
        extra_cutoff_overrides=(LaterCut(name="attrs", until=AT, provenance=WHY),),
    )
    assert read_recipe(as_json(recipe)) == recipe
    script = as_shell_script(recipe)
    assert "echo 'setuptools<58' >> /tmp/build-constraints.txt\nexport PIP_CONSTRAINT=" in script
    assert script.index("pip install numpy") < script.index("pip install .")
    assert "# the index has to show attrs as of 2021-03-01T00:00:00Z" in script
    docker = as_dockerfile(recipe)
    assert "RUN echo 'setuptools<58'" in docker
    assert "\nENV PIP_BUILD_CONSTRAINT=/tmp/build-constraints.txt\n" in docker


@pytest.mark.parametrize(
    ("installed", "limited"),
    [
        (None, True),
        ({"pytest": "8.2.0", "pytest-asyncio": "1.0.0"}, True),
        ({"pytest": "8.2.0"}, False),
        ({"pytest": "8.2.0", "pytest-asyncio": "0.21.1"}, False),
    ],
)
def test_what_is_not_installed_or_older_dropped_nothing(
    installed: Mapping[str, str] | None, limited: bool, tmp_path: Path
) -> None:
    trouble = replace(_trouble("fixture 'event_loop' not found"), installed=installed)
    found = repairs(trouble, _recipe(), tmp_path, Index())
    packages = {package for repair in found for step in repair.recipe.install for package in step.packages}
    assert ("pytest-asyncio<0.22" in packages) == limited
    assert any(package.startswith("pytest-asyncio") for package in packages)
