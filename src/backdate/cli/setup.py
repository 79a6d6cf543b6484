"""``backdate setup``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options
from backdate.cli.adviser import AdviserName, PriceFile, StrategyName, Web, open_advisers
from backdate.cli.arguments import takes
from backdate.cli.output_options import TEXT_PRINTED, OutputOptions, OutputTarget, write_json
from backdate.cli.recipe_options import RecipeOptions, folder_settings
from backdate.cli.side_options import written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from backdate.checking.ablation import Ablation
    from backdate.checking.setup_result import SetupResult
    from backdate.recipes.sources.kinds import SourceKind


@dataclass(frozen=True, slots=True, kw_only=True)
class SetupArguments:
    """What ``setup`` is given."""

    source: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH|GIT-URL[@REV]|pypi:NAME[==VERSION]",
            help="A folder, a git repository, or an sdist. Several with --ablation.",
            show_default=False,
        ),
    ] = None
    at: Annotated[
        str | None,
        typer.Option(
            "--at", metavar="INSTANT", help="The instant to set up at. Default: its commit's or sdist's date."
        ),
    ] = None
    python: options.Python = None
    adviser: AdviserName = "none"
    adviser_strategy: StrategyName = "setupagent"
    web: Web = False
    prices: PriceFile = None
    rounds: Annotated[
        int, typer.Option("--rounds", metavar="N", min=0, help="The most repairs of one candidate.")
    ] = 4
    attempts: Annotated[
        int,
        typer.Option(
            "--attempts", metavar="N", min=1, help="The most recipes that are tried, of all candidates."
        ),
    ] = 16
    accept: Annotated[
        float,
        typer.Option(
            "--accept", metavar="SHARE", min=0.0, max=1.0, help="The part of the tests that has to pass."
        ),
    ] = 0.95
    without: Annotated[
        list[str] | None,
        typer.Option(
            "--without",
            metavar="KIND",
            help="No recipes from ci, tox, nox, metadata, conda, makefile, texts or imports. Repeatable.",
        ),
    ] = None
    no_repair: Annotated[bool, typer.Option("--no-repair", help="As --rounds 0.")] = False
    no_store: options.NoStore = False
    apt: options.Apt = False
    ablation: Annotated[
        bool,
        typer.Option("--ablation", help="Set every SOURCE up with parts switched off in turn, and count."),
    ] = False
    outputs: OutputOptions = TEXT_PRINTED
    json: options.JsonFile = None
    keep: Annotated[
        Path | None, typer.Option("--keep", metavar="DIR", help="Keep the logs of all attempts there.")
    ] = None
    recipe: RecipeOptions
    machine: options.Machine
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Every step of the recipe, every test that fails.")
    ] = False


@takes(SetupArguments)
def setup_command(arguments: SetupArguments) -> int:
    """Set a project up as of an instant, repair what fails, and prove it by its own tests.

    Recipes are read from the project's files; each is built and tested from a clean start, and repaired by
    the class of its error, until at least 95 % of the tests that ran pass. Proven, too, is what passes but
    for tests that want the network, a service or absent files (at least 90 %); weak, and not proven, where
    less than half of the tests that the project defines ran.

    Examples: backdate setup . ; backdate setup pypi:tablib==3.3.0 ; backdate setup URL@v1.0 --at 2019-05-21 ;
    backdate setup . --without ci --no-repair ;
    backdate setup . --adviser NAME@http://localhost:8000/v1

    Exit status: 0 proven, 2 not proven, 3 misuse, 4 this machine lacks something.
    """
    from backdate.checking.ablation import Ablation
    from backdate.checking.set_up import SetupInterrupted
    from backdate.cli import exit_codes

    target = _target(arguments)
    try:
        done = _set_up(arguments)
    except SetupInterrupted as interrupted:
        if not arguments.ablation:
            _report(interrupted.result, arguments, target)
        raise
    _report(done, arguments, target)
    return exit_codes.OK if isinstance(done, Ablation) or done.proven else exit_codes.CANNOT_TELL


def _target(arguments: SetupArguments) -> OutputTarget:
    """Where the answer goes. Raises UsageError, before the work."""
    from backdate.errors import UsageError

    if arguments.ablation and (arguments.outputs.format or arguments.outputs.output):
        raise UsageError("--ablation prints a table of many set-ups; --json FILE writes it")
    return arguments.outputs.target(arguments.json)


def _set_up(arguments: SetupArguments) -> SetupResult | Ablation:
    from backdate.checking.ablation import ablate
    from backdate.checking.settings import SetupOptions
    from backdate.cli.progress import watch
    from backdate.errors import UsageError
    from backdate.session import set_up

    sources = arguments.source or ["."]
    given = arguments.recipe.configuration(sources[0])
    said = folder_settings(sources[0], given)
    settings = arguments.machine.settings(
        keep=arguments.keep, store=not arguments.no_store, apt=arguments.apt, configuration=given
    )
    kinds = _sources(arguments.without or ())
    instant = options.instant(arguments.at)
    if len(sources) > 1 and not arguments.ablation:
        raise UsageError("one project is set up at a time; several are for --ablation")
    asked = open_advisers(
        arguments.adviser,
        arguments.adviser_strategy,
        web=arguments.web,
        cache=settings.cache,
        prices=arguments.prices,
    )
    indexes = arguments.recipe.indexes(settings)
    with asked as adviser_at, indexes as settings, watch() as progress:
        return (ablate if arguments.ablation else set_up)(
            sources if arguments.ablation else sources[0],  # type: ignore[arg-type]  # each is handed what it takes
            instant=instant,
            python=arguments.python or written(said.python),
            options=SetupOptions(
                accept=arguments.accept,
                rounds=0 if arguments.no_repair else arguments.rounds,
                attempts=arguments.attempts,
                sources=kinds,
                adviser_at=adviser_at,
            ),
            settings=settings,
            progress=progress,
        )


def _report(done: SetupResult | Ablation, arguments: SetupArguments, target: OutputTarget) -> None:
    from backdate.checking.setup_result import SetupResult
    from backdate.cli.render_setup import ablation_lines

    write_json((arguments.json,), done)
    if isinstance(done, SetupResult):
        source = (arguments.source or ["."])[0]
        target.write(done, source=source, verbose=arguments.verbose)
        return
    for line in ablation_lines(done):
        typer.echo(line)


def _sources(without: Sequence[str]) -> frozenset[SourceKind]:
    """All kinds of sources but those; raises UsageError for one that is none."""
    from backdate.errors import UsageError
    from backdate.recipes.sources.kinds import ALL_SOURCES

    unknown = sorted(set(without) - ALL_SOURCES)
    if unknown:
        raise UsageError(f"--without {unknown[0]}: the kinds are {', '.join(sorted(ALL_SOURCES))}")
    return frozenset(kind for kind in ALL_SOURCES if kind not in without)
