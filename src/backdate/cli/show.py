"""``backdate show``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backdate.cli import options


def show_command(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `--json` or `--keep` wrote.")],
    verbose: options.Verbose = False,
) -> int:
    """Print a stored result again, with the output and exit status of the check that made it."""
    from backdate.checking.answers import read_answers
    from backdate.cli.exit_codes import of_verdict
    from backdate.cli.render_answers import print_answers

    answers = read_answers(file)
    print_answers(answers, verbose=verbose)
    return of_verdict(answers.verdict)
