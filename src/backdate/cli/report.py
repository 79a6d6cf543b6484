"""``backdate report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from backdate.cli import options


def report_command(
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="Folders of runs that `backdate score` has scored.")
    ],
    output: Annotated[
        Path, typer.Option("-o", "--output", metavar="DIR", help="Where the report goes.")
    ] = Path("report"),
    strict: Annotated[
        bool, typer.Option("--strict", help="Count only what is solved without a flag by a witnessed run.")
    ] = False,
) -> int:
    """Write tables, plots and one HTML page about scored runs.

    The page opens from disk and needs no network. Runs of one model on one data set count as its samples.
    Runs over snippets have tables of their own. Needs the extra `reports`.

    Examples:

      backdate report runs/bench/gold

      backdate report runs/bench/* -o report

    Exit status: 0 the report was written, 3 misuse (a run was not scored), 4 this machine lacks something.
    """
    from backdate.cli import exit_codes
    from backdate.cli.terminal import printable
    from backdate.evaluation.scores import load_scored_run
    from backdate.evaluation.snippets.run_folder import is_snippet_run
    from backdate.evaluation.snippets.scored import load_snippet_scores
    from backdate.evaluation.snippets.summary_text import snippet_summary_text
    from backdate.reports.build import write_report

    options.require_writable(output, folder=True)
    folders = list(dict.fromkeys(runs))
    scored = [load_scored_run(folder) for folder in folders if not is_snippet_run(folder)]
    snippet_runs = [load_snippet_scores(folder) for folder in folders if is_snippet_run(folder)]
    figures = write_report(scored, output, strict=strict, snippet_runs=snippet_runs)
    for snippets in figures.snippets:
        typer.echo(printable(snippet_summary_text(snippets), lines=True))
    for model in figures.summary.models:
        precision = "" if model.prec_at_1 is None else f", prec@1 {model.prec_at_1.value:.1%}"
        typer.echo(
            printable(f"{model.model} on {model.dataset}: pass@1 {model.pass_at_1.value:.1%}{precision}")
        )
    typer.echo(printable(f"The report is {output / 'index.html'}"))
    return exit_codes.OK
