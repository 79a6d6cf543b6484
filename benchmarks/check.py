"""What a check costs beside what it cannot do without. One command, ratios of one run.

    python benchmarks/check.py [--cold] [--python 3.8]

Without ``--cold``: the time of a warm check beyond its two test runs, and the processor time of
``backdate --help``. With ``--cold``: the cold environment numpy + pandas + scikit-learn + flask as of
2021-03-01 (wheels alone), and with termcolor, which has an sdist alone, made by backdate, by bare ``uv venv``
and ``uv pip install --exclude-newer``, and (wheels alone) by ``pip install`` through pypi-timemachine, each
with empty caches, in turn, ``--rounds`` times. Ratios are of times and of processor times.
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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass
from pathlib import Path

import backdate
from backdate.checking.dated_project import Interpreters
from backdate.environments import uv
from backdate.errors import BackdateError
from backdate.timeline.instants import format_instant

AT = "2021-03-01"
PACKAGES = ("numpy", "pandas", "scikit-learn", "flask")
WITH_SDIST = (*PACKAGES, "termcolor")
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
    """The ways in turn, so that a noisy minute hits them all."""
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        (work / "known").mkdir()
        interpreter = next(
            one.executable
            for one in Interpreters(work / "known").available
            if one.version.startswith(f"{python}.")
        )
        for title, packages in (("wheels alone", PACKAGES), ("with an sdist", WITH_SDIST)):
            ways = {
                "backdate": lambda at, packages=packages: by_backdate(work / "known", at, packages, python),
                "bare uv": lambda at, packages=packages: bare_uv(interpreter, at, packages),
            }
            if with_pip and packages is PACKAGES:
                ways["pip through pypi-timemachine"] = lambda at: through_timemachine(interpreter, at)
            taken: dict[str, list[Taken]] = {name: [] for name in ways}
            for _ in range(rounds):
                for name, way in ways.items():
                    taken[name].append(way(work / "round"))
                    shutil.rmtree(work / "round")
            report(title, taken)


@dataclass(frozen=True)
class Taken:
    """What one environment took: seconds, and seconds of processor time with all that was started."""

    wall_s: float
    cpu_s: float


@contextmanager
def measured(into: list[Taken]) -> Iterator[None]:
    """Add what the block takes."""
    started, cpu = time.monotonic(), processor_time()
    yield
    into.append(Taken(time.monotonic() - started, processor_time() - cpu))


def processor_time() -> float:
    """Of this process and of all that it waited for."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def report(title: str, taken: dict[str, list[Taken]]) -> None:
    """A table of medians, and of their ratios to backdate's."""
    print(f"\n{title}\n")
    print("| way | median | times backdate | processor time | times backdate |\n|---|---|---|---|---|")
    own = [statistics.median(part) for part in zip(*map(astuple, taken["backdate"]), strict=True)]
    for name, rounds in taken.items():
        wall, cpu = (statistics.median(part) for part in zip(*map(astuple, rounds), strict=True))
        each = ", ".join(f"{one.wall_s:.1f}" for one in rounds)
        print(f"| {name} | {wall:.1f} s ({each}) | {wall / own[0]:.2f} | {cpu:.1f} s | {cpu / own[1]:.2f} |")


def by_backdate(known: Path, folder: Path, packages: tuple[str, ...], python: str) -> Taken:
    """``backdate env``, nothing cached but which interpreters there are: that is looked up once a machine."""
    (folder / "cache").mkdir(parents=True)
    shutil.copy(known / "interpreters.json", folder / "cache")
    taken: list[Taken] = []
    with measured(taken):
        made = backdate.build_environment(
            ".",
            instant=backdate.parse_instant(AT),
            output=folder / "env",
            packages=packages,
            python=python,
            settings=backdate.Settings(cache=folder / "cache"),
        )
    if made.failure is not None:
        raise BackdateError(made.failure.message)
    return taken[0]


def bare_uv(interpreter: Path, folder: Path, packages: tuple[str, ...]) -> Taken:
    """``uv venv`` and ``uv pip install --exclude-newer``, nothing cached."""
    folder.mkdir()
    env = {**os.environ, "UV_CACHE_DIR": str(folder / "cache"), "UV_NO_CONFIG": "1"}
    instant = format_instant(backdate.parse_instant(AT))
    taken: list[Taken] = []
    with measured(taken):
        subprocess.run([uv.find_uv(), "venv", "-q", "-p", interpreter, folder / "env"], check=True, env=env)
        subprocess.run(
            [
                *(uv.find_uv(), "pip", "install", "-q", "-p", folder / "env" / "bin" / "python"),
                *("--exclude-newer", instant, *packages, "pip", "setuptools"),
            ],
            check=True,
            env=env,
        )
    return taken[0]


def through_timemachine(interpreter: Path, folder: Path) -> Taken:
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
        taken: list[Taken] = []
        with measured(taken):
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
        return taken[0]
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
