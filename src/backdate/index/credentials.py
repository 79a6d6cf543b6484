"""Credentials for private indexes, from the user's netrc: used by this process, and shown to nobody.

They are looked up by host for each request, never kept with an address, and so in no page, lock or result.
``default`` entries are left out: an index page may name any host for its files.
"""

from __future__ import annotations

import netrc
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from backdate.errors import ConfigurationError

if TYPE_CHECKING:
    import httpx

_PUBLIC = ("pypi.org", "files.pythonhosted.org")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def netrc_file() -> Path:
    """Where the user's credentials are: ``$NETRC``, else ``~/.netrc``."""
    named = os.environ.get("NETRC")
    return Path(named) if named else Path("~/.netrc").expanduser()


def sign_with_netrc() -> Callable[[httpx.Request], httpx.Request] | None:
    """Adds the credentials for a request's host, where the user's netrc has any; None without such a file.

    They go over https, and to this machine itself. A file that is damaged is told, as a ConfigurationError
    without its content, when a request goes to another host than the public index', which wants none.
    """
    path = netrc_file()
    try:
        hosts = netrc.netrc(str(path)).hosts
    except (FileNotFoundError, NotADirectoryError):
        return None
    except PermissionError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}") from error
    except (netrc.NetrcParseError, UnicodeDecodeError):
        return _refuse_all_but_public(path)  # the parser quotes what it read
    import httpx

    def sign(request: httpx.Request) -> httpx.Request:
        host = request.url.host
        entry = hosts.get(host) if host != "default" else None
        if entry is not None and (request.url.scheme == "https" or host in _LOOPBACK):
            login, _, password = entry
            signed = next(httpx.BasicAuth(login, password or "").auth_flow(request))
            request.headers["authorization"] = signed.headers["authorization"]
        return request

    return sign


def _refuse_all_but_public(path: Path) -> Callable[[httpx.Request], httpx.Request]:
    def refuse(request: httpx.Request) -> httpx.Request:
        if request.url.host not in _PUBLIC:
            raise ConfigurationError(
                f"{path} is no netrc file that can be read, and {request.url.host} may want credentials from "
                "it: its lines are 'machine HOST login NAME password SECRET'"
            )
        return request

    return refuse


def has_credentials(url: str) -> bool:
    """Whether an address names a user or a password."""
    authority = url.partition("://")[2].partition("/")[0]
    return "@" in authority


NO_CREDENTIALS = (
    "has credentials in it, which would be written into locks, results and caches: put them into ~/.netrc "
    "(machine HOST login NAME password SECRET), and leave them out of the address"
)
