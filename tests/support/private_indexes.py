"""Package indexes on this machine's loopback, with wheels made here, that want credentials."""

from __future__ import annotations

import base64
import hashlib
import http.server
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

UPLOADED = "2023-01-01T00:00:00Z"


def sent(username: str, password: str) -> str:
    """What a client sends of them (RFC 7617)."""
    return base64.b64encode(f"{username}:{password}".encode()).decode()


def wheel(name: str, version: str, module: str) -> bytes:
    """A wheel with one module, whose VALUE is the version."""
    packed = io.BytesIO()
    info = f"{name.replace('-', '_')}-{version}.dist-info"
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr(f"{module}.py", f"VALUE = {version!r}\n")
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(
            f"{info}/RECORD", f"{module}.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        )
    return packed.getvalue()


@dataclass
class IndexAtPath:
    """One index: what it has, and what it wants to be told first."""

    wants: str | None = None
    """``sent(…)``; None for nothing."""
    status: int | None = None
    """What it answers to everything; None for what is true."""
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    """By project and file name."""

    def put(self, name: str, *versions: str, module: str = "demo") -> None:
        """Have wheels of a project."""
        for version in versions:
            file = f"{name.replace('-', '_')}-{version}-py3-none-any.whl"
            self.files.setdefault(name, {})[file] = wheel(name, version, module)


@dataclass
class PrivateIndexes:
    """The indexes of one server, by the first part of their path."""

    port: int
    indexes: dict[str, IndexAtPath] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """The path and what was sent of each request."""

    def add(self, name: str, index: IndexAtPath) -> str:
        """The address at which ``index`` is from now on."""
        self.indexes[name] = index
        return f"http://127.0.0.1:{self.port}/{name}/simple"

    def answer(self, path: str, authorization: str | None) -> tuple[int, bytes]:
        """The status and the body for a request."""
        self.asked.append((path, authorization))
        parts = path.strip("/").split("/")
        index = self.indexes.get(parts[0])
        if index is None or len(parts) < 3:
            return 404, b""
        if index.status is not None:
            return index.status, b""
        if index.wants is not None and authorization != f"Basic {index.wants}":
            return 401, b""
        files = index.files.get(parts[2], {})
        if parts[1] == "files":
            data = files.get(parts[-1])
            return (404, b"") if data is None else (200, data)
        if not files:
            return 404, b""
        return 200, json.dumps(_page(parts[0], parts[2], files)).encode()


def _page(index: str, name: str, files: dict[str, bytes]) -> dict[str, object]:
    entries = [
        {
            "filename": file,
            "url": f"/{index}/files/{name}/{file}",
            "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
            "size": len(data),
            "upload-time": UPLOADED,
        }
        for file, data in files.items()
    ]
    versions = [file.split("-")[1] for file in files]
    return {"meta": {"api-version": "1.1"}, "name": name, "versions": versions, "files": entries}


@contextmanager
def private_indexes() -> Iterator[PrivateIndexes]:
    """A server without indexes yet, while the block runs."""

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = given.answer(self.path, self.headers.get("authorization"))
            self.send_response(status)
            kind = "application/vnd.pypi.simple.v1+json" if "/simple/" in self.path else "binary/any"
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        given = PrivateIndexes(port=server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield given
        server.shutdown()
