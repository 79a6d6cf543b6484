"""A project whose own build broke: what its build runs is edited until there is an environment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from stored_results import make_check_result

from backdate.checking.dated_project import DatedProject
from backdate.checking.resources import Resources
from backdate.checking.result import CheckResult, Obstacle
from backdate.checking.settings import Settings
from backdate.checking.sides import SidePair
from backdate.environments.environment import BuildFailure, Environment
from backdate.fixing import mended_build
from backdate.fixing.mended_build import MendedBuild, builds_no_more, edited, mend_build, raised_in_build
from backdate.progress import NO_PROGRESS
from backdate.projects.python_constraint import PythonConstraint
from backdate.projects.tree import tree_digest
from backdate.recipes.repair.error_class import ErrorClass
from backdate.testing.outcomes import SuiteRun

HOW = """\
import configparser


def version():
    parser = configparser.SafeConfigParser()
    with open("setup.cfg") as file:
        parser.readfp(file)
    return parser.get("p", "version")
"""
SCRIPT = "from setuptools import setup\nimport how\n\nsetup(name='p', version=how.version())\n"
OF_UV = """\
error: Failed to build `p @ file:///work/1234/p`
  cause: The build backend returned an error
  cause: Call to `setuptools.build_meta:__legacy__.get_requires_for_build_wheel` failed (exit status: 1)

         [stderr]
         Traceback (most recent call last):
           File "<string>", line 14, in <module>
           File "/c/lib/python3.12/site-packages/setuptools/build_meta.py", line 317, in run_setup
             exec(code, locals())
           File "<string>", line 4, in <module>
           File "/work/1234/p/how.py", line {line}, in version
             {source}
         AttributeError: {message}

hint: Build failures usually indicate a problem with the package or the build environment
"""
OF_PIP = """\
Processing /work/1234/p
  error: subprocess-exited-with-error
  \u00d7 Getting requirements to build wheel did not run successfully.
  │ exit code: 1
  ╰─> [9 lines of output]
      Traceback (most recent call last):
        File "/c/lib/python3.12/site-packages/setuptools/build_meta.py", line 317, in run_setup
          exec(code, locals())
        File "<string>", line 4, in <module>
        File "/work/1234/p/how.py", line 5, in version
          parser = configparser.SafeConfigParser()
      AttributeError: module 'configparser' has no attribute 'SafeConfigParser'
      [end of output]
"""
GONE = "module 'configparser' has no attribute 'SafeConfigParser'"


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "how.py").write_text(HOW)
    (tree / "setup.py").write_text(SCRIPT)
    return tree


def failure(log: Path, text: str) -> BuildFailure:
    log.write_text(text)
    return BuildFailure(phase="resolve", message="no build", choice=unbuilt().new.choice, log=log)


def unbuilt(**obstacle: bool) -> CheckResult:
    checked = make_check_result()
    python = replace(checked.new.choice.interpreter, version="3.12.1")
    choice = replace(checked.new.choice, interpreter=python)
    found = Obstacle(
        error=ErrorClass.UNKNOWN, line="no", help="", log=Path("/log"), **{"own_build": True, **obstacle}
    )
    new = replace(checked.new, choice=choice, environment=None, run=None, obstacle=found)
    return replace(checked, new=new, comparison=None)


@pytest.mark.parametrize("text", [OF_UV.format(line=5, source="x", message=GONE), OF_PIP])
def test_what_a_build_raised_is_named_by_files_of_the_tree(tree: Path, tmp_path: Path, text: str) -> None:
    (chain,) = raised_in_build(failure(tmp_path / "log", text), tree)
    own = [(each.file, each.line) for each in chain.frames if not each.file.startswith(("/", "<"))]
    assert own == [("setup.py", 4), ("how.py", 5)]
    assert chain.message == GONE


def test_another_builds_errors_are_no_errors_of_the_project(tree: Path, tmp_path: Path) -> None:
    text = OF_PIP.replace("/work/1234/p/how.py", "/tmp/other/there.py").replace('"<string>"', '"/tmp/s.py"')
    assert raised_in_build(failure(tmp_path / "log", text), tree) == ()


def test_a_log_names_no_file_outside_the_tree(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "how.py").write_text("")
    away = f"/work/1234/p/x/../../{tmp_path.name}/how.py"
    text = OF_UV.format(line=5, source="x", message=GONE).replace("/work/1234/p/how.py", away)
    frames = [
        frame.file
        for chain in raised_in_build(failure(tmp_path / "log", text), tree)
        for frame in chain.frames
    ]
    assert all(".." not in file or file.startswith("/") for file in frames)


def test_only_a_project_that_built_and_passed_has_a_build_that_broke() -> None:
    assert builds_no_more(unbuilt())
    assert not builds_no_more(unbuilt(own_build=False))
    assert not builds_no_more(make_check_result())


def pair_of(checked: CheckResult, tree: Path) -> SidePair:
    dated = DatedProject(
        name="p",
        tree=tree,
        digest=tree_digest(tree),
        instant=checked.new.instant,
        python_constraint=PythonConstraint(specifier=None, kind="none", rule=""),
    )
    return SidePair(
        origin=checked.origin, old=checked.old, new=checked.new, old_project=dated, new_project=dated
    )


def mended(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: dict[str, str], after: SuiteRun
) -> tuple[MendedBuild | None, list[str]]:
    """``says``: what the log says while the text of the tree's file holds the key."""
    checked, built = unbuilt(), list[str]()
    environment = make_check_result().new.environment
    assert environment is not None

    def build(_recipe: object, dated: DatedProject, *_: object, **__: object) -> Environment | BuildFailure:
        text = (dated.tree / "how.py").read_text() + (dated.tree / "setup.py").read_text()
        built.append(text)
        for key, log in says.items():
            if key in text:
                return failure(tmp_path / "log", log)
        return environment

    monkeypatch.setattr(mended_build, "build", build)
    monkeypatch.setattr(mended_build, "run_tests", lambda *_, **__: after)
    with Resources(Settings(cache=tmp_path / "cache")) as resources:
        found = mend_build(checked, pair_of(checked, tree), resources, tmp_path / "work", NO_PROGRESS)
    return found, built


