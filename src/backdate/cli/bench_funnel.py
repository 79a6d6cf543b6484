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
    picture: options.FunnelPicture = None,
) -> int:
    """Show how candidates became tasks: what entered and left each stage, and why.

    Of a build that is running or was stopped, the funnel so far is shown.

    Examples:

        backdate bench funnel set

        backdate bench funnel set --excluded old-environment
    """
    from backdate.cli.render import print_lines
    from backdate.cli.render_build import excluded_lines, funnel_lines
    from backdate.construction.funnel_reader import read_funnel, read_left
    from backdate.reports.drawing.formats import draw
    from backdate.reports.funnel_scene import funnel_scene
    from backdate.serial import write_whole

    path = path.absolute()
    if excluded is not None:
        print_lines(excluded_lines(read_left(path, None if excluded == "all" else excluded)))
        return 0
    funnel = read_funnel(path)
    if picture is not None:
        write_whole(picture, draw(funnel_scene(funnel), picture.suffix))
    print_lines(funnel_lines(funnel))
    return 0
