"""``backdate bench merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backdate.tasks.quality.record import QualityFlag


def merge_command(
    parts: Annotated[list[Path], typer.Argument(metavar="DATASET…", help="Data sets of one kind of task.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DATASET", help="The data set, a new folder.")
    ],
    without: Annotated[
        list[QualityFlag] | None,
        typer.Option(
            "--without",
            metavar="FLAG",
            help="Leave out the issue tasks with this flag of `bench quality` (weak-hunk, strict, …); may be "
            "repeated.",
        ),
    ] = None,
) -> int:
    """Make one data set of several: of a list that was built in parts, or by several people.

    A task that several of them have stands once, as the first has it; different tasks of one name are
    refused. Each part keeps its funnel, its verifications and its scores. With --without, of one or several:
    the tasks whose tests notice, that leak nothing, …, as `bench quality` measured it.

    Examples:

    backdate bench merge monday tuesday -o both

    backdate bench merge both -o sharp --without weak-hunk --without weak-mutant
    """
    from backdate.cli.terminal import printable
    from backdate.tasks.dataset import Dataset
    from backdate.tasks.merging import merge_datasets

    merged = merge_datasets(
        [Dataset.open(part) for part in parts], output.absolute(), without=tuple(dict.fromkeys(without or ()))
    )
    typer.echo(f"{output}: {len(merged.dataset.tasks)} tasks")
    for name, reason in merged.left_out:
        typer.echo(f"left out: {name}: {printable(reason)}")
    return 0
