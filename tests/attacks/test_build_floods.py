"""A build fills the disk, the memory, the processes or the log of the machine."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_projects import builder_in, project, request_for

from backdate.environments.build import Builder
from backdate.environments.environment import BuildFailure
from backdate.sandboxes.interface import MIB, Limits

LIMITS = Limits(wall_s=60, memory_bytes=512 * MIB, processes=100, disk_bytes=128 * MIB, log_bytes=MIB)
DISK = """
number = 0
while True:
    with open(environments()[0] / f"filler-{number}", "wb") as file:
        file.write(bytes(4 << 20))
    number += 1
"""
DOWNLOADS = DISK.replace("environments()[0]", 'pathlib.Path(os.environ["UV_CACHE_DIR"])')
MEMORY = "held = []\nwhile sum(map(len, held)) < 8 << 30:\n    held.append(b'x' * (16 << 20))"
PROCESSES = """
import time
made = 0
while made < 2000:
    try:
        if os.fork() == 0:
            time.sleep(600)
        made += 1
    except OSError:
        raise SystemExit(f"stopped at {made} processes")
"""
OUTPUT = """
block = "all work and no play\\n" * 10000
for _ in range(2000):
    print(block, flush=True)
raise SystemExit(1)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("attack", "phases"),
    [
        pytest.param(DISK, {"disk"}, id="disk"),
        pytest.param(DOWNLOADS, {"disk"}, id="uv's cache", marks=pytest.mark.slow),
        pytest.param(MEMORY, {"oom", "install"}, id="memory", marks=pytest.mark.slow),
        pytest.param(PROCESSES, {"install", "oom", "timeout"}, id="processes", marks=pytest.mark.slow),
        pytest.param(OUTPUT, {"install", "oom"}, id="output", marks=pytest.mark.slow),
    ],
)
def test_the_build_fails_and_says_why(attack: str, phases: set[str], tmp_path: Path) -> None:
    with builder_in(tmp_path / "cache") as made:
        builder = Builder(made.cache, made.sandbox, index_url=made.index_url, limits=LIMITS)
        built = builder.prepare(request_for(project(tmp_path / "thing", attack), builder.cache))
        assert isinstance(built, BuildFailure)
        assert built.phase in phases, built.message
        assert built.log.stat().st_size < 2 * LIMITS.log_bytes
        assert not list(builder.cache.builds.iterdir()), "what it wrote is left"
        honest = builder.prepare(request_for(project(tmp_path / "later", name="later"), builder.cache))
    assert not isinstance(honest, BuildFailure), honest.message
