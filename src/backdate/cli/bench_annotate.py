"""``backdate bench annotate``: a person's gold patch, timed and proven."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes

if TYPE_CHECKING:
    from backdate.tasks.annotating import Annotation
    from backdate.tasks.annotation_folder import AnnotationFolder
    from backdate.tasks.local_runner import LocalRunner
    from backdate.tasks.task import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotateArguments:
    """What ``bench annotate`` is given."""

    folder: options.DatasetFolder
    task: Annotated[str, typer.Argument(metavar="TASK", help="The task's instance id.")]
    workspace: Annotated[
        Path | None,
        typer.Option("--workspace", metavar="DIR", help="Where to work; DATASET.work/TASK if not given."),
    ] = None
    shell: Annotated[
        str | None,
        typer.Option("--shell", metavar="COMMAND", help="Run this command line instead of your $SHELL."),
    ] = None
    only_try: Annotated[
        bool,
        typer.Option("--try", help="Run the tests on the work as it is now, isolated; no shell, no time."),
    ] = False
    unsolvable: Annotated[
        str | None,
        typer.Option("--unsolvable", metavar="REASON", help="Give up: write down why it cannot be solved."),
    ] = None
    repeats: Annotated[int, typer.Option(metavar="N", min=1, help="Runs that prove the edit.")] = 3
    most_runs: Annotated[
        int, typer.Option(metavar="N", min=0, help="Further runs to leave out what is not needed.")
    ] = 60
    repos: options.Repositories = None
    machine: options.TaskMachine


@takes(AnnotateArguments)
def annotate_command(arguments: AnnotateArguments) -> int:
    """Solve a task by hand: a shell in the new environment, the edit proven, made small, and written down.

    The time in the shell counts: easy below 15 minutes, medium below 60, hard below 120. When you
    leave the shell, the edit is taken; run the same command again to continue. The shell is your own and not
    isolated; --try, in another terminal, runs the tests isolated. Example: backdate bench annotate tasks
    TASK
    """
    from backdate.cli import exit_codes
    from backdate.cli.progress import watch
    from backdate.cli.terminal import printable
    from backdate.tasks.annotating import annotate, record_annotation, try_patch, unsolvable
    from backdate.tasks.annotation_folder import edit_of, open_workspace
    from backdate.tasks.dataset import Dataset

    dataset = Dataset.open(arguments.folder)
    task = dataset.task(arguments.task)
    task_runner = arguments.machine.task_runner(dataset, arguments.repos)
    beside = arguments.folder.with_name(f"{arguments.folder.resolve().name}.work") / task.instance_id
    work = open_workspace(arguments.workspace or beside, task, task_runner)
    if arguments.only_try:
        verdict = try_patch(task, edit_of(work), task_runner)
        typer.echo("solved" if verdict.solved else printable(f"not solved: {verdict.reason}"))
        return exit_codes.OK if verdict.solved else exit_codes.BROKE
    if arguments.unsolvable is None:
        work = _work(task, work, task_runner, arguments.shell)
        with watch() as progress:
            annotation = annotate(
                task,
                work,
                task_runner,
                repeats=arguments.repeats,
                most_runs=arguments.most_runs,
                progress=progress,
            )
    else:
        annotation = unsolvable(task, work, arguments.unsolvable)
    if annotation.state not in ("empty", "refused"):
        record_annotation(dataset, task, annotation, arguments.repeats)
    for line in _lines(annotation, work):
        typer.echo(printable(line))
    return exit_codes.OK if annotation.state in ("solved", "unsolvable") else exit_codes.BROKE


def _work(
    task: Task, workspace: AnnotationFolder, task_runner: LocalRunner, shell: str | None
) -> AnnotationFolder:
    """Build the new side's environment and give the person a shell in it."""
    from backdate.cli.terminal import tell
    from backdate.environments.environment import BuildFailure
    from backdate.tasks.annotation_folder import spend_time

    built = task_runner.build(task, workspace.work, "target").answer
    environment = dict(os.environ)
    if isinstance(built, BuildFailure):
        tell(f"Note: the new environment does not build: {built.message}")
    else:
        environment["VIRTUAL_ENV"] = str(built.root)
        environment["PATH"] = f"{built.root / 'bin'}{os.pathsep}{environment.get('PATH', os.defpath)}"
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # it is shared with everyone who asks for the same
    tell(f"Edit the files in {workspace.work} and leave the shell when you are done.")
    command = ["/bin/sh", "-c", shell] if shell else [os.environ.get("SHELL") or "/bin/sh"]
    return spend_time(workspace, command, environment)


def _lines(annotation: Annotation, workspace: AnnotationFolder) -> list[str]:
    minutes = annotation.spent_s / 60
    lines = [f"{annotation.instance_id}: {annotation.state} after {minutes:.1f} minutes"]
    if annotation.reason:
        lines.append(annotation.reason)
    if annotation.state == "solved":
        small = "nothing more can be left out" if annotation.minimal else "more might be left out"
        lines.append(
            f"difficulty: {annotation.difficulty}; {annotation.removed_hunks} hunks left out, {small}; "
            f"{annotation.runs} runs"
        )
    elif annotation.state in ("empty", "refused", "unsolved"):
        lines.append(f"The work is kept in {workspace.folder}: the same command goes on with it.")
    return lines
