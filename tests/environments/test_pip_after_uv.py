"""When a pip of the time is asked after uv, and when it could only say the same."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from fake_setups import failure

from backdate.environments.build import Builder
from backdate.environments.environment import BuildFailure


@pytest.mark.parametrize(
    ("failed", "asked"),
    [
        (failure("no version of a==9", "resolve"), True),
        (replace(failure("a was not found", "resolve"), certain=True), False),
        (failure("it does not build", "install"), True),
        (failure("it took too long", "timeout"), False),
    ],
)
def test_pip_is_asked_where_it_may_know_better(failed: BuildFailure, *, asked: bool) -> None:
    said: list[BuildFailure] = []

    def by_pip(_request: object, _key: str, first: BuildFailure, _stages: object) -> BuildFailure:
        said.append(first)
        return first

    builder = SimpleNamespace(
        keys=SimpleNamespace(by_pip=lambda _request: "key"),
        finished=SimpleNamespace(find=lambda _key, _progress: None),
        _by_uv=lambda _request, _stages: failed,
        _by_pip=by_pip,
    )
    request = SimpleNamespace(allowed_files=())
    assert Builder.prepare(builder, request) is failed  # type: ignore[arg-type]
    assert bool(said) is asked
