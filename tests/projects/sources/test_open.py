from __future__ import annotations

import os
from pathlib import Path

import httpx
import pytest

from backdate.errors import SourceError
from backdate.projects.project import Project
from backdate.projects.sources.open import PYPI, open_source
from backdate.projects.sources.tree import TreeLimits
from backdate.serial import from_json, to_json
from backdate.timeline.instants import parse_instant


def test_a_folder_becomes_a_project(repository: Path, tmp_path: Path) -> None:
    project = open_source(str(repository), workdir=tmp_path / "work")
    assert (project.name, project.root) == ("demo", tmp_path / "work/demo")
    assert project.origin.kind == "folder"
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["demo"]
    assert from_json(Project, to_json(project)) == project


@pytest.mark.parametrize("form", ["{}@v1.2.0", "{}/.git", "file://{}@main", "git+file://{}/.git"])
def test_a_revision_becomes_a_project(repository: Path, tmp_path: Path, form: str) -> None:
    project = open_source(form.format(repository), workdir=tmp_path / "work")
    assert (project.name, project.origin.kind) == ("demo", "git")


def test_the_current_folder(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    assert open_source(".", workdir=tmp_path / "work").name == "demo"


def test_failures_leave_no_files(repository: Path, tmp_path: Path) -> None:
    work = tmp_path / "work"
    empty = tmp_path / "empty"
    empty.mkdir()
    (empty / "README").touch()
    for text, words in (
        (str(empty), "holds no Python file"),
        (f"{repository}@nothing", "has no revision"),
        (f"{empty}@main", "is not a git repository"),
        (str(repository / "demo.py"), "is not a folder"),
    ):
        with pytest.raises(SourceError, match=words):
            open_source(text, workdir=work)
    with pytest.raises(SourceError, match="more than 1 files"):
        open_source(str(repository), workdir=work, limits=TreeLimits(files=1))
    assert not list(work.iterdir())


def test_an_existing_folder_is_not_overwritten(repository: Path, tmp_path: Path) -> None:
    open_source(str(repository), workdir=tmp_path / "work")
    with pytest.raises(SourceError, match="is there already"):
        open_source(str(repository), workdir=tmp_path / "work")


def test_the_work_folder_may_not_lie_in_the_project(repository: Path) -> None:
    with pytest.raises(SourceError, match="work somewhere else"):
        open_source(str(repository), workdir=repository / "work")


def index_or_skip() -> str:
    url = os.environ.get("BACKDATE_TEST_INDEX", PYPI)
    try:
        httpx.get(f"{url}/six/", timeout=20, follow_redirects=True).raise_for_status()
    except httpx.HTTPError as error:
        pytest.skip(f"the package index {url} cannot be reached: {error}")
    return url


@pytest.mark.network
@pytest.mark.parametrize(
    ("text", "before", "location", "day", "file"),
    [
        ("pypi:six==1.15.0", None, "six==1.15.0", "2020-05-21", "six.py"),
        ("pypi:Six", "2020-05-01", "six==1.14.0", "2020-01-15", "six.py"),
        ("pypi:demjson==2.2.4", None, "demjson==2.2.4", "2015-12-22", "demjson.py"),
    ],
)
def test_real_sdists(
    tmp_path: Path, text: str, before: str | None, location: str, day: str, file: str
) -> None:
    instant = parse_instant(before) if before else None
    project = open_source(text, workdir=tmp_path / "w", index_url=index_or_skip(), before=instant)
    assert (project.root / file).is_file()
    assert project.origin.location == location
    assert project.origin.dated is not None
    assert project.origin.dated.date().isoformat() == day
    assert len(project.origin.revision or "") == 64
    assert [path.name for path in (tmp_path / "w").iterdir()] == [project.name]


@pytest.mark.network
def test_real_absences(tmp_path: Path) -> None:
    url = index_or_skip()
    for text, words in (
        ("pypi:backdate-no-such-distribution-0", "is not on the package index"),
        ("pypi:six==99", "the latest version is"),
        ("pypi:nvidia-cublas-cu12==12.1.3.1", "only wheels"),
    ):
        with pytest.raises(SourceError, match=words):
            open_source(text, workdir=tmp_path / "w", index_url=url)
