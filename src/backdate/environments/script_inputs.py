"""What of a tree a set-up script reads, where that can be told: the environment is a function of it alone.

A script that only installs named distributions and requirement files gives the same environment for every
tree with the same such files, whatever else a solver changed; one that does anything else is a function of
the whole tree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from packaging.requirements import Requirement

from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.recipes.files import normal_path
from backdate.recipes.script import ScriptCommand, follow
from backdate.serial import digest
from backdate.text import UNREADABLE

_MOST_FILES = 100
_FILE_OPTIONS = ("-r", "--requirement", "-c", "--constraint")
_PLAIN_OPTIONS = frozenset({"-U", "--upgrade", "-q", "--quiet", "--no-cache-dir", "--pre", "--user"})
_FILE_LINE = re.compile(r"(?:-r|--requirement|-c|--constraint)(?:\s+|\s*=\s*|(?<=-[rc]))(\S+)\s*\Z")
_COMMENT = re.compile(r"(?:\A|\s)#.*\Z")


def inputs_digest(tree: Path, script: str) -> str | None:
    """SHA-256 over the script and every file of ``tree`` that it installs from; None when it may read
    more.
    """
    try:
        text = read_text(tree, script)
    except ConfigurationError:
        return None
    if text is None:
        return None
    commands: list[ScriptCommand] = []
    for step in follow(text, exists=lambda _path: False):
        if (
            not isinstance(step, ScriptCommand)
            or step.doubt
            or step.unknown
            or step.assignments
            or step.cwd != "."
        ):
            return None
        commands.append(step)
    files: dict[str, str] = {}
    for command in commands:
        if not _add_command([word.text for word in command.words], tree, files):
            return None
    # what follows a script's conditions, pipes and redirections is not in its commands
    plain = not re.search(r"[|<>`$&;(){}]", _without_comments(text))
    return digest("script inputs", text, sorted(files.items())) if plain else None


def _without_comments(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))


def _add_command(words: Sequence[str], tree: Path, files: dict[str, str]) -> bool:
    """Add the files that one ``pip install`` reads; False when it is something else."""
    rest = list(words)
    if rest[:3] in (["python", "-m", "pip"], ["python3", "-m", "pip"]):
        rest = ["pip", *rest[3:]]
    if len(rest) < 3 or rest[0] not in ("pip", "pip3") or rest[1] != "install":
        return False
    rest = rest[2:]
    while rest:
        word = rest.pop(0)
        if word in _FILE_OPTIONS and rest:
            if not _add_file(rest.pop(0), ".", tree, files):
                return False
        elif word not in _PLAIN_OPTIONS and not _is_named(word, tree):
            return False
    return True


def _add_file(name: str, folder: str, tree: Path, files: dict[str, str]) -> bool:
    path = normal_path(folder, name)
    if path is None or len(files) >= _MOST_FILES:
        return False
    if path in files:
        return True
    try:
        text = read_text(tree, path)
    except ConfigurationError:
        return False
    if text is None:
        return False
    files[path] = text
    parent = path.rpartition("/")[0] or "."
    for line in text.replace("\\\n", " ").splitlines():
        wanted = _COMMENT.sub("", line).strip()
        match = _FILE_LINE.match(wanted)
        if match:
            if not _add_file(match[1], parent, tree, files):
                return False
        elif wanted and not _is_named(wanted, tree):
            return False
    return True


def _is_named(text: str, tree: Path) -> bool:
    """Whether ``text`` is a requirement by name, which no file or folder of the tree could be meant by."""
    bare = re.sub(r"\s--hash[= ]\S+", "", text)
    try:
        requirement = Requirement(bare)
    except UNREADABLE:
        return False
    if requirement.url is not None:
        return False
    return not (tree / bare).exists() and not (tree / requirement.name).is_file()
