"""A build puts links to folders of the host where its environment had its own: programs, packages, itself."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hostile_projects import builder_in, project, request_for

from backdate.environments.environment import BuildFailure
from backdate.errors import BackdateError
from backdate.sandboxes.interface import Command, Workspace

PLANT = """
import glob
for one in environments():
    for place in glob.glob(str(one / "PLACE")):
        os.rename(place, place + "-aside")
        os.symlink("CLOSED", place)
        print("planted", place)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "place",
    [
        "bin",
        "lib",
        pytest.param("lib/python*", marks=pytest.mark.slow),
        pytest.param("lib/python*/site-packages", marks=pytest.mark.slow),
        pytest.param("pyvenv.cfg", marks=pytest.mark.slow),
        pytest.param("bin/python", marks=pytest.mark.slow),
    ],
)
def test_the_host_neither_writes_nor_shows_it(place: str, tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    (closed / "site-packages").mkdir(parents=True)
    (closed / "secret").write_text("of the host", encoding="utf-8")
    closed.chmod(0o700)
    before = {path: path.lstat() for path in (closed, *closed.rglob("*"))}
    attack = PLANT.replace("PLACE", place).replace("CLOSED", str(closed))
    with builder_in(tmp_path / "cache") as builder:
        request = request_for(project(tmp_path / "thing", attack, name="thing"), builder.cache)
        try:
            built = builder.prepare(request)
        except BackdateError:  # a refusal by name; nothing else may be raised
            built = None
        if built is not None and not isinstance(built, BuildFailure):
            script = "cat $0/*/secret $0/*/*/secret $0/*/*/*/secret; ls -R $0"
            command = Command(argv=("/bin/sh", "-c", script, str(built.root)), cwd="/tmp")
            log = tmp_path / "log"
            builder.sandbox.run(command, Workspace(mounts=built.mounts), log=log)
            assert b"of the host" not in log.read_bytes()
    assert {path: path.lstat() for path in (closed, *closed.rglob("*"))} == before
    assert os.listdir(closed) in (["secret", "site-packages"], ["site-packages", "secret"])  # noqa: PTH208
