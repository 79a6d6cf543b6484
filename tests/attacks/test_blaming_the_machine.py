"""A project says that the disk is full, or that the index is down, to end a command over all projects."""

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
