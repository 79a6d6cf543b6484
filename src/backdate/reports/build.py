"""Writing a report.

::

    DIR/index.html      everything, in one page that needs nothing else
        report.md       the tables
        report.json     the figures (``EvaluationSummary``, of snippets ``SnippetSummary``) and the tables
        tables/NAME.csv
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backdate.errors import MachineError
from backdate.evaluation.scores import ScoredRun
from backdate.evaluation.snippets.scored import SnippetScores
from backdate.evaluation.snippets.summary import SnippetSummary, summarise_snippets
from backdate.evaluation.summary import EvaluationSummary, summarise
from backdate.reports.figures import figures_of, tables_of
from backdate.reports.pages import pages_of
from backdate.reports.snippet_figures import snippet_figures
from backdate.reports.snippet_tables import snippet_tables
from backdate.reports.tables import Table
from backdate.reports.text import shown
from backdate.serial import to_json, write_whole
from backdate.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFigures:
    """What a report tells."""

    summary: EvaluationSummary
    """Of runs over tasks."""
    snippets: tuple[SnippetSummary, ...] = ()
    """Of runs over snippets, one each."""


def write_report(
    runs: Sequence[ScoredRun],
    folder: Path,
    *,
    strict: bool = False,
    snippet_runs: Sequence[SnippetScores] = (),
) -> ReportFigures:
    """Write the report of ``runs`` and ``snippet_runs`` to ``folder``.

    Raises MachineError without the extra ``reports``.
    """
    figures = ReportFigures(
        summary=summarise(runs, strict=strict),
        snippets=tuple(summarise_snippets(scores) for scores in snippet_runs),
    )
    tables = (*(tables_of(figures.summary) if runs else ()), *snippet_tables(figures.snippets))
    page = page_of(runs, figures, tables, snippet_runs)
    write_whole(folder / "index.html", page.encode("utf-8", "backslashreplace"))
    title = f"# {_title(runs)}\n\n"
    (folder / "index.html").chmod(0o644)  # to be looked at, by a web server as well
    write_whole(folder / "report.md", (title + "\n".join(table.as_markdown() for table in tables)).encode())
    values = {
        "summary": figures.summary,
        "snippets": figures.snippets,
        "tables": {table.name: table.as_value() for table in tables},
    }
    write_whole(folder / "report.json", to_json(values, indent=1))
    for table in tables:
        write_whole(folder / "tables" / f"{table.name}.csv", table.as_csv().encode())
    return figures


def page_of(
    runs: Sequence[ScoredRun],
    figures: ReportFigures,
    tables: Sequence[Table],
    snippet_runs: Sequence[SnippetScores] = (),
) -> str:
    """The HTML page."""
    plots = figures_of(figures.summary) if runs else ()
    return str(
        _templates()
        .get_template("report.html.jinja")
        .render(
            title=_title(runs),
            summary=figures.summary,
            tables={table.name: table for table in tables},
            order=[table.name for table in tables],
            figures=(*plots, *snippet_figures(figures.snippets)),
            pages=pages_of(runs),
            runs=runs,
            snippet_runs=snippet_runs,
            made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            version=__version__,
        )
    )


def _title(runs: Sequence[ScoredRun]) -> str:
    return "Evaluation of migrations" if runs else "Evaluation on snippets"


def _templates() -> Environment:
    """Templates that escape everything, and write out what cannot be shown."""
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
        from markupsafe import Markup
    except ImportError as error:
        raise MachineError("a report needs jinja2; install backdate[reports]") from error

    def safe(value: Any) -> Any:
        return shown(value) if isinstance(value, str) and not isinstance(value, Markup) else value

    environment = Environment(
        loader=PackageLoader("backdate.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=safe,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["drawn"] = lambda figure: Markup(figure.svg)  # noqa: S704 - drawn and escaped in plots
    return environment
