"""What the tables and plots of a report have in common."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from backdate.evaluation.summary import ModelSummary
from backdate.reports.text import NOT_KNOWN


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One plot."""

    name: str
    caption: str
    svg: str
    """Made here, all foreign text in it escaped."""
    legend: tuple[tuple[str, str], ...] = ()
    """Style and name of each line."""


def labelled(model: ModelSummary, models: Sequence[ModelSummary]) -> str:
    """A model's name, with its data set where the name alone is not enough."""
    same = sum(other.model == model.model for other in models)
    return model.model if same == 1 else f"{model.model} ({model.dataset or NOT_KNOWN})"
