"""The basic recipe: requirement files, the project with its test extras, test groups, and the suite.

Nine of ten published migration tasks are set up by this pattern alone: ``pip install -r …``,
``.[extras]``, then pytest or unittest.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from enum import Enum
from pathlib import Path

from backdate.recipes.declared import Declared, read_declared
from backdate.recipes.recipe import InstallStep, Provenance, Recipe
from backdate.recipes.suite import plan_tests

_TEST_WORD = re.compile(r"(?:^|[-_./])(?:tests?|testing|unittests?)(?:$|[-_./])", re.IGNORECASE)
_DEVELOPMENT_WORD = re.compile(r"(?:^|[-_./])(?:dev|develop|development|all)(?:$|[-_./])", re.IGNORECASE)
_REQUIREMENTS = re.compile(
    r"(?:.*[-_.])?(?:requirements?|reqs?)(?:[-_.].*)?\.(?:txt|in|pip)\Z", re.IGNORECASE
)
_PLAIN = re.compile(r"(?:requirements?|reqs?)\.(?:txt|pip)\Z", re.IGNORECASE)
_RUNTIME_IN_FOLDER = ("base", "common", "main", "prod", "production", "requirements", "core", "default")
_WORD = re.compile(r"[a-z0-9]+")
_FILLERS = {"requirements", "requirement", "reqs", "req"}
_FOLDERS = ("requirements", "reqs", "requirement")


class Purpose(Enum):
    """What a requirements file is for."""

    RUNNING = "requirements file"
    TESTING = "test requirements file"
    DEVELOPMENT = "development requirements file"

    @property
    def rule(self) -> str:
        """The text for a provenance."""
        return self.value


def basic_recipe(root: Path) -> Recipe | None:
    """How the project at ``root`` is installed and tested, or None when it has no tests."""
    test = plan_tests(root)
    if test is None:
        return None
    declared = read_declared(root)
    steps = [
        *requirement_steps(root),
        *_project_steps(declared),
        *_tests_require_steps(declared),
        *_group_steps(declared),
    ]
    if test.runner == "pytest":
        steps.append(
            InstallStep(
                kind="packages", packages=("pytest",), provenance=Provenance(rule="the suite's runner")
            )
        )
    return Recipe(install=tuple(steps), test=test)


def install_steps(root: Path) -> tuple[InstallStep, ...]:
    """What the project at ``root`` needs to run, without its tests' needs (for ``backdate env``)."""
    declared = read_declared(root)
    own = [replace(step, extras=()) for step in _project_steps(declared)]
    return (*requirement_steps(root, (Purpose.RUNNING,)), *own)


def requirement_steps(root: Path, purposes: Collection[Purpose] = tuple(Purpose)) -> list[InstallStep]:
    """One step for each requirements file that is for one of ``purposes``.

    Files for development stand in for those for testing where there are none of the latter.
    """
    plain, test, development = [], [], []
    for path in _candidates(root):
        name = path.relative_to(root).as_posix()
        stem = re.sub(r"requirements?|reqs?", "", name.rsplit(".", 1)[0], flags=re.IGNORECASE)
        if _PLAIN.match(name) or ("/" in name and path.stem.lower() in _RUNTIME_IN_FOLDER):
            plain.append(name)
        elif _TEST_WORD.search(stem):
            test.append(name)
        elif _DEVELOPMENT_WORD.search(stem):
            development.append(name)
    chosen = [(name, Purpose.RUNNING) for name in plain]
    chosen += [(name, Purpose.TESTING) for name in _plainest(test)]
    if not test:
        chosen += [(name, Purpose.DEVELOPMENT) for name in _plainest(development)]
    return [
        InstallStep(kind="requirements", file=name, provenance=Provenance(rule=purpose.rule, file=name))
        for name, purpose in chosen
        if purpose in purposes
    ]


def _plainest(names: list[str]) -> list[str]:
    """Those that are named for testing and nothing else ("tests.txt", not "tests-min.txt"), else all."""
    plain = [
        name for name in names if len(set(_WORD.findall(name.rsplit(".", 1)[0].lower())) - _FILLERS) == 1
    ]
    return plain or names


def _candidates(root: Path) -> list[Path]:
    matching = [path for path in root.iterdir() if _REQUIREMENTS.match(path.name)]
    for folder in (*_FOLDERS, "tests", "test"):
        inside = root / folder
        if inside.is_dir() and not inside.is_symlink():
            every = folder in _FOLDERS
            matching += [
                path
                for path in inside.iterdir()
                if (every and path.suffix in (".txt", ".pip", ".in")) or _REQUIREMENTS.match(path.name)
            ]
    usable = sorted(
        (path for path in matching if path.is_file() and not path.is_symlink()),
        key=lambda path: (len(path.parts), path),
    )
    compiled = {path.with_suffix(".in") for path in usable if path.suffix == ".txt"}
    return [path for path in usable if path not in compiled]


def is_for_developers(name: str) -> bool:
    """Whether an extra or a group is named like those of tests or development, which users do not ask for."""
    named = _TEST_WORD.search(name) or _DEVELOPMENT_WORD.search(name)
    return named is not None and name.lower() != "all"


def _project_steps(declared: Declared) -> list[InstallStep]:
    if declared.installable is None:
        if not declared.runtime:
            return []
        return [
            InstallStep(
                kind="packages",
                packages=declared.runtime,
                provenance=Provenance(rule="Pipfile", file="Pipfile"),
            )
        ]
    names = [name for name, _ in declared.extras]
    tests = [name for name in names if _TEST_WORD.search(name)]
    extras = tests or [name for name in names if _DEVELOPMENT_WORD.search(name)]
    rule = "the project, with extras named like test extras" if extras else "the project"
    return [
        InstallStep(
            kind="project",
            file=".",
            extras=tuple(extras),
            provenance=Provenance(rule=rule, file=declared.installable),
        )
    ]


def _tests_require_steps(declared: Declared) -> list[InstallStep]:
    if declared.installable is None or not declared.tests_require:
        return []
    where = Provenance(rule="tests_require")
    return [InstallStep(kind="packages", packages=declared.tests_require, provenance=where)]


def _group_steps(declared: Declared) -> list[InstallStep]:
    tests = [group for group in declared.groups if _TEST_WORD.search(group[0]) and group[1]]
    chosen = tests or [group for group in declared.groups if _DEVELOPMENT_WORD.search(group[0]) and group[1]]
    return [
        InstallStep(
            kind="packages",
            packages=packages,
            provenance=Provenance(rule=f"group {name} of {where}", file=where.split(" ")[0]),
        )
        for name, packages, where in chosen
    ]
