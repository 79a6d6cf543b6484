"""A bisection that is interrupted or killed leaves nothing half-built, and goes on where it was."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from backdate.bisection.result import BisectResult
from backdate.serial import from_json

pytestmark = pytest.mark.network

TEST = """\
def test_release():
    import markupsafe
    assert markupsafe.__version__ < "2.1.0"  # no known change is behind it: its releases have to be searched
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "one"
    folder.mkdir()
    (folder / "requirements.txt").write_text("markupsafe==2.0.0\n")
    (folder / "test_one.py").write_text(f"import unittest\n\nclass T(unittest.TestCase):\n    {indented()}")
    return folder


def indented() -> str:
    return TEST.replace("test_release():", "test_release(self):").replace("\n    ", "\n        ")


def start(project: Path, cache: Path, result: Path) -> subprocess.Popen[str]:
    words = [
        "bisect",
        str(project),
        "--as",
        "lifted",
        "--from",
        "2021-06-01",
        "--to",
        "2023-03-01",
        "--python",
        "3.9",
    ]
    words += ["--cache", str(cache), "--json", str(result)]
    # Who starts tests in the background of a shell has SIGINT ignored, and so would the bisection.
    command = ["env", "--default-signal=INT", sys.executable, "-m", "backdate", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def until(process: subprocess.Popen[str], words: str) -> str:
    """Read standard error until a line holds ``words``."""
    assert process.stderr is not None
    read = ""
    while words not in read:
        line = process.stderr.readline()
        assert line, f"ended without {words!r}: {read}"
        read += line
    return read


def environments(cache: Path) -> set[str]:
    folders = (cache / "clean" / "environments", cache / "built" / "environments")
    return {path.name for folder in folders if folder.is_dir() for path in folder.iterdir()}


def recorded(cache: Path) -> set[str]:
    return {path.stem for path in (cache / "records").glob("*.json")}


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL])
def test_it_goes_on_where_it_was(project: Path, tmp_path: Path, sent: signal.Signals) -> None:
    cache, written = tmp_path / "cache", tmp_path / "result.json"
    with start(project, cache, written) as process:
        until(process, "environment 5:")
        process.send_signal(sent)
        out, _err = process.communicate(timeout=60)
    assert process.returncode == (130 if sent is signal.SIGINT else -signal.SIGKILL)
    if sent is signal.SIGINT:
        assert "INTERRUPTED: no culprit found so far; not searched: 1 test" in out
        assert from_json(BisectResult, written.read_bytes()).ending == "interrupted"
    else:
        assert out == ""
        assert not written.exists()
    before = recorded(cache)
    assert len(before) >= 4  # the two sides, and those that were looked at
    if sent is signal.SIGINT:
        assert environments(cache) <= before
    with start(project, cache, written) as process:
        out, err = process.communicate(timeout=300)
    assert process.returncode == 1, err
    result = from_json(BisectResult, written.read_bytes())
    (finding,) = result.findings
    assert [(one.name, one.old, one.new) for one in finding.culprits] == [("markupsafe", "2.0.1", "2.1.0")]
    assert finding.confirmed == ("forward", "backward")
    assert before <= recorded(cache)
    assert result.builds == len(recorded(cache) - before)
    assert environments(cache) == recorded(cache)
