"""``backdate bench merge``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def merge_command(
    parts: Annotated[list[Path], typer.Argument(metavar="DATASET…", help="Data sets of one kind of task.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DATASET", help="The data set, a new folder.")
    ],
) -> int:
    """Make one data set of several: of a list that was built in parts, or by several people.

    A task that several of them have stands once, as the first has it; different tasks of one name are
    refused. Each part keeps its funnel, its verifications and its scores.

    Example: backdate bench merge monday tuesday -o both
    """
    from backdate.tasks.dataset import Dataset
    from backdate.tasks.merging import merge_datasets

    merged = merge_datasets([Dataset.open(part) for part in parts], output.absolute())
    typer.echo(f"{output}: {len(merged.tasks)} tasks")
    return 0
