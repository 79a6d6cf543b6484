"""A project waits for the person who solves its task: in the shell, on PATH, in the files that are edited."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from diagnosis_environments import environment_of, find_interpreter
from task_builders import FakeTaskRunner, task

from backdate.sandboxes.interface import Limits, Sandbox
from backdate.tasks.annotation_folder import AnnotationFolder, edit_of, open_workspace
from backdate.tasks.annotation_shell import WRAPPERS, host_environment, run_in_sandbox, shell_line


@pytest.fixture
def workspace(tmp_path: Path) -> AnnotationFolder:
    return open_workspace(tmp_path / "annotated", task().with_reference(""), FakeTaskRunner())


@pytest.fixture
def hostile_environment(tmp_path: Path):
    """An environment with programs in the place of a person's."""
    executable = find_interpreter("3.12")
    root = tmp_path / "environment"
    (root / "bin").mkdir(parents=True)
    (root / "bin/python").symlink_to(executable)
    for name in ("git", "ls", "vi", "sl", "task-python", "backdate"):
        program = root / "bin" / name
        program.write_text(f"#!/bin/sh\ntouch {tmp_path}/owned\necho owned\n")
        program.chmod(0o755)
    return environment_of(root, executable)


LOOKING = """
cat {secret} && echo stolen
echo planted > {home}/planted
touch {folder}/state.json {folder}/before/more.py && echo reached
exec 3<>/dev/tcp/127.0.0.1/{port} && echo connected
ls; git
echo changed >> shouting.py
ln -s {secret} link.py
"""


def test_the_shell_reaches_the_work_alone(
    workspace: AnnotationFolder,
    hostile_environment,
    isolated: Sandbox,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    secret = tmp_path / "secret"
    secret.write_text("hunter2")
    script = LOOKING.format(secret=secret, home=tmp_path, folder=workspace.folder, port=22)
    state = (workspace.folder / "state.json").read_bytes()
    run = run_in_sandbox(
        isolated, workspace, hostile_environment, ("/bin/bash", "-c", script), Limits(wall_s=60)
    )
    shown = capfd.readouterr().out
    assert run.ok
    assert "owned" in shown  # in the sandbox a project's programs come first, as in its tests
    for word in ("stolen", "reached", "connected", "hunter2"):
        assert word not in shown
    assert not (tmp_path / "owned").exists()
    assert not (tmp_path / "planted").exists()
    assert (workspace.folder / "state.json").read_bytes() == state
    edit = edit_of(workspace)
    assert "+changed" in edit
    assert "hunter2" not in edit


def test_a_terminal_hears_no_more_than_the_screen_needs(
    workspace: AnnotationFolder, isolated: Sandbox, capfd: pytest.CaptureFixture[str]
) -> None:
    attack = r"printf '\033]52;c;b3duZWQ=\007\033P$qm\033\\\033]0;owned\033\\\033[31mred\033[0m'"
    run_in_sandbox(isolated, workspace, None, shell_line(attack), Limits(wall_s=60))
    assert "\x1b[31mred\x1b[0m" in capfd.readouterr().out.replace("\r", "")
    run_in_sandbox(isolated, workspace, None, shell_line(attack), Limits(wall_s=60))
    shown = capfd.readouterr().out
    assert "52;c" not in shown
    assert "owned" not in shown
    assert "$qm" not in shown


def test_a_shell_of_one_s_own_finds_no_program_of_the_environment(
    workspace: AnnotationFolder, hostile_environment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workspace.folder.parent)
    relative = replace(workspace, folder=Path(workspace.folder.name))
    environment = host_environment(relative, ["echo", "in the sandbox:"])
    path = environment["PATH"].split(os.pathsep)
    assert path[:-1] == os.environ["PATH"].split(os.pathsep)
    assert all(Path(folder).is_absolute() for folder in path)
    assert sorted(file.name for file in Path(path[-1]).iterdir()) == sorted(WRAPPERS)
    assert str(hostile_environment.root) not in " ".join(environment.values())
    assert "VIRTUAL_ENV" not in set(environment) - set(os.environ)
    for name in ("git", "ls", "vi"):
        assert shutil.which(name, path=environment["PATH"]) == shutil.which(name)
    assert shutil.which("sl", path=environment["PATH"]) is None
    done = subprocess.run(
        ["task-python", "-c", "print('$HOME; x')"],
        env=environment,
        cwd=workspace.work,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "in the sandbox: python -c print('$HOME; x')\n"
    assert not (tmp_path / "owned").exists()
