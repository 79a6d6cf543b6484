"""Small projects that do not set up, each for one rule of repair, and how they are carried out for real."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from small_debian import PACKAGES

from backdate.checking.dated_project import DatedProject
from backdate.checking.recipe_run import RecipeRun, run_recipe
from backdate.checking.resources import Resources
from backdate.checking.settings import Settings
from backdate.checking.setup_failures import setup_failure_of
from backdate.projects.python_constraint import read_python_constraint
from backdate.projects.tree import tree_digest
from backdate.recipes.recipe import InstallStep, Provenance, Recipe, SuitePlan, SystemPackages
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.setup_failure import SetupFailure
from backdate.sandboxes.bases import BaseSettings
from backdate.sandboxes.interface import MIB, Limits
from backdate.serial import from_json, to_json

LOGS = Path(__file__).parents[1] / "recipes" / "repair" / "logs"
WHY = Provenance(rule="a case")
_LIMITS = Limits(wall_s=60.0, memory_bytes=1024 * MIB)


@dataclass(frozen=True, kw_only=True)
class Case:
    """One project, and what is expected of the rules."""

    name: str
    files: dict[str, str]
    at: str
    python: str
    error: ErrorClass
    rule: str
    """The rule (or a part of the joined rules' name) that has to be among what is proposed."""
    packages: tuple[str, ...] = ("pytest",)
    requirements: tuple[str, ...] = ()
    project: bool = False
    extras: tuple[str, ...] = ()
    plan: SuitePlan = field(default_factory=lambda: SuitePlan(runner="pytest", provenance=WHY))
    small: bool = False
    """Whether it is built in a small Debian, which has a C compiler and hardly a header."""
    works: bool = True
    """Whether the repaired recipe is run for real, and has to pass."""

    @property
    def instant(self) -> datetime:
        return datetime.fromisoformat(self.at).replace(tzinfo=UTC)

    @property
    def recipe(self) -> Recipe:
        steps = [InstallStep(kind="requirements", file=one, provenance=WHY) for one in self.requirements]
        if self.project:
            steps.append(InstallStep(kind="project", file=".", extras=self.extras, provenance=WHY))
        if self.packages:
            steps.append(InstallStep(kind="packages", packages=self.packages, provenance=WHY))
        system = (SystemPackages(manager="apt", packages=("gcc",), provenance=WHY),) if self.small else ()
        return Recipe(system=system, install=tuple(steps), test=self.plan)

    def write(self, folder: Path) -> Path:
        for name, text in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return folder


def carry(
    case: Case, recipe: Recipe, tree: Path, logs: Path, python: str
) -> tuple[RecipeRun, SetupFailure | None]:
    """``recipe`` carried out on the case's tree; what it came to, and what went wrong if anything did."""
    dated = DatedProject(
        name=case.name,
        tree=tree,
        digest=tree_digest(tree),
        instant=case.instant,
        python_constraint=read_python_constraint(tree),
        python=python,
    )
    settings = Settings(test_limits=_LIMITS, apt=case.small)
    with Resources(settings, bases=BaseSettings(packages=PACKAGES)) as resources:
        carried = run_recipe(recipe, dated, resources, log_folder=logs)
        pythons = tuple(dict.fromkeys(one.version for one in resources.interpreters.available))
    if carried.run is not None and carried.run.status == "completed" and carried.run.exit_code == 0:
        return carried, None
    return carried, setup_failure_of(carried, dated, pythons)


def stored(trouble: SetupFailure, case: Case, header: str) -> str:
    """A trouble as the text of a file: a line on how it was made, the facts, the log."""
    text = portable(trouble.text)
    lines = text.split("\n")
    if len(lines) > 160:
        text = "\n".join((*lines[:40], f"[{len(lines) - 160} lines left out]", *lines[-120:]))
    facts = portable(to_json(SetupFailure(**{**_fields(trouble), "text": ""})).decode())
    return f"# {header}\n# {facts}\n{text}\n"


def _fields(trouble: SetupFailure) -> dict[str, object]:
    return {name: getattr(trouble, name) for name in SetupFailure.__slots__}


def portable(text: str) -> str:
    """Without the paths of the machine that it was made on."""
    text = re.sub(r"/[^\s\"':,]*?/(?:environments|envs)/[0-9a-f]{64}", "/env", text)
    text = re.sub(r"/work/[0-9a-f]{16}/[\w.-]+", "/project", text)
    text = re.sub(r"/root/\.cache/backdate[^\s\"':,]*?/(?=builds-v0|sdists|wheels)", "/cache/", text)
    text = re.sub(r"/root/\.pyenv/versions/([\d.]+)", r"/python-\1", text)
    return re.sub(r"/(?:root|work|tmp)/[^\s\"':,)]*", "/somewhere", text)


def read_stored(path: Path) -> tuple[str, SetupFailure]:
    """The header and the trouble that ``stored`` wrote."""
    header, facts, text = path.read_text().split("\n", 2)
    trouble = from_json(SetupFailure, facts[2:].encode())
    return header, SetupFailure(**{**_fields(trouble), "text": text})
