"""``backdate doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backdate.checking.settings import Settings
    from backdate.sandboxes.interface import Capability


def doctor_command(
    cache: options.CacheFolder = None,
    index_url: options.IndexUrl = None,
    verify_cache: Annotated[
        bool,
        typer.Option(
            "--verify-cache", help="Instead, read every file of the environments that are kept, and compare."
        ),
    ] = False,
) -> int:
    """Tell what this machine can do, what is missing, and the command that installs it.

    Exit status: 0 a check can be run here, 4 something that every check needs is missing. With
    --verify-cache: 0 everything that is kept is as it was made, 5 something was not, and was removed.
    """
    from backdate.cli import exit_codes
    from backdate.cli.examine import examine_machine
    from backdate.cli.render import print_lines

    settings = options.settings(sandbox="bwrap", cache=cache, index_url=index_url)
    if verify_cache:
        return _verify(settings)
    lacking = 0
    for group, capabilities in examine_machine(settings):
        print_lines([(group, "bold")])  # as soon as it is known: some of it takes a while to find out
        print_lines(line for capability in capabilities for line in _lines(capability))
        lacking += sum(not capability.ok and capability.needed for capability in capabilities)
    if lacking:
        print_lines([(f"{lacking} missing.", "bold red")])
    else:
        print_lines([("Everything that a check needs is here.", "bold green")])
    return exit_codes.MACHINE if lacking else exit_codes.OK


def _lines(capability: Capability) -> Iterator[tuple[str, str]]:
    mark, style = ("ok", "green") if capability.ok else ("absent", "dim")
    if not capability.ok and capability.needed:
        mark, style = "MISSING", "bold red"
    yield f"  {mark:<7}  {capability.name}: {capability.detail}", style
    if not capability.ok and capability.needed and capability.remedy:
        yield f"           to get it: {capability.remedy}", "yellow"


def _verify(settings: Settings) -> int:
    from backdate.cli import exit_codes
    from backdate.cli.terminal import printable
    from backdate.environments.finished import FinishedEnvironments
    from backdate.environments.wheel_store import WheelStore
    from backdate.text import counted

    cache = settings.open_cache()
    environments = list(FinishedEnvironments(cache).verify_all())
    wheels = WheelStore(cache).verify_all()
    unsealed = sum(one.state == "unsealed" for one in environments)
    changed = [str(one.folder) for one in environments if one.state == "changed"]
    changed += [f"the wheel {key}" for key, intact in wheels.items() if not intact]
    for name in changed:
        typer.echo(f"{printable(name)} was changed since it was made; it is removed.")
    if unsealed:
        typer.echo(
            f"Of earlier versions, and not used any more: {counted(unsealed, 'environment')}, forgotten."
        )
    read = len(environments) - unsealed
    typer.echo(
        f"{counted(read, 'environment')} and {counted(len(wheels), 'wheel')} read: "
        f"{read + len(wheels) - len(changed)} as they were made."
    )
    return exit_codes.STORED if changed else exit_codes.OK
