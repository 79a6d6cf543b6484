"""A revision of a git repository as a source: its files as they were committed, nothing else."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from backdate.errors import SourceError, SourceProblem
from backdate.projects.project import Origin
from backdate.projects.sources.git import (
    Entry,
    Objects,
    describe_version,
    find_git_dir,
    git_command,
    git_environment,
    resolve_commit,
)
from backdate.projects.sources.specification import GitSource
from backdate.projects.sources.tree import TreeLimits, TreeWriter

_LFS = b"version https://git-lfs.github.com/spec/"
_NETWORK = "https:ssh"


def check_out(
    source: GitSource,
    target: Path,
    *,
    limits: TreeLimits,
    clone_timeout_s: float,
    on_repository: Callable[[Path], object] = lambda _: None,
) -> tuple[Origin, int]:
    """Write the revision's files to ``target``; say where they came from and how many Python files there are.

    A repository of this machine is read where it is and not changed. One that is elsewhere is cloned
    beside ``target`` first, bare and without submodules, and the clone is removed afterwards. Objects
    that a partial copy lacks are named in ``Origin.missing``. ``on_repository`` is called with the git folder
    while it is there. Raises SourceError.
    """
    with _repository(source, target, clone_timeout_s) as git_dir:
        revision = resolve_commit(git_dir, source.revision, shown=source.shown)
        missing: list[str] = []
        what = f"{source.shown} at {revision[:12]}"
        writer = TreeWriter(target, what=what, limits=limits)
        with Objects(git_dir) as objects:
            commit = objects.commit(revision)
            mtime = commit.committed.timestamp() if commit.committed else None
            written = 0
            for entry in _entries(objects, commit.tree, source, missing, limits):
                written += _write(objects, entry, writer, missing, mtime, limits)
        writer.finish()
        if not written:
            where = f" in {source.subdirectory!r}" if source.subdirectory else ""
            reason = f": {'; '.join(missing[:5])}" if missing else ""
            raise SourceError(f"{what} holds no file{where}{reason}")
        on_repository(git_dir)
        suffix = f"#subdirectory={source.subdirectory}" if source.subdirectory else ""
        origin = Origin(
            kind="git",
            location=source.shown + suffix,
            revision=revision,
            dated=commit.committed,
            version_hint=describe_version(git_dir, revision),
            missing=tuple(missing),
        )
        return origin, writer.python_files


def _entries(
    objects: Objects, tree: str, source: GitSource, missing: list[str], limits: TreeLimits
) -> Iterator[Entry]:
    prefix = f"{source.subdirectory}/" if source.subdirectory else ""
    deepest = limits.depth + prefix.count("/")
    for entry in objects.walk(tree, missing=missing, limit=10 * limits.files, deepest=deepest):
        if entry.path.startswith(prefix):
            path = entry.path.removeprefix(prefix)
            yield Entry(path=path, mode=entry.mode, object_id=entry.object_id)


def _write(
    objects: Objects,
    entry: Entry,
    writer: TreeWriter,
    missing: list[str],
    mtime: float | None,
    limits: TreeLimits,
) -> int:
    """Write one entry; 1 when it was there, 0 when it went to ``missing``."""
    if entry.mode == 0o160000:
        missing.append(f"{entry.path} (submodule)")
        return 0
    data = objects.read(entry.object_id, limit=limits.bytes)
    if data is None:
        missing.append(f"{entry.path} (not in this copy of the repository)")
        return 0
    if entry.mode == 0o120000:
        writer.add_link(entry.path, os.fsdecode(data))
        return 1
    if data.startswith(_LFS) and len(data) < 1024:
        missing.append(f"{entry.path} (Git LFS: only its pointer is there)")
    writer.add_file(entry.path, [data], executable=entry.mode & 0o100 != 0, mtime=mtime)
    return 1


@contextmanager
def _repository(source: GitSource, target: Path, clone_timeout_s: float) -> Iterator[Path]:
    """The git folder to read from."""
    if source.local:
        folder = Path(source.location)
        git_dir = find_git_dir(folder) if folder.is_dir() else None
        if git_dir is None:
            raise SourceError(f"{source.shown} is not a git repository")
        yield git_dir
        return
    clone = target.parent / f".{target.name}.git-clone"
    try:
        clone_bare(source, clone, clone_timeout_s)
        yield clone
    finally:
        shutil.rmtree(clone, ignore_errors=True)


def clone_bare(source: GitSource, clone: Path, timeout_s: float, *, protocols: str | None = None) -> None:
    """Clone the repository to ``clone``, bare and without submodules. Raises SourceError.

    ``protocols``: as in ``git_environment``; None for those of the network.
    """
    shutil.rmtree(clone, ignore_errors=True)
    clone.parent.mkdir(parents=True, exist_ok=True)
    command = git_command("clone", "--bare", "--quiet", "--template=", "--", source.location, str(clone))
    try:
        # In its own session, so that the helpers that git starts are killed with it at the time limit.
        with subprocess.Popen(
            command,
            env=git_environment(protocols=protocols or _NETWORK),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            try:
                _, stderr = process.communicate(timeout=timeout_s)
            except BaseException:
                os.killpg(process.pid, 9)
                raise
    except FileNotFoundError as error:
        raise SourceError("git is not installed; install it, or give a folder or pypi:NAME") from error
    except subprocess.TimeoutExpired as error:
        raise SourceError(
            f"{source.shown} could not be cloned within {timeout_s:.0f} s; clone it and give its path",
            SourceProblem.CLONE_TIMED_OUT,
        ) from error
    if process.returncode != 0:
        message = stderr.decode("utf-8", errors="replace").strip()[-1500:]
        message = message.replace(source.location, source.shown)  # without the password
        absent = "not found" in message  # git's own words, in LC_ALL=C
        problem = SourceProblem.NO_REPOSITORY if absent else SourceProblem.NOT_CLONED
        raise SourceError(f"{source.shown} could not be cloned. git says: {message}", problem)
