"""The least that an answer can cost on this stack: one prepared answer for every request.

STATIC_ANSWER names a file: a first line of JSON (the headers), then the body.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

HEAD, _, BODY = Path(os.environ["STATIC_ANSWER"]).read_bytes().partition(b"\n")
START = {
    "type": "http.response.start",
    "status": 200,
    "headers": [(name.encode(), value.encode()) for name, value in json.loads(HEAD)],
}
FINISH = {"type": "http.response.body", "body": BODY}


async def app(_scope: dict[str, Any], _receive: Any, send: Any) -> None:
    """Answers everything alike."""
    await send(START)
    await send(FINISH)
