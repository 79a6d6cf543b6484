"""``backdate bench funnel``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backdate.cli import options


def funnel_command(
    path: Annotated[
        Path, typer.Argument(metavar="DATASET", help="A data set, or the folder of a build (DATASET.build).")
    ],
    excluded: Annotated[
        str | None,
        typer.Option(
            "--excluded", metavar="STAGE|all", help="Every candidate that left at this stage, and why."
        ),
    ] = None,
    costs: Annotated[
        bool,
        typer.Option(
            "--costs", help="Of a build of changes: what they take beyond their test runs, by repository."
        ),
    ] = False,
    picture: options.FunnelPicture = None,
) -> int:
    """Show how candidates became tasks: what entered and left each stage, and why.

    Of a build that is running or was stopped, the funnel so far is shown.

    Examples:

        backdate bench funnel set

        backdate bench funnel set --excluded old-environment

        backdate bench funnel set --costs
    """
    from backdate.cli.render import print_lines
    from backdate.cli.render_build import cost_lines, excluded_lines, funnel_lines
    from backdate.construction.change_costs import read_change_costs
    from backdate.construction.funnel_reader import read_funnel, read_left
    from backdate.reports.drawing.formats import draw
    from backdate.reports.funnel_scene import funnel_scene
    from backdate.serial import write_whole

    path = path.absolute()
    if excluded is not None:
        print_lines(excluded_lines(read_left(path, None if excluded == "all" else excluded)))
        return 0
    if costs:
        print_lines(cost_lines(read_change_costs(path)))
        return 0
    funnel = read_funnel(path)
    if picture is not None:
        write_whole(picture, draw(funnel_scene(funnel), picture.suffix))
    print_lines(funnel_lines(funnel))
    return 0


def snapshot_command(
    path: Annotated[
        Path, typer.Argument(metavar="BUILD", help="The folder of a build (DATASET.build), or its DATASET.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DATASET", help="The data set, a new folder.")
    ],
    repos: options.Repositories = None,
    cache: options.CacheFolder = None,
    store: options.BuildStore = None,
) -> int:
    """Write the tasks that a build has so far as a data set of their own; the build is left as it is.

    It may run meanwhile, or go on later: what it finds then is in its own data set, or in another snapshot.

    Example: backdate bench snapshot set.build -o so-far
    """
    from backdate.cli.render import print_lines
    from backdate.cli.render_build import funnel_lines
    from backdate.construction.funnel_reader import read_funnel
    from backdate.construction.plan import WorkerConfig
    from backdate.construction.snapshot import publish_so_far

    kept = options.settings(sandbox="bwrap", cache=cache, index_url=None).cache
    place = WorkerConfig(
        cache=kept,
        store=store or str(kept / "construction"),
        repos=repos.resolve() if repos else None,
        clones=kept / "clones",
    )
    output = output.absolute()
    dataset = publish_so_far(path.absolute(), output, place)
    print_lines(funnel_lines(read_funnel(output)))
    typer.echo(f"{len(dataset.tasks)} tasks in {output}")
    return 0
