"""Repositories and archives that requirements name by their addresses."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

if TYPE_CHECKING:
    from backdate.sandboxes.gateway_upstream import UpstreamEndpoint

DEFAULT_BRANCH = "HEAD"

_PUBLIC_HOSTS = ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org")
"""They serve every public repository by https, whichever scheme a requirement of old names."""
_REVISION = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_./+~-]{0,250}\Z")
_MOST_CHARACTERS = 2000
_ARCHIVE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!~-]{0,200}\.(?:whl|zip|tar\.(?:gz|bz2|xz)|tgz|tbz)\Z")
_PLAIN_GIT_ADDRESS = re.compile(
    r"[a-z]+://(?:[^\s\"'\\\[\]@/]*@)?(?:\[[0-9A-Fa-f:.]+\]|[^\s\"'\\\[\]@/]+)(?:/[^\s\"'\\\[\]]*)?\Z"
)
"""Nothing that ends a word in git's configuration, and brackets around a host alone."""
_PLAIN_ADDRESS = re.compile(r"https?://[A-Za-z0-9._~:/?@!$&*+,;=%\[\]-]+\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferencePolicy:
    """Which addresses are fetched."""

    schemes: Collection[str] = ("https",)
    endpoints: Collection[UpstreamEndpoint] = ()
    """Hosts that may be asked wherever they are; all others must be on the internet."""

    def refusal(self, address: str) -> str:
        """Why ``address`` is not asked; empty where it is."""
        from backdate.sandboxes.gateway import is_private
        from backdate.sandboxes.gateway_upstream import endpoint_of

        endpoint = endpoint_of(address)
        if urlsplit(address).scheme not in self.schemes or endpoint is None:
            return f"{address} is not fetched: only addresses with {', '.join(self.schemes)} are"
        if endpoint not in self.endpoints and is_private(endpoint.host):
            return f"{address} is not fetched: it is not on the internet"
        return ""


DEFAULT_POLICY = ReferencePolicy()


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class GitReference:
    """A revision of a repository."""

    url: str
    """As git is given it: without ``git+``, revision and fragment."""
    revision: str = DEFAULT_BRANCH
    """A branch, a tag, a commit hash (also abbreviated), or ``DEFAULT_BRANCH``."""

    @property
    def fetched_from(self) -> str:
        """The address that is asked: without a name and password, and by https where that is known."""
        parts = urlsplit(self.url)
        host = parts.hostname or ""
        scheme = "https" if host in _PUBLIC_HOSTS else parts.scheme
        port = f":{parts.port}" if parts.port and scheme == parts.scheme else ""
        shown = f"[{host}]" if ":" in host else host
        return urlunsplit((scheme, f"{shown}{port}", parts.path, "", ""))


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ArchiveReference:
    """A file at an address."""

    url: str
    """Without the fragment."""
    name: str = ""
    """Of the distribution, where the requirement says it."""

    @property
    def filename(self) -> str:
        """The last part of its path."""
        return unquote(urlsplit(self.url).path.rpartition("/")[2])

    @property
    def can_be_fetched(self) -> bool:
        """Whether address and file name are such that a file can be kept and shown for them."""
        try:
            plain = _ARCHIVE_NAME.match(self.filename) is not None and urlsplit(self.url).hostname is not None
        except ValueError:
            return False
        return plain and len(self.url) <= _MOST_CHARACTERS and _PLAIN_ADDRESS.match(self.url) is not None


def parse_git(text: str) -> GitReference | None:
    """The repository that ``git+URL[@REVISION][#…]`` names; None for text that names none."""
    address = text.removeprefix("git+").partition("#")[0]
    try:
        parts = urlsplit(address)
        _ = parts.port
    except ValueError:
        return None
    if _PLAIN_GIT_ADDRESS.match(address) is None:
        return None
    path, at, revision = parts.path.partition("@")
    if not parts.hostname or not path.strip("/") or len(text) > _MOST_CHARACTERS or not text.isprintable():
        return None
    if at and (_REVISION.match(revision) is None or ".." in revision):
        return None
    url = urlunsplit(parts._replace(path=path, query="", fragment=""))
    return GitReference(url=url, revision=revision or DEFAULT_BRANCH)
