"""``NAME`` and ``NAME@BASE_URL``."""

from __future__ import annotations

import pytest

from backdate.errors import UsageError
from backdate.models.model_name import DEFAULT_BASE_URL, parse_endpoint

KEY = {"OPENAI_API_KEY": "sk-secret"}


@pytest.mark.parametrize(
    ("text", "environment", "model", "base_url"),
    [
        ("gpt-x", KEY, "gpt-x", DEFAULT_BASE_URL),
        ("gpt-x", {"OPENAI_BASE_URL": "http://localhost:8000/v1/"}, "gpt-x", "http://localhost:8000/v1"),
        ("org/m@http://h:1/v1", {}, "org/m", "http://h:1/v1"),
        ("vendor/m@2024@https://h/v1", {}, "vendor/m@2024", "https://h/v1"),
        ("m@2024", KEY, "m@2024", DEFAULT_BASE_URL),
    ],
)
def test_it_names_a_model_and_an_address(
    text: str, environment: dict[str, str], model: str, base_url: str
) -> None:
    endpoint = parse_endpoint(text, environment=environment)
    assert (endpoint.model, endpoint.base_url) == (model, base_url)
    assert parse_endpoint(endpoint.specification, environment=environment) == endpoint


def test_the_key_is_not_shown() -> None:
    endpoint = parse_endpoint("m@http://h/v1", environment=KEY)
    assert endpoint.key == "sk-secret"
    assert "secret" not in repr(endpoint) + endpoint.specification
    assert endpoint.without_key("wrong key sk-secret!") == "wrong key [key]!"


@pytest.mark.parametrize(
    ("text", "environment"),
    [
        ("m", {}),
        ("", KEY),
        ("@http://h/v1", KEY),
        ("two words", KEY),
        ("m@http://", KEY),
        ("m@http://h:99999/v1", KEY),
        ("m@https://user:pass@h/v1", KEY),
        ("m@https://h/v1?key=1", KEY),
        ("m", {"OPENAI_API_KEY": "sk\n1"}),
        ("m", {**KEY, "OPENAI_BASE_URL": "localhost:8000"}),
    ],
)
def test_what_names_nothing_is_an_error(text: str, environment: dict[str, str]) -> None:
    with pytest.raises(UsageError):
        parse_endpoint(text, environment=environment)
