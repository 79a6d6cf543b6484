"""The tables and plots of the paper (arXiv 2601.22597) from scored runs: what was solved, and all of them."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.evaluation.metrics import Interval
from backdate.evaluation.summary import DIFFICULTIES, EvaluationSummary, ModelSummary, TaskGroup
from backdate.reports.behaviour import behaviour_figures, behaviour_tables
from backdate.reports.figure import Figure, labelled
from backdate.reports.plots import Bar, Line, bar_plot, legend_style, line_plot
from backdate.reports.tables import Table
from backdate.reports.text import NOTHING, count, percent

_MOST_LIBRARIES = 40


def tables_of(summary: EvaluationSummary) -> tuple[Table, ...]:
    """All tables that the runs give."""
    models = summary.models
    tables = [scores_table(summary), difficulty_table(models), outcomes_table(models)]
    if any(model.samples > 1 for model in models):
        tables.append(samples_table(models))
    if any(model.by_library for model in models):
        tables.append(library_table(models))
    tables.append(flags_table(models))
    return (*tables, *behaviour_tables(models))


def scores_table(summary: EvaluationSummary) -> Table:
    """The leaderboard: the paper's Table 2."""
    rows = tuple(
        (
            model.model,
            _interval(model.pass_at_1),
            _interval(model.prec_at_1),
            percent(model.prec_at_1_as_released),
            count(model.flagged),
            count(len(model.forged)),
            count(model.not_witnessed),
            _tasks(model),
            model.dataset,
        )
        for model in summary.models
    )
    return Table(
        name="scores",
        caption="Scores (Table 2 of the paper)",
        columns=(
            *("Model", "pass@1", "prec@1", "as released", "Solved, flagged", "Forged"),
            *("Solved, not witnessed", "Tasks", "Data set"),
        ),
        rows=rows,
        note="pass@1: share of tasks solved. prec@1: precision of the edits against the gold patch, 0 where "
        "the task is not solved. In brackets the 95 % interval over tasks. As released: precision "
        "without regard to success, as the paper's published code averages it."
        + (
            " Only tasks that are solved without a flag by a witnessed run count as solved here."
            if summary.strict
            else ""
        )
        + (" Tasks that nobody has verified are among them." if _unverified(summary) else ""),
    )


def _unverified(summary: EvaluationSummary) -> bool:
    return any(model.unverified for model in summary.models)


def difficulty_table(models: Sequence[ModelSummary]) -> Table:
    """The paper's Table 12."""
    names = [
        name for name in DIFFICULTIES if any(group.name == name for m in models for group in m.by_difficulty)
    ]
    names += sorted({g.name for m in models for g in m.by_difficulty} - set(DIFFICULTIES))
    columns = ["Model"]
    for name in names:
        columns += [f"{name}: tasks", f"{name}: pass@1", f"{name}: prec@1"]
    rows = []
    for model in models:
        groups = {group.name: group for group in model.by_difficulty}
        rows.append((model.model, *(cell for name in names for cell in _group_cells(groups.get(name)))))
    return Table(
        name="difficulty",
        caption="Scores by difficulty (Table 12)",
        columns=tuple(columns),
        rows=tuple(rows),
    )


def _group_cells(group: TaskGroup | None) -> tuple[str, str, str]:
    if group is None:
        return "0", NOTHING, NOTHING
    return count(group.tasks), percent(group.pass_at_1), percent(group.prec_at_1)


def outcomes_table(models: Sequence[ModelSummary]) -> Table:
    """What became of the answers."""
    rows = [(model.model, name, count(times)) for model in models for name, times in model.outcomes.items()]
    return Table(
        name="outcomes",
        caption="What became of the answers",
        columns=("Model", "Outcome", "Answers"),
        rows=tuple(rows),
        text_columns=2,
    )


def samples_table(models: Sequence[ModelSummary]) -> Table:
    """pass@k."""
    most = max(model.samples for model in models)
    columns = ("Model", "Samples", *(f"pass@{k}" for k in range(1, most + 1)))
    rows = tuple(
        (
            model.model,
            count(model.samples),
            *(percent(model.pass_at_k.get(str(k))) for k in range(1, most + 1)),
        )
        for model in models
    )
    note = "Unbiased estimate over the tasks that every sample scored."
    return Table(name="samples", caption="pass@k over samples", columns=columns, rows=rows, note=note)


def library_table(models: Sequence[ModelSummary]) -> Table:
    """Scores by related library."""
    sizes: dict[str, int] = {}
    for model in models:
        for group in model.by_library:
            sizes[group.name] = max(sizes.get(group.name, 0), group.tasks)
    names = sorted(sizes, key=lambda name: (-sizes[name], name))
    rows = []
    for name in names[:_MOST_LIBRARIES]:
        groups = [next((group for group in m.by_library if group.name == name), None) for m in models]
        rows.append(
            (name, count(sizes[name]), *(percent(group.pass_at_1 if group else None) for group in groups))
        )
    left = len(names) - len(rows)
    return Table(
        name="libraries",
        caption="pass@1 by library",
        columns=("Library", "Tasks", *(labelled(model, models) for model in models)),
        rows=tuple(rows),
        note="A task counts for each library that its solution is about."
        + (f" {left} rarer libraries are left out." if left else ""),
    )


def flags_table(models: Sequence[ModelSummary]) -> Table:
    """Suspicions on solved tasks."""
    rows = [
        (model.model, kind, count(times)) for model in models for kind, times in sorted(model.flags.items())
    ]
    asked = "; ".join(f"{model.model}: {model.flags_looked_for}" for model in models)
    return Table(
        name="flags",
        caption="Flags on solved tasks (Figures 6b and 13)",
        columns=("Model", "Flag", "Tasks"),
        rows=tuple(rows),
        text_columns=2,
        note=f"A flag is a reason to look, not a verdict. Looked for: {asked}.",
    )


def figures_of(summary: EvaluationSummary) -> tuple[Figure, ...]:
    """All plots that the runs give."""
    models = summary.models
    figures = [
        Figure(
            name="pass-at-1",
            caption="pass@1 by model",
            svg=bar_plot(
                [
                    Bar(
                        name=model.model,
                        value=model.pass_at_1.value,
                        label=percent(model.pass_at_1.value),
                        series=at,
                    )
                    for at, model in enumerate(models)
                ],
                title="pass@1 by model",
            ),
        )
    ]
    lines = [
        Line(name=model.model, values=model.curve, series=at)
        for at, model in enumerate(models)
        if model.curve
    ]
    if lines:
        title = "pass@1 over the calls that are allowed (Figure 5)"
        figures.append(
            Figure(
                name="calls",
                caption=title,
                svg=line_plot(lines, title=title, x_title="model calls allowed", y_title="pass@1"),
                legend=tuple((legend_style(line.series), line.name) for line in lines),
            )
        )
    return (*figures, *behaviour_figures(models))


def _tasks(model: ModelSummary) -> str:
    """How many tasks, and how many answers have a score where some have none."""
    asked = model.tasks * model.samples
    return count(model.tasks) if model.scored == asked else f"{model.scored:,} of {asked:,} scored"


def _interval(interval: Interval | None) -> str:
    if interval is None:
        return NOTHING
    return f"{percent(interval.value)} [{100 * interval.low:.1f}, {100 * interval.high:.1f}]"
