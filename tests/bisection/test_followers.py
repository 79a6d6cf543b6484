"""Culprits that only follow another one of them, as metadata tell."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from diagnosis_environments import environment_of

from backdate.bisection.followers import without_followers
from backdate.bisection.result import Culprit, Failing, Finding
from backdate.environments.environment import Environment


@pytest.fixture
def made(tmp_path: Path) -> Callable[[dict[str, str]], Environment]:
    def make(files: dict[str, str]) -> Environment:
        site = tmp_path / "venv/lib/python3.12/site-packages"
        for name, text in files.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
        return environment_of(tmp_path / "venv", Path(sys.executable))

    return make


def metadata(name: str, version: str, *requires: str) -> dict[str, str]:
    lines = "".join(f"Requires-Dist: {one}\n" for one in requires)
    text = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{lines}\n"
    return {f"{name}-{version}.dist-info/METADATA": text}


def finding(*moves: tuple[str, str, str]) -> Finding:
    return Finding(
        tests=("t",),
        error=Failing(type="E", message=""),
        axis="packages",
        culprits=tuple(Culprit(name=name, old=old, new=new, released=None) for name, old, new in moves),
        python="3.12.1",
    )


LINTERS = finding(("style", "2.9.1", "2.10.0"), ("lint", "5.0.4", "6.0.0"), ("flakes", "2.5.0", "3.0.1"))


def test_what_a_release_requires_at_releases_of_its_own_follows_it(made: Callable[..., Environment]) -> None:
    newest = made(
        {
            **metadata("lint", "6.0.0", "style<2.11,>=2.10", "flakes (<3.1,>=3.0)", "other; extra == 'x'"),
            **metadata("style", "2.10.0"),
            **metadata("flakes", "3.0.1"),
        }
    )
    found = without_followers(LINTERS, newest)
    assert [one.name for one in found.culprits] == ["lint"]
    assert found.notes == (
        "lint 6.0.0 requires style 2.10.0, flakes 3.0.1, and none of them moves without the others",
    )


CLIENT = finding(("client", "0.27.2", "0.28.0"), ("pytest-client", "0.34.0", "0.35.0"))


def test_what_is_made_for_a_release_that_the_error_names_follows_it(made: Callable[..., Environment]) -> None:
    newest = made({**metadata("pytest-client", "0.35.0", "client==0.28.*"), **metadata("client", "0.28.0")})
    found = without_followers(CLIENT, newest, suspects=("client",))
    assert [one.name for one in found.culprits] == ["client"]
    assert found.notes == ("pytest-client 0.35.0 requires client 0.28.0, and none moves without the other",)


def test_what_may_stay_is_no_follower_of_what_the_error_names(made: Callable[..., Environment]) -> None:
    newest = made({**metadata("pytest-client", "0.35.0", "client>=0.27"), **metadata("client", "0.28.0")})
    assert without_followers(CLIENT, newest, suspects=("client",)) is CLIENT


@pytest.mark.parametrize(
    "requires",
    [
        ("style>=2.10", "flakes"),  # flakes may stay as it was
        ("style>=2.10",),
        ("style>=2.10", "flakes>=4"),  # not what is there
        ("style>=2.10", "flakes !!"),
        (),
    ],
)
def test_others_are_left(made: Callable[..., Environment], requires: tuple[str, ...]) -> None:
    newest = made({**metadata("lint", "6.0.0", *requires), **metadata("style", "2.10.0")})
    assert without_followers(LINTERS, newest) is LINTERS


def test_of_another_release_nothing_is_known(made: Callable[..., Environment]) -> None:
    newest = made(metadata("lint", "6.1.0", "style>=2.10", "flakes>=3"))
    assert without_followers(LINTERS, newest) is LINTERS


def test_a_single_culprit_is_left(made: Callable[..., Environment]) -> None:
    one = finding(("lint", "5.0.4", "6.0.0"))
    assert without_followers(one, made({})) is one
