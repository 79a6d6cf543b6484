from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from patience import PATIENCE_S

from backdate.sandboxes.interruption import check, obeying
from backdate.sandboxes.threads import both, command_started, in_threads


def endless() -> None:
    while True:
        check()
        time.sleep(0.01)


@settings(deadline=None, max_examples=30)
@given(st.lists(st.integers(), max_size=20), st.integers(min_value=-1, max_value=5))
def test_the_order_is_that_of_the_works(numbers, jobs) -> None:
    assert in_threads([partial(int, number) for number in numbers], jobs=jobs, name="t") == numbers


def test_a_single_work_runs_in_the_calling_thread() -> None:
    assert in_threads([threading.get_ident], name="t") == [threading.get_ident()]
    assert in_threads([], name="t") == []


def test_both_may_give_different_things() -> None:
    assert both(lambda: "a", lambda: 1, name="t") == ("a", 1)


def test_all_works_run_at_once_by_default() -> None:
    all_of_them = threading.Barrier(7, timeout=PATIENCE_S)
    assert len(set(in_threads([all_of_them.wait] * 7, name="t"))) == 7


def test_the_event_of_the_calling_thread_ends_all() -> None:
    stop, ended = threading.Event(), []
    begun = threading.Barrier(3, timeout=PATIENCE_S)

    def work(number: int) -> None:
        begun.wait()
        try:
            endless()
        finally:
            ended.append(number)

    def stopping() -> None:
        begun.wait()
        stop.set()

    with obeying(stop), pytest.raises(KeyboardInterrupt):
        in_threads([partial(work, 0), partial(work, 1), stopping], name="t")
    assert sorted(ended) == [0, 1]


def test_at_most_so_many_at_a_time() -> None:
    lock, under_way, most = threading.Lock(), 0, 0
    both = threading.Barrier(2, timeout=PATIENCE_S)

    def work() -> None:
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        both.wait()
        with lock:
            under_way -= 1

    in_threads([work] * 8, jobs=2, name="t")
    assert most == 2


@pytest.mark.parametrize("ends_others", [True, False])
def test_an_error_ends_the_others_or_lets_them_finish(ends_others: bool) -> None:
    begun, done, late = threading.Barrier(2, timeout=PATIENCE_S), [], []

    def fails() -> None:
        begun.wait()
        raise ValueError("mine")

    def goes_on() -> None:
        begun.wait()
        if ends_others:
            endless()
        time.sleep(0.3)
        check()
        done.append("whole")

    with pytest.raises(ValueError, match="mine"):
        in_threads(
            [fails, goes_on, partial(late.append, 1)],
            jobs=2,
            name="t",
            ends_others=ends_others,
        )
    assert done == ([] if ends_others else ["whole"])
    assert not late


PROGRAM = """
import signal, sys, threading, time
from functools import partial
from backdate.sandboxes.interruption import check
from backdate.sandboxes.threads import in_threads

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background process ignores it
enough = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), enough.set()), daemon=True).start()

def say(words):  # in one piece: print writes the end of the line apart
    sys.stdout.write(words + "\\n")
    sys.stdout.flush()

def work(number):
    say(f"begun {number}")
    try:
        while True:
            check()
            time.sleep(0.01)
    finally:
        enough.wait()  # what an end takes: a process tree is killed, a tree removed
        say(f"ended {number}")

try:
    in_threads([partial(work, n) for n in range(6)], jobs=2, name="t", ends_others=sys.argv[1] == "True")
except KeyboardInterrupt:
    say("interrupted")
"""


@pytest.mark.parametrize("ends_others", [True, False])
def test_however_often_ctrl_c_comes_all_has_ended_and_nothing_is_begun(ends_others: bool) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, str(ends_others)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        begun = [process.stdout.readline() for _ in range(2)]
        for _ in range(60):
            process.send_signal(signal.SIGINT)
            time.sleep(0.002)
        time.sleep(0.2)  # the last one has arrived
        rest, _ = process.communicate("enough\n", timeout=60)
    assert sorted(begun) == ["begun 0\n", "begun 1\n"]
    assert sorted(rest.splitlines()) == ["ended 0", "ended 1", "interrupted"]
    assert rest.endswith("interrupted\n")


def test_in_turn_each_begins_when_the_one_before_runs_a_command_or_ended() -> None:
    events: list[str] = []
    third_began = threading.Event()

    def first() -> None:
        time.sleep(0.01)
        events.append("first computed")
        command_started()
        assert third_began.wait(PATIENCE_S)

    def second() -> None:
        events.append("second ended")  # without a command

    def third() -> None:
        events.append("third began")
        third_began.set()

    in_threads([first, second, third], name="t", in_turn=True)
    assert events == ["first computed", "second ended", "third began"]


def test_in_turn_an_error_lets_the_others_end() -> None:
    def fail() -> None:
        raise ValueError("the first")

    with pytest.raises(ValueError, match="the first"):
        in_threads([fail, endless, endless], name="t", in_turn=True)
