"""An environment with an sdist is built from a bundle of its locks alone, without the network."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hostile_projects import INSTANT, builder_in, project, wheel

from backdate.checking.build_environment import (
    BUILD_REQUIREMENTS,
    EnvironmentResult,
    build_project_environment,
)
from backdate.checking.resources import Resources
from backdate.environments.build import Builder
from backdate.environments.cache import Cache
from backdate.errors import IndexUnavailable
from backdate.index.application import ServerOptions
from backdate.index.bundle import export_bundle, import_bundle
from backdate.index.cache import DiskCache
from backdate.index.lock_files import read_needs
from backdate.index.server import SnapshotServer
from backdate.index.upstream import IndexClient


def sdist(folder: Path, *tools: str) -> bytes:
    """An sdist of "low" 1 whose build requires ``tools``."""
    tree = project(folder, name="low")
    metadata = tree / "pyproject.toml"
    metadata.write_text(metadata.read_text().replace("requires = []", f"requires = {list(tools)}"))
    (tree / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: low\nVersion: 1\n")
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        archive.add(tree, "low-1")
    return data.getvalue()


def environment(builder: Builder, output: Path, *, lock_builds: bool = False) -> EnvironmentResult:
    with Resources(builder=builder) as resources:
        return build_project_environment(
            resources,
            ".",
            instant=INSTANT,
            output=output,
            packages=("low",),
            lock_builds=lock_builds,
        )


@contextmanager
def offline_builder(builder: Builder, bundle: Path, folder: Path) -> Iterator[Builder]:
    """A builder with an empty cache, whose index is what the bundle holds."""
    import_bundle(bundle, DiskCache(folder / "pages"))
    upstream = f"{builder.index_url.rstrip('/')}/"
    with (
        IndexClient(upstreams=(upstream,), cache=DiskCache(folder / "pages"), offline=True) as client,
        SnapshotServer(client, ServerOptions(files="through")) as server,
    ):
        yield Builder(Cache(folder / "cache"), builder.sandbox, index_url=server.url(None))


@pytest.mark.slow
def test_a_bundle_holds_what_builds_need(tmp_path: Path) -> None:
    files = {"low-1.tar.gz": sdist(tmp_path / "low", "tool"), "tool-1-py3-none-any.whl": wheel("tool")}
    with builder_in(tmp_path / "cache", files) as builder:
        made = environment(builder, tmp_path / "venv", lock_builds=True)
        assert made.failure is None, made.failure
        locks = [tmp_path / "venv" / name for name in ("pylock.toml", BUILD_REQUIREMENTS)]
        assert locks[1].read_text().startswith("tool==1 \\\n    --hash=sha256:")

        def export(name: str, *paths: Path) -> Path:
            with IndexClient(upstreams=(builder.index_url,), cache=DiskCache(tmp_path / "d")) as client:
                needs = [need for path in paths for need in read_needs(path)]
                export_bundle(client, needs, tmp_path / name, until=INSTANT, with_files=True)
            return tmp_path / name

        whole, lacking = export("whole", *locks), export("lacking", locks[0])
        with offline_builder(builder, whole, tmp_path / "elsewhere") as offline:
            again = environment(offline, tmp_path / "again")
        with (
            offline_builder(builder, lacking, tmp_path / "nowhere") as offline,
            pytest.raises(IndexUnavailable, match="/tool/"),
        ):
            environment(offline, tmp_path / "without")
    assert again.environment is not None, again.failure
    assert list((tmp_path / "again").glob("lib/python*/site-packages/low.py"))


@pytest.mark.parametrize("name", ["pylock.toml", BUILD_REQUIREMENTS])
def test_the_names_are_those_that_the_pages_say(name: str) -> None:
    page = Path(__file__).parents[2] / "docs" / "how-it-works" / "package-index.md"
    assert f"venv/{name}" in page.read_text()
