"""A private index as people name it: ``URL``, ``NAME=URL`` as uv's ``--index`` has it, ``https://USER@…``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

from backdate.errors import UsageError

_NAME = re.compile(r"[A-Za-z0-9._-]+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class PrivateIndex:
    """One private index. Its address has no credentials in it, and nothing else of it is written anywhere."""

    url: str
    """Its root, with the slash at the end."""
    origin: tuple[str, str, int | None]
    """Scheme, host, and the port where it is not the usual one."""
    name: str | None = None
    username: str | None = None
    """Whom the address named, to look up the password."""

    @property
    def host(self) -> str:
        """Without the port."""
        return self.origin[1]

    @property
    def username_variable(self) -> str:
        """Where the environment has the user's name, as uv calls it; empty for an index without a name."""
        return f"UV_INDEX_{_variable(self.name)}_USERNAME" if self.name else ""

    @property
    def password_variable(self) -> str:
        """Where the environment has the password; empty for an index without a name."""
        return f"UV_INDEX_{_variable(self.name)}_PASSWORD" if self.name else ""


def _variable(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "_", name).upper()


def private_index(text: str) -> PrivateIndex:
    """What ``text`` names. Raises UsageError for no address, an unusable name, and a password in it."""
    import httpx

    from backdate.index.addresses import check_upstream

    before, equals, after = text.partition("=")
    named = bool(equals) and ":" not in before
    name, url = (before, after) if named else (None, text)
    if name is not None and not _NAME.match(name):
        raise UsageError(
            f"{name[:100]!r} is no name of an index: it has letters, digits, '-', '_' and '.', as in "
            "--extra-index-url team=https://pypi.example.com/simple"
        )
    scheme, separator, rest = url.partition("://")
    authority, slash, path = rest.partition("/")
    user, at, host = authority.rpartition("@")
    if at and user and ":" not in user:
        url = f"{scheme}{separator}{host}{slash}{path}"
    checked = check_upstream(url)  # refuses a password
    parsed = httpx.URL(checked)
    return PrivateIndex(
        url=checked,
        origin=(parsed.scheme, parsed.host, parsed.port),
        name=name,
        username=unquote(user) if at and user and ":" not in user else None,
    )
