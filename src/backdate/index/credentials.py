"""Credentials for private indexes: used by this process, and shown to nobody.

They are looked up for each request, never kept with an address, and so in no page, lock or result. Where
they come from is uv's list (docs.astral.sh/uv/concepts/authentication): the environment for an index with a
name, the user's netrc, the ``keyring`` program. netrc's ``default`` entries are left out: an index page may
name any host for its files.
"""

from __future__ import annotations

import itertools
import netrc
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from backdate.errors import ConfigurationError
from backdate.index.keyring_program import ask_keyring, uses_keyring
from backdate.index.private_index import PrivateIndex

if TYPE_CHECKING:
    import httpx

Sign: TypeAlias = "Callable[[httpx.Request], httpx.Request]"
"""Adds the credentials to a request for which there are any."""

_PUBLIC = ("pypi.org", "files.pythonhosted.org")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


class _Pair(NamedTuple):
    username: str
    password: str


def netrc_file() -> Path:
    """Where the user's credentials are: ``$NETRC``, else ``~/.netrc``."""
    named = os.environ.get("NETRC")
    return Path(named) if named else Path("~/.netrc").expanduser()


def sign_with_netrc() -> Sign | None:
    """Adds the credentials for a request's host, where the user's netrc has any; None without such a file.

    They go over https, and to this machine itself. A file that is damaged is told, as a ConfigurationError
    without its content, when a request goes to another host than the public index', which wants none.
    """
    look_up = _netrc()
    if look_up is None:
        return None

    def sign(request: httpx.Request) -> httpx.Request:
        found = look_up(request.url.host)
        return _signed(request, found) if found is not None and _is_safe(request.url) else request

    return sign


def sign_for(private: Sequence[PrivateIndex], environment: Mapping[str, str] | None = None) -> Sign:
    """Adds the credentials of these indexes to their requests, and netrc's to others as ``sign_with_netrc``.

    An index' requests are those to its scheme, host and port; of several indexes there, the one whose
    address has most of its path in common with the request's (files may lie beside pages), or the first.
    Raises ConfigurationError: here for a keyring provider that is not known, and for credentials of the
    environment that would travel unencrypted; when a request is signed for a keyring that cannot be asked.
    """
    given = os.environ if environment is None else environment
    asks_keyring = uses_keyring(given)
    look_up = _netrc()
    sources = [_Source(index, given, look_up, asks_keyring=asks_keyring) for index in private]
    others = sign_with_netrc()

    def sign(request: httpx.Request) -> httpx.Request:
        url = str(request.url)
        of_host = [source for source in sources if source.index.origin == _origin(request.url)]
        if not of_host:
            return others(request) if others is not None else request
        source = max(of_host, key=lambda each: _common_parts(each.index.url, url))
        found = source.find()
        return _signed(request, found) if found is not None and _is_safe(request.url) else request

    return sign


class _Source:
    """The credentials of one index, looked up once, when they are wanted first."""

    def __init__(
        self,
        index: PrivateIndex,
        environment: Mapping[str, str],
        look_up: Callable[[str], _Pair | None] | None,
        *,
        asks_keyring: bool,
    ) -> None:
        self.index = index
        self._look_up = look_up
        self._asks_keyring = asks_keyring
        self._username = environment.get(index.username_variable) or index.username
        self._password = environment.get(index.password_variable)
        self._lock = threading.Lock()
        self._found: list[_Pair | None] = []
        if self._password and not (index.url.startswith("https:") or index.host in _LOOPBACK):
            raise ConfigurationError(
                f"{index.password_variable} would go to {index.url} unencrypted: give its address with https"
            )

    def find(self) -> _Pair | None:
        with self._lock:
            if not self._found:
                self._found.append(self._find())
            return self._found[0]

    def _find(self) -> _Pair | None:
        if self._password:
            return _Pair(self._username or "", self._password)
        found = self._look_up(self.index.host) if self._look_up is not None else None
        if found is not None and self._username in (None, found.username):
            return found
        if self._asks_keyring:
            kept = ask_keyring(self.index.url, self._username)
            if kept is not None:
                return _Pair(*kept)
        return _Pair(self._username, "") if self._username else None  # a token may stand for the name


def _netrc() -> Callable[[str], _Pair | None] | None:
    """What the user's netrc has for a host; None without such a file. Raises ConfigurationError."""
    path = netrc_file()
    try:
        hosts = netrc.netrc(str(path)).hosts
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    except (netrc.NetrcParseError, UnicodeDecodeError):
        return _refuse_all_but_public(path)  # the parser quotes what it read

    def look_up(host: str) -> _Pair | None:
        entry = hosts.get(host) if host != "default" else None
        return None if entry is None else _Pair(entry[0], entry[2] or "")

    return look_up


def _refuse_all_but_public(path: Path) -> Callable[[str], _Pair | None]:
    def refuse(host: str) -> _Pair | None:
        if host not in _PUBLIC:
            raise ConfigurationError(
                f"{path} is no netrc file that can be read, and {host} may want credentials from "
                "it: its lines are 'machine HOST login NAME password SECRET'"
            )
        return None

    return refuse


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _common_parts(one: str, other: str) -> int:
    """How many parts two addresses have in common from their beginning."""
    pairs = zip(one.split("/"), other.split("/"), strict=False)
    return sum(1 for _ in itertools.takewhile(lambda pair: pair[0] == pair[1], pairs))


def _is_safe(url: httpx.URL) -> bool:
    return url.scheme == "https" or url.host in _LOOPBACK


def _signed(request: httpx.Request, pair: _Pair) -> httpx.Request:
    import httpx

    signed = next(httpx.BasicAuth(*pair).auth_flow(request))
    request.headers["authorization"] = signed.headers["authorization"]
    return request


def has_credentials(url: str) -> bool:
    """Whether an address names a user or a password."""
    authority = url.partition("://")[2].partition("/")[0]
    return "@" in authority


NO_CREDENTIALS = (
    "has credentials in it, which would be written into locks, results and caches: put them into ~/.netrc "
    "(machine HOST login NAME password SECRET), and leave them out of the address"
)
WANTED_CREDENTIALS = (
    "it wants (other) credentials: from ~/.netrc (machine HOST login NAME password SECRET), from "
    "UV_INDEX_NAME_USERNAME and UV_INDEX_NAME_PASSWORD with --extra-index-url NAME=URL, or from the keyring "
    "with UV_KEYRING_PROVIDER=subprocess"
)
"""What to do where an index answers 401 or 403."""
