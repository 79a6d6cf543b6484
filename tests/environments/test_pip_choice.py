"""Which of what uv chose pip would not have chosen."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from packaging.requirements import Requirement

from backdate.environments.environment import LockedDistribution
from backdate.environments.pip_choice import ChoiceInputs, read_installed, unlike_pip
from backdate.index.names import version_of
from backdate.index.page import IndexFile

DAY = datetime(2020, 1, 1, tzinfo=UTC)


def file(filename: str, python: str | None = None, *, yanked: bool = False) -> IndexFile:
    return IndexFile(
        filename=filename,
        url=f"https://index.example/{filename}",
        version=version_of(filename, "thing"),
        upload_time=DAY,
        hashes=(),
        requires_python=python,
        size_bytes=None,
        yanked=yanked,
        yanked_reason=None,
        has_metadata=False,
    )


def found(
    version: str,
    *files: IndexFile,
    python: str = "3.12.1",
    stated: tuple[str, ...] = (),
    metadata: str = "",
    extras: dict[str, frozenset[str]] | None = None,
    source: str | None = None,
    pip: str = "25.2",
) -> tuple[str, ...]:
    """What is said of ``thing`` at that version, of which the index has ``files``."""
    inputs = ChoiceInputs(
        installed=read_installed(metadata),
        requirements=[Requirement(one) for one in stated],
        extras=extras or {},
        python=python,
        pip=pip,
    )
    thing = LockedDistribution(name="thing", version=version, source=source, uploaded=DAY)
    return unlike_pip([thing], inputs, lambda _name: files)


ONE, TWO = file("thing-1.0-py3-none-any.whl"), file("thing-2.0.tar.gz")
OLDER = ("thing 1.0, though 2.0 suits",)


def test_the_newest_is_what_pip_takes() -> None:
    assert found("2.0", ONE, TWO) == ()
    assert found("1.0", ONE, TWO) == OLDER


@pytest.mark.parametrize(
    "newer",
    [
        file("thing-2.0-py3-none-any.whl", yanked=True),
        file("thing-2.0-py2-none-any.whl"),
        file("thing-2.0-cp311-cp311-manylinux_2_17_x86_64.whl"),
        file("thing-2.0-cp312-cp312-win_amd64.whl"),
        file("thing-2.0-py2.7.egg"),
        file("thing-2.0-broken.whl"),
        file("thing-2.0.tar.gz", ">=3.13"),
        file("thing-2.0.tar.gz", "<3.12"),
        file("thing-2.0rc1.tar.gz"),
    ],
    ids=lambda one: f"{one.filename} {one.requires_python or ''}",
)
def test_what_does_not_suit_is_not_taken(newer: IndexFile) -> None:
    assert found("1.0", ONE, newer) == ()


@pytest.mark.parametrize(
    ("python", "filename"),
    [
        ("3.12.1", "thing-2.0-cp312-cp312-manylinux_2_5_x86_64.whl"),
        ("3.6.15", "thing-2.0-cp36-cp36m-manylinux1_x86_64.whl"),
        ("3.7.16", "thing-2.0-cp37-cp37m-manylinux1_x86_64.whl"),
        ("3.8.18", "thing-2.0-cp35-abi3-manylinux1_x86_64.whl"),
        ("3.8.18", "thing-2.0-py2.py3-none-any.whl"),
    ],
)
def test_wheels_of_the_interpreter_suit(python: str, filename: str) -> None:
    assert found("1.0", ONE, file(filename), python=python) == OLDER


def test_an_upper_bound_of_the_interpreter_holds() -> None:
    newer = file("thing-2.0-py3-none-any.whl", ">=2.7, <3.5")
    assert found("2.0", ONE, newer) == ("thing 2.0 is not for Python 3.12.1",)
    assert found("2.0", ONE, newer, python="3.4.10") == ()
    assert found("2.0", ONE, file("thing-2.0.tar.gz", "no specifier")) == ()


@pytest.mark.parametrize(
    ("stated", "metadata"),
    [
        (("thing<2",), ""),
        (("other", "thing==1.*; python_version >= '3'"), ""),
        ((), "Name: a\nRequires-Dist: Thing (<2)\n"),
        (("A[more]",), "Name: a\nRequires-Dist: thing<2; extra == 'more'\n"),
        (
            ("a[x]",),
            "Name: b\nRequires-Dist: thing<2; extra == 'y'\nName: a\nRequires-Dist: b[y]; extra == 'x'\n",
        ),
    ],
)
def test_requirements_and_dependents_hold_it_back(stated: tuple[str, ...], metadata: str) -> None:
    assert found("1.0", ONE, TWO, stated=stated, metadata=metadata) == ()


@pytest.mark.parametrize(
    ("stated", "metadata"),
    [
        (("thing>=1",), ""),
        (("thing<2; python_version < '3'",), ""),
        ((), "Name: a\nRequires-Dist: thing<2; extra == 'more'\n"),
        ((), "Name: a\nRequires-Dist: thing<2; sys_platform == 'win32'\nRequires-Dist: no requirement !\n"),
    ],
)
def test_what_is_not_in_force_does_not(stated: tuple[str, ...], metadata: str) -> None:
    assert found("1.0", ONE, TWO, stated=stated, metadata=metadata) == OLDER


def test_a_pip_that_resolves_nothing_is_asked_only_for_the_interpreter() -> None:
    assert found("1.0", ONE, TWO, pip="20.2.4") == found("1.0", ONE, TWO, pip="") == ()
    assert found("1.0", ONE, TWO, pip="20.3") == OLDER
    unsuitable = file("thing-2.0.tar.gz", "<3.5")
    assert found("2.0", ONE, unsuitable, pip="19.0") == ("thing 2.0 is not for Python 3.12.1",)


def test_extras_of_the_project_count() -> None:
    metadata = "Name: own\nLocal: yes\nRequires-Dist: thing<2; extra == 'tests'\n"
    assert found("1.0", ONE, TWO, metadata=metadata) == OLDER
    assert found("1.0", ONE, TWO, metadata=metadata, extras={"own": frozenset({"tests"})}) == ()


def test_what_is_of_no_index_is_nobodys_choice() -> None:
    assert found("1.0", ONE, TWO, source=".") == ()
    assert found("2.0a1", ONE, TWO, file("thing-2.0a1.tar.gz")) == ()
    assert found("no version", ONE, TWO) == ()


def test_local_distributions_are_told() -> None:
    installed = read_installed("Name: a\nLocal: yes\nName: b\nDescription: Name\n")
    assert [(one.name, one.local) for one in installed] == [("a", True), ("b", False)]
