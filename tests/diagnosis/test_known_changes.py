"""Which row of the knowledge tables is behind a cause."""

from __future__ import annotations

import pytest

from backdate.diagnosis.known_changes import change_behind, change_behind_build
from backdate.diagnosis.result import Cause, CauseKind
from backdate.knowledge import changes, load


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


def test_a_library_is_known_however_its_table_writes_its_name() -> None:
    change = change_behind(cause("'FreeTypeFont' object has no attribute 'getsize'", "Pillow"))
    assert change is not None
    assert (change.distribution, change.name) == ("Pillow", "FreeTypeFont.getsize")


def test_tables_of_other_libraries_are_read_where_those_of_the_cause_do_not_tell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reading and compiling all of them takes as long as the rest of an advice."""
    read: list[str] = []
    change_file = load.change_file
    monkeypatch.setattr(load, "change_file", lambda name: read.append(name) or change_file(name))
    changes._of_library.cache_clear()
    changes.library_changes.cache_clear()
    assert change_behind(cause("module 'numpy' has no attribute 'float'", "numpy")) is not None
    assert read == ["numpy"]
    other = change_behind(cause("module 'numpy' has no attribute 'float'", "scipy"))
    assert other is not None
    assert other.distribution == "numpy"
    assert read == ["numpy", "scipy"]  # what was read is kept


def test_of_libraries_that_a_cause_does_not_tell_those_that_the_message_names_are_looked_at_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []
    change_file = load.change_file
    monkeypatch.setattr(load, "change_file", lambda name: read.append(name) or change_file(name))
    changes._of_library.cache_clear()
    message = "cannot import name 'url_decode' from 'werkzeug.urls' (site-packages/werkzeug/urls.py)"
    change = change_behind(cause(message, error="ImportError"))
    assert change is not None
    assert (change.distribution, change.name) == ("werkzeug", "werkzeug.urls.url_decode")
    assert read == ["werkzeug"]


@pytest.mark.parametrize(
    ("kind", "message", "culprit"),
    [
        ("AttributeError", "'coroutine' object has no attribute 'json'", "pytest-asyncio"),
        ("AssertionError", "assert 'a' == '\\x1b[31ma\\x1b[0m'", "termcolor"),
        ("AssertionError", "assert 'Usage: ' in ''", "click"),
    ],
)
def test_what_any_program_may_say_is_of_a_library_only_where_that_is_at_fault(
    kind: str, message: str, culprit: str
) -> None:
    met = cause(message, error=kind)
    assert change_behind(met) is None
    assert not any(one.pattern.search(f"{kind}: {message}") for one in changes.library_changes())
    known = change_behind(met, culprit=culprit)
    assert known is not None
    assert known.distribution == culprit
