"""A candidate's actions, with what they leave to other files, as one recipe."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from backdate.index.names import requirement_name
from backdate.knowledge import load
from backdate.recipes.actions import Action, DeclaredJob, Delegation
from backdate.recipes.commands import read_commands
from backdate.recipes.files import Files
from backdate.recipes.recipe import (
    PROJECT_FOLDER,
    DeclaredPythons,
    InstallStep,
    Provenance,
    Recipe,
    SkipKind,
    SkippedInstruction,
    SuitePlan,
    SystemPackages,
    Variable,
)
from backdate.recipes.services import services_of
from backdate.recipes.sources.conda import read_conda
from backdate.recipes.sources.makefile import read_makefile
from backdate.recipes.sources.nox import read_nox
from backdate.recipes.sources.tox import read_tox

_DEEPEST = 5
_NOT_FOR_TESTS = (
    "CI",
    "TRAVIS",
    "GITLAB_CI",
    "PIP_",
    "POETRY_",
    "GITHUB_",
    "TWINE_",
    "TOXENV",
    "TOX_",
    "CIBW_",
    "UV_",
)
_SANITIZER = re.compile(r"SANITI[SZ]|(?:\A|_)(?:[ALMT]|UB)SAN(?:_|\Z)", re.IGNORECASE)
"""Variables of a build for a sanitizer: nothing that it makes is imported without a preloaded runtime."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Composition:
    """What a candidate comes to."""

    recipe: Recipe | None
    """None when it runs no test."""
    skipped: tuple[SkippedInstruction, ...]


def compose(candidate: DeclaredJob, files: Files, *, basic: Recipe | None) -> Composition:
    """The recipe that ``candidate`` means.

    ``basic`` lends its install steps to a candidate that only runs tests (a Makefile, as a rule), its
    tests to one that only installs, and its plan to commands that mean "whatever tests there are".
    """
    actions = list(_followed(candidate.actions, files, basic, 0))
    skipped = [action for action in actions if isinstance(action, SkippedInstruction)]
    plans = [action for action in actions if isinstance(action, SuitePlan)]
    if not plans and candidate.installs_only and basic is not None:
        plans = [basic.test]
    if not plans:
        return Composition(recipe=None, skipped=tuple(skipped))
    variables = _variables(actions)
    steps = list(_steps(actions, skipped))
    if not any(step.kind != "constraints" for step in steps) and basic is not None:
        steps += basic.install
    plans = list(_distinct(_with_variables(_placed(plan, files), variables) for plan in plans))
    runners = {plan.runner for plan in plans}
    if "pytest" in runners and not any(_is_pytest(package) for step in steps for package in step.packages):
        why = Provenance(rule="the suite's runner")
        steps.append(InstallStep(kind="packages", packages=("pytest",), provenance=why))
    declared_pythons = [action for action in actions if isinstance(action, DeclaredPythons)]
    return Composition(
        recipe=Recipe(
            install=tuple(steps),
            test=plans[0],
            further_tests=tuple(plans[1:]),
            interpreter=max(declared_pythons, key=lambda pythons: len(pythons.versions), default=None),
            system=tuple(action for action in actions if isinstance(action, SystemPackages)),
            variables=variables,
            services=services_of(actions, variables),
            provenance=replace(candidate.provenance, rule=f"{candidate.kind}, {candidate.name}"),
        ),
        skipped=tuple(skipped),
    )


def _is_pytest(requirement: str) -> bool:
    return requirement_name(requirement) == "pytest"


def _followed(actions: Iterable[Action], files: Files, basic: Recipe | None, depth: int) -> Iterator[Action]:
    """The actions with every delegation replaced by what it leads to."""
    for action in actions:
        if not isinstance(action, Delegation):
            yield action
        elif depth >= _DEEPEST or not files.spend(10):
            yield SkippedInstruction(
                reason="files that refer to each other too deep", provenance=action.provenance
            )
        elif action.to == "suite":
            yield from _suite(action, basic)
        else:
            candidates, problems = _led_to(action, files)
            yield from problems
            for name, value in action.variables:
                if action.to in ("tox", "nox") and not name.startswith("TOX"):
                    yield Variable(name=name, value=value, provenance=action.provenance)
            if not candidates and not problems:
                reason = f"there is nothing that {action.to} would run"
                yield SkippedInstruction(reason=reason, provenance=action.provenance)
            for candidate in candidates:
                yield from _followed(candidate.actions, files, basic, depth + 1)


