"""The part of an answer's patch that changes allowed files. The patch may be hostile.

Paths may have the prefixes ``a/`` and ``b/`` or none. Changes that answers may not make are left out and
listed: tests, configuration, scripts, declarations, links, binary files, modes, renames, files that are new
or removed. ``editing.apply`` applies the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from backdate.editing.foreign_patch import UntextualChange, split_foreign_patch
from backdate.editing.patch import FilePatch, read_patch
from backdate.editing.patch_text import encode_patch
from backdate.errors import SourceError
from backdate.evaluation.scores import ScoreOutcome
from backdate.tasks.edit_policy import EditPolicy

LONGEST_PATCH = 8 * 1024 * 1024
"""Bytes; the largest gold patch of the published data has a thousandth of this size."""
_MOST_DROPPED = 50
_LONGEST_PATH, _LONGEST_PART = 2000, 255
"""Bytes of a path, and of one name in it."""
_LONGEST_QUOTE = 500
"""Characters of foreign text in a reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedEdits:
    """The allowed changes of an answer."""

    files: tuple[FilePatch, ...]
    """The patches to apply."""
    dropped: tuple[str, ...] = ()
    """The changes that are not allowed, each "path: why"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RejectedAnswer:
    """An answer without an allowed change."""

    outcome: ScoreOutcome
    reason: str
    dropped: tuple[str, ...] = ()


def take_patch(patch: str, tree: Path, policy: EditPolicy) -> AllowedEdits | RejectedAnswer:
    """The part of ``patch`` that changes allowed files of ``tree``; it raises for no content of ``patch``."""
    try:
        data = encode_patch(patch)
    except UnicodeEncodeError:
        return RejectedAnswer(
            outcome=ScoreOutcome.MALFORMED, reason="the patch holds characters that are no text"
        )
    if not data.strip():
        return RejectedAnswer(outcome=ScoreOutcome.EMPTY, reason="the patch is empty")
    if len(data) > LONGEST_PATCH:
        reason = f"the patch has {len(data):,} bytes; {LONGEST_PATCH:,} are allowed"
        return RejectedAnswer(outcome=ScoreOutcome.HUGE, reason=reason)
    files: list[FilePatch] = []
    dropped: list[str] = []
    only_binary = True
    for part in split_foreign_patch(data):
        if part.untextual is not None:
            only_binary = only_binary and part.untextual is UntextualChange.BINARY
            dropped.append(f"{part.name}: {part.untextual}")
            continue
        try:
            changed = read_patch(part.text)
        except SourceError as error:
            reason = _cut(str(error))
            return RejectedAnswer(outcome=ScoreOutcome.MALFORMED, reason=reason, dropped=_shortened(dropped))
        for file in changed:
            why = _why_not(file, tree, policy)
            if why:
                only_binary = False
                dropped.append(f"{_cut(file.path)}: {why}")
            else:
                files.append(file)
    return _allowed_edits(files, _shortened(dropped), only_binary=only_binary and bool(dropped))


def _allowed_edits(
    files: list[FilePatch], dropped: tuple[str, ...], *, only_binary: bool
) -> AllowedEdits | RejectedAnswer:
    if files:
        return AllowedEdits(files=tuple(files), dropped=dropped)
    if only_binary:
        return RejectedAnswer(outcome=ScoreOutcome.BINARY, reason="the patch is binary", dropped=dropped)
    if dropped:
        reason = f"nothing of the patch may be changed: {dropped[0]}"
        return RejectedAnswer(outcome=ScoreOutcome.NOT_ALLOWED, reason=reason, dropped=dropped)
    return RejectedAnswer(
        outcome=ScoreOutcome.MALFORMED, reason="the text is no patch: it has no file header and hunk"
    )


def _why_not(file: FilePatch, tree: Path, policy: EditPolicy) -> str:
    # No file system that a tree comes from has longer names, and looking one up raises an error.
    data = file.path.encode("utf-8", "surrogateescape")
    if len(data) > _LONGEST_PATH or any(len(part) > _LONGEST_PART for part in data.split(b"/")):
        return "its path is longer than any file's"
    path = tree
    for part in file.path.split("/"):
        path = path / part
        if path.is_symlink():
            return "it is reached through a link"
    why = policy.why_not(file.path)
    if why:
        return why
    if file.kind == "delete" and not policy.whole_files:
        return "it is removed, and answers change files"
    if file.kind == "create" or not path.exists():
        return policy.why_not_new(file.path)
    return "" if path.is_file() else "it is not a file"


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}…"


def _shortened(dropped: list[str]) -> tuple[str, ...]:
    more = len(dropped) - _MOST_DROPPED
    return (*dropped[:_MOST_DROPPED], *((f"… and {more} more",) if more > 0 else ()))
