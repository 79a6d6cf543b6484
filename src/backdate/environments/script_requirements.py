"""What a set-up script and the files that it installs from state, as requirements; nothing is run."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.environments.pip_choice import read_requirement
from backdate.recipes.commands import read_commands
from backdate.recipes.declared import read_declared
from backdate.recipes.files import Files, normal_path
from backdate.recipes.recipe import InstallStep

_MOST_FILES = 100
_MOST_LINES = 20_000
_FILE_LINE = re.compile(r"(?:-r|--requirement|-c|--constraint)(?:\s+|\s*=\s*|(?<=-[rc]))(\S+)\s*\Z")
_COMMENT = re.compile(r"(?:\A|\s)#.*\Z")
_OPTIONS = re.compile(r"\s--\S.*\Z")


def stated_requirements(tree: Path, script: str) -> tuple[tuple[Requirement, ...], dict[str, frozenset[str]]]:
    """All requirements that ``script`` (a path in ``tree``) names, and the extras of the project that it
    installs, by the project's name.

    What is not understood is left out.
    """
    files = Files(tree)
    actions = read_commands(
        files.text(script) or "", files=files, file=script, rule="published set-up script"
    )
    requirements: list[Requirement] = []
    extras: frozenset[str] = frozenset()
    seen: set[str] = set()
    for step in actions:
        if not isinstance(step, InstallStep):
            continue
        if step.kind == "project":
            extras |= {canonicalize_name(extra) for extra in step.extras}
        lines = step.packages if step.file is None else _lines(files, step.file, seen)
        requirements += [one for line in lines if (one := read_requirement(line)) is not None]
    name = read_declared(tree).name
    return tuple(requirements), {canonicalize_name(name): extras} if name and extras else {}


def _lines(files: Files, path: str, seen: set[str]) -> Iterator[str]:
    """The requirements of a file and of those that it names."""
    if path in seen or len(seen) >= _MOST_FILES:
        return
    seen.add(path)
    text = (files.text(path) or "").replace("\\\n", " ")
    for line in text.splitlines()[:_MOST_LINES]:
        plain = _COMMENT.sub("", line).strip()
        match = _FILE_LINE.match(plain)
        if match is None:
            yield _OPTIONS.sub("", plain)
        elif (other := normal_path(posixpath.dirname(path) or ".", match[1])) is not None:
            yield from _lines(files, other, seen)
