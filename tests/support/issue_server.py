"""GitHub's REST for issues, on this machine, and programs ``gh`` that talk to it.

Answers both to its own address, as the stand-in asks it, and as a proxy for ``github.localhost``, the host
that the real ``gh`` reaches without TLS.
"""

from __future__ import annotations

import http.server
import json
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

STAND_IN = f"""#!{sys.executable} -IS
import json, os, sys, urllib.request, urllib.error
words = sys.argv[1:]
assert words[:2] == ["api", "--method"], words
method, path, rest = words[2], words[3], words[4:]
data = sys.stdin.buffer.read() if rest == ["--input", "-"] else None
assert rest in ([], ["--input", "-"]), rest
request = urllib.request.Request(os.environ["GH_STAND_IN"] + "/" + path, data=data, method=method)
request.add_header("Authorization", "token " + os.environ["GH_TOKEN"])
opener = urllib.request.build_opener(urllib.request.ProxyHandler({{}}))
try:
    sys.stdout.buffer.write(opener.open(request).read())
except urllib.error.HTTPError as error:
    sys.exit(f"gh: {{error.reason}} (HTTP {{error.code}})")
"""


@dataclass
class IssueServer:
    """One repository's issues and labels, and every request that came."""

    token: str = "gho_secret"
    may_write: bool = True
    issues: list[dict[str, Any]] = field(default_factory=list)
    comments: list[tuple[int, str]] = field(default_factory=list)
    labels: set[str] = field(default_factory=set)
    asked: list[tuple[str, str]] = field(default_factory=list)

    def answer(self, method: str, path: str, query: dict[str, list[str]], given: Any) -> tuple[int, Any]:
        """(status, document)."""
        if method != "GET" and not self.may_write:
            return 403, {"message": "Resource not accessible by integration"}
        match [unquote(part) for part in path.split("/")], method:
            case ["labels", name], "GET":
                return (200, {"name": name}) if name in self.labels else (404, {"message": "Not Found"})
            case ["labels"], "POST":
                self.labels.add(given["name"])
                return 201, {}
            case ["issues"], "GET":
                wanted = set(query.get("labels", []))
                shown = [issue for issue in self.issues if wanted <= set(issue["labels"])]
                return 200, sorted(shown, key=lambda issue: -issue["number"])
            case ["issues"], "POST":
                self.issues.append({**given, "number": len(self.issues) + 1, "state": "open"})
                return 201, self.issues[-1]
            case ["issues", number], "PATCH":
                issue = self.issues[int(number) - 1]
                issue.update(given)
                return 200, issue
            case ["issues", number, "comments"], "POST":
                self.comments.append((int(number), given["body"]))
                return 201, {}
        return 404, {"message": "Not Found"}


@contextmanager
def issue_server(repository: str = "owner/name") -> Iterator[tuple[IssueServer, str]]:
    """The server and its address."""
    server = IssueServer()
    root = f"/repos/{repository}/"

    class Handler(http.server.BaseHTTPRequestHandler):
        def _body(self) -> bytes:
            """What came with the request, also in chunks, as the real program sends it."""
            if self.headers.get("Transfer-Encoding") != "chunked":
                return self.rfile.read(int(self.headers.get("Content-Length") or 0))
            parts = []
            while length := int(self.rfile.readline(), 16):
                parts.append(self.rfile.read(length))
                self.rfile.readline()
            self.rfile.readline()
            return b"".join(parts)

        def _serve(self) -> None:
            split = urlsplit(self.path)
            data = self._body()
            given = json.loads(data) if data else None
            server.asked.append((self.command, split.path))
            path = split.path.removeprefix("/api/v3")
            if self.headers.get("Authorization") != f"token {server.token}":
                status, document = 401, {"message": "Bad credentials"}
            elif not path.startswith(root):
                status, document = 404, {"message": "Not Found"}
            else:
                status, document = server.answer(
                    self.command, path.removeprefix(root), parse_qs(split.query), given
                )
            data = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_POST = do_PATCH = _serve  # noqa: N815 - the names that the base class looks for

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    web = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=web.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield server, f"http://127.0.0.1:{web.server_port}"
    finally:
        web.shutdown()
        thread.join()
        web.server_close()


def stand_in(folder: Path, name: str, text: str) -> Path:
    """A program ``name`` in ``folder``."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path
