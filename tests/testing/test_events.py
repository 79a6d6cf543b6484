"""Reading event files: nothing raises, and no well-formed event is lost."""

from __future__ import annotations

import json
import os
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from backdate.testing.assembly import Capture
from backdate.testing.events import LARGEST_LINE, read_event_file, read_events
from backdate.testing.wire import Phase, parse_event

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
RAISED = st.lists(
    st.fixed_dictionaries(
        {
            "type": TEXT,
            "message": TEXT,
            "frames": st.lists(
                st.fixed_dictionaries({"file": TEXT, "line": st.integers(0, 9), "function": TEXT}), max_size=2
            ),
            "link": st.sampled_from(["", "cause", "context", "member"]),
        }
    ),
    max_size=2,
)
NAMES = st.sampled_from(["a", "b", "a#2", "c::d[é e]"])
FIELDS = {
    "session": {"runner": TEXT, "python": TEXT},
    "collecting": {"id": NAMES, "module": TEXT},
    "collecting-done": {"id": NAMES},
    "collected": {"ids": st.lists(NAMES, max_size=4)},
    "uncollected": {"id": NAMES, "outcome": TEXT, "reason": TEXT, "raised": RAISED},
    "start": {"id": NAMES, "file": st.none() | TEXT},
    "phase": {
        "id": NAMES,
        "when": st.sampled_from(["setup", "call", "teardown", "???"]),
        "outcome": st.sampled_from(["passed", "failed", "skipped", "rerun"]),
        "xfail": st.none() | TEXT,
        "sub": st.booleans(),
        "reason": TEXT,
        "raised": RAISED,
    },
    "end": {"id": NAMES, "duration": st.floats(allow_nan=False, allow_infinity=False)},
    "group": {"id": NAMES, "where": TEXT},
    "group-result": {"id": NAMES, "where": TEXT, "outcome": TEXT, "reason": TEXT, "raised": RAISED},
    "broken": {"where": TEXT, "raised": RAISED},
    "interrupted": {"raised": RAISED},
    "finish": {
        "exit_status": st.integers(-9, 255),
        "collected": st.integers(0, 9),
        "failed": st.integers(0, 9),
        "stopped": TEXT,
    },
    "capture-error": {"about": TEXT, "reason": TEXT},
}
EVENTS = st.one_of(
    [
        st.fixed_dictionaries({"event": st.just(name), "pid": st.just(7), **fields})
        for name, fields in FIELDS.items()
    ]
)
GARBAGE = st.one_of(
    st.binary(max_size=40).map(lambda data: data.replace(b"\n", b"")),
    st.sampled_from(
        [
            b'{"event":"end","id":"x","duration":1',
            b'{"event":"end","id":"x","duration":"1","pid":7}',
            b'{"event":"unknown","pid":7}',
            b'{"event":"start","id":7,"file":null,"pid":7}',
            b"[" * 100_000,
            b'{"event":"end","id":"\xff","duration":1,"pid":7}',
            b'{"event":"end","id":"x","duration":1e999999,"pid":' + b"9" * 5000 + b"}",
            b"null",
        ]
    ),
).filter(lambda line: parse_event(line) is None)


def line(event: dict[str, object]) -> bytes:
    return json.dumps(event).encode()


@given(st.lists(EVENTS, max_size=12), st.data())
def test_garbage_between_events_changes_nothing(events: list[dict[str, object]], data: st.DataObject) -> None:
    lines = [line(event) for event in events]
    mixed = list(lines)
    garbage = data.draw(st.lists(GARBAGE, max_size=5))
    for one in garbage:
        mixed.insert(data.draw(st.integers(0, len(mixed))), one)
    clean = read_events(b"\n".join(lines))
    dirty = read_events(b"\n".join(mixed))
    assert clean.malformed == 0
    assert dirty.malformed == sum(bool(one.strip()) for one in garbage)
    assert {name: getattr(dirty, name) for name in Capture.__slots__ if name != "malformed"} == {
        name: getattr(clean, name) for name in Capture.__slots__ if name != "malformed"
    }


