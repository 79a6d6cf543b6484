"""The cache on disk: pages and files, bounded, shared by any number of processes.

Entries are written whole and replaced by renaming, so that a reader sees an old entry or a new
one. The least recently used entries are removed first. Correctness never depends on the cache: a damaged
entry counts as missing, and a folder that cannot be written is a cache that does not grow.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from pathlib import Path

from backdate.errors import DiskFull, StoredDataError
from backdate.index.page_store import SerialisedPage, pack, unpack
from backdate.serial import write_whole

logger = logging.getLogger(__name__)

MAX_ENTRY_BYTES = 512 * 1024 * 1024
_SWEEP_EVERY_BYTES = 32 * 1024 * 1024
_TOUCH_AFTER_S = 3600.0


class DiskCache:
    """A folder of pages (``pages/``) and files (``files/``), at most ``max_bytes`` in all."""

    def __init__(self, folder: Path, *, max_bytes: int = 4 * 1024**3) -> None:
        self.folder = folder
        self._max_bytes = max_bytes
        self._unswept = _SWEEP_EVERY_BYTES
        self._lock = threading.Lock()
        self._told_unwritable = False

    def page_path(self, upstream: str, name: str) -> Path:
        """Where the page of the project ``name`` (normalised) at ``upstream`` is kept."""
        index = hashlib.sha256(upstream.encode()).hexdigest()[:16]
        return self.folder / "pages" / index / name[:2] / f"{name}.page"

    def file_path(self, sha256: str) -> Path:
        """Where the file with that hash (64 hex digits) is kept."""
        return self.folder / "files" / sha256[:2] / sha256

    def load_page(self, upstream: str, name: str) -> SerialisedPage | None:
        """The cached page, or None; a damaged one is removed and counts as missing."""
        path = self.page_path(upstream, name)
        try:
            data = path.read_bytes()
            page = unpack(data, what=str(path))
        except FileNotFoundError:
            return None
        except OSError as error:
            logger.warning("cached page %s cannot be read: %s", path, error)
            return None
        except StoredDataError as error:
            logger.warning("%s", error)
            self.remove(path)
            return None
        if page.name != name or page.upstream != upstream:
            logger.warning("cached page %s holds another page: it is ignored", path)
            return None
        self.touch(path)
        return page

    def store_page(self, page: SerialisedPage) -> bool:
        """Store ``page``; returns whether that worked."""
        data = pack(page)
        return self._write(self.page_path(page.upstream, page.name), data)

    def remove(self, path: Path) -> None:
        """Remove an entry, if possible."""
        try:
            path.unlink(missing_ok=True)
        except OSError as error:
            logger.debug("%s cannot be removed: %s", path, error)

    def touch(self, path: Path) -> None:
        """Record that an entry was used, at most once an hour, so that a read seldom writes."""
        try:
            if time.time() - path.stat().st_mtime > _TOUCH_AFTER_S:
                os.utime(path)
        except OSError as error:
            logger.debug("%s cannot be touched: %s", path, error)

    def grew(self, size: int) -> None:
        """Count ``size`` written bytes, and shrink the folder from time to time."""
        with self._lock:
            self._unswept += size
            due = self._unswept >= _SWEEP_EVERY_BYTES
            if due:
                self._unswept = 0
        if due:
            self.sweep()

    def sweep(self) -> None:
        """Remove the least recently used entries until the folder is within its limit."""
        entries: list[tuple[float, int, Path]] = []
        for kind in ("pages", "files"):
            for root, _, names in os.walk(self.folder / kind):
                for name in names:
                    path = Path(root) / name
                    try:
                        state = path.stat()
                    except OSError:
                        continue  # another process removed it
                    entries.append((state.st_mtime, state.st_size, path))
        total = sum(size for _, size, _ in entries)
        entries.sort()
        for _, size, path in entries:
            if total <= self._max_bytes:
                break
            self.remove(path)
            total -= size

    def _write(self, path: Path, data: bytes) -> bool:
        try:
            write_whole(path, data)
        except (OSError, DiskFull) as error:
            if not self._told_unwritable:
                self._told_unwritable = True
                logger.warning(
                    "the cache %s cannot be written, answers are kept in memory: %s", self.folder, error
                )
            return False
        self.grew(len(data))
        return True
