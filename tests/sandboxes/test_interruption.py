from __future__ import annotations

import subprocess
import sys
import threading
import time

import pytest

from backdate.sandboxes.interruption import both, check, obeying, side_by_side, wait_for


def test_what_is_waited_for_is_given_or_raised() -> None:
    with obeying(threading.Event()):
        assert wait_for(lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            wait_for(lambda: 1 // 0)
        with pytest.raises(TimeoutError, match="its own"):
            wait_for(lambda: (_ for _ in ()).throw(TimeoutError("its own")))


def test_who_obeys_nothing_does_it_itself() -> None:
    assert wait_for(threading.get_ident) == threading.get_ident()
    with obeying(threading.Event()):
        assert wait_for(threading.get_ident) != threading.get_ident()


def test_a_wait_ends_when_it_is_told_to() -> None:
    stop, never = threading.Event(), threading.Event()
    with obeying(stop), pytest.raises(KeyboardInterrupt):
        wait_for(lambda: (stop.set(), never.wait()))
    never.set()


def test_the_work_obeys_the_same() -> None:
    stop = threading.Event()
    stop.set()
    with obeying(stop), pytest.raises(KeyboardInterrupt):
        wait_for(check)


def until_ended(begun: threading.Event) -> None:
    begun.set()
    while True:
        check()
        time.sleep(0.01)


def test_answers_come_in_the_order_of_the_works_whoever_is_first() -> None:
    second = threading.Event()

    def wait_for_second() -> int:
        assert second.wait(10)
        return 1

    def be_second() -> int:
        second.set()
        return 2

    assert side_by_side([wait_for_second, be_second, lambda: 3]) == [1, 2, 3]
    assert side_by_side([]) == []
    assert both(lambda: "a", lambda: 1) == ("a", 1)


def test_one_alone_is_done_by_whoever_asks() -> None:
    assert side_by_side([threading.get_ident]) == [threading.get_ident()]


@pytest.mark.parametrize("first", [True, False])
def test_an_error_of_one_ends_the_other(first: bool) -> None:
    begun = threading.Event()

    def fail() -> None:
        assert begun.wait(10)
        raise LookupError("of one")

    works = [fail, lambda: until_ended(begun)]
    with pytest.raises(LookupError, match="of one"):
        side_by_side(works if first else works[::-1])


def test_what_the_asking_thread_obeys_ends_both() -> None:
    stop, ended = threading.Event(), []
    begun = [threading.Event(), threading.Event()]

    def work(number: int) -> None:
        try:
            until_ended(begun[number])
        finally:
            ended.append(number)

    def stopping() -> None:
        for one in begun:
            assert one.wait(10)
        stop.set()

    with obeying(stop), pytest.raises(KeyboardInterrupt):
        side_by_side([lambda: work(0), lambda: work(1), stopping])
    assert sorted(ended) == [0, 1]


def test_an_interrupt_of_the_asking_thread_ends_both() -> None:
    program = """
import os, signal, threading, time
from backdate.sandboxes.interruption import check, side_by_side
ended, begun = [], threading.Barrier(2)
def work():
    if begun.wait(10) == 0:
        os.kill(os.getpid(), signal.SIGINT)
    try:
        while True:
            check()
            time.sleep(0.01)
    finally:
        ended.append(1)
try:
    side_by_side([work, work])
except KeyboardInterrupt:
    print("interrupted", len(ended), threading.active_count())
"""
    command = ["env", "--default-signal=INT", sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "interrupted 2 1\n", done.stderr
