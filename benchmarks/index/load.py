"""A small load generator on plain sockets, and what a process has used so far."""

from __future__ import annotations

import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_BUFFER = bytearray(1 << 20)


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What a run of requests took."""

    requests: int
    errors: int
    wall_s: float
    cpu_s: float
    """Of the server's processes, user and system."""

    @property
    def per_second(self) -> float:
        return self.requests / self.wall_s

    @property
    def cpu_us(self) -> float:
        return self.cpu_s / self.requests * 1e6


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, its threads and its children that are alive."""
    total = 0.0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0]) / 1e9
        total += sum(cpu_seconds(int(child)) for child in (task / "children").read_text().split())
    return total


def resident_mb(pid: int) -> float:
    """Resident memory of a process, in MB of 2**20 bytes."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    raise RuntimeError(f"no VmRSS for {pid}")


class _Connection:
    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.head = b""
        self.left = -1
        self.status = 0

    def ask(self, path: str, accept: str) -> None:
        request = (
            f"GET {path} HTTP/1.1\r\nHost: localhost\r\nAccept: {accept}\r\nAccept-Encoding: identity\r\n\r\n"
        )
        self.socket.sendall(request.encode())
        self.head, self.left = b"", -1

    def read(self) -> bool:
        """Whether the answer is complete."""
        size = self.socket.recv_into(_BUFFER)
        if size == 0:
            raise ConnectionError("closed")
        if self.left < 0:
            self.head += _BUFFER[:size]
            head, found, rest = self.head.partition(b"\r\n\r\n")
            if not found:
                return False
            self.status = int(head[9:12])
            lowered = head.lower()
            self.left = int(lowered.split(b"content-length:")[1].split(b"\r\n")[0]) - len(rest)
        else:
            self.left -= size
        return self.left <= 0


def run_load(
    port: int, pid: int, paths: Sequence[str], accept: str, *, requests: int, connections: int = 4
) -> Load:
    """Ask for ``paths`` in turn, ``requests`` times in all."""
    wanted: Iterator[str] = (paths[number % len(paths)] for number in range(requests))
    selector = selectors.DefaultSelector()
    started, cpu = time.perf_counter(), cpu_seconds(pid)
    done = errors = 0
    for _ in range(connections):
        path = next(wanted, None)
        if path is not None:
            connection = _Connection(port)
            connection.ask(path, accept)
            selector.register(connection.socket, selectors.EVENT_READ, connection)
    while selector.get_map():
        for key, _ in selector.select():
            connection = key.data
            if not connection.read():
                continue
            done += 1
            errors += connection.status != 200
            path = next(wanted, None)
            if path is None:
                selector.unregister(connection.socket)
                connection.socket.close()
            else:
                connection.ask(path, accept)
    wall_s = time.perf_counter() - started
    return Load(requests=done, errors=errors, wall_s=wall_s, cpu_s=cpu_seconds(pid) - cpu)
