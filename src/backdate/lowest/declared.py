"""What a project says that it requires: in its metadata or, where it has none, in its requirement files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.diagnosis.distributions import site_packages
from backdate.diagnosis.installed_requirements import installed_requirements
from backdate.environments.environment import Environment
from backdate.lowest.bounds import extras_of_users
from backdate.recipes.declared import read_declared
from backdate.recipes.files import Files, normal_path
from backdate.recipes.loosening import requirement_files_of
from backdate.recipes.recipe import Recipe
from backdate.recipes.required import required
from backdate.text import UNREADABLE, counted

_MOST_FILES = 20
_SHOWN = 3
_INCLUDED = re.compile(r"(?:-r\s*|--requirement(?:\s*=\s*|\s+))(?P<path>\S+)\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectRequirements:
    """What a project requires of its users' environments."""

    texts: tuple[str, ...]
    """PEP 508."""
    files: tuple[str, ...] = ()
    """The requirement files that say so; empty where the metadata do."""
    pinned: tuple[str, ...] = ()
    """What these files pin to one version: no bound, since it allows nothing lower or higher."""

    def why_nothing_is_bounded(self) -> str:
        """One sentence for people, where none of ``texts`` has a lower bound: why, and what to do."""
        if self.pinned:
            shown = ", ".join(self.pinned[:_SHOWN]) + (", …" if len(self.pinned) > _SHOWN else "")
            return (
                f"{self.files[0]} pins {counted(len(self.pinned), 'version')} ({shown}) and declares no "
                f"lower bound, such as {_bounded(self.pinned[0])}: there is nothing to lower; "
                f"check --from-lock {self.files[0]} compares what it pins with today"
            )
        if not self.texts:
            return "the project requires nothing"
        where = f"in {self.files[0]}" if self.files else "of the project"
        return f"no requirement {where} has a lower bound (NAME>=VERSION): nothing says how old one may be"


def project_requirements(
    root: Path, recipe: Recipe, environment: Environment | None
) -> ProjectRequirements | None:
    """What the project at ``root`` requires; None where that is not known.

    As its metadata say it, as its build in ``environment`` said it, or as the requirement files that
    ``recipe`` installs do, where there is no project to install.
    """
    extras = [extra for step in recipe.install if step.kind == "project" for extra in step.extras]
    stated = required(Files(root), extras_of_users(extras))
    if stated is None and environment is not None:
        name = read_declared(root).name
        installed = installed_requirements(site_packages(*environment.roots)).get(
            canonicalize_name(name or "")
        )
        stated = None if installed is None else installed.requires
    if stated is not None:
        return ProjectRequirements(texts=stated)
    files = declaring_files(root, recipe)
    if not files:
        return None
    lines = list(dict.fromkeys(_lines(Files(root), files)))
    pinned = tuple(line for line in lines if _is_pinned(line))
    return ProjectRequirements(
        texts=tuple(line for line in lines if line not in pinned), files=files, pinned=pinned
    )


def declaring_files(root: Path, recipe: Recipe) -> tuple[str, ...]:
    """The requirement files that ``recipe`` installs and that are for users, where there are no metadata."""
    if any(step.kind == "project" for step in recipe.install) or required(Files(root)) is not None:
        return ()
    installed = {step.file for step in recipe.install if step.kind == "requirements"}
    return tuple(file for file in requirement_files_of([recipe]) if file in installed and _is_for_users(file))


def _is_for_users(file: str) -> bool:
    words = re.split(r"[-_./]", file.rpartition(".")[0])
    return len(extras_of_users(words)) == len(words)


def _lines(files: Files, names: Iterable[str]) -> Iterator[str]:
    """The requirements of requirement files and of those that they include; other lines are left out."""
    left, seen = list(names), set[str]()
    while left and len(seen) < _MOST_FILES:
        name = left.pop(0)
        if name in seen:
            continue
        seen.add(name)
        for line in (files.text(name) or "").removeprefix("\ufeff").replace("\\\n", " ").splitlines():
            content = re.split(r"\s--", re.sub(r"(?:\A|\s)#.*", "", line).strip())[0].strip()
            included = _INCLUDED.match(content)
            if included is not None:
                path = normal_path(name.rpartition("/")[0] or ".", included["path"])
                left += [] if path is None else [path]
            elif content and not content.startswith("-"):
                yield content


def _is_pinned(line: str) -> bool:
    try:
        specifiers = Requirement(line).specifier
    except UNREADABLE:
        return False
    return any(each.operator in ("==", "===") and not each.version.endswith("*") for each in specifiers)


def _bounded(pinned: str) -> str:
    return re.sub(r"={2,3}", ">=", pinned, count=1)
