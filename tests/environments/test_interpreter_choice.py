from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet

from backdate.environments.environment import Interpreter
from backdate.environments.interpreter_choice import DownloadFailure, choose_interpreter
from backdate.errors import InterpreterMissing, UsageError
from backdate.timeline.instants import parse_instant

THEN = parse_instant("2021-03-01")


def at_hand(*versions: str) -> list[Interpreter]:
    return [
        Interpreter(
            version=v, executable=Path(f"/opt/{v}/bin/python"), prefix=Path(f"/opt/{v}"), source="pyenv"
        )
        for v in versions
    ]


class Offered:
    """A download that gives what it is told to."""

    def __init__(self, offer: str | None, result: str | None) -> None:
        self.offer, self.result, self.asked = offer, result, []

    def nearest(self, version: str) -> str | None:
        return self.offer

    def download(self, version: str) -> Interpreter | DownloadFailure:
        self.asked.append(version)
        return at_hand(self.result)[0] if self.result else DownloadFailure(message="no network")


@pytest.mark.parametrize(
    ("wanted", "specifier", "available", "chosen", "words"),
    [
        ("3.8.8", ">=3.6", "3.8.7 3.8.8 3.9.1", "3.8.8", []),
        ("3.8.8", ">=3.6", "3.8.1 3.8.10 3.9.1", "3.8.10", ["stands in for 3.8.8", "released on 2021-05-03"]),
        ("3.8.8", ">=3.6", "3.8.7 3.8.9", "3.8.7", ["stands in for 3.8.8"]),
        ("3.8.8", ">=3.8.2", "3.8.1 3.8.18", "3.8.18", ["released on 2023-08-24"]),
        ("3.9.2", ">=3.6", "3.7.10 3.10.0", "3.7.10", ["another minor"]),
        ("3.9.2", ">=3.9", "3.7.10 3.10.0", "3.10.0", ["another minor", "released on 2021-10-04"]),
        ("3.9.2", ">=3.6", "3.8.1 3.8.8 3.8.10", "3.8.8", ["another minor"]),
        ("3.9.2", ">=3.6", "3.8.10 3.8.18", "3.8.10", ["another minor", "released on 2021-05-03"]),
        ("3.8.8", None, "3.7.1 3.12.1", "3.7.1", ["another minor"]),
        ("3.6.4", "==3.6.4", "3.6.15 3.7.1", "3.6.15", ["outside of the project's range ==3.6.4"]),
        ("3.8.8", None, "3.8.99 3.99.0", "3.8.99", ["stands in"]),
    ],
)
def test_the_order_of_substitutes(wanted, specifier, available, chosen, words) -> None:
    choice = choose_interpreter(wanted, specifier, THEN, at_hand(*available.split()), reason="why")
    assert choice.interpreter.version == chosen
    assert (choice.wanted, choice.reason) == (wanted, "why")
    assert (choice.note is None) == (words == [])
    assert all(word in (choice.note or "") for word in words)


def test_a_download_goes_before_another_minor_and_after_another_patch() -> None:
    offered = Offered("3.8.8", "3.8.8")
    choice = choose_interpreter("3.8.8", None, THEN, at_hand("3.9.1"), downloads=offered)
    assert (choice.interpreter.version, choice.note) == ("3.8.8", None)
    offered = Offered("3.8.8", "3.8.8")
    assert (
        choose_interpreter("3.8.8", None, THEN, at_hand("3.8.1"), downloads=offered).interpreter.version
        == "3.8.1"
    )
    assert offered.asked == []


def test_a_download_that_fails_is_said() -> None:
    offered = Offered("3.8.8", None)
    choice = choose_interpreter("3.8.8", None, THEN, at_hand("3.9.1"), downloads=offered)
    assert choice.interpreter.version == "3.9.1"
    assert "3.8.8 could not be downloaded: no network" in (choice.note or "")
    with pytest.raises(InterpreterMissing, match="no network"):
        choose_interpreter("3.8.8", "<3.9", THEN, at_hand("3.9.1"), downloads=offered)


def test_what_is_not_offered_is_not_asked_for() -> None:
    offered = Offered(None, None)
    choose_interpreter("3.6.9", None, THEN, at_hand("3.9.1"), downloads=offered)
    assert offered.asked == []


@pytest.mark.parametrize(
    ("forced", "available", "chosen", "wanted", "note"),
    [
        ("3.7", "3.7.10 3.8.8", "3.7.10", "3.7.10", "outside of the project's range"),
        ("3.7", "3.7.16", "3.7.16", "3.7.10", "stands in for 3.7.10"),
        ("3.8.8", "3.8.8 3.9.1", "3.8.8", "3.8.8", None),
        ("3.8.5", "3.8.8 3.9.1", "3.8.8", "3.8.5", "stands in for 3.8.5"),
        ("3.12", "3.12.1", "3.12.1", "3.12.1", "not before 2021-03-01"),
    ],
)
def test_a_forced_version_is_taken_whatever_the_project_says(forced, available, chosen, wanted, note) -> None:
    choice = choose_interpreter("3.9.2", ">=3.8", THEN, at_hand(*available.split()), forced=forced)
    assert (choice.interpreter.version, choice.wanted) == (chosen, wanted)
    assert choice.reason == f"asked for with --python {forced}"
    assert (choice.note is None) == (note is None)
    assert (note or "") in (choice.note or "")


def test_a_forced_minor_is_never_another() -> None:
    with pytest.raises(InterpreterMissing, match=r"pyenv install 3\.7.*here are: 3\.8\.8"):
        choose_interpreter("3.8.8", None, THEN, at_hand("3.8.8"), forced="3.7")


@pytest.mark.parametrize("forced", ["", "3", "2.7", "3.x", "python3.8", "3.8.1.2", "/usr/bin/python3"])
def test_a_forced_version_that_is_none_is_refused(forced: str) -> None:
    with pytest.raises(UsageError, match="is not a version"):
        choose_interpreter("3.8.8", None, THEN, at_hand("3.8.8"), forced=forced)


def test_nothing_at_hand_says_what_to_install() -> None:
    with pytest.raises(InterpreterMissing) as caught:
        choose_interpreter("3.6.13", "<3.7,>=3.6", THEN, (), reason="classifiers in setup.py:3")
    for word in ("3.6.13", "classifiers in setup.py:3", "pyenv install 3.6", "none from 3.6 on"):
        assert word in str(caught.value)


VERSIONS = st.builds("3.{}.{}".format, st.integers(6, 14), st.integers(0, 20))


@given(VERSIONS, st.sets(VERSIONS, min_size=1), st.sampled_from([None, ">=3.7", "<3.9", "==3.8.*"]))
def test_a_substitute_is_never_silent(wanted: str, available: set[str], specifier: str | None) -> None:
    try:
        choice = choose_interpreter(wanted, specifier, THEN, at_hand(*sorted(available)))
    except InterpreterMissing:
        assert not any(SpecifierSet(specifier or "").contains(version) for version in available)
        return
    assert choice.interpreter.version in available
    assert choice.interpreter.version == wanted or choice.note
    if wanted in available:
        assert choice.interpreter.version == wanted
