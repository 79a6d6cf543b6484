"""From what a user wrote to a project that backdate owns."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

from backdate.errors import SourceError, SourceProblem
from backdate.index.upstream import IndexClient
from backdate.projects.project import History, Origin, Project
from backdate.projects.sources.specification import FolderSource, GitSource, SdistSource, Source, parse_source
from backdate.projects.sources.tree import TreeLimits, safe_name
from backdate.timeline.instants import Instant

PYPI = "https://pypi.org/simple"


def open_source(
    text: str,
    *,
    workdir: Path,
    index_url: str = PYPI,
    before: Instant | None = None,
    cache: Path | None = None,
    index: Callable[[], IndexClient] | None = None,
    limits: TreeLimits | None = None,
    clone_timeout_s: float = 900.0,
) -> Project:
    """The project that ``text`` names, as a tree of its own: the new folder ``workdir/NAME``.

    ``text`` is one of the forms of ``specification.py``. ``before`` is for ``pypi:`` only: files that were
    uploaded strictly before it are visible. ``cache`` keeps downloads by hash; without it they are removed
    when this returns.
    ``index`` gives an open client when one is needed; without it one of ``index_url``
    is opened for this call and keeps no pages.
    When it raises, nothing is left in ``workdir``.

    Raises SourceError when there is no such project, revision or sdist, when it is not sound or has no
    Python files, and IndexUnavailable when the package index does not answer as it should.
    """
    source = parse_source(text)
    name = _name(source)
    target = workdir / name
    if target.exists() or target.is_symlink():
        raise SourceError(f"{target} is there already; give a new folder to work in")
    workdir.mkdir(parents=True, exist_ok=True)
    partial = workdir / f".{name}.partial"
    downloads = cache if cache is not None else workdir / f".{name}.downloads"
    histories: list[History] = []
    shutil.rmtree(partial, ignore_errors=True)
    try:
        origin, python_files = _bring(
            source,
            partial,
            index_url,
            before,
            downloads,
            index,
            limits or TreeLimits(),
            clone_timeout_s,
            lambda git_dir: histories.append(_history(git_dir)),
        )
        if python_files == 0:
            raise SourceError(
                f"{text} is not a Python project: it holds no Python file", SourceProblem.NO_PYTHON
            )
        partial.rename(target)
    finally:
        shutil.rmtree(partial, ignore_errors=True)
        if cache is None:
            shutil.rmtree(downloads, ignore_errors=True)
    history = histories[0] if histories else None
    return Project(name=name, root=target, origin=origin, history=history)


def _history(git_dir: Path) -> History:
    from backdate.projects.sources.history import read_history

    return read_history(git_dir)


def _bring(
    source: Source,
    target: Path,
    index_url: str,
    before: Instant | None,
    downloads: Path,
    index: Callable[[], IndexClient] | None,
    limits: TreeLimits,
    clone_timeout_s: float,
    on_repository: Callable[[Path], object],
) -> tuple[Origin, int]:
    match source:
        case FolderSource(path=path):
            if not path.is_dir():
                raise SourceError(f"{path} is not a folder; unpack it first if it is an archive")
            if target.resolve().is_relative_to(path):
                raise SourceError(f"{target.parent} lies in {path} itself; work somewhere else")
            from backdate.projects.sources.folder import copy_folder

            return copy_folder(path, target, limits=limits, on_repository=on_repository)
        case GitSource():
            from backdate.projects.sources.checkout import check_out

            return check_out(
                source, target, limits=limits, clone_timeout_s=clone_timeout_s, on_repository=on_repository
            )
        case SdistSource():
            from backdate.projects.sources.sdist import fetch_sdist

            fetch = partial(fetch_sdist, source, target, before=before, cache=downloads, limits=limits)
            if index is not None:
                return fetch(client=index())
            with IndexClient(upstreams=(index_url,), cache=None) as client:
                return fetch(client=client)


def _name(source: Source) -> str:
    match source:
        case FolderSource(path=path):
            return safe_name(path.name)
        case GitSource(location=location, subdirectory=subdirectory):
            repository = location.rstrip("/").removesuffix("/.git").removesuffix(".git")
            return safe_name((subdirectory or repository).replace(":", "/").rstrip("/").rpartition("/")[2])
        case SdistSource(name=name):
            return safe_name(name)
