"""Every pip from 9 on, on every CPython that is here, installs through the index; writes a table in Markdown.

    python tools/install_matrix.py [--at 2021-03-01] [--pythons 2.7 3.6 …]

A pip that does not even start on an interpreter (``pip --version`` fails) is left out: "-".
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from backdate.index.cache import DiskCache
from backdate.index.client_environment import client_environment, write_client_files
from backdate.index.server import SnapshotServer
from backdate.index.upstream import IndexClient
from backdate.timeline.instants import parse_instant

PIPS = [
    "9.0.3",
    "10.0.1",
    "18.1",
    "19.3.1",
    "20.3.4",
    "21.3.1",
    "22.3.1",
    "23.3.2",
    "24.3.1",
    "25.3",
    "26.0.1",
]
PYTHONS = ["2.7", "3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13"]
CERTIFICATES = ("SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "PIP_CERT", "CURL_CA_BUNDLE")


def find_python(version: str) -> Path | None:
    """A CPython of that version where pyenv keeps them."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    return next(iter(sorted(root.glob(f"versions/{version}.*/bin/python"))), None)


def download(versions: list[str], folder: Path) -> dict[str, Path]:
    """The wheel of every pip."""
    wheels = {}
    for version in versions:
        target = folder / version
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--ignore-requires-python",
        ]
        environment = {**os.environ, "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": ""}
        subprocess.run([*command, "--dest", str(target), f"pip=={version}"], env=environment, check=True)
        wheels[version] = next(target.glob("*.whl"))
    return wheels


def install(python: Path, wheel: Path, environment: dict[str, str], target: Path) -> str:
    """What came of it: "ok", "-", or "FAILED"."""
    command = [str(python), str(wheel / "pip")]
    starts = subprocess.run(
        [*command, "install", "--help"], env=environment, capture_output=True, check=False
    )
    if starts.returncode != 0:
        return "-"
    options = ["install", "--quiet", "--no-cache-dir", "--target", str(target), "requests"]
    done = subprocess.run([*command, *options], env=environment, capture_output=True, text=True, check=False)
    found = sorted(path.name for path in target.glob("*.dist-info"))
    if done.returncode == 0 and found:
        return "ok"
    print(done.stderr[-500:], file=sys.stderr)
    return "-" if "Traceback" in done.stderr and "127.0.0.1" not in done.stderr else "FAILED"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--at", default="2021-03-01")
    parser.add_argument("--pythons", nargs="*", default=PYTHONS)
    parser.add_argument("--pips", nargs="*", default=PIPS)
    arguments = parser.parse_args()
    print("| pip | " + " | ".join(arguments.pythons) + " |")
    print("|---|" + "---|" * len(arguments.pythons))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheels = download(arguments.pips, folder / "wheels")
        with IndexClient(cache=DiskCache(folder / "cache")) as client, SnapshotServer(client) as server:
            url, home = server.url(parse_instant(arguments.at)), folder / "home"
            write_client_files(url, home)
            certificates = {name: os.environ[name] for name in CERTIFICATES if name in os.environ}
            environment = {"PATH": "/usr/bin:/bin", **certificates, **client_environment(url, home)}
            for version, wheel in wheels.items():
                cells = []
                for number in arguments.pythons:
                    python = find_python(number)
                    target = folder / "targets" / version / number
                    cells.append(install(python, wheel, environment, target) if python else "absent")
                print(f"| {version} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
