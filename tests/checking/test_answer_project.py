"""Both questions of a project with a cap that its tests need, and of one without, on a small index."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.resources import files as files_of
from pathlib import Path
from types import MappingProxyType

import pytest
from small_world import commit, running_index

from backdate.checking.answers import CheckAnswers, read_answers
from backdate.checking.question import AskedQuestions, Question
from backdate.checking.result import Verdict
from backdate.checking.settings import Settings
from backdate.cli.render_answers import answers_lines
from backdate.errors import SandboxUnavailable
from backdate.sandboxes.bubblewrap import Bubblewrap
from backdate.sandboxes.scratch import default_root
from backdate.session import answer, check
from backdate.timeline.instants import parse_instant

LATE = parse_instant("2025-06-01")
RELEASES = (
    ("pip", "23.0", "2023-01-01T00:00:00Z", ""),
    ("setuptools", "65.0", "2023-01-01T00:00:00Z", ""),
    ("brittle", "1.0", "2023-01-01T00:00:00Z", "def shout(text):\n    return text.upper()\n"),
    ("brittle", "2.0", "2024-09-01T00:00:00Z", "def cry(text):\n    return text.upper()\n"),
    ("brittle", "3.0", "2025-02-01T00:00:00Z", "def cry(text):\n    return text.upper()\n"),
    ("steady", "1.0", "2023-01-01T00:00:00Z", "ONE = 1\n"),
    ("steady", "2.0", "2024-05-01T00:00:00Z", "ONE = 1\n"),
)
TESTS = (
    "import unittest\n\nimport brittle\nimport steady\n\n\nclass Case(unittest.TestCase):\n"
    "    def test_loud(self):\n        self.assertEqual(brittle.shout('a'), 'A')\n\n"
    "    def test_one(self):\n        self.assertEqual(steady.ONE, 1)\n"
)


@pytest.fixture(scope="module")
def index() -> Iterator[str]:
    try:
        Bubblewrap().require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    with running_index(RELEASES) as url:
        yield url


def project_in(folder: Path, requirements: str, more: Mapping[str, str] = MappingProxyType({})) -> Path:
    project = folder / "project"
    files = {"requirements.txt": requirements, "tests/__init__.py": "", "tests/test_it.py": TESTS}
    commit(project, files | dict(more), "2024-01-05T00:00:00Z")
    return project


@pytest.fixture(scope="module")
def unbound(index: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, CheckAnswers]:
    """The folder of a project that has no bounds, and what was answered of it."""
    folder = tmp_path_factory.mktemp("unbound")
    return folder, answers_for("brittle\nsteady\n", index, folder)


def answers_for(requirements: str, index: str, folder: Path) -> CheckAnswers:
    return answer(
        project_in(folder, requirements),
        to_instant=LATE,
        python="3.11",
        settings=Settings(cache=folder / "cache", index_url=index),
    )


@pytest.mark.slow
def test_a_cap_that_tests_need_and_one_that_they_do_not(index: str, tmp_path: Path) -> None:
    found = answers_for("# ours\nbrittle<2\nsteady==1.0\n", index, tmp_path)
    assert found.declared is not None
    assert found.lifted is not None
    assert (found.verdict, found.lifted.verdict) == (Verdict.NOTHING_BROKE, Verdict.BROKE)
    assert (found.declared.question, found.lifted.question) == tuple(Question)
    assert found.declared.old == found.lifted.old
    (cap,) = found.caps
    assert (cap.requirement, cap.file, cap.line, cap.tests, cap.proven) == (
        *("brittle<2", "requirements.txt", 2),
        *(1, True),
    )
    assert (cap.newest, cap.released) == ("3.0", parse_instant("2025-02-01"))
    assert (cap.first, cap.first_released, cap.first_breaks) == ("2.0", parse_instant("2024-09-01"), 1)
    assert [(free.requirement, free.line, free.without) for free in found.liftable] == [
        ("steady==1.0", 3, "2.0")
    ]
    assert not found.same
    assert read_answers(found.declared.folder / "result.json") == found
    text = "\n".join(line for line, _ in answers_lines(found))
    assert "Users today: NOTHING BROKE: all 2 tests that passed and ran again still pass." in text
    assert "Without your own bounds: BROKE: 1 of 2 tests that passed fails now." in text
    assert (
        "Without your cap brittle<2 (requirements.txt:2): 1 test breaks since brittle 2.0 (2024-09-01), "
        "the first release above it (seen: all pass with only this cap kept)"
    ) in text
    assert "You can lift steady==1.0 (requirements.txt:3): nothing breaks with steady 2.0" in text


@pytest.mark.slow
def test_without_bounds_one_run_answers_both(unbound: tuple[Path, CheckAnswers]) -> None:
    found = unbound[1]
    assert found.same
    assert found.declared is not None
    assert found.lifted is not None
    assert found.declared.new == found.lifted.new
    assert (found.verdict, found.lifted.verdict) == (Verdict.BROKE, Verdict.BROKE)
    assert found.decided_by is AskedQuestions.DECLARED
    assert not (found.declared.folder / "lifted").exists()
    text = "\n".join(line for line, _ in answers_lines(found))
    assert "Users today: BROKE: 1 of 2 tests that passed fails now." in text
    assert "Your own bounds keep nothing away: it is the same without them" in text
    assert "Moved: 2 distributions; Python 3.11 stayed" in text


_AFTER_BREAKAGE = (
    *("bisection", "fixing", "lowest", "models", "reports", "solvers", "tasks"),
    *("checking.loop_backend", "checking.setup_class", "checking.setup_result", "diagnosis.diagnose"),
    *("environments.cache_upkeep", "output.report", "recipes.repair.builds", "recipes.repair.rules"),
)
"""Rooms and modules that a check of which tests broke does not need, whatever they cost to import."""
_WATCHED = """
import atexit, json, sys
programs, opened = [], []

