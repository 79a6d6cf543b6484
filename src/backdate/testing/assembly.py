"""Putting events together: from a sequence of them to what they say of each test."""

from __future__ import annotations

import math
import re
from collections import deque
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from backdate.testing.authenticity import NOTHING_FOUND, Authenticity
from backdate.testing.wire import (
    AnyEvent,
    BodySeen,
    CanariesOff,
    CaptureError,
    CaseStarted,
    Collected,
    Collecting,
    CollectingDone,
    End,
    Finish,
    GroupResult,
    GroupStarted,
    Interrupted,
    Phase,
    RunnerBroken,
    RunnerStarted,
    Uncollected,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRecord:
    """What the file says of one test."""

    __test__ = False

    id: str
    file: str | None
    phases: tuple[Phase, ...]
    ended: bool
    duration_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """What the file says of one process."""

    session: RunnerStarted | None = None
    collected: tuple[str, ...] = ()
    tests: tuple[CaseRecord, ...] = ()
    """In the order in which they started."""
    uncollected: tuple[Uncollected, ...] = ()
    group_results: tuple[GroupResult, ...] = ()
    collecting: Collecting | None = None
    """The module whose import had begun and not ended."""
    group: GroupStarted | None = None
    """The class or module whose set-up or tear-down had begun; None when anything came after."""
    broken: RunnerBroken | None = None
    interrupted: Interrupted | None = None
    finish: Finish | None = None
    malformed: int = 0
    """Lines that are not events."""
    foreign: int = 0
    """Events of another process than the session's."""
    contradictory: int = 0
    """Events that cannot have been written by an honest runner: an end without a start, a second session."""
    after_finish: int = 0
    """Tests that started after the runner had said that it was done."""
    capture_errors: int = 0
    truncated: bool = False
    """Whether the file was longer than is read."""
    authenticity: Authenticity = NOTHING_FOUND
    canaries: tuple[CaseRecord, ...] = ()
    """Tests that are none of the suite's, but were run to see what becomes of them."""
    canaries_off: CanariesOff | None = None
    """Why no further canary was run."""
    bodies: Mapping[str, BodySeen] = field(default_factory=dict)
    """What the witness saw, by the id of the test; of repeated tests what it saw last."""


@dataclass(slots=True)
class _Test:
    """What was told of one test so far."""

    id: str
    file: str | None
    phases: list[Phase] = field(default_factory=list)
    ended: bool = False
    duration_s: float = 0.0


class Assembly:
    """Takes events in the order of the file, and gives a :class:`Capture`."""

    def __init__(self, canaries: Collection[str] = ()) -> None:
        """``canaries``: the last names of tests that are none of the suite's."""
        self._canaries = frozenset(canaries)
        self._canaries_off: CanariesOff | None = None
        self._bodies: dict[str, BodySeen] = {}
        self._pid: int | None = None
        self._session: RunnerStarted | None = None
        self._collected: dict[str, None] = {}
        self._tests: dict[str, _Test] = {}
        self._started: dict[str, int] = {}
        self._running: dict[str, deque[_Test]] = {}
        self._uncollected: dict[str, Uncollected] = {}
        self._group_results: list[GroupResult] = []
        self._collecting: Collecting | None = None
        self._group: GroupStarted | None = None
        self._broken: RunnerBroken | None = None
        self._interrupted: Interrupted | None = None
        self._finish: Finish | None = None
        self._foreign = 0
        self._contradictory = 0
        self._after_finish = 0
        self._capture_errors = 0

    def add(self, event: AnyEvent) -> None:
        """Take one event."""
        if self._pid is None:
            self._pid = event.pid
        if event.pid != self._pid:
            self._foreign += 1
            return
        self._group = None
        match event:
            case CaseStarted():
                self._start(event)
            case Phase():
                self._phase(event)
            case End():
                self._end(event)
            case Collected():
                self._collected.update(dict.fromkeys(event.ids))
            case Uncollected():
                # a file may be skipped for its doctests and then fail as what it is: that hides its tests
                known = self._uncollected.get(event.id)
                if known is None or (known.outcome == "skipped" and event.outcome != "skipped"):
                    self._uncollected[event.id] = event
            case Collecting():
                self._collecting = event
            case CollectingDone():
                self._collecting = None
            case GroupStarted():
                self._group = event
            case GroupResult():
                self._group_results.append(event)
            case _:
                self._rare(event)

    def _rare(self, event: AnyEvent) -> None:
        match event:
            case RunnerStarted():
                self._contradictory += self._session is not None
                self._session = self._session or event
            case RunnerBroken():
                self._broken = self._broken or event
            case Interrupted():
                self._interrupted = self._interrupted or event
            case Finish():
                self._contradictory += self._finish is not None
                self._finish = self._finish or event
            case CaptureError():
                self._capture_errors += 1
            case BodySeen():
                self._bodies[event.id] = event
            case CanariesOff():
                self._canaries_off = self._canaries_off or event

    def _start(self, event: CaseStarted) -> None:
        self._after_finish += self._finish is not None
        number = self._started[event.id] = self._started.get(event.id, 0) + 1
        name = event.id if number == 1 else f"{event.id}#{number}"
        while name in self._tests:  # "x#2" was an id of its own
            number = self._started[event.id] = number + 1
            name = f"{event.id}#{number}"
        test = _Test(id=name, file=event.file)
        self._tests[name] = test
        self._running.setdefault(event.id, deque()).append(test)
        if name != event.id:
            self._running.setdefault(name, deque()).append(test)

    def _open(self, identity: str) -> _Test | None:
        """The test of that id which is running: the one that started first, when several are."""
        running = self._running.get(identity, deque())
        while running and running[0].ended:
            running.popleft()
        return running[0] if running else None

    def _phase(self, event: Phase) -> None:
        test = self._open(event.id)
        if test is None:
            self._contradictory += 1
        else:
            test.phases.append(event)
            test.ended = event.when == "???"  # xdist, of a test whose worker died: nothing else will follow

    def _end(self, event: End) -> None:
        test = self._open(event.id)
        if test is None:
            self._contradictory += 1
        else:
            test.ended = True
            good = math.isfinite(event.duration) and event.duration >= 0
            test.duration_s = event.duration if good else 0.0

    def _is_canary(self, identity: str) -> bool:
        return bool(self._canaries) and re.split(r"[.:]", identity)[-1] in self._canaries

    def capture(self, *, malformed: int, truncated: bool, authenticity: Authenticity) -> Capture:
        """Everything that was taken."""
        records = tuple(
            CaseRecord(
                id=test.id,
                file=test.file,
                phases=tuple(test.phases),
                ended=test.ended,
                duration_s=test.duration_s,
            )
            for test in self._tests.values()
        )
        canaries = tuple(record for record in records if self._is_canary(record.id))
        tests = tuple(record for record in records if not self._is_canary(record.id))
        return Capture(
            session=self._session,
            collected=tuple(self._collected),
            tests=tests,
            uncollected=tuple(self._uncollected.values()),
            group_results=tuple(self._group_results),
            collecting=self._collecting,
            group=self._group,
            broken=self._broken,
            interrupted=self._interrupted,
            finish=self._finish,
            malformed=malformed,
            foreign=self._foreign,
            contradictory=self._contradictory,
            after_finish=self._after_finish,
            capture_errors=self._capture_errors,
            truncated=truncated,
            authenticity=authenticity,
            canaries=canaries,
            canaries_off=self._canaries_off,
            bodies=self._bodies,
        )
