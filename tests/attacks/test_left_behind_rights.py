"""A build leaves programs that run as their owner, files that anybody writes, and devices."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for

PLANT = """
import stat
for one in environments():
    program = one / "bin" / "become"
    program.write_bytes(pathlib.Path("/bin/sh").read_bytes())
    program.chmod(0o6755)
    (one / "open").mkdir()
    (one / "open").chmod(0o2777)
    (one / "open" / "file").write_text("")
    (one / "open" / "file").chmod(0o666)
    os.mkfifo(one / "open" / "pipe", 0o666)
    try:
        os.mknod(one / "open" / "memory", 0o666 | stat.S_IFCHR, os.makedev(1, 1))
    except OSError:
        pass
"""


@pytest.mark.slow
def test_the_environment_gives_no_rights(tmp_path: Path) -> None:
    with builder_in(tmp_path / "cache") as builder:
        environment = built(builder.prepare(request_for(project(tmp_path / "thing", PLANT), builder.cache)))
    found = [path for root in environment.roots for path in root.rglob("*") if not path.is_symlink()]
    assert any(path.name == "become" for path in found), "the attack did not reach the environment"
    for path in found:
        status = path.lstat()
        assert not stat.S_ISCHR(status.st_mode), path
        assert not stat.S_ISBLK(status.st_mode), path
        if os.geteuid() == 0:  # whoever runs it becomes an ordinary user who owns nothing else, never root
            assert not status.st_mode & (stat.S_ISUID | stat.S_ISGID) or status.st_uid != 0, path