def sweeps(frame):
    while frame is not None and frame.f_code.co_name != "clear_stale":
        frame = frame.f_back
    return frame is not None

def watch(event, arguments):
    if event == "subprocess.Popen":
        command = [*map(str, arguments[1])]
        # A run also removes what others have left, and what the other side has made and not locked yet: that
        # depends on what runs beside it.
        if command[0] != "rm" or not sweeps(sys._getframe()):
            programs.append(command[0].rpartition("/")[2])
    elif event == "open" and isinstance(arguments[0], str):
        opened.append(arguments[0])

sys.addaudithook(watch)
file = sys.argv.pop(1)
atexit.register(lambda: open(file, "w").write(json.dumps([programs, opened, [*sys.modules]])))
from backdate.cli.main import run
run(sys.argv[1:])
"""
TABLES = files_of("backdate.knowledge") / "tables"
_READ_WHILE_TESTS_RUN = ("memory.oom_control", "memory.events", "events.jsonl")
"""Again and again, as long as they run."""


def test_a_second_check_imports_starts_and_opens_little(
    index: str, unbound: tuple[Path, CheckAnswers], tmp_path: Path
) -> None:
    """What a warm check costs beside its test runs, in what can be counted: each bound is close on purpose.

    Whoever adds something imports it where it is needed, and raises a bound only for what every check needs.
    """
    folder, _ = unbound
    words = ("check", folder / "project", "--to", "2025-06-01", "--python", "3.11")
    words += ("--cache", folder / "cache", "--index-url", index)
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED, tmp_path / "seen", *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "BROKE: 1 of 2 tests that passed fails now." in done.stdout, done.stderr
    programs, opened, modules = json.loads((tmp_path / "seen").read_bytes())
    own = [name.removeprefix("backdate.") for name in modules if name.startswith("backdate.")]
    assert [
        name for name in own if f"{name}.".startswith(tuple(f"{room}." for room in _AFTER_BREAKAGE))
    ] == []
    files = [
        path
        for path in opened
        if not path.endswith((".py", ".pyc", ".so", *_READ_WHILE_TESTS_RUN))
        and not path.startswith(str(default_root()))  # where those of other commands lie as well
        and not path.startswith(str(TABLES))  # one for each library that anything is known of
    ]
    started = Counter(programs)
    assert len(own) <= 286
    assert len(modules) <= 529
    assert len(files) <= 194
    # The sandbox is tried, each side is run, and on each side the test that broke again.
    assert started["python"] == 5, started
    assert {"chown", "du"}.isdisjoint(started), started
    assert started.total() <= 24, started


@pytest.mark.slow
def test_what_only_developers_pin_is_nothing_that_users_have(index: str, tmp_path: Path) -> None:
    """The project lets its users have the newest release, and its pinned test requirements hide that."""
    metadata = '[project]\nname = "p"\nversion = "1"\ndependencies = ["brittle>=1", "steady<2"]\n'
    build = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
    tools = "[tool.setuptools]\npackages = []\n"
    project = project_in(
        tmp_path, "brittle==1.0\nsteady==1.0\n", {"pyproject.toml": metadata + build + tools}
    )
    settings = Settings(cache=tmp_path / "cache", index_url=index)
    found = check(project, question=Question.DECLARED, to_instant=LATE, python="3.11", settings=settings)
    assert found.verdict is Verdict.BROKE, found.reason
    assert "-brittle==1.0" in found.unpinning
    assert "steady" not in found.unpinning.replace(" steady==1.0", "")
    assert (found.folder / "declared.patch").exists()
    assert found.new.environment is not None
    versions = {one.name: one.version for one in found.new.environment.lock.distributions}
    assert (versions["brittle"], versions["steady"]) == ("3.0", "1.0")
