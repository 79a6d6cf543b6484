"""What a check and an environment cost beside what they cannot do without. One command, ratios of one run.

    python benchmarks/check.py [--cold] [--python 3.8] [--rounds 5]

Everything is run as a user runs it, as a command of its own, with compiled modules, and timed from outside:
its time is that of the whole process, and its processor time is that of all that it started as well.

Without ``--cold``: ``backdate --help`` beside ``typer --help``, importing the check, and a warm check: its
time beyond the longer of its two test runs, and the processor time of backdate's own process, in which no
test runs (the sandboxes' own processes are not in it); and a bare warm check of a project with bounds of its
own, and of each repository given with ``--folder``, beside the sum of its distinct test runs.

With ``--cold``: the environment numpy + pandas + scikit-learn + flask as of 2021-03-01, of wheels alone, and
with termcolor, which has an sdist alone: made by bare ``uv venv`` and ``uv pip install --exclude-newer``, by
``backdate env``, and (wheels alone, ``--with-pip``) by ``pip install`` through pypi-timemachine, each with
empty caches, in turn, ``--rounds`` times. Which interpreters there are is looked up before: once a
machine. Then a check of the small project of ``bisection.py``, with nothing cached at all. ``--beside DIR``:
a checkout with a ``.venv``, whose commands are rows too.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import astuple, dataclass
from pathlib import Path

import bisection

import backdate
from backdate.checking.dated_project import Interpreters
from backdate.environments import uv
from backdate.errors import BackdateError
from backdate.timeline.instants import format_instant

AT = "2021-03-01"
PACKAGES = ("numpy", "pandas", "scikit-learn", "flask")
WITH_SDIST = (*PACKAGES, "termcolor")
PROJECT = "pypi:Flask-Login==0.6.2"
CAPPED = {
    "requirements.txt": "click<8\nitsdangerous<2.1\n",
    "test_slow.py": "import time\n\nimport click\n\n\ndef test_it():\n    time.sleep(1)\n",
}
WANTED_OF_RUNS = 1.15


def main() -> int:
    """Run what was asked for and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--python", default="3.8")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--beside", type=Path, help="a checkout with a .venv, as another row")
    parser.add_argument("--with-pip", action="store_true", help="pypi-timemachine as well (it takes long)")
    parser.add_argument(
        "--folder",
        type=Path,
        action="append",
        default=[],
        help="a repository whose warm check is measured too",
    )
    parser.add_argument("--to", help="the new instant for --folder; now without it")
    parser.add_argument("--answers-only", action="store_true", help="only the last table")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.cold:
            cold(Path(folder), options.python, options.rounds, options.beside, with_pip=options.with_pip)
        else:
            if not options.answers_only:
                start_up(options.rounds, options.beside)
                warm(Path(folder), options.rounds, options.beside)
            both_questions(Path(folder), options.rounds, options.folder, options.to)
    return 0


@dataclass(frozen=True, slots=True)
class Taken:
    """What a command took: seconds, and seconds of processor time with all that it started."""

    wall_s: float
    cpu_s: float


