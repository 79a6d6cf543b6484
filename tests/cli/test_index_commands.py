"""``backdate index`` and ``backdate run`` as commands, against a fake index."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import httpx
import pytest
import typer
from fake_index import JSON, file_entry, json_page
from patience import PATIENCE_S
from typer.testing import CliRunner

from backdate.cli.exit_codes import INTERRUPTED
from backdate.cli.index import index_command
from backdate.cli.run import run_command
from backdate.errors import UsageError

app = typer.Typer()
app.command("index")(index_command)
app.command("run")(run_command)
PAGE = json_page(
    "demo",
    file_entry("demo-1.0.tar.gz", "2020-01-01T00:00:00Z"),
    file_entry("demo-2.0.tar.gz", "2022-01-01T00:00:00Z"),
)
READ_INDEX = """
import json, os, urllib.request
headers = {"Accept": os.environ["FORM"]}
request = urllib.request.Request(os.environ["PIP_INDEX_URL"] + "demo/", headers=headers)
page = json.load(urllib.request.urlopen(request))
print(json.dumps({"files": [f["filename"] for f in page["files"]], "home": os.environ["HOME"]}))
"""


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        found = self.path == "/simple/demo/"
        self.send_response(200 if found else 404)
        self.send_header("content-type", JSON)
        self.send_header("content-length", str(len(PAGE) if found else 0))
        self.end_headers()
        if found:
            self.wfile.write(PAGE)

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture
def upstream_url() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/simple/"
    server.shutdown()
    thread.join()
    server.server_close()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, as it is used."""
    program = (
        "import typer; from backdate.cli.run import run_command;"
        "app = typer.Typer(); app.command('run')(run_command); app.callback()(lambda: None); app()"
    )
    command = [sys.executable, "-c", program, *arguments]
    environment = {**os.environ, "FORM": JSON}
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_run_at(upstream_url: str, tmp_path: Path) -> None:
    common = ["run", "--at", "2021-03-01", "--upstream", upstream_url, "--cache", str(tmp_path / "cache")]
    done = run(*common, "--", sys.executable, "-c", READ_INDEX)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["files"] == ["demo-1.0.tar.gz"]
    assert not Path(said["home"]).exists(), "the private folder is gone"
    assert run(*common, "--", sys.executable, "-c", "raise SystemExit(7)").returncode == 7
    assert run(*common, "--", "sh", "-c", "kill -9 $$").returncode == 128 + 9
    missing = run(*common, "--", "no-such-command-here")
    assert (missing.returncode, "not found" in missing.stderr) == (127, True)
    (tmp_path / "text").write_text("no program")
    text = run(*common, "--", str(tmp_path / "text"))
    assert (text.returncode, "no program that may be started" in text.stderr) == (126, True)
    hidden = run(*common, "--hide", "demo>=2019-01-01", "--", sys.executable, "-c", READ_INDEX)
    assert "404" in hidden.stderr
    later = run(*common, "--override", "demo=2023-01-01", "--", sys.executable, "-c", READ_INDEX)
    assert len(json.loads(later.stdout)["files"]) == 2
    offline = run(*common, "--offline", "--", sys.executable, "-c", READ_INDEX)
    assert json.loads(offline.stdout)["files"] == ["demo-1.0.tar.gz"]


def test_index_serves_until_it_is_stopped(upstream_url: str, tmp_path: Path) -> None:
    options = ["--port", "0", "--upstream", upstream_url, "--cache", str(tmp_path / "cache")]
    with subprocess.Popen(
        ["env", "--default-signal=INT", sys.executable, "-m", "backdate", "index", *options],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ},
    ) as process:
        assert process.stderr is not None
        origin = process.stderr.readline().split("instant: ")[1].split()[0]
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                answer = httpx.get(f"{origin}snapshot/2021-03-01/simple/demo/", trust_env=False)
                break
            except httpx.ConnectError:
                time.sleep(0.05)
        assert answer.status_code == 200
        process.send_signal(signal.SIGINT)
        log = process.stderr.read()
    assert "GET /snapshot/2021-03-01/simple/demo/ 200" in log
    assert log.endswith("\nbackdate: stopped\n")
    assert "Traceback" not in log
    assert process.returncode == INTERRUPTED


def test_bundles_by_command(upstream_url: str, tmp_path: Path) -> None:
    lock = tmp_path / "requirements.txt"
    lock.write_text("demo==1.0\n")
    bundle, cache = tmp_path / "demo.bundle", tmp_path / "elsewhere"
    options = ["--upstream", upstream_url, "--cache", str(tmp_path / "cache")]
    export = ["--export", str(bundle), "--until", "2021-03-01"]
    runner = CliRunner()
    made = runner.invoke(app, ["index", *options, "--for", str(lock), *export])
    assert "1 pages, 0 files" in made.output, made.output
    read = runner.invoke(app, ["index", "--import", str(bundle), "--cache", str(cache)])
    assert read.exit_code == 0
    assert list(cache.rglob("demo.page"))
    lacking = runner.invoke(app, ["index", *options, "--export", str(bundle)])
    assert isinstance(lacking.exception, UsageError)


@pytest.mark.parametrize(
    "options",
    [
        ["--yanked", "sometimes"],
        ["--files", "elsewhere"],
        ["--compress", "much"],
        ["--override", "setuptools"],
        ["--hide", "a/b"],
        ["--upstream", "pypi.org"],
        ["--cache", "/dev/null/x"],
    ],
)
def test_wrong_options_are_named(options: list[str], tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["index", "--port", "0", "--cache", str(tmp_path), *options])
    assert isinstance(result.exception, UsageError)
    assert options[1] in str(result.exception)


@pytest.mark.parametrize("more", [["--until", "2021-03-01"], ["--with-files"], ["--for", "requirements.txt"]])
def test_what_a_bundle_holds_is_said_of_a_bundle(more: list[str], tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["index", "--port", "0", "--cache", str(tmp_path), *more])
    assert isinstance(result.exception, UsageError)
    assert "--export FILE" in str(result.exception)


def test_help() -> None:
    for command in ("index", "run"):
        result = CliRunner().invoke(app, [command, "--help"])
        assert result.exit_code == 0
        assert "INSTANT" in result.output or "instant" in result.output
