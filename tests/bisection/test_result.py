"""A bisection's result that an older version wrote is read as what it meant."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from backdate.advice import SourcePlace
from backdate.bisection.result import (
    FORMAT,
    BisectResult,
    CheckSummary,
    Explanation,
    Failing,
    Finding,
    GivenWarning,
    ProbeRecord,
    TransitionRecord,
    UnattributedTest,
    read_bisect_result,
)
from backdate.bisection.search import ProbeStatus
from backdate.checking.result import Verdict
from backdate.errors import NewerFormat
from backdate.projects.project import Origin
from backdate.serial import to_json

DAY = datetime(2021, 3, 1, tzinfo=UTC)


def bisect_result() -> BisectResult:
    finding = Finding(
        tests=("t.py::a",),
        error=Failing(type="E", message="no"),
        log_lines=("a line",),
        axis="packages",
        python="3.8.18",
        transitions=(TransitionRecord(before=DAY, after=DAY, kind="broke"),),
        probes=(ProbeRecord(why="w", instant=DAY, python="3.8.18", status=ProbeStatus.BAD, built=True),),
        explanations=Explanation(
            warnings=(
                GivenWarning(
                    category="W", message="m", places=(SourcePlace(file="p.py", line=3),), names_it=True
                ),
            ),
            notes=("n",),
        ),
    )
    check = CheckSummary(
        project="p",
        origin=Origin(kind="folder", location="/p"),
        verdict=Verdict.BROKE,
        reason="r",
        old_instant=DAY,
        new_instant=DAY,
        old_python="3.8.18",
        new_python="3.8.18",
        broke=1,
    )
    return BisectResult(
        backdate="0",
        check=check,
        findings=(finding,),
        unattributed=(UnattributedTest(test="t.py::b", reason="flaky"),),
        builds=1,
        environments=1,
        runs=1,
        started=DAY,
        duration_s=1.0,
        folder=Path("/f"),
    )


def in_format_2(result: BisectResult) -> dict[str, Any]:
    """Warnings had one place, and quotations were kept that name nothing."""
    document: dict[str, Any] = json.loads(to_json(result)) | {"format": 2}
    for finding in document["findings"]:
        for warning in finding["explanations"]["warnings"]:
            (place,) = warning.pop("places")
            warning.update(place)
        finding["explanations"]["changelog"] = [
            {
                "distribution": "d",
                "version": "2",
                "archive": "d-2.tar.gz",
                "file": "NEWS",
                "lines": ["words"],
                "about": about,
            }
            for about in ("removals", "beginning")
        ]
    return document


def in_format_1(result: BisectResult) -> dict[str, Any]:
    document = in_format_2(result) | {"format": 1}
    document["refused"] = document.pop("unattributed")
    for finding in document["findings"]:
        for old, new in (("testimony", "explanations"), ("said", "log_lines"), ("turns", "transitions")):
            finding[old] = finding.pop(new)
        for probe in finding["probes"]:
            probe["colour"] = probe.pop("status")
    return document


@pytest.mark.parametrize("older", [in_format_1, in_format_2])
def test_a_bisection_of_an_older_format(
    older: Callable[[BisectResult], dict[str, Any]], tmp_path: Path
) -> None:
    file = tmp_path / "bisection.json"
    file.write_text(json.dumps(older(bisect_result())))
    assert read_bisect_result(file) == bisect_result()


def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "bisection.json"
    file.write_text(json.dumps({"format": FORMAT + 1}))
    with pytest.raises(NewerFormat, match="update backdate"):
        read_bisect_result(file)


def test_a_bisection_of_the_second_format_has_none_of_what_was_not_asked_then(tmp_path: Path) -> None:
    document: dict[str, Any] = json.loads(to_json(bisect_result())) | {"format": 2}
    for finding in document["findings"]:
        for name in ("undistinguished", "companions", "further_turns", "held_back", "searched"):
            finding.pop(name, None)
        for probe in finding["probes"]:
            probe.pop("released", None)
    file = tmp_path / "bisection.json"
    file.write_text(json.dumps(document))
    assert read_bisect_result(file) == bisect_result()
