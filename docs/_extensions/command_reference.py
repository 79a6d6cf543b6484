"""Writes the reference of the commands, made from themselves, where a page says ``<!-- commands -->``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer
from sphinx.application import Sphinx

MARK = "<!-- commands -->"
_AS_CODE = (r"`[^`]+`", r"(?<![\w-])--?[a-z][\w-]*", r"\b[A-Z]+(?:_[A-Z]+)+(?:=\w+)?", r"https?://[^\s\]]+")


def setup(app: Sphinx) -> dict[str, bool]:
    """What Sphinx calls."""
    app.connect("source-read", _fill_in)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _fill_in(_app: Sphinx, _name: str, source: list[str]) -> None:
    if MARK in source[0]:
        source[0] = source[0].replace(MARK, command_reference())


def command_reference() -> str:
    """Every command as Markdown: how it is called, what it says of itself, its arguments and options."""
    from backdate.cli.main import app_for

    root: Any = typer.main.get_command(app_for([]))
    return "\n".join(line for name in root.commands for line in _command([name], root.commands[name]))


def _command(path: list[str], command: Any) -> Iterator[str]:
    context = typer.Context(command, info_name=" ".join(["backdate", *path]))
    yield f"## backdate {' '.join(path)}\n" if len(path) == 1 else f"### backdate {' '.join(path)}\n"
    subcommands = getattr(command, "commands", {})
    if not subcommands:
        pieces = " ".join(command.collect_usage_pieces(context))
        yield f"    {context.info_name} {pieces}\n"
    for paragraph in (command.help or "").split("\n\n"):
        text = " ".join(line.strip() for line in paragraph.splitlines())
        yield f"    {text}\n" if text.startswith("backdate ") else f"{_text(text)}\n"
    rows = [row for parameter in command.params if (row := _parameter(parameter, context))]
    if rows:
        yield "| argument or option | |\n|---|---|"
        yield from rows
        yield ""
    for name in sorted(subcommands):
        yield from _command([*path, name], subcommands[name])


def _parameter(parameter: Any, context: Any) -> str:
    if parameter.param_type_name == "argument":
        help_text = parameter.help or ""
        return f"| `{_code(parameter.make_metavar(context))}` | {_cell(help_text)} |"
    record = parameter.get_help_record(context)
    return f"| `{_code(record[0])}` | {_cell(record[1])} |" if record else ""


def _code(text: str) -> str:
    return text.replace("|", "\\|")


def _cell(text: str) -> str:
    return _text(" ".join(text.split())).replace("|", "\\|")


def _text(text: str) -> str:
    """``text`` with options, variables and addresses as code, and other markup of Markdown written out."""
    return "".join(
        f"`{part.strip('`')}`" if number % 2 else re.sub(r"([\\<*_\[\]`])", r"\\\1", part)
        for number, part in enumerate(re.split(f"({'|'.join(_AS_CODE)})", text))
    )
