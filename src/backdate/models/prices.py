"""Token prices: a user's own file, in TOML or JSON. Prices that it lacks are unknown, never guessed.

::

    currency = "USD"

    [models."small-1"]              # prices for a million tokens
    input = 0.15
    cached_input = 0.075            # without it: cached tokens cost as much as others
    output = 0.60

    [[models."small-1".tiers]]      # for a call whose prompt is longer than that, all of the call
    above_prompt_tokens = 200_000
    input = 0.30
    output = 1.20
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from backdate.errors import ConfigurationError
from backdate.models.interface import TokenUsage
from backdate.serial import read_limited

_MILLION = 1_000_000
_FILE_BYTES = 1024 * 1024
_PRICE_KEYS = frozenset(("input", "cached_input", "output"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """Prices for a million tokens, for calls whose prompt is longer than ``above_prompt_tokens``."""

    above_prompt_tokens: int
    input: float
    cached_input: float
    output: float

    def cost(self, usage: TokenUsage) -> float:
        """What a call costs."""
        fresh = usage.prompt_tokens - usage.cached_tokens
        parts = (
            fresh * self.input,
            usage.cached_tokens * self.cached_input,
            usage.completion_tokens * self.output,
        )
        return math.fsum(parts) / _MILLION


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """A price file."""

    currency: str
    models: tuple[tuple[str, tuple[Tier, ...]], ...]
    """(a model's requested name, its tiers from the lowest)."""

    def cost(self, model: str, usage: TokenUsage | None) -> float | None:
        """The cost of *one call* of ``model`` in ``currency``; None when its price or tokens are unknown."""
        tiers = dict(self.models).get(model)
        if tiers is None or usage is None:
            return None
        return [tier for tier in tiers if usage.prompt_tokens > tier.above_prompt_tokens][-1].cost(usage)


def read_prices(path: Path) -> Prices:
    """The prices in the file ``path``: JSON when its name ends so, else TOML.

    Raises ConfigurationError, with the location, for an invalid file.
    """
    data = read_limited(path, limit=_FILE_BYTES, what="the price file")
    try:
        text = data.decode()
        content = json.loads(text) if path.suffix == ".json" else tomllib.loads(text)
        return parse_prices(content)
    except (ValueError, RecursionError) as error:  # both parsers' errors are ValueErrors
        raise ConfigurationError(f"the price file {path} cannot be understood: {error}") from error


def parse_prices(content: object) -> Prices:
    """The prices in a parsed file. Raises ValueError with the location."""
    table = _table(content, "the file", frozenset(("currency", "models")))
    currency = table.get("currency", "USD")
    if not isinstance(currency, str) or not currency.strip():
        raise ValueError('currency is not a word such as "USD"')
    models = _table(table.get("models", {}), "models", None)
    return Prices(
        currency=currency,
        models=tuple((name, _tiers(entry, f"models.{name}")) for name, entry in models.items()),
    )


def _tiers(entry: object, location: str) -> tuple[Tier, ...]:
    table = _table(entry, location, _PRICE_KEYS | {"tiers"})
    base = _tier(table, location, -1)
    further = table.get("tiers", [])
    if not isinstance(further, list):
        raise ValueError(f"{location}.tiers is not a list of tables")  # noqa: TRY004 - as below
    tiers = [base]
    for number, raw in enumerate(further):
        where = f"{location}.tiers[{number}]"
        fields = _table(raw, where, _PRICE_KEYS | {"above_prompt_tokens"})
        above = fields.get("above_prompt_tokens")
        if not isinstance(above, int) or isinstance(above, bool) or above < 0:
            raise ValueError(f"{where}.above_prompt_tokens is not a count of tokens")
        tiers.append(_tier(fields, where, above))
    bounds = [tier.above_prompt_tokens for tier in tiers]
    if len(set(bounds)) != len(bounds):
        raise ValueError(f"{location} has two tiers with the same above_prompt_tokens")
    return tuple(sorted(tiers, key=lambda tier: tier.above_prompt_tokens))


def _tier(table: Mapping[str, Any], location: str, above: int) -> Tier:
    prices: dict[str, float] = {}
    for name in sorted(_PRICE_KEYS & table.keys()):
        value = table[name]
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
            raise ValueError(f"{location}.{name} is not a price for a million tokens")
        prices[name] = float(value)
    for name in ("input", "output"):
        if name not in prices:
            raise ValueError(f"{location} has no {name}: write 0 for a model that is free")
    return Tier(
        above_prompt_tokens=above,
        input=prices["input"],
        cached_input=prices.get("cached_input", prices["input"]),
        output=prices["output"],
    )


def _table(value: object, location: str, allowed: frozenset[str] | None) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise ValueError(f"{location} is not a table")  # noqa: TRY004 - one kind of error for one file
    unknown = sorted(set(value) - allowed) if allowed is not None else []
    if unknown:
        raise ValueError(
            f"{location} has the unknown key {unknown[0]!r}: it may hold {', '.join(sorted(allowed or ()))}"
        )
    return value
