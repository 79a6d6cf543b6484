"""``--format`` and ``-o``: which form goes where, and that nothing is made where one cannot be written."""

from __future__ import annotations

import json
import os
import stat
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path

import pytest
from stored_results import every_result, make_bisection

from backdate.checking.result import CheckResult
from backdate.cli.main import status_of
from backdate.cli.output_options import folder_in_workspace
from backdate.cli.results import status_of_result
from backdate.output.formats import OutputFormat
from backdate.serial import to_json

MakeResult = Callable[..., CheckResult]
FORMS = {
    "json": '"format": ',
    "markdown": "# thing: ",
    "sarif": '"version": "2.1.0"',
    "junit": "<testsuites ",
    "html": "<!doctype html>",
}


@pytest.fixture
def stored(make_result: MakeResult, tmp_path: Path) -> Path:
    file = tmp_path / "result.json"
    file.write_bytes(to_json(make_result()))
    return file


@pytest.mark.parametrize("form", FORMS)
def test_a_form_takes_the_place_of_the_text(
    stored: Path, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    for output in ([], ["-o", "-"]):
        assert status_of(["show", str(stored), "--format", form, *output]) == 1
        out = capsys.readouterr().out
        assert FORMS[form] in out
        assert "BROKE: 1 of 2" not in out.splitlines()[-2]


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("form", FORMS)
def test_standard_output_is_a_log_that_obeys_nothing(
    number: int, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "x\n::error::owned\r\n  ::add-mask::a ##[set-output name=status]0 ##vso[task]"
    stored = tmp_path / "result.json"
    stored.write_bytes(to_json(every_result(text)[number]))
    status_of(["show", str(stored), "--format", form])
    out = capsys.readouterr().out
    assert not [line for line in out.splitlines() if line.lstrip().startswith("::")]
    assert "##[" not in out
    assert "##vso[" not in out
    if form in ("json", "sarif"):
        assert "#[set-output name=status]0" in json.dumps(json.loads(out)) or "#[" not in out
    if form == "junit":
        ET.fromstring(out)


@pytest.mark.parametrize(
    ("name", "form"),
    [("a.md", "markdown"), ("a.html", "html"), ("a.xml", "junit"), ("a.sarif", "sarif"), ("a.json", "json")],
)
def test_a_file_says_its_form_and_the_text_is_printed_as_well(
    stored: Path, tmp_path: Path, name: str, form: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "new" / name
    assert status_of(["show", str(stored), "-o", str(file)]) == 1
    assert FORMS[form] in file.read_text()
    assert "BROKE: 1 of 2 tests that passed fails now." in capsys.readouterr().out


def test_a_text_file_holds_what_is_printed(
    stored: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of(["show", str(stored), "-o", str(tmp_path / "a.txt")]) == 1
    assert (tmp_path / "a.txt").read_text() == capsys.readouterr().out


@pytest.mark.parametrize("number", range(7))
@pytest.mark.parametrize("form", [*OutputFormat])
def test_every_result_is_shown_in_every_form(
    number: int, form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = every_result()[number]
    file = tmp_path / "result.json"
    file.write_bytes(to_json(result))
    assert status_of(["show", str(file), "--format", form]) == status_of_result(result)
    assert capsys.readouterr().out


def test_github_gets_the_text_the_annotations_and_a_summary(
    stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = tmp_path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert status_of(["show", str(stored), "--format", "github"]) == 1
    out = capsys.readouterr().out
    assert "BROKE: 1 of 2 tests that passed fails now.\n" in out
    assert "\n::error file=pkg/a.py,line=12,title=AttributeError::" in out
    assert summary.read_text().startswith("before\n# thing: dependency updates broke 1 test\n")


def test_other_forms_write_no_summary(stored: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    assert status_of(["show", str(stored), "--format", "markdown"]) == 1
    assert not (tmp_path / "summary.md").exists()


def test_lines_are_named_as_in_the_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "repository" / "sub").mkdir(parents=True)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "repository"))
    assert folder_in_workspace(str(tmp_path / "repository" / "sub")) == "sub"
    assert folder_in_workspace(str(tmp_path / "repository")) == ""
    assert folder_in_workspace(str(tmp_path)) == ""
    assert folder_in_workspace("pypi:thing") == ""


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--format", "yaml"], "--format yaml: the forms are text, json"),
        (["-o", "a.pdf"], "no form goes with .pdf; name one with --format"),
        (["-o", "/proc/nowhere/a.html"], "cannot be written"),
        (["-o", "result.json/a.html"], "is not a folder"),
        (["-o", "."], "is a folder"),
        (["-o", "same.json", "--json", "same.json"], "is named twice"),
    ],
)
@pytest.mark.parametrize("command", ["check", "bisect", "setup"])
def test_what_cannot_be_written_is_refused_before_anything_is_made(
    command: str,
    options: list[str],
    words: str,
    stored: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    cache = tmp_path / "cache"
    assert status_of([command, ".", "--cache", str(cache), "--sandbox", "unsafe-local", *options]) == 3
    assert words in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [stored.name]


def test_a_device_is_written_to_and_not_replaced(stored: Path, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert status_of(["show", str(stored), "--format", "markdown", "-o", str(pipe)]) == 1
        assert os.read(reader, 65_536).startswith(b"# thing")
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_link_to_a_device_that_a_checkout_brings_is_replaced(stored: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for target in ("/dev/full", "pipe"):
        file = tmp_path / f"{Path(target).name}.md"
        file.symlink_to(target)
        assert status_of(["show", str(stored), "-o", str(file)]) == 1
        assert not file.is_symlink()
        assert file.read_text().startswith("# thing: ")


def test_the_page_of_a_stored_bisection(tmp_path: Path) -> None:
    file = tmp_path / "bisection.json"
    file.write_bytes(to_json(make_bisection()))
    assert status_of(["show", str(file), "-o", str(tmp_path / "page.html")]) == 1
    assert "Since when" in (tmp_path / "page.html").read_text()


def test_json_on_standard_output_is_nothing_else(stored: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["show", str(stored), "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["decided_by"] == "lifted"


def test_a_log_without_a_failure_is_written_in_the_form_that_was_asked_for(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "build.log"
    log.write_text("all is well\n")
    assert status_of(["diagnose", str(log), "--format", "json"]) == 2
    assert json.loads(capsys.readouterr().out)["kind"] == "diagnose"
    assert status_of(["diagnose", str(log), "-o", str(tmp_path / "a.html")]) == 2
    assert "NO FAILURE FOUND" in (tmp_path / "a.html").read_text()


def test_the_table_of_an_ablation_has_one_form(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["setup", str(tmp_path), "--ablation", "--format", "html"]) == 3
    assert "--json FILE writes it" in capsys.readouterr().err
