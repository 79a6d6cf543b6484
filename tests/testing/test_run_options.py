"""What a suite's run is given is stated once."""

from __future__ import annotations

from typing import get_type_hints

from backdate.testing.run_options import RunKeywords, RunOptions


def test_the_keywords_are_the_fields_of_the_value() -> None:
    assert get_type_hints(RunKeywords) == get_type_hints(RunOptions)


def test_the_values_of_variables_are_not_printed() -> None:
    assert "hunter2" not in repr(RunOptions(host_variables=(("PASSWORD", "hunter2"),)))
