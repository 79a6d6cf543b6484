"""Which interpreters a release was compiled for, as far as the names of its files say."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from packaging.utils import InvalidWheelFilename, parse_wheel_filename

_LITTLE = 256 * 1024
"""Bytes of an sdist of which trying to compile it costs less than doing without."""
_SDISTS = (".tar.gz", ".zip", ".tar.bz2", ".tgz")


class ServedFile(Protocol):
    """A file of a release."""

    @property
    def filename(self) -> str:
        """Its name, without a folder."""
        ...

    @property
    def size_bytes(self) -> int | None:
        """How large it is, where the index says so."""
        ...


def compiled_for(files: Iterable[ServedFile]) -> tuple[str, ...]:
    """The tags of CPython ("cp312") for which a release's wheels for Linux were compiled.

    None where one of its files serves every interpreter, nothing was compiled, or little is to be.
    """
    found: set[str] = set()
    for file in files:
        if file.filename.endswith(_SDISTS) and file.size_bytes is not None and file.size_bytes <= _LITTLE:
            return ()
        try:
            *_, tags = parse_wheel_filename(file.filename)
        except InvalidWheelFilename:
            continue
        for tag in tags:
            if tag.platform != "any" and "linux" not in tag.platform:
                continue
            if tag.abi in ("none", "abi3"):
                return ()
            if tag.interpreter.startswith("cp"):  # not PyPy's
                found.add(tag.interpreter)
    return tuple(sorted(found))
