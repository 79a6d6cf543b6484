"""What a check costs beside what it cannot do without. One command, ratios of one run.

    python benchmarks/check.py [--cold] [--python 3.8]

Without ``--cold``: the time of a warm check beyond its two test runs, and the processor time of
``backdate --help``. With ``--cold``: the cold environment numpy + pandas + scikit-learn + flask as of
2021-03-01, made by backdate, by bare ``uv venv`` and ``uv pip install --exclude-newer``, and by
``pip install`` through
pypi-timemachine, each with empty caches, in turn, ``--rounds`` times.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import backdate
from backdate.checking.dated_project import Interpreters
from backdate.environments import uv
from backdate.errors import BackdateError
from backdate.timeline.instants import format_instant

AT = "2021-03-01"
PACKAGES = ("numpy", "pandas", "scikit-learn", "flask")
PROJECT = "pypi:Flask-Login==0.6.2"


def main() -> int:
    """Run what was asked for and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cold", action="store_true")
    parser.add_argument("--python", default="3.8")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--without-pip", action="store_true", help="leave pypi-timemachine away (it takes long)"
    )
    options = parser.parse_args()
    if options.cold:
        cold(options.python, options.rounds, with_pip=not options.without_pip)
    else:
        warm(options.rounds)
        help_cost()
    return 0


def warm(rounds: int) -> None:
    """A second check of a small project: all time that is not one of the two test runs."""
    to = backdate.parse_instant("2025-07-31")
    backdate.check(PROJECT, to_instant=to)
    beyond = []
    for _ in range(rounds):
        result = backdate.check(PROJECT, to_instant=to)
        assert result.old.run is not None
        assert result.new.run is not None
        assert result.old.environment is not None
        assert result.old.environment.reused
        runs = (result.old.run.duration_s, result.new.run.duration_s)
        beyond.append(result.duration_s - max(runs))
        print(f"whole check {result.duration_s:.2f} s, test runs {runs[0]:.2f} and {runs[1]:.2f} s")
    print(f"beyond the longer test run: median {statistics.median(beyond):.2f} s (at most 0.7 wanted)")


def help_cost() -> None:
    """Processor seconds of ``backdate --help``, median of nine."""
    costs = []
    for _ in range(9):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-m", "backdate", "--help"], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        costs.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    print(f"backdate --help: {statistics.median(costs):.3f} s of processor time (at most 0.15 wanted)")


def cold(python: str, rounds: int, *, with_pip: bool) -> None:
    """The three ways in turn, so that a noisy minute hits them all."""
    instant = backdate.parse_instant(AT)
    times: dict[str, list[float]] = {"backdate": [], "bare uv": []}
    if with_pip:
        times["pip through pypi-timemachine"] = []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "known").mkdir()
        interpreter = next(
            one.executable
            for one in Interpreters(work / "known").available
            if one.version.startswith(f"{python}.")
        )
        for number in range(rounds):
            own = work / f"own{number}"
            (own / "cache").mkdir(parents=True)
            # Which interpreters there are is looked up once on a machine, not for each environment.
            shutil.copy(work / "known" / "interpreters.json", own / "cache")
            started = time.monotonic()
            made = backdate.build_environment(
                ".",
                instant=instant,
                output=own / "env",
                packages=PACKAGES,
                python=python,
                settings=backdate.Settings(cache=own / "cache"),
            )
            if made.failure is not None:
                raise BackdateError(made.failure.message)
            times["backdate"].append(time.monotonic() - started)
            times["bare uv"].append(bare_uv(interpreter, work / f"uv{number}", format_instant(instant)))
            if with_pip:
                times["pip through pypi-timemachine"].append(
                    through_timemachine(interpreter, work / f"pip{number}")
                )
            shutil.rmtree(own)
    reference = statistics.median(times["backdate"])
    print("| way | median | times backdate |\n|---|---|---|")
    for name, taken in times.items():
        median = statistics.median(taken)
        print(
            f"| {name} | {median:.1f} s ({', '.join(f'{one:.1f}' for one in taken)}) | "
            f"{median / reference:.2f} |"
        )


def bare_uv(interpreter: Path, folder: Path, instant: str) -> float:
    """``uv venv`` and ``uv pip install --exclude-newer``, nothing cached."""
    folder.mkdir()
    env = {**os.environ, "UV_CACHE_DIR": str(folder / "cache"), "UV_NO_CONFIG": "1"}
    started = time.monotonic()
    subprocess.run([uv.find_uv(), "venv", "-q", "-p", interpreter, folder / "env"], check=True, env=env)
    subprocess.run(
        [
            *(uv.find_uv(), "pip", "install", "-q", "-p", folder / "env" / "bin" / "python"),
            *("--exclude-newer", instant, *PACKAGES, "pip", "setuptools"),
        ],
        check=True,
        env=env,
    )
    return time.monotonic() - started


def through_timemachine(interpreter: Path, folder: Path) -> float:
    """``pip install`` through a pypi-timemachine of its own on loopback."""
    folder.mkdir()
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
        started = time.monotonic()
        subprocess.run([interpreter, "-m", "venv", folder / "env"], check=True, env=env)
        subprocess.run(
            [
                *(
                    folder / "env" / "bin" / "python",
                    "-m",
                    "pip",
                    "install",
                    "-q",
                    "--disable-pip-version-check",
                ),
                *("--index-url", f"http://127.0.0.1:{port}/", *PACKAGES),
            ],
            check=True,
            env=env,
        )
        return time.monotonic() - started
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
