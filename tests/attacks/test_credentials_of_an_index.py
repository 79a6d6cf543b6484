"""A build and tests look for the credentials of a private index; so does whoever reads what is left."""

from __future__ import annotations

import base64
import hashlib
import http.server
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from backdate.checking.settings import Settings
from backdate.cli.recipe_options import RecipeOptions
from backdate.serial import to_json
from backdate.session import Session
from backdate.timeline.instants import parse_instant

pytestmark = [
    pytest.mark.network,  # pip and setuptools are of the public index
    pytest.mark.slow,  # a whole set-up
]

SECRET = "S3cr3tToken42-of-a-private-index"
SENT = base64.b64encode(f"alice:{SECRET}".encode()).decode()
NAME = "backdate-private-demo"
WHEEL = "backdate_private_demo-1.0-py3-none-any.whl"
LOOKS = f"""
import os, pathlib
found = []
for name, value in os.environ.items():
    if {SECRET[::-1]!r}[::-1] in value or {SENT[::-1]!r}[::-1] in value:
        found.append(name)
for place in (os.path.expanduser("~"), "/work", "/tmp", "/run", "/etc", "."):
    for folder, _, files in os.walk(place):
        for file in files:
            try:
                data = pathlib.Path(folder, file).read_bytes()
            except OSError:
                continue
            if {SECRET[::-1]!r}[::-1].encode() in data or {SENT[::-1]!r}[::-1].encode() in data:
                found.append(folder + "/" + file)
"""


def wheel() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        info = "backdate_private_demo-1.0.dist-info"
        file.writestr("private_demo.py", "VALUE = 1\n")
        file.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {NAME}\nVersion: 1.0\n")
        file.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(
            f"{info}/RECORD", f"private_demo.py,,\n{info}/METADATA,,\n{info}/WHEEL,,\n{info}/RECORD,,\n"
        )
    return packed.getvalue()


@pytest.fixture
def private_index() -> Iterator[str]:
    data = wheel()
    entry = {
        "filename": WHEEL,
        "url": f"/files/{WHEEL}",
        "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
        "upload-time": "2023-01-01T00:00:00Z",
    }
    page = {"meta": {"api-version": "1.1"}, "name": NAME, "versions": ["1.0"], "files": [entry]}

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, body = 404, b""
            if self.headers.get("authorization") != f"Basic {SENT}":
                status = 401
            elif self.path == f"/simple/{NAME}/":
                status, body = 200, json.dumps(page).encode()
            elif self.path == f"/files/{WHEEL}":
                status, body = 200, data
            self.send_response(status)
            kind = "application/vnd.pypi.simple.v1+json" if self.path.startswith("/simple") else "binary/any"
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_arguments: object) -> None:
            """Nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple"
        server.shutdown()


def test_they_are_nowhere(
    private_index: str, index_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    netrc = tmp_path / "own" / "netrc"
    netrc.parent.mkdir()
    netrc.write_text(f"machine 127.0.0.1 login alice password {SECRET}\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "setup.py").write_text(
        f"{LOOKS}\nassert not found, found\nfrom setuptools import setup\n"
        f"setup(name='p', version='1', py_modules=[], install_requires=[{NAME!r}])\n"
    )
    (tree / "test_p.py").write_text(
        f"import unittest\n{LOOKS}\nclass Looks(unittest.TestCase):\n    def test_found(self):\n"
        "        import private_demo\n        self.assertEqual((private_demo.VALUE, found), (1, []))\n"
    )
    work = tmp_path / "work"
    settings = Settings(cache=work / "cache", index_url=index_url, keep=work / "kept")
    with (
        RecipeOptions(extra_index_url=[private_index]).indexes(settings) as both,
        Session(both) as session,
    ):
        done = session.set_up(tree, instant=parse_instant("2024-01-01"))
    (work / "result.json").write_bytes(to_json(done))
    assert done.proven, done.reason
    assert done.environment is not None
    assert NAME in {one.name for one in done.environment.lock.distributions}
    left = [path for path in work.rglob("*") if path.is_file() and not path.is_symlink()]
    assert any(path.name == "setup.json" for path in left)
    for path in left:
        data = path.read_bytes()
        assert SECRET.encode() not in data, path
        assert SENT.encode() not in data, path
