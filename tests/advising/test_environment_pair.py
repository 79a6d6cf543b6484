"""A question that was cut off says nothing of a name: it is asked again, or told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

from backdate.advising.environment_pair import EnvironmentPair
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Limits, Sandbox

Answer = Callable[[str, Mapping[str, Sequence[str]]], list[dict[str, Any]]]
NONE = "MemoryError: "


class CutOff:
    """What asks environments: the first answers are cut off behind some lines."""

    def __init__(self, *lengths: int, why: str = "") -> None:
        self.lengths = list(lengths)
        self.why = why
        self.asked: list[tuple[str, ...]] = []

    def __call__(
        self, environment: Any, script: str, request: Mapping[str, Sequence[str]], *, limits: Limits
    ) -> tuple[str, bytes]:
        names = tuple(request["names"] or request.get("owners", ()))
        self.asked.append(names)
        lines: list[dict[str, Any]] = []
        for name in names:
            if "home" not in script:
                lines.append({"name": name, "present": True, "candidates": [f"other.{name}"]})
            elif request["owners"]:
                lines.append({"owner": name, "members": [{"name": "run", "kind": "function"}]})
            else:
                lines.append({"name": name, "aliases": [f"other.{name}"], "document": ""})
        kept = self.lengths.pop(0) if self.lengths else len(lines)
        cut = [{"name": one["name"], "present": False, "why": self.why} for one in lines[kept:] if self.why]
        data = b"".join(json.dumps(line).encode() + b"\n" for line in (*lines[:kept], *cut))
        return "exited" if kept == len(lines) else "timed-out", data


def pair_of(by: CutOff) -> EnvironmentPair:
    environments = [cast("Environment", SimpleNamespace(key=str(number), root=Path())) for number in (1, 2)]
    sandbox = cast("Sandbox", SimpleNamespace(name="none"))
    return EnvironmentPair(sandbox=sandbox, old=environments[0], new=environments[1], by=by)


def test_what_was_not_answered_is_asked_again_the_first_of_it_last() -> None:
    by = CutOff(1)
    assert set(pair_of(by).ask_new(["a.x", "a.y", "a.z"])) == {"a.x", "a.y", "a.z"}
    assert by.asked == [("a.x", "a.y", "a.z"), ("a.z", "a.y")]


def test_what_is_never_answered_is_neither_there_nor_gone_and_is_told() -> None:
    by = CutOff(*[0] * 9)
    pair = pair_of(by)
    assert [pair.ask_new(["a.x"]) for _ in range(4)] == [{}] * 4
    assert len(by.asked) == 3
    assert pair.unanswered == ("a.x",)
    by.lengths.clear()
    assert set(pair.ask_old(["a.x"])) == {"a.x"}, "the other environment was not asked yet"


def test_a_machine_without_room_answers_nothing() -> None:
    for why in (NONE, "OSError: [Errno 12] Cannot allocate memory", "RuntimeError: can't start new thread"):
        by = CutOff(1, why=why)
        assert pair_of(by).ask_new(["a.x", "a.y"])["a.y"].present
    by = CutOff(1, 0, why="AttributeError: module 'a' has no attribute 'y'")
    assert not pair_of(by).ask_new(["a.x", "a.y"])["a.y"].present
    assert len(by.asked) == 1


def test_a_search_that_was_cut_off_is_no_search_that_found_nothing() -> None:
    by = CutOff(0, 0)
    pair = pair_of(by)
    assert pair.search_new("a.x", ()) == ()
    assert pair.unanswered == ("a.x",)
    assert pair.search_new("a.x", ()) == ("other.a.x",)
    assert pair.unanswered == ()


def test_homes_and_members_are_asked_again() -> None:
    by = CutOff(0, 1, 0, 1)
    pair = pair_of(by)
    assert pair.homes_of(["a.x"]).aliases == {"a.x": ("other.a.x",)}
    assert [one.name for one in pair.members_of("a", "old")] == ["run"]
    assert pair.members_of("a", "old")
    assert len(by.asked) == 4


def test_what_several_want_to_know_is_asked_in_one_run_and_what_follows_from_it_in_the_next() -> None:
    by = CutOff()
    pair = pair_of(by)

    def lookup(name: str) -> Callable[[], list[str]]:
        def work() -> list[str]:
            known = pair.ask_new((name,))
            return [found for there in known for found in pair.search_new(there, ())]

        return work

    works = [lookup("a.x"), lookup("a.y"), lookup("a.z")]
    pair.ask_together(works)
    assert by.asked == [("a.x", "a.y", "a.z")] * 2
    assert [work() for work in works] == [["other.a.x"], ["other.a.y"], ["other.a.z"]]
    assert len(by.asked) == 2


def test_all_kinds_of_questions_wait_for_each_other() -> None:
    by = CutOff()
    pair = pair_of(by)
    works: list[Callable[[], object]] = [
        *(lambda name=name: pair.ask_old((name,)) for name in ("a.x", "a.y")),
        *(lambda name=name: pair.homes_of((name,)) for name in ("a.x", "a.y")),
        *(lambda owner=owner: pair.members_of(owner, "new") for owner in ("a", "b")),
    ]
    pair.ask_together(works)
    assert by.asked == [("a.x", "a.y"), ("a.x", "a.y"), ("a", "b")]
    assert [one.name for one in pair.members_of("b", "new")] == ["run"]
    assert len(by.asked) == 3


def test_a_name_that_was_not_answered_is_left_to_who_wants_it() -> None:
    by = CutOff(0, 0)
    pair = pair_of(by)
    seen: list[int] = []

    def work() -> None:
        seen.append(len(pair.ask_new(("a.x",))))

    pair.ask_together([work, lambda: None])
    assert len(by.asked) == 3  # twice together, and once more where it is wanted
    assert seen == [1]


def test_what_takes_long_is_asked_at_once_though_others_wait() -> None:
    by = CutOff()
    pair = pair_of(by)
    done: list[set[str]] = []

    def work() -> None:
        with pair.asking_now():
            done.append(set(pair.ask_new(("a.x",))))

    pair.ask_together([work])
    assert done == [{"a.x"}]