@given(st.lists(EVENTS, max_size=12))
def test_every_well_formed_event_counts(events: list[dict[str, object]]) -> None:
    capture = read_events(line(event) for event in events)
    kinds = [event["event"] for event in events]
    phases = sum(len(test.phases) for test in capture.tests)
    ended = sum(test.ended for test in capture.tests)
    dead = sum(phase.when == "???" for test in capture.tests for phase in test.phases)
    extra = max(kinds.count("session") - 1, 0) + max(kinds.count("finish") - 1, 0)
    assert len(capture.tests) == kinds.count("start")
    assert phases + ended - dead + capture.contradictory - extra == kinds.count("phase") + kinds.count("end")
    assert len(capture.group_results) == kinds.count("group-result")
    assert capture.capture_errors == kinds.count("capture-error")
    assert len({test.id for test in capture.tests}) == len(capture.tests)


@given(st.binary(max_size=400))
def test_nothing_raises(data: bytes) -> None:
    assert read_events(data).malformed <= data.count(b"\n") + 1


@given(st.lists(EVENTS, min_size=1, max_size=6), st.integers(0, 400))
def test_a_file_cut_anywhere_keeps_what_came_before(events: list[dict[str, object]], cut: int) -> None:
    data = b"".join(b"\n" + line(event) + b"\n" for event in events)[:cut]
    capture = read_events(data)
    assert capture.malformed <= 1
    assert len(capture.tests) == sum(
        json.loads(one)["event"] == "start" for one in data.split(b"\n") if parse_event(one) is not None
    )


def test_what_is_said_of_exceptions_is_as_long_as_an_honest_one_says_it() -> None:
    frame = {"file": "f" * 9000, "line": 1, "function": "g" * 9000, "source": "s" * 9000}
    long = {"type": "T" * 9000, "message": "/" * 4_000_000, "frames": [frame] * 80, "link": ""}
    phase = {"event": "phase", "pid": 7, "id": "a" * 9000, "when": "call", "outcome": "failed"}
    said = {
        "xfail": "x" * 9000,
        "sub": False,
        "reason": "r" * 9000,
        "raised": [long, *[{**long, "message": "", "frames": []}] * 40],
    }
    event = parse_event(line({**phase, **said}))
    assert isinstance(event, Phase)
    assert len(event.id) == 9000  # which a test may well be called
    assert (len(event.reason), len(event.xfail or ""), len(event.raised)) == (4000, 4000, 32)
    first = event.raised[0]
    assert (len(first.type), len(first.message), len(first.frames)) == (1000, 4000, 61)
    assert [
        len(text) for text in (first.frames[0].file, first.frames[0].function, first.frames[0].source)
    ] == [*(4096, 1000, 1000)]


def test_events_of_another_process_do_not_count() -> None:
    mine = {"event": "start", "id": "a", "file": None, "pid": 7}
    child = {"event": "end", "id": "a", "duration": 1.0, "pid": 8}
    capture = read_events([line(mine), line(child)])
    assert capture.foreign == 1
    assert not capture.tests[0].ended


def test_repeated_ids_are_told_apart() -> None:
    start = {"event": "start", "id": "a", "file": None, "pid": 7}
    end = {"event": "end", "id": "a", "duration": 1.0, "pid": 7}
    capture = read_events(line(event) for event in [start, end, start, start, end])
    assert [(test.id, test.ended) for test in capture.tests] == [("a", True), ("a#2", True), ("a#3", False)]


def test_a_huge_line_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "events"
    start = line({"event": "start", "id": "a", "file": None, "pid": 7})
    path.write_bytes(b"x" * (3 * LARGEST_LINE) + b"\n" + start + b"\n")
    capture = read_event_file(path)
    assert [test.id for test in capture.tests] == ["a"]
    assert capture.malformed == 1


def test_no_more_than_the_largest_size_is_read(tmp_path: Path) -> None:
    path = tmp_path / "events"
    start = line({"event": "start", "id": "a", "file": None, "pid": 7})
    path.write_bytes(b"\n".join([start] * 100))
    capture = read_event_file(path, largest=len(start) * 2 + 1)
    assert len(capture.tests) == 2
    assert capture.truncated


def test_links_folders_pipes_and_nothing_are_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_bytes(line({"event": "start", "id": "a", "file": None, "pid": 7}))
    (tmp_path / "link").symlink_to(secret)
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "folder", "pipe", "absent"):
        assert read_event_file(tmp_path / name) == Capture(malformed=1)
