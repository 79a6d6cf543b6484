"""The command line: commands, and what their errors become. Every command is a library call made visible."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Annotated, TextIO

import typer

from backdate.cli.panels import (
    COMPLETE_VARIABLE,
    CONTEXT,
    GroupedCommand,
    GroupedCommands,
    completed_words,
    lay_out,
)
from backdate.version import __version__

# Newer typers carry their own click, older ones import it, and neither exports this class.
_CommandLineError: type[Exception] = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)

_INTERRUPTED = "interrupted; nothing half-built was left"
_TERMINATED = "terminated; nothing half-built was left"

_ENDED = "stopped"
"""What is said of a server instead: to be ended so is what it waits for."""
_SERVERS = ("index",)
_ON_LINUX = frozenset(
    (
        "check",
        "bisect",
        "fix",
        "env",
        "setup",
        "eval",
        "score",
        "bench",
        "issues",
        "snippets",
        "worker",
        "doctor",
    )
)
"""The commands that run projects, which takes Linux."""

_COLLECTED_AFTER = 200_000
"""Objects that are made before Python looks for unused circles of them. A command's imports make many that
stay: looking at these after every 700, as is usual, takes a twentieth of a short command's processor time."""

_COMMANDS = {
    "check": "check:check_command",
    "bisect": "bisect:bisect_command",
    "fix": "fix:fix_command",
    "diagnose": "diagnose:diagnose_command",
    "env": "env:env_command",
    "show": "show:show_command",
    "recipe": "recipe:recipe_command",
    "setup": "setup:setup_command",
    "index": "index:index_command",
    "run": "run:run_command",
    "eval": "evaluate:eval_command",
    "score": "score:score_command",
    "report": "report:report_command",
    "bench": "bench:app",
    "issues": "issues:app",
    "rules": "rules:app",
    "snippets": "snippets:app",
    "cache": "cache:app",
    "worker": "worker:worker_command",
    "doctor": "doctor:doctor_command",
}
"""Each command: where it is, as "MODULE:NAME" in this room, imported when it is asked for."""
_SETTINGS = {"run": {"ignore_unknown_options": True}}
"""What of a command is not as usual."""
_RUN_SUITES = ("check", "bisect", "fix", "setup")
"""The commands that take arguments for pytest after ``--``."""


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"backdate {__version__}")
        raise typer.Exit


