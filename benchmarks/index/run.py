"""Measures the index against pypi-timemachine, proxpi and a static answer, in one run.

    python benchmarks/index/run.py [--quick] [--out FILE]

Writes a table in Markdown. All servers run one process on this machine and read the same real pages
from a fake public index on this machine. CPU is the server process' own, user and system: it holds
on a busy machine, where wall times do not.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
import urllib.request
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from load import Load, cpu_seconds, resident_mb, run_load
from servers import ours, proxpi, static, timemachine, upstream

JSON = "application/vnd.pypi.simple.v1+json"
AT = "2021-03-01T00:00:00Z"
PROJECTS = ("six", "numpy", "boto3")
LARGE = [
    "numpy",
    "boto3",
    "pandas",
    "scipy",
    "grpcio",
    "cryptography",
    "aiohttp",
    "botocore",
    "lxml",
    "matplotlib",
    "pydantic-core",
    "sqlalchemy",
    "scikit-learn",
    "pillow",
    "tokenizers",
    "protobuf",
    "pyzmq",
    "psycopg2-binary",
    "cffi",
    "h5py",
    "regex",
    "msgpack",
    "orjson",
    "polars",
    "ruff",
    "opencv-python",
    "torch",
    "tensorflow",
    "pyarrow",
    "grpcio-tools",
]


def fetch(port: int, path: str, accept: str) -> httpx.Response:
    """One answer, uncompressed."""
    headers = {"accept": accept, "accept-encoding": "identity"}
    return httpx.get(f"http://127.0.0.1:{port}{path}", headers=headers, timeout=120, trust_env=False)


def warm(asked: dict[str, tuple[Any, str, int]], accept: str) -> dict[str, Load]:
    """The best of several runs (by time, and by CPU) of every server, after one that is not counted.

    ``asked`` says of each which path to ask for and how often. The servers take turns, so that what else
    the machine does meets them alike.
    """
    runs: dict[str, list[Load]] = {label: [] for label in asked}
    for server, path, _ in asked.values():
        fetch(server.port, path, accept).raise_for_status()
    for turn in range(8):
        for label, (server, path, requests) in asked.items():
            if turn < 2 or requests >= 200:  # the slow ones twice
                runs[label].append(run_load(server.port, server.pid, [path], accept, requests=requests))
    for label, several in runs.items():
        errors = sum(run.errors for run in several)
        assert not errors or label not in ("a static answer", "backdate index"), "an answer was not 200"
        if errors:
            print(f"{label}: {errors} answers were not 200", flush=True)
    return {
        label: Load(
            requests=several[0].requests,
            errors=0,
            wall_s=min(run.wall_s for run in several),
            cpu_s=min(run.cpu_s for run in several),
        )
        for label, several in runs.items()
    }


def warm_pages(server: Any, up: Any, folder: Path, scale: float) -> list[str]:
    """Requests per second and CPU per request of every server."""
    lines = [
        "| page | server | requests/s | CPU/request | requests/s to peer | CPU to static answer |",
        "|---|---|---|---|---|---|",
    ]
    with timemachine(up.port, folder / "venvs") as machine, proxpi(up.port, folder / "venvs") as proxy:
        for name in PROJECTS:
            small = name == "six"
            path = f"/snapshot/{AT}/simple/{name}/"
            answer = fetch(server.port, path, JSON)
            prepared = folder / "answer"
            kept = [
                (key, value) for key, value in answer.headers.multi_items() if key not in ("date", "server")
            ]
            prepared.write_bytes(json.dumps(kept).encode() + b"\n" + answer.content)
            count = int((4000 if small else 1000) * scale)
            with static(prepared) as bare:
                asked = {
                    "a static answer": (bare, path, count),
                    "backdate index": (server, path, count),
                    "proxpi (no dates)": (proxy, f"/index/{name}/", max(8, count // 40)),
                    "pypi-timemachine": (machine, f"/snapshot/{AT}/{name}/", max(6, count // 100)),
                }
                results = warm(asked, JSON)
            peer, least = results["pypi-timemachine"], results["a static answer"]
            for label, load in results.items():
                lines.append(
                    f"| {name}, {len(answer.content) / 1000:.0f} kB | {label} | {load.per_second:,.1f} "
                    f"| {load.cpu_us:,.0f} µs | {load.per_second / peer.per_second:,.0f} times "
                    f"| {load.cpu_us / least.cpu_us:,.2f} times |"
                )
                print(lines[-1], flush=True)
    return lines


def new_dates(server: Any, requests: int) -> list[str]:
    """CPU of an instant that was not asked before, on the largest page."""
    start = datetime(2026, 1, 1, tzinfo=UTC)
    times = [start + timedelta(seconds=number) for number in range(requests)]
    lines = []
    for label, accept in (("JSON", JSON), ("HTML", "text/html")):
        paths = [f"/snapshot/{moment:%Y-%m-%dT%H:%M:%SZ}/simple/numpy/" for moment in times]
        fetch(server.port, f"/snapshot/{AT}/simple/numpy/", accept)
        load = run_load(server.port, server.pid, paths, accept, requests=requests, connections=1)
        again = run_load(server.port, server.pid, paths[-1:], accept, requests=requests, connections=1)
        lines.append(
            f"| a new date on numpy ({label}, 4,400 files): CPU of cutting it "
            f"| {(load.cpu_us - again.cpu_us) / 1000:.2f} ms "
            f"(sending it: {again.cpu_us / 1000:.2f} ms) | ≤ 1 ms |"
        )
    return lines


def first_looks(up: Any, folder: Path, form: str) -> list[str]:
    """A project that was never asked for: what the server spends beyond fetching the page from the index."""
    lines = []
    for name in ("numpy", "boto3"):
        beyond, waited = [], []
        for attempt in range(7):
            with (
                ours(up.port, folder / f"first-{form}-{name}-{attempt}", "--quiet") as server,
                httpx.Client(trust_env=False) as http,
            ):
                fetch(server.port, f"/snapshot/{AT}/simple/six/", JSON)
                http.get(f"http://127.0.0.1:{up.port}/simple/six/", headers={"accept": JSON})
                began, wall = time.process_time(), time.perf_counter()
                http.get(f"http://127.0.0.1:{up.port}/simple/{name}/", headers={"accept": JSON})
                bare, bare_wall = time.process_time() - began, time.perf_counter() - wall
                spent, wall = cpu_seconds(server.pid), time.perf_counter()
                http.get(
                    f"http://127.0.0.1:{server.port}/snapshot/{AT}/simple/{name}/", headers={"accept": JSON}
                )
                waited.append(time.perf_counter() - wall - bare_wall)
                fetch(server.port, f"/snapshot/{AT}/simple/six/", JSON)
                beyond.append(cpu_seconds(server.pid) - spent - bare)
        middle, least = statistics.median(beyond) * 1000, min(beyond) * 1000
        longer, shortest = statistics.median(waited) * 1000, min(waited) * 1000
        lines.append(
            f"| first look at {name}, index answers {form}: time beyond the bare fetch "
            f"| {longer:.0f} ms (least {shortest:.0f} ms) | ≤ 25 ms |"
        )
        lines.append(
            f"| first look at {name}, index answers {form}: CPU beyond a bare fetch "
            f"| {middle:.0f} ms (least {least:.0f} ms) | ≤ 25 ms |"
        )
    return lines


def memory(up: Any, folder: Path) -> list[str]:
    """Resident memory with thirty large projects hot, as JSON and as HTML."""
    lines = []
    for label, accept in (("JSON", JSON), ("HTML", "text/html")):
        with ours(up.port, folder / "cache") as server:
            empty = resident_mb(server.pid)
            paths = [f"/snapshot/{at}/simple/{name}/" for at in (AT, "2025-07-31") for name in LARGE]
            paths = [path for path in paths if fetch(server.port, path, accept).status_code == 200]
            load = run_load(server.port, server.pid, paths, accept, requests=600)
            assert load.errors == 0
            lines.append(
                f"| memory with thirty large projects hot at two dates ({label}) "
                f"| {resident_mb(server.pid):.0f} MB "
                f"(empty: {empty:.0f} MB) | ≤ 120 MB |"
            )
    return lines


def many_projects(up: Any, folder: Path, requests: int) -> list[str]:
    """A bounded load: no error, flat memory."""
    with ours(up.port, folder / "cache") as server:
        paths = [f"/snapshot/{AT}/simple/{name}/" for name in known_names(server, 200)]
        run_load(server.port, server.pid, paths, JSON, requests=len(paths), connections=16)
        before = resident_mb(server.pid)
        load = run_load(server.port, server.pid, paths, JSON, requests=requests, connections=16)
        after = resident_mb(server.pid)
        done = f"| {requests:,} requests over {len(paths)} projects, 16 connections | {load.errors} errors, "
        done += f"{load.per_second:,.0f} requests/s, {load.cpu_us:,.0f} µs CPU each | no error |"
        return [done, f"| memory before and after that load | {before:.0f} MB, {after:.0f} MB | flat |"]


def known_names(server: Any, wanted: int) -> list[str]:
    """Projects that had a file at the instant, from what popular projects require."""
    found: list[str] = []
    for name in (Path(__file__).parent / "projects.txt").read_text().split():
        if (
            len(found) < wanted
            and fetch(server.port, f"/snapshot/{AT}/simple/{name}/", JSON).status_code == 200
        ):
            found.append(name)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("benchmark-index.md"))
    parser.add_argument("--folder", type=Path, help="for caches and the peers' virtual environments, to keep")
    parser.add_argument("--quick", action="store_true", help="fewer requests")
    arguments = parser.parse_args()
    scale = 0.2 if arguments.quick else 1.0
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        pages = folder / "pages"
        rows = ["| what | measured | wanted |", "|---|---|---|"]
        with upstream(pages, "json") as up:
            for name in (*PROJECTS, *LARGE):
                urllib.request.urlopen(f"http://127.0.0.1:{up.port}/simple/{name}/").close()
            with ours(up.port, Path(temporary) / "cache") as server:
                table = warm_pages(server, up, folder, scale)
                rows += new_dates(server, int(300 * scale))
            rows += first_looks(up, Path(temporary), "json")
            rows += memory(up, Path(temporary))
            rows += many_projects(up, Path(temporary), int(10_000 * scale))
        with upstream(pages, "html") as up:
            for name in PROJECTS:
                urllib.request.urlopen(f"http://127.0.0.1:{up.port}/simple/{name}/").close()
            rows += first_looks(up, Path(temporary), "html")
        text = "\n".join([*table, "", *rows]) + "\n"
        arguments.out.write_text(text)
        print(text)


if __name__ == "__main__":
    main()
