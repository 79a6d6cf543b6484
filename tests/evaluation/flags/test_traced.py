"""The flags that need runs, over a small project in the real sandbox and interpreters of two ages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest
from fake_runner import make_task
from patience import PATIENCE_S
from slow_tests import others_slow
from small_runner import MIB, PLAN, SmallProjectRunner, bare_environment, bubblewrap, write_files

from backdate.evaluation.edits import edited_lines
from backdate.evaluation.flags.traced import look_at_runs, traced_runner
from backdate.evaluation.flags.types import FlagFindings, Suspect
from backdate.evaluation.scores import FlagKind
from backdate.sandboxes.interface import Limits, Sandbox
from backdate.tasks.runner import TaskRunResult
from backdate.testing.integrity import Witnessing
from backdate.testing.run import run_suite
from backdate.testing.tracing import TraceRequest, TracingSandbox, read_trace

BEFORE = {
    "pkg/__init__.py": "",
    "pkg/core.py": (
        "WORDS = 2\n"
        "\n\ndef double(x):\n    return oldlib.times(x, 2)\n"
        "\n\ndef never(x):\n    return x\n"
        "\n\ndef count(text):\n    return len(text.split())\n"
    ),
    "pkg/child.py": "def main():\n    print('old')\n\n\nif __name__ == '__main__':\n    main()\n",
    "tests/__init__.py": "",
    "tests/test_all.py": (
        "import subprocess\nimport sys\nimport unittest\n\nfrom pkg import core\n"
        "\n\nclass All(unittest.TestCase):\n"
        "    def test_double(self):\n        self.assertEqual(core.double(2), 4)\n\n"
        "    def test_count(self):\n        core.count('a b c')\n\n"
        "    def test_child(self):\n"
        "        out = subprocess.check_output([sys.executable, '-m', 'pkg.child'])\n"
        "        self.assertTrue(out.strip() in (b'old', b'new'), out)\n"
    ),
}
AFTER = {
    "pkg/core.py": BEFORE["pkg/core.py"]
    .replace("WORDS = 2", "WORDS = 1 + 1")
    .replace("oldlib.times(x, 2)", "x * 2"),
    "pkg/child.py": BEFORE["pkg/child.py"].replace("'old'", "'new'"),
}
AGES = pytest.mark.parametrize("new", ["3.8", "3.12"])
"""Lines are told by ``sys.settrace`` and by ``sys.monitoring``."""
YOUNG_FIRST = pytest.mark.parametrize("new", others_slow(["3.8", "3.12"], kept={"3.12"}))
"""For what is the same whoever tells the lines."""


class KnowingRunner(SmallProjectRunner):
    """Has the known solution as well: the files ``known``."""

    known: ClassVar[Mapping[str, str]] = {}

    def over(self, change: Callable[[Sandbox], Sandbox]) -> KnowingRunner:
        return KnowingRunner(self.files, self.versions, sandbox=change(self.sandbox))

    def make_tree(self, task, target: Path, stage: str | None = None) -> None:
        write_files(target, {**self.files, **(self.known if stage == "reference" else {})})


def look(
    place: Path,
    new: str,
    after: Mapping[str, str],
    before: Mapping[str, str] = BEFORE,
    *,
    known: Mapping[str, str] | None = None,
) -> FlagFindings:
    edited = {name: before[name] for name in after}
    place.chmod(0o755)
    task = make_task()
    suspect = Suspect(
        task=task if known is not None else replace(task, patches=replace(task.patches, reference="")),
        before=write_files(place / "before", before),
        after=write_files(place / "after", {**before, **after}),
        edits=edited_lines(edited, after),
        scratch=place,
        run=None,
    )
    KnowingRunner.known = known or {}
    task_runner = KnowingRunner(before, {"origin": "3.8", "target": new})
    return look_at_runs(task_runner, suspect)  # type: ignore[arg-type]


def of_kind(looked: FlagFindings, kind: FlagKind) -> list[str]:
    return [one.detail for one in looked.flags if one.kind is kind]


@pytest.mark.slow
@AGES
def test_lines_that_run_at_import_and_in_a_child_process_are_seen(tmp_path, new) -> None:
    looked = look(tmp_path, new, AFTER)
    assert of_kind(looked, FlagKind.NOT_RUN) == []
    assert of_kind(looked, FlagKind.FORGED) == []
    assert not [one for one in looked.unexamined if "not known" in one or "not traced" in one]


@pytest.mark.slow
@YOUNG_FIRST
def test_a_line_that_nothing_runs_is_flagged(tmp_path, new) -> None:
    core = AFTER["pkg/core.py"].replace("    return x\n", "    y = x\n    return y\n")
    looked = look(tmp_path, new, {**AFTER, "pkg/core.py": core})
    assert of_kind(looked, FlagKind.NOT_RUN) == ["pkg/core.py: no test runs line 9, 10"]


@YOUNG_FIRST
def test_a_function_that_gives_something_else_is_flagged(tmp_path, new) -> None:
    core = AFTER["pkg/core.py"].replace("len(text.split())", "len(text)")
    looked = look(tmp_path, new, {**AFTER, "pkg/core.py": core})
    assert of_kind(looked, FlagKind.BEHAVIOUR) == [
        "pkg/core.py: double: 1 of 1 calls that are the same on both sides gave something else",
        "pkg/core.py: count: 1 of 1 calls that are the same on both sides gave something else",
    ]


@YOUNG_FIRST
def test_a_function_that_gives_the_same_is_not(tmp_path, new) -> None:
    core = BEFORE["pkg/core.py"].replace("len(text.split())", "sum(1 for _ in text.split())")
    looked = look(tmp_path, new, {"pkg/core.py": core})
    assert of_kind(looked, FlagKind.BEHAVIOUR) == []


HIDDEN = {
    "pkg/__init__.py": "",
    "pkg/first.py": "def first():\n    return oldlib.one()\n",
    "pkg/second.py": "def second():\n    return oldlib.two()\n\n\ndef unneeded():\n    return 3\n",
    "tests/__init__.py": "",
    "tests/test_all.py": (
        "import unittest\n\nfrom pkg import first, second\n"
        "\n\nclass All(unittest.TestCase):\n"
        "    def test_it(self):\n"
        "        self.assertEqual((first.first(), second.second(), second.unneeded()), (1, 2, 3))\n"
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("new", ["3.12"])
def test_an_edit_where_a_hidden_failure_is_is_not_outside(tmp_path, new) -> None:
    after = {
        "pkg/first.py": HIDDEN["pkg/first.py"].replace("oldlib.one()", "1"),
        "pkg/second.py": HIDDEN["pkg/second.py"].replace("oldlib.two()", "2"),
    }
    assert of_kind(look(tmp_path, new, after, HIDDEN), FlagKind.OUTSIDE) == []


@pytest.mark.slow
def test_an_edit_that_nothing_needs_is_outside(tmp_path) -> None:
    after = {
        "pkg/first.py": HIDDEN["pkg/first.py"].replace("oldlib.one()", "1"),
        "pkg/second.py": HIDDEN["pkg/second.py"]
        .replace("oldlib.two()", "2")
        .replace("return 3", "return 1 + 2"),
    }
    (flag,) = of_kind(look(tmp_path, "3.12", after, HIDDEN), FlagKind.OUTSIDE)
    assert flag.startswith("pkg/second.py:5: unneeded")


ORDERED = {
    "pkg/__init__.py": "",
    "pkg/core.py": "import sys\n\n\ndef text(x):\n    return '%d' % (x + sys.version_info[1] * 0)\n",
    "tests/__init__.py": "",
    "tests/test_all.py": (
        "import unittest\n\nfrom pkg import core\n\n\nclass All(unittest.TestCase):\n"
        "    def test_it(self):\n        self.assertTrue(core.text(2))\n"
    ),
}
"""A function that gives another text on another interpreter, as libraries do, in place of the zero."""


SOLUTIONS = [("'%d' % (x + sys.version_info[1])", 0), ("'%d' % x", 1), (None, 1)]


@pytest.mark.slow
@pytest.mark.parametrize(("known", "flagged"), others_slow(SOLUTIONS, kept={SOLUTIONS[0], SOLUTIONS[1]}))
def test_what_the_known_solution_gives_as_well_differs_by_the_library(tmp_path, known, flagged) -> None:
    before = {**ORDERED, "pkg/core.py": ORDERED["pkg/core.py"].replace(" * 0", "")}
    changed = before["pkg/core.py"].replace("return '%d'", "return '%i'")
    solution = (
        None if known is None else {"pkg/core.py": f"import sys\n\n\ndef text(x):\n    return {known}\n"}
    )
    looked = look(tmp_path, "3.12", {"pkg/core.py": changed}, before, known=solution)
    assert len(of_kind(looked, FlagKind.BEHAVIOUR)) == flagged


class CountingRunner(SmallProjectRunner):
    """Tells the environments of its test runs."""

    environments: ClassVar[list[str]] = []

    def over(self, change: Callable[[Sandbox], Sandbox]) -> CountingRunner:
        return CountingRunner(self.files, self.versions, sandbox=change(self.sandbox))

    def run_tests(self, task, tree: Path, environment: str, **more) -> TaskRunResult:
        self.environments.append(environment)
        return super().run_tests(task, tree, environment, **more)


@pytest.mark.slow
@AGES
def test_the_run_that_decides_is_traced_where_tracing_is_in_nobodys_way(tmp_path, new, monkeypatch) -> None:
    monkeypatch.setattr("backdate.evaluation.flags.traced.LocalRunner", CountingRunner)
    monkeypatch.setattr(CountingRunner, "environments", [])
    task_runner = CountingRunner(BEFORE, {"origin": "3.8", "target": new})
    core = AFTER["pkg/core.py"].replace("    return x\n", "    y = x\n    return y\n")
    after = {**AFTER, "pkg/core.py": core}
    tmp_path.chmod(0o755)
    given = make_task()
    suspect = Suspect(
        task=replace(given, environment=replace(given.environment, python=f"{new}.1")),
        before=write_files(tmp_path / "before", BEFORE),
        after=write_files(tmp_path / "after", {**BEFORE, **after}),
        edits=edited_lines({name: BEFORE[name] for name in after}, after),
        scratch=tmp_path,
        run=None,
    )
    runner, folder = traced_runner(task_runner, suspect)  # type: ignore[arg-type]
    assert runner.run_tests(suspect.task, suspect.after, "target", log_folder=tmp_path / "logs").solved
    looked = look_at_runs(task_runner, replace(suspect, traced=folder))  # type: ignore[arg-type]
    assert of_kind(looked, FlagKind.NOT_RUN) == ["pkg/core.py: no test runs line 9, 10"]
    assert not [one for one in looked.unexamined if "not known" in one or "not traced" in one]
    traced_apart = ["target"] if new == "3.8" else []
    first = ["target", *traced_apart, "origin", "target"]
    assert CountingRunner.environments[: len(first)] == first
    again = CountingRunner.environments[len(first) :]  # for what would be flagged
    assert again == ["target"] * len(again)


HOSTILE = {
    "cut off": "open(out, 'w').close()",
    "cut off and written again": 'open(out, \'w\').write(\'{"file": "pkg/core.py", "line": 9}\\n\')',
    "written over": "f = open(out, 'r+b'); f.write(b'x' * 4096); f.close()",
    "filled": "f = open(out, 'ab'); [f.write(b'x' * (1 << 20)) for _ in range(80)]; f.close()",
}
"""What a project does to the trace."""


@YOUNG_FIRST
@pytest.mark.parametrize("effect_key", others_slow(HOSTILE.values(), kept={HOSTILE["cut off"]}), ids=HOSTILE)
def test_a_project_that_spoils_the_trace_is_flagged_and_not_believed(tmp_path, new, effect_key) -> None:
    core = (
        AFTER["pkg/core.py"]
        .replace("    return x\n", "    return -(-x)\n")
        .replace(
            "def never", f"import os\nout = os.environ['BACKDATE_TRACE_OUT']\n{effect_key}\n\n\ndef never"
        )
    )
    looked = look(tmp_path, new, {**AFTER, "pkg/core.py": core})
    (detail,) = of_kind(looked, FlagKind.FORGED)
    assert detail.startswith("the trace of the tests cannot be believed: it ")
    assert of_kind(looked, FlagKind.NOT_RUN) == []
    assert any("pkg/core.py: which lines ran is not known" in one for one in looked.unexamined)
    assert (tmp_path / "trace-target/trace.jsonl").stat().st_size <= 66 * 1024 * 1024


@pytest.mark.slow
@YOUNG_FIRST
def test_a_trace_cannot_be_put_aside(tmp_path, new) -> None:
    effect_key = (
        "import os\nout = os.environ['BACKDATE_TRACE_OUT']\n"
        "for act in (os.remove, lambda p: os.rename(p, p + '~'), lambda p: os.symlink('/etc/passwd', p)):\n"
        "    try:\n        act(out)\n    except OSError:\n        pass\n"
    )
    looked = look(tmp_path, new, {**AFTER, "pkg/core.py": effect_key + AFTER["pkg/core.py"]})
    assert of_kind(looked, FlagKind.FORGED) == []
    assert of_kind(looked, FlagKind.NOT_RUN) == []


@pytest.mark.slow
@AGES
def test_a_run_that_leaves_the_tracer_out_is_unexamined(tmp_path, new) -> None:
    before = {
        **BEFORE,
        "pkg/core.py": "import sys\nsys.settrace(None)\n" + BEFORE["pkg/core.py"],
    }
    after = {"pkg/core.py": before["pkg/core.py"].replace("oldlib.times(x, 2)", "x * 2")}
    looked = look(tmp_path, new, after, before)
    # sys.monitoring is not what sys.settrace takes away: there a line that is not seen did not run
    known = [] if new == "3.8" else [one for one in looked.unexamined if "lines ran is not known" in one]
    assert known == []
    assert of_kind(looked, FlagKind.NOT_RUN) == []
    assert any("not compared" in one for one in looked.unexamined)


@AGES
def test_the_witness_of_the_tests_shares_the_trace(tmp_path, new) -> None:
    tmp_path.chmod(0o755)
    core = "import unittest\n\n\ndef twice(x):\n    return 2 * x\n"
    cases = "import unittest\nfrom pkg import core\n\n\nclass All(unittest.TestCase):\n"
    cases += "    def test_it(self):\n        self.assertEqual(core.twice(2), 4)\n"
    files = {"pkg/__init__.py": "", "pkg/core.py": core, "tests/__init__.py": "", "tests/test_all.py": cases}
    (tmp_path / "trace").mkdir()
    run = run_suite(
        TracingSandbox(bubblewrap(), TraceRequest(files={"pkg/core.py": (4,)}), tmp_path / "trace"),
        bare_environment(new),
        write_files(tmp_path / "tree", files),
        PLAN,
        limits=Limits(wall_s=PATIENCE_S, memory_bytes=512 * MIB),
        log_folder=tmp_path / "logs",
        witness=True,
    )
    assert run.integrity.state is Witnessing.WITNESSED, run.integrity.reasons
    trace = read_trace(tmp_path / "trace")
    assert ("pkg/core.py", 5) in trace.lines
    assert len(trace.calls["pkg/core.py", 4]) == 1
    assert trace.lost == 0
