"""The disk budget: the longest unused goes, what is in use stays."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

from diagnosis_builders import environment

from backdate.construction.disk import Uses, trim
from backdate.environments.cache import Cache
from backdate.environments.environment import DependencyLayer, Environment


def make(cache: Cache, name: str, *, reused: bool = False) -> Environment:
    root = cache.environments / name
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "python").write_bytes(b"x" * 100_000)
    made = replace(environment(root), key=name, reused=reused)
    cache.write("records", name, made)
    return made


def test_what_no_job_needs_goes_the_longest_unused_first(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    first, second, third, foreign = (
        make(cache, "first"),
        make(cache, "second"),
        make(cache, "third"),
        make(cache, "foreign", reused=True),
    )
    with Uses(cache) as uses:
        assert all(uses.hold(one) for one in (first, second, third, foreign))
    for age, one in enumerate((third, second, first)):
        os.utime(tmp_path / "uses" / one.key, (1_000_000 - age, 1_000_000 - age))
    with Uses(cache) as uses:
        assert uses.hold(first)
        os.utime(tmp_path / "uses" / "first", (1, 1))
        assert trim(cache, 150_000) == ("second", "third")
    assert not second.root.exists()
    assert cache.read(Environment, "records", "second") is None
    assert first.root.exists()
    assert trim(cache, 10**9) == ()
    assert trim(cache, 0) == ("first",)
    assert foreign.root.exists()
    with Uses(cache) as uses:
        assert not uses.hold(first)


def test_a_lower_layer_stays_as_long_as_anything_on_it_is_used(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    lower = make(cache, "lower")
    layer = DependencyLayer(key="lower", root=lower.root, reused=False)
    one, other = (replace(make(cache, name), dependencies=layer) for name in ("one", "other"))
    with Uses(cache) as uses:
        assert uses.hold(one)
    with Uses(cache) as uses:
        assert uses.hold(other)
        assert trim(cache, 0) == ("one",)
        assert lower.root.exists()
        assert other.root.exists()
    for name, age in (("other", 1), ("lower", 2)):
        os.utime(tmp_path / "uses" / name, (age, age))
    assert trim(cache, 150_000) == ("other",)
    assert trim(cache, 0) == ("lower",)
    assert not other.root.exists()
    with Uses(cache) as uses:
        assert not uses.hold(other)
