"""Private indexes beside the public one, shown as one index by a server of this process.

It alone has the credentials; builds see a port of this machine, and fetch files through it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from backdate.errors import MachineError
from backdate.index.application import ServerOptions
from backdate.index.cache import DiskCache
from backdate.index.server import SnapshotServer
from backdate.index.upstream import IndexClient, check_upstream
from backdate.serial import digest

_FIRST_PORT, _PORTS = 20_000, 12_000
"""Below those that Linux gives to connections (32768 and more)."""


@contextmanager
def indexes_together(private: Sequence[str], public: str, pages: Path) -> Iterator[str]:
    """The address of an index that shows ``private`` and then ``public``, while the block runs.

    All files of a project come from the first that knows it. The address is the same for the same indexes,
    for what is kept in the cache is kept under it. ``pages``: the folder of the cache for pages and files.
    Raises UsageError for what is no index, MachineError where the port is taken.
    """
    upstreams = tuple(check_upstream(url) for url in (*private, public))
    port = _FIRST_PORT + int(digest("indexes", *upstreams)[:8], 16) % _PORTS
    with IndexClient(upstreams=upstreams, cache=DiskCache(pages)) as client:
        server = SnapshotServer(client, ServerOptions(files="through"), port=port)
        try:
            server.start()
        except MachineError as error:
            raise MachineError(
                f"the indexes {', '.join(upstreams)} are shown together at port {port}, which is taken, as "
                "by another command with the same indexes: wait for it, or show them yourself (backdate "
                "index --upstream … --files through) and name that with --index-url"
            ) from error
        with server:
            yield f"http://127.0.0.1:{port}/simple/"
