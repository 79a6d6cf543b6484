from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from backdate.projects.python_versions import (
    from_classifiers,
    from_conda,
    from_minors,
    from_pin,
    from_poetry,
    normalise_specifier,
)


@pytest.mark.parametrize(
    ("text", "specifier"),
    [
        (">=3.6", ">=3.6"),
        (" >= 3.6 , < 4 ", "<4,>=3.6"),
        (">=3.6.*", ">=3.6"),
        (">=3.6,", ">=3.6"),
        ("!=3.0.*,>=2.7", "!=3.0.*,>=2.7"),
        ("", None),
        ("3.6", None),
        ("Python 3", None),
        (">=3" * 1000, None),
    ],
)
def test_normalise_specifier(text: str, specifier: str | None) -> None:
    assert normalise_specifier(text) == specifier


@pytest.mark.parametrize(
    ("text", "inside", "outside"),
    [
        ("^3.6", "3.9.1 3.6.0", "2.7.18 4.0"),
        ("^3.6.1", "3.6.1 3.11.0", "3.6.0"),
        ("~3.7", "3.7.9", "3.8.0 3.6.9"),
        ("~3.7.2", "3.7.9", "3.8.0 3.7.1"),
        ("3.8.*", "3.8.20", "3.9.0"),
        ("3.8", "3.8.20", "3.9.0"),
        (">=3.6,<3.9", "3.8.1", "3.9.0"),
        (">= 3.6 <4.0", "3.8.1", "4.0.0"),
        (">=3.6, !=3.7.*", "3.8.1", "3.7.1"),
        ("~2.7 || ^3.5", "3.5.0 3.9.0", "2.7.18 4.0"),
        ("3.7.* || 3.9.*", "3.7.1 3.9.2", "3.8.1 3.6.1 3.10.0"),
        ("3.7.*|>=3.9", "3.7.1 3.9.2 3.14.0", "3.8.1 3.6.1"),
    ],
)
def test_poetry_constraints(text: str, inside: str, outside: str) -> None:
    specifier = SpecifierSet(from_poetry(text) or "==0")
    assert all(specifier.contains(version) for version in inside.split())
    assert not any(specifier.contains(version) for version in outside.split())


@pytest.mark.parametrize("text", ["*", "", "latest", "^", "^3.6 || x", "^3.6,,^x", "||" * 400])
def test_poetry_constraints_without_a_range(text: str) -> None:
    assert from_poetry(text) is None


def test_classifiers_are_the_minors_they_name() -> None:
    names = ["3", "3 :: Only", "2.7", "3.6", "3.8", " 3.10 "]
    classifiers = [f"Programming Language :: Python :: {name}" for name in names]
    specifier = SpecifierSet(from_classifiers([*classifiers, None, 3]) or "")
    allowed = [minor for minor in range(20) if specifier.contains(f"3.{minor}.5")]
    assert allowed == [6, 8, 10]


def test_classifiers_without_a_minor_declare_nothing() -> None:
    assert (
        from_classifiers(["Programming Language :: Python :: 3", "Programming Language :: Python :: 2.7"])
        is None
    )


@given(st.sets(st.integers(0, 39), min_size=1))
def test_minors_come_back(minors: set[int]) -> None:
    specifier = SpecifierSet(from_minors(minors) or "")
    assert {minor for minor in range(40) if specifier.contains(f"3.{minor}.3")} == minors


@pytest.mark.parametrize(
    ("text", "specifier"),
    [
        ("3.6", "==3.6.*"),
        ("3.6.4\n", "==3.6.4"),
        ("python-3.6.4", "==3.6.4"),
        ("cpython-3.12", "==3.12.*"),
        ("3.6.*", "==3.6.*"),
        ("2.7.18", None),
        ("system", None),
        ("pypy3.9-7.3", None),
        ("3.13t", None),
        ("3.14-dev", None),
    ],
)
def test_pins(text: str, specifier: str | None) -> None:
    assert from_pin(text) == specifier


@pytest.mark.parametrize(
    ("text", "specifier"),
    [
        ("=3.6", "==3.6.*"),
        ("==3.6.8", "==3.6.8"),
        ("=3.6.8=h0371630_0", "==3.6.8"),
        ("=3.7*", "==3.7.*"),
        (">=3.6,<3.9", "<3.9,>=3.6"),
        ("<3.8", "<3.8"),
        ("=hello", None),
    ],
)
def test_conda_requirements(text: str, specifier: str | None) -> None:
    assert from_conda(text) == specifier


@given(st.text(max_size=80) | st.text(alphabet="^~=<>!|*.,0123 x", max_size=40))
def test_every_reader_gives_a_specifier_or_none(text: str) -> None:
    for read in (normalise_specifier, from_pin, from_conda, from_poetry):
        specifier = read(text)
        if specifier is not None:
            SpecifierSet(specifier).contains("3.8.1")
