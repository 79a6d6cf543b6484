"""A small world to build benchmarks in: an index with a library that breaks, and repositories."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import re
import subprocess
import sys
import threading
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import MappingProxyType

TARGET = "2025-06-01"
MIT = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"
GPL = "GNU GENERAL PUBLIC LICENSE, version 3"


def wheel(name: str, version: str, code: str, licence: str = "") -> tuple[str, bytes]:
    """A wheel of one module: its file name and its bytes."""
    information = f"{name}-{version}.dist-info"
    stated = f"License: {licence}\n" if licence else ""
    files = {
        f"{name}/__init__.py": code,
        f"{information}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{stated}",
        f"{information}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{path},sha256={_sum(text)},{len(text)}\n" for path, text in files.items())
    files[f"{information}/RECORD"] = f"{record}{information}/RECORD,,\n"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, text in files.items():
            archive.writestr(zipfile.ZipInfo(path), text)
    return f"{name}-{version}-py3-none-any.whl", buffer.getvalue()


def _sum(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()


RELEASES = (
    ("pip", "23.0", "2023-01-01T00:00:00Z", ""),
    ("setuptools", "65.0", "2023-01-01T00:00:00Z", ""),
    ("brittle", "1.0", "2023-01-01T00:00:00Z", "def shout(text):\n    return text.upper()\n"),
    ("brittle", "2.0", "2024-09-01T00:00:00Z", "def cry(text):\n    return text.upper()\n"),
)


@contextmanager
def running_index(
    releases: Sequence[tuple[str, str, str, str]] = RELEASES,
    *,
    licences: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """The address of an index that has ``releases`` and nothing else, with upload times (PEP 700)."""
    files = {}
    pages: dict[str, list[dict[str, object]]] = {}
    for name, version, uploaded, code in releases:
        filename, data = wheel(name, version, code, licences.get(name, ""))
        files[f"/files/{filename}"] = data
        entry = {
            "filename": filename,
            "url": f"/files/{filename}",
            "hashes": {"sha256": hashlib.sha256(data).hexdigest()},
            "size": len(data),
            "upload-time": uploaded,
        }
        pages.setdefault(name, []).append(entry)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            match = re.fullmatch(r"/simple/([^/]+)/?", self.path)
            if self.path in files:
                self.answer(200, "application/octet-stream", files[self.path])
            elif match and match[1] in pages:
                page = {
                    "meta": {"api-version": "1.1"},
                    "name": match[1],
                    "versions": sorted({version for name, version, *_ in releases if name == match[1]}),
                    "files": pages[match[1]],
                }
                self.answer(200, "application/vnd.pypi.simple.v1+json", json.dumps(page).encode())
            else:
                self.answer(404, "text/plain", b"no")

        do_HEAD = do_GET  # noqa: N815 - the name that http.server calls

        def answer(self, status: int, kind: str, body: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/simple"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def commit(folder: Path, files: Mapping[str, str], when: str) -> None:
    """Write ``files`` and commit them at that time; the first commit makes the repository."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    identity = {
        f"GIT_{role}_{what}": value
        for role in ("AUTHOR", "COMMITTER")
        for what, value in (("NAME", "a"), ("EMAIL", "a@b"), ("DATE", when))
    }
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "x"]):
        subprocess.run(["git", *words], cwd=folder, check=True, env=os.environ | identity)


def project(word: str, *, call: str = "shout", licence: str = MIT, expected: str = "") -> dict[str, str]:
    """The files of a project that uses the brittle library in its own code."""
    filler = "\n".join(
        f"def {word}_{number}(value):\n    return value * {number} + len('{word}')" for number in range(12)
    )
    return {
        "LICENSE": licence,
        "requirements.txt": "brittle==1.0\n",
        f"{word}.py": f"import brittle\n\n\ndef loud(text):\n    return brittle.{call}(text)\n\n\n{filler}\n",
        "tests/__init__.py": "",
        f"tests/test_{word}.py": (
            f"import unittest\n\nfrom {word} import loud, {word}_2\n\n\n"
            "class Case(unittest.TestCase):\n"
            f"    def test_loud(self):\n        self.assertEqual(loud('a'), '{expected or 'A'}')\n\n"
            f"    def test_plain(self):\n        self.assertEqual({word}_2(2), {4 + len(word)})\n"
        ),
    }


def make_repositories(folder: Path) -> Path:
    """Repositories, and a list that names them; the list."""
    old = "2024-02-01T12:00:00Z"
    commit(folder / "breaks", project("breaks"), old)
    commit(folder / "mended", project("mended"), old)
    commit(folder / "copied", {**project("breaks"), "README.md": "a copy\n"}, old)
    steady = project("steady")
    steady["steady.py"] = steady["steady.py"].replace("brittle.shout(text)", "text.upper()")
    commit(folder / "steady", steady, old)
    commit(folder / "guarded", project("guarded", licence=GPL), old)
    commit(folder / "failing", project("failing", call="whisper"), old)
    commit(folder / "untested", {"LICENSE": MIT, "setup.py": "", "untested.py": "x = 1\n"}, old)
    listed = ["breaks", "mended", "copied", "steady", "guarded", "failing", "untested", "gone"]
    revisions = {
        name: subprocess.run(
            ["git", "rev-parse", "HEAD"], cwd=folder / name, capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in listed
        if name != "gone"
    }
    commit(
        folder / "mended", {"mended.py": project("mended", call="cry")["mended.py"]}, "2024-12-01T12:00:00Z"
    )
    names = folder / "list.txt"
    lines = [f"{name}@{revisions[name]}" if name in revisions else name for name in listed]
    names.write_text("# repositories\n" + "\n".join(lines) + "\nbreaks@" + revisions["breaks"] + "\n")
    return names


def build_command(names: Path, output: Path, index: str, cache: Path, *more: str) -> list[str]:
    """The command line of a small build."""
    repeats = ("--repeats", "2", "--changed-repeats", "3", "--attempts", "2")
    words = ("bench", "build", str(names), "-o", str(output), "--to", TARGET, *repeats)
    where = ("--index-url", index, "--cache", str(cache))
    return [sys.executable, "-m", "backdate", *words, *where, *more]


_VOLATILE = re.compile(
    rb'("(?:proven|created)":\s*")[^"]*"|[0-9a-f]{64}  (?:README|dataset|croissant|tasks)\S*'
)


def contents(dataset: Path) -> dict[str, bytes]:
    """Every file of a data set, without the times at which it was made and the sums over those."""
    found = {}
    for path in sorted(dataset.rglob("*")):
        if path.is_file():
            name = path.relative_to(dataset).as_posix()
            data = path.read_bytes()
            if name in ("croissant.json", "README.md"):
                data = re.sub(rb"[0-9a-f]{64}|\d{4}-\d{2}-\d{2}(?:T[0-9:.]+Z?)?", b"", data)
            found[name] = data if name.endswith(".gz") else _VOLATILE.sub(rb"\1", data)
    return found
