from __future__ import annotations

import json
import os
import stat
from pathlib import Path

import pytest

from backdate.environments import interpreters as room
from backdate.environments.interpreters import find_interpreters, probe_interpreter


@pytest.fixture
def probed(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Every interpreter that was run."""
    runs: list[Path] = []

    def probe(executable: Path) -> room.InterpreterProbe | None:
        runs.append(executable)
        return probe_interpreter(executable)

    monkeypatch.setattr(room, "probe_interpreter", probe)
    return runs


def fake(path: Path, version: str = "3.8.1", **fields: object) -> Path:
    """A program that answers the probe as told."""
    answer = {
        "implementation": "CPython",
        "version": version,
        "final": True,
        "debug": False,
        "free_threaded": False,
        "virtual": False,
        "prefix": str(path.parent.parent),
        "complete": True,
        **fields,
    }
    return script(path, f"echo '{json.dumps(answer)}'")


def script(path: Path, body: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def find(tmp_path: Path, *, avoid: tuple[Path, ...] = (), **environment: str) -> list[tuple[str, str]]:
    home = {"HOME": str(tmp_path / "home"), "PATH": ""}
    found = find_interpreters(
        cache_file=tmp_path / "cache/interpreters.json", environment={**home, **environment}, avoid=avoid
    )
    return [(interpreter.version, interpreter.source) for interpreter in found]


def test_this_interpreter_answers() -> None:
    import sys

    probe = probe_interpreter(Path(sys.executable).resolve())
    assert probe is not None
    assert probe.version == "{}.{}.{}".format(*sys.version_info[:3])
    assert not probe.virtual
    assert Path(probe.prefix) == Path(sys.base_prefix).resolve()


def test_every_place_is_looked_into(tmp_path: Path) -> None:
    home = tmp_path / "home"
    fake(home / ".local/share/uv/python/cpython-3.12.1-linux/bin/python3.12", "3.12.1")
    fake(home / ".pyenv/versions/3.6.15/bin/python3.6", "3.6.15")
    fake(home / "miniconda3/bin/python3.9", "3.9.1")
    fake(home / "miniconda3/envs/old/bin/python3.7", "3.7.1")
    fake(tmp_path / "bin/python3.8", "3.8.1")
    fake(tmp_path / "env/bin/python3.10", "3.10.1")
    assert find(tmp_path, PATH=str(tmp_path / "bin"), CONDA_PREFIX=str(tmp_path / "env")) == [
        ("3.6.15", "pyenv"),
        ("3.7.1", "conda"),
        ("3.8.1", "path"),
        ("3.9.1", "conda"),
        ("3.10.1", "conda"),
        ("3.12.1", "uv"),
    ]


def test_places_can_be_moved_by_variables(tmp_path: Path) -> None:
    fake(tmp_path / "uv/cpython-3.12.1-linux/bin/python3.12", "3.12.1")
    fake(tmp_path / "pyenv/versions/x/bin/python3", "3.6.15")
    places = {"UV_PYTHON_INSTALL_DIR": str(tmp_path / "uv"), "PYENV_ROOT": str(tmp_path / "pyenv")}
    assert find(tmp_path, **places) == [("3.6.15", "pyenv"), ("3.12.1", "uv")]


@pytest.mark.parametrize(
    "fields",
    [
        {"implementation": "PyPy"},
        {"final": False},
        {"debug": True},
        {"free_threaded": True},
        {"virtual": True},
        {"version": "3.5.9"},
        {"version": "x"},
    ],
)
def test_what_may_not_be_used_is_left_out(tmp_path: Path, fields: dict[str, object]) -> None:
    fake(tmp_path / "bin/python3", **{"version": "3.8.1", **fields})
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == []


@pytest.mark.parametrize("body", ["exit 1", "echo hello", "kill -9 $$", "echo '{}'", "echo '[['"])
def test_what_is_no_interpreter_is_left_out_and_not_asked_again(tmp_path: Path, body: str, probed) -> None:
    script(tmp_path / "bin/python3", body)
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == []
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == []
    assert len(probed) == 1


def test_a_distutils_that_setuptools_brings_is_not_the_interpreters_own(tmp_path: Path) -> None:
    said = script(fake(tmp_path / "bin/python3"), 'echo "$SETUPTOOLS_USE_DISTUTILS" >"$0.said"; exit 1')
    find(tmp_path, PATH=str(tmp_path / "bin"))
    assert said.with_name("python3.said").read_text() == "stdlib\n"


def test_one_that_does_not_answer_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_PROBE_S", 0.2)
    script(tmp_path / "bin/python3", "exec sleep 30")
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == []


def test_nothing_of_the_project_or_a_relative_path_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, probed
) -> None:
    project = tmp_path / "project"
    fake(project / "bin/python3")
    fake(project / "python3")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/python3").symlink_to(project / "bin/python3")
    monkeypatch.chdir(project)
    path = os.pathsep.join(["", ".", "bin", str(project / "bin"), str(tmp_path / "bin")])
    assert find(tmp_path, avoid=(project,), PATH=path, PYENV_ROOT=".", CONDA_PREFIX=".") == []
    assert probed == []


def test_shims_and_other_programs_are_not_run(tmp_path: Path, probed) -> None:
    fake(tmp_path / "home/.pyenv/shims/python3")
    fake(tmp_path / "bin/python3-config")
    fake(tmp_path / "bin/python2")
    fake(tmp_path / "bin/python3.8").chmod(0o644)
    (tmp_path / "bin/python3.9").mkdir()
    (tmp_path / "bin/python3.7").symlink_to("nowhere")
    path = os.pathsep.join([str(tmp_path / "home/.pyenv/shims"), str(tmp_path / "bin"), "/nonexistent"])
    assert find(tmp_path, PATH=path) == []
    assert probed == []


def test_names_of_one_file_count_once(tmp_path: Path, probed) -> None:
    fake(tmp_path / "bin/python3.8")
    (tmp_path / "bin/python3").symlink_to("python3.8")
    (tmp_path / "bin/python").symlink_to("python3")
    assert len(find(tmp_path, PATH=str(tmp_path / "bin"))) == 1
    assert len(probed) == 1


def test_a_warm_run_asks_nothing_and_a_change_asks_again(tmp_path: Path, probed) -> None:
    program = fake(tmp_path / "bin/python3", "3.8.1")
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == [("3.8.1", "path")]
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == [("3.8.1", "path")]
    assert len(probed) == 1
    fake(program, "3.8.12")
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == [("3.8.12", "path")]
    program.unlink()
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == []


def test_a_program_of_the_same_size_and_time_is_asked_again(tmp_path: Path, probed) -> None:
    program = fake(tmp_path / "bin/python3", "3.8.1")
    status = program.stat()
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == [("3.8.1", "path")]
    fake(program, "3.9.1")
    os.utime(program, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert program.stat().st_size == status.st_size
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == [("3.9.1", "path")]
    assert len(probed) == 2


def test_of_one_minor_only_what_may_be_of_it_is_asked(tmp_path: Path, probed) -> None:
    for name, version in (("3.8", "3.8.1"), ("3.9", "3.9.1"), ("3", "3.8.2")):
        fake(tmp_path / f"bin/python{name}", version)
    fake(tmp_path / "other/python3", "3.10.1")
    places = {"HOME": str(tmp_path / "home"), "PATH": f"{tmp_path}/bin:{tmp_path}/other"}
    file = tmp_path / "cache/interpreters.json"

    def versions(minor: str | None) -> list[str]:
        return [one.version for one in find_interpreters(cache_file=file, environment=places, minor=minor)]

    assert versions("3.8") == ["3.8.1", "3.8.2"]
    assert {path.name for path in probed} == {"python3.8", "python3"}
    assert versions(None) == ["3.8.1", "3.8.2", "3.9.1", "3.10.1"]
    assert versions("3.9") == ["3.9.1"]
    assert len(probed) == 4, "what was learnt was not kept"
    assert versions("3.7") == []


@pytest.mark.parametrize("content", [b"", b"garbage", b'{"format": 99, "entries": {}}', b'{"entries": 3}'])
def test_a_damaged_cache_is_asked_anew(tmp_path: Path, content: bytes) -> None:
    fake(tmp_path / "bin/python3", "3.8.1")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache/interpreters.json").write_bytes(content)
    assert find(tmp_path, PATH=str(tmp_path / "bin")) == [("3.8.1", "path")]


def test_one_without_headers_gives_way_to_a_whole_one(tmp_path: Path) -> None:
    fake(tmp_path / "a/python3.8", "3.8.1", complete=False)
    fake(tmp_path / "a/python3.9", "3.9.1", complete=False)
    fake(tmp_path / "b/python3.8", "3.8.9")
    path = os.pathsep.join([str(tmp_path / "a"), str(tmp_path / "b")])
    assert find(tmp_path, PATH=path) == [("3.8.9", "path"), ("3.9.1", "path")]
