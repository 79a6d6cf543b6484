"""A fake upstream index, pages to put into it, and a browser for the server before it."""

from __future__ import annotations

import hashlib
import html
import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx

from backdate.index.names import version_of
from backdate.index.server import SnapshotServer

JSON = "application/vnd.pypi.simple.v1+json"
UPSTREAM = "https://index.example/simple/"


def file_entry(filename: str, uploaded: str | None, **more: Any) -> dict[str, Any]:
    """One file as PEP 691 writes it."""
    entry: dict[str, Any] = {
        "filename": filename,
        "url": f"https://files.example/{filename}",
        "hashes": {"sha256": hashlib.sha256(filename.encode()).hexdigest()},
        "size": 1000,
    }
    if uploaded is not None:
        entry["upload-time"] = uploaded
    return {**entry, **more}


def json_page(name: str, *files: dict[str, Any]) -> bytes:
    """A page as PEP 691 writes it, with everything in it that must not leak."""
    stated = {version_of(entry["filename"], name) for entry in files}
    versions = sorted(version for version in stated if version is not None)
    meta = {"api-version": "1.1", "_last-serial": 123}
    return json.dumps({"meta": meta, "name": name, "versions": versions, "files": files}).encode()


def html_page(name: str, *files: dict[str, Any]) -> bytes:
    """The same page as some mirrors write it: HTML with upload times."""
    lines = []
    for entry in files:
        attributes = f'href="{html.escape(entry["url"])}#sha256={entry["hashes"]["sha256"]}"'
        for key, attribute in (
            ("requires-python", "data-requires-python"),
            ("upload-time", "data-upload-time"),
        ):
            if entry.get(key):
                attributes += f' {attribute}="{html.escape(entry[key])}"'
        if entry.get("yanked") not in (None, False):
            attributes += f' data-yanked="{"" if entry["yanked"] is True else html.escape(entry["yanked"])}"'
        lines.append(f"<a {attributes}>{html.escape(entry['filename'])}</a><br/>")
    head = f"<!DOCTYPE html>\n<html>\n<head><title>{name}</title></head>\n<body>\n"
    return "\n".join((head, *lines, "</body>\n</html>")).encode()


class Upstream:
    """An index that answers from a dictionary and remembers what it was asked."""

    def __init__(self) -> None:
        self.pages: dict[str, httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]] = {}
        self.requests: list[httpx.Request] = []
        self._lock = threading.Lock()

    def put(self, path: str, body: bytes, content_type: str = JSON, **headers: str) -> None:
        """Answer ``path`` with that."""
        self.pages[path] = httpx.Response(
            200, content=body, headers={"content-type": content_type, **headers}
        )

    def put_project(self, name: str, *files: dict[str, Any]) -> None:
        """Have a project."""
        self.put(f"/simple/{name}/", json_page(name, *files))

    def count(self, path: str) -> int:
        """How often ``path`` was asked for."""
        return sum(1 for request in self.requests if request.url.path == path)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        with self._lock:
            self.requests.append(request)
        answer = self.pages.get(request.url.path, httpx.Response(404))
        if isinstance(answer, Exception):
            raise answer
        given = answer if isinstance(answer, httpx.Response) else answer(request)
        if isinstance(given.stream, httpx.ByteStream):  # it is read already, which none from a network is
            return httpx.Response(
                given.status_code, headers=given.headers, stream=httpx.ByteStream(b"".join(given.stream))
            )
        return given


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = datetime.now(UTC)

    def __call__(self) -> datetime:
        return self.now

    def pass_time(self, **units: float) -> None:
        """Let time pass."""
        self.now += timedelta(**units)


class Browser:
    """Asks a running server."""

    def __init__(self, server: SnapshotServer) -> None:
        self.server = server
        self._http = httpx.Client(base_url=server.origin, trust_env=False)

    def get(self, path: str, accept: str | None = JSON, **headers: str) -> httpx.Response:
        """The answer to a GET, redirects not followed."""
        given = {key.replace("_", "-"): value for key, value in headers.items()}
        if accept is not None:
            given["accept"] = accept
        return self._http.get(path, headers=given)

    def request(self, method: str, path: str) -> httpx.Response:
        """The answer to another method."""
        return self._http.request(method, path)

    def filenames(self, path: str) -> list[str]:
        """The files of a JSON page."""
        answer = self.get(path)
        assert answer.status_code == 200, answer.text
        return [entry["filename"] for entry in answer.json()["files"]]

    def close(self) -> None:
        self._http.close()
