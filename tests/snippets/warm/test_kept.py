"""Warm processes that stay between calls."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fake_builds import NoSandbox

from backdate.mining.prove_standard_library import InstalledPython
from backdate.snippets.runs import DEFAULT_LIMITS
from backdate.snippets.warm import kept
from backdate.snippets.warm.kept import KeptServers

PYTHON = InstalledPython(python=Path("/p/bin/python"), root=Path("/p"))


class FakeServer:
    def __init__(self, name: str) -> None:
        self.name, self.asked, self.clean = name, 0, True


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is started and ended, in order."""
    noted: list[str] = []

    @contextlib.contextmanager
    def started(
        _sandbox: object, _python: object, modules: tuple[str, ...], *_: Any, **__: Any
    ) -> Iterator[Any]:
        name = "+".join(modules)
        noted.append(f"start {name}")
        yield FakeServer(name)
        noted.append(f"end {name}")

    monkeypatch.setattr(kept, "started", started)
    return noted


def test_a_process_is_asked_again_and_ends_with_all(log: list[str]) -> None:
    with KeptServers(NoSandbox()) as servers:
        for _ in range(3):
            with servers.lent(PYTHON, ("a",), DEFAULT_LIMITS):
                pass
        with servers.lent(PYTHON, ("a",), DEFAULT_LIMITS), servers.lent(PYTHON, ("a",), DEFAULT_LIMITS):
            pass  # each has one caller at a time
        with servers.lent(PYTHON, ("b",), DEFAULT_LIMITS):
            pass
        assert log == ["start a", "start a", "start b"]
    assert sorted(log[3:]) == ["end a", "end a", "end b"]


def test_a_process_that_is_not_as_it_was_is_not_asked_again(log: list[str]) -> None:
    with KeptServers(NoSandbox()) as servers:
        with servers.lent(PYTHON, ("a",), DEFAULT_LIMITS) as server:
            server.clean = False
        with pytest.raises(KeyError), servers.lent(PYTHON, ("a",), DEFAULT_LIMITS):
            raise KeyError
        assert log == ["start a", "end a"] * 2


def test_few_wait_and_the_one_that_was_used_last_stays(
    log: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept, "_MOST_WAITING", 2)
    with KeptServers(NoSandbox()) as servers:
        for name in ("a", "b", "a", "c", "a"):
            with servers.lent(PYTHON, (name,), DEFAULT_LIMITS):
                pass
        assert log == ["start a", "start b", "start c", "end b"]
