"""Writing a report.

::

    DIR/index.html      everything, in one page that needs nothing else
        report.md       the tables
        report.json     the figures (``EvaluationSummary``) and the tables
        tables/NAME.csv
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backdate.errors import MachineError
from backdate.evaluation.scores import ScoredRun
from backdate.evaluation.summary import EvaluationSummary, summarise
from backdate.reports.figures import figures_of, tables_of
from backdate.reports.pages import pages_of
from backdate.reports.tables import Table
from backdate.reports.text import shown
from backdate.serial import to_json, write_whole
from backdate.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment


def write_report(runs: Sequence[ScoredRun], folder: Path, *, strict: bool = False) -> EvaluationSummary:
    """Write the report of ``runs`` to ``folder``. Raises MachineError without the extra ``reports``."""
    summary = summarise(runs, strict=strict)
    tables = tables_of(summary)
    page = page_of(runs, summary, tables)
    write_whole(folder / "index.html", page.encode("utf-8", "backslashreplace"))
    title = "# Evaluation of migrations\n\n"
    (folder / "index.html").chmod(0o644)  # to be looked at, by a web server as well
    write_whole(folder / "report.md", (title + "\n".join(table.as_markdown() for table in tables)).encode())
    values = {"summary": summary, "tables": {table.name: table.as_value() for table in tables}}
    write_whole(folder / "report.json", to_json(values, indent=1))
    for table in tables:
        write_whole(folder / "tables" / f"{table.name}.csv", table.as_csv().encode())
    return summary


def page_of(runs: Sequence[ScoredRun], summary: EvaluationSummary, tables: Sequence[Table]) -> str:
    """The HTML page."""
    return str(
        _templates()
        .get_template("report.html.jinja")
        .render(
            summary=summary,
            tables={table.name: table for table in tables},
            order=[table.name for table in tables],
            figures=figures_of(summary),
            pages=pages_of(runs),
            runs=runs,
            made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            version=__version__,
        )
    )


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
