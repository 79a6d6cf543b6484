"""A recipe as JSON, as a shell script, and as a Dockerfile.

The script and the Dockerfile are for people and for other tools: every step stands under a comment
with where it was read. They install from whatever index they are given, so they repeat the past only with an
index that shows it; backdate's own builds do not go through them.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterator

from backdate.migrations import RECIPE_OF_FORMAT_1, Migration, read_stored
from backdate.recipes.recipe import PROJECT_FOLDER, InstallStep, Provenance, Recipe, SuitePlan
from backdate.serial import to_json
from backdate.timeline.instants import format_day, format_instant

DEFAULT_INDEX = "https://pypi.org/simple"
_BUILD_LIMITS = "/tmp/build-constraints.txt"  # noqa: S108 - in a script that somebody runs for themselves
DEFAULT_PYTHON = "3.11"
"""For a Dockerfile of a recipe that names no interpreter, when none is given."""
_VERSION = re.compile(r"\d+(?:\.\d+){0,2}\Z")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")


def steps_of(recipe: Recipe) -> Iterator[tuple[str, str, Provenance]]:
    """What a recipe does, in order, for people: the kind of a step, its text, and where it was read."""
    for system in recipe.system:
        yield system.manager, " ".join(system.packages), system.provenance
    for service in recipe.services:
        yield "service", service.place, Provenance(rule=service.where or "a service")
    for name in recipe.locales:
        yield "locale", name, Provenance(rule="a locale that the tests set")
    for variable in recipe.variables:
        yield "set", f"{variable.name}={variable.value}", variable.provenance
    for limit in recipe.build_constraints:
        yield "builds", limit.requirement, limit.provenance
    for cut in recipe.extra_cutoff_overrides:
        yield "cut", f"{cut.name} at {format_day(cut.until)}", cut.provenance
    for step in recipe.install:
        yield "install", install_command(step), step.provenance
    for plan in (recipe.test, *recipe.further_tests):
        yield "test", command_of(plan, recipe), plan.provenance


def as_json(recipe: Recipe) -> str:
    """The recipe, for ``read_recipe``."""
    return to_json(recipe, indent=2).decode()


def read_recipe(text: str) -> Recipe:
    """The recipe that ``as_json`` wrote. Raises StoredDataError."""
    return read_stored(
        Recipe,
        text.encode("utf-8", "surrogatepass"),
        current=2,
        stored_format=1,  # a recipe by itself names no format: it may be of either
        migrations=(Migration(to_format=2, renames=RECIPE_OF_FORMAT_1),),
        what="the recipe",
    )


def as_shell_script(recipe: Recipe) -> str:
    """A POSIX shell script, run in the project's folder inside a virtual environment."""
    lines = [
        "#!/bin/sh",
        "# Run this in the project's folder, with a virtual environment active.",
        *_interpreter_comment(recipe),
        "set -eu",
        "",
    ]
    for system in recipe.system:
        lines += _comment(system.provenance)
        packages = _printable(shlex.join(system.packages))
        if system.manager == "apt":
            lines.append(f"# needs: apt-get install -y --no-install-recommends {packages}")
        else:
            lines.append(f"# conda packages, not installed: {packages}")
    lines += _service_comments(recipe)
    lines += installing_lines(recipe)
    for plan in (recipe.test, *recipe.further_tests):
        lines += [*_comment(plan.provenance), command_of(plan, recipe)]
    return "\n".join(lines) + "\n"


def installing_lines(recipe: Recipe) -> tuple[str, ...]:
    """Shell lines that set the recipe's variables and install what it names, in the project's folder."""
    lines: list[str] = []
    for variable in recipe.variables:
        if _NAME.match(variable.name) and not variable.builds_only:
            lines += _comment(variable.provenance)
            value = variable.value.replace(PROJECT_FOLDER, ".")
            lines.append(f"export {variable.name}={shlex.quote(value)}")
    return (*lines, *_build_lines(recipe, "export "), *_install_lines(recipe))


def as_dockerfile(recipe: Recipe, *, python: str | None = None) -> str:
    """A Dockerfile to be put into the project's folder; the index is the build argument ``INDEX_URL``.

    ``python`` is the interpreter's version; without it the newest one that the recipe names.
    """
    named = recipe.interpreter.versions[-1] if recipe.interpreter else DEFAULT_PYTHON
    version = python or named
    if not _VERSION.match(version):
        version = DEFAULT_PYTHON
    lines = [*_interpreter_comment(recipe), f"FROM python:{version}", f"ARG INDEX_URL={DEFAULT_INDEX}"]
    lines += ["ENV PIP_INDEX_URL=$INDEX_URL", "WORKDIR /project", ""]
    for system in recipe.system:
        lines += _comment(system.provenance)
        packages = _printable(shlex.join(system.packages))
        if system.manager == "apt":
            lines.append(
                "RUN apt-get update && apt-get install -y --no-install-recommends "
                f"{packages} && rm -rf /var/lib/apt/lists/*"
            )
        else:
            lines.append(f"# conda packages, not installed: {packages}")
    lines += [*_service_comments(recipe), "COPY . .", ""]
    for variable in recipe.variables:
        if _NAME.match(variable.name) and not variable.builds_only:
            lines += _comment(variable.provenance)
            value = variable.value.replace(PROJECT_FOLDER, "/project")
            lines.append(f"ENV {variable.name}={_docker_quoted(value)}")
    for line in (*_build_lines(recipe, "ENV "), *_install_lines(recipe)):
        lines.append(line if line.startswith(("#", "ENV ")) else f"RUN {_printable(line)}")
    plans = (recipe.test, *recipe.further_tests)
    for plan in plans:
        lines += _comment(plan.provenance)
    script = " && ".join(f"({command_of(plan, recipe)})" for plan in plans)
    lines.append(f"CMD {to_json(['/bin/sh', '-c', script]).decode()}")
    return "\n".join(lines) + "\n"


