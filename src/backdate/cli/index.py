"""``backdate index``: serve the package index as it was at any instant; write and read snapshot bundles."""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, cast

import typer

from backdate.cli.arguments import takes
from backdate.cli.index_options import Cache, Offline, Refresh, Upstream, View, one_of, usable_cache
from backdate.errors import UsageError
from backdate.timeline.instants import parse_instant

if TYPE_CHECKING:
    from backdate.index.application import ServerOptions
    from backdate.index.cache import DiskCache
    from backdate.index.upstream import IndexClient

_MB = 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexArguments:
    """What ``index`` is given."""

    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0: any free one.")] = 5000
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for containers.")] = "127.0.0.1"
    unix_socket: Annotated[Path | None, typer.Option(help="Listen at this Unix socket instead.")] = None
    upstream: Upstream = None
    cache: Cache = None
    cache_size: Annotated[
        int, typer.Option("--cache-size", metavar="MB", min=1, help="Bound of the cache on disk.")
    ] = 4096
    memory: Annotated[int, typer.Option(metavar="MB", min=4, help="For pages and answers in memory.")] = 30
    offline: Offline = False
    refresh: Refresh = False
    view: View
    files: Annotated[
        str | None,
        typer.Option(
            metavar="direct|through",
            help="Clients fetch files from the index itself, or through this server, which keeps them "
            "(default: direct; through when offline).",
            show_default=False,
        ),
    ] = None
    compress: Annotated[
        str,
        typer.Option(
            metavar="auto|always|never", help="Compress pages; auto: not for this machine's own clients."
        ),
    ] = "auto"
    timeout: Annotated[
        float, typer.Option(metavar="SECONDS", min=0.1, help="Seconds to wait for an index to answer.")
    ] = 30.0
    quiet: Annotated[bool, typer.Option("--quiet", help="No request log.")] = False
    export: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write a snapshot bundle of what --for names, and stop."),
    ] = None
    for_locks: Annotated[
        list[Path] | None,
        typer.Option(
            "--for", metavar="LOCK", help="Requirements, pylock.toml or a lock of backdate (repeatable)."
        ),
    ] = None
    until: Annotated[
        str | None,
        typer.Option(metavar="INSTANT", help="Nothing uploaded from then on goes into the bundle."),
    ] = None
    with_files: Annotated[bool, typer.Option("--with-files", help="Put the files into the bundle too.")] = (
        False
    )
    import_: Annotated[
        Path | None,
        typer.Option("--import", metavar="FILE", help="Fill the cache from a snapshot bundle, and stop."),
    ] = None


@takes(IndexArguments)
def index_command(arguments: IndexArguments) -> None:
    """Serve the package index as it was at any instant.

    Pages are at /snapshot/2021-03-01/simple/ (or a full instant), today's at /simple/. What was
    uploaded strictly before the instant is visible; a bare date is 00:00 UTC.
    """
    from backdate.index.addresses import PUBLIC_INDEX
    from backdate.index.cache import DiskCache
    from backdate.index.upstream import IndexClient

    if arguments.export is None and (
        arguments.for_locks or arguments.until is not None or arguments.with_files
    ):
        raise UsageError(
            "--for, --until and --with-files say what goes into a bundle; name it with --export FILE"
        )
    logging.basicConfig(level=logging.WARNING, format="backdate index: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)
    store = DiskCache(usable_cache(arguments.cache), max_bytes=arguments.cache_size * _MB)
    if arguments.import_ is not None:
        _import(arguments.import_, store)
        return
    client = IndexClient(
        upstreams=arguments.upstream or [PUBLIC_INDEX],
        cache=store,
        offline=arguments.offline,
        refresh=arguments.refresh,
        timeout_s=arguments.timeout,
    )
    with client:
        if arguments.export is not None:
            _export(arguments, arguments.export, client)
        else:
            _serve(arguments, client)


def _import(file: Path, store: DiskCache) -> None:
    from backdate.index import bundle

    read = bundle.import_bundle(file, store)
    typer.echo(f"{read.pages} pages and {read.files} files are in {store.folder} now")


def _export(arguments: IndexArguments, file: Path, client: IndexClient) -> None:
    from backdate.cli.progress import watch
    from backdate.index import bundle
    from backdate.index.lock_files import read_needs

    if not arguments.for_locks:
        raise UsageError("--export needs --for LOCK: which projects go into the bundle")
    needs = [need for path in arguments.for_locks for need in read_needs(path)]
    end = None if arguments.until is None else parse_instant(arguments.until, words=True)
    with watch() as progress:
        made = bundle.export_bundle(
            client, needs, file, until=end, with_files=arguments.with_files, progress=progress
        )
    typer.echo(f"{file}: {made.pages} pages, {made.files} files, {made.size_bytes} bytes")


def _serve(arguments: IndexArguments, client: IndexClient) -> None:
    from backdate.index.server import listening_socket, serve
    from backdate.index.server import unix_socket as listen_at

    options = _server_options(arguments)
    path = arguments.unix_socket
    listening = listen_at(path) if path else listening_socket(arguments.host, arguments.port)
    if path:
        shown = f"the socket {path}"
    else:
        address, actual = listening.getsockname()[:2]
        shown = f"http://{f'[{address}]' if ':' in address else address}:{actual}/"
    typer.echo(f"The package index as of any instant: {shown} (Ctrl+C stops it)", err=True)
    serve(client, options, listening, log=None if arguments.quiet else sys.stderr)
    if path:
        path.unlink(missing_ok=True)


def _server_options(arguments: IndexArguments) -> ServerOptions:
    """Raises UsageError."""
    from backdate.index.application import ServerOptions

    files = arguments.files or ("through" if arguments.offline else "direct")
    return ServerOptions(
        policy=arguments.view.policy(),
        files=cast("Literal['direct', 'through']", one_of("--files", files, "direct", "through")),
        compress=cast(
            "Literal['auto', 'always', 'never']",
            one_of("--compress", arguments.compress, "auto", "always", "never"),
        ),
        memory_bytes=arguments.memory * _MB,
    )
