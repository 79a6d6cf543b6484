"""A recipe with what a configuration says about it (``configuration/``)."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from packaging.utils import canonicalize_name

from backdate.configuration.configuration import Configuration, Setting, SettingOrigin, SettingSource
from backdate.configuration.keys import ALL_SERVICES, nearest
from backdate.errors import ConfigurationError
from backdate.recipes.actions import DeclaredJob
from backdate.recipes.basic import basic_recipe, install_steps
from backdate.recipes.commands import read_commands
from backdate.recipes.compose import compose
from backdate.recipes.files import Files, normal_path
from backdate.recipes.recipe import (
    BuildConstraint,
    InstallStep,
    Provenance,
    Recipe,
    SuitePlan,
    SystemPackages,
    Variable,
)
from backdate.sandboxes.services.kinds import merged, wanted_service
from backdate.sandboxes.services.wanted import ServiceKind


def configured_recipes(
    candidates: Sequence[Recipe], configuration: Configuration, files: Files
) -> tuple[Recipe, ...]:
    """``candidates``, each with what ``configuration`` says about it; one more where there is none.

    Raises ConfigurationError for a test command that is not followed, groups that are not declared, files
    that are not there, and options of pytest for a suite that another runner runs.
    """
    if not configuration.effect:
        return tuple(candidates)
    tests = _plans(configuration.test_command, files) if configuration.test_command else ()
    if not candidates and tests:
        why = _provenance(configuration.test_command.origin)  # type: ignore[union-attr]  # tests come from it
        bare = Recipe(install=install_steps(files.root), test=tests[0], provenance=why)
        candidates = (bare,)
    configured = (_configured(recipe, configuration, tests, files) for recipe in candidates)
    return tuple(dict.fromkeys(configured))


def _configured(
    recipe: Recipe, configuration: Configuration, tests: Sequence[SuitePlan], files: Files
) -> Recipe:
    if tests:
        recipe = replace(recipe, test=tests[0], further_tests=tuple(tests[1:]))
    recipe = replace(recipe, install=tuple(_steps(recipe.install, configuration, files)))
    recipe = _with_pytest(recipe)
    if configuration.build_constraints is not None:
        why = _provenance(configuration.build_constraints.origin)
        limits = (
            BuildConstraint(requirement=each, provenance=why)
            for each in configuration.build_constraints.value
        )
        recipe = replace(recipe, build_constraints=(*recipe.build_constraints, *limits))
    recipe = _with_variables(recipe, configuration.environment)
    recipe = _with_services(recipe, configuration)
    if configuration.debian_packages is not None:
        named = configuration.debian_packages
        asked = SystemPackages(manager="apt", packages=named.value, provenance=_provenance(named.origin))
        recipe = replace(recipe, system=(*recipe.system, asked))
    return _with_options(recipe, configuration, files)


def _provenance(origin: SettingOrigin) -> Provenance:
    """Where a setting was written. The user's own file is not one of the project's."""
    if origin.source is SettingSource.PROJECT:
        return Provenance(rule=f"backdate's setting {origin.name}", file=origin.file, line=origin.line)
    whose = "the command line" if origin.source is SettingSource.COMMAND_LINE else "the user's backdate.toml"
    return Provenance(rule=f"{origin.name}, {whose}")


def _plans(command: Setting[str], files: Files) -> tuple[SuitePlan, ...]:
    """What a test command runs. Raises ConfigurationError where that is not known."""
    why = _provenance(command.origin)
    actions = read_commands(
        command.value, files=files, file=why.file, line=why.line or 1, rule=why.rule, variables={}
    )
    job = DeclaredJob(kind="configuration", name=command.origin.name, actions=actions, provenance=why)
    composition = compose(job, files, basic=basic_recipe(files.root))
    if composition.recipe is None:
        reasons = "; ".join(dict.fromkeys(skip.reason for skip in composition.skipped)) or "it runs no test"
        raise ConfigurationError(
            f"{command.origin.text}: {command.value[:200]!r} is not followed: {reasons}. Write the command "
            "that runs the tests themselves, such as 'pytest tests' or 'python -m unittest'"
        )
    return tuple(
        replace(plan, asked=True, asked_arguments=plan.arguments)
        for plan in (composition.recipe.test, *composition.recipe.further_tests)
    )


def _with_pytest(recipe: Recipe) -> Recipe:
    """``recipe`` with pytest among what is installed, where that runs its tests."""
    from backdate.index.names import requirement_name

    if recipe.test.runner != "pytest" or any(
        requirement_name(package) == "pytest" for step in recipe.install for package in step.packages
    ):
        return recipe
    step = InstallStep(
        kind="packages", packages=("pytest",), provenance=Provenance(rule="the suite's runner")
    )
    return replace(recipe, install=(*recipe.install, step))


def _steps(steps: Iterable[InstallStep], configuration: Configuration, files: Files) -> Iterator[InstallStep]:
    """The install steps, with what the configuration puts in the place of some."""
    replaced = {
        "requirements": configuration.requirements,
        "constraints": configuration.constraints,
    }
    groups = {name: packages for name, packages, _ in files.declared().groups}
    projects = 0
    for step in steps:
        if replaced.get(step.kind) is not None:
            continue
        if step.kind == "packages":
            of_group = step.packages in groups.values()
            if (configuration.groups if of_group else configuration.packages) is not None:
                continue
        if step.kind == "project" and step.file == "." and configuration.extras is not None:
            projects += 1
            why = _provenance(configuration.extras.origin)
            step = replace(step, extras=configuration.extras.value, provenance=why)  # noqa: PLW2901
        yield step
    if configuration.extras is not None and not projects:
        why = _provenance(configuration.extras.origin)
        yield InstallStep(kind="project", file=".", extras=configuration.extras.value, provenance=why)
    for kind, setting in replaced.items():
        for file in setting.value if setting is not None else ():
            yield _file_step(kind, file, setting.origin, files)  # type: ignore[union-attr]  # it has a value
    if configuration.groups is not None:
        for name in configuration.groups.value:
            yield _group_step(name, groups, configuration.groups.origin)
    if configuration.packages is not None:
        why = _provenance(configuration.packages.origin)
        if configuration.packages.value:
            yield InstallStep(kind="packages", packages=configuration.packages.value, provenance=why)


def _file_step(kind: str, file: str, origin: SettingOrigin, files: Files) -> InstallStep:
    path = normal_path(".", file)
    if path is None or not files.has(path):
        raise ConfigurationError(f"{origin.text}: there is no file {file[:200]} in the project")
    return InstallStep(
        kind="requirements" if kind == "requirements" else "constraints",
        file=path,
        provenance=_provenance(origin),
    )


def _group_step(name: str, groups: dict[str, tuple[str, ...]], origin: SettingOrigin) -> InstallStep:
    by_name = {canonicalize_name(group): packages for group, packages in groups.items()}
    packages = by_name.get(canonicalize_name(name))
    if packages is None:
        known = nearest(name, list(groups)) or "; it declares none"
        raise ConfigurationError(f"{origin.text}: the project declares no group {name[:100]!r}{known}")
    return InstallStep(kind="packages", packages=packages, provenance=_provenance(origin))


def _with_variables(recipe: Recipe, variables: Iterable[tuple[str, Setting[str]]]) -> Recipe:
    values = dict(variables)
    if not values:
        return recipe
    kept = tuple(variable for variable in recipe.variables if variable.name not in values)
    added = tuple(
        Variable(name=name, value=setting.value, provenance=_provenance(setting.origin))
        for name, setting in values.items()
    )
    plain = {name: setting.value for name, setting in values.items()}

    def with_values(plan: SuitePlan) -> SuitePlan:
        return replace(plan, environment=tuple({**dict(plan.environment), **plain}.items()))

    return replace(
        recipe,
        variables=(*kept, *added),
        test=with_values(recipe.test),
        further_tests=tuple(map(with_values, recipe.further_tests)),
    )


def _with_services(recipe: Recipe, configuration: Configuration) -> Recipe:
    refused = set(configuration.refused_services.value if configuration.refused_services else ())
    services = [
        service
        for service in recipe.services
        if ALL_SERVICES not in refused and service.kind.value not in refused
    ]
    if configuration.services is not None:
        known = {service.kind for service in services}
        where = configuration.services.origin.name
        services += [
            wanted_service(ServiceKind(name), where=where)
            for name in configuration.services.value
            if ServiceKind(name) not in known
        ]
    return replace(recipe, services=merged(services))


def _with_options(recipe: Recipe, configuration: Configuration, files: Files) -> Recipe:
    """``recipe`` with the arguments for pytest, and without the tests that are not wanted."""
    for setting in (configuration.pytest_arguments, configuration.deselect):
        if setting is not None and setting.value and recipe.test.runner != "pytest":
            raise ConfigurationError(
                f"{setting.origin.text}: it is for pytest, and the tests are run by {recipe.test.runner}; "
                "say with test-command (--test-command) how pytest runs them"
            )
    deselected = configuration.deselect.value if configuration.deselect is not None else ()
    options = tuple(f"--deselect={name}" for name in deselected)
    targets: tuple[str, ...] = ()
    if configuration.pytest_arguments is not None and configuration.pytest_arguments.value:
        origin = configuration.pytest_arguments.origin
        words = ("pytest", *configuration.pytest_arguments.value)
        given = _plans(Setting(value=shlex.join(words), origin=origin), files)[0]
        options, targets = (*given.arguments, *options), given.targets

    def with_options(plan: SuitePlan) -> SuitePlan:
        if plan.runner != "pytest":
            return plan
        return replace(
            plan,
            arguments=(*plan.arguments, *options),
            targets=targets or plan.targets,
            asked=plan.asked or bool(targets),
            asked_arguments=(*plan.asked_arguments, *options),
        )

    if not options and not targets:
        return recipe
    further = () if targets else tuple(map(with_options, recipe.further_tests))
    return replace(recipe, test=with_options(recipe.test), further_tests=further)
