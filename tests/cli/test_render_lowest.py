"""What ``check --lowest`` prints, and how it ends."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.cli.main import status_of
from backdate.cli.render_lowest import lowest_lines
from backdate.cli.results import status_of_result
from backdate.lowest.result import (
    DeclaredBound,
    FalseBound,
    FalsePython,
    LiftedBound,
    LiftedBy,
    LowestResult,
    LowestVerdict,
)
from backdate.output.formats import OutputFormat
from backdate.output.render import rendered
from backdate.output.stored import read_any_result
from backdate.projects.project import Origin
from backdate.serial import to_json

NOW = datetime(2025, 1, 1, tzinfo=UTC)
LIFTED = LiftedBound(why=LiftedBy.REQUIREMENT, by="flask 3.0.0", requires="Werkzeug>=3.0.0")
RESULT = LowestResult(
    backdate="1",
    uv="1",
    project="thing",
    origin=Origin(kind="folder", location="/thing"),
    verdict=LowestVerdict.NOT_TRUE,
    reason="there is 1 lower bound that is not true",
    instant=NOW,
    python="3.8.18",
    newest=None,
    bounds=(
        DeclaredBound(distribution="flask", requirement="flask>=3", lowest="3.0.0", tested="3.0.0"),
        DeclaredBound(
            distribution="werkzeug", requirement="werkzeug>=1", lowest="1.0", tested="3.0.0", lifted=LIFTED
        ),
    ),
    unbounded=("six",),
    false_bounds=(
        FalseBound(
            distribution="flask",
            requirement="flask>=3",
            fails="3.0.1",
            passes="3.0.2",
            true_requirement="flask>=3.0.2",
            tests=("tests/test_a.py::test",),
            error_type="ImportError",
            error_message="no \x1b[31mname",
            file="pyproject.toml",
            line=7,
        ),
    ),
    false_python=FalsePython(declared=">=3.7", fails="3.7", passes="3.8", conflict="flask is for 3.8"),
    started=NOW,
    duration_s=1.0,
    folder=Path("/logs"),
)


def test_tests_that_fail_anyway_are_a_line_of_their_own() -> None:
    result = replace(RESULT, failing_newest=tuple(f"t.py::{number}" for number in range(7)))
    lines = [line for line, _ in lowest_lines(result)]
    at = lines.index("Fail with the newest versions already, and tell nothing of bounds: 7")
    assert lines[at + 1].strip() == "t.py::0"
    assert lines[at + 6].strip() == "and 2 more (--verbose shows all)"
    assert (
        "tests that fail with the newest versions already" in rendered(result, OutputFormat.MARKDOWN).decode()
    )


def test_what_is_printed() -> None:
    text = "\n".join(line for line, _ in lowest_lines(RESULT))
    for said in (
        "werkzeug>=1  3.0.0, not 1.0: flask 3.0.0 requires Werkzeug>=3.0.0",
        "six          no lower bound is declared",
        "flask>=3 (pyproject.toml:7) is not true: flask 3.0.1 fails",
        "the first that works: 3.0.2 (a run with it passes, one with 3.0.1 does not)",
        "requires-python >=3.7 is not true: Python 3.7 fails",
        "flask>=3  ->  flask>=3.0.2",
        "LOWER BOUNDS DO NOT HOLD",
    ):
        assert said in text


@pytest.mark.parametrize("form", [form for form in OutputFormat if form is not OutputFormat.TEXT])
def test_every_form_has_the_edit(form: OutputFormat) -> None:
    assert "3.0.2" in rendered(RESULT, form).decode()


def test_it_is_read_again_and_ends_as_it_did(tmp_path: Path) -> None:
    (tmp_path / "result.json").write_bytes(to_json(RESULT))
    again = read_any_result(tmp_path / "result.json")
    assert again == RESULT
    assert status_of_result(again) == 1


@pytest.mark.parametrize(
    "option", [["--from", "2021-03-01"], ["--audit"], ["--junit", "x"], ["--as", "both"]]
)
def test_options_of_two_instants_are_refused(
    option: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["check", str(tmp_path), "--lowest", *option]) == 3
    assert option[0] in capsys.readouterr().err
