"""The command line: commands, and what their errors become. Every command is a library call made visible."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from backdate import __version__
from backdate.cli import bisect, check, doctor, env, show

app = typer.Typer(
    name="backdate",
    help="Time travel for Python dependencies: what did updates break, and since when?",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("check")(check.check_command)
app.command("bisect")(bisect.bisect_command)
app.command("env")(env.env_command)
app.command("show")(show.show_command)
app.command("doctor")(doctor.doctor_command)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"backdate {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Time travel for Python dependencies: what did updates break, and since when?"""


def run(arguments: list[str] | None = None) -> None:
    """The console script: run a command and exit with a documented status."""
    sys.exit(status_of(sys.argv[1:] if arguments is None else arguments))


def status_of(arguments: list[str]) -> int:
    """Run a command and give the exit status, with errors told on standard error."""
    import click

    from backdate.cli import exit_codes
    from backdate.errors import MachineError, StoredDataError, UsageError

    try:
        status = app(args=arguments, standalone_mode=False)
    except click.UsageError as error:
        error.show()
        return exit_codes.MISUSE
    except click.ClickException as error:
        error.show()
        return exit_codes.MISUSE
    except UsageError as error:
        return _tell(error, exit_codes.MISUSE)
    except MachineError as error:
        return _tell(error, exit_codes.MACHINE)
    except StoredDataError as error:
        return _tell(error, exit_codes.STORED)
    except (KeyboardInterrupt, click.Abort):
        typer.echo("Interrupted: nothing half-built was left.", err=True)
        return exit_codes.INTERRUPTED
    except OSError as error:
        if error.errno == 28:  # ENOSPC
            return _tell(
                OSError(f"no space left on device: {error.filename or 'free some and try again'}"), 4
            )
        raise
    return status if isinstance(status, int) else exit_codes.OK


def _tell(error: Exception, status: int) -> int:
    typer.echo(f"backdate: {error}", err=True)
    return status
