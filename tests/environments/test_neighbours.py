"""Which environments lend what they compiled: the known ones of a cache, also to the next process."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from backdate.environments import seal
from backdate.environments.cache import Cache
from backdate.environments.environment import (
    Environment,
    Interpreter,
    InterpreterChoice,
    Lock,
    LockedDistribution,
)
from backdate.environments.finished import FinishedEnvironments
from backdate.environments.neighbours import _MOST_KEPT, Neighbours

PYTHON = Interpreter(version="3.12.1", executable=Path("/p/python"), prefix=Path("/p"), source="path")
OTHER_PYTHON = replace(PYTHON, version="3.12.2")


def lock(**versions: str) -> Lock:
    distributions = tuple(LockedDistribution(name=name, version=one) for name, one in versions.items())
    return Lock(instant=datetime(2024, 1, 1, tzinfo=UTC), python="3.12.1", distributions=distributions)


def environment(cache: Cache, key: str, *, reused: bool = False, **versions: str) -> Environment:
    root = cache.environments / key
    if not reused:
        (root / "lib").mkdir(parents=True)
        cache.write("seals", key, seal.seal(root))
    return Environment(
        key=key,
        root=root,
        choice=InterpreterChoice(wanted="3.12.1", reason="", interpreter=PYTHON),
        lock=lock(**versions),
        build_s=1.0,
        reused=reused,
        log=cache.logs / "log",
    )


def neighbours(cache: Cache) -> Neighbours:
    return Neighbours(cache, FinishedEnvironments(cache))


def test_what_was_made_is_known_to_the_next_process(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    neighbours(cache).note(environment(cache, "first", a="1", b="1"))
    neighbours(cache).note(environment(cache, "second", b="2"))
    later = neighbours(cache)
    assert later.of(PYTHON, lock(b="1", c="1")) == [cache.environments / "first"]
    assert later.of(PYTHON, lock(a="1", b="2")) == [cache.environments / one for one in ("second", "first")]
    assert later.of(PYTHON, lock(c="1")) == []
    assert later.of(OTHER_PYTHON, lock(a="1")) == []


def test_what_is_found_again_is_known_to_this_process_alone(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    made = environment(cache, "made", a="1")
    here = neighbours(cache)
    here.note(replace(made, reused=True))
    assert here.of(PYTHON, lock(a="1")) == [made.root]
    assert neighbours(cache).of(PYTHON, lock(a="1")) == []


def test_what_was_changed_removed_or_built_with_foreign_code_lends_nothing(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    known = neighbours(cache)
    changed, removed = environment(cache, "changed", a="1"), environment(cache, "removed", b="1")
    for one in (changed, removed):
        known.note(one)
    (changed.root / "lib/new.py").write_text("")
    cache.discard_environment("removed")
    built = replace(changed, key="built", root=cache.built / "built")
    built.root.mkdir(parents=True)
    known.note(built)
    assert known.of(PYTHON, lock(a="1", b="1")) == []


def test_the_oldest_are_forgotten(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    for number in range(_MOST_KEPT + 1):
        neighbours(cache).note(environment(cache, f"e{number}", **{f"d{number}": "1"}))
    later = neighbours(cache)
    assert later.of(PYTHON, lock(d0="1")) == []
    assert later.of(PYTHON, lock(d1="1")) == [cache.environments / "e1"]
