"""Results that are probably needed next, computed in other threads while something else is under way.

Whether an answer is there already changes nothing but the time: whoever asks waits for what was begun, or
does it where nothing was. So only what leaves no trace besides its answer may be done ahead, such as a
resolution.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Generic, Self, TypeVar

from backdate.sandboxes.interruption import obeying, result_of, signals_noted

K = TypeVar("K")
V = TypeVar("V")

AT_ONCE = 2
"""Answers that are got at the same time: those to the two ways in which a question may be answered."""


@dataclass(frozen=True, slots=True)
class _Begun(Generic[V]):
    stop: threading.Event
    answer: Future[V]


class Prefetcher(Generic[K, V]):
    """Calls ``ask`` ahead of need. Use as a context manager, left before what ``ask`` uses is closed."""

    def __init__(self, ask: Callable[[K], V]) -> None:
        """``ask`` is called in several threads at once, and has to give equal answers to equal keys."""
        self._ask = ask
        self._begun: dict[K, _Begun[V]] = {}
        self._stops: list[threading.Event] = []
        self._pool = ThreadPoolExecutor(max_workers=AT_ONCE, thread_name_prefix="ahead")

    def expect(self, keys: Iterable[K]) -> None:
        """Begin with ``keys``, the likeliest first; what was expected and is not any more ends.

        An error of one that is never asked for is ignored.
        """
        wanted = dict.fromkeys(keys)
        with signals_noted():
            for key in [key for key in self._begun if key not in wanted]:
                self._end(self._begun.pop(key))
            for key in wanted:
                if key not in self._begun:
                    stop = threading.Event()
                    self._stops.append(stop)
                    self._begun[key] = _Begun(stop, self._pool.submit(self._obediently, stop, key))

    def get(self, key: K) -> V:
        """The answer, or the error that asking raises; of what was begun, or asked for in this thread."""
        begun = self._begun.pop(key, None)
        with signals_noted():
            waiting = begun is None or begun.answer.cancel()  # not begun yet: others are in its way
        if begun is None or waiting:
            return self._ask(key)
        try:
            return result_of(begun.answer)
        except BaseException:
            self._end(begun)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """End what is under way; nothing is when this returns."""
        with signals_noted():
            for stop in self._stops:
                stop.set()
            self._pool.shutdown(cancel_futures=True)

    def _obediently(self, stop: threading.Event, key: K) -> V:
        with obeying(stop):
            return self._ask(key)

    @staticmethod
    def _end(begun: _Begun[V]) -> None:
        begun.answer.cancel()
        begun.stop.set()
