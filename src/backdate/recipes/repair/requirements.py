"""The requirements of a project's files, line by line, so that a rule can leave one out or change it."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.recipes.files import Files, normal_path
from backdate.recipes.recipe import InstallStep, Recipe
from backdate.recipes.repair.repair_context import because
from backdate.text import UNREADABLE

_MOST_LINES = 2_000
_DEEPEST = 4
_COMMENT = re.compile(r"(?:^|\s)#.*$")
_HASH = re.compile(r"\s--hash[= ]\S+")
_INCLUDE = re.compile(r"(?:-r|--requirement)[ =]?\s*(\S+)")
_EDITABLE = re.compile(r"(?:-e|--editable)[ =]?\s*(\S+)")
_FILE = re.compile(r"(?:.*[-_./])?(?:requirements?|reqs?)(?:[-_./].*)?\.(?:txt|in|pip)\Z", re.IGNORECASE)
_FOLDERS = (".", "requirements", "reqs", "requirement", "tests", "test", "docs", "ci", ".ci", "dev")
_MOST_FILES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class RequirementLine:
    """One requirement of a file."""

    text: str
    """Without comment and hashes."""
    file: str
    line: int

    @property
    def name(self) -> str | None:
        """The normalised name, also of an address that says ``#egg=``; None when there is none."""
        egg = re.search(r"#egg=([A-Za-z0-9._-]{1,100})", self.text)
        if egg:
            return canonicalize_name(egg[1])
        requirement = self.requirement
        return canonicalize_name(requirement.name) if requirement else None

    @property
    def requirement(self) -> Requirement | None:
        """The parsed requirement; None for an address, a path or an invalid line."""
        try:
            return Requirement(self.text)
        except UNREADABLE:
            return None


def lines_of(files: Files, file: str, depth: int = 0) -> Iterator[RequirementLine]:
    """The requirements of a file and of those that it includes; its options and constraints are left out."""
    text = files.text(file)
    if text is None or depth > _DEEPEST or not files.spend(10):
        return
    joined = text.replace("\\\r\n", " ").replace("\\\n", " ")
    for number, raw in enumerate(joined.split("\n")[:_MOST_LINES], start=1):
        line = _HASH.sub("", _COMMENT.sub("", raw[:2_000])).strip()
        include = _INCLUDE.match(line)
        if include:
            path = normal_path(posixpath.dirname(file) or ".", include[1])
            if path is not None and path != file:
                yield from lines_of(files, path, depth + 1)
            continue
        editable = _EDITABLE.match(line)
        if editable:
            line = editable[1]
        if line and not line.startswith("-"):
            yield RequirementLine(text=line, file=file, line=number)


def all_lines(files: Files) -> Iterator[RequirementLine]:
    """The requirements of all files that are named like requirements files, wherever such files are kept."""
    seen = 0
    for folder in _FOLDERS:
        for name in files.names(folder):
            path = name if folder == "." else f"{folder}/{name}"
            named = _FILE.match(path) or (
                folder in ("requirements", "reqs") and path.endswith((".txt", ".in"))
            )
            if named and seen < _MOST_FILES:
                seen += 1
                yield from lines_of(files, path)


def rewritten(
    recipe: Recipe, files: Files, change: Callable[[RequirementLine], str | None], rule: str, evidence: str
) -> Recipe:
    """The recipe with lines of its requirements files changed (None: left out), written out where they are.

    Files without such a line stay. The same recipe when no line is changed.
    """
    steps: list[InstallStep] = []
    for step in recipe.install:
        if step.kind in ("requirements", "constraints") and step.file:
            steps += _rewritten_file(step, files, change, rule, evidence)
        elif step.kind == "packages":
            steps += _rewritten_packages(step, change, rule, evidence)
        else:
            steps.append(step)
    changed = tuple(steps)
    return recipe if changed == recipe.install else replace(recipe, install=changed)


def _rewritten_file(
    step: InstallStep, files: Files, change: Callable[[RequirementLine], str | None], rule: str, evidence: str
) -> list[InstallStep]:
    assert step.file is not None
    lines = list(lines_of(files, step.file))
    after = [change(line) for line in lines]
    if after == [line.text for line in lines]:
        return [step]
    if step.kind == "constraints":
        return []  # limits alone: without all of them rather than with wrong ones
    kept = [(line, text) for line, text in zip(lines, after, strict=True) if text is not None]
    provenance = replace(because(rule, evidence), file=step.file)
    steps: list[InstallStep] = []
    packages: list[str] = []
    for line, text in kept:
        path = _local(line, files)
        if path is not None:
            steps.append(InstallStep(kind="project", file=path, provenance=provenance))
        elif replace(line, text=text).requirement is not None or "://" in text:
            packages.append(text)
    if packages:
        steps.append(InstallStep(kind="packages", packages=tuple(packages), provenance=provenance))
    return steps


def _local(line: RequirementLine, files: Files) -> str | None:
    if "://" in line.text or not line.text.startswith((".", "/")):
        return None
    path = normal_path(posixpath.dirname(line.file) or ".", line.text.partition("[")[0])
    root = normal_path(".", line.text.partition("[")[0])
    for folder in (root, path):
        if folder is not None and (files.has(f"{folder}/setup.py") or files.has(f"{folder}/pyproject.toml")):
            return folder
    return None


def _rewritten_packages(
    step: InstallStep, change: Callable[[RequirementLine], str | None], rule: str, evidence: str
) -> list[InstallStep]:
    file = step.provenance.file or ""
    after = [
        change(RequirementLine(text=package, file=file, line=step.provenance.line or 0))
        for package in step.packages
    ]
    packages = tuple(package for package in after if package is not None)
    if packages == step.packages:
        return [step]
    provenance = replace(because(rule, evidence), file=step.provenance.file, line=step.provenance.line)
    return [replace(step, packages=packages, provenance=provenance)] if packages else []
