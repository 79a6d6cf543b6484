from __future__ import annotations

import threading

import pytest

from backdate.sandboxes.interruption import check, obeying, wait_for


def test_the_result_of_the_work_is_returned_or_raised() -> None:
    with obeying(threading.Event()):
        assert wait_for(lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            wait_for(lambda: 1 // 0)
        with pytest.raises(TimeoutError, match="its own"):
            wait_for(lambda: (_ for _ in ()).throw(TimeoutError("its own")))


def test_a_thread_without_an_event_does_the_work_itself() -> None:
    assert wait_for(threading.get_ident) == threading.get_ident()
    with obeying(threading.Event()):
        assert wait_for(threading.get_ident) != threading.get_ident()


def test_a_wait_ends_when_the_event_is_set() -> None:
    stop, never = threading.Event(), threading.Event()
    with obeying(stop), pytest.raises(KeyboardInterrupt):
        wait_for(lambda: (stop.set(), never.wait()))
    never.set()


def test_the_work_obeys_the_same() -> None:
    stop = threading.Event()
    stop.set()
    with obeying(stop), pytest.raises(KeyboardInterrupt):
        wait_for(check)
