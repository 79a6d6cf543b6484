"""Private indexes beside the public one, shown as one index by a server of this process.

It alone has the credentials; builds see a port of this machine, and fetch files through it. It answers this
user's processes and no others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from backdate.errors import MachineError
from backdate.index.addresses import check_upstream
from backdate.index.application import ServerOptions
from backdate.index.cache import DiskCache
from backdate.index.credentials import sign_for
from backdate.index.page import to_microseconds
from backdate.index.peers import require_tables
from backdate.index.private_index import private_index
from backdate.index.server import SnapshotServer
from backdate.index.together import IndexStrategy
from backdate.index.upstream import IndexClient
from backdate.serial import digest
from backdate.timeline.instants import now

_FIRST_PORT, _PORTS = 20_000, 12_000
"""Below those that Linux gives to connections (32768 and more)."""
_USUAL_PROJECT = "pip"
"""What an index is asked for to see whether it answers: it need not have it."""
_SETTLED = timedelta(days=1)
"""What was asked for as of then is not asked for again at once."""


@contextmanager
def indexes_together(
    private: Sequence[str],
    public: str,
    pages: Path,
    strategy: IndexStrategy = IndexStrategy.FIRST_INDEX,
) -> Iterator[str]:
    """The address of an index that shows ``private`` and then ``public``, while the block runs.

    ``private``: addresses, each with a name before it or without (``private_index``). ``strategy``: which
    index has a project. The address is the same for the same indexes and strategy, for what is kept in the
    cache is kept under it. ``pages``: the folder of the cache for pages and files. Raises UsageError for what
    is no index, IndexUnavailable for a private one that does not answer or wants other credentials,
    MachineError where the port is taken.
    """
    indexes = [private_index(text) for text in private]
    upstreams = tuple(dict.fromkeys((*(index.url for index in indexes), check_upstream(public))))
    chosen = () if strategy is IndexStrategy.FIRST_INDEX else (strategy.value,)
    port = _FIRST_PORT + int(digest("indexes", *chosen, *upstreams)[:8], 16) % _PORTS
    require_tables()
    client = IndexClient(
        upstreams=upstreams, strategy=strategy, sign=sign_for(indexes), cache=DiskCache(pages)
    )
    with client:
        for index in indexes:
            client.page_of(index.url, _USUAL_PROJECT, to_microseconds(now() - _SETTLED))
        server = SnapshotServer(client, ServerOptions(files="through", own_user=True), port=port)
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
