"""Warm processes that stay between calls: importing a library costs more than all that is asked of it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from backdate.diagnosis.api import AskedPython
from backdate.sandboxes.interface import Mount, Sandbox
from backdate.snippets.runs import ProgramLimits
from backdate.snippets.warm.server import WarmServer, started

_MOST_WAITING = 6
"""Processes that wait, of all environments together: one with TensorFlow takes 300 MiB."""
_MOST_ASKED = 400
"""Programs of one process: its sandbox has a time limit for all of them."""

_Key = tuple[str, tuple[str, ...], ProgramLimits, tuple[Mount, ...]]


@dataclass(slots=True, eq=False)
class _KeptServer:
    key: _Key
    server: WarmServer
    closing: ExitStack


class KeptServers:
    """Lends warm processes, each to one caller at a time. Use as a context manager; safe between threads."""

    def __init__(self, sandbox: Sandbox) -> None:
        """``sandbox``: where they run."""
        self._sandbox = sandbox
        self._waiting: list[_KeptServer] = []
        """The last used one last."""
        self._guard = threading.Lock()
        self._closed = False

    def __enter__(self) -> Self:
        """Nothing is started yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """End all that wait; what is lent then ends when it is given back."""
        with self._guard:
            self._closed = True
            waiting, self._waiting = self._waiting, []
        _end(waiting)

    @contextlib.contextmanager
    def lent(
        self,
        python: AskedPython,
        modules: Sequence[str],
        limits: ProgramLimits,
        mounts: Sequence[Mount] = (),
    ) -> Iterator[WarmServer]:
        """A process that imported ``modules`` and shows ``mounts``: one that waits, else a new one.

        It waits for the next caller where every answer said that it is as it was; else, and where an error
        passes through here, it ends. Raises what ``started`` does.
        """
        key = (str(python.python), tuple(modules), limits, tuple(mounts))
        kept = self._taken(key) or self._started(python, key)
        goes_on = False
        try:
            yield kept.server
            goes_on = kept.server.clean
        finally:
            self._given_back(kept, goes_on=goes_on)

    def _taken(self, key: _Key) -> _KeptServer | None:
        with self._guard:
            found = next((one for one in reversed(self._waiting) if one.key == key), None)
            if found is not None:
                self._waiting.remove(found)
            return found

    def _started(self, python: AskedPython, key: _Key) -> _KeptServer:
        _, modules, limits, mounts = key
        with ExitStack() as stack:
            server = stack.enter_context(
                started(self._sandbox, python, modules, limits, _MOST_ASKED, mounts=mounts)
            )
            return _KeptServer(key=key, server=server, closing=stack.pop_all())

    def _given_back(self, kept: _KeptServer, *, goes_on: bool) -> None:
        ended = [kept]
        with self._guard:
            if goes_on and not self._closed and kept.server.asked < _MOST_ASKED:
                self._waiting.append(kept)
                ended = self._waiting[:-_MOST_WAITING]
                del self._waiting[:-_MOST_WAITING]
        _end(ended)


def _end(servers: Sequence[_KeptServer]) -> None:
    with ExitStack() as stack:  # each is ended, whatever another's end raises
        for one in servers:
            stack.push(one.closing)
