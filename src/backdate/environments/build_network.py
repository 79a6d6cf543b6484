"""What a build reaches of the network: the package index and the hosts of its files.

Unless everything is asked for (``--build-network``), a build is let through to those alone, by a
:class:`~backdate.sandboxes.gateway.Gateway`. What else a project's own scripts fetch fails, by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from backdate.environments import uv
from backdate.errors import IndexUnavailable
from backdate.index.client_environment import FILE_HOSTS
from backdate.index.upstream import open_index
from backdate.sandboxes.gateway import Gateway
from backdate.sandboxes.gateway_upstream import UpstreamEndpoint, endpoint_of
from backdate.sandboxes.interface import Mount, Network

_PUBLIC = "pypi.org"
_USUAL_PROJECTS = ("pip", "setuptools", "wheel")
"""Nearly every index lists one of them: their pages say on which hosts the index has its files."""


_WITHOUT_NPM = {"NPM_CONFIG_OFFLINE": "true"}
"""Where a proxy refuses it, npm asks again without end; so it says at once what it has not."""


def index_gateway(index_url: str, index_cache: Path, reachable: Sequence[str] = ()) -> Gateway:
    """The gateway to the index at ``index_url`` and to the servers of ours at the addresses ``reachable``."""
    endpoints = {endpoint for url in (index_url, *reachable) if (endpoint := endpoint_of(url)) is not None}
    if urlsplit(index_url).hostname == _PUBLIC:
        return Gateway(endpoints | {UpstreamEndpoint(host, 443) for host in FILE_HOSTS})
    return Gateway(endpoints, further=lambda: file_endpoints(index_url, index_cache))


def connection_variables(network: Network) -> dict[str, str]:
    """The environment variables by which clients connect."""
    if network == "gateway":
        return {**uv.certificate_variables(), **Gateway.variables(), **_WITHOUT_NPM}
    return uv.network_variables() if network == "on" else {}


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildConnection:
    """How one build step reaches what it may."""

    start: tuple[str, ...] = ()
    """Shell lines after which it does."""
    variables: Mapping[str, str] = field(default_factory=dict)
    gateway: Gateway | None = None

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """What the step has to be shown."""
        return () if self.gateway is None else tuple(self.gateway.mounts)

    @property
    def refused(self) -> tuple[str, ...]:
        """Hosts and ports that it wanted and was not let through to."""
        return () if self.gateway is None else self.gateway.refused


@contextmanager
def connected(
    network: Network, *, index_url: str, index_cache: Path, reachable: Sequence[str], interpreter: Path
) -> Iterator[BuildConnection]:
    """The connection of a step. ``reachable``: see ``index_gateway``. ``interpreter``: one that it sees."""
    variables = connection_variables(network)
    if network != "gateway":
        yield BuildConnection(variables=variables)
        return
    with index_gateway(index_url, index_cache, reachable) as gateway:
        yield BuildConnection(start=(gateway.start_line(interpreter),), variables=variables, gateway=gateway)


def file_endpoints(index_url: str, index_cache: Path) -> frozenset[UpstreamEndpoint]:
    """Where an index says that its files are: what it lists of a project that nearly every index has."""
    with open_index(index_url, index_cache) as client:
        for name in _USUAL_PROJECTS:
            try:
                files = client.project_page(name).files
            except IndexUnavailable:
                continue  # this one may be damaged; that the index is down, the build says itself
            if files:
                return frozenset(found for file in files if (found := endpoint_of(file.url)) is not None)
    return frozenset()