def test_errors_of_a_build_are_mended_one_after_the_other(tree, tmp_path, monkeypatch) -> None:
    logs = {
        "SafeConfigParser": OF_UV.format(line=5, source="parser = x", message=GONE),
        "readfp": OF_UV.format(
            line=7, source="parser.readfp(file)", message="'ConfigParser' object has no attribute 'readfp'"
        ),
    }
    good = make_check_result().old.run
    assert good is not None
    found, built = mended(tree, tmp_path, monkeypatch, logs, good)
    assert found is not None
    assert len(built) <= 7
    assert found.after["how.py"] == HOW.replace("Safe", "").replace("readfp", "read_file")
    assert found.checked.comparison is not None
    assert not found.checked.comparison.broke
    assert len(found.broke.broke) == len(good.results)
    assert [each.first_line for each in found.answer.reasons] == [5, 7]
    longer = ("# more\n" + HOW).encode()
    assert edited(found, "how.py", longer) == ("# more\n" + found.after["how.py"]).encode()
    assert "SafeConfigParser" in (tree / "how.py").read_text()  # the project's own stays


def test_a_set_up_script_may_be_changed_where_the_build_is_what_broke(tree, tmp_path, monkeypatch) -> None:
    (tree / "setup.py").write_text("import configparser\nconfigparser.SafeConfigParser()\n" + SCRIPT)
    (tree / "how.py").write_text("")
    log = OF_PIP.replace('"<string>", line 4', '"<string>", line 2').replace("/work/1234/p/how.py", "/x.py")
    good = make_check_result().old.run
    assert good is not None
    found, _ = mended(tree, tmp_path, monkeypatch, {"SafeConfigParser": log}, good)
    assert found is not None
    assert found.after["setup.py"].startswith("import configparser\nconfigparser.ConfigParser()\n")


def test_what_nothing_known_mends_stays_as_it_was(tree, tmp_path, monkeypatch) -> None:
    log = OF_UV.format(line=5, source="x", message="'Strange' object has no attribute 'thing'")
    good = make_check_result().old.run
    assert good is not None
    found, built = mended(tree, tmp_path, monkeypatch, {"SafeConfigParser": log}, good)
    assert found is None
    assert len(built) == 1


def test_what_is_used_of_a_module_that_is_gone_is_mended_where_its_import_fails(
    tree, tmp_path, monkeypatch
) -> None:
    (tree / "setup.py").write_text('import imp\nhow = imp.load_source("how", "how.py")\n' + SCRIPT)
    (tree / "how.py").write_text("")
    of_import = OF_PIP.replace('"<string>", line 4', '"<string>", line 1').replace(
        "/work/1234/p/how.py", "/x"
    )
    log = of_import.replace(f"AttributeError: {GONE}", "ModuleNotFoundError: No module named 'imp'")
    good = make_check_result().old.run
    assert good is not None
    found, _ = mended(tree, tmp_path, monkeypatch, {"imp.load_source": log}, good)
    assert found is not None
    loaded = 'importlib.machinery.SourceFileLoader("how", "how.py").load_module()'
    assert found.after["setup.py"] == f"import importlib.machinery\nhow = {loaded}\n{SCRIPT}"
