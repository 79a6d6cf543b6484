"""What people did by mistake, and projects in a state that a check did not expect: what they are told.

The one list of them. Each case asserts how the command ends and what the answer says, as a value where there
is one. ``ELSEWHERE`` names the tests of those that have a room of their own.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from git_server import git

from backdate.checking.choose_start import choose_start
from backdate.checking.start_instant import StartInstant, StartReason, start_lines
from backdate.cli.exit_codes import MISUSE, OK, STORED
from backdate.cli.main import status_of
from backdate.projects.absent_files import absence_notes
from backdate.projects.project import Project
from backdate.projects.sources.open import open_source

PYPROJECT = '[project]\nname = "thing"\nversion = "1"\n'


@dataclass(frozen=True, kw_only=True)
class Misuse:
    """A command that cannot do what it is asked for."""

    name: str
    command: tuple[str, ...]
    status: int = MISUSE
    says: tuple[str, ...]
    """The words are the point: what was wrong, and what to write instead."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Beside a project with one test, in the folder in which the command runs."""


CASES = (
    Misuse(
        name="a release without pypi:",
        command=("check", "Flask-Login==0.6.2"),
        says=("no folder 'Flask-Login==0.6.2' here. Did you mean pypi:Flask-Login==0.6.2?",),
    ),
    Misuse(
        name="a repository as GitHub names it",
        command=("check", "owner/name"),
        says=("Did you mean https://github.com/owner/name?",),
    ),
    Misuse(name="a folder that is not there", command=("check", "./gone"), says=("no folder './gone'",)),
    Misuse(
        name="a folder without Python",
        command=("check", "empty"),
        files={"empty/README": "x"},
        says=("empty is not a Python project",),
    ),
    Misuse(name="a command misspelt", command=("chek",), says=("Did you mean 'check'",)),
    Misuse(name="an option misspelt", command=("check", "--lowes"), says=("--lowest",)),
    Misuse(name="a form misspelt", command=("check", "--format", "htm"), says=("--format htm", "html")),
    Misuse(name="a question misspelt", command=("check", "--as", "declard"), says=("'declared', 'lifted'",)),
    Misuse(
        name="an instant in words that nobody knows",
        command=("check", "--from", "30 dys ago"),
        says=("'30 dys ago' is not a date", "'30 days ago'", "2021-03-01"),
    ),
    Misuse(
        name="a key of the settings misspelt",
        command=("check",),
        files={"pyproject.toml": PYPROJECT + '[tool.backdate]\ntest-comand = "pytest"\n'},
        says=("test-comand (pyproject.toml:5): there is no such key; did you mean test-command?",),
    ),
    Misuse(
        name="a test command that is no test command",
        command=("check", "--test-command", "./run-it"),
        says=("--test-command: './run-it' is not followed", "such as 'pytest tests'"),
    ),
    Misuse(
        name="a group that the project does not declare",
        command=("check", "--group", "tests"),
        files={"pyproject.toml": PYPROJECT + '[dependency-groups]\ntest = ["mock"]\n'},
        says=("declares no group 'tests'; did you mean test",),
    ),
    Misuse(
        name="the lock of a later uv",
        command=("check", "--from-lock", "uv.lock"),
        files={"uv.lock": 'version = 9\nrequires-python = ">=3.11"\n'},
        says=("uv.lock is not read: its format is 9", "lock again with a version of the tool"),
    ),
    Misuse(
        name="the lock of a later Poetry",
        command=("check", "--from-lock", "poetry.lock"),
        files={"poetry.lock": '[metadata]\nlock-version = "9.0"\n'},
        says=("its format is 9.0", "export it to pylock.toml or requirements.txt"),
    ),
    Misuse(
        name="an output in a folder that cannot be made",
        command=("check", "-o", "test_a.py/report.html"),
        says=("test_a.py is not a folder",),
    ),
    Misuse(name="an output that is a folder", command=("bisect", "-o", "."), says=("is a folder",)),
    Misuse(
        name="an output of no known form",
        command=("check", "-o", "report.pdf"),
        says=("no form goes with .pdf; name one with --format",),
    ),
    Misuse(
        name="a file that is no result",
        command=("show", "test_a.py"),
        status=STORED,
        says=("test_a.py cannot be read as a result",),
    ),
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one test, in which commands run."""
    folder = tmp_path / "thing"
    folder.mkdir()
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "test_a.py").write_text("def test_a(): pass\n")
    monkeypatch.chdir(folder)
    monkeypatch.setenv("BACKDATE_CACHE", str(tmp_path / "cache"))
    return folder


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_who_asks_for_what_cannot_be_is_told_what_to_write(
    case: Misuse, here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, text in case.files.items():
        (here / name).parent.mkdir(exist_ok=True)
        (here / name).write_text(text)
    before = sorted(here.rglob("*"))
    sandbox = ("--sandbox", "unsafe-local") if case.command[0] in ("check", "bisect") else ()
    assert status_of([*case.command, *sandbox]) == case.status
    said = capsys.readouterr()
    for words in case.says:
        assert words in " ".join(said.err.split())
    assert said.out == ""
    assert sorted(here.rglob("*")) == before
    assert not (tmp_path / "cache" / "environments").exists()


def at(days: int) -> str:
    """A date for git, so many days before ``NOW``."""
    return (NOW - timedelta(days=days)).date().isoformat()


NOW = datetime(2024, 6, 30, tzinfo=UTC)
OLD, FRESH = 200, 1
"""Days before ``NOW`` of a commit that says something of the past, and of one that does not."""


def committed(here: Path, days: int, *, tag: str = "") -> None:
    """A commit of all that there is, so many days before ``NOW``."""
    if not (here / ".git").exists():
        git(here, "init", "-q")
    git(here, "add", "-A", day=at(days))
    git(here, "commit", "-q", "--allow-empty", "-m", "a commit", day=at(days))
    if tag:
        git(here, "tag", tag, day=at(days))


def opened(source: Path, tmp_path: Path) -> Project:
    """The project as a check opens it."""
    return open_source(str(source), workdir=tmp_path / "opened")


def started(project: Project) -> StartInstant:
    """Where its old side lies, with an index that knows nothing of it."""
    return choose_start(project, None, NOW, lambda _project, _latest: None)


def fresh_commit(here: Path, tmp_path: Path) -> StartInstant:
    committed(here, OLD, tag="v1")
    (here / "test_a.py").write_text("def test_b(): pass\n")
    committed(here, FRESH)
    return started(opened(here, tmp_path))


def no_tags(here: Path, tmp_path: Path) -> StartInstant:
    committed(here, OLD)
    committed(here, FRESH)
    return started(opened(here, tmp_path))


def shallow_clone(here: Path, tmp_path: Path) -> StartInstant:
    committed(here, OLD, tag="v1")
    committed(here, FRESH)
    clone = tmp_path / "clone"
    git(here, "clone", "-q", "--depth=1", "--no-tags", f"file://{here}", str(clone))
    return started(opened(clone, tmp_path))


def detached_head(here: Path, tmp_path: Path) -> StartInstant:
    committed(here, OLD, tag="v1")
    committed(here, FRESH)
    git(here, "checkout", "-q", "--detach", "v1")
    return started(opened(here, tmp_path))


def dirty_tree(here: Path, tmp_path: Path) -> StartInstant:
    committed(here, OLD)
    (here / "test_a.py").write_text("def test_b(): pass\n")
    return started(opened(here, tmp_path))


def no_commit(here: Path, tmp_path: Path) -> StartInstant:
    git(here, "init", "-q")
    return started(opened(here, tmp_path))


BACK = datetime(2024, 4, 1, tzinfo=UTC)
"""90 days before ``NOW``."""


@pytest.mark.parametrize(
    ("state", "reason", "instant", "says"),
    [
        (
            fresh_commit,
            StartReason.TAG,
            NOW - timedelta(days=OLD),
            "so the date of the tag v1 is taken",
        ),
        (no_tags, StartReason.DAYS_BACK, BACK, "90 days back"),
        (shallow_clone, StartReason.DAYS_BACK, BACK, "shallow"),
        (detached_head, StartReason.COMMIT, NOW - timedelta(days=OLD), "the date of the last commit"),
        (dirty_tree, StartReason.COMMIT, NOW - timedelta(days=OLD), "changes that are not committed"),
        (no_commit, StartReason.DAYS_BACK, BACK, "90 days back"),
    ],
)
def test_a_repository_in_any_state_has_an_old_side_and_is_told_why_there(
    state: Callable[[Path, Path], StartInstant],
    reason: StartReason,
    instant: datetime,
    says: str,
    here: Path,
    tmp_path: Path,
) -> None:
    start = state(here, tmp_path)
    assert (start.reason, start.instant) == (reason, instant)
    assert says in "; ".join(start_lines(start))


def test_a_clone_without_its_submodules_is_told_what_gets_them(here: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "vendored.py").write_text("")
    committed(other, OLD)
    git(here, "init", "-q")
    git(here, "submodule", "--quiet", "add", str(other), "vendor")
    committed(here, OLD)
    assert absence_notes(opened(here, tmp_path / "whole")) == ()
    clone = tmp_path / "clone"
    git(here, "clone", "-q", str(here), str(clone))
    (note,) = absence_notes(opened(clone, tmp_path))
    assert note.startswith("the submodule vendor")
    assert "git submodule update --init" in note


@pytest.mark.parametrize("command", ["", "check", "bisect", "cache", "cache size"])
def test_h_is_help(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of([*command.split(), "-h"]) == OK
    assert f"Usage: backdate {command}".rstrip() in capsys.readouterr().out


ELSEWHERE = {
    "the old instant is not before the new one": "cli/test_main.py::test_old_after_new",
    "bounds that cannot be met today": (
        "checking/test_verdict.py::"
        "test_what_users_cannot_install_any_more_is_the_finding_of_the_declared_question"
    ),
    "bounds that cannot be met at either instant": (
        "checking/test_verdict.py::test_bounds_that_cannot_be_met_at_either_instant_are_the_finding_too"
    ),
    "a cap that is needed, and one that can be lifted": (
        "checking/test_answer_project.py::test_a_cap_that_tests_need_and_one_that_they_do_not"
    ),
    "the present files want what was not released then": (
        "checking/test_choose_start.py::test_the_first_day_on_which_the_present_files_resolve"
    ),
    "a release of another project of that name": (
        "checking/test_choose_start.py::test_a_release_of_another_project_of_that_name_dates_nothing"
    ),
    "an output that cannot be written, for each command": (
        "cli/test_output_options.py::test_what_cannot_be_written_is_refused_before_anything_is_made"
    ),
    "a test command that selects nothing": (
        "recipes/test_configured.py::test_no_repair_runs_other_tests_than_those_asked_for"
    ),
    "settings of a stranger that widen rights": (
        "configuration/test_documents.py::test_what_widens_rights_needs_trust"
    ),
    "Ctrl-C of the index server": "cli/test_index_commands.py::test_index_serves_until_it_is_stopped",
    "Ctrl-C of a bisection": "cli/test_bisect.py::test_an_interrupted_search_tells_and_writes_what_it_found",
    "lines of any width": "cli/test_render.py::test_lines_are_wrapped_at_spaces_and_nothing_is_lost",
    "help of any width": "cli/test_panels.py::test_help_is_as_wide_as_the_terminal_up_to_120",
    "no colour in a pipe": "cli/test_main.py::test_piped_output_is_plain_and_of_any_encoding",
    "a tick for a side that did not pass": "cli/test_progress.py::test_only_a_side_that_passed_has_a_tick",
    "macOS and Windows": "cli/test_panels.py::test_on_other_systems_the_image_is_named",
    "misuse of the action leaves no report": "action/test_steps.py::test_misuse_leaves_no_report",
}
"""Cases with a room of their own, and the test that shows the answer."""


@pytest.mark.parametrize("case", ELSEWHERE)
def test_the_others_are_shown_in_their_rooms(case: str, repository_root: Path) -> None:
    file, _, name = ELSEWHERE[case].partition("::")
    tree = ast.parse((repository_root / "tests" / file).read_text())
    assert name in [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
