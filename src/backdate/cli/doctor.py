"""``backdate doctor``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options

if TYPE_CHECKING:
    from backdate.checking.settings import Settings


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
    from backdate.cli.terminal import printable

    settings = options.settings(sandbox="bwrap", cache=cache, index_url=index_url)
    if verify_cache:
        return _verify(settings)
    lacking = 0
    for group, capabilities in examine_machine(settings):
        typer.echo(group)
        for capability in capabilities:
            mark = "ok" if capability.ok else "MISSING" if capability.needed else "absent"
            typer.echo(f"  {mark:<7}  {printable(capability.name)}: {printable(capability.detail)}")
            if not capability.ok and capability.needed:
                lacking += 1
                if capability.remedy:
                    typer.echo(f"           to get it: {printable(capability.remedy)}")
    typer.echo("Everything that a check needs is here." if not lacking else f"{lacking} missing.")
    return exit_codes.MACHINE if lacking else exit_codes.OK


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
