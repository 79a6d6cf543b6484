"""Commands whose parameters are the fields of a dataclass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer
from typer.testing import CliRunner

from backdate.cli.arguments import takes


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Shared by commands."""

    host: Annotated[str, typer.Option("--host", help="Where.")] = "here"
    port: Annotated[int, typer.Option(min=1, help="At which door.")] = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Arguments:
    """Of one command."""

    name: Annotated[str, typer.Argument(metavar="NAME", help="Who.")]
    place: Place
    only: Annotated[list[str] | None, typer.Option("--only", help="What.")] = None


def test_fields_become_parameters_and_come_back_as_one_value() -> None:
    seen: list[Arguments] = []
    app = typer.Typer()

    @app.command()
    @takes(Arguments)
    def greet(given: Arguments) -> None:
        """Say hello."""
        seen.append(given)

    runner = CliRunner()
    assert runner.invoke(app, ["Ann"]).exit_code == 0
    words = ["Ann", "--port", "8", "--only", "a", "--only", "b"]
    assert runner.invoke(app, words).exit_code == 0
    assert seen == [
        Arguments(name="Ann", place=Place()),
        Arguments(name="Ann", place=Place(port=8), only=["a", "b"]),
    ]
    assert runner.invoke(app, []).exit_code == 2, "a field without a default is required"
    assert runner.invoke(app, ["Ann", "--port", "0"]).exit_code == 2
    help_text = runner.invoke(app, ["--help"]).output
    assert "Say hello." in help_text
    places = [help_text.index(word) for word in ("--host", "--port", "--only")]
    assert places == sorted(places), "a group's fields stand at its place"
