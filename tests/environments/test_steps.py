"""What ends a step is a value wherever foreign code had a part in it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for

from backdate.environments.build_limits import BUILD_LIMITS


@pytest.mark.slow
def test_modules_that_meet_a_limit_while_they_are_compiled_are_no_fault_of_the_machine(
    tmp_path: Path,
) -> None:
    with builder_in(tmp_path / "cache") as builder:
        request = request_for(project(tmp_path / "thing"), builder.cache)
        environment = built(builder.prepare(request))
        hurried = replace(builder.steps, limits=replace(BUILD_LIMITS, wall_s=0.0))
        failure = hurried.compile(request, environment.root, tmp_path / "log")
        assert builder.steps.compile(request, environment.root, tmp_path / "log") is None
    assert failure is not None
    assert (failure.phase, failure.limit_evidence) == ("timeout", "measured")
