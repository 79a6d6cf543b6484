"""A wheel of another instant serves where its build took the same, and only there."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for, sdist, wheel

from backdate.environments.build_inputs import read_build_inputs
from backdate.environments.environment import Environment
from backdate.environments.lock_wheels import LockedSdist

FILES = {
    "tool-1-py3-none-any.whl": wheel("tool", {"tool.py": "VERSION = 1\n"}),
    "tool-2-py3-none-any.whl": wheel("tool", {"tool.py": "VERSION = 2\n"}, version="2"),
}
UPLOADS = {"tool-2-py3-none-any.whl": "2024-06-01"}
INSTANTS = tuple(datetime(2024, month, 1, tzinfo=UTC) for month in (1, 3, 7, 9))


def needing(folder: Path, *, stated: str = "", asked: str = "") -> bytes:
    """An sdist whose wheel says which tool built it."""
    tree = project(folder, "import tool; METADATA += f'Summary: {tool.VERSION}\\n'", name="needing")
    backend = (tree / "own_backend.py").read_text(encoding="utf-8")
    backend = backend.replace("return []", f"return {[asked] if asked else []}", 1)
    backend = backend.replace("def attack():\n", "def attack():\n    global METADATA\n")
    (tree / "own_backend.py").write_text(backend, encoding="utf-8")
    text = (tree / "pyproject.toml").read_text(encoding="utf-8")
    requires = json.dumps([stated] if stated else [])
    (tree / "pyproject.toml").write_text(
        text.replace("requires = []", f"requires = {requires}"), encoding="utf-8"
    )
    return sdist(tree)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("stated", "asked", "wheels", "tools"),
    [
        ("tool", "", 2, "1122"),
        ("tool<2", "", 1, "1111"),
        ("", "tool", 2, "1122"),
        # That the back-end would take the older one again is not known, and so it is built at each instant.
        ("", "tool<2", 3, "1111"),
    ],
)
def test_each_real_difference_is_built_once(
    stated: str, asked: str, wheels: int, tools: str, tmp_path: Path
) -> None:
    files = {**FILES, "needing-1.tar.gz": needing(tmp_path / "needing", stated=stated, asked=asked)}
    tree = project(tmp_path / "thing", requires=("needing",))
    with builder_in(tmp_path / "cache", files, UPLOADS) as builder:
        request = request_for(tree, builder.cache)
        made = [built(builder.prepare(replace(request, instant=one))) for one in INSTANTS]
        again = [built(builder.prepare(replace(request, instant=one))) for one in reversed(INSTANTS)]
    assert "".join(map(tool_of, made)) == tools
    assert [one.key for one in reversed(again)] == [one.key for one in made]
    assert all(one.reused for one in again)
    assert len(list(builder.cache.built_wheels.rglob("*.whl"))) == wheels


def tool_of(environment: Environment) -> str:
    lower = environment.roots[-1]
    (metadata,) = lower.rglob("needing-1.dist-info/METADATA")
    return metadata.read_text(encoding="utf-8").partition("Summary: ")[2].strip()


@pytest.mark.slow
def test_what_had_the_whole_network_is_built_at_each_instant(tmp_path: Path) -> None:
    files = {**FILES, "needing-1.tar.gz": needing(tmp_path / "needing", stated="tool<2")}
    tree = project(tmp_path / "thing", requires=("needing",))
    with builder_in(tmp_path / "cache", files, UPLOADS, open_network=True) as builder:
        for instant in INSTANTS[:2]:
            built(builder.prepare(replace(request_for(tree, builder.cache), instant=instant)))
    assert len(list(builder.cache.built_wheels.rglob("*.whl"))) == 2


@pytest.mark.network
@pytest.mark.slow
def test_a_small_sdist_of_the_index_is_built_once_a_difference(tmp_path: Path) -> None:
    # docopt 0.6.2 has no wheel. Setuptools 75.8.0 was the newest from 8 January to 26 February 2025.
    days = tuple(datetime(2025, month, day, tzinfo=UTC) for month, day in ((1, 20), (2, 10), (3, 20)))
    tree = project(tmp_path / "thing", requires=("docopt==0.6.2",))
    with builder_in(tmp_path / "cache") as own:
        builder = type(own)(own.cache, own.sandbox)
        request = request_for(tree, own.cache)
        for day in days:
            built(builder.prepare(replace(request, instant=day)))
        assert len(list(own.cache.built_wheels.rglob("*.whl"))) == 2


SDIST = LockedSdist(name="needing", version="1", sha256="a" * 64, lock="")
LOG = "DEBUG Installing `Tool==1.0`, `other==2` in `/cache/builds-v0/.tmp`\n"


def unpacked(changes: Path, text: str | None) -> Path:
    folder = changes / "sdists-v10" / "pypi" / "needing" / "1" / "r" / "src"
    folder.mkdir(parents=True)
    if text is not None:
        (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return changes


def test_what_a_build_took_is_read(tmp_path: Path) -> None:
    changes = unpacked(tmp_path, "[build-system]\nrequires = ['tool >= 1']\n")
    inputs = read_build_inputs(SDIST, changes, "before\n" + LOG + LOG.replace("other==2", "third==3"))
    assert inputs is not None
    assert inputs.stated == ("tool>=1",)
    assert inputs.taken == ("other==2", "third==3", "tool==1.0")
    assert inputs.names == ("other", "third", "tool")


def test_an_sdist_that_states_nothing_takes_setuptools(tmp_path: Path) -> None:
    inputs = read_build_inputs(SDIST, unpacked(tmp_path, None), "DEBUG Installing `` in `/x`\n")
    assert inputs is not None
    assert inputs.stated == ("setuptools>=40.8.0",)
    assert inputs.taken == ()


@pytest.mark.parametrize(
    ("text", "log"),
    [
        ("[build-system]\nrequires = []\n", "a uv that speaks otherwise\n"),
        ("[build-system]\nrequires = []\n", "DEBUG Installing `x @ https://host/x.whl` in `/x`\n"),
        ("[build-system]\nrequires = ['x @ https://host/x.whl']\n", LOG),
        ("[build-system]\nrequires = ['-r /etc/passwd']\n", LOG),
        ("[build-system]\nrequires = '''x\n--index-url https://host'''\n", LOG),
        ("[build-system]\nrequires = [\"x; python_version < '\\n--index-url https://host\\n'\"]\n", LOG),
        ("[build-system]\nrequires = [1]\n", LOG),
        ("build-system = 1\n", LOG),
        ("no TOML", LOG),
    ],
)
def test_nothing_is_known_of_what_is_not_understood(text: str, log: str, tmp_path: Path) -> None:
    assert read_build_inputs(SDIST, unpacked(tmp_path, text), log) is None


def test_a_link_is_not_read(tmp_path: Path) -> None:
    changes = unpacked(tmp_path / "changes", None)
    (tmp_path / "secret.toml").write_text("[build-system]\nrequires = ['secret']\n", encoding="utf-8")
    source = changes / "sdists-v10" / "pypi" / "needing" / "1" / "r" / "src"
    (source / "pyproject.toml").symlink_to(tmp_path / "secret.toml")
    assert read_build_inputs(SDIST, changes, LOG) is None
