"""Results that an older version wrote are read as what they meant."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from builders import result as case
from builders import run
from fake_setups import recipe

from backdate.checking.compare import compare_runs
from backdate.checking.result import FORMAT, CheckResult, Side, Verdict, read_result
from backdate.checking.setup_class import SetupClass
from backdate.checking.setup_result import AttemptRecord, SetupResult, read_setup_result
from backdate.environments.environment import (
    CutoffOverride,
    Environment,
    Interpreter,
    InterpreterChoice,
    Lock,
)
from backdate.errors import NewerFormat, SourceError, StoredDataError
from backdate.projects.project import Origin
from backdate.recipes.recipe import LaterCut, Provenance
from backdate.serial import to_json

DAY = datetime(2021, 3, 1, tzinfo=UTC)
INTERPRETER = Interpreter(version="3.8.18", executable=Path("/p/python"), prefix=Path("/p"), source="path")
CHOICE = InterpreterChoice(wanted="3.8", reason="for a test", interpreter=INTERPRETER)
OVERRIDE = CutoffOverride(name="setuptools", until=DAY, reason="for a test")
LATER = LaterCut(name="wheel", until=DAY, provenance=Provenance(rule="a test"))
RECIPE = recipe("x", extra_cutoff_overrides=(LATER,))
ORIGIN = Origin(kind="folder", location="/p")


def environment() -> Environment:
    lock = Lock(instant=DAY, python="3.8.18", distributions=(), cutoff_overrides=(OVERRIDE,))
    return Environment(
        key="0", root=Path("/e"), choice=CHOICE, lock=lock, build_s=1.0, reused=False, log=Path("/log")
    )


def check_result() -> CheckResult:
    side = Side(instant=DAY, choice=CHOICE, recipe=RECIPE, environment=environment())
    return CheckResult(
        backdate="0",
        uv="0",
        project="p",
        origin=ORIGIN,
        verdict=Verdict.CANNOT_TELL,
        reason="for a test",
        old=side,
        new=side,
        changes=(),
        comparison=None,
        unpinning="",
        started=DAY,
        duration_s=1.0,
        folder=Path("/f"),
    )


def setup_result() -> SetupResult:
    return SetupResult(
        backdate="0",
        project="p",
        origin=ORIGIN,
        instant=DAY,
        setup_class=SetupClass.NOT_PROVEN,
        reason="for a test",
        accept=0.95,
        recipe=RECIPE,
        environment=environment(),
        attempts=(),
        started=DAY,
        duration_s=1.0,
        folder=Path("/f"),
    )


def in_format_1(result: object) -> bytes:
    text = to_json(result).decode()
    text = text.replace('"cutoff_overrides"', '"exemptions"')
    text = text.replace('"extra_cutoff_overrides"', '"later_cuts"')
    document: dict[str, Any] = json.loads(text) | {"format": 1}
    return json.dumps(document).encode()


def test_a_check_of_the_first_format(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(in_format_1(check_result()))
    assert b"exemptions" in file.read_bytes()
    assert read_result(file) == check_result()


def test_a_set_up_of_the_first_format(tmp_path: Path) -> None:
    file = tmp_path / "setup.json"
    file.write_bytes(in_format_1(setup_result()))
    assert b"later_cuts" in file.read_bytes()
    assert read_setup_result(file) == setup_result()


def test_a_check_from_before_builds_were_closed_says_so(tmp_path: Path) -> None:
    checked = check_result()
    file = tmp_path / "result.json"
    document = json.loads(to_json(replace(checked, old=replace(checked.old, run=run()))))
    del document["old"]["run"]["enforced"]["seccomp"], document["old"]["environment"]["network"]
    file.write_text(json.dumps(document | {"format": 2}))
    read = read_result(file)
    assert read.old.run is not None
    assert (read.old.run.enforced.seccomp, read.format) == ("off", FORMAT)
    assert read.old.environment is not None
    assert read.old.environment.network == "on"


def test_a_check_of_format_5_has_no_changed_errors(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    checked = replace(check_result(), comparison=compare_runs(run(case("a")), run(case("a"))))
    document = json.loads(to_json(checked)) | {"format": 5}
    del document["comparison"]["error_changes"], document["comparison"]["new_failures"]
    file.write_text(json.dumps(document))
    assert read_result(file) == checked
    assert read_result(file).format == FORMAT


def test_a_check_from_before_there_were_audits_has_none(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    document = json.loads(to_json(check_result()))
    del document["audit"]
    file.write_text(json.dumps(document | {"format": 3}))
    assert read_result(file) == check_result()
    assert read_result(file).audit is None


def test_who_installed_is_read_by_its_name_of_before(tmp_path: Path) -> None:
    made = replace(environment(), installer="pip 18.1: a reason")
    for result, stored_format in (
        (replace(check_result(), new=replace(check_result().new, environment=made)), 4),
        (replace(setup_result(), environment=made), 3),
    ):
        file = tmp_path / "result.json"
        text = to_json(result).decode().replace('"installer"', '"road"')
        file.write_text(json.dumps(json.loads(text) | {"format": stored_format}))
        assert '"road": "pip 18.1: a reason"' in file.read_text()
        assert (read_result if stored_format == 4 else read_setup_result)(file) == result


def test_a_newer_format_and_other_files_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    with pytest.raises(SourceError, match="cannot be read"):
        read_result(file)
    file.write_bytes(json.dumps({"format": FORMAT + 1}).encode())
    with pytest.raises(NewerFormat, match="update backdate"):
        read_result(file)
    file.write_bytes(b'{"a": 1}')
    with pytest.raises(StoredDataError, match="backdate check --json FILE"):
        read_result(file)


def test_a_set_up_from_before_there_were_classes(tmp_path: Path) -> None:
    record = AttemptRecord(
        number=1,
        candidate=1,
        source="tox",
        round=0,
        recipe=RECIPE,
        python="3.8.18",
        setup_class=SetupClass.PROVEN,
        reached="tests",
        build_s=1.0,
        tests_s=1.0,
    )
    result = replace(setup_result(), setup_class=SetupClass.PROVEN, attempts=(record,))
    document = json.loads(to_json(result)) | {"format": 4, "proven": True}
    del document["setup_class"], document["attempts"][0]["setup_class"]
    document["attempts"][0]["reached"] = "proven"
    file = tmp_path / "setup.json"
    file.write_text(json.dumps(document))
    assert read_setup_result(file) == result
    assert read_setup_result(file).proven
