"""Real clients end to end: pip through pypi-timemachine and through ours, uv directly and through ours.

    python benchmarks/index/end_to_end.py --python PYTHON3.8

pandas, flask and requests as of 2021-03-01, and a set of many small distributions. pip installs into a new
folder without its own cache; uv resolves for that interpreter (named, so that looking for one is not
measured) with an empty cache of its own ("cold") and again with the one it made ("warm"). Files come from
the public index. The ways take turns; each figure is the least of them, wall time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from servers import ours, timemachine, upstream

AT = "2021-03-01T00:00:00Z"
LARGE = ("pandas", "flask", "requests")
SMALL = ("boto3", "celery", "django", "jsonschema", "pytest", "requests", "sqlalchemy", "tox")
CLEAN = {
    name: value for name, value in os.environ.items() if not name.startswith(("UV_", "PIP_", "PYTHONPATH"))
}
CERTIFICATES = {name: os.environ[name] for name in ("PIP_CERT",) if name in os.environ}


def timed(command: list[str], environment: Mapping[str, str]) -> float:
    """Seconds that a command takes, which has to succeed."""
    began = time.perf_counter()
    subprocess.run(command, env=dict(environment), check=True, capture_output=True)
    return time.perf_counter() - began


def once(measure: Callable[[Path], float]) -> float:
    """One measurement, in an empty folder."""
    with tempfile.TemporaryDirectory() as folder:
        return measure(Path(folder))


def with_pip(python: str, url: str, wanted: tuple[str, ...]) -> Callable[[Path], float]:
    """pip installs from ``url``."""
    environment = {**CLEAN, **CERTIFICATES, "PIP_CONFIG_FILE": os.devnull, "PIP_INDEX_URL": url}
    environment |= {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_TRUSTED_HOST": "localhost"}
    command = [python, "-m", "pip", "install", "--quiet", "--no-cache-dir", "--target"]
    return lambda folder: timed([*command, str(folder / "target"), *wanted], environment)


def with_uv(python: str, *options: str, warm: bool) -> Callable[[Path], float]:
    """uv resolves, with its cache empty or filled."""

    def measure(folder: Path) -> float:
        (folder / "in").write_text("\n".join(LARGE))
        command = ["uv", "pip", "compile", "--quiet", "--no-config", "--python", python]
        command += ["--cache-dir", str(folder / "cache"), "--output-file", str(folder / "out"), *options]
        if warm:
            timed([*command, str(folder / "in")], CLEAN)
            (folder / "out").unlink()
        return timed([*command, str(folder / "in")], CLEAN)

    return measure


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--python", required=True, help="an interpreter 3.8 with pip")
    parser.add_argument("--folder", type=Path, required=True, help="for caches and environments, to keep")
    parser.add_argument("--turns", type=int, default=3)
    arguments = parser.parse_args()
    with upstream(arguments.folder / "pages", "json") as up, tempfile.TemporaryDirectory() as cache:
        server: Any
        machine: Any
        with (
            ours(up.port, Path(cache)) as server,
            timemachine(up.port, arguments.folder / "venvs") as machine,
        ):
            our_url = f"http://127.0.0.1:{server.port}/snapshot/{AT}/simple/"
            peer_url = f"http://localhost:{machine.port}/snapshot/{AT}/"
            direct = ("--default-index", "https://pypi.org/simple", "--exclude-newer", AT)
            through = ("--default-index", our_url)
            ways = {
                "| pip, three large | pypi-timemachine": with_pip(arguments.python, peer_url, LARGE),
                "| pip, three large | backdate index": with_pip(arguments.python, our_url, LARGE),
                "| pip, eight smaller | pypi-timemachine": with_pip(arguments.python, peer_url, SMALL),
                "| pip, eight smaller | backdate index": with_pip(arguments.python, our_url, SMALL),
                "| uv, cold | directly, --exclude-newer": with_uv(arguments.python, *direct, warm=False),
                "| uv, cold | backdate index": with_uv(arguments.python, *through, warm=False),
                "| uv, warm | directly, --exclude-newer": with_uv(arguments.python, *direct, warm=True),
                "| uv, warm | backdate index": with_uv(arguments.python, *through, warm=True),
            }
            turns = [
                {label: once(measure) for label, measure in ways.items()} for _ in range(arguments.turns)
            ]
            print("| client | way | seconds |\n|---|---|---|")
            for label in ways:
                print(f"{label} | {min(turn[label] for turn in turns):.2f} |")


if __name__ == "__main__":
    main()
