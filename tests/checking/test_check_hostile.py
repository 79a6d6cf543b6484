"""Bad input and bad machines: a clear message, nothing of the user's changed, nothing half-built left."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from conftest import FROM, TO, Machine

from backdate.checking.result import CheckResult, Verdict
from backdate.checking.settings import Settings
from backdate.environments.build_limits import BUILD_LIMITS
from backdate.errors import ConfigurationError, IndexUnavailable, InstantError, SourceError, UsageError
from backdate.sandboxes.interface import MIB, Limits
from backdate.serial import to_json
from backdate.session import check
from backdate.testing.outcomes import Outcome

Make = Callable[..., Machine]
SUITE = "def test_good():\n    assert True\n"
LIMITS = Limits(wall_s=600.0, memory_bytes=512 * MIB, processes=64, disk_bytes=64 * MIB, log_bytes=MIB)


def checked(machine: Machine, **changes: object) -> CheckResult:
    settings = Settings(cache=machine.cache, test_limits=LIMITS)
    return check(
        machine.project,
        from_instant=FROM,
        to_instant=TO,
        python="3.11",
        settings=replace(settings, **changes),  # type: ignore[arg-type]
    )


def outcomes(result: CheckResult) -> dict[str, Outcome]:
    assert result.new.run is not None
    return {one.id.rpartition("::")[2]: one.outcome for one in result.new.run.results}


def test_not_a_project(machine: Make) -> None:
    with pytest.raises(SourceError, match="holds no Python file"):
        checked(machine({"README": "hello"}))


def test_no_tests(machine: Make) -> None:
    with pytest.raises(SourceError, match="no tests were found"):
        checked(machine({"setup.py": "from setuptools import setup\nsetup(name='x')\n", "x.py": ""}))


def test_a_configuration_file_of_50_mb(machine: Make) -> None:
    with pytest.raises(ConfigurationError, match=r"pyproject.toml holds more than"):
        checked(machine({"pyproject.toml": b"#" * 50_000_000, "test_a.py": SUITE}))


def test_dates_the_wrong_way_round(machine: Make) -> None:
    made = machine({"test_a.py": SUITE})
    with pytest.raises(InstantError, match=r"2024-01-20T00:00:00Z is not before .* 2024-01-05T00:00:00Z"):
        check(made.project, from_instant=TO, to_instant=FROM, settings=Settings(cache=made.cache))


def test_a_folder_that_is_kept_is_a_new_one(machine: Make, tmp_path: Path) -> None:
    made = machine({"test_a.py": SUITE})
    for keep in (made.project, made.project / "test_a.py"):
        with pytest.raises(UsageError, match=r"not empty|not a folder"):
            checked(made, keep=keep)


@pytest.mark.slow
def test_an_index_that_is_down(machine: Make, tmp_path: Path) -> None:
    made = machine({"test_a.py": SUITE}, cache=tmp_path / "cache")
    with pytest.raises(IndexUnavailable, match=r"127\.0\.0\.1:9/simple did not answer(?s:.*)--index-url"):
        checked(made, index_url="http://127.0.0.1:9/simple")


@pytest.mark.slow
@pytest.mark.network
def test_a_configuration_that_does_not_parse(machine: Make) -> None:
    result = checked(machine({"pyproject.toml": "[[[no toml", "test_a.py": SUITE}))
    assert result.verdict is Verdict.CANNOT_TELL
    assert "pyproject.toml" in result.reason


@pytest.mark.network
@pytest.mark.slow
def test_before_the_first_release_of_a_dependency(machine: Make) -> None:
    made = machine({"requirements.txt": "fastapi\n", "test_a.py": SUITE})
    result = check(
        made.project,
        from_instant=FROM.replace(year=2018),
        to_instant=TO,
        python="3.11",
        settings=Settings(cache=made.cache, test_limits=LIMITS),
    )
    assert result.verdict is Verdict.CANNOT_TELL
    assert result.old.failure is not None
    assert result.old.failure.phase == "resolve"
    assert "fastapi" in result.old.failure.message
    assert "2018-01-05" in result.old.failure.message


@pytest.mark.slow
@pytest.mark.network
def test_links_out_of_the_tree(machine: Make, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("requests==2.0.0\n")

    def link(made: Machine) -> None:
        (made.project / "secret.txt").symlink_to(secret)
        (made.project / "outside").symlink_to(tmp_path)

    suite = SUITE + (
        "def test_secret():\n"
        "    import os\n"
        "    assert os.path.islink('secret.txt') and not os.path.exists('secret.txt')\n"
        "    assert not os.path.exists('outside')\n"
        "def test_writing_through():\n"
        "    try:\n"
        "        open('secret.txt', 'w').write('owned')\n"
        "    except OSError:\n"
        "        pass\n"
    )
    result = checked(machine({"test_a.py": suite}, prepare=link))
    assert result.verdict is Verdict.NOTHING_BROKE
    assert b"requests" not in to_json(result)
    assert secret.read_text() == "requests==2.0.0\n"


SETUP = "from setuptools import setup\nsetup(name='thing', version='1', py_modules=['thing'])\n"


@pytest.mark.network
@pytest.mark.slow
def test_a_setup_script_that_deletes(machine: Make, tmp_path: Path) -> None:
    victims = [str(tmp_path / "user"), str(Path.home()), "/etc", "/usr", ".."]
    script = f"import shutil\nfor victim in {victims!r}:\n    shutil.rmtree(victim, ignore_errors=True)\n"
    precious = tmp_path / "user" / "precious.txt"
    precious.parent.mkdir()
    precious.write_text("mine")
    result = checked(machine({"setup.py": script + SETUP, "thing.py": "", "test_a.py": SUITE}))
    assert precious.read_text() == "mine"
    assert result.old.environment is not None or result.old.failure is not None
    if result.verdict is Verdict.CANNOT_TELL:
        assert "does not build" in result.reason


@pytest.mark.network
@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "phases"),
    [
        ("while True: pass\n", {"timeout"}),
        ("import os\nwhile True: os.fork()\n", {"timeout", "resolve", "install", "oom"}),
    ],
    ids=["loops", "forks"],
)
def test_a_setup_script_that_does_not_end(machine: Make, script: str, phases: set[str]) -> None:
    limits = replace(BUILD_LIMITS, wall_s=5.0, processes=128, memory_bytes=2048 * MIB)
    made = machine({"setup.py": script + SETUP, "thing.py": "", "test_a.py": SUITE})
    result = checked(made, build_limits=limits)
    assert result.verdict is Verdict.CANNOT_TELL
    assert result.old.failure is not None
    assert result.old.failure.phase in phases
    assert "the old environment does not build" in result.reason


@pytest.mark.slow
@pytest.mark.network
def test_a_suite_that_fights(machine: Make) -> None:
    """Each of these ends its process, or is stopped; the others are still known."""
    suite = (
        "import os, signal\n"
        "def test_good():\n    assert True\n"
        "def test_kills_its_parent():\n"
        "    os.kill(os.getppid(), signal.SIGKILL) if os.getppid() > 0 else None\n"
        "def test_leaves():\n    os._exit(0)\n"
        "def test_good_too():\n    assert True\n"
        # The last: what its copies do to a test beside them depends on how busy the machine is.
        "def test_forks():\n"
        "    while True:\n        os.fork()\n"
    )
    result = checked(machine({"test_a.py": suite}))
    found = outcomes(result)
    assert found["test_good"] is Outcome.PASSED
    assert found["test_good_too"] is Outcome.PASSED
    assert found["test_leaves"] is Outcome.CRASHED
    assert found["test_forks"].bad
    assert any("processes, as tests crashed them" in note for note in result.notes)


@pytest.mark.slow
@pytest.mark.network
def test_a_suite_that_prints_without_end(machine: Make) -> None:
    suite = SUITE + (
        "def test_prints():\n"
        "    import os\n"
        "    for _ in range(4000):\n"
        "        os.write(1, b'x' * 65536)\n"
        "        os.write(2, b'\\x1b[31m' * 10000)\n"
    )
    result = checked(machine({"test_a.py": suite, "pytest.ini": "[pytest]\naddopts = -s\n"}))
    assert result.verdict is Verdict.NOTHING_BROKE
    for side in (result.old, result.new):
        assert side.run is not None
        assert side.run.log.stat().st_size < 2 * MIB


@pytest.mark.network
def test_a_suite_that_fills_the_disk(machine: Make) -> None:
    suite = SUITE + (
        "def test_writes():\n"
        "    with open('big', 'wb') as file:\n"
        "        while True:\n"
        "            file.write(b'x' * 1048576)\n"
    )
    result = checked(machine({"test_a.py": suite}))
    found = outcomes(result)
    assert found["test_good"] is Outcome.PASSED
    assert found["test_writes"].bad


@pytest.mark.network
def test_a_suite_that_forges(machine: Make) -> None:
    """A good test that is only claimed, with a process that leaves early."""
    suite = SUITE + (
        "def test_forges():\n"
        "    import os\n"
        "    for fd in range(3, 64):\n"
        "        try:\n"
        '            os.write(fd, b\'{"event": "end", "id": "forged", "pid": 1}\\n\')\n'
        "        except OSError:\n"
        "            pass\n"
        "    os._exit(0)\n"
        "def test_never_reached():\n    raise SystemError('reached')\n"
    )
    result = checked(machine({"test_a.py": suite}))
    found = outcomes(result)
    assert found["test_good"] is Outcome.PASSED
    assert found["test_forges"].bad
    assert found["test_never_reached"] is Outcome.FAILED
    assert "forged" not in found
    assert [note for note in result.notes if note.startswith(("new side: ", "both sides: "))]
