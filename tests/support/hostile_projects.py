"""A project that attacks while it is built: its build back-end lies in its tree, so it needs no index."""

from __future__ import annotations

import hashlib
import http.server
import io
import json
import re
import tarfile
import textwrap
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from backdate.checking.dated_project import Interpreters
from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.environments.environment import BuildFailure, Environment, InterpreterChoice
from backdate.environments.inputs import EnvironmentRequest
from backdate.errors import SandboxUnavailable
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import InstallStep, Provenance
from backdate.sandboxes.bubblewrap import Bubblewrap

INSTANT = datetime(2024, 3, 1, tzinfo=UTC)

_BACKEND = '''
import os, pathlib, shutil, sys, zipfile

METADATA = "Metadata-Version: 2.1\\nName: NAME\\nVersion: 1\\n"
WHEEL = "Wheel-Version: 1.0\\nGenerator: own\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n"

def get_requires_for_build_wheel(config_settings=None):
    return []

def prepare_metadata_for_build_wheel(folder, config_settings=None):
    attack_resolver()
    made = pathlib.Path(folder, "NAME-1.dist-info")
    made.mkdir()
    made.joinpath("METADATA").write_text(METADATA)
    made.joinpath("WHEEL").write_text(WHEEL)
    return made.name

def environments():
    """The environments whose programs come first on PATH: that which is being built is one of them."""
    folders = [pathlib.Path(one).parent for one in os.environ["PATH"].split(":")]
    return [one for one in folders if one.joinpath("pyvenv.cfg").exists()]

def store():
    """The folder that holds all environments."""
    return next(one.parent for one in environments() if one.parent.name == "environments")

def attack():
ATTACK

def attack_resolver():
RESOLVING

def build_wheel(folder, config_settings=None, metadata_directory=None):
    attack()
    name = "NAME-1-py3-none-any.whl"
    with zipfile.ZipFile(os.path.join(folder, name), "w") as wheel:
        for path, text in {
            "NAME.py": "x = 1\\n",
            "NAME-1.dist-info/METADATA": METADATA,
            "NAME-1.dist-info/WHEEL": WHEEL,
            "NAME-1.dist-info/RECORD": "",
        }.items():
            wheel.writestr(path, text)
    return name
'''


def _indented(code: str) -> str:
    return textwrap.indent(textwrap.dedent(code).strip("\n"), "    ")


def project(
    folder: Path,
    attack: str = "pass",
    *,
    name: str = "thing",
    requires: tuple[str, ...] = (),
    resolving: str | None = None,
) -> Path:
    """A project whose build runs ``attack``; what that raises fails the build.

    ``resolving``: what runs when the resolver asks for its metadata, which it does not unless there is such.
    """
    folder.mkdir()
    backend = _BACKEND.replace("ATTACK", _indented(attack)).replace(
        "RESOLVING", _indented(resolving or "pass")
    )
    (folder / "own_backend.py").write_text(backend.replace("NAME", name), encoding="utf-8")
    static = f"""
        [project]
        name = "{name}"
        version = "1"
        dependencies = {json.dumps(requires)}
    """
    text = f"""
        {"" if resolving else static}
        [build-system]
        requires = []
        build-backend = "own_backend"
        backend-path = ["."]
    """
    (folder / "pyproject.toml").write_text(textwrap.dedent(text), encoding="utf-8")
    return folder


def request_for(tree: Path, cache: Cache) -> EnvironmentRequest:
    """What asks for the environment of ``tree``."""
    interpreter = max(
        Interpreters(cache.folder).available, key=lambda one: tuple(map(int, one.version.split(".")))
    )
    return EnvironmentRequest(
        name=tree.name,
        tree=tree,
        digest=tree_digest(tree),
        steps=(InstallStep(kind="project", file=".", provenance=Provenance(rule="a test")),),
        choice=InterpreterChoice(wanted=interpreter.version, reason="a test", interpreter=interpreter),
        instant=INSTANT,
    )


