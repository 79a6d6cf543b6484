"""What a function only calls, with all that it was given."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

PROBES = Path(__file__).parents[2] / "src/backdate/diagnosis/probe"


def summed(values: Sequence[int], start: int = 0) -> int:
    return sum(values, start)


def total(values: Sequence[int], start: int = 0) -> int:
    """Deprecated."""
    warnings.warn("use summed", DeprecationWarning, stacklevel=2)
    return summed(values, start=start)


def turned(values: Sequence[int], start: Any) -> int:
    return summed(start, values)


def halved(values: Sequence[int], start: int) -> int:
    return summed(values, start // 2)


def dropped(values: Sequence[int], start: int) -> int:
    return summed(values)


def noted(values: Sequence[int], start: int) -> int:
    values = list(values)
    return summed(values, start)


def hidden(values: Sequence[int]) -> int:
    return _private(values)


def _private(values: Sequence[int]) -> int:
    return summed(values)


def announced(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        warnings.warn("it goes", DeprecationWarning, stacklevel=2)
        return function(*args, **kwargs)

    return wrapper


class Tree:
    def stage(self, *paths: str, **options: Any) -> None: ...


class Repository:
    def tree(self) -> Tree:
        return Tree()

    @announced
    def stage(self, *paths: str, **options: Any) -> None:
        return self.tree().stage(*paths, **options)

    def put(self, path: str) -> None:
        return self.add(path=path)

    def add(self, path: str) -> None: ...

    def other(self, path: str) -> None:
        return Tree().stage(path)

    def inner(self, path: str) -> None:
        return self._tree.stage(path)  # type: ignore[attr-defined,no-any-return]


class Application:
    def __init__(self) -> None:
        self.tree = Tree()
        self.guessed = make()

    def stage(self, *paths: str, **options: Any) -> None:
        return self.tree.stage(*paths, **options)

    def put(self, path: str) -> None:
        return self.guessed.put(path)

    @property
    def whole(self) -> Tree:
        return self.tree

    def all(self, path: str) -> None:
        return self.whole.stage(path)


def make() -> Any: ...


@pytest.fixture
def delegate_of(monkeypatch: pytest.MonkeyPatch) -> Callable[[object, bool], str]:
    monkeypatch.syspath_prepend(str(PROBES))
    monkeypatch.delitem(sys.modules, "backdate_delegates", raising=False)
    from backdate_delegates import delegate_of

    return delegate_of  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("found", "of_object", "called"),
    [
        (total, False, f"{__name__}.summed"),
        (Repository.stage, True, "{self}.tree().stage"),
        (Repository.put, True, "{self}.add"),
        *((one, False, "") for one in (turned, halved, dropped, noted, hidden, len, 6, Tree)),
        *((one, True, "") for one in (Repository.other, Repository.inner, Repository.add)),
    ],
)
def test_what_it_gives_everything_on_to(
    delegate_of: Callable[[object, bool], str], found: object, of_object: bool, called: str
) -> None:
    assert delegate_of(found, of_object) == called


@pytest.mark.parametrize(
    ("found", "owner", "home"),
    [
        (Application.stage, Application, f"{__name__}.Tree.stage"),
        (Application.all, Application, f"{__name__}.Tree.stage"),
        (Application.put, Application, ""),
        (Repository.stage, Repository, f"{__name__}.Tree.stage"),
        (Repository.add, Repository, ""),
        (len, Repository, ""),
    ],
)
def test_where_the_method_is_that_it_comes_to(
    delegate_of: Callable[[object, bool], str], found: object, owner: type, home: str
) -> None:
    from backdate_delegates import home_of_delegate

    assert home_of_delegate(found, owner) == home
