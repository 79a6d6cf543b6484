"""Addresses of package indexes: which are taken, and where an index keeps what."""

from __future__ import annotations

import re

from backdate.errors import UsageError

PUBLIC_INDEX = "https://pypi.org/simple/"


def check_upstream(url: str) -> str:
    """The root URL of an index, with its trailing slash. Raises UsageError for an invalid one."""
    if url.rstrip("/") == PUBLIC_INDEX.rstrip("/"):
        return PUBLIC_INDEX  # without a parser of addresses, which takes long to import
    import httpx

    from backdate.index.credentials import NO_CREDENTIALS, has_credentials
    from backdate.index.reading import has_web_address

    if has_credentials(url):
        host = url.rpartition("@")[2]
        raise UsageError(f"the address of the index at {host} {NO_CREDENTIALS}")
    try:
        parsed = httpx.URL(url)
    except httpx.InvalidURL as error:
        raise UsageError(f"{_shown(url)!r} is not a URL: {type(error).__name__}") from None
    if (
        not has_web_address(url)
        or parsed.scheme not in ("http", "https")
        or not parsed.host
        or parsed.query
        or parsed.fragment
    ):
        raise UsageError(f"{_shown(url)!r} is not the root of an index: write for example {PUBLIC_INDEX}")
    return str(parsed).rstrip("/") + "/"


def _shown(url: str) -> str:
    """``url``, which may be misspelled, without what may be a password or a token."""
    told = re.sub(r"[?#].*", "?…", url, flags=re.DOTALL)
    told = re.sub(r"(?is).*(?:@|%40)", "…@", told)
    return re.sub(r":(?!/*\d*(?:/|\Z))[^/]*(?=/|\Z)", ":…", told)  # what stands where a port does


def document_url(upstream: str, name: str) -> str:
    """Where an index keeps the JSON document of the project ``name`` (normalised), if it keeps any."""
    return f"{upstream.removesuffix('/').removesuffix('/simple')}/pypi/{name}/json"
