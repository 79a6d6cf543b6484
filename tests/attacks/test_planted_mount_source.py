"""A build puts a link to a closed folder of the host where a later sandbox expects an environment."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for

from backdate.errors import MachineError
from backdate.sandboxes.interface import Command, Workspace

PLANT = """
for one in store().iterdir():
    if one not in environments():
        one.rename(one.with_name(f"aside-{one.name}"))
        one.symlink_to("CLOSED")
"""


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    folder = tmp_path / "closed"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").write_text("the secret", encoding="utf-8")
    folder.chmod(0o700)
    return folder


@pytest.mark.parametrize("by", ["a build", "somebody else"])
def test_the_closed_folder_is_not_shown(by: str, closed: Path, tmp_path: Path) -> None:
    with builder_in(tmp_path / "cache") as builder:
        request = request_for(project(tmp_path / "victim", name="victim"), builder.cache)
        victim = built(builder.prepare(request))
        if by == "a build":
            attack = project(tmp_path / "thing", PLANT.replace("CLOSED", str(closed)))
            builder.prepare(request_for(attack, builder.cache))
        else:  # however the link came there
            shutil.move(victim.root, tmp_path / "aside")
            victim.root.symlink_to(closed)
    command = Command(argv=("/bin/cat", str(victim.root / "bin" / "python")), cwd="/tmp")
    log = tmp_path / "log"
    if victim.root.is_symlink():
        with pytest.raises(MachineError, match="not as backdate made it"):
            builder.sandbox.run(command, Workspace(mounts=victim.mounts), log=log)
    else:
        builder.sandbox.run(command, Workspace(mounts=victim.mounts), log=log)
        assert b"the secret" not in log.read_bytes()
