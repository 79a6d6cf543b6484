"""What a traced run tells besides its lines: warnings, and the classes of objects."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from backdate.serial import to_json
from backdate.testing.tracing import SeenObject, SeenWarning, Trace, read_trace

TRACER = Path(__file__).parents[2] / "src/backdate/testing/tracer"
CAPTURE = TRACER.parent / "capture"
LIBRARY = """\
import warnings
from warnings import warn


class Frame(object):
    def append(self, other):
        warnings.warn("append is deprecated, use concat", DeprecationWarning, stacklevel=2)
        return self


def late():
    warn("late", FutureWarning)
"""
PROJECT = """\
import library
class Keeper(object):
    def __init__(self):
        self.frame = library.Frame()
    def more(self, other):
        for _ in range(3):
            self.frame.append(other)
        return other.append(self.frame)
"""
USE = """\
import warnings
from project import Keeper
import library
warnings.simplefilter("ignore")
Keeper().more([])
Keeper().more(library.Frame())
library.late()
"""


def pythons() -> list[str]:
    found = {".".join(map(str, sys.version_info[:2])): sys.executable}
    for folder in sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions").glob("*")):
        if (folder / "bin/python").exists():
            found.setdefault(".".join(folder.name.split(".")[:2]), str(folder / "bin/python"))
    return [found[name] for name in ("2.7", "3.6", "3.8", "3.11", "3.12", "3.13") if name in found]


def trace(
    place: Path,
    asked: Mapping[str, object],
    python: str = sys.executable,
    use: str = USE,
    project: str = "",
    library: str = "",
) -> tuple[Trace, str]:
    tree, installed = place / "tree", place / "site-packages"
    for folder in (tree, installed):
        folder.mkdir(parents=True)
    (installed / "library.py").write_text(library or LIBRARY)
    (tree / "project.py").write_text(project or PROJECT)
    (tree / "use.py").write_text(use)
    (place / "request.json").write_bytes(to_json({"root": str(tree), "files": {"project.py": []}, **asked}))
    (place / "trace.jsonl").touch()
    environment = {
        "PYTHONPATH": f"{TRACER}:{CAPTURE}:{installed}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "BACKDATE_TRACE_REQUEST": str(place / "request.json"),
        "BACKDATE_TRACE_OUT": str(place / "trace.jsonl"),
    }
    done = subprocess.run([python, "use.py"], cwd=tree, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    return read_trace(place), done.stderr.decode()


@pytest.mark.parametrize("python", pythons(), ids=lambda path: path.split("/")[-3])
def test_warnings_are_told_with_the_line_that_is_to_blame_whatever_hides_them(tmp_path, python) -> None:
    found, printed = trace(tmp_path, {"warnings": True}, python)
    text = "append is deprecated, use concat"
    assert printed == ""
    assert [(one.category, one.message, one.file, one.line) for one in found.warnings] == [
        ("DeprecationWarning", text, "project.py", 7),
        ("DeprecationWarning", text, "project.py", 8),
    ]
    assert all(one.source.endswith("site-packages/library.py") for one in found.warnings)
    assert ("project.py", 7) in found.lines


def test_warnings_that_a_program_shows_name_the_line_that_they_always_named(tmp_path) -> None:
    use = USE.replace('simplefilter("ignore")', 'simplefilter("always")')
    printed = [
        trace(tmp_path / name, asked, use=use)[1].replace(str(tmp_path / name), "")
        for name, asked in (("watched", {"warnings": True}), ("alone", {}))
    ]
    assert printed[0] == printed[1]
    assert "project.py:7: DeprecationWarning" in printed[0]


@pytest.mark.parametrize("python", pythons(), ids=lambda path: path.split("/")[-3])
def test_the_classes_of_what_a_line_uses_are_told(tmp_path, python) -> None:
    found, _ = trace(
        tmp_path, {"objects": {"project.py": {"7": ["self.frame"], "8": ["other", "gone"]}}}, python
    )
    builtin = "__builtin__" if found.objects and "2.7" in python else "builtins"
    assert set(found.objects) == {
        SeenObject(file="project.py", line=7, expression="self.frame", class_name="library.Frame"),
        SeenObject(file="project.py", line=8, expression="other", class_name=f"{builtin}.list"),
        SeenObject(file="project.py", line=8, expression="other", class_name="library.Frame"),
    }
    assert found.warnings == ()


MADE_FROM = """\
import library
class Own(library.Frame):
    def use(self):
        self.append(self.more(1))
        self.kept = 1
        return self.kept
    def more(self, one):
        return one
class Further(Own):
    pass
Further().use()
library.Frame().append(2)
"""


@pytest.mark.parametrize("python", pythons(), ids=lambda path: path.split("/")[-3])
def test_what_objects_of_the_project_have_from_a_library_is_told_with_its_class(tmp_path, python) -> None:
    names = ["self.append", "self.more"]
    asked = {
        "objects": {"project.py": {"4": ["self"], "6": ["self"]}},
        "members": {"project.py": {"4": names, "6": ["self.kept"]}},
    }
    found, _ = trace(tmp_path, asked, python, use="import project\n", project=MADE_FROM)
    assert set(found.objects) == {
        SeenObject(file="project.py", line=4, expression="self", class_name="project.Further"),
        SeenObject(file="project.py", line=4, expression="self", class_name="library.Frame", member="append"),
        SeenObject(file="project.py", line=6, expression="self", class_name="project.Further"),
    }


CALLS = """\
import library
class Keeper(object):
    def more(self, frames):
        made = library.made().append(frames[0])
        made.append(frames)
        made.shown.append(1)
        made.replace("a")
        return made.size
