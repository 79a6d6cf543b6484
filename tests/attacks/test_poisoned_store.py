"""A build writes to everything that later builds and other environments use: it changes what they run.

It finds the folders from its own environment variables and writes a line into every module that it can reach,
in finished environments and in uv's cache (whose files environments share by hard links), and beside.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_projects import builder_in, built, poisoned, project, request_for

from backdate.environments.incidents import IncidentKind

POISON = """
cache = pathlib.Path(os.environ["UV_CACHE_DIR"])
reached = []
for top in {cache, cache.parent, cache.parent.parent, *(one.parent for one in environments())}:
    for folder, folders, files in os.walk(top):
        for name in files:
            if name.endswith((".py", ".pyc", ".json", ".toml", ".http", ".msgpack")):
                try:
                    with open(os.path.join(folder, name), "a") as file:
                        file.write("\\n# POISON")
                    reached.append(name)
                except OSError:
                    pass
    for name in ("records", "locks", "logs", "environments"):
        try:
            (top / name / "planted").write_text("POISON")
        except OSError:
            pass
assert "pip.py" in reached, f"the attack reaches nothing: {reached}"
"""


@pytest.mark.slow
def test_nothing_but_its_own_environment_changes(tmp_path: Path) -> None:
    folder = tmp_path / "cache"
    with builder_in(folder) as builder:
        victim = built(
            builder.prepare(request_for(project(tmp_path / "victim", name="victim"), builder.cache))
        )
        hostile = project(tmp_path / "thing", POISON)
        attacker = built(builder.prepare(request_for(hostile, builder.cache)))
        later = built(builder.prepare(request_for(project(tmp_path / "later", name="later"), builder.cache)))
    own = attacker.root.relative_to(folder).as_posix()
    assert [path for path in poisoned(folder) if not path.startswith(f"{own}/")] == []
    for environment in (victim, later):
        for root in environment.roots:
            assert poisoned(root) == []
    assert [one.kind for one in attacker.incidents] == [IncidentKind.STORE_ENTRY]
    assert "of uv's cache was changed in the build's own view" in attacker.incidents[0].text
    assert victim.incidents == later.incidents == (), "an honest build is not named"
    assert not list((folder / "builds").iterdir()), "the private folders are left"
