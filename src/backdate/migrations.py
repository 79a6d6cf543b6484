"""Reading stored JSON of an older format: the document is brought to the current form, then decoded.

Each stored form has a format number and a list of migrations, each to one number. A document of format 1 goes
through all that lead beyond 1, one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from backdate.errors import NewerFormat, SourceError, StoredDataError
from backdate.serial import from_json

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyRename:
    """One field that has another name now."""

    old: str
    new: str
    inside: str | None = None
    """The key that holds the object with the field, itself or in a list: "lock" for ``{"lock": {"old": …}}``,
    at any depth. None for the outermost object alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Migration:
    """What brings a document of the format before to ``to_format``."""

    to_format: int
    renames: tuple[KeyRename, ...] = ()
    change: Callable[[dict[str, Any]], dict[str, Any]] | None = None
    """What else is changed, after the renames: a function from the outermost object to the new one."""


class StoredFormat(msgspec.Struct):
    """The part of a stored document that every format has."""

    format: int = 1


def read_stored(
    kind: type[T],
    data: bytes,
    *,
    current: int,
    migrations: Sequence[Migration],
    what: str,
    stored_format: int | None = None,
) -> T:
    """The value of type ``kind`` that ``data`` holds, whichever format up to ``current`` it was written in.

    ``stored_format``: the format of ``data`` where it is kept elsewhere; None where the field "format" of the
    outermost object says it (1 without one). ``what`` names the document in errors.

    Raises StoredDataError when it cannot be read, NewerFormat when a newer version wrote it.
    """
    written_as = stored_format
    if written_as is None:
        written_as = from_json(StoredFormat, data, what=what).format
    if written_as > current:
        raise NewerFormat(
            f"{what} has format {written_as}, this version reads up to {current}: update backdate"
        )
    if written_as < current:
        document = from_json(dict, data, what=what)
        try:
            document = migrate(document, migrations, from_format=written_as)
            if stored_format is None:
                document["format"] = current
            data = msgspec.json.encode(document)
        except RecursionError as error:
            raise StoredDataError(f"{what} cannot be read: it is nested too deep") from error
    return from_json(kind, data, what=what)


def read_result_file(
    command: str, kind: type[T], path: Path, current: int, migrations: Sequence[Migration]
) -> T:
    """The result that ``command`` wrote to the file at ``path``.

    Raises SourceError when there is no such file, StoredDataError when it is not a result, NewerFormat when a
    newer version wrote it.
    """
    data = read_result_bytes(path)
    try:
        return read_stored(kind, data, current=current, migrations=migrations, what=str(path))
    except NewerFormat:
        raise
    except StoredDataError as error:
        raise StoredDataError(
            f"{path} cannot be read as a {command}'s result ({error.__cause__}); one is written by: "
            f"backdate {command} --json FILE"
        ) from error


def read_result_bytes(path: Path) -> bytes:
    """What the file of a result at ``path`` holds. Raises SourceError when there is no such file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}") from error


def migrate(document: dict[str, Any], migrations: Sequence[Migration], *, from_format: int) -> dict[str, Any]:
    """The JSON object ``document``, of ``from_format``, after every migration to a later format."""
    for migration in sorted(migrations, key=lambda migration: migration.to_format):
        if migration.to_format > from_format:
            document = rename_keys(document, migration.renames)
            if migration.change is not None:
                document = migration.change(document)
    return document


def rename_keys(document: dict[str, Any], renames: Sequence[KeyRename]) -> dict[str, Any]:
    """The JSON object with its fields renamed. A field that has the new name already is left as it is."""
    by_holder: dict[str | None, dict[str, str]] = {}
    for rename in renames:
        by_holder.setdefault(rename.inside, {})[rename.old] = rename.new
    renamed: dict[str, Any] = _renamed(document, None, by_holder)
    return renamed


def with_field(holder: str, name: str, value: Any) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """A change for a Migration: every object under the key ``holder``, at any depth, has the field ``name``.

    One that has it already keeps it; the others get ``value``.
    """

    def change(node: Any) -> Any:
        if isinstance(node, list):
            return [change(item) for item in node]
        if not isinstance(node, dict):
            return node
        changed = {key: change(item) for key, item in node.items()}
        if isinstance(changed.get(holder), dict):
            changed[holder] = {name: value, **changed[holder]}
        return changed

    return change


def _renamed(value: Any, holder: str | None, by_holder: Mapping[str | None, Mapping[str, str]]) -> Any:
    if isinstance(value, list):
        return [_renamed(item, holder, by_holder) for item in value]
    if not isinstance(value, dict):
        return value
    names = by_holder.get(holder, {})
    return {_new_name(key, names, value): _renamed(item, key, by_holder) for key, item in value.items()}


def _new_name(key: str, names: Mapping[str, str], taken: Collection[str]) -> str:
    new = names.get(key, key)
    return key if new in taken else new


RECIPE_OF_FORMAT_1 = (KeyRename(old="later_cuts", new="extra_cutoff_overrides"),)
"""What has another name in a recipe since format 1, where the recipe is the whole document."""
LOCKS_AND_RECIPES_OF_FORMAT_1 = (
    KeyRename(inside="lock", old="exemptions", new="cutoff_overrides"),
    KeyRename(inside="recipe", old="later_cuts", new="extra_cutoff_overrides"),
)
"""What has another name since format 1 in the fields ``lock`` and ``recipe`` of a document, at any depth."""

INSTALLER = (KeyRename(inside="environment", old="road", new="installer"),)
"""Which installer made an environment had another name."""


def from_before_builds_were_closed(document: dict[str, Any]) -> dict[str, Any]:
    """A change for a Migration: builds reached the whole network, and no system calls were filtered."""
    without_seccomp = with_field("enforced", "seccomp", "off")(document)
    return with_field("environment", "network", "on")(without_seccomp)
