"""The figures of a scored run over snippets, for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from backdate.evaluation.snippets.summary import RuleFigures, SnippetFigures, SnippetSummary
from backdate.text import counted


def snippet_summary_text(summary: SnippetSummary) -> str:
    """A line for each ask, collection, direction and subset."""
    lines = [f"{summary.model} on {summary.dataset}"]
    if not summary.verified:
        lines.append("  no claim is verified: run 'backdate bench verify' to know the confirmed subset")
    lines += [line for figures in summary.figures for line in _lines(figures)]
    if summary.labels:
        odd = ", ".join(f"{number} {label}" for label, number in summary.labels.items())
        lines.append(f"  odd answers: {odd}")
    return "\n".join(lines)


def _lines(figures: SnippetFigures) -> Iterator[str]:
    direction = "" if figures.direction is None else f", {figures.direction.value}"
    yield (
        f"  {figures.ask.value}, {figures.collection.value}{direction}, {figures.subset}: "
        f"{counted(figures.snippets, 'snippet')}"
        + (f", {figures.undecided} without an environment" if figures.undecided else "")
    )
    if not figures.snippets:
        return
    yield f"    strict    {_rule(figures.strict, figures.samples)}; doing nothing {figures.baseline:.1%}"
    released = _rule(figures.released, figures.samples)
    yield f"    released  {released}; doing nothing {figures.baseline_released:.1%}"
    if figures.judge is not None:
        yield f"    judge     {_rule(figures.judge, figures.samples)}; {figures.judged} decided"
    parts = [
        f"{name} {value:.1%}"
        for name, value in (
            ("precision", figures.precision),
            ("recall", figures.recall),
            ("type", figures.change),
            ("version", figures.version),
            ("replacement", figures.replacement),
            ("visible tests", figures.visible),
        )
        if value is not None
    ]
    if parts:
        yield f"    parts     {', '.join(parts)}"
    if figures.errors and any(figures.errors.values()):
        yield f"    failures  {', '.join(f'{number} {name}' for name, number in figures.errors.items())}"


def _rule(rule: RuleFigures, samples: int) -> str:
    five = "" if rule.pass_at_5 is None else f", pass@5 {rule.pass_at_5:.1%}"
    several = f", any of {samples} {rule.any_of_k:.1%}" if samples > 1 else ""
    return f"pass@1 {rule.pass_at_1:.1%}{five}{several}"