def sdist(tree: Path) -> bytes:
    """An sdist of version 1 of the project in ``tree``, which is called as that folder is."""
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        archive.add(tree, arcname=f"{tree.name}-1")
        text = f"Metadata-Version: 2.1\nName: {tree.name}\nVersion: 1\n".encode()
        member = tarfile.TarInfo(f"{tree.name}-1/PKG-INFO")
        member.size = len(text)
        archive.addfile(member, io.BytesIO(text))
    return data.getvalue()


def wheel(
    name: str,
    files: Mapping[str, str] = MappingProxyType({}),
    *,
    version: str = "1",
    metadata: str = "",
    program: str = "",
) -> bytes:
    """A wheel of ``name`` with these files. ``metadata``: further lines; ``program``: "module:function"."""
    info = f"{name}-{version}.dist-info"
    entries = {f"{info}/entry_points.txt": f"[console_scripts]\n{name} = {program}\n"} if program else {}
    tag = "Wheel-Version: 1.0\nGenerator: own\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    written = {
        f"{name}.py": "x = 1\n",
        **files,
        **entries,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{metadata}",
        f"{info}/WHEEL": tag,
        f"{info}/RECORD": "",
    }
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for path, text in written.items():
            archive.writestr(path, text)
    return data.getvalue()


def _requires_python(filename: str, data: bytes) -> str | None:
    """What a wheel's metadata say, as the index repeats it; of anything else nothing."""
    if not filename.endswith(".whl"):
        return None
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        (path,) = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        found = re.search(rb"(?m)^Requires-Python: (.+)$", archive.read(path))
    return found[1].decode().strip() if found else None


@contextmanager
def index_of(files: Mapping[str, bytes], uploads: Mapping[str, str] = MappingProxyType({})) -> Iterator[str]:
    """The address of an index of this machine that holds ``files``, by file name, until the end.

    ``uploads``: by file name the day on which it was uploaded, where that is not the usual one.
    """

    class Answer(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            name = self.path.rstrip("/").rpartition("/")[2]
            held = [one for one in files if one.partition("-")[0] == name]
            data = files.get(name, b"")
            if held:
                data = json.dumps(
                    {
                        "meta": {"api-version": "1.1"},
                        "name": name,
                        "files": [
                            {
                                "filename": one,
                                "url": f"/files/{one}",
                                "hashes": {"sha256": hashlib.sha256(files[one]).hexdigest()},
                                "upload-time": f"{uploads.get(one, '2020-01-01')}T00:00:00Z",
                                "requires-python": _requires_python(one, files[one]),
                            }
                            for one in held
                        ],
                    }
                ).encode()
            self.send_response(200 if data else 404)
            self.send_header("Content-Length", str(len(data)))
            if held:
                self.send_header("Content-Type", "application/vnd.pypi.simple.v1+json")
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(data)

        do_HEAD = do_GET  # noqa: N815 - the standard library's name

        def log_message(self, *_: object) -> None:
            """Nothing is said of requests."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answer) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/simple"
        finally:
            server.shutdown()


@contextmanager
def builder_in(
    folder: Path,
    files: Mapping[str, bytes] = MappingProxyType({}),
    uploads: Mapping[str, str] = MappingProxyType({}),
    **options: Any,
) -> Iterator[Builder]:
    """A builder with a cache of its own, under bubblewrap, and with an index that holds ``files``."""
    sandbox = Bubblewrap()
    try:
        sandbox.require()
    except SandboxUnavailable as error:
        pytest.skip(str(error))
    programs = {"pip": {"pip.py": "raise SystemExit('this pip installs nothing')\n"}}
    seeds = {
        f"{name}-1-py3-none-any.whl": wheel(name, programs.get(name, {}))
        for name in ("pip", "setuptools", "wheel")
    }
    with index_of({**seeds, **files}, uploads) as url:
        yield Builder(Cache(folder), sandbox, index_url=url, **options)


def poisoned(folder: Path) -> list[str]:
    """The paths below ``folder`` of the files that an attack wrote POISON to."""
    return [
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink() and b"POISON" in path.read_bytes()
    ]


def built(answer: Environment | BuildFailure) -> Environment:
    """The environment, or a failed test with the log of its build."""
    assert isinstance(answer, Environment), answer.message
    return answer
