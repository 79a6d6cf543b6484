"""``backdate recipe``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from backdate.cli import options

if TYPE_CHECKING:
    from collections.abc import Iterator

    from backdate.recipes.extraction import Extraction
    from backdate.recipes.recipe import Provenance, Recipe

CANNOT_TELL = 2
"""The exit status when there is no recipe: as for every command that has no answer."""


def recipe_command(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The project's folder; it is only read.")],
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="INSTANT", help="Also say which interpreter this instant means."),
    ] = None,
    output_format: Annotated[
        Literal["text", "json", "sh", "dockerfile"],
        typer.Option("--format", help="How the recipe is written."),
    ] = "text",
    everything: Annotated[
        bool,
        typer.Option("--all", help="Every candidate, and everything that was skipped, with the reasons."),
    ] = False,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="Write the recipe that was proven last (by check or setup) into the project's settings.",
        ),
    ] = False,
    cache: options.CacheFolder = None,
) -> int:
    """Show how a project would be installed and tested, and from which file and line each step comes.

    Nothing is executed and no environment is built: the project's files are read. json is one recipe, or with
    --all everything that was found. What the project's settings say is part of it.
    """
    from backdate.checking.starting_recipes import configured_candidates
    from backdate.errors import SourceError
    from backdate.recipes.extract import extract_recipes
    from backdate.recipes.render import as_dockerfile, as_json, as_shell_script
    from backdate.serial import to_json

    if not path.is_dir():
        raise SourceError(f"{path} is not a folder; name the folder that holds the project")
    if write:
        return _write(path, cache)
    python, why = _interpreter(path, at) if at is not None else (None, None)
    extraction = extract_recipes(path)
    extraction = replace(extraction, candidates=configured_candidates(path, extraction.candidates))
    if output_format == "json" and everything:
        typer.echo(to_json(extraction, indent=2).decode())
    elif not extraction.candidates:
        typer.echo("No tests were found, so there is no recipe.", err=True)
        for line in _skipped(extraction, everything=everything):
            typer.echo(line, err=True)
    elif output_format == "text":
        for line in _text(extraction, python, why, everything=everything):
            typer.echo(line)
    else:
        chosen = extraction.candidates if everything else extraction.candidates[:1]
        for recipe in chosen:
            if output_format == "json":
                typer.echo(as_json(recipe))
            elif output_format == "sh":
                typer.echo(as_shell_script(recipe), nl=False)
            else:
                typer.echo(as_dockerfile(recipe, python=python), nl=False)
    return 0 if extraction.candidates else CANNOT_TELL


def _write(path: Path, cache: Path | None) -> int:
    """Write the proven recipe into the settings of the project at ``path``. Raises UsageError without one."""
    from backdate.checking.recipe_store import FILE, RecipeStore
    from backdate.configuration.writing import file_with_settings, place_of_settings
    from backdate.environments.cache import default_cache
    from backdate.errors import UsageError
    from backdate.projects.hostile import replace_beneath
    from backdate.recipes.extract import extract_recipes
    from backdate.recipes.files import Files
    from backdate.recipes.written import settings_of
    from backdate.timeline.instants import format_day

    folder = path.resolve()
    store = RecipeStore((cache.resolve() if cache else default_cache()) / FILE)
    proven = store.last(f"folder:{folder}")
    if proven is None:
        raise UsageError(
            f"no recipe of {path} was proven on this machine; run: backdate setup {path} "
            "(with --test-command, --extra and so on where it reads the project wrongly)"
        )
    written = settings_of(
        proven.recipe, extract_recipes(folder).candidates, Files(folder), python=proven.python
    )
    name = place_of_settings(folder)
    replace_beneath(folder, name, file_with_settings(folder, name, written.values))
    instant = format_day(proven.instant)
    typer.echo(
        f"Wrote to {name}: {', '.join(written.values)} ({proven.passed} of {proven.ran} at {instant})."
    )
    for reason in written.left_out:
        typer.echo(f"Not written, as no setting says it: {reason}", err=True)
    return 0


def _interpreter(path: Path, at: str) -> tuple[str, str]:
    """The release that the project wants at an instant, and why."""
    from backdate.projects.python_constraint import read_python_constraint, wanted_release
    from backdate.timeline.instants import parse_instant

    return wanted_release(read_python_constraint(path), parse_instant(at, words=True))


def _text(extraction: Extraction, python: str | None, why: str | None, *, everything: bool) -> Iterator[str]:
    if python is not None:
        yield f"Python {python}: {why}"
        yield ""
    shown = extraction.candidates if everything else extraction.candidates[:1]
    for number, recipe in enumerate(shown, start=1):
        title = recipe.provenance.rule if recipe.provenance else "a recipe"
        yield f"Recipe {number} of {len(extraction.candidates)}: {_printable(title)}"
        yield from _recipe(recipe)
        yield ""
    yield from _skipped(extraction, everything=everything)


def _recipe(recipe: Recipe) -> Iterator[str]:
    from backdate.recipes.render import steps_of

    if recipe.interpreter is not None:
        versions = ", ".join(recipe.interpreter.versions)
        yield _line("python", versions, recipe.interpreter.provenance)
    for kind, what, provenance in steps_of(recipe):
        yield _line(kind, what, provenance)


def _line(kind: str, what: str, provenance: Provenance) -> str:
    where = f"{provenance.location}  ({provenance.rule})" if provenance.location else f"({provenance.rule})"
    return f"  {kind:<8} {_printable(what)}\n{'':11}from {_printable(where)}"


def _skipped(extraction: Extraction, *, everything: bool) -> Iterator[str]:
    if not extraction.skipped:
        return
    if not everything:
        yield f"{len(extraction.skipped)} things were skipped; --all shows them with the reasons."
        return
    yield "Skipped:"
    for instruction in extraction.skipped:
        where = instruction.provenance.location or instruction.provenance.rule
        text = f"  [{instruction.provenance.text}]" if instruction.provenance.text else ""
        yield f"  {_printable(where)}: {_printable(instruction.reason + text)}"


def _printable(text: str) -> str:
    """What a hostile file holds cannot move a terminal's cursor."""
    return "".join(character if character.isprintable() else "?" for character in text)
