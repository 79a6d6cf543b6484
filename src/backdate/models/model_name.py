"""Which model, where, and with what key: ``NAME`` or ``NAME@BASE_URL``, and two environment variables."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from backdate.errors import UsageError

DEFAULT_BASE_URL = "https://api.openai.com/v1"
_WITH_URL = re.compile(r"(.*?)@(https?:.*)\Z", re.DOTALL)  # a model's name may hold an "@" too
NO_KEY = "none"
"""Sent where no key is needed (a local server), because the client always sends one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """A model at an address."""

    model: str
    base_url: str
    """Without a slash at its end."""
    key: str = field(default=NO_KEY, repr=False)
    """Never logged, stored or part of a cache's key."""

    @property
    def specification(self) -> str:
        """``NAME@BASE_URL``, which can be parsed again."""
        return f"{self.model}@{self.base_url}"

    def without_key(self, text: str) -> str:
        """``text`` without the key: an endpoint may quote it in an error."""
        return text if self.key == NO_KEY else text.replace(self.key, "[key]")


def parse_endpoint(
    specification: str, *, key: str | None = None, environment: Mapping[str, str] | None = None
) -> Endpoint:
    """The endpoint that ``NAME`` or ``NAME@BASE_URL`` means.

    The default base URL is ``OPENAI_BASE_URL``, then OpenAI's own. The key is ``key``, else
    ``OPENAI_API_KEY``; only OpenAI's own endpoint requires one. Raises UsageError.
    """
    variables = os.environ if environment is None else environment
    match = _WITH_URL.match(specification.strip())
    if match is not None:
        name, url = match.groups()
    else:
        name, url = specification.strip(), variables.get("OPENAI_BASE_URL", "").strip() or DEFAULT_BASE_URL
    if not name or any(character.isspace() or not character.isprintable() for character in name):
        raise UsageError(f"{specification!r} names no model: write NAME or NAME@BASE_URL")
    base_url = _checked(url.rstrip("/"))
    api_key = (key or variables.get("OPENAI_API_KEY", "")).strip()
    if not api_key and base_url == DEFAULT_BASE_URL:
        raise UsageError(
            f"the model {name!r} at {base_url} needs a key: set OPENAI_API_KEY, "
            f"or name another endpoint ({name}@http://localhost:8000/v1)"
        )
    if not (api_key.isascii() and api_key.isprintable()):
        raise UsageError("the key in OPENAI_API_KEY has characters that no key has; copy it again")
    return Endpoint(model=name, base_url=base_url, key=api_key or NO_KEY)


def _checked(url: str) -> str:
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        valid = False
    if not valid:
        raise UsageError(f"{url!r} is no base URL: write http://HOST:PORT/v1 or https://HOST/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        # It is written into results, so that nothing secret may be part of it.
        raise UsageError("a base URL holds no name, password or query: give the key in OPENAI_API_KEY")
    return url
