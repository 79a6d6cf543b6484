"""Which row of the knowledge tables is behind a cause."""

from __future__ import annotations

import pytest

from backdate.diagnosis.known_changes import change_behind, change_behind_build
from backdate.diagnosis.result import Cause, CauseKind


def cause(message: str, *related: str, error: str = "AttributeError") -> Cause:
    return Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type=error,
        message=message,
        distribution=related[0] if related else None,
        related=related,
    )


@pytest.mark.parametrize("related", [("numpy",), (), ("scipy", "numpy")])
def test_a_dropped_name_with_its_replacement(related: tuple[str, ...]) -> None:
    change = change_behind(cause("module 'numpy' has no attribute 'float'", *related))
    assert change is not None
    assert (change.distribution, change.name, change.since) == ("numpy", "numpy.float", "1.24")
    assert (change.replacement, change.pin, change.added) == ("float", "numpy<1.24", False)


def test_a_method_of_the_same_name_in_another_library_is_a_coincidence() -> None:
    message = "'DataFrame' object has no attribute 'append'"
    of_pandas = change_behind(cause(message, "pandas"))
    assert of_pandas is not None
    assert of_pandas.distribution == "pandas"
    assert change_behind(cause(message, "polars")) is None


def test_what_no_table_knows() -> None:
    assert change_behind(cause("module 'numpy' has no attribute 'no_such_name'", "numpy")) is None
    assert change_behind_build("error: something of the project's own") is None


def test_a_build_tool_is_behind_a_build() -> None:
    change = change_behind_build("error in app setup command: use_2to3 is invalid.")
    assert change is not None
    assert (change.distribution, change.pin, change.of_builds) == ("setuptools", "setuptools<58", True)


def test_a_module_that_python_dropped() -> None:
    change = change_behind(cause("No module named 'asynchat'", "builtin", error="ModuleNotFoundError"))
    assert change is not None
    assert (change.distribution, change.name, change.pin) == ("python", "asynchat", "<3.12")
