"""What every data set's folder has, whatever it holds: it is made whole, changed in turn, and checks itself.

A change is announced in ``.pending`` first, by the checksum of what is about to be written: a folder that was
left in the middle of one is put right when it is opened again.
"""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Protocol, TypeVar

from backdate.errors import StoredDataError, UsageError
from backdate.sandboxes.file_lock import held_file
from backdate.serial import write_whole
from backdate.tasks.checksums import read_bounded, read_checksums, sha256

CARD = "README.md"
CHECKSUMS = "checksums.sha256"
INFO = "dataset.json"
PENDING = ".pending"
_LOCK = ".lock"


class RenderedFolder(Protocol):
    """A data set on disk."""

    @property
    def folder(self) -> Path:
        """Where it is."""
        ...

    def render(self) -> None:
        """Write everything that is made from its rows, the checksums last."""
        ...


D = TypeVar("D", bound=RenderedFolder)


def opened(folder: Path, read: Callable[[Path], D]) -> D:
    """The data set in ``folder``, as ``read`` gives it; where somebody is changing it, as it is after that.

    Raises StoredDataError when it is damaged.
    """
    try:
        dataset = read(folder)
    except StoredDataError:  # or it was read in the middle of a change, which the turn waits for
        if not os.access(folder, os.W_OK):
            raise
    else:
        if not (folder / PENDING).is_file():
            return dataset
    with turn(folder):
        return settled(folder, read)


def settled(folder: Path, read: Callable[[Path], D]) -> D:
    """What is in ``folder``, a change that was left in its middle put right; the caller has its turn."""
    dataset = read(folder)
    if (folder / PENDING).is_file():
        dataset.render()
        (folder / PENDING).unlink()
    return dataset


def read_lines(folder: Path, name: str) -> bytes:
    """The file of rows of that name. Raises StoredDataError for one that is neither what the checksums say
    nor what a change announced."""
    data = read_bounded(folder / name)
    allowed = {read_checksums(folder / CHECKSUMS).get(name)}
    if (folder / PENDING).is_file():
        allowed.add(read_bounded(folder / PENDING).decode("ascii", "replace").strip())
    if sha256(data) not in allowed:
        raise StoredDataError(f"{folder / name} is not what {CHECKSUMS} says; take it from where you got it")
    return data


def write_change(dataset: RenderedFolder, name: str, data: bytes) -> None:
    """Write ``data`` as the rows of that name, and all that is made from them; the caller has its turn."""
    write_whole(dataset.folder / PENDING, sha256(data).encode())
    write_whole(dataset.folder / name, data)
    dataset.render()
    (dataset.folder / PENDING).unlink()


def require_new(folder: Path) -> None:
    """Raise UsageError unless a data set can be made at ``folder``."""
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already; give a new folder")


@contextmanager
def whole_folder(folder: Path) -> Iterator[Path]:
    """A folder to fill that becomes ``folder`` at the end; after an exception nothing is left of it."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = Path(tempfile.mkdtemp(dir=folder.parent, prefix=f".{folder.name}."))
    try:
        temporary.chmod(0o755)
        yield temporary
        if folder.exists():
            folder.rmdir()
        temporary.rename(folder)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


@contextmanager
def turn(folder: Path) -> Iterator[None]:
    """Held by one command at a time. Raises StoredDataError where a stranger's data set has a link for it."""
    with ExitStack() as held:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            held.enter_context(held_file(folder / _LOCK, remove=True))
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
            raise StoredDataError(f"{folder / _LOCK} is a link; it is not used") from error
        yield
