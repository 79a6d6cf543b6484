"""``backdate doctor``."""

from __future__ import annotations

import typer

from backdate.cli import options


def doctor_command(
    cache: options.CacheFolder = None,
    index_url: options.IndexUrl = None,
) -> int:
    """Tell what this machine can do, what is missing, and the command that gets it."""
    from backdate.checking.examine import examine_machine
    from backdate.cli import exit_codes

    settings = options.settings(sandbox="bwrap", cache=cache, index_url=index_url)
    lacking = 0
    for group, capabilities in examine_machine(settings):
        typer.echo(group)
        for one in capabilities:
            typer.echo(f"  {'ok     ' if one.ok else 'MISSING'}  {one.name}: {one.detail}")
            if not one.ok:
                lacking += 1
                if one.remedy:
                    typer.echo(f"           to get it: {one.remedy}")
    typer.echo("Everything that a check needs is here." if not lacking else f"{lacking} missing.")
    return exit_codes.MACHINE if lacking else exit_codes.OK
