"""``backdate bench quality``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityArguments:
    """What ``bench quality`` is given."""

    folder: options.DatasetFolder
    only: options.Tasks = None
    repos: options.Repositories = None
    read: Annotated[
        bool, typer.Option("--read", help="Read texts, patches and tests alone; run no broken gold patch.")
    ] = False
    hunks: Annotated[
        int, typer.Option("--hunks", metavar="N", min=0, help="Hunks of a task that are left out at most.")
    ] = 20
    mutants: Annotated[
        int, typer.Option("--mutants", metavar="N", min=0, help="Mutants of a task that run at most.")
    ] = 20
    seconds: Annotated[
        float, typer.Option("--seconds", metavar="S", min=1, help="No trial of a task begins later.")
    ] = 300.0
    seed: Annotated[
        int, typer.Option("--seed", metavar="N", help="Decides which of the possible mutants run.")
    ] = 0
    jobs: Annotated[int, typer.Option("-j", "--jobs", metavar="N", min=1, help="Tasks at a time.")] = 1
    machine: options.TaskMachine


@takes(QualityArguments)
def quality_command(arguments: QualityArguments) -> int:
    """Look for what verified issue tasks leave out, leak or miss; store it with them.

    Texts, patches and tests are read for flags; broken gold patches are run, to see whether the tests notice.
    What is known already is not looked at again. `bench show` and `bench report` show it.

    Example: backdate bench quality set --mutants 10
    """
    from backdate.cli import exit_codes
    from backdate.cli.progress import watch
    from backdate.cli.render_quality import measured_lines
    from backdate.cli.terminal import printable
    from backdate.tasks.dataset import Dataset
    from backdate.tasks.quality.measure_dataset import measure_dataset
    from backdate.tasks.quality.record import TrialSettings

    dataset = Dataset.open(arguments.folder)
    trials = TrialSettings(
        most_hunks=arguments.hunks,
        most_mutants=arguments.mutants,
        seconds=arguments.seconds,
        seed=arguments.seed,
    )
    with (
        watch() as progress,
        arguments.machine.task_runner(dataset, arguments.repos, progress) as task_runner,
    ):
        measured = measure_dataset(
            dataset,
            task_runner,
            trials=None if arguments.read else trials,
            only=arguments.only or (),
            jobs=arguments.jobs,
            progress=progress,
        )
    for line in measured_lines(measured):
        typer.echo(printable(line))
    if not measured.measured and not measured.problems:
        typer.echo("no verified issue task: 'backdate bench verify' proves them first")
    return exit_codes.OK if not measured.problems else exit_codes.BROKE
