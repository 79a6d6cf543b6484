"""A lock that does not agree with the index: told, installed apart, shared with no other project."""

from __future__ import annotations

from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for, wheel
from slow_tests import others_slow

from backdate.environments import lock_check, resolving
from backdate.environments.environment import Environment, unconfirmed_text
from backdate.environments.lock_check import LockCheck, compare_with_index
from backdate.environments.private_view import PrivateView
from backdate.environments.progress import LockUnconfirmed
from backdate.environments.steps import Resolution
from backdate.progress import NO_PROGRESS, ONLY, Event, StageReporter

FILES = {"library-1-py3-none-any.whl": wheel("library")}


class Unconfirmed:
    """Notes what is told of locks."""

    def __init__(self) -> None:
        self.told: list[tuple[str, ...]] = []

    def report(self, event: Event) -> None:
        if isinstance(event, LockUnconfirmed):
            self.told.append(event.distributions)


@pytest.mark.parametrize("agrees", others_slow([True, False], kept={True}))
def test_it_is_told_and_shared_with_no_other_project(
    agrees: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check = LockCheck(agrees=agrees, differing=() if agrees else ("library 1",))
    monkeypatch.setattr(resolving, "compare_with_index", lambda *_given: check)
    made: list[Environment] = []
    events = Unconfirmed()
    with builder_in(tmp_path / "cache", FILES) as builder:
        for name in ("one", "other"):
            tree = project(tmp_path / name, name=name, requires=("library",))
            with (tree / "pyproject.toml").open("a") as file:
                file.write("[tool.poetry]\n")  # which may say more: the project is not asked for by name
            made.append(built(builder.prepare(request_for(tree, builder.cache), progress=events)))
        assert built(builder.prepare(request_for(tree, builder.cache), progress=events)).reused
    one, other = made
    assert one.dependencies is not None
    assert other.dependencies is not None
    assert (one.dependencies.root == other.dependencies.root) is agrees
    assert one.dependencies.root.is_relative_to(builder.cache.environments) is agrees
    assert events.told == ([] if agrees else [("library 1",)] * 3)
    assert ("(library 1)" in other.lock_note) is not agrees


@pytest.mark.slow
def test_what_differs_is_named(tmp_path: Path) -> None:
    with builder_in(tmp_path / "cache", FILES) as builder:
        tree = project(tmp_path / "thing", requires=("library",))
        request = request_for(tree, builder.cache)
        with PrivateView(builder.cache) as view:
            resolution = builder._resolver.resolve(
                request, builder.packaging_inputs(request), StageReporter(NO_PROGRESS, ONLY), view
            )
        assert isinstance(resolution, Resolution)
        sha256 = next(
            sha256
            for (name, _), files in lock_check.locked_files(resolution.pylock).items()
            for _, sha256 in files
            if name == "library"
        )
        log = tmp_path / "check.log"

        def compared(pylock: str) -> LockCheck:
            return compare_with_index(builder.steps, request, pylock, log)

        assert compared(resolution.pylock) == LockCheck(agrees=True)
        forged = compared(resolution.pylock.replace(sha256, "0" * 64))
        assert forged == LockCheck(agrees=False, differing=("library 1",))
        assert compared("[[packages]]\nname = 1\n") == LockCheck(agrees=False)
    assert compare_with_index(builder.steps, request, resolution.pylock, log) == LockCheck(agrees=False)


def test_a_sentence_says_so() -> None:
    assert "names files that the index does not list (a 1, b 2)" in unconfirmed_text(("a 1", "b 2"))
    assert "(0, 1, 2, 3, 4, …)" in unconfirmed_text(tuple(map(str, range(9))))
    assert "could not be compared" in unconfirmed_text(())
