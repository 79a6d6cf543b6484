"""``backdate bisect``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.checking.question import Question
from backdate.cli import options
from backdate.cli.arguments import takes
from backdate.cli.changed_folder import folder_to_change
from backdate.cli.output_options import TEXT_PRINTED, OutputOptions, OutputTarget, write_json, write_output
from backdate.cli.recipe_options import RecipeOptions, folder_settings
from backdate.cli.side_options import NO_SIDES, SideOptions, one_question

if TYPE_CHECKING:
    from backdate.bisection.result import BisectResult


@dataclass(frozen=True, slots=True, kw_only=True)
class BisectArguments:
    """What ``bisect`` is given."""

    source: options.Source = "."
    sides: SideOptions = NO_SIDES
    test: Annotated[
        list[str] | None,
        typer.Option("--test", metavar="NODEID", help="Only this test. May be given several times."),
    ] = None
    as_: options.AsOne = None
    outputs: OutputOptions = TEXT_PRINTED
    json: options.JsonFile = None
    picture: Annotated[
        Path | None,
        typer.Option("--picture", metavar="FILE", help="Draw releases and turns there: *.svg, or *.png."),
    ] = None
    first: Annotated[bool, typer.Option("--first", help="Stop at the first culprit that is found.")] = False
    no_edit: Annotated[
        bool,
        typer.Option("--no-edit", help="Look for no edit with which the tests pass with newest releases."),
    ] = False
    repeats: options.Repeats = 1
    recipe: RecipeOptions
    apply_cap: options.ApplyCap = False
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

    Each culprit is told as soon as it is found. An interrupted search prints, and writes to --json, what
    it found so far; that result says "ending": "interrupted".

    In the end the rules of `backdate fix` look for an edit with which these tests pass (not with --first).
    It is shown with what it was seen to mend; no file is changed.

    Example: backdate bisect . --from 2021-03-01 --picture turns.svg

    Exit status: 0 nothing broke, 1 culprits found, 2 cannot tell, 3 misuse, 4 this machine lacks
    something.
    """
    from backdate.cli.apply_cap import limits_of_bisection, write_limits
    from backdate.cli.exit_codes import of_verdict
    from backdate.cli.keep_partial import keeping_partial
    from backdate.cli.progress import watch
    from backdate.session import Session

    given = arguments.recipe.configuration(arguments.source)
    said = folder_settings(arguments.source, given)
    settings = arguments.machine.settings(
        store=not arguments.no_store, apt=arguments.apt, repeats=arguments.repeats, configuration=given
    )
    target = _target(arguments)
    folder = folder_to_change(arguments.source, "--apply-cap") if arguments.apply_cap else None
    sides = arguments.sides.asked(said)
    known: list[BisectResult] = []
    try:
        indexes = arguments.recipe.indexes(settings)
        with indexes as settings, watch() as progress, Session(settings) as session:
            result = session.bisect(
                arguments.source,
                question=one_question(arguments.as_, said, Question.DECLARED),
                tests=tuple(arguments.test or ()),
                first=arguments.first,
                edit=not arguments.no_edit,
                progress=keeping_partial(progress, known),
                **sides,
            )
            sought = None
            if folder is not None:
                sought = limits_of_bisection(session, folder, result, progress=progress, **sides)
    except KeyboardInterrupt:
        if known:
            _report(known[-1], arguments, target)
        raise
    _report(result, arguments, target)
    if folder is not None and sought is not None:
        write_limits(folder, sought, told=target.prints_text)
    return of_verdict(result.verdict)


def _target(arguments: BisectArguments) -> OutputTarget:
    """Where the answer goes. Raises UsageError for what could not be written in the end, before the work."""
    from backdate.reports.drawing.formats import require_format

    if arguments.picture is not None:
        require_format(arguments.picture.suffix)
    return arguments.outputs.target(arguments.json, arguments.picture)


def _report(result: BisectResult, arguments: BisectArguments, target: OutputTarget) -> None:
    from backdate.cli.asked_command import asked_command
    from backdate.reports.bisection_scene import bisection_scene
    from backdate.reports.drawing.formats import draw

    result = replace(result, asked=asked_command(arguments))
    write_json((arguments.json,), result)
    if arguments.picture is not None:
        write_output(arguments.picture, draw(bisection_scene(result), arguments.picture.suffix))
    target.write(result, source=arguments.source, verbose=arguments.verbose)
