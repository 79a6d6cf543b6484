"""Every dropped name is there in the release before, and gone from the release that the row names."""

from __future__ import annotations

import os
import shutil
import subprocess
from datetime import timedelta
from pathlib import Path

import msgspec
import pytest
from knowledge_examples import wrong_examples, wrong_replacements
from packaging.version import Version

from backdate.environments.cutoff_overrides import cutoff_overrides_at
from backdate.environments.interpreters import find_interpreters
from backdate.environments.uv import find_uv
from backdate.index.cache import DiskCache
from backdate.index.names import normalise
from backdate.index.upstream import IndexClient
from backdate.knowledge import load
from backdate.knowledge.change_rows import ChangeRow, ChangesFile
from backdate.projects.sources.listing import fetch_listing
from backdate.timeline.instants import Instant, format_instant

LIBRARIES = {
    file.distribution: file
    for file in load.change_files()
    if file.distribution != "python" and not all(row.unproven for row in file.change)
}
PYTHON_ROWS = [row for row in load.python_changes() if not row.unproven]


@pytest.fixture(scope="module")
def interpreters(session_cache: Path) -> dict[tuple[int, int], Path]:
    """An interpreter of every minor version on this machine, with that of Python 2 where it can be found."""
    found = find_interpreters(cache_file=session_cache / "interpreters.json", environment=os.environ)
    by_minor = {Version(one.version).release[:2]: one.executable for one in reversed(found)}
    pyenv = sorted((Path.home() / ".pyenv" / "versions").glob("2.7*/bin/python2.7"))
    two = [*pyenv, *map(Path, filter(None, [shutil.which("python2.7")]))]
    return {**by_minor, **({(2, 7): two[0]} if two else {})}


@pytest.mark.slow
@pytest.mark.parametrize("row", PYTHON_ROWS, ids=lambda row: f"{row.since}-{next(iter(row.names), row.kind)}")
def test_what_python_dropped_and_added(
    row: ChangeRow, tmp_path: Path, interpreters: dict[tuple[int, int], Path]
) -> None:
    since = tuple(map(int, row.since.split(".")))
    older = max((minor for minor in interpreters if minor < since), default=None)
    newer = min((minor for minor in interpreters if minor >= since), default=None)
    if older is None or newer is None:
        pytest.skip(f"this machine has no interpreter from before and after Python {row.since}")
    wrong = wrong_examples(row, older=interpreters[older], newer=interpreters[newer], folder=tmp_path / "run")
    wrong += wrong_replacements(
        "python", row, older=interpreters[older], newer=interpreters[newer], folder=tmp_path / "run"
    )
    assert wrong == []


@pytest.mark.slow
@pytest.mark.proof
@pytest.mark.network
@pytest.mark.parametrize("distribution", LIBRARIES)
def test_what_releases_dropped(
    distribution: str,
    request: pytest.FixtureRequest,
    tmp_path: Path,
    session_cache: Path,
    index_url: str,
    interpreters: dict[tuple[int, int], Path],
) -> None:
    file = with_words(LIBRARIES[distribution], request.config.getoption("--rows"))
    with IndexClient(upstreams=(index_url,), cache=DiskCache(session_cache / "index")) as client:
        uploaded = {
            Version(row.since): min(
                listed.uploaded
                for listed in fetch_listing(client, distribution)
                if listed.version == Version(row.since)
            )
            for row in file.change
            if not row.unproven
        }
    wrong: list[str] = []
    lacking: list[str] = []
    for number, rows in enumerate(of_one_pair(file)):
        row = rows[0]
        minor = row.python or file.python
        base = interpreters.get((int(minor.split(".")[0]), int(minor.split(".")[1])))
        if base is None:
            lacking.append(minor)
            continue
        at = uploaded[Version(row.since)]
        folder = tmp_path / str(number)
        older = environment(folder / "older", base, file, row, f"{distribution}<{row.since}", at, index_url)
        newer = environment(
            folder / "newer",
            *(base, file, row, f"{distribution}=={row.since}", at + timedelta(days=2), index_url),
        )
        for place, one in enumerate(rows):
            run = folder / f"run{place}"
            wrong += wrong_examples(one, older=older, newer=newer, folder=run)
            wrong += wrong_replacements(normalise(distribution), one, older=older, newer=newer, folder=run)
        shutil.rmtree(folder)
    assert wrong == [], "\n\n".join(wrong)
    if lacking:
        pytest.skip(f"this machine has no Python {', '.join(lacking)}; the other rows hold")


def with_words(file: ChangesFile, words: str) -> ChangesFile:
    """``file`` with the rows that hold these words alone; all of it without any."""
    rows = tuple(row for row in file.change if words in repr(row))
    assert rows, f"no row of {file.distribution} holds {words!r}"
    return msgspec.structs.replace(file, change=rows)


def of_one_pair(file: ChangesFile) -> list[list[ChangeRow]]:
    """The proven rows, those together that the same two environments show."""
    together: dict[tuple[str, str, bool, tuple[str, ...]], list[ChangeRow]] = {}
    for row in file.change:
        if not row.unproven:
            key = (row.since, row.python, row.builds, tuple(row.with_))
            together.setdefault(key, []).append(row)
    return list(together.values())


def environment(
    folder: Path,
    base: Path,
    file: ChangesFile,
    row: ChangeRow,
    requirement: str,
    at: Instant,
    index_url: str,
) -> Path:
    """The interpreter of an environment with ``requirement`` as of ``at``: of wheels, unless it says more."""
    uv = find_uv()
    subprocess.run([uv, "venv", "-q", "--no-project", "--python", base, folder], check=True)
    python = folder / "bin" / "python"
    command = [uv, "pip", "install", "-q", "--no-config", "--python", python]
    wheels = [] if row.builds else ["--only-binary", ":all:"]
    overrides = [override for override in cutoff_overrides_at(at) if override.name != file.distribution]
    moved = [
        f"--exclude-newer-package={override.name}={format_instant(override.until)}" for override in overrides
    ]
    where = ["--default-index", index_url, "--exclude-newer", format_instant(at), *moved]
    extra = ["setuptools"] if file.distribution != "setuptools" else []
    subprocess.run(
        [*command, *wheels, *where, requirement, *file.with_, *row.with_, *extra], check=True, timeout=900
    )
    return python
