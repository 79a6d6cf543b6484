"""Price files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import ConfigurationError
from backdate.models.interface import TokenUsage
from backdate.models.prices import parse_prices, read_prices

TOML = """
currency = "EUR"
[models."small-1"]
input = 0.15
cached_input = 0.075
output = 0.60
[[models."small-1".tiers]]
above_prompt_tokens = 200_000
input = 0.30
output = 1.20
[models.free]
input = 0
output = 0
"""


def test_a_call_costs_what_its_tier_says(tmp_path: Path) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(TOML)
    prices = read_prices(path)
    assert prices.currency == "EUR"
    usage = TokenUsage(prompt_tokens=100_000, cached_tokens=40_000, completion_tokens=1_000)
    # for a million: 60,000 fresh at 0.15, 40,000 cached at 0.075, 1,000 written at 0.60
    assert prices.cost("small-1", usage) == pytest.approx((9000 + 3000 + 600) / 1e6)
    above = TokenUsage(prompt_tokens=200_001, cached_tokens=1, completion_tokens=10)
    # a tier without a price for cached tokens: they cost as much as the others of that tier
    assert prices.cost("small-1", above) == pytest.approx((200_001 * 0.30 + 10 * 1.20) / 1e6)
    assert prices.cost("free", usage) == 0


def test_what_is_unknown_stays_unknown() -> None:
    prices = parse_prices({"models": {"a": {"input": 1, "output": 1}}})
    assert prices.cost("b", TokenUsage(prompt_tokens=1)) is None
    assert prices.cost("a", None) is None


def test_json_is_read_too(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"models": {"a": {"input": 2, "output": 4}}}))
    assert read_prices(path).cost("a", TokenUsage(prompt_tokens=1_000_000)) == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[models.a]\ninput = 1", "models.a has no output"),
        ("[models.a]\ninput = -1\noutput = 1", "models.a.input is not a price"),
        ("[models.a]\ninput = true\noutput = 1", "models.a.input"),
        ("[models.a]\ninput = nan\noutput = 1", "models.a.input"),
        ("[models.a]\ninput = 1\noutput = 1\nper_call = 2", "per_call"),
        ("[models.a]\ninput = 1\noutput = 1\ntiers = 3", "models.a.tiers"),
        (
            "[models.a]\ninput = 1\noutput = 1\n[[models.a.tiers]]\ninput = 1\noutput = 2",
            "above_prompt_tokens",
        ),
        ("currency = 3", "currency"),
        ("models = 3", "models is not a table"),
        ("= =", "cannot be understood"),
    ],
)
def test_a_file_that_is_none_is_named_with_the_place(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "prices.toml"
    path.write_text(text)
    with pytest.raises(ConfigurationError, match=words):
        read_prices(path)


def test_a_file_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="nowhere"):
        read_prices(tmp_path / "nowhere.toml")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["models", "input", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["models", "input", "output", "tiers", "a"]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_content_gives_prices_or_a_value_error(content: Any) -> None:
    try:
        parse_prices(content)
    except ValueError:
        pass
