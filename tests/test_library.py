import subprocess
import sys

import pytest

import backdate


def test_what_is_exported() -> None:
    assert sorted(backdate._HOMES) == backdate.__all__
    for name in backdate.__all__:
        assert getattr(backdate, name) is not None


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        backdate.nonsense  # noqa: B018


def test_importing_it_imports_nothing_heavy() -> None:
    code = (
        "import sys, backdate; print([m for m in ('httpx', 'rich', 'msgspec', 'typer') if m in sys.modules])"
    )
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"
