"""Resolving and installing in one step: what is linked, and what leads to the ordinary steps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, poisoned, project, request_for, sdist
from small_world import wheel

from backdate.environments import wheels_alone
from backdate.environments.build import Builder
from backdate.environments.environment import BuildFailure, Environment
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.lent_files import CacheUse
from backdate.environments.named_requirements import named_requirements
from backdate.environments.progress import OneStepEnd, OneStepEnded
from backdate.environments.wheels_alone import OneStep, install_wheels_alone
from backdate.progress import Event
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import InstallStep, Provenance

MODULE = "brittle/__init__.py"
CODE = "def shout(text):\n    return text.upper()\n"


@contextmanager
def builder_of(tmp_path: Path, files: Mapping[str, bytes] | None = None) -> Iterator[Builder]:
    held = dict([wheel("brittle", "1.0", CODE)]) if files is None else files
    with builder_in(tmp_path / "cache", held) as builder:
        yield builder


def asked(builder: Builder, tree: Path, *lines: str) -> EnvironmentRequest:
    tree.mkdir(exist_ok=True)
    step = InstallStep(kind="packages", packages=lines, provenance=Provenance(rule="a test"))
    return replace(request_for(tree, builder.cache), steps=(step,))


def in_one_step(builder: Builder, request: EnvironmentRequest) -> OneStep:
    named = named_requirements(request)
    assert named is not None
    root, log = builder.cache.environments / "key", builder.cache.logs / "alone.log"
    return install_wheels_alone(builder.steps, request, named, root, log)


def installed(root: Path, path: str = MODULE) -> Path:
    (found,) = root.glob(f"lib/python*/site-packages/{path}")
    return found


def test_one_step_resolves_and_links_what_it_installs(tmp_path: Path) -> None:
    with builder_of(tmp_path) as builder:
        made = built(builder.build_at(asked(builder, tmp_path / "tree", "brittle"), tmp_path / "env"))
    assert installed(made.root).read_text(encoding="utf-8") == CODE
    assert installed(made.root).stat().st_nlink == 2
    assert [one.name for one in made.lock.distributions if one.name == "brittle"] == ["brittle"]
    assert "brittle-1.0" in (made.root / "pylock.toml").read_text(encoding="utf-8")
    steps = {log.name.split(".")[1] for log in builder.cache.logs.iterdir()}
    assert steps == {"install"}, "more than one step ran"
    assert len(builder.cache.keys("locks")) == 1


def test_a_change_in_place_reaches_no_other_environment(tmp_path: Path) -> None:
    with builder_of(tmp_path) as builder:
        request = asked(builder, tmp_path / "tree", "brittle")
        first = built(builder.build_at(request, tmp_path / "first"))
        with installed(first.root).open("a", encoding="utf-8") as file:
            file.write("POISON = 1\n")
        second = built(builder.build_at(request, tmp_path / "second"))
        kept = built(builder.prepare(request))
    assert installed(second.root).read_text(encoding="utf-8") == CODE
    assert installed(kept.root).read_text(encoding="utf-8") == CODE
    assert "POISON" in installed(first.root).read_text(encoding="utf-8")
    assert not CacheUse(builder.cache).cache.keys("lent"), "what was lent is still the caller's"


@pytest.mark.slow
def test_environments_of_the_cache_are_never_linked(tmp_path: Path) -> None:
    with builder_of(tmp_path) as builder:
        request = asked(builder, tmp_path / "tree", "brittle")
        handed_out = built(builder.build_at(request, tmp_path / "env"))
        kept = built(builder.prepare(request))
        assert installed(kept.root).stat().st_nlink == 1
        assert builder.finished.is_as_made(kept.key, kept.root)
        again = built(builder.build_at(request, tmp_path / "again"))
        assert builder.finished.is_as_made(kept.key, kept.root)
        installed(kept.root).write_text("POISON = 1\n", encoding="utf-8")
        assert not builder.finished.is_as_made(kept.key, kept.root)
    for one in (handed_out, again):
        assert installed(one.root).read_text(encoding="utf-8") == CODE


def test_while_another_step_uses_the_cache_files_are_copied(tmp_path: Path) -> None:
    with builder_of(tmp_path) as builder:
        request = asked(builder, tmp_path / "tree", "brittle")
        with CacheUse(builder.cache).shared():
            made = built(builder.build_at(request, tmp_path / "env"))
    assert installed(made.root).stat().st_nlink == 1
    assert not builder.cache.keys("lent")


def test_the_newest_release_is_taken_though_only_an_older_one_has_a_wheel(tmp_path: Path) -> None:
    tree = project(tmp_path / "brittle", "pathlib.Path('/tmp/ran').touch()", name="brittle", resolving="pass")
    old = dict([wheel("brittle", "0.9", CODE)])
    with builder_of(tmp_path, {**old, "brittle-1.tar.gz": sdist(tree)}) as builder:
        request = asked(builder, tmp_path / "tree", "brittle")
        alone = in_one_step(builder, request)
        assert alone.end is OneStepEnd.NEEDS_BUILD
        assert alone.needed is not None
        assert (alone.needed.name, alone.needed.version) == ("brittle", "1")
        assert "builds-v0" in (builder.cache.logs / "alone.log").read_text(encoding="utf-8")
        made = built(builder.build_at(request, tmp_path / "env"))
    assert [one.version for one in made.lock.distributions if one.name == "brittle"] == ["1"]


class Ends:
    """A reporter that keeps why one step did not do."""

    def __init__(self) -> None:
        self.seen: list[tuple[OneStepEnd, str]] = []

    def report(self, event: Event) -> None:
        if isinstance(event, OneStepEnded):
            self.seen.append((event.reason, event.distribution))


def kinds_of_steps(builder: Builder) -> list[str]:
    return sorted(log.name.split(".")[1] for log in builder.cache.logs.iterdir())


@pytest.mark.slow
def test_an_sdist_that_the_resolver_meets_is_built_once_and_by_itself(tmp_path: Path) -> None:
    counting = "pathlib.Path('/tmp/ran').touch()"
    tree = project(tmp_path / "brittle", counting, name="brittle", resolving=counting)
    ends = Ends()
    with builder_of(
        tmp_path, {"brittle-1.tar.gz": sdist(tree), **dict([wheel("other", "1.0", CODE)])}
    ) as builder:
        request = asked(builder, tmp_path / "tree", "brittle", "other")
        made = built(builder.build_at(request, tmp_path / "env", progress=ends))
        assert kinds_of_steps(builder) == ["install", "prefetch", "wheel"], "nothing is compared besides"
        assert ends.seen == [(OneStepEnd.NEEDS_BUILD, "brittle 1")]
        again = built(builder.build_at(request, tmp_path / "again", progress=ends))
    assert len(ends.seen) == 1
    for one in (made, again):
        assert installed(one.root, "brittle.py").exists()
        assert installed(one.root, "other/__init__.py").exists()
        assert one.unconfirmed is None
    lock = (made.root / "pylock.toml").read_text(encoding="utf-8")
    assert "brittle-1.tar.gz" in lock
    assert "brittle-1-py3" not in lock, "the lock names what the index has"


@pytest.mark.slow
def test_what_resolves_without_a_build_is_not_resolved_again_to_be_built(tmp_path: Path) -> None:
    tree = project(tmp_path / "brittle", name="brittle")
    ends = Ends()
    with builder_of(tmp_path, {"brittle-1.tar.gz": sdist(tree)}) as builder:
        request = asked(builder, tmp_path / "tree", "brittle")
        made = built(builder.build_at(request, tmp_path / "env", progress=ends))
        assert kinds_of_steps(builder) == ["install", "wheel"]
    assert ends.seen == [(OneStepEnd.NEEDS_BUILD, "")]
    assert installed(made.root, "brittle.py").exists()


@pytest.mark.slow
def test_an_sdist_that_does_not_build_fails_with_the_words_of_its_build(tmp_path: Path) -> None:
    tree = project(tmp_path / "brittle", "raise SystemExit('no header')", name="brittle", resolving="pass")
    with builder_of(tmp_path, {"brittle-1.tar.gz": sdist(tree)}) as builder:
        request = asked(builder, tmp_path / "tree", "brittle")
        made = builder.build_at(request, tmp_path / "env")
    assert isinstance(made, BuildFailure)
    assert "no header" in made.message


@pytest.mark.slow
def test_nothing_is_installed_where_uv_could_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wheels_alone, "_BUILDS", "elsewhere")
    with builder_of(tmp_path) as builder:
        request = asked(builder, tmp_path / "tree", "brittle")
        assert in_one_step(builder, request).end is OneStepEnd.UV_BUILDS
        assert not (builder.cache.environments / "key" / "pyvenv.cfg").exists()
        made = builder.build_at(request, tmp_path / "env")
    assert isinstance(made, Environment)


def of_file(builder: Builder, tree: Path, text: str) -> EnvironmentRequest:
    request = asked(builder, tree)
    (tree / "requirements.txt").write_text(text, encoding="utf-8")
    step = InstallStep(kind="requirements", file="requirements.txt", provenance=Provenance(rule="a test"))
    return replace(request, steps=(step,), digest=tree_digest(tree))


def test_what_requirement_files_name_is_resolved_without_foreign_code(tmp_path: Path) -> None:
    with builder_of(tmp_path) as builder:
        made = built(builder.prepare(of_file(builder, tmp_path / "tree", "brittle==1.0\n")))
        assert kinds_of_steps(builder) == ["install", "resolve"], "the lock was compared with the index"
    assert made.unconfirmed is None
    assert made.root.is_relative_to(builder.cache.environments)
    assert installed(made.root).stat().st_nlink == 1


def test_it_is_the_lock_that_the_ordinary_steps_make(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with builder_of(tmp_path) as builder:
        request = of_file(builder, tmp_path / "tree", "brittle\n")
        first = builder.resolve(request)
        for key in builder.cache.keys("locks"):
            builder.cache.forget("locks", key)
        monkeypatch.setattr(
            "backdate.environments.named_requirements.named_requirements", lambda _request: None
        )
        second = builder.resolve(request)
        assert kinds_of_steps(builder) == ["check", "resolve"]
    assert first == second


@pytest.mark.slow
def test_an_option_of_a_requirement_file_does_not_reach_the_clean_steps(tmp_path: Path) -> None:
    poison = dict([wheel("brittle", "9.0", "POISON = 1\n")])
    tree = tmp_path / "tree"
    tree.mkdir()
    for name, data in poison.items():
        (tree / name).write_bytes(data)
    with builder_of(tmp_path) as builder:
        first = builder.prepare(of_file(builder, tree, "--find-links .\nbrittle\n"))
        assert not poisoned(builder.cache.clean)
        later = built(builder.prepare(of_file(builder, tmp_path / "later", "brittle\n")))
    assert not poisoned(later.root)
    assert installed(later.root).read_text(encoding="utf-8") == CODE
    assert isinstance(first, BuildFailure) or first.unconfirmed is not None
