"""The index that all servers are measured against: real pages as JSON (PEP 691, 700), from this machine.

Pages come from the public index once and stay in the cache folder BENCHMARK_CACHE, so that no
server waits for the network. BENCHMARK_FORM=html answers as a mirror that knows upload times in HTML only.
"""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from backdate.index.cache import DiskCache
from backdate.index.rendering import cut, make_ready
from backdate.index.upstream import IndexClient

CLIENT = IndexClient(cache=DiskCache(Path(os.environ["BENCHMARK_CACHE"])))
IS_JSON = os.environ.get("BENCHMARK_FORM", "json") == "json"
AT = 1_700_000_000_000_000
KEPT: dict[str, bytes] = {}


def page(name: str) -> bytes:
    """The whole page of a project; empty when there is none."""
    if name not in KEPT:
        source = CLIENT.serialised_page(name, AT)
        body = cut(make_ready(source, is_json=IS_JSON), 1 << 62) if source.exists else b""
        if (
            IS_JSON and b'"api-version":"1.0"' in body
        ):  # a mirror told no sizes: some peers read no page without
            body = body.replace(b'"api-version":"1.0"', b'"api-version":"1.1"', 1)
            body = body.replace(b'{"filename":', b'{"size":1000000,"filename":')
        KEPT[name] = body
    return KEPT[name]


async def app(scope: dict[str, Any], _receive: Any, send: Any) -> None:
    """Answers /simple/NAME/."""
    name = scope["path"].strip("/").rpartition("/")[2]
    body = await asyncio.to_thread(page, name)
    kind = b"application/vnd.pypi.simple.v1+json" if IS_JSON else b"text/html"
    headers = [(b"content-type", kind), (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": 200 if body else 404, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
