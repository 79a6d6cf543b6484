"""CircleCI: ``.circleci/config.yml``, after its "Configuration reference"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from backdate.recipes.actions import Action, DeclaredJob
from backdate.recipes.commands import read_commands
from backdate.recipes.files import Files, normal_path
from backdate.recipes.recipe import PROJECT_FOLDER, DeclaredPythons, Provenance, SkippedInstruction, Variable
from backdate.recipes.sources.matrix import cpython_versions
from backdate.recipes.sources.services import listed_services
from backdate.recipes.sources.yaml import Node, read_document

FILE = ".circleci/config.yml"
_RULE = "CircleCI"
_DEEPEST = 4
_PARAMETER = re.compile(r"<<\s*parameters\.([\w-]+)\s*>>")
_IMAGE = re.compile(r"(?:^|/)python:([\w.]+)")
_UNLIKELY = re.compile(r"lint|doc|deploy|publish|release|style|mypy|build_|nightly", re.IGNORECASE)


def read_circleci(files: Files) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """Every job."""
    text = files.text(FILE)
    if text is None:
        return (), ()
    document = read_document(text, _RULE, FILE)
    if isinstance(document, SkippedInstruction):
        return (), (document,)
    return tuple(_job(files, document, name, job) for name, job in document.get("jobs").pairs()), ()


def _job(files: Files, document: Node, name: str, job: Node) -> DeclaredJob:
    parameters = _defaults(job)
    actions: list[Action] = []
    executor = document.get("executors", job.get("executor").text or job.get("executor", "name").text)
    docker = job.get("docker") if job.get("docker").present else executor.get("docker")
    images = docker.items
    matched = _IMAGE.search(_filled(images[0].get("image").text, parameters)) if images else None
    versions = cpython_versions([matched[1]] if matched else [])
    if versions:
        where = Provenance(rule=f"{_RULE}, image", file=FILE, line=images[0].line)
        actions.append(DeclaredPythons(versions=versions, provenance=where))
    actions += listed_services(images[1:], _RULE, FILE)
    variables = {"CI": "true", "CIRCLECI": "true", "CIRCLE_WORKING_DIRECTORY": PROJECT_FOLDER}
    for node in (images[0].get("environment") if images else Node(), job.get("environment")):
        actions += _environment(node, variables)
    actions += _steps(files, document, job.get("steps"), parameters, variables, 0)
    return DeclaredJob(
        kind=_RULE,
        name=f"job {name}",
        actions=tuple(actions),
        doubts=2 * len(_UNLIKELY.findall(name)),
        provenance=Provenance(rule=_RULE, file=FILE, line=job.line),
    )


def _environment(node: Node, variables: dict[str, str]) -> Iterator[Action]:
    fields = [pair for item in node.listed for pair in item.pairs()] if node.items else list(node.pairs())
    for name, value in fields:
        if value.scalar is not None and "$" not in value.scalar and "<<" not in value.scalar:
            variables[name] = value.scalar
            where = Provenance(rule=f"{_RULE}, environment", file=FILE, line=value.line)
            yield Variable(name=name, value=value.scalar, provenance=where)


def _defaults(node: Node) -> dict[str, str]:
    return {
        name: value.get("default").text
        for name, value in node.get("parameters").pairs()
        if value.get("default").present
    }


def _filled(text: str, parameters: Mapping[str, str]) -> str:
    return _PARAMETER.sub(lambda match: parameters.get(match[1], match[0]), text)


def _steps(
    files: Files,
    document: Node,
    steps: Node,
    parameters: Mapping[str, str],
    variables: dict[str, str],
    depth: int,
) -> Iterator[Action]:
    for step in steps.listed:
        if not files.spend():
            return
        if step.get("run").present:
            run = step.get("run")
            script = run if run.scalar is not None else run.get("command")
            folder = _filled(run.get("working_directory").text, parameters)
            yield from _environment(run.get("environment"), variables)
            yield from read_commands(
                _filled(script.text, parameters),
                files=files,
                file=FILE,
                line=script.line,
                rule=_RULE,
                cwd=normal_path(".", folder) or "." if folder else ".",
                variables=variables,
            )
            continue
        name, arguments = (step.text, Node()) if step.text else next(step.pairs(), ("", Node()))
        command = document.get("commands", name)
        where = Provenance(rule=_RULE, file=FILE, line=step.line)
        if command.present and depth < _DEEPEST:
            inside = _defaults(command) | {
                key: _filled(value.text, parameters) for key, value in arguments.pairs()
            }
            yield from _steps(files, document, command.get("steps"), inside, variables, depth + 1)
        elif name == "python/install-packages":
            yield from _orb(files, arguments, where)
        elif "/" in name:
            yield SkippedInstruction(reason=f"the orb {name[:80]} is not followed", provenance=where)


def _orb(files: Files, arguments: Node, where: Provenance) -> Iterator[Action]:
    """``python/install-packages`` of CircleCI's own orb: a package manager's ordinary install."""
    manager = arguments.get("pkg-manager").text or "auto"
    file = arguments.get("pip-dependency-file").text or "requirements.txt"
    commands = {
        "poetry": "poetry install",
        "pipenv": "pipenv install --dev",
        "pip-dist": "pip install .",
        "uv": "uv sync",
    }
    command = commands.get(manager, f"pip install -r '{file.replace(chr(39), '')}'")
    if manager == "auto":
        locks = (("Pipfile.lock", "pipenv"), ("poetry.lock", "poetry"), ("uv.lock", "uv"))
        command = next((commands[tool] for lock, tool in locks if files.has(lock)), command)
    yield from read_commands(command, files=files, file=FILE, line=where.line or 1, rule=f"{_RULE}, its orb")
