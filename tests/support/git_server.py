"""Repositories behind http on this machine, with commits of given days."""

from __future__ import annotations

import http.server
import os
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from urllib.parse import urlsplit

from backdate.environments.references.types import ReferencePolicy
from backdate.sandboxes.gateway_upstream import UpstreamEndpoint


class GitServer:
    """Serves the repositories and files below a folder, and remembers what was asked."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.port = port
        self.asked: list[str] = []
        self.redirect = ""
        """Where every request is led instead."""

    @property
    def origin(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def policy(self) -> ReferencePolicy:
        """What lets builds have it fetched."""
        return ReferencePolicy(schemes=("http",), endpoints=(UpstreamEndpoint("127.0.0.1", self.port),))

    def commit(
        self,
        name: str,
        tree: Path,
        day: str,
        *,
        tag: str = "",
        links: Mapping[str, str] = MappingProxyType({}),
    ) -> str:
        """Commit all that ``tree`` holds to the repository ``name``, on ``day``; the commit's hash.

        ``links``: paths of submodules that are not there, and their commits.
        """
        repository = self.folder / name
        if not repository.exists():
            git(self.folder, "init", "--quiet", "--bare", "--initial-branch=main", str(repository))
            git(repository, "config", "uploadpack.allowAnySHA1InWant", "true")
        if not (tree / ".git").exists():
            git(tree, "init", "--quiet", "--initial-branch=main")
        git(tree, "add", "--all")
        for path, commit in links.items():
            git(tree, "update-index", "--add", "--cacheinfo", f"160000,{commit},{path}")
        git(tree, "commit", "--quiet", "--message", "a change", day=day)
        git(tree, "push", "--quiet", str(repository), "HEAD:main")
        if tag:
            git(tree, "push", "--quiet", str(repository), f"HEAD:refs/tags/{tag}")
        return git(tree, "rev-parse", "HEAD").strip()


def git(folder: Path, *arguments: str, day: str = "2024-01-01", allowed: str = "file") -> str:
    """What git says."""
    roles = ("AUTHOR", "COMMITTER")
    variables = {
        "PATH": os.environ["PATH"],
        "HOME": str(folder),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ALLOW_PROTOCOL": allowed,
        **{f"GIT_{role}_NAME": "somebody" for role in roles},
        **{f"GIT_{role}_EMAIL": "somebody@example.org" for role in roles},
        **{f"GIT_{role}_DATE": f"{day}T00:00:00 +0000" for role in roles},
    }
    done = subprocess.run(
        ["git", "-c", "protocol.file.allow=always", *arguments],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def git_server(folder: Path) -> Iterator[GitServer]:
    """A server of what lies below ``folder``, until the end."""
    backend = Path(git(folder, "--exec-path").strip(), "git-http-backend")

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            server.asked.append(self.path)
            if server.redirect:
                self.send_response(302)
                self.send_header("Location", server.redirect + self.path)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            parts = urlsplit(self.path)
            file = folder / parts.path.lstrip("/")
            if file.is_file() and ".git" not in parts.path:
                data = file.read_bytes()
                self.send_response(200)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)
                return
            length = int(self.headers.get("Content-Length") or 0)
            variables: Mapping[str, str] = {
                "PATH": os.environ["PATH"],
                "GIT_PROJECT_ROOT": str(folder),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_CONFIG_COUNT": "1",
                "GIT_CONFIG_KEY_0": "safe.directory",
                "GIT_CONFIG_VALUE_0": "*",
                "PATH_INFO": parts.path,
                "QUERY_STRING": parts.query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type") or "",
                "CONTENT_LENGTH": str(length),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
                "HTTP_GIT_PROTOCOL": self.headers.get("Git-Protocol") or "",
            }
            body = (
                self._chunks()
                if self.headers.get("Transfer-Encoding") == "chunked"
                else self.rfile.read(length)
            )
            repository = folder / parts.path.lstrip("/").split(".git")[0]
            for _ in range(3):  # on a busy machine it once did not find a repository that was there
                done = subprocess.run([backend], env=variables, input=body, capture_output=True, check=False)
                if b"404" not in done.stdout[:100] or not repository.with_suffix(".git").is_dir():
                    break
            head, _, content = done.stdout.partition(b"\r\n\r\n")
            lines = dict(line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line)
            self.send_response(int(lines.pop("Status", "200").split()[0]))
            for key, value in {**lines, "Content-Length": str(len(content))}.items():
                self.send_header(key, value)
            self.end_headers()
            self.wfile.write(content)

        def _chunks(self) -> bytes:
            data = b""
            while size := int(self.rfile.readline(), 16):
                data += self.rfile.read(size)
                self.rfile.readline()
            return data

        do_POST = do_GET  # noqa: N815 - the standard library's name

        def log_message(self, *_: object) -> None:
            """Nothing is said of requests."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as serving:
        server = GitServer(folder, serving.server_port)
        threading.Thread(target=serving.serve_forever, daemon=True).start()
        try:
            yield server
        finally:
            serving.shutdown()
