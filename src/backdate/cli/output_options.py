"""``--format`` and ``-o``: in which form a result is written, and where.

Without them the text is printed. A form other than text takes its place on standard output; with a file it
goes there, and the text is printed as well.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from backdate.cli import options

if TYPE_CHECKING:
    from backdate.output.formats import OutputFormat
    from backdate.output.render import AnyResult

_SUFFIXES = {
    ".txt": "text",
    ".json": "json",
    ".md": "markdown",
    ".markdown": "markdown",
    ".sarif": "sarif",
    ".xml": "junit",
    ".html": "html",
    ".htm": "html",
}
FormatName = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="text|json|markdown|github|sarif|junit|html",
        help="How the answer is written. Default: text, or what FILE's suffix says.",
    ),
]
OutputPath = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write it there; - is standard output."),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputOptions:
    """In which form the answer is written, and where."""

    format: FormatName = None
    output: OutputPath = None

    def target(self, *others: Path | None) -> OutputTarget:
        """Where the answer goes; asked before the work. ``others``: further files that the command writes.

        Raises UsageError for a form that is none and for a file that cannot be written.
        """
        from backdate.errors import UsageError

        file = Path(self.output) if self.output not in (None, "-") else None
        files = [one for one in (file, *others) if one is not None]
        for one in files:
            require_output(one)
        if len({one.absolute() for one in files}) < len(files):
            raise UsageError(f"{file or files[0]} is named twice: each output is a file of its own")
        return OutputTarget(form=_form(self.format, file), file=file)


TEXT_PRINTED = OutputOptions()
"""Nothing was asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputTarget:
    """A form, and the file that it goes to."""

    form: OutputFormat
    file: Path | None
    """None: standard output."""

    @property
    def prints_text(self) -> bool:
        """Whether standard output shows the text."""
        from backdate.output.formats import OutputFormat

        return self.file is not None or self.form in (OutputFormat.TEXT, OutputFormat.GITHUB)

    @property
    def is_plain(self) -> bool:
        """Whether nothing but the text is asked for, on standard output."""
        from backdate.output.formats import OutputFormat

        return self.file is None and self.form is OutputFormat.TEXT

    def write(self, result: AnyResult, *, source: str = "", verbose: bool = False) -> None:
        """Write and print ``result``. ``source``: the project, as the command line named it."""
        from backdate.cli.render import print_lines
        from backdate.cli.results import lines_of
        from backdate.output.formats import OutputFormat

        data = b""
        if self.form is OutputFormat.TEXT:
            data = _text(result, verbose) if self.file is not None else b""
        else:
            from backdate.output.render import rendered

            data = rendered(result, self.form, folder=folder_in_workspace(source))
            if self.file is None or is_special(self.file):
                from backdate.output.in_a_log import in_a_log

                data = in_a_log(data.decode("utf-8"), self.form).encode()
        if self.file is not None:  # before the text, whose reader may go away
            write_output(self.file, data)
        if self.prints_text:
            print_lines(lines_of(result, verbose=verbose))
        if self.file is None:
            sys.stdout.flush()
            typer.echo(data.decode("utf-8"), nl=False)
        if self.form is OutputFormat.GITHUB:
            _write_step_summary(result)


def _form(name: str | None, file: Path | None) -> OutputFormat:
    from backdate.errors import UsageError
    from backdate.output.formats import OutputFormat

    if name is None and file is not None:
        name = _SUFFIXES.get(file.suffix.lower(), "" if file.suffix else "text")
        if not name:
            raise UsageError(f"{file}: no form goes with {file.suffix}; name one with --format")
    try:
        return OutputFormat(name or "text")
    except ValueError as error:
        raise UsageError(f"--format {name}: the forms are {', '.join(OutputFormat)}") from error


def _text(result: AnyResult, verbose: bool) -> bytes:
    from backdate.cli.results import lines_of
    from backdate.cli.terminal import printable

    lines = [printable(text) for text, _ in lines_of(result, verbose=verbose)]
    return "".join(f"{line}\n" for line in lines).encode()


def require_output(path: Path) -> None:
    """Raise UsageError when ``path`` cannot be written as a file. Devices and pipes can."""
    from backdate.errors import UsageError

    if is_special(path):
        if not os.access(path, os.W_OK):
            raise UsageError(f"{path} cannot be written: it is not ours to write to")
        return
    options.require_writable(path, folder=False)


def is_special(path: Path) -> bool:
    """Whether ``path`` is something that no file may take the place of: ``/dev/stderr``, a pipe.

    A link to such a thing is none where anybody may have put it, as into a checkout: a file takes its place.
    """
    if path.is_symlink() and path.absolute().parts[1] not in ("dev", "proc"):
        return False
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def write_output(path: Path, data: bytes) -> None:
    """Write ``data`` to ``path``: a file is replaced as a whole."""
    from backdate.serial import write_whole

    if is_special(path):
        with path.open("wb") as stream:
            stream.write(data)
    else:
        write_whole(path, data)


def write_json(files: Sequence[Path | None], result: object) -> None:
    """What ``--json FILE`` asks for: the whole result, in each of the files."""
    from backdate.output.formats import OutputFormat
    from backdate.output.in_a_log import in_a_log
    from backdate.serial import to_json

    for file in files:
        if file is not None:
            data = to_json(result, indent=2)
            if is_special(file):
                data = in_a_log(data.decode("utf-8"), OutputFormat.JSON).encode()
            write_output(file, data)


def folder_in_workspace(source: str) -> str:
    """Where the project's folder lies in the repository of a CI job; "" for its root, or without CI."""
    workspace = os.environ.get("GITHUB_WORKSPACE") or os.environ.get("CI_PROJECT_DIR")
    if not workspace or not source or not Path(source).is_dir():
        return ""
    root, folder = Path(workspace).resolve(), Path(source).resolve()
    return folder.relative_to(root).as_posix().removeprefix(".") if folder.is_relative_to(root) else ""


def _write_step_summary(result: AnyResult) -> None:
    """Add the answer to the summary that GitHub shows of a step, where it says where that is."""
    from backdate.output.formats import OutputFormat
    from backdate.output.render import rendered

    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if file:
        with Path(file).open("ab") as summary:
            summary.write(rendered(result, OutputFormat.MARKDOWN))
