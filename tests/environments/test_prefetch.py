"""Downloading wheels while an sdist is built: what is there then, and what cannot run meanwhile."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from hostile_projects import builder_in, built, project, request_for, sdist
from small_world import wheel

from backdate.environments.build import Builder
from backdate.environments.inputs import EnvironmentRequest
from backdate.environments.lock_wheels import LockedSdist
from backdate.environments.named_requirements import named_requirements
from backdate.environments.prefetch import prefetch
from backdate.recipes.recipe import InstallStep, Provenance

CODE = "def shout(text):\n    return text.upper()\n"
ATTACK = """
    pathlib.Path(os.environ["UV_CACHE_DIR"], "planted").touch()
"""


def asked(builder: Builder, tree: Path, *lines: str) -> EnvironmentRequest:
    tree.mkdir()
    step = InstallStep(kind="packages", packages=lines, provenance=Provenance(rule="a test"))
    return replace(request_for(tree, builder.cache), steps=(step,))


def installed(root: Path, path: str) -> bool:
    return len(list(root.glob(f"lib/python*/site-packages/{path}"))) == 1


def fetched_beside(builder: Builder, request: EnvironmentRequest, name: str) -> str:
    """The log of downloading what is asked for beside ``name`` 1."""
    named, log = named_requirements(request), builder.cache.logs / "prefetch.log"
    assert named is not None
    sdist = LockedSdist(name=name, version="1", sha256="", lock="")
    prefetch(builder.steps, request, named, (), sdist, log)
    return log.read_text(encoding="utf-8")


def unpacked(builder: Builder) -> list[Path]:
    return list(builder.cache.clean.glob("uv*/archive-v*/*/other/__init__.py"))


def test_what_the_others_need_is_in_the_cache_when_the_build_ends(tmp_path: Path) -> None:
    files = {"slow-1.tar.gz": sdist(project(tmp_path / "slow", name="slow", resolving="pass"))}
    with builder_in(tmp_path / "cache", files | dict([wheel("other", "1.0", CODE)])) as builder:
        request = asked(builder, tmp_path / "tree", "slow", "other")
        assert not fetched_beside(builder, request, "slow")
        (found,) = unpacked(builder)
        assert found.read_text(encoding="utf-8") == CODE
        assert found.stat().st_nlink == 1
        assert not list(builder.cache.clean.glob("prefetch-*"))
        made = built(builder.build_at(request, tmp_path / "env"))
        assert [log.name for log in builder.cache.logs.glob("*.prefetch.log")], "it was built without"
        assert unpacked(builder) == [found]
    assert installed(made.root, "other/__init__.py")
    assert installed(made.root, "slow.py")


def test_nothing_of_another_sdist_runs_meanwhile(tmp_path: Path) -> None:
    tree = project(tmp_path / "second", ATTACK, name="second", resolving=ATTACK)
    files = {"slow-1.tar.gz": sdist(project(tmp_path / "slow", name="slow")), "second-1.tar.gz": sdist(tree)}
    with builder_in(tmp_path / "cache", files | dict([wheel("other", "1.0", CODE)])) as builder:
        request = asked(builder, tmp_path / "tree", "slow", "second", "other")
        assert "builds-v0" in fetched_beside(builder, request, "slow")
        assert not list(builder.cache.clean.rglob("planted"))
        assert not unpacked(builder)
        made = built(builder.build_at(request, tmp_path / "env"))
        assert not list(builder.cache.clean.rglob("planted"))
    assert installed(made.root, "second.py")
