"""Which tests one worker of xdist keeps together."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("xdist", reason="xdist is not installed")

from scheduling import ONE_BY_ONE, FileScheduling


def test_tests_of_a_file_stay_together_but_for_those_that_share_nothing() -> None:
    scheduling = FileScheduling.__new__(FileScheduling)
    for file in ONE_BY_ONE:
        assert (Path(__file__).parents[1] / file).is_file()
        assert scheduling._split_scope(f"{file}::test_it[a]") == f"{file}::test_it[a]"
    assert scheduling._split_scope("tests/test_text.py::TestIt::test_it") == "tests/test_text.py"
