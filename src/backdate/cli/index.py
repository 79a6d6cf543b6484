"""``backdate index``: serve the package index as it was at any instant; write and read snapshot bundles."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Annotated, Literal, cast

import typer

from backdate.errors import UsageError
from backdate.index.policy import Policy
from backdate.timeline.instants import parse_instant

Upstream = Annotated[
    list[str] | None,
    typer.Option(
        "--upstream", metavar="URL", help="Index to show (again: asked when those before lack a project)."
    ),
]
Cache = Annotated[
    Path | None, typer.Option("--cache", metavar="DIR", help="Folder of the cache.", show_default=False)
]
Offline = Annotated[bool, typer.Option("--offline", help="Ask no index: show what is in the cache.")]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask again for every page that is in the cache.")]
Yanked = Annotated[
    str, typer.Option("--yanked", metavar="today|never", help="Show today's yanked flags, or none.")
]
Override = Annotated[
    list[str] | None,
    typer.Option(
        "--override", metavar="NAME=INSTANT", help="Cut this project at another instant (repeatable)."
    ),
]
Hide = Annotated[
    list[str] | None,
    typer.Option(
        "--hide",
        metavar="NAME[>=INSTANT]",
        help="Hide a project, or what it uploaded from then on (repeatable).",
    ),
]
CacheSize = Annotated[
    int, typer.Option("--cache-size", metavar="MB", min=1, help="Bound of the cache on disk.")
]


def default_cache() -> Path:
    """The folder for pages and files of indexes in backdate's own cache."""
    from backdate.environments import cache

    return cache.default_cache() / "index"


def index_command(
    *,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any free one.")] = 5000,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for containers.")] = "127.0.0.1",
    unix_socket: Annotated[Path | None, typer.Option(help="Listen at this Unix socket instead.")] = None,
    upstream: Upstream = None,
    cache: Cache = None,
    cache_size: CacheSize = 4096,
    memory: Annotated[int, typer.Option(metavar="MB", min=4, help="For pages and answers in memory.")] = 30,
    offline: Offline = False,
    refresh: Refresh = False,
    yanked: Yanked = "today",
    override: Override = None,
    hide: Hide = None,
    files: Annotated[
        str | None,
        typer.Option(
            metavar="direct|through",
            help="Clients fetch files from the index itself, or through this server, which keeps them "
            "(default: direct; through when offline).",
            show_default=False,
        ),
    ] = None,
    compress: Annotated[
        str,
        typer.Option(
            metavar="auto|always|never", help="Compress pages; auto: not for this machine's own clients."
        ),
    ] = "auto",
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Wait so long for an index.")
    ] = 30.0,
    quiet: Annotated[bool, typer.Option("--quiet", help="No request log.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a snapshot bundle of what --for names, and stop."),
    ] = None,
    for_locks: Annotated[
        list[Path] | None,
        typer.Option(
            "--for", metavar="LOCK", help="Requirements, pylock.toml or a lock of backdate (repeatable)."
        ),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(metavar="INSTANT", help="Nothing uploaded from then on goes into the bundle."),
    ] = None,
    with_files: Annotated[
        bool, typer.Option("--with-files", help="Put the files into the bundle too.")
    ] = False,
    import_: Annotated[
        Path | None,
        typer.Option("--import", metavar="FILE", help="Fill the cache from a snapshot bundle, and stop."),
    ] = None,
) -> None:
    """Serve the package index as it was at any instant.

    Pages are at /snapshot/2021-03-01/simple/ (or a full instant), today's at /simple/. What was
    uploaded strictly before the instant is visible; a bare date is 00:00 UTC.
    """
    from backdate.index import bundle
    from backdate.index.application import ServerOptions
    from backdate.index.cache import DiskCache
    from backdate.index.needs import read_needs
    from backdate.index.server import listening_socket, serve
    from backdate.index.server import unix_socket as listen_at
    from backdate.index.upstream import PUBLIC_INDEX, IndexClient

    logging.basicConfig(level=logging.WARNING, format="backdate index: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    store = DiskCache(cache or default_cache(), max_bytes=cache_size * 1024 * 1024)
    if import_ is not None:
        read = bundle.import_bundle(import_, store)
        typer.echo(f"{read.pages} pages and {read.files} files are in {store.folder} now")
        return
    upstreams = upstream or [PUBLIC_INDEX]
    client = IndexClient(
        upstreams=upstreams, cache=store, offline=offline, refresh=refresh, timeout_s=timeout
    )
    with client:
        if export is not None:
            if not for_locks:
                raise UsageError("--export needs --for LOCK: which projects go into the bundle")
            needs = [need for path in for_locks for need in read_needs(path)]
            end = None if until is None else parse_instant(until)
            made = bundle.export_bundle(client, needs, export, until=end, with_files=with_files)
            typer.echo(f"{export}: {made.pages} pages, {made.files} files, {made.size_bytes} bytes")
            return
        options = ServerOptions(
            policy=read_policy(yanked, override, hide),
            files=cast(
                "Literal['direct', 'through']",
                _one_of("--files", files or _files(offline), "direct", "through"),
            ),
            compress=cast(
                "Literal['auto', 'always', 'never']",
                _one_of("--compress", compress, "auto", "always", "never"),
            ),
            memory_bytes=memory * 1024 * 1024,
        )
        listening = listen_at(unix_socket) if unix_socket else listening_socket(host, port)
        if unix_socket:
            shown = f"the socket {unix_socket}"
        else:
            address, actual = listening.getsockname()[:2]
            shown = f"http://{f'[{address}]' if ':' in address else address}:{actual}/"
        typer.echo(f"The package index as of any instant: {shown} (Ctrl+C stops it)", err=True)
        serve(client, options, listening, log=None if quiet else sys.stderr)
        if unix_socket:
            unix_socket.unlink(missing_ok=True)


def read_policy(yanked: str, override: list[str] | None, hide: list[str] | None) -> Policy:
    """What --yanked, --override and --hide say. Raises UsageError."""
    from backdate.index.policy import Policy, parse_hidden, parse_overrides

    return Policy(
        yanked=cast("Literal['today', 'never']", _one_of("--yanked", yanked, "today", "never")),
        overrides=parse_overrides(override or (), words=True),
        hidden=parse_hidden(hide or ()),
    )


def _files(offline: bool) -> str:
    return "through" if offline else "direct"


def _one_of(option: str, value: str, *allowed: str) -> str:
    if value not in allowed:
        raise UsageError(f"{option} {value}: it is one of {', '.join(allowed)}")
    return value
