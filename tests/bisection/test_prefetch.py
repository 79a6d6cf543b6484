import threading

import pytest

from backdate.bisection.prefetch import AT_ONCE, Prefetcher
from backdate.sandboxes.interruption import check, obeying


class Asked:
    """Answers keys; those in ``waiting`` only when let, or until they are ended."""

    def __init__(self, *waiting: str) -> None:
        self.gates = {key: threading.Event() for key in waiting}
        self.begun = {key: threading.Event() for key in waiting}
        self.threads: dict[str, list[str]] = {}
        self.ended: list[str] = []

    def __call__(self, key: str) -> str:
        self.threads.setdefault(key, []).append(threading.current_thread().name)
        if key in self.gates:
            self.begun[key].set()
            while not self.gates[key].wait(0.01):
                try:
                    check()
                except KeyboardInterrupt:
                    self.ended.append(key)
                    raise
        if key.startswith("bad"):
            raise LookupError(key)
        return key.upper()


def test_what_is_expected_is_got_by_another_thread_and_the_rest_by_whoever_asks() -> None:
    asked = Asked("a", "b")
    with Prefetcher(asked) as ahead:
        ahead.expect(["a", "b"])
        for key in "ab":
            assert asked.begun[key].wait(10)
            asked.gates[key].set()
        assert [ahead.get(key) for key in "abc"] == ["A", "B", "C"]
    assert all(name.startswith("ahead") for key in "ab" for name in asked.threads[key])
    assert asked.threads["c"] == [threading.current_thread().name]


def test_an_error_is_raised_for_who_asks_and_only_then() -> None:
    asked = Asked()
    with Prefetcher(asked) as ahead:
        ahead.expect(["bad", "bad too"])
        with pytest.raises(LookupError, match="bad"):
            ahead.get("bad")


def test_what_is_not_expected_any_more_ends_and_what_still_is_goes_on() -> None:
    asked = Asked("a", "b")
    with Prefetcher(asked) as ahead:
        ahead.expect(["a", "b"])
        for begun in asked.begun.values():
            assert begun.wait(10)
        ahead.expect(["b", "c"])
        assert ahead.get("c") == "C"
        asked.gates["b"].set()
        assert ahead.get("b") == "B"
        assert len(asked.threads["b"]) == 1
    assert asked.ended == ["a"]


def test_who_asks_does_not_wait_behind_others() -> None:
    others = [f"other {number}" for number in range(AT_ONCE)]
    asked = Asked(*others)
    with Prefetcher(asked) as ahead:
        ahead.expect([*others, "a"])
        for begun in asked.begun.values():
            assert begun.wait(10)
        assert ahead.get("a") == "A"
        assert asked.threads["a"] == [threading.current_thread().name]
    assert sorted(asked.ended) == others


def test_who_waits_obeys_and_nothing_is_left_behind() -> None:
    asked, stop = Asked("a"), threading.Event()
    with obeying(stop), Prefetcher(asked) as ahead:
        ahead.expect(["a"])
        assert asked.begun["a"].wait(10)
        stop.set()
        with pytest.raises(KeyboardInterrupt):
            ahead.get("a")
    assert asked.ended == ["a"]
