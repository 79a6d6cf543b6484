"""``backdate check``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckArguments:
    """What ``check`` is given."""

    source: options.Source = "."
    from_: options.FromInstant = None
    to: options.ToInstant = None
    python: options.Python = None
    json: options.JsonFile = None
    junit: Annotated[
        Path | None,
        typer.Option("--junit", metavar="DIR", help="Write both runs there as JUnit XML for other tools."),
    ] = None
    keep: Annotated[
        Path | None,
        typer.Option("--keep", metavar="DIR", help="Keep source trees, logs, patch and result there."),
    ] = None
    machine: options.Machine
    no_store: options.NoStore = False
    apt: options.Apt = False
    verbose: options.Verbose = False


@takes(CheckArguments)
def check_command(arguments: CheckArguments) -> int:
    """Tell which of a project's own tests dependency updates broke.

    Builds the project's environment as of an old instant and as of a new one, runs its tests in both,
    and compares. INSTANT is 2021-03-01 (00:00 UTC), 2021-03-01T12:30:00Z, now or today.

    Exit status: 0 nothing broke, 1 something broke, 2 cannot tell, 3 misuse, 4 this machine lacks
    something.
    """
    from backdate.cli.exit_codes import of_verdict
    from backdate.cli.progress import watch
    from backdate.cli.render import print_result
    from backdate.serial import to_json, write_whole
    from backdate.session import check
    from backdate.testing.junit import to_junit

    settings = arguments.machine.settings(
        keep=arguments.keep, store=not arguments.no_store, apt=arguments.apt
    )
    for file in (arguments.json, arguments.junit):
        if file is not None:
            options.require_writable(file, folder=file is arguments.junit)
    with watch() as progress:
        result = check(
            arguments.source,
            from_instant=options.instant(arguments.from_),
            to_instant=options.instant(arguments.to),
            python=arguments.python,
            settings=settings,
            progress=progress,
        )
    if arguments.json is not None:
        write_whole(arguments.json, to_json(result, indent=2))
    if arguments.junit is not None:
        for name, side in (("old", result.old), ("new", result.new)):
            if side.run is not None:
                write_whole(arguments.junit / f"{name}.xml", to_junit(side.run))
    print_result(result, verbose=arguments.verbose)
    return of_verdict(result.verdict)
