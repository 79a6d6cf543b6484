"""``backdate run --at INSTANT -- COMMAND…``: any command, with every client of an index at the instant."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from backdate.cli.arguments import takes
from backdate.cli.index_options import Cache, Offline, Refresh, Upstream, View, usable_cache
from backdate.timeline.instants import parse_instant


@dataclass(frozen=True, slots=True, kw_only=True)
class RunArguments:
    """What ``run`` is given."""

    command: Annotated[
        list[str], typer.Argument(metavar="COMMAND…", help="What to run, after --.", show_default=False)
    ]
    at: Annotated[str, typer.Option(metavar="INSTANT", help="2021-03-01, '30 days ago', P3M.")]
    upstream: Upstream = None
    cache: Cache = None
    offline: Offline = False
    refresh: Refresh = False
    view: View


@takes(RunArguments)
def run_command(arguments: RunArguments) -> None:
    """Run a command with pip, uv, Poetry, PDM, pipenv and setuptools pointed at an instant.

    A private index runs for as long as the command; extra indexes, find-links and the users'
    configuration of these clients are out of the way meanwhile. The exit status is the command's.
    """
    from backdate.index.addresses import PUBLIC_INDEX
    from backdate.index.application import ServerOptions
    from backdate.index.cache import DiskCache
    from backdate.index.client_environment import (
        FILE_HOSTS,
        folders_of,
        pointed_at,
        shadow_home,
        write_client_files,
    )
    from backdate.index.server import SnapshotServer
    from backdate.index.upstream import IndexClient

    logging.basicConfig(level=logging.WARNING, format="backdate run: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    instant = parse_instant(arguments.at, words=True)
    options = ServerOptions(
        policy=arguments.view.policy(), files="through" if arguments.offline else "direct"
    )
    store = DiskCache(usable_cache(arguments.cache))
    with (
        IndexClient(
            upstreams=arguments.upstream or [PUBLIC_INDEX],
            cache=store,
            offline=arguments.offline,
            refresh=arguments.refresh,
        ) as client,
        SnapshotServer(client, options) as server,
        tempfile.TemporaryDirectory(prefix="backdate-run-") as folder,
    ):
        home = Path(folder)
        url = server.url(instant)
        shadow_home(Path.home(), home)
        others = [urlsplit(root).netloc for root in client.upstreams if root != PUBLIC_INDEX]
        write_client_files(url, instant, home, file_hosts=[*FILE_HOSTS, *others])
        status = _run(arguments.command, pointed_at({**folders_of(Path.home()), **os.environ}, url, home))
    raise typer.Exit(status)


def _run(command: Sequence[str], environment: Mapping[str, str]) -> int:
    program = shutil.which(command[0], path=environment["PATH"])
    if program is None:
        if Path(command[0]).exists() and "/" in command[0]:
            typer.echo(f"backdate run: {command[0]} is no program that may be started", err=True)
            return 126
        typer.echo(f"backdate run: {command[0]}: not found on PATH", err=True)
        return 127
    sys.stdout.flush()
    try:
        process = subprocess.Popen([program, *command[1:]], env=dict(environment))
    except OSError as error:
        typer.echo(f"backdate run: {program} cannot be started: {error.strerror}", err=True)
        return 126
    # A Ctrl+C reaches the command as well: it decides, and its index stays until it is done.
    previous = signal.signal(signal.SIGINT, signal.SIG_IGN)
    terminate = signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        status = process.wait()
    finally:
        signal.signal(signal.SIGINT, previous)
        signal.signal(signal.SIGTERM, terminate)
    return 128 - status if status < 0 else status