def _service_comments(recipe: Recipe) -> Iterator[str]:
    """What has to be running, a line each."""
    for service in recipe.services:
        yield _one_line(f"# wants: {service.place} ({service.where})")
    for name in recipe.locales:
        yield _one_line(f"# wants: the locale {name}.UTF-8")


def install_command(step: InstallStep) -> str:
    """One step as a pip command. The steps of a recipe are installed together: see ``installing_lines``."""
    return shlex.join(["python", "-m", "pip", "install", *_pip_arguments(step)])


def command_of(plan: SuitePlan, recipe: Recipe | None = None) -> str:
    """A test plan as a command line, run in the project's folder.

    Variables that ``recipe`` sets anyway are not repeated.
    """
    program = {
        "pytest": ["python", "-m", "pytest"],
        "unittest": ["python", "-m", "unittest"],
        "django": ["python", *_django_program(plan), "test", "--noinput"],
        "program": ["python"],
        "script": ["bash"],
    }[plan.runner]
    here = posixpath.relpath(".", plan.cwd)
    set_anyway = {
        (variable.name, variable.value.replace(PROJECT_FOLDER, here))
        for variable in (recipe.variables if recipe else ())
        if not variable.builds_only
    }
    own = [
        f"{name}={shlex.quote(value)}"
        for name, value in plan.environment
        if (name, value) not in set_anyway and _NAME.match(name)
    ]
    rest = (*plan.targets, *plan.arguments) if plan.runner == "program" else (*plan.arguments, *plan.targets)
    command = " ".join([*own, shlex.join([*program, *rest])])
    return command if plan.cwd == "." else f"(cd {shlex.quote(plan.cwd)} && {command})"


def _django_program(plan: SuitePlan) -> list[str]:
    """``manage.py``, which names the settings; without one they are named for Django's own command line."""
    named = "DJANGO_SETTINGS_MODULE" in dict(plan.environment)
    named = named or any(argument.startswith("--settings") for argument in plan.arguments)
    return ["-m", "django"] if named else ["manage.py"]


def _build_lines(recipe: Recipe, setting: str) -> Iterator[str]:
    """Limits on isolated builds, what builds need besides what they declare, and later cutoffs.

    pip reads ``PIP_CONSTRAINT`` for isolated builds as well until 25.3, then ``PIP_BUILD_CONSTRAINT``.
    """
    for cut in recipe.extra_cutoff_overrides:
        yield from _comment(cut.provenance)
        yield _one_line(f"# the index has to show {cut.name} as of {format_instant(cut.until)}")
    for limit in recipe.build_constraints:
        yield from _comment(limit.provenance)
        yield f"echo {shlex.quote(_printable(limit.requirement))} >> {_BUILD_LIMITS}"
    if recipe.build_constraints:
        yield f"{setting}PIP_CONSTRAINT={_BUILD_LIMITS}"
        yield f"{setting}PIP_BUILD_CONSTRAINT={_BUILD_LIMITS}"
    for needed in recipe.build_requirements:
        yield from _comment(needed.provenance)
        install = ["python", "-m", "pip", "install", _printable(needed.requirement)]
        yield shlex.join(install)


def _install_lines(recipe: Recipe) -> Iterator[str]:
    """One call of pip for all steps, since they are resolved together, with each step's source above it."""
    arguments: list[str] = []
    for step in recipe.install:
        yield from _comment(step.provenance)
        arguments += _pip_arguments(step)
    if arguments:
        own = "".join(
            f"{variable.name}={shlex.quote(_printable(variable.value.replace(PROJECT_FOLDER, '.')))} "
            for variable in recipe.variables
            if variable.builds_only and _NAME.match(variable.name)
        )
        yield own + shlex.join(["python", "-m", "pip", "install", *arguments])


def _pip_arguments(step: InstallStep) -> list[str]:
    file = step.file or "."
    if step.kind == "requirements":
        return ["-r", file]
    if step.kind == "constraints":
        return ["-c", file]
    if step.kind == "packages":
        return list(step.packages)
    path = "." if file == "." else f"./{file}"
    target = path + (f"[{','.join(step.extras)}]" if step.extras else "")
    return ["-e", target] if step.editable else [target]


def _interpreter_comment(recipe: Recipe) -> Iterator[str]:
    if recipe.interpreter is not None:
        location = recipe.interpreter.provenance.location
        yield _one_line(f"# Python {', '.join(recipe.interpreter.versions)} ({location})")


def _comment(provenance: Provenance) -> Iterator[str]:
    """The source of a line, as one comment whatever the file's text holds."""
    location = f"{provenance.location}: " if provenance.location else ""
    yield _one_line(f"# {location}{provenance.text or provenance.rule}")


def _one_line(text: str) -> str:
    """Without line ends of any kind, and without the backslash that would continue a Dockerfile's line."""
    return " ".join(_printable(text).split())[:300].rstrip("\\")


def _printable(text: str) -> str:
    """Without line ends and control characters of any kind: no text can start another instruction."""
    return "".join(character if character.isprintable() else " " for character in text)


def _docker_quoted(value: str) -> str:
    escaped = re.sub(r'([\\"$])', r"\\\1", _printable(value))
    return f'"{escaped}"'
