"""Progress and the bound on the event file."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from patience import PATIENCE_S

from backdate.progress import NO_PROGRESS, Event, SuiteAdvanced
from backdate.testing.watching import EventTail, Watch

END = json.dumps({"event": "end", "id": "a", "duration": 1.0, "pid": 1}, separators=(",", ":")).encode()
FORGED = json.dumps({"event": "start", "id": '"event":"end"', "file": None, "pid": 1}, separators=(",", ":"))
COLLECTED = json.dumps({"event": "collected", "ids": ["a", "b"], "pid": 1}, separators=(",", ":")).encode()
START = json.dumps({"event": "start", "id": "a", "file": None, "pid": 1}, separators=(",", ":")).encode()
DATA = b"\n".join([COLLECTED, END, b"garbage", FORGED.encode(), END, b""])


@given(st.lists(st.integers(0, len(DATA)), max_size=6))
def test_chunks_do_not_matter(cuts: list[int]) -> None:
    tail = EventTail()
    places = [0, *sorted(cuts), len(DATA)]
    for start, end in itertools.pairwise(places):
        tail.feed(DATA[start:end])
    assert (tail.finished, tail.collected) == (2, 2)


class Recorded:
    def __init__(self) -> None:
        self.events: list[Event] = []

    def report(self, event: Event) -> None:
        self.events.append(event)


def test_progress_is_reported_to_the_end(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_bytes(b"")
    progress = Recorded()
    with Watch(path, progress, subject="old", finished=3, total=None, largest=10_000):
        path.write_bytes(DATA)
    assert progress.events[-1] == SuiteAdvanced(subject="old", finished=5, total=2)


def test_an_exception_of_the_reporter_is_raised_at_the_end(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_bytes(DATA)

    class Failing:
        def report(self, event: Event) -> None:
            raise LookupError(event)

    with (
        pytest.raises(LookupError, match="finished=2"),
        Watch(path, Failing(), subject="old", finished=0, total=None, largest=10_000),
    ):
        pass


def test_a_file_that_grows_too_large_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_bytes(END + b"\n" + b"x" * 5_000_000)
    with Watch(path, NO_PROGRESS, subject="old", finished=0, total=None, largest=1000):
        pass
    assert path.stat().st_size == 1001


def test_a_file_that_is_gone_is_no_trouble(tmp_path: Path) -> None:
    with Watch(tmp_path / "absent", NO_PROGRESS, subject="old", finished=0, total=None, largest=1000):
        pass


def test_a_test_that_is_silent_for_too_long_stops_the_run(tmp_path: Path) -> None:
    path = tmp_path / "events"
    path.write_bytes(START + b"\n")
    with Watch(path, subject="old", finished=0, total=None, largest=10_000, case_wall_s=0.01) as watch:
        assert watch.stop.wait(PATIENCE_S)


@pytest.mark.parametrize("data", [b"", COLLECTED + b"\n", START + b"\n" + END + b"\n"])
def test_no_running_test_stops_nothing(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "events"
    path.write_bytes(data)
    with Watch(path, subject="old", finished=0, total=None, largest=10_000, case_wall_s=0.01) as watch:
        assert not watch.stop.wait(1.0)