def run(*command: str | Path, env: dict[str, str] | None = None) -> Taken:
    """Run a command to its end, quietly."""
    started, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=False, capture_output=True, env=env or environment())
    wall, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return Taken(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def environment() -> dict[str, str]:
    """Ours, but for what keeps Python from keeping what it compiled: users have no such variable."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def python_of(checkout: Path) -> Path:
    """The interpreter of a checkout's virtual environment."""
    return checkout.absolute() / ".venv" / "bin" / "python"


def report(title: str, taken: dict[str, list[Taken]]) -> None:
    """A table of medians, the least of each, and ratios to the first way."""
    print(f"\n{title}\n")
    print("| way | time | least | of the first | processor time | least | of the first |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    first = next(iter(taken.values()))
    own = [statistics.median(part) for part in zip(*map(astuple, first), strict=True)]
    for name, rounds in taken.items():
        cells = []
        for values, base in zip(zip(*map(astuple, rounds), strict=True), own, strict=True):
            median = statistics.median(values)
            cells += [f"{median:.2f} s", f"{min(values):.2f} s", f"{median / base:.2f}"]
        print(f"| {name} | {' | '.join(cells)} |")


def in_turn(ways: dict[str, Callable[[], Taken]], rounds: int) -> dict[str, list[Taken]]:
    """Each way once a round, so that a noisy minute hits them all."""
    taken: dict[str, list[Taken]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, way in ways.items():
            taken[name].append(way())
    return taken


def start_up(rounds: int, beside: Path | None) -> None:
    """Help and imports, one round more than is counted: the first one compiles."""
    own = sys.executable
    ways = {
        "typer --help": lambda: run(own, "-m", "typer", "--help"),
        "backdate --help": lambda: run(own, "-m", "backdate", "--help"),
        "an interpreter that does nothing": lambda: run(own, "-c", "pass"),
        "import of the check": lambda: run(own, "-c", "import backdate.session, backdate.checking.check"),
    }
    if beside is not None:
        other = python_of(beside)
        ways["backdate --help, beside"] = lambda: run(other, "-m", "backdate", "--help")
        ways["import of the check, beside"] = lambda: run(other, "-c", "import backdate.checking.check")
    taken = in_turn(ways, 2 * rounds + 1)
    report(
        "start-up (wanted: help at most 1.30; import at most 0.15 s)", {k: v[1:] for k, v in taken.items()}
    )


def warm(work: Path, rounds: int, beside: Path | None) -> None:
    """A second check of a small project, command line included."""
    pythons = {"backdate": Path(sys.executable)}
    if beside is not None:
        pythons["backdate, beside"] = python_of(beside)
    beyond: dict[str, list[Taken]] = {name: [] for name in pythons}
    for number in range(rounds + 1):
        for name, python in pythons.items():
            result = work / "result.json"
            taken = run(
                *(python, "-c", _CHECK, "check", PROJECT, "--to", "2025-07-31"),
                *("--json", result, "--cache", work / name.replace(" ", "-")),
                env={**environment(), "BACKDATE_OWN_TIME": str(work / "own")},
            )
            runs, reused = runs_of(result)
            own = float((work / "own").read_text())
            if number:  # the first one builds
                assert reused
                beyond[name].append(Taken(taken.wall_s - max(runs), own))
    report("a warm check beyond the longer test run; processor time of its own process", beyond)


def runs_of(result: Path) -> tuple[list[float], bool]:
    """The seconds of each distinct test run of a check, and whether all environments were in the cache."""
    found = json.loads(result.read_bytes())
    results = [found] if "verdict" in found else [found["declared"]]
    if "verdict" not in found and not found["same"]:
        results.append(found["lifted"])
    sides = [results[0]["old"], *(one["new"] for one in results)]
    return [side["run"]["duration_s"] for side in sides], all(side["environment"]["reused"] for side in sides)


def both_questions(work: Path, rounds: int, folders: list[Path], to: str | None) -> None:
    """A second check of a project that needs none of its caps, tests of a second each, and of ``folders``."""
    capped = bisection.own_project(work / "capped", CAPPED)
    print("\nboth questions, unchanged and warm: the whole command beside 1.15 times its runs and 1 s\n")
    print("| project | runs | whole command | 1.15 times the runs and 1 s | of that (wanted: at most 1) |")
    print("|---|--:|--:|--:|--:|")
    whole_command(work, capped, ("--from", AT, "--to", "2025-07-31"), rounds)
    for folder in folders:
        whole_command(work, folder, ("--to", to) if to else (), rounds)


def whole_command(work: Path, project: Path, instants: tuple[str, ...], rounds: int) -> None:
    """A row: check ``project`` again and again, one time more than is counted: that one builds."""
    result = work / "answers.json"
    taken, bound, ratios = [], [], []
    for number in range(rounds + 1):
        command = run(
            *(sys.executable, "-m", "backdate", "check", project, *instants),
            *("--json", result, "--cache", work / "backdate"),
        )
        runs, reused = runs_of(result)
        if number:
            assert reused
            taken.append(command.wall_s)
            bound.append(WANTED_OF_RUNS * sum(runs) + 1)
            ratios.append(command.wall_s / bound[-1])
    cells = [str(len(runs)), f"{statistics.median(taken):.2f} s", f"{statistics.median(bound):.2f} s"]
    print(f"| {project.name} | {' | '.join(cells)} | {statistics.median(ratios):.2f} |", flush=True)


_CHECK = """
import os, resource, sys
from backdate.cli.main import run
try:
    run(sys.argv[1:])
finally:
    used = resource.getrusage(resource.RUSAGE_SELF)
    open(os.environ["BACKDATE_OWN_TIME"], "w").write(str(used.ru_utime + used.ru_stime))
"""
"""The command line, which leaves the processor time of its own process: test runs are others."""


def cold(work: Path, python: str, rounds: int, beside: Path | None, *, with_pip: bool) -> None:
    """The ways to an environment."""
    (work / "known").mkdir()
    interpreter = next(
        one.executable
        for one in Interpreters(work / "known").available
        if one.version.startswith(f"{python}.")
    )
    for title, packages in (("wheels alone", PACKAGES), ("with an sdist", WITH_SDIST)):
        ways: dict[str, Callable[[], Taken]] = {
            "bare uv": lambda packages=packages: bare_uv(interpreter, work / "round", packages),
            "backdate env": lambda packages=packages: by_backdate(
                Path(sys.executable), work, packages, python
            ),
        }
        if beside is not None:
            ways["backdate env, beside"] = lambda packages=packages: by_backdate(
                python_of(beside), work, packages, python
            )
        if with_pip and packages is PACKAGES:
            ways["pip through pypi-timemachine"] = lambda: through_timemachine(interpreter, work / "round")
        report(title, in_turn({name: cleaned(way, work / "round") for name, way in ways.items()}, rounds))
    pythons = {"backdate": Path(sys.executable)}
    if beside is not None:
        pythons["backdate, beside"] = python_of(beside)
    checks = {
        name: cleaned(lambda own=own: checked(own, work / "round"), work / "round")  # type: ignore[misc]
        for name, own in pythons.items()
    }
    taken = in_turn(checks, rounds + 1)  # the first one compiles
    report("a check with empty caches", {name: rounds_of[1:] for name, rounds_of in taken.items()})


def checked(own: Path, folder: Path) -> Taken:
    """``backdate check`` of a small project of which a test breaks, nothing cached."""
    project = bisection.own_project(folder / "small")
    result = folder / "result.json"
    taken = run(
        *(own, "-m", "backdate", "check", project, "--from", bisection.FROM, "--to", bisection.TO),
        *("--cache", folder / "cache", "--json", result),
    )
    found = json.loads(result.read_bytes())
    assert found.get("lifted", found)["verdict"] == "broke"
    return taken


def cleaned(way: Callable[[], Taken], folder: Path) -> Callable[[], Taken]:
    """``way``, in a ``folder`` that is removed afterwards."""

    def once() -> Taken:
        folder.mkdir()
        try:
            return way()
        finally:
            shutil.rmtree(folder)

    return once


def by_backdate(own: Path, work: Path, packages: tuple[str, ...], python: str) -> Taken:
    """``backdate env``, nothing cached but which interpreters there are."""
    folder = work / "round"
    (folder / "cache").mkdir()
    shutil.copy(work / "known" / "interpreters.json", folder / "cache")
    asked = [part for package in packages for part in ("--package", package)]
    taken = run(
        *(own, "-m", "backdate", "env", AT, *asked, "--python", python),
        *("--cache", folder / "cache", "-o", folder / "env"),
    )
    if not (folder / "env" / "pylock.toml").exists():
        raise BackdateError(f"{own} made no environment; run the command by hand")
    return taken


def bare_uv(interpreter: Path, folder: Path, packages: tuple[str, ...]) -> Taken:
    """``uv venv`` and ``uv pip install --exclude-newer``, nothing cached."""
    env = {**environment(), "UV_CACHE_DIR": str(folder / "cache"), "UV_NO_CONFIG": "1"}
    instant = format_instant(backdate.parse_instant(AT))
    made = run(uv.find_uv(), "venv", "-q", "-p", interpreter, folder / "env", env=env)
    installed = run(
        *(uv.find_uv(), "pip", "install", "-q", "-p", folder / "env" / "bin" / "python"),
        *("--exclude-newer", instant, *packages, "pip", "setuptools"),
        env=env,
    )
    return Taken(made.wall_s + installed.wall_s, made.cpu_s + installed.cpu_s)


def through_timemachine(interpreter: Path, folder: Path) -> Taken:
    """``pip install`` through a pypi-timemachine of its own on loopback."""
    server_env = folder / "server"
    subprocess.run([uv.find_uv(), "venv", "-q", server_env], check=True)
    subprocess.run(
        [uv.find_uv(), "pip", "install", "-q", "-p", server_env / "bin" / "python", "pypi-timemachine"],
        check=True,
    )
    port = free_port()
    server = subprocess.Popen(
        [server_env / "bin" / "pypi-timemachine", AT, "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(port)
        clean = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "UV_"))}
        env = {**clean, "PIP_CONFIG_FILE": os.devnull, "PIP_NO_CACHE_DIR": "1"}
        made = run(interpreter, "-m", "venv", folder / "env", env=env)
        installed = run(
            *(folder / "env" / "bin" / "python", "-m", "pip", "install", "-q"),
            *("--disable-pip-version-check", "--index-url", f"http://127.0.0.1:{port}/", *PACKAGES),
            env=env,
        )
        return Taken(made.wall_s + installed.wall_s, made.cpu_s + installed.cpu_s)
    finally:
        server.terminate()
        server.wait()


def free_port() -> int:
    """A port on loopback that nobody uses now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int) -> None:
    """Until somebody listens there, at most 30 seconds."""
    for _ in range(300):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise TimeoutError(f"nothing listens on port {port}")


if __name__ == "__main__":
    sys.exit(main())
