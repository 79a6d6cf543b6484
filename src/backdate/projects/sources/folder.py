"""A folder of this machine as a source: copied, never written."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from backdate.errors import SourceError
from backdate.projects.project import Origin
from backdate.projects.sources.git import (
    Objects,
    describe_version,
    find_git_dir,
    hash_blob,
    resolve_commit,
    run_git,
)
from backdate.projects.sources.tree import TreeLimits, TreeWriter, read_chunks

_NOT_SOURCE = frozenset(
    {".git", ".hg", ".svn", ".bzr", "__pycache__", ".tox", ".nox", ".venv", ".eggs", ".mypy_cache"}
    | {".pytest_cache", ".ruff_cache", ".hypothesis", ".ipynb_checkpoints", ".cache", "node_modules"}
)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


def copy_folder(
    folder: Path,
    target: Path,
    *,
    limits: TreeLimits,
    on_repository: Callable[[Path], object] = lambda _: None,
) -> tuple[Origin, int]:
    """Copy ``folder`` to ``target``; where it came from and how many Python files it has.

    In a git work tree: what is tracked and what is neither tracked nor ignored, uncommitted
    changes included. Elsewhere everything but caches, virtual environments and version control.
    Links stay links, devices and pipes are left out. ``on_repository`` is called with the git folder
    where it is tracked. Raises SourceError.
    """
    what = f"the folder {folder}"
    writer = TreeWriter(target, what=what, limits=limits)
    git_dir = find_git_dir(folder)
    tracked = _listed(folder, "--cached") if git_dir is not None else []
    if git_dir is None or not tracked:
        missing = _copy(folder, _walk(folder, ""), writer)
        origin = Origin(kind="folder", location=str(folder), missing=missing)
        return origin, writer.python_files
    names = [*tracked, *_without_litter(folder, _listed(folder, "--others", "--exclude-standard"))]
    missing = _copy(folder, _expand(folder, names), writer)
    revision = _head(git_dir)
    if revision is None:
        return Origin(
            kind="folder", location=str(folder), modified=True, missing=missing
        ), writer.python_files
    on_repository(git_dir)
    prefix = os.fsdecode(run_git("rev-parse", "--show-prefix", cwd=folder).rstrip(b"\n"))
    with Objects(git_dir) as objects:
        commit = objects.commit(revision)
        committed = {
            entry.path.removeprefix(prefix): (entry.mode, entry.object_id)
            for entry in objects.walk(
                commit.tree, missing=[], limit=10 * limits.files, deepest=2 * limits.depth
            )
            if entry.path.startswith(prefix)
        }
    origin = Origin(
        kind="folder",
        location=str(folder),
        revision=revision,
        modified=_differs(target, committed),
        dated=commit.committed,
        version_hint=describe_version(git_dir, revision),
        missing=missing,
    )
    return origin, writer.python_files


def _head(git_dir: Path) -> str | None:
    """The commit that is checked out; None before the first commit."""
    try:
        return resolve_commit(git_dir, "HEAD", shown=str(git_dir))
    except SourceError:
        return None


def _listed(folder: Path, *which: str) -> list[str]:
    output = run_git("ls-files", "-z", *which, "--", ".", cwd=folder)
    return list(dict.fromkeys(os.fsdecode(name) for name in output.split(b"\0") if name))


def _without_litter(folder: Path, names: list[str]) -> list[str]:
    """Names of untracked files without caches and virtual environments, which some projects do not ignore."""
    litter: dict[str, bool] = {"": False}

    def is_litter(parent: str) -> bool:
        if parent not in litter:
            above, _, name = parent.rpartition("/")
            litter[parent] = is_litter(above) or _is_litter(folder / parent, name)
        return litter[parent]

    return [name for name in names if not is_litter(name.rstrip("/").rpartition("/")[0])]


def _is_litter(path: Path, name: str) -> bool:
    return name in _NOT_SOURCE or (path / "pyvenv.cfg").is_file() or (path / "conda-meta").is_dir()


def _walk(folder: Path, prefix: str) -> Iterator[str]:
    """Every file and link below ``folder``/``prefix`` but litter; links are not followed."""
    pending = [prefix]
    while pending:
        inner = pending.pop()
        with os.scandir(folder / inner) as entries:
            for entry in sorted(entries, key=lambda entry: entry.name):
                name = f"{inner}/{entry.name}" if inner else entry.name
                if not entry.is_dir(follow_symlinks=False):
                    if entry.name != ".git":  # the file of a linked work tree or a submodule
                        yield name
                elif not _is_litter(Path(entry.path), entry.name):
                    pending.append(name)


def _expand(folder: Path, names: list[str]) -> Iterator[str]:
    """``names`` with submodules and repositories inside the repository replaced by their files."""
    for name in names:
        path = folder / name.rstrip("/")
        if path.is_dir() and not path.is_symlink():
            if not _is_litter(path, path.name):
                yield from _walk(folder, name.rstrip("/"))
        else:
            yield name


def _copy(folder: Path, names: Iterator[str], writer: TreeWriter) -> tuple[str, ...]:
    missing: list[str] = []
    with _OpenFolders(folder) as folders:
        for name in names:
            parent, _, last = name.rpartition("/")
            try:
                problem = _copy_entry(folders.at(parent), last, name, writer)
            except (FileNotFoundError, NotADirectoryError):  # tracked and deleted: an uncommitted change
                continue
            if problem:
                missing.append(f"{name} ({problem})")
    writer.finish()
    return tuple(missing)


def _copy_entry(parent: int, last: str, name: str, writer: TreeWriter) -> str:
    """Copy the file or link ``last`` of an open folder as ``name``; else why not."""
    status = os.stat(last, dir_fd=parent, follow_symlinks=False)
    if stat.S_ISLNK(status.st_mode):
        writer.add_link(name, os.readlink(last, dir_fd=parent))
        return ""
    if not stat.S_ISREG(status.st_mode):
        return "neither a file nor a link"
    if not os.access(last, os.R_OK, dir_fd=parent):
        return "may not be read"
    executable = bool(status.st_mode & 0o100)
    writer.add_file(name, read_chunks(last, folder=parent), executable=executable, mtime=status.st_mtime)
    return ""


class _OpenFolders:
    """The folders below one, opened without following a link: git's index names files behind links, too.

    A context manager; one folder besides the first is open at a time.
    """

    def __init__(self, root: Path) -> None:
        self._root = os.open(root, _FOLDER)
        self._last: tuple[str, int] | None = None

    def __enter__(self) -> _OpenFolders:
        return self

    def __exit__(self, *_: object) -> None:
        self._close_last()
        os.close(self._root)

    def at(self, name: str) -> int:
        """The descriptor of the folder ``name``, until another is asked for.

        Raises FileNotFoundError or NotADirectoryError where there is none, or a link in its place.
        """
        if not name:
            return self._root
        if self._last is None or self._last[0] != name:
            self._close_last()
            here = os.dup(self._root)
            for part in name.split("/"):
                try:
                    inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=here)
                finally:
                    os.close(here)
                here = inner
            self._last = name, here
        return self._last[1]

    def _close_last(self) -> None:
        if self._last is not None:
            os.close(self._last[1])
        self._last = None


def _differs(tree: Path, committed: dict[str, tuple[int, str]]) -> bool:
    """Whether the copied tree differs from the commit's.

    Content is compared as it is: a file that a filter of git changed on its way out counts as changed.
    """
    seen = set()
    for name in _all_files(tree):
        mode, object_id = committed.get(name, (0, ""))
        if any(committed.get(path, (0, ""))[0] == 0o160000 for path in _parents(name)):
            continue  # a submodule's file, which the commit does not name
        if mode == 0 or _blob(tree / name, like=object_id) != (mode & 0o170100, object_id):
            return True
        seen.add(name)
    return any(name not in seen for name, (mode, _) in committed.items() if mode != 0o160000)


def _blob(path: Path, *, like: str) -> tuple[int, str]:
    status = path.lstat()
    if stat.S_ISLNK(status.st_mode):
        target = os.fsencode(os.readlink(path))  # noqa: PTH115 - Path would normalise the target
        return 0o120000, hash_blob(len(target), [target], like=like)
    return status.st_mode & 0o170100, hash_blob(status.st_size, read_chunks(path), like=like)


def _parents(name: str) -> Iterator[str]:
    while "/" in name:
        name = name.rpartition("/")[0]
        yield name


def _all_files(tree: Path) -> Iterator[str]:
    for parent, folders, files in os.walk(tree):
        inner = Path(parent).relative_to(tree)
        linked = [name for name in folders if (Path(parent) / name).is_symlink()]
        for name in [*files, *linked]:
            yield str(inner / name)
