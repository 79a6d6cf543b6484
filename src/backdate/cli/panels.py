"""How help is laid out: options by what they are about, commands by who needs them, as wide as the terminal.

Everything is plain text that click wraps: the library that draws boxes takes longer to import than all the
rest of a short command. An option that is in no table here stands under "Options".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand, TyperGroup

from backdate.text import first_line

if TYPE_CHECKING:
    from typer import Typer

COMPLETE_VARIABLE = "_BACKDATE_COMPLETE"
"""Set by a shell that asks for completions."""
CONTEXT: Mapping[str, Any] = {"help_option_names": ["-h", "--help"], "max_content_width": 120}
"""What every command inherits: ``-h``, and lines of at most 120 columns."""

_PANELS: Mapping[str, str] = {
    "What is compared": "from to as at lowest apply-cap from-lock python move-python test first repeats "
    "audit audit-tests audit-seed",
    "How the project is installed and tested": "test-command extra group env allow-network trust-config apt "
    "services no-store build-network accept attempts rounds",
    "The answer": "format output json junit picture keep verbose patch",
    "This machine, and the index": "sandbox timeout memory processes jobs disk-budget cache index-url "
    "extra-index-url index-strategy no-python-downloads store repos",
}
"""The names of options, without their dashes."""
_COMMAND_PANELS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("What did updates break", ("check", "bisect", "fix", "diagnose", "show")),
    ("Environments as of an instant", ("env", "setup", "recipe", "index", "run")),
    ("Benchmarks", ("bench", "issues", "snippets", "eval", "score", "report", "worker")),
    ("This machine, and what is known", ("doctor", "cache", "rules")),
)
_SENTENCE = re.compile(r"\.(?=\s|$)")


class GroupedCommand(TyperCommand):
    """A command whose options stand under headings."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then each group of options."""
        arguments: list[tuple[str, str]] = []
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in _PANELS}
        groups["Options"] = []
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is None:
                continue
            if parameter.param_type_name == "argument":
                arguments.append(record)
            else:
                groups[_panel(parameter.opts)].append(record)
        for title, rows in (("Arguments", arguments), *groups.items()):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


class GroupedCommands(TyperGroup):
    """Commands under headings, each with its first sentence."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write each group of commands."""
        names = self.list_commands(ctx)
        placed = {name for _, group in _COMMAND_PANELS for name in group}
        for title, group in (*_COMMAND_PANELS, ("Commands", tuple(names))):
            rows = [
                (name, _sentence(self.commands[name].help or ""))
                for name in group
                if name in names and (title != "Commands" or name not in placed)
            ]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def completed_words(environment: Mapping[str, str]) -> list[str]:
    """The words after ``backdate`` that a shell asks to complete; none where no shell asks.

    Bash, Zsh and Fish say them in different variables. One command is imported for them, not all.
    """
    if COMPLETE_VARIABLE not in environment:
        return []
    words = environment.get("COMP_WORDS") or environment.get("_TYPER_COMPLETE_ARGS") or ""
    return words.split()[1:]


def lay_out(app: Typer) -> Typer:
    """``app``, whose commands are ``GroupedCommand``s."""
    for command in app.registered_commands:
        command.cls = GroupedCommand
    return app


def _panel(names: Iterable[str]) -> str:
    bare = {name.removeprefix("--") for name in names}
    fitting = (title for title, options in _PANELS.items() if not bare.isdisjoint(options.split()))
    return next(fitting, "Options")


def _sentence(text: str) -> str:
    """The first sentence of a help text, which may go over several lines."""
    paragraph = " ".join(text.strip().partition("\n\n")[0].split())
    end = _SENTENCE.search(paragraph)
    return paragraph[: end.start()] + "." if end else first_line(paragraph)
