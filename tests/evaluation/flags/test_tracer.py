"""The tracer in real interpreters of several ages, without a sandbox."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from backdate.evaluation.flags.functions import edited_functions, functions_of
from backdate.evaluation.flags.traced import behaviour, not_run, statement_lines
from backdate.evaluation.flags.types import Suspect
from backdate.evaluation.scores import FlagKind
from backdate.serial import to_json
from backdate.testing.tracing import read_trace

TRACER = Path(__file__).parents[3] / "src/backdate/testing/tracer"
CODE = """\
def double(x, times=2):
    if x is None:
        raise ValueError("no")
    return x * times


def unused(x):
    return x


class Box(object):
    def __init__(self, size):
        self.size = size

    def grown(self, by):
        return Box(self.size + by)
"""
USE = """\
from m import Box, double
double(1); double(2); double([1], times=3)
try:
    double(None)
except ValueError:
    pass
Box(1).grown(2)
"""


def pythons() -> list[str]:
    found = {".".join(map(str, sys.version_info[:2])): sys.executable}
    for folder in sorted(Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"), "versions").glob("*")):
        if (folder / "bin/python").exists():
            found.setdefault(".".join(folder.name.split(".")[:2]), str(folder / "bin/python"))
    return [found[name] for name in ("2.7", "3.6", "3.8", "3.11", "3.12", "3.13") if name in found]


def trace(place: Path, code: str = CODE, use: str = USE, python: str = sys.executable):
    tree = place / "tree"
    tree.mkdir(parents=True, exist_ok=True)
    (tree / "m.py").write_text(code)
    (tree / "use.py").write_text(use)
    firsts = tuple(one.first for one in functions_of(code))
    (place / "request.json").write_bytes(to_json({"root": str(tree), "files": {"m.py": firsts}}))
    (place / "trace.jsonl").touch()
    environment = {
        "PYTHONPATH": str(TRACER),
        "PYTHONDONTWRITEBYTECODE": "1",
        "BACKDATE_TRACE_REQUEST": str(place / "request.json"),
        "BACKDATE_TRACE_OUT": str(place / "trace.jsonl"),
    }
    done = subprocess.run([python, "use.py"], cwd=tree, env=environment, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    return read_trace(place)


@pytest.mark.parametrize("python", pythons(), ids=lambda path: path.split("/")[-3])
def test_lines_and_calls_are_told(tmp_path, python) -> None:
    found = trace(tmp_path, python=python)
    assert found.started == 1
    lines = {line for _, line in found.lines}
    assert {2, 3, 4, 13, 16} <= lines
    assert 8 not in lines
    assert set(found.calls) == {("m.py", 1), ("m.py", 12), ("m.py", 15)}
    gave = set.union(*(set(one) for one in found.calls[("m.py", 1)].values()))
    assert len(found.calls[("m.py", 1)]) == 4
    assert "raised ValueError" in gave


@pytest.mark.parametrize("python", pythons(), ids=lambda path: path.split("/")[-3])
def test_digests_are_the_same_in_every_interpreter(tmp_path, python) -> None:
    assert trace(tmp_path / "one", python=python).calls == trace(tmp_path / "other").calls


@pytest.mark.parametrize("python", pythons(), ids=lambda path: path.split("/")[-3])
def test_of_what_objects_keep_only_the_projects_own_is_compared(tmp_path, python) -> None:
    make = "\n\ndef make(x):\n    return [kept.Field(), x]\n"

    def calls(name: str, code: str, version: int) -> object:
        library = tmp_path / name / "library"
        library.mkdir(parents=True)
        kept = f"class Field(object):\n    def __init__(self):\n        self.v = {version}\n"
        (library / "kept.py").write_text(kept)
        use = f"import sys\nsys.path.insert(0, {str(library)!r})\nfrom m import Box, make\n"
        calls = "make(1)\nBox(1).grown(2)\n"
        return trace(tmp_path / name, f"import kept\n{code}{make}", use + calls, python).calls

    first = calls("first", CODE, 1)
    assert first
    assert calls("another version", CODE, 2) == first
    assert calls("another result", CODE.replace("self.size + by", "self.size - by"), 1) != first


def suspect(tmp_path: Path, before: str, after: str) -> Suspect:
    from backdate.evaluation.edits import edited_lines

    for name, text in (("before", before), ("after", after)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "m.py").write_text(text)
    edits = edited_lines({"m.py": before}, {"m.py": after})
    return Suspect(
        task=None,  # type: ignore[arg-type]
        before=tmp_path / "before",
        after=tmp_path / "after",
        edits=edits,
        scratch=tmp_path,
        run=None,
    )


def test_an_edit_that_no_test_runs_is_flagged(tmp_path) -> None:
    after = CODE.replace("    return x\n", "    y = [\n        x,\n    ]\n    return y\n")
    one = suspect(tmp_path, CODE, after)
    flags, notes = not_run(one, trace(tmp_path / "t", after))
    assert [flag.kind for flag in flags] == [FlagKind.NOT_RUN]
    assert flags[0].detail == "m.py: no test runs line 8, 11"
    assert not notes
    ran, _ = not_run(one, trace(tmp_path / "u", after, USE + "from m import unused; unused(1)\n"))
    assert ran == []


def test_a_function_that_gives_something_else_is_flagged(tmp_path) -> None:
    after = CODE.replace("return x * times", "return x * times + x")
    one = suspect(tmp_path, CODE, after)
    old, new = trace(tmp_path / "t"), trace(tmp_path / "u", after)
    (flag,), not_compared = behaviour(one, one.before, old, new)
    assert not_compared == []
    assert flag.kind is FlagKind.BEHAVIOUR
    assert flag.detail == "m.py: double: 3 of 4 calls that are the same on both sides gave something else"
    assert behaviour(one, one.before, old, old) == ([], [])


def test_a_function_of_which_no_call_is_the_same_was_not_compared(tmp_path) -> None:
    after = CODE.replace("return x * times", "return times * x")
    one = suspect(tmp_path, CODE, after)
    old, new = trace(tmp_path / "t"), trace(tmp_path / "u", after, "import m\nm.double(99)\n")
    flags, not_compared = behaviour(one, one.before, old, new)
    assert flags == []
    assert not_compared == [
        "m.py: the behaviour of double was not compared: no call is known to be the same on both sides"
    ]


def test_which_functions_an_edit_is_in(tmp_path) -> None:
    one = suspect(tmp_path, CODE, CODE.replace("self.size + by", "by + self.size"))
    assert edited_functions(one, "m.py") == {"Box.grown"}


def test_a_file_without_a_trace_is_not_said_to_be_unrun(tmp_path) -> None:
    one = suspect(tmp_path, CODE, CODE.replace("x * times", "times * x"))
    flags, notes = not_run(one, read_trace(tmp_path))
    assert not flags
    assert "not known" in notes[0]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.binary(max_size=100), st.text(max_size=50))
def test_no_trace_and_no_text_make_it_fail(tmp_path, data, text) -> None:
    (tmp_path / "trace.jsonl").write_bytes(b'{"file": "m.py", "line": 1}\n' + data)
    read_trace(tmp_path)
    functions_of(text)
    statement_lines(text)