"""
LIBRARY_OF_CALLS = """\
import functools
def handing_on(function):
    @functools.wraps(function)
    def wrapper(*given, **named):
        return function(*given, **named)
    return wrapper
def handing_on_of(function):
    @functools.wraps(function)
    def wrapper(self, *given, **named):
        return function(self, *given, **named)
    return wrapper
class Rows(object):
    def append(self, other):
        return self
class Frame(object):
    def __init__(self):
        self.shown = []
    @handing_on
    def append(self, other, sort=False):
        Rows().append(other)
        return self
    @handing_on_of
    def replace(self, old):
        return self.put(old)
    def put(self, old):
        return self
    @property
    def size(self):
        return 0
def made():
    return Frame()
"""


@pytest.mark.parametrize("python", pythons(), ids=lambda path: path.split("/")[-3])
def test_methods_tell_of_which_class_their_object_is_and_what_they_are_given(tmp_path, python) -> None:
    asked = {
        "calls": {
            "project.py": {
                "4": ["append"],
                "5": ["append"],
                "6": ["append"],
                "7": ["replace", "put"],
                "8": ["size"],
            }
        }
    }
    use = "import library\nfrom project import Keeper\nKeeper().more([library.Frame()])\n"
    found, _ = trace(tmp_path, asked, python, use=use, project=CALLS, library=LIBRARY_OF_CALLS)
    of = "{}.bool".format("__builtin__" if "2.7" in python else "builtins")
    a_list = of.replace("bool", "list")
    assert {(one.line, one.expression, one.class_name) for one in found.objects} == {
        (4, ".append", "library.Frame"),
        (4, ".append(0)", "library.Frame"),
        (4, ".append(1)", of),
        (5, ".append", "library.Frame"),
        (5, ".append(0)", a_list),
        (5, ".append(0)[0]", "library.Frame"),
        (5, ".append(1)", of),
        (7, ".replace", "library.Frame"),
        (7, ".replace(0)", of.replace("bool", "str")),
        (8, ".size", "library.Frame"),
    }


CATCHING = """\
class Gone(Exception):
    pass
def inner(kind):
    raise kind("of %s" % kind.__name__)
def outer(kind):
    try:
        inner(kind)
    except Exception:
        return [1 for _ in iter([])]
def lacks(value):
    return hasattr(value, "absent") or getattr(value, "gone", None)
"""
USE_CATCHING = """\
import project
for kind in (ValueError, KeyError, project.Gone, ValueError):
    project.outer(kind)
project.lacks(3)
class Odd(object):
    def __getattr__(self, name):
        return 3.5.gone
project.lacks(Odd())
"""


@pytest.mark.parametrize("python", pythons(), ids=lambda path: path.split("/")[-3])
def test_errors_that_are_caught_are_told_once_at_the_innermost_line(tmp_path, python, monkeypatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "PROJECT", CATCHING)
    found, printed = trace(tmp_path, {"errors": True}, python, USE_CATCHING)
    assert printed == ""
    raised = [(one.file, one.line, one.chain[-1].type, one.chain[-1].message) for one in found.errors]
    assert raised[:3] == [
        ("project.py", 4, "ValueError", "of ValueError"),
        ("project.py", 4, "KeyError", "'of KeyError'"),
        ("project.py", 4, "project.Gone", "of Gone"),
    ]
    assert found.errors[0].chain[-1].frames[0].function == "inner"
    assert {one[1:3] for one in raised[3:]} <= {(11, "AttributeError")}  # where the interpreter says so
    assert ("project.py", 7) in found.lines


def test_no_errors_are_told_where_nobody_asks(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "PROJECT", CATCHING)
    assert trace(tmp_path, {}, use=USE_CATCHING)[0].errors == ()


def test_what_a_project_writes_between_is_no_warning_of_another_form(tmp_path) -> None:
    found, _ = trace(tmp_path, {"warnings": True})
    with (tmp_path / "trace.jsonl").open("a") as file:
        file.write('{"category": "DeprecationWarning", "message": 3, "file": "project.py", "line": 1}\n')
        file.write('{"category": "FutureWarning", "message": "m", "file": "", "line": 1}\n')
    assert read_trace(tmp_path).warnings == found.warnings
    assert all(isinstance(one, SeenWarning) for one in found.warnings)


@pytest.mark.parametrize(("options", "asked"), [("--no-cov", "-q --no-cov"), ("--cov", "-q")])
def test_pytest_cov_takes_no_trace_away(tmp_path, options: str, asked: str) -> None:
    """``--cov`` in a project's configuration kept all that the old side's run tells from being known."""
    plugin = tmp_path / "pytest_cov" / "plugin.py"
    plugin.parent.mkdir()
    plugin.write_text(f"group.addoption('{options}')")
    code = "import os, backdate_trace as t; t._without_coverage(); print(os.environ['PYTEST_ADDOPTS'])"
    environment = {"PYTHONPATH": f"{TRACER}:{CAPTURE}:{tmp_path}", "PYTEST_ADDOPTS": "-q"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, check=True)
    assert done.stdout.decode().strip() == asked
