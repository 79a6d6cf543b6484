"""The options of commands that may ask a model for advice, and what they mean."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

if TYPE_CHECKING:
    from backdate.recipes.adviser.consultation import Consultation
    from backdate.recipes.adviser.interface import Adviser
    from backdate.timeline.instants import Instant

ANSWERS = "answers.sqlite"
"""The file in the cache in which models' answers are kept."""

AdviserName: TypeAlias = Annotated[
    str,
    typer.Option(
        "--adviser",
        metavar="none|MODEL[@URL]",
        help="A model to ask for what the rules do not settle, at an OpenAI-compatible URL; the key is read "
        "from OPENAI_API_KEY. Needs backdate[models].",
    ),
]
StrategyName: TypeAlias = Annotated[
    Literal["setupagent", "timemachine"],
    typer.Option("--adviser-strategy", help="Whose phases the adviser follows."),
]
Web: TypeAlias = Annotated[
    bool,
    typer.Option("--web", help="Let the adviser read pages on the web that the project's files link to."),
]

PriceFile: TypeAlias = Annotated[
    Path | None,
    typer.Option("--prices", metavar="FILE", help="What an adviser's tokens cost (TOML or JSON)."),
]


@contextmanager
def open_advisers(
    name: str,
    strategy: Literal["setupagent", "timemachine"],
    *,
    web: bool,
    cache: Path,
    prices: Path | None = None,
) -> Iterator[Callable[[Instant], Adviser] | None]:
    """What makes the adviser of each set-up; None when ``name`` is "none". Answers are kept in ``cache``.

    Raises UsageError for a model that cannot be asked, and for ``--web`` and ``--prices`` without one;
    ConfigurationError for a price file that is none.
    """
    from backdate.errors import UsageError
    from backdate.models.model_name import parse_endpoint
    from backdate.models.open import open_model
    from backdate.models.prices import read_prices
    from backdate.recipes.adviser.adviser import ModelAdviser
    from backdate.recipes.adviser.web import WebReader

    if name == "none":
        if web or prices is not None:
            option = "--web" if web else "--prices"
            raise UsageError(f"{option} is for an adviser; name a model with --adviser")
        yield None
        return
    costs = read_prices(prices) if prices is not None else None
    with open_model(parse_endpoint(name), answers=cache / ANSWERS) as model:
        reader = WebReader() if web else None
        yield lambda instant: ModelAdviser(
            model, instant=instant, strategy=strategy, web=reader, prices=costs
        )


def advice_lines(advice: Consultation | None) -> Iterator[str]:
    """For people: what a model was asked, and how each question ended. Not cleaned for a terminal yet."""
    if advice is None or not advice.exchanges:
        return
    account = advice.account
    tokens = f"{account.usage.prompt_tokens:,} tokens in, {account.usage.completion_tokens:,} out"
    if account.uncounted:
        tokens += f", unknown for {account.uncounted} answers"
    remembered = f", {account.remembered} of them remembered" if account.remembered else ""
    yield f"Adviser {advice.model} ({advice.strategy}): {account.calls} answers{remembered}; {tokens}"
    yield f"  cost: {_cost(advice)}"
    for exchange in advice.exchanges:
        detail = "" if exchange.ending == "answered" else f" ({exchange.detail[:120]})"
        yield f"  {exchange.phase}: {exchange.ending}{detail}"


def _cost(advice: Consultation) -> str:
    if advice.currency is None:
        return "unknown (no price file: --prices)"
    if advice.cost is None:
        return f"unknown: the price file does not name {advice.model}, or tokens were not counted"
    return f"{advice.cost:.6g} {advice.currency}"
