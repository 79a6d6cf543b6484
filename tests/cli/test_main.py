"""Commands, their help, what they say when something is wrong, and how they end."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import typer

from backdate import __version__
from backdate.checking.result import CheckResult, Verdict
from backdate.cli.main import app_for, status_of
from backdate.serial import to_json

MakeResult = Callable[..., CheckResult]
COMMANDS = sorted(typer.main.get_command(app_for([])).commands)  # type: ignore[attr-defined]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "test_a.py").write_text("def test_a(): pass\n")
    return folder


def backdate(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "backdate", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | variables,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_and_is_documented(
    command: str, repository_root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert status_of([command, "--help"]) == 0
    text = capsys.readouterr().out
    assert f"backdate {command}" in text
    documented = typer.main.get_command(app_for([])).commands[command]  # type: ignore[attr-defined]
    assert len(documented.help) > 40
    for parameter in documented.params:
        if parameter.name != "help":
            assert parameter.help, f"{command} {parameter.name} has no help"
    assert re.search(rf"backdate {command}\b", (repository_root / "README.md").read_text())


def test_exit_statuses_are_documented(repository_root: Path) -> None:
    readme = (repository_root / "README.md").read_text()
    sentence = readme[readme.index("The exit status") :].split("\n\n")[0]
    for number in "012345":
        assert re.search(rf"\b{number}\b", sentence)


def test_as_a_module() -> None:
    done = backdate("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"backdate {__version__}\n", "")
    done = backdate("chek")
    assert (done.returncode, done.stdout) == (3, "")
    assert "No such command" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Usage: backdate"),
        (["chek"], "No such command"),
        (["--nonsense"], "No such option"),
        (["check", "--nonsense"], "No such option"),
        (["check", "--timeout", "0"], "--timeout"),
        (["check", "--sandbox", "podman"], "no sandbox 'podman'"),
        (["check", "--index-url", "file:///tmp"], "not the address of a package index"),
        (["check", "/nonexistent"], "no folder"),
        (["check", "--from", "tomorrow"], "'30 days ago'"),
        (["check", "--to", "1999-01-01"], "before the package index existed"),
        (["check", "--to", "2999-01-01"], "lies in the future"),
        (["check", "--json", "/dev/null/x.json"], "is not a folder"),
        (["check", "--json", "/tmp"], "is a folder"),
        (["check", "--keep", "/usr"], "not empty"),
        (["env", "2021-03-01"], "-o DIR"),
        (["env", "2021-03-01", "-o", "/usr"], "not empty"),
        (["env", "soon", "-o", "/nonexistent"], "'soon' is not a date"),
        (["env", "2999-01-01", "-o", "/nonexistent"], "lies in the future"),
        (["env", "2021-03-01", "-o", "/nonexistent", "-p", "-r x"], "is not a requirement"),
        (["show"], "FILE"),
        (["show", "/nonexistent"], "cannot be read"),
        (["show", "/"], "/ holds no result.json"),
        (["check", "--memory", "99999999999"], "--memory"),
        (["check", "--processes", "99999999999"], "--processes"),
        (["check", "a\udcff"], "is not UTF-8"),
    ],
)
def test_misuse(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("BACKDATE_CACHE", str(tmp_path / "cache"))
    assert status_of(arguments) == 3
    said = capsys.readouterr()
    assert words in said.err + said.out
    assert "Traceback" not in said.err


def test_old_after_new(project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--from", "2022-01-01", "--to", "2021-01-01", "--cache", str(tmp_path / "cache")]
    assert status_of(["check", str(project), *arguments]) == 3
    assert "is not before the new one" in capsys.readouterr().err


def test_a_machine_that_lacks_something(
    project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert status_of(["check", str(project), "--cache", str(tmp_path / "file")]) == 4
    assert "name another folder with --cache" in capsys.readouterr().err


def test_messages_cannot_talk_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert status_of(["check", "/nonexistent\x1b[31m\x9b2J"]) == 3
    assert "\x1b" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("verdict", "status"),
    [
        (Verdict.NOTHING_BROKE, 0),
        (Verdict.BROKE, 1),
        (Verdict.FAILS_DIFFERENTLY, 2),
        (Verdict.CANNOT_TELL, 2),
    ],
)
def test_show_ends_as_the_check_did(
    make_result: MakeResult,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    verdict: Verdict,
    status: int,
) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(to_json(make_result(verdict=verdict)))
    assert status_of(["show", str(file)]) == status
    assert "t.py::b" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "cannot be read"),
        (b"hello", "cannot be read"),
        (b"[1]", "cannot be read"),
        (b'{"format": 1}', "cannot be read"),
        (b'{"format": 99, "future": true}', "update backdate"),
        (b"\xff\xfe\x00", "cannot be read"),
        (b'{"format": ' + b"[" * 100_000, "cannot be read"),
    ],
)
def test_show_of_what_is_no_result(
    content: bytes, words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(content)
    assert status_of(["show", str(file)]) == 5
    assert words in capsys.readouterr().err


def test_a_truncated_result(
    make_result: MakeResult, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = to_json(make_result(), indent=2)
    file = tmp_path / "result.json"
    for length in range(0, len(data) - 1, 97):
        file.write_bytes(data[:length])
        assert status_of(["show", str(file)]) == 5
    capsys.readouterr()


def test_piped_output_is_plain_and_of_any_encoding(make_result: MakeResult, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(to_json(make_result("é … \x1b[31m")))
    done = backdate("show", str(file), "--verbose", PYTHONIOENCODING="ascii", FORCE_COLOR="")
    assert done.returncode == 1
    assert "\x1b" not in done.stdout
    assert "\\xe9 \\u2026 \\x1b[31m" in done.stdout


def test_a_reader_that_goes_away(make_result: MakeResult, tmp_path: Path) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(to_json(make_result(notes=("x" * 10_000,) * 100)))
    with subprocess.Popen(
        [sys.executable, "-m", "backdate", "show", str(file)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 141


def shell(line: str) -> tuple[int, str]:
    """The status of the first command of a pipe, and everything that was said."""
    program = (
        f'backdate() {{ "{sys.executable}" -m backdate "$@"; }}; {line}; echo "status ${{PIPESTATUS[0]}}" >&3'
    )
    read, write = os.pipe()
    with os.fdopen(read) as told:
        done = subprocess.run(
            ["bash", "-c", program.replace(">&3", f">&{write}")],
            capture_output=True,
            text=True,
            check=False,
            pass_fds=(write,),
        )
        os.close(write)
        return int(told.read().split()[-1]), done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("backdate check --help | sleep 0", 141),
        ("backdate show {file} | sleep 0", 141),
        ("backdate show /nowhere 2>&1 | sleep 0", 3),  # what cannot be told is still in the status
        ("backdate show {file} >&-", 1),
        ("backdate check --help >&-", 0),
        ("backdate show /nowhere 2>&-", 3),
        ("backdate chek >&- 2>&-", 3),
    ],
)
def test_streams_that_are_closed(make_result: MakeResult, tmp_path: Path, line: str, status: int) -> None:
    file = tmp_path / "result.json"
    file.write_bytes(to_json(make_result(notes=("x" * 10_000,) * 100)))
    assert shell(line.format(file=file)) == (status, "")


def test_a_file_that_is_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.json").write_text("{}")
    assert status_of(["show", str(tmp_path / "a.json")]) == 5
    assert (
        "cannot be read as a result: it has the fields of none; one is written by: backdate check"
        in capsys.readouterr().err
    )


def test_a_bug_does_not_look_like_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("backdate.output.stored.read_any_result", broken)
    assert status_of(["show", "x"]) == 70
    assert "This is a bug in backdate" in capsys.readouterr().err


def test_what_the_system_refuses_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "/somewhere")

    monkeypatch.setattr("backdate.output.stored.read_any_result", full)
    assert status_of(["show", "x"]) == 4
    assert capsys.readouterr().err == (
        "backdate: /somewhere: No space left on device; free some space and run the command again\n"
    )


def test_help_imports_nothing_heavy() -> None:
    """What a start of the program imports is paid for by every command."""
    script = (
        "import sys\n"
        "from backdate.cli.main import status_of\n"
        "status_of(['--help'])\n"
        "heavy = {'httpx', 'msgspec', 'packaging.requirements', 'rich', 'uvicorn', 'ruamel.yaml'}\n"
        "print('imported:', sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stderr.splitlines()[-1] == "imported: []"
