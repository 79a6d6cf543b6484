"""``backdate bisect``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes

if TYPE_CHECKING:
    from backdate.bisection.result import BisectResult


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectArguments:
    """What ``bisect`` is given."""

    source: options.Source = "."
    from_: options.FromInstant = None
    to: options.ToInstant = None
    test: Annotated[
        list[str] | None,
        typer.Option("--test", metavar="NODEID", help="Only this test. May be given several times."),
    ] = None
    python: options.Python = None
    json: options.JsonFile = None
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw releases and turns there: *.svg, or *.png."),
    ] = None
    machine: options.Machine
    no_store: options.NoStore = False
    apt: options.Apt = False
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Every test, and every environment that was looked at.")
    ] = False


@takes(BisectArguments)
def bisect_command(arguments: BisectArguments) -> int:
    """Tell since when a project's tests fail, and which release is the culprit.

    Runs the check, groups what broke by cause, and searches for each cause: the interpreter or the
    packages, the instant, the release. A culprit is confirmed both ways: the last good environment with
    only it moved fails, and the newest with it held back passes.

    Example: backdate bisect . --from 2021-03-01 --picture turns.svg

    Exit status: 0 nothing broke, 1 culprits found, 2 cannot tell, 3 misuse, 4 this machine lacks
    something.
    """
    from backdate.cli.exit_codes import of_verdict
    from backdate.cli.progress import watch
    from backdate.session import Session

    settings = arguments.machine.settings(store=not arguments.no_store, apt=arguments.apt)
    _require_places(arguments)
    with watch() as progress, Session(settings) as session:
        result = session.bisect(
            arguments.source,
            from_instant=options.instant(arguments.from_),
            to_instant=options.instant(arguments.to),
            python=arguments.python,
            tests=tuple(arguments.test or ()),
            progress=progress,
        )
    _report(result, arguments)
    return of_verdict(result.verdict)


def _require_places(arguments: BisectArguments) -> None:
    """Raise UsageError for what could not be written in the end: asked before the work."""
    from backdate.reports.drawing.formats import require_format

    for file in (arguments.json, arguments.picture):
        if file is not None:
            options.require_writable(file, folder=False)
    if arguments.picture is not None:
        require_format(arguments.picture.suffix)


def _report(result: BisectResult, arguments: BisectArguments) -> None:
    from backdate.cli.render import print_lines
    from backdate.cli.render_bisection import bisection_lines
    from backdate.reports.bisection_scene import bisection_scene
    from backdate.reports.drawing.formats import draw
    from backdate.serial import to_json, write_whole

    if arguments.json is not None:
        write_whole(arguments.json, to_json(result, indent=2))
    if arguments.picture is not None:
        write_whole(arguments.picture, draw(bisection_scene(result), arguments.picture.suffix))
    print_lines(bisection_lines(result, verbose=arguments.verbose))
