"""The upper layer of an environment, and making it for an edited tree without building anything.

A layer that holds nothing but copies of the project's files and its metadata is the same for two trees that
differ in free files alone (see ``packaging_inputs.py``), but for those files. So the layer of the second tree
is the first one's with the edited files in their places, new modules beside their neighbours, and without
those that are gone. With anything else in it, a compiled module, a generated file, data beside
``site-packages``, a layer is built anew for every tree.
"""

from __future__ import annotations

import base64
import bisect
import csv
import hashlib
import io
import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from backdate.environments.layers import read_program, relocated
from backdate.errors import ConfigurationError
from backdate.projects.hostile import Folder, read_beneath
from backdate.projects.read import read_bytes

_LARGEST_COPY = 64 * 1024 * 1024
_SITE_PACKAGES = re.compile(r"lib/python[^/]+/site-packages/")
_VENV_FILES = re.compile(
    r"\.gitignore|\.lock|CACHEDIR\.TAG|pyvenv\.cfg|bin/(activate|deactivate|pydoc|python)[^/]*"
)
_OWN_FILES_OF_VENV = frozenset({"_virtualenv.py", "_virtualenv.pth"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectLayer:
    """What is known of the upper layers of all trees with the same packaging inputs."""

    root: Path
    """An environment that holds one."""
    at: str
    """Where its tree was seen when it was built; its metadata name the place."""
    copies: Mapping[str, str] | None = None
    """By path below ``root``: of which file of the tree an installed file is a copy. None where a layer has
    to be built for every tree."""
    modules: frozenset[str] = frozenset()
    """The modules of that tree that are packaged by their folder alone."""
    collision: str = ""
    """Why the project and its dependencies cannot lie in two layers; empty where they can."""


def read_copies(root: Path, tree: Path, free: frozenset[str]) -> Mapping[str, str] | None:
    """Which files of the project layer at ``root``, still without links, are copies of ``free`` files.

    None when it holds a file that is neither a copy of a file of ``tree`` nor metadata.
    """
    by_name: dict[str, list[str]] = {}
    for folder, _, names in os.walk(tree):
        for name in names:
            by_name.setdefault(name, []).append(Path(folder, name).relative_to(tree).as_posix())
    found: dict[str, str] = {}
    for relative in _files(root):
        if _VENV_FILES.fullmatch(relative):
            continue
        if relative.startswith("bin/"):
            if any(one in free for one in by_name.get(PurePosixPath(relative).name, ())):
                return None
            continue
        match = _SITE_PACKAGES.match(relative)
        if match is None or (root / relative).is_symlink():
            return None
        below = relative[match.end() :]
        if _is_metadata(root, relative, below):
            continue
        origin = _origin(below, read_program(root, relative), tree, by_name)
        if origin is None:
            return None
        if origin in free:
            found[relative] = origin
    return found


def _files(root: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        for name in (*names, *(one for one in folders if Path(folder, one).is_symlink())):
            relative = Path(folder, name).relative_to(root).as_posix()
            if relative != "lib64":
                yield relative


def _is_metadata(root: Path, relative: str, below: str) -> bool:
    """Whether installers write that file of ``site-packages`` for a package without compiled parts."""
    top, _, rest = below.partition("/")
    if top.endswith(".dist-info"):
        return rest != "WHEEL" or b"Root-Is-Purelib: true" in (read_program(root, relative) or b"")
    return below in _OWN_FILES_OF_VENV or top.endswith("-nspkg.pth") or "__pycache__" in below.split("/")


def _origin(below: str, data: bytes | None, tree: Path, by_name: Mapping[str, list[str]]) -> str | None:
    """The one file of the tree that an installed one, with the content ``data``, is a copy of."""
    candidates = [
        path
        for path in by_name.get(PurePosixPath(below).name, ())
        if (path == below or path.endswith(f"/{below}")) and data is not None and _read(tree, path) == data
    ]
    return candidates[0] if len(candidates) == 1 else None


def _read(tree: Path, path: str) -> bytes | None:
    try:
        return read_bytes(tree, path, limit=_LARGEST_COPY)
    except ConfigurationError:
        return None


def _installed(root: Path, relative: str) -> bytes | None:
    try:
        return read_beneath(root, relative, limit=_LARGEST_COPY)
    except ConfigurationError:
        return None


def derive(
    layer: ProjectLayer, copies: Mapping[str, str], tree: Path, at: str, root: Path
) -> tuple[str, ...] | None:
    """Make the environment for the edited ``tree``, which builds see at ``at``, from that of ``layer``.

    It is made at ``root``. ``copies``: those of that tree (``new_modules.py``). Gives the paths below it of
    the modules that differ and have to be compiled; None when a file that is needed cannot be read. Raises
    ConfigurationError where a new file has no place.
    """
    edited: dict[str, bytes] = {}
    for relative, origin in copies.items():
        data = _read(tree, origin)
        if data is None:
            return None
        if data != _installed(layer.root, relative):
            edited[relative] = data
    gone = frozenset(layer.copies or ()) - copies.keys()
    copying = _Copying(layer, at, root, edited, gone)
    with Folder.at(layer.root) as source, Folder.at(root.parent) as parent, parent.make(root.name) as target:
        copying.folder(source, target, "")
        copying.require_all_written()
        copying.records(target)
    return tuple(path for path in edited if path.endswith(".py"))


class _Copying:
    """Makes one upper layer from another; nothing is shared, so that each can be sealed."""

    def __init__(
        self, layer: ProjectLayer, at: str, root: Path, edited: Mapping[str, bytes], gone: Set[str]
    ) -> None:
        self._layer = layer
        self._at = at
        self._root = root
        self._edited = edited
        self._gone = gone
        self._new = edited.keys() - (layer.copies or {}).keys()
        self._outdated = {_compiled(path) for path in (*edited, *gone)}
        self._written: dict[str, bytes] = {}
        self._records: list[tuple[str, bytes, int]] = []

    def folder(self, source: Folder, target: Folder, relative: str) -> None:
        """Fill ``target`` from ``source``, both at ``relative`` below the roots of the layers."""
        for name in source.names():
            path = f"{relative}/{name}" if relative else name
            link = source.link_text(name)
            if link is not None:
                target.link(name, link)
            elif source.is_folder(name):
                with source.folder(name) as inside, target.make(name) as made:
                    self.folder(inside, made, path)
            elif path not in self._gone:
                self._file(source, target, path, name)
        for path in sorted(path for path in self._new if posixpath.dirname(path) == relative):
            target.write_new(posixpath.basename(path), self._edited[path])  # refused where a link is
            self._written[path] = self._edited[path]

    def require_all_written(self) -> None:
        """Raise ConfigurationError when the folder of a new file was not there."""
        if missing := self._new - self._written.keys():
            raise ConfigurationError(f"{', '.join(sorted(missing))}: there is no such folder")

    def _file(self, source: Folder, target: Folder, path: str, name: str) -> None:
        status = source.status(name)
        if status is None:
            raise FileNotFoundError(path)
        if path.endswith(".dist-info/RECORD"):
            data = source.read(name, limit=_LARGEST_COPY) or b""
            self._records.append((path, data, status.st_mode))
        elif not self._is_outdated(path):
            new = self._edited.get(path, _with_new_places(source, path, self._layer, self._at, self._root))
            if new is None:
                source.duplicate(name, target)
            else:
                self._written[path] = new
                target.write_new(name, new, mode=status.st_mode)

    def _is_outdated(self, path: str) -> bool:
        folder, _, name = path.rpartition("/")
        return name.endswith(".pyc") and f"{folder}/{name.partition('.')[0]}" in self._outdated

    def records(self, root: Folder) -> None:
        """Write the lists of installed files, which name the hashes of what was written."""
        for path, data, mode in self._records:
            *parents, name = path.split("/")
            with root.below(tuple(parents)) as parent:
                record = _with_new_hashes(data, path, self._written, self._new, self._gone)
                parent.write_new(name, record, mode=mode)


def _compiled(module: str) -> str:
    """The path that every compiled form of a module begins with."""
    folder, _, name = module.rpartition("/")
    return f"{folder}/__pycache__/{name.removesuffix('.py')}"


def _with_new_places(source: Folder, relative: str, layer: ProjectLayer, at: str, root: Path) -> bytes | None:
    """What a file holds in the environment at ``root``, where it names a place; None where it names none."""
    own = relative.startswith("bin/") or "/" not in relative
    if not own and not relative.endswith(".dist-info/direct_url.json"):
        return None
    try:
        data = source.read(posixpath.basename(relative), limit=_LARGEST_COPY)
    except ConfigurationError:
        return None
    if data is None or not own:
        return None if data is None else data.replace(layer.at.encode(), at.encode())
    return relocated(data, layer.root, root)


def _with_new_hashes(
    record: bytes, relative: str, written: Mapping[str, bytes], new: Set[str], gone: Set[str]
) -> bytes:
    """The list of installed files (PEP 376, PEP 427) with the hash and size of each of ``written``.

    The ``new`` ones of them have rows, in their place by the alphabet, where the list names their folder.
    """
    base = posixpath.dirname(posixpath.dirname(relative))
    rows = []
    folders = set()
    for row in csv.reader(io.StringIO(record.decode("utf-8"), newline="")):
        path = posixpath.normpath(posixpath.join(base, row[0])) if row else ""
        folders.add(posixpath.dirname(path))
        data = written.get(path) if len(row) == 3 and row[1] else None
        if data is not None:
            row[1:] = _hash_and_size(data)
        if path not in gone:
            rows.append(row)
    for path in sorted(new):
        if posixpath.dirname(path) in folders:
            bisect.insort(rows, [posixpath.relpath(path, base), *_hash_and_size(written[path])])
    output = io.StringIO(newline="")
    csv.writer(output, lineterminator="\n").writerows(rows)
    return output.getvalue().encode()


def _hash_and_size(data: bytes) -> list[str]:
    value = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return [f"sha256={value}", str(len(data))]
