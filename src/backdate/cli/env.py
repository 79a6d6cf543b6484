"""``backdate env``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvArguments:
    """What ``env`` is given."""

    instant: Annotated[str, typer.Argument(metavar="INSTANT", help="2021-03-01, '30 days ago', P3M, now.")]
    source: Annotated[
        str,
        typer.Argument(
            metavar="[PATH|GIT-URL[@REV]|pypi:NAME]", help="The project whose environment is built."
        ),
    ] = "."
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="DIR", help="Where the environment goes. It must not exist yet."
        ),
    ] = None
    package: Annotated[
        list[str] | None,
        typer.Option(
            "--package", "-p", metavar="REQUIREMENT", help="A requirement; with it no project is read."
        ),
    ] = None
    tests: Annotated[bool, typer.Option("--tests", help="Also what the project's tests need.")] = False
    lock_builds: Annotated[
        bool,
        typer.Option(
            "--lock-builds",
            help="Build it once more to see what its builds take from the index, and write that with hashes "
            "to DIR/build-requirements.txt: for a bundle from which it can be built without a network.",
        ),
    ] = False
    python: options.Python = None
    sandbox: options.SandboxName = "bwrap"
    cache: options.CacheFolder = None
    index_url: options.IndexUrl = None
    build_network: options.BuildNetwork = False
    no_store: options.NoStore = False


@takes(EnvArguments)
def env_command(arguments: EnvArguments) -> int:
    """Build a project's environment as of an instant, with its lock.

    DIR becomes a virtual environment of your own, and DIR/pylock.toml (PEP 751) its lock with hashes. The
    project itself is installed, not linked.
    """
    from backdate.cli import exit_codes
    from backdate.cli.opening import OF_ENVIRONMENTS, try_sandbox_beside
    from backdate.cli.terminal import printable, tell
    from backdate.errors import UsageError
    from backdate.timeline.instants import format_day

    if arguments.output is None:
        raise UsageError("say where the environment goes: -o DIR")
    at = options.instant(arguments.instant)
    assert at is not None
    settings = options.settings(
        sandbox=arguments.sandbox,
        cache=arguments.cache,
        index_url=arguments.index_url,
        store=not arguments.no_store,
        build_network=arguments.build_network,
    )
    try_sandbox_beside(settings, OF_ENVIRONMENTS)
    from backdate.checking.build_environment import BUILD_REQUIREMENTS
    from backdate.cli.progress import watch
    from backdate.session import Session

    with watch() as progress, Session(settings) as session:
        made = session.build_environment(
            arguments.source,
            instant=at,
            output=arguments.output,
            packages=tuple(arguments.package or ()),
            tests=arguments.tests,
            python=arguments.python,
            lock_builds=arguments.lock_builds,
            progress=progress,
        )
    if made.failure is not None:
        tell(f"The environment does not build ({made.failure.phase}):\n{made.failure.message}")
        for note in made.failure.incident_notes:
            tell(f"Note: {note}")
        tell(f"Log: {made.failure.log}")
        return exit_codes.CANNOT_TELL
    assert made.environment is not None
    count = len(made.environment.lock.distributions)
    typer.echo(
        f"{arguments.output}: Python {made.environment.choice.interpreter.version}, "
        f"{count} distributions as of {format_day(at)}"
    )
    if made.environment.choice.note:
        typer.echo(f"Note: {printable(made.environment.choice.note)}")
    for note in made.environment.incident_notes:
        typer.echo(f"Note: {note}")
    typer.echo(f"Lock: {arguments.output / 'pylock.toml'}")
    if arguments.lock_builds:
        typer.echo(f"Builds: {arguments.output / BUILD_REQUIREMENTS}")
    return exit_codes.OK