def _led_to(
    action: Delegation, files: Files
) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    if action.to in ("tox", "nox") and action.cwd != ".":
        reason = f"{action.to} is run in {action.cwd}; only that of the root is read"
        return (), (SkippedInstruction(reason=reason, provenance=action.provenance),)
    match action.to:
        case "tox":
            environments = action.arguments or _environments_of(action)
            return read_tox(files, environments)
        case "nox":
            return read_nox(files, action.arguments)
        case "make":
            return read_makefile(files, action.arguments, action.cwd)
        case "conda":
            return read_conda(files, action.arguments[0])
        case _:
            return _script(action, files)


def _environments_of(action: Delegation) -> tuple[str, ...]:
    return tuple(value for name, value in action.variables if name == "TOXENV" and value)


def _script(
    action: Delegation, files: Files
) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    path = action.arguments[0]
    text = files.text(path)
    if text is None:
        return (), (SkippedInstruction(reason=f"{path} cannot be read", provenance=action.provenance),)
    first = text.split("\n", 1)[0]
    if first.startswith("#!") and "sh" not in first:
        return (), (SkippedInstruction(reason=f"{path} is no shell script", provenance=action.provenance),)
    actions = read_commands(
        text,
        files=files,
        file=path,
        rule="a script that is called",
        cwd=action.cwd,
        variables=dict(action.variables),
    )
    return (DeclaredJob(kind="script", name=path, actions=actions, provenance=action.provenance),), ()


def _suite(action: Delegation, basic: Recipe | None) -> Iterator[Action]:
    if basic is None:
        yield SkippedInstruction(
            reason="no tests were found that it could mean", provenance=action.provenance
        )
        return
    rule = f"{action.provenance.rule}; the tests that were found ({basic.test.provenance.rule})"
    yield replace(
        basic.test,
        provenance=replace(action.provenance, rule=rule),
        environment=(*basic.test.environment, *action.variables),
    )


def _steps(actions: Sequence[Action], skipped: list[SkippedInstruction]) -> Iterator[InstallStep]:
    """The install steps without tools and without repetitions."""
    seen: set[object] = set()
    packages: set[str] = set()
    for action in actions:
        if not isinstance(action, InstallStep):
            continue
        step = action
        if step.kind == "packages":
            tools = load.tools()
            kept = tuple(
                package
                for package in step.packages
                if package not in packages and package.lower() not in tools
            )
            dropped = [package for package in step.packages if package.lower() in tools]
            if dropped:
                reason = f"not needed by tests: {', '.join(dropped)}"
                skipped.append(
                    SkippedInstruction(reason=reason, kind=SkipKind.AROUND_TESTS, provenance=step.provenance)
                )
            if not kept:
                continue
            packages |= set(kept)
            step = replace(step, packages=kept)
        key = (step.kind, step.file, step.extras, step.packages)
        if key not in seen:
            seen.add(key)
            yield step


def _variables(actions: Sequence[Action]) -> tuple[Variable, ...]:
    """The last value of each variable that may concern installing or testing."""
    last: dict[tuple[str, bool], Variable] = {}
    for action in actions:
        if (
            isinstance(action, Variable)
            and not action.name.startswith(_NOT_FOR_TESTS)
            and not _SANITIZER.search(action.name)
            and "-fsanitize" not in action.value
            and action.name != "PATH"
        ):
            last[action.name, action.builds_only] = action
    return tuple(last.values())


def _placed(plan: SuitePlan, files: Files) -> SuitePlan:
    """``plan`` in the root where it would start in a folder that only a tool makes (tox's own)."""
    if files.has(plan.cwd):
        return plan
    why = replace(plan.provenance, rule=f"{plan.provenance.rule}; {plan.cwd} is no folder of the project")
    targets = plan.targets
    if plan.runner == "pytest":
        targets = tuple(posixpath.normpath(posixpath.join(plan.cwd, target)) for target in plan.targets)
    return replace(plan, cwd=".", targets=targets, provenance=why)


def _with_variables(plan: SuitePlan, variables: Sequence[Variable]) -> SuitePlan:
    here = posixpath.relpath(".", plan.cwd)
    values = {
        variable.name: variable.value.replace(PROJECT_FOLDER, here)
        for variable in variables
        if not variable.builds_only
    }
    return replace(plan, environment=tuple((values | dict(plan.environment)).items()))


def _distinct(plans: Iterable[SuitePlan]) -> Iterator[SuitePlan]:
    seen: set[SuitePlan] = set()
    for plan in plans:
        key = replace(plan, provenance=Provenance(rule=""))
        if key not in seen:
            seen.add(key)
            yield plan
