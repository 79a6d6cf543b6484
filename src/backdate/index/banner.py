"""The server's own pages: ``/`` and ``/healthz``."""

from __future__ import annotations

import html
from collections.abc import Sequence

import msgspec

from backdate.index.responses import ServedResponse
from backdate.timeline.instants import format_instant, now
from backdate.version import __version__

_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>backdate index</title></head>
<body>
<h1>backdate index {version}</h1>
<p>The package index as it was at any instant: what was uploaded strictly before it is visible, and
nothing else.
A bare date is 00:00 UTC of that day.</p>
<pre>
/snapshot/2021-03-01/simple/              as of a day
/snapshot/2021-03-01T12:30:00Z/simple/    as of an instant
/simple/                                  today

pip install --index-url http://HOST:PORT/snapshot/2021-03-01/simple/ flask
uv pip install --default-index http://HOST:PORT/snapshot/2021-03-01/simple/ flask
backdate run --at 2021-03-01 -- pip install flask
</pre>
<p>Shown from {upstreams}{offline}.</p>
</body>
</html>
"""


def banner_answer(upstreams: Sequence[str], offline: bool) -> ServedResponse:
    """The page that explains the server and how to use it."""
    page = _PAGE.format(
        version=__version__,
        upstreams=html.escape(", ".join(upstreams)),
        offline=" (offline: only what is in the cache)" if offline else "",
    )
    return ServedResponse(
        200, [(b"content-type", b"text/html; charset=utf-8"), (b"cache-control", b"no-store")], page.encode()
    )


def health_answer(upstreams: Sequence[str], offline: bool, ready: int) -> ServedResponse:
    """The health check; it does not ask an upstream index."""
    state = {
        "status": "ok",
        "version": __version__,
        "now": format_instant(now()),
        "upstreams": list(upstreams),
        "offline": offline,
        "projects_in_memory": ready,
    }
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    return ServedResponse(200, headers, msgspec.json.encode(state) + b"\n")
