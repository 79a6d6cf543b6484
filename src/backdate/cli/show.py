"""``backdate show``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes
from backdate.cli.output_options import TEXT_PRINTED, OutputOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class ShowResultArguments:
    """What ``show`` is given."""

    file: Annotated[
        Path,
        typer.Argument(metavar="FILE|FOLDER", help="What `--json` or `--keep` of any command wrote."),
    ]
    outputs: OutputOptions = TEXT_PRINTED
    verbose: options.Verbose = False


@takes(ShowResultArguments)
def show_command(arguments: ShowResultArguments) -> int:
    """Print a stored result again, or write it in another form.

    Reads the results of check, bisect, fix, setup and diagnose, also those of older versions.

    Examples:

      backdate show result.json

      backdate show bisection.json -o page.html

      backdate show result.json --format markdown

    Exit status: that of the command that made it.
    """
    from backdate.cli.results import status_of_result
    from backdate.output.stored import read_any_result

    target = arguments.outputs.target()
    result = read_any_result(arguments.file)
    target.write(result, source=".", verbose=arguments.verbose)
    return status_of_result(result)
