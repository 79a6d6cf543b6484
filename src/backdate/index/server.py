"""Run the application: in this process for a while, or in the foreground until it is stopped."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING, TextIO

from backdate.errors import MachineError
from backdate.index.allocator import settle_process
from backdate.index.application import Application, ServerOptions
from backdate.index.request_log import RequestLog
from backdate.index.routes import When, format_when
from backdate.index.upstream import IndexClient
from backdate.timeline.instants import Instant

if TYPE_CHECKING:
    import uvicorn

_START_WITHIN_S = 20.0


def listening_socket(host: str, port: int) -> socket.socket:
    """A socket that listens on ``host`` and ``port`` (0: any free one). Raises MachineError."""
    try:
        return socket.create_server(
            (host, port), family=socket.AF_INET6 if ":" in host else socket.AF_INET, backlog=2048
        )
    except OSError as error:
        raise MachineError(
            f"cannot listen on {host} port {port}: {error.strerror}; choose another with --port"
        ) from error


def unix_socket(path: Path) -> socket.socket:
    """A Unix socket that listens at ``path``, which nobody else may use. Raises MachineError."""
    listening = socket.socket(socket.AF_UNIX)
    try:
        listening.bind(str(path))
        path.chmod(0o600)
        listening.listen(2048)
    except OSError as error:
        listening.close()
        raise MachineError(f"cannot listen at {path}: {error.strerror}") from error
    return listening


def make_server(application: Application) -> uvicorn.Server:
    """A uvicorn server for ``application``, with the fastest event loop and parser that are installed."""
    import uvicorn

    return uvicorn.Server(
        uvicorn.Config(
            application,
            access_log=False,
            log_level="critical",
            server_header=False,
            proxy_headers=False,
            lifespan="off",
            ws="none",
            timeout_keep_alive=30,
            timeout_graceful_shutdown=5,
        )
    )


def serve(
    client: IndexClient, options: ServerOptions, listening: socket.socket, *, log: TextIO | None = None
) -> None:
    """Serve on ``listening`` until SIGINT or SIGTERM."""
    application = Application(client, options, log=RequestLog(log) if log else None)
    settle_process()
    try:
        make_server(application).run(sockets=[listening])
    finally:
        application.close()


class SnapshotServer:
    """An index in this process, for as long as the ``with`` block runs.

    It listens on ``port`` of 127.0.0.1 (0: any free one), or at the Unix socket ``socket_path`` alone. The
    client is the caller's: it is not closed.
    """

    def __init__(
        self,
        client: IndexClient,
        options: ServerOptions | None = None,
        *,
        socket_path: Path | None = None,
        port: int = 0,
        log: TextIO | None = None,
    ) -> None:
        self._client = client
        self._options = options or ServerOptions()
        self._socket_path = socket_path
        self._log = log
        self._port = port
        self._server: uvicorn.Server | None = None
        self._thread: threading.Thread | None = None
        self._application: Application | None = None
        self._listening: socket.socket | None = None

    def __enter__(self) -> SnapshotServer:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Listen; returns when requests are answered. Raises MachineError when that fails."""
        if self._thread is not None:
            return
        if self._socket_path is not None:
            self._listening = unix_socket(self._socket_path)
        else:
            self._listening = listening_socket("127.0.0.1", self._port)
            self._port = self._listening.getsockname()[1]
        self._application = Application(
            self._client, self._options, log=RequestLog(self._log) if self._log else None
        )
        self._server = make_server(self._application)
        self._thread = threading.Thread(
            target=self._server.run,
            kwargs={"sockets": [self._listening]},
            name="snapshot-server",
            daemon=True,
        )
        self._thread.start()
        deadline = time.monotonic() + _START_WITHIN_S
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > deadline:
                self.close()
                raise MachineError("the index server did not start; run it alone with: backdate index")
            time.sleep(0.002)

    @property
    def origin(self) -> str:
        """``http://127.0.0.1:PORT``, without a slash at the end."""
        return f"http://127.0.0.1:{self._port}"

    def url(self, instant: Instant | None, overrides: Mapping[str, Instant] = MappingProxyType({})) -> str:
        """The index' root URL as of ``instant`` (None: today), with projects that are cut elsewhere."""
        if instant is None:
            return f"{self.origin}/simple/"
        return f"{self.origin}/snapshot/{format_when(When(instant=instant, overrides=overrides))}/simple/"

    def close(self) -> None:
        """Stop listening and wait until the last request is done."""
        if self._server is not None:
            self._server.should_exit = True
        if self._thread is not None:
            self._thread.join()
        if self._application is not None:
            self._application.close()
        if self._listening is not None:
            self._listening.close()
        if self._socket_path is not None and self._thread is not None:
            self._socket_path.unlink(missing_ok=True)
        self._server = self._thread = self._application = self._listening = None
