"""What the models did: calls, tests, tokens and tools, as tables and plots (Figures 9 to 12 of the paper)."""

from __future__ import annotations

from collections.abc import Sequence

from backdate.evaluation.spreads import AttemptSpread
from backdate.evaluation.summary import END, START, ModelSummary
from backdate.reports.distributions import Box, box_plot, heat_map, turn_plot
from backdate.reports.drawing.shapes import SERIES
from backdate.reports.figure import Figure, labelled
from backdate.reports.plots import Bar, bar_plot
from backdate.reports.tables import Table
from backdate.reports.text import count, dollars, number, percent

_MOST_TOOLS = 40
_MOST_TRANSITIONS = 30
_MOST_CELLS = 12
"""Rows and columns of a heat map, for what is called most."""
_SPREADS = (
    ("calls", "model-calls", "Model calls a task (Figure 10)", "model calls"),
    ("tests", "test-runs", "Test runs a task", "test runs"),
    ("input tokens", "input-tokens", "Input tokens a task (Figure 9)", "input tokens"),
    ("output tokens", "output-tokens", "Output tokens a task (Figure 9)", "output tokens"),
)


def behaviour_tables(models: Sequence[ModelSummary]) -> tuple[Table, ...]:
    """Those of the tables that the runs give."""
    tables = []
    if any(model.calls is not None or model.usage for model in models):
        tables.append(cost_table(models))
    if any(model.spreads for model in models):
        tables.append(spreads_table(models))
    if any(model.tools for model in models):
        tables += [tools_table(models), turns_table(models), transitions_table(models)]
    return tuple(tables)


def behaviour_figures(models: Sequence[ModelSummary]) -> tuple[Figure, ...]:
    """Those of the plots that the runs give."""
    figures = []
    for what, name, caption, x_title in _SPREADS:
        boxes = [
            Box(name=labelled(model, models), spread=model.spreads[what], series=at)
            for at, model in enumerate(models)
            if what in model.spreads
        ]
        if boxes:
            figures.append(
                Figure(name=name, caption=caption, svg=box_plot(boxes, title=caption, x_title=x_title))
            )
    bars = _tool_bars(models)
    if bars:
        caption = "Tool calls (Figure 11)"
        figures.append(Figure(name="tools", caption=caption, svg=bar_plot(bars, title=caption)))
    tools = _most_called(models)
    called = [(at, model) for at, model in enumerate(models) if model.tools]
    figures += [_turns_figure(at, model, models, tools[: SERIES - 1]) for at, model in called]
    figures += [_heat_figure(at, model, models, tools[:_MOST_CELLS]) for at, model in called]
    return tuple(figures)


def _most_called(models: Sequence[ModelSummary]) -> list[str]:
    """The tools, most called first by all models together: the same colour and row for each model."""
    totals: dict[str, int] = {}
    for model in models:
        for name, times in model.tools.items():
            totals[name] = totals.get(name, 0) + times
    return sorted(totals, key=lambda name: (-totals[name], name))


def _turns_figure(
    at: int, model: ModelSummary, models: Sequence[ModelSummary], names: Sequence[str]
) -> Figure:
    caption = f"Tool calls by turn: {labelled(model, models)}"
    keys = [*names, "others"] if model.tools.keys() - set(names) else names
    return Figure(
        name=f"turns-{at}",
        caption=caption,
        svg=turn_plot(model.turns, names, title=caption),
        legend=tuple(
            (f"border-top:.8rem solid var(--series-{number})", name) for number, name in enumerate(keys)
        ),
    )


def _heat_figure(
    at: int, model: ModelSummary, models: Sequence[ModelSummary], tools: Sequence[str]
) -> Figure:
    caption = f"Which tool (column) follows which (row), percent of the row: {labelled(model, models)}"
    return Figure(
        name=f"transitions-{at}",
        caption=caption + " (Figures 11 and 12)",
        svg=heat_map(
            {(one.before, one.after): one.count for one in model.transitions},
            [START, *tools],
            [*tools, END],
            title=caption,
        ),
    )


