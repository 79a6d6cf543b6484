"""``backdate doctor``."""

from __future__ import annotations

import typer

from backdate.cli import options


def doctor_command(
    cache: options.CacheFolder = None,
    index_url: options.IndexUrl = None,
) -> int:
    """Tell what this machine can do, what is missing, and the command that installs it.

    Exit status: 0 a check can be run here, 4 something that every check needs is missing.
    """
    from backdate.cli import exit_codes
    from backdate.cli.examine import examine_machine
    from backdate.cli.terminal import printable

    settings = options.settings(sandbox="bwrap", cache=cache, index_url=index_url)
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
