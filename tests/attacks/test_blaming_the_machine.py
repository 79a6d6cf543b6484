"""A project wants to end a command over all projects: it says that the disk is full, or the index down.

Or it leaves something else where the resolver left its lock, which only a broken resolver would.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_projects import builder_in, project, request_for

from backdate.environments.environment import BuildFailure

DISK = "raise SystemExit('error: No space left on device (os error 28)')"
INDEX = """
for name in ("UV_INDEX_URL", "UV_DEFAULT_INDEX", "PIP_INDEX_URL"):
    print("error: Failed to fetch:", os.environ.get(name))
raise SystemExit("error: Failed to fetch INDEX\\n  Caused by: dns error\\nRequest failed after 3 retries")
"""


@pytest.mark.parametrize(
    ("attack", "phase"),
    [
        pytest.param(DISK, "disk", id="the disk"),
        pytest.param(INDEX, "install", id="the index", marks=[pytest.mark.network, pytest.mark.slow]),
    ],
)
def test_it_is_the_projects_own_failure(attack: str, phase: str, tmp_path: Path) -> None:
    with builder_in(tmp_path / "cache") as builder:
        told = attack.replace("INDEX", builder.index_url)
        answer = builder.prepare(request_for(project(tmp_path / "thing", told), builder.cache))
    assert isinstance(answer, BuildFailure)
    assert answer.phase == phase, answer.message
    assert answer.limit_evidence == ("told" if phase == "disk" else None)


NO_LOCK = "packages = 1"
TWO_READINGS = """lock-version = "1.0"
[[packages]]
name = \'\'\'x
[[packages]]
\'\'\'
version = "1"
"""
NESTED = "x = " + "[" * 100_000
REPLACED = """
    resolver = os.getppid()
    words = open(f"/proc/{resolver}/cmdline").read().split("\\0")
    if "--output-file" not in words:
        return
    output = words[words.index("--output-file") + 1]
    shell = int(open(f"/proc/{resolver}/stat").read().rpartition(")")[2].split()[1])
    os.kill(shell, 19)
    if os.fork():
        return
    import time
    os.setsid()
    null = os.open(os.devnull, os.O_RDWR)
    for number in range(3):
        os.dup2(null, number)
    os.closerange(3, 1000)
    while open(f"/proc/{resolver}/stat").read().rpartition(")")[2].split()[0] != "Z":
        time.sleep(0.01)
    os.unlink(output)
    LEAVE
    os.kill(shell, 18)
    os._exit(0)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "leave",
    [
        pytest.param("os.symlink('/etc/passwd', output)", id="a link"),
        *(
            pytest.param(f"open(output, 'w').write({text!r})", id=name)
            for name, text in [("no lock", NO_LOCK), ("two readings", TWO_READINGS), ("nested", NESTED)]
        ),
    ],
)
def test_what_it_leaves_for_a_lock_is_its_own_failure(leave: str, tmp_path: Path) -> None:
    with builder_in(tmp_path / "cache") as builder:
        tree = project(tmp_path / "thing", resolving=REPLACED.replace("LEAVE", leave))
        answer = builder.prepare(request_for(tree, builder.cache))
    assert isinstance(answer, BuildFailure)
    assert answer.phase == "resolve"
    assert "left the lock" in answer.message
