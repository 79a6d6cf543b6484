"""What a bisection's environments resolve to, by uv or by building them."""

from __future__ import annotations

from pathlib import Path

import pytest
from fake_setups import INSTANT, choice

from backdate.bisection.probe_builder import ProbeBuilder, ProbeFailure
from backdate.environments.cache import Cache
from backdate.environments.environment import BuildFailure, Environment, Lock
from backdate.environments.inputs import EnvironmentRequest
from backdate.projects.tree import tree_digest

LOCK = Lock(instant=INSTANT, python="3.8.18", distributions=())


class Refusing:
    """A builder that cannot resolve, and whose pip builds."""

    def __init__(self, folder: Path, built: Environment | BuildFailure) -> None:
        self.cache = Cache(folder)
        self.index_url = "http://index/simple/"
        self.built, self.resolved = built, 0

    def resolve(self, request: EnvironmentRequest) -> BuildFailure:
        self.resolved += 1
        return failed("no solution")

    def prepare(self, request: EnvironmentRequest) -> Environment | BuildFailure:
        return self.built


def failed(message: str) -> BuildFailure:
    return BuildFailure(phase="resolve", message=message, choice=choice(), log=Path("/log"))


def request(tree: Path) -> EnvironmentRequest:
    tree.mkdir()
    return EnvironmentRequest(
        instant=INSTANT, choice=choice(), steps=(), tree=tree, name="p", digest=tree_digest(tree)
    )


@pytest.mark.parametrize(("by_pip", "kind"), [(False, ProbeFailure), (True, Lock)])
def test_what_uv_does_not_resolve_is_built_where_the_sides_were_built_by_pip(
    tmp_path: Path, by_pip: bool, kind: type
) -> None:
    made = Environment(
        key="k", root=tmp_path, choice=choice(), lock=LOCK, build_s=1.0, reused=False, log=Path("/log")
    )
    builder = Refusing(tmp_path / "cache", made)
    probes = ProbeBuilder(builder, by_pip=by_pip)  # type: ignore[arg-type]
    asked = request(tmp_path / "tree")
    assert isinstance(probes.resolve(asked), kind)
    assert isinstance(probes.resolve(asked), kind)
    assert builder.resolved == 1, "that it does not resolve is kept"


def test_what_pip_does_not_build_either_is_a_failure(tmp_path: Path) -> None:
    builder = Refusing(tmp_path / "cache", failed("nor pip"))
    answer = ProbeBuilder(builder, by_pip=True).resolve(request(tmp_path / "tree"))  # type: ignore[arg-type]
    assert isinstance(answer, ProbeFailure)
    assert answer.message == "nor pip"