def spreads_table(models: Sequence[ModelSummary]) -> Table:
    """How calls, test runs and tokens are spread over the attempts."""
    rows = [
        (labelled(model, models), what, *_cells(model.spreads[what]))
        for what, *_ in _SPREADS
        for model in models
        if what in model.spreads
    ]
    return Table(
        name="spreads",
        caption="An attempt's calls, test runs and tokens (Figures 9 and 10)",
        columns=("Model", "What", "Attempts", "least", "quarter", "median", "three quarters", "most", "mean"),
        rows=tuple(rows),
        text_columns=2,
    )


def _cells(spread: AttemptSpread) -> tuple[str, ...]:
    whole = (spread.least, spread.lower, spread.median, spread.upper, spread.most)
    return (
        count(spread.attempts),
        *(f"{value:,.1f}".removesuffix(".0") for value in whole),
        number(spread.mean),
    )


def turns_table(models: Sequence[ModelSummary]) -> Table:
    """Which tools are called at which turn."""
    rows = []
    for model in models:
        for stretch in model.turns:
            turns = str(stretch.first) if stretch.first == stretch.last else f"{stretch.first}-{stretch.last}"
            most = ", ".join(f"{name} {times:,}" for name, times in list(stretch.tools.items())[:4])
            rows.append(
                (
                    labelled(model, models),
                    turns,
                    most,
                    count(stretch.attempts),
                    count(sum(stretch.tools.values())),
                )
            )
    return Table(
        name="turns",
        caption="Tool calls by turn",
        columns=("Model", "Turns", "called most", "Attempts there", "Calls"),
        rows=tuple(rows),
        text_columns=3,
    )


def cost_table(models: Sequence[ModelSummary]) -> Table:
    """Calls, tokens and cost (the numbers of Figures 9 and 10)."""
    rows = []
    for model in models:
        use = model.usage
        rows.append(
            (
                model.model,
                number(model.calls),
                number(model.tests),
                count(use.input_tokens if use else None),
                count(use.cached_tokens if use else None),
                count(use.output_tokens if use else None),
                dollars(use.cost_usd if use else None),
            )
        )
    return Table(
        name="cost",
        caption="Calls, tokens and cost (Figures 9 and 10)",
        columns=(
            "Model",
            "Calls a task",
            "Test runs a task",
            "Input tokens",
            "of these cached",
            "Output tokens",
            "Cost",
        ),
        rows=tuple(rows),
        note="Tokens and cost of all tasks together; what one part does not tell makes the sum unknown.",
    )


def tools_table(models: Sequence[ModelSummary]) -> Table:
    """How often each tool is called (the numbers of Figure 11)."""
    rows = [
        (
            name,
            *(
                f"{times:,} ({percent(times / max(sum(m.tools.values()), 1))})"
                for m, times in _of(name, models)
            ),
        )
        for name in _most_called(models)[:_MOST_TOOLS]
    ]
    return Table(
        name="tools",
        caption="Tool calls (Figure 11)",
        columns=("Tool", *(labelled(model, models) for model in models)),
        rows=tuple(rows),
    )


def _of(name: str, models: Sequence[ModelSummary]) -> list[tuple[ModelSummary, int]]:
    return [(model, model.tools.get(name, 0)) for model in models]


def transitions_table(models: Sequence[ModelSummary]) -> Table:
    """Which tool follows which (the numbers of Figure 12)."""
    rows = []
    for model in models:
        after: dict[str, int] = {}
        for transition in model.transitions:
            after[transition.before] = after.get(transition.before, 0) + transition.count
        rows += [
            (
                model.model,
                transition.before,
                transition.after,
                count(transition.count),
                percent(transition.count / after[transition.before]),
            )
            for transition in model.transitions[:_MOST_TRANSITIONS]
        ]
    return Table(
        name="transitions",
        caption="Which tool follows which (Figure 12)",
        columns=("Model", "After", "comes", "Times", "of those after it"),
        rows=tuple(rows),
        text_columns=3,
        note=f"The {_MOST_TRANSITIONS} most frequent of each model.",
    )


def _tool_bars(models: Sequence[ModelSummary]) -> list[Bar]:
    return [
        Bar(
            name=f"{labelled(model, models)}, {name}" if len(models) > 1 else name,
            value=times,
            label=count(times),
            series=at,
        )
        for at, model in enumerate(models)
        for name, times in list(model.tools.items())[:12]
    ]
