"""``backdate snippets``: data sets of functions that work with one version of a library."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from backdate.cli import options, snippets_build
from backdate.cli.arguments import takes

app = typer.Typer(
    name="snippets",
    help="Data sets of functions that work with one version of a library and not with another.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetImportArguments:
    """What ``snippets import`` is given."""

    source: Annotated[
        Path, typer.Argument(metavar="DIR|FILE", help="Published rows: CodeMEnv's or GitChameleon's.")
    ]
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DATASET", help="The new data set's folder.")
    ]
    name: Annotated[
        str | None, typer.Option("--name", metavar="TEXT", help="The data set's name, if not the source's.")
    ] = None
    cache: options.CacheFolder = None
    index_url: options.IndexUrl = None


@app.command("import")
@takes(SnippetImportArguments)
def import_command(arguments: SnippetImportArguments) -> int:
    """Make a data set of published rows, normalised; what is odd about a row becomes a flag of it.

    Read are CodeMEnv's easy, hard and Java rows and those of GitChameleon 2.0. Which environments the
    versions mean is found out here; they are made when snippets are run.
    Example: backdate snippets import rows -o set
    """
    from backdate.cli import exit_codes
    from backdate.cli.render_snippets import import_lines
    from backdate.cli.terminal import printable
    from backdate.snippets.importing import import_snippets

    machine = options.settings(sandbox="bwrap", cache=arguments.cache, index_url=arguments.index_url)
    with machine.open_index(machine.open_cache()) as index:
        dataset, imported = import_snippets(
            arguments.source, arguments.output, index=index, name=arguments.name
        )
    for line in import_lines(dataset, imported):
        typer.echo(printable(line))
    return exit_codes.OK


app.command("build")(snippets_build.build_command)
