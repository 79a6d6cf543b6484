"""``backdate worker``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def worker_command(
    path: Annotated[
        Path, typer.Argument(metavar="DATASET", help="The data set that is being built (with --jobs 0).")
    ],
    most: Annotated[int | None, typer.Option("--most", metavar="N", min=1, help="Stop after N jobs.")] = None,
    stay: Annotated[bool, typer.Option("--stay", help="Wait for further builds of this data set.")] = False,
) -> int:
    """Work on a build of another machine, through a folder that both machines see.

    Start as many as a batch system has room for; each claims one job at a time. One that is killed loses
    its job, which another claims.

    Examples:

        backdate bench build repos.jsonl -o /shared/set --to 2025-07-31 --jobs 0

        sbatch --array=1-100 --wrap "backdate worker /shared/set"
    """
    from backdate.construction.build import build_folder
    from backdate.construction.executors.spool import work
    from backdate.errors import UsageError

    path = path.absolute()
    folder = (path if path.name.endswith(".build") else build_folder(path)) / "spool"
    if not (folder / "jobs").is_dir():
        raise UsageError(f"{folder} is not there: start the build with --jobs 0 first")
    done = work(folder, stay=stay, most=most)
    typer.echo(f"{done} jobs done")
    return 0
