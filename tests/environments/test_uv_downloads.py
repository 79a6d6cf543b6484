from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from patience import PATIENCE_S

from backdate.environments.environment import Interpreter
from backdate.environments.interpreter_choice import DownloadFailure
from backdate.environments.uv_downloads import REMEMBERED_S, UvDownloads

LIST = [
    {"version": "3.8.20", "implementation": "cpython", "variant": "default", "arch": "x86_64"},
    {"version": "3.8.5", "implementation": "cpython", "variant": "default"},
    {"version": "3.13.0", "implementation": "cpython", "variant": "freethreaded"},
    {"version": "3.9.1", "implementation": "pypy", "variant": "default"},
    {"version": "3.16.0a2", "implementation": "cpython", "variant": "default"},
]
PROBE = {
    "implementation": "CPython",
    "version": "3.8.20",
    "final": True,
    "debug": False,
    "free_threaded": False,
    "virtual": False,
    "prefix": "/p",
    "complete": True,
}


def fake_uv(
    tmp_path: Path,
    install: str,
    listing: str | None = None,
    memory: Path | None = None,
    *,
    allowed: bool = True,
) -> UvDownloads:
    (tmp_path / "list.json").write_text(json.dumps(LIST) if listing is None else listing)
    program = tmp_path / "uv"
    program.write_text(
        f"#!/bin/sh\necho x >> {tmp_path}/calls\nenv > {tmp_path}/environment\n"
        f'if [ "$2" = list ]; then cat {tmp_path}/list.json; exit 0; fi\n{install}\n'
    )
    program.chmod(0o755)
    environment = {
        "PATH": os.environ["PATH"],
        "UV_PYTHON_INSTALL_DIR": str(tmp_path / "pythons"),
        "UV_INDEX_URL": "https://elsewhere",
    }
    return UvDownloads(
        uv=program, environment=environment, timeout_s=PATIENCE_S, memory=memory, allowed=allowed
    )


@pytest.mark.parametrize(
    ("version", "nearest"),
    [
        ("3.8.20", "3.8.20"),
        ("3.8.7", "3.8.5"),
        ("3.13.0", None),
        ("3.9.1", None),
        ("3.6.1", None),
        ("3.16.0", None),
    ],
)
def test_only_ordinary_final_interpreters_are_on_offer(
    tmp_path: Path, version: str, nearest: str | None
) -> None:
    assert fake_uv(tmp_path, "exit 1").nearest(version) == nearest


@pytest.mark.parametrize("listing", ["", "{}", "[3]", '[{"version": 3}]'])
def test_a_list_of_another_form_offers_nothing(tmp_path: Path, listing: str) -> None:
    assert fake_uv(tmp_path, "exit 1", listing).nearest("3.8.20") is None


def test_a_download_is_found_where_uv_puts_it(tmp_path: Path) -> None:
    binaries = tmp_path / "pythons/cpython-3.8.20-linux-x86_64-gnu/bin"
    answer = tmp_path / "python"
    answer.write_text(f"#!/bin/sh\necho '{json.dumps(PROBE)}'\n")
    answer.chmod(0o755)
    downloads = fake_uv(tmp_path, f"mkdir -p {binaries} && cp {answer} {binaries}/python3.8")
    result = downloads.download("3.8.20")
    assert isinstance(result, Interpreter)
    assert (result.version, result.source) == ("3.8.20", "download")
    assert "UV_INDEX_URL" not in (tmp_path / "environment").read_text()


def test_a_failure_is_said_and_not_tried_again(tmp_path: Path) -> None:
    downloads = fake_uv(tmp_path, "echo 'error: x' >&2; echo '  cause: no route to host' >&2; exit 1")
    assert downloads.download("3.8.20") == DownloadFailure(message="no route to host")
    assert downloads.download("3.8.20") == DownloadFailure(message="no route to host")
    assert (tmp_path / "calls").read_text().count("x") == 1


def test_an_installation_without_an_interpreter_is_a_failure(tmp_path: Path) -> None:
    result = fake_uv(tmp_path, "exit 0").download("3.8.20")
    assert isinstance(result, DownloadFailure)
    assert "does not run as Python 3.8.20" in result.message


def test_a_download_that_hangs_is_ended(tmp_path: Path) -> None:
    downloads = fake_uv(tmp_path, "sleep 60 & wait")
    downloads._timeout_s = 0.5
    assert downloads.download("3.8.20") == DownloadFailure(message="uv did not end within 0 s")


def test_the_real_uv_lists_what_it_offers() -> None:
    uv = pytest.importorskip("uv")
    downloads = UvDownloads(uv=Path(uv.find_uv_bin()), environment=os.environ)
    assert downloads.nearest("3.12.11") == "3.12.11"
    assert downloads.nearest("3.6.15") is None


def test_what_could_not_be_had_is_not_tried_again_for_hours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = tmp_path / "memory"

    def failure() -> str:
        found = fake_uv(tmp_path, "echo 'no route' >&2; exit 1", memory=memory).download("3.8.20")
        assert isinstance(found, DownloadFailure)
        return found.message

    assert failure() == "no route"
    calls = (tmp_path / "calls").read_text()
    assert failure() == "no route (tried 0 min ago)"
    assert (tmp_path / "calls").read_text() == calls
    later = time.time() + REMEMBERED_S + 1
    monkeypatch.setattr("backdate.environments.uv_downloads.time.time", lambda: later)
    assert failure() == "no route"
    memory.write_text("damaged")
    assert failure() == "no route"


def test_where_downloads_are_not_allowed_nothing_is_on_offer_and_uv_is_not_asked(tmp_path: Path) -> None:
    assert fake_uv(tmp_path, "exit 1", allowed=False).nearest("3.8.20") is None
    assert not (tmp_path / "calls").exists()