def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Time travel for Python dependencies: what did updates break, and since when?"""


def app_for(arguments: Sequence[str]) -> typer.Typer:
    """The application with the command that ``arguments`` begin with; with all where that is none."""
    arguments = completed_words(os.environ) or arguments
    named = bool(arguments) and arguments[0] in _COMMANDS
    app = typer.Typer(
        name="backdate",
        help="Time travel for Python dependencies: what did updates break, and since when?",
        no_args_is_help=True,
        cls=GroupedCommands,
        context_settings=dict(CONTEXT),
        add_completion=COMPLETE_VARIABLE in os.environ or not named,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    app.callback()(_main)
    for name in arguments[:1] if named else _COMMANDS:
        module, _, attribute = _COMMANDS[name].partition(":")
        command = getattr(import_module(f"backdate.cli.{module}"), attribute)
        if isinstance(command, typer.Typer):
            app.add_typer(lay_out(command))
        else:
            app.command(name, cls=GroupedCommand, context_settings=_SETTINGS.get(name))(command)
    return app


def run(arguments: list[str] | None = None) -> None:
    """The console script: run a command and exit with a documented status."""
    gc.set_threshold(_COLLECTED_AFTER, *gc.get_threshold()[1:])
    status = status_of(sys.argv[1:] if arguments is None else arguments)
    # A Ctrl-C that came while Python ran source that is a text, as each import of a dataclass does, is taken
    # by the interpreter for one that nobody handled: it would end itself by SIGINT whatever the status. It
    # forgets that whenever it runs such source again.
    exec("")  # noqa: S102
    gc.freeze()  # or the interpreter would look through all that it is about to give back, twice
    sys.exit(status)


def status_of(arguments: list[str]) -> int:
    """Run a command and give the exit status, with errors told on standard error."""
    from backdate.cli import exit_codes
    from backdate.cli.terminal import tell
    from backdate.cli.termination import obeying_termination

    with obeying_termination() as termination:
        problem, code = _outcome_of(arguments)
    if code == exit_codes.INTERRUPTED and termination.came:
        problem = _ENDED if _is_server(arguments) else _TERMINATED
        code = exit_codes.TERMINATED
    if problem:
        try:
            tell(f"backdate: {problem}")
        except BrokenPipeError:  # whoever read the messages went away; the status still says it
            _to_nowhere(sys.stderr)
    return code


def _outcome_of(arguments: list[str]) -> tuple[str, int]:
    """Run a command: what is to be told of how it ended, if anything, and the exit status."""
    from backdate.cli import exit_codes
    from backdate.cli.terminal import write_anything
    from backdate.errors import MachineError, NoTests, StoredDataError, UsageError

    _open_closed_streams()
    write_anything()
    try:
        _require_linux(arguments)
        arguments = _for_pytest(arguments)
        status = app_for(arguments)(args=arguments, prog_name="backdate", standalone_mode=False)
        sys.stdout.flush()
    except _CommandLineError as error:
        error.show()  # type: ignore[attr-defined]
        return "", exit_codes.MISUSE
    except NoTests as error:
        problem, code = str(error), exit_codes.CANNOT_TELL
    except UsageError as error:
        problem, code = str(error), exit_codes.MISUSE
    except MachineError as error:
        problem, code = str(error), exit_codes.MACHINE
    except StoredDataError as error:
        problem, code = str(error), exit_codes.STORED
    except (KeyboardInterrupt, typer.Abort):
        problem, code = _interrupted(arguments), exit_codes.INTERRUPTED
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not error.code:
            return "", exit_codes.OK  # what completes the words of a shell ends so
        # typer exits with 1 for a broken pipe, and for nothing else: that would say that tests broke.
        _to_nowhere(sys.stdout)
        return "", exit_codes.PIPE
    except OSError as error:
        problem, code = _words(error), exit_codes.MACHINE
    except Exception:  # noqa: BLE001 - the last resort: Python's own status 1 would say that tests broke
        import traceback

        problem, code = f"{traceback.format_exc()}This is a bug in backdate.", exit_codes.BUG
    else:
        if status != exit_codes.INTERRUPTED:  # typer makes a status of a Ctrl-C, and says nothing
            return "", status if isinstance(status, int) else exit_codes.OK
        problem, code = _interrupted(arguments), exit_codes.INTERRUPTED
    return problem, code


def _for_pytest(arguments: list[str]) -> list[str]:
    """The command line with what stands after ``--`` as an option, for the commands that run suites."""
    if arguments[:1] and arguments[0] in _RUN_SUITES and "--" in arguments:
        from backdate.cli.recipe_options import with_pytest_arguments

        return with_pytest_arguments(arguments)
    return arguments


def _require_linux(arguments: Sequence[str]) -> None:
    """Raise MachineError for a command that runs projects on a system that is not Linux."""
    from backdate.errors import MachineError

    asks_help = not {"-h", "--help"}.isdisjoint(arguments)
    if sys.platform == "linux" or asks_help or not arguments or arguments[0] not in _ON_LINUX:
        return
    raise MachineError(
        f"{arguments[0]} runs projects in a sandbox of Linux. Use the Docker image: "
        'docker run --rm --platform linux/amd64 -v "$PWD:/project:ro" '
        f"-v backdate-cache:/home/backdate/.cache backdate {arguments[0]}, "
        "with the options of docs/how-to/docker.md"
    )


def _is_server(arguments: Sequence[str]) -> bool:
    return bool(arguments) and arguments[0] in _SERVERS


def _interrupted(arguments: Sequence[str]) -> str:
    return _ENDED if _is_server(arguments) else _INTERRUPTED


def _open_closed_streams() -> None:
    """Python has no stream where a shell closed one (``>&-``): what is written there goes nowhere."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nowhere = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the life of the process
            setattr(sys, name, nowhere)


def _to_nowhere(stream: TextIO) -> None:
    """What is left in the stream's buffer cannot be written; the interpreter would say so when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def _words(error: OSError) -> str:
    """What the system refused, and where."""
    where = f"{error.filename}: " if error.filename is not None else ""
    advice = "; free some space and run the command again" if error.errno == errno.ENOSPC else ""
    return f"{where}{error.strerror or error}{advice}"
