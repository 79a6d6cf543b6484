"""The frame of every plot: its size and margins, and the numbers on its axes."""

from __future__ import annotations

WIDTH, HEIGHT = 480, 270
LEFT, RIGHT, TOP, BOTTOM = 52, 16, 16, 44


def ticks(most: int) -> list[int]:
    """Whole numbers from 0 to ``most`` that an axis names."""
    step = next((size for size in (1, 2, 5, 10, 20, 50, 100, 200) if most <= 8 * size), 500)
    return list(range(0, most + 1, step))


def round_ticks(most: float) -> list[float]:
    """At most six round numbers from 0 to what is not below ``most``."""
    step = 1.0
    while step * 5 < most:
        step *= 2 if str(step)[0] in "15" else 2.5
    return [step * number for number in range(6) if step * (number - 1) < most or number < 2]


def compact(value: float) -> str:
    """A number for an axis: "800", "25k", "1.5M"."""
    for size, unit in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= size:
            return f"{value / size:.4g}{unit}"
    return f"{value:.4g}"
