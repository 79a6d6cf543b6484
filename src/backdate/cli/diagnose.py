"""``backdate diagnose``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from backdate.cli import options
from backdate.cli.arguments import takes
from backdate.cli.output_options import TEXT_PRINTED, OutputOptions, write_json


@dataclass(frozen=True, slots=True, kw_only=True)
class DiagnoseArguments:
    """What ``diagnose`` is given."""

    log: Annotated[
        str, typer.Argument(metavar="LOG", help="A log file; - is standard input.", show_default=False)
    ]
    project: Annotated[
        Path | None,
        typer.Option(
            "--project", metavar="DIR", help="The project's sources: their imports tell what aliases mean."
        ),
    ] = None
    outputs: OutputOptions = TEXT_PRINTED
    json: options.JsonFile = None
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Every place and test of each cause, and every message.")
    ] = False


@takes(DiagnoseArguments)
def diagnose_command(arguments: DiagnoseArguments) -> int:
    """Tell from a CI log why tests or an installation failed: the cause, the library and its change.

    Reads what pytest, unittest and pip print, also with the timestamps, groups and colours of GitHub Actions.
    Nothing is installed and nothing is run.

    Examples:

      backdate diagnose build.log --project .

      gh run view --log-failed | backdate diagnose -

    Exit status: 0 the log's failures were read, 2 it holds no failure that can be read, 3 misuse.
    """
    from backdate.cli import exit_codes
    from backdate.cli.terminal import tell
    from backdate.diagnosis.log_report import explain_log
    from backdate.errors import UsageError

    if arguments.project is not None and not arguments.project.is_dir():
        raise UsageError(f"--project {arguments.project} is not a folder")
    target = arguments.outputs.target(arguments.json)
    report = explain_log(_text(arguments.log), tree=arguments.project)
    write_json((arguments.json,), report)
    if report.explains_nothing:
        shown = "standard input" if arguments.log == "-" else arguments.log
        last = f"; its last error is {report.last_error!r}" if report.last_error else ""
        tell(
            f"backdate: {shown} holds no failure of pytest, unittest or pip that can be read{last}; "
            "give the whole log of the step that failed"
        )
        if not target.is_plain:
            target.write(report)
        return exit_codes.CANNOT_TELL
    target.write(report, source=str(arguments.project or ""), verbose=arguments.verbose)
    return exit_codes.OK


def _text(log: str) -> str:
    """The log's text. Raises UsageError for what is not one."""
    from backdate.diagnosis.logs import LARGEST_LOG
    from backdate.errors import UsageError

    try:
        if log == "-":
            data = sys.stdin.buffer.read(LARGEST_LOG)
        else:
            with Path(log).open("rb") as file:
                data = file.read(LARGEST_LOG)
    except OSError as error:
        raise UsageError(f"{log} cannot be read: {error.strerror}") from error
    if b"\0" in data[:4096] and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise UsageError(f"{log} is not a text file; unpack it first if it is an archive")
    return data.decode("utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8", "replace")
