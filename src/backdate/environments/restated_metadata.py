"""Metadata that uv cannot read, told to it in its own configuration (``tables/restated_metadata.toml``)."""

from __future__ import annotations

from collections.abc import Iterable

from backdate.knowledge import load
from backdate.serial import to_json


def dependency_metadata(
    name: str, version: str, requires: Iterable[str], *, requires_python: str = "", extras: Iterable[str] = ()
) -> str:
    """A table of uv's configuration that tells it the metadata of one version of a distribution."""
    values = {
        "name": name,
        "version": version,
        "requires-dist": list(requires),
        "provides-extra": list(extras),
        **({"requires-python": requires_python} if requires_python else {}),
    }
    lines = (f"{key} = {to_json(value).decode()}\n" for key, value in values.items())
    return "[[dependency-metadata]]\n" + "".join(lines)


def restated_metadata(known: Iterable[tuple[str, str]] = ()) -> str:
    """uv's configuration that restates the metadata of all releases that need it, without ``known`` ones.

    ``known``: names (PEP 503) and versions of which it is told the metadata already.
    """
    told = set(known)
    return "\n".join(
        dependency_metadata(row.name, version, row.requires, requires_python=row.requires_python)
        for row in load.restated_metadata()
        for version in row.versions
        if (row.name, version) not in told
    )
