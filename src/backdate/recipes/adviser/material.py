"""The parts of a repository that a model sees: limited in size, and marked as data without instructions."""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections import deque
from collections.abc import Iterable, Iterator

from backdate.recipes.files import Files, normal_path

MOST_LISTED = 600
_LISTED_CHARACTERS = 24_000
_FILE_CHARACTERS = 12_000
_ALL_CHARACTERS = 60_000
_LOG_CHARACTERS = 8_000
_MOST_FOLDERS = 400
_MOST_LINKS = 40
_NOT_SHOWN = frozenset(
    (".git", ".hg", ".svn", "node_modules", "__pycache__", ".tox", ".nox", ".venv", "venv")
)
_MARKDOWN = re.compile(r"\]\(\s*<?([^\s)>]{1,300})")
_RST = re.compile(r"`[^`<>\n]{0,200}<([^\s>`]{1,300})>`_|^\.\. _[^:\n]{1,100}:\s*(\S{1,300})", re.MULTILINE)
_INCLUDE = re.compile(r"^\.\. (?:literal)?include::\s*(\S{1,300})", re.MULTILINE)
_BARE = re.compile(r"\bhttps?://[^\s<>()\[\]\"'`]{3,300}")
_NAMED = re.compile(
    r"(?<![\w/.-])(?:[\w.-]{1,80}/){0,6}[\w.-]{1,80}\.(?:txt|toml|cfg|ini|md|rst|ya?ml|sh|py|in)\b"
)


def as_data(name: str, text: str, *, most: int = _FILE_CHARACTERS) -> str:
    """``text`` between marks that it cannot hold itself: they are made of its own digest."""
    shown = text if len(text) <= most else f"{text[: most * 2 // 3]}\n[… cut …]\n{text[-most // 3 :]}"
    mark = hashlib.sha256(shown.encode("utf-8", "backslashreplace")).hexdigest()[:12]
    return f"<data {mark} {name!r}>\n{shown}\n</data {mark}>"


def list_files(files: Files) -> tuple[str, ...]:
    """The files of a tree, those near its root first, at most ``MOST_LISTED``; links are left out."""
    listed: list[str] = []
    waiting = deque(["."])
    for _ in range(_MOST_FOLDERS):
        if not waiting or len(listed) >= MOST_LISTED:
            break
        folder = waiting.popleft()
        listed += [posixpath.normpath(posixpath.join(folder, name)) for name in files.names(folder)]
        waiting += [
            posixpath.normpath(posixpath.join(folder, name))
            for name in files.folders(folder)
            if name not in _NOT_SHOWN
        ]
    size = 0
    for number, name in enumerate(listed[:MOST_LISTED]):
        size += len(name) + 1
        if size > _LISTED_CHARACTERS:
            return tuple(listed[:number])
    return tuple(listed[:MOST_LISTED])


def show_files(files: Files, names: Iterable[str], further: Iterable[tuple[str, str]] = ()) -> str:
    """The texts of files, and of ``further`` (name, text), each marked, all together bounded."""
    parts: list[str] = []
    left = _ALL_CHARACTERS
    for name, text in [*((name, files.text(name)) for name in dict.fromkeys(names)), *further]:
        if text is None or not text.strip() or left <= 0:
            continue
        part = as_data(name, text, most=min(left, _FILE_CHARACTERS))
        left -= len(part)
        parts.append(part)
    return "\n\n".join(parts) or "(none of them can be read)"


def show_log(text: str) -> str:
    """The end of a log, marked."""
    return as_data("log", text[-_LOG_CHARACTERS:])


def find_links(files: Files, names: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """(files of the repository, addresses on the web) that the files ``names`` link to or name, each once."""
    shown = tuple(dict.fromkeys(names))
    inside: dict[str, None] = {}
    outside: dict[str, None] = {}
    for name in shown:
        for target in _targets(files.text(name) or ""):
            if target.startswith(("http://", "https://")):
                outside.setdefault(target.rstrip(".,;:!"))
                continue
            for cwd in (posixpath.dirname(name) or ".", "."):
                path = normal_path(cwd, target.partition("#")[0])
                if path and path not in shown and path not in inside and _is_file(files, path):
                    inside[path] = None
    return tuple(inside)[:_MOST_LINKS], tuple(outside)[:_MOST_LINKS]


def _is_file(files: Files, path: str) -> bool:
    folder, name = posixpath.split(path)
    return name in files.names(folder or ".")


def _targets(text: str) -> Iterator[str]:
    for pattern in (_MARKDOWN, _RST, _INCLUDE, _BARE, _NAMED):
        for number, match in enumerate(pattern.finditer(text)):
            if number >= 500:
                break
            yield next((group for group in match.groups() if group), match[0])
