"""GitHub Actions: the jobs of ``.github/workflows``, one of each job's matrix entries.

After "Workflow syntax for GitHub Actions" and "Metadata syntax for composite actions" (GitHub Docs).
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from backdate.recipes.actions import Action, DeclaredJob, skip_unless
from backdate.recipes.commands import read_commands
from backdate.recipes.files import PARSING, Files, normal_path
from backdate.recipes.installers import debian_packages
from backdate.recipes.recipe import (
    PROJECT_FOLDER,
    DeclaredPythons,
    InstallStep,
    Provenance,
    SkippedInstruction,
    Variable,
)
from backdate.recipes.sources.expressions import fill, holds
from backdate.recipes.sources.matrix import choose_entry, cpython_versions, is_linux
from backdate.recipes.sources.services import github_services, ports_in_expressions
from backdate.recipes.sources.yaml import Node, read_document

FOLDER = ".github/workflows"
_RULE = "GitHub Actions"
_MOST_WORKFLOWS = 40
_DEEPEST_ACTION = 3
_TESTS = re.compile(r"pytest|py\.test|unittest|nose|tox|nox|test|make |check|trial", re.IGNORECASE)
_UNLIKELY = re.compile(
    r"lint|docs?\b|publish|release|deploy|flake|mypy|typ(?:e|ing)|nightly|benchmark|codeql|format|style|windows|macos"
    r"|wheel|stale|audit|upstream|minimum|downstream|fuzz|conda",
    re.IGNORECASE,
)
_FIRST_NAMES = {
    "runner.os": "Linux",
    "runner.arch": "X64",
    "github.workspace": PROJECT_FOLDER,
    "github.event_name": "push",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _StepContext:
    """Where steps are read."""

    files: Files
    file: str
    names: Mapping[str, str]
    """What expressions may name."""
    variables: dict[str, str]
    cwd: str
    depth: int = 0


def read_github(files: Files) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """Every job of every workflow that may run tests, and what could not be read."""
    candidates: list[DeclaredJob] = []
    skipped: list[SkippedInstruction] = []
    names = [name for name in files.names(FOLDER) if name.endswith((".yml", ".yaml"))]
    for name in names[:_MOST_WORKFLOWS]:
        file = f"{FOLDER}/{name}"
        text = files.text(file)
        if text is None or not _TESTS.search(text):
            continue
        document = read_document(text, _RULE, file)
        if isinstance(document, SkippedInstruction):
            skipped.append(document)
        else:
            candidates += _workflow(files, file, document)
    return tuple(candidates), tuple(skipped)


def _workflow(files: Files, file: str, document: Node) -> Iterator[DeclaredJob]:
    for name, job in document.get("jobs").pairs():
        if not job.get("steps").items:
            continue
        entry, versions, line = _matrix(job)
        names = _FIRST_NAMES | {f"matrix.{key}": value for key, value in entry.items()}
        runs_on = fill(" ".join(job.get("runs-on").texts), names)
        doubts = 2 * len(_UNLIKELY.findall(f"{posixpath.basename(file)} {name}"))
        doubts += 0 if is_linux(runs_on) else 10
        actions: list[Action] = []
        if versions:
            where = Provenance(rule=f"{_RULE}, matrix", file=file, line=line)
            actions.append(DeclaredPythons(versions=versions, provenance=where))
        for service, action in github_services(job, _RULE, file, names):
            actions.append(action)
            doubts += 1
            names |= ports_in_expressions(service, action, job)
        if holds(job.get("if").text, names) is False:
            doubts += 5
        context = _StepContext(
            files=files,
            file=file,
            names=names,
            variables={"GITHUB_WORKSPACE": PROJECT_FOLDER, "RUNNER_OS": "Linux", "CI": "true"},
            cwd=_working_directory(job.get("defaults", "run"), document.get("defaults", "run")),
        )
        context, set_up = _environment(context, [document.get("env"), job.get("env")])
        actions += set_up
        actions += _steps(context, job.get("steps"))
        yield DeclaredJob(
            kind=_RULE,
            name=f"job {name}",
            actions=tuple(actions),
            doubts=doubts,
            provenance=Provenance(rule=_RULE, file=file, line=job.line),
        )


def _matrix(job: Node) -> tuple[dict[str, str], tuple[str, ...], int]:
    """The chosen entry, every CPython that the Linux entries name, and where."""
    matrix = job.get("strategy", "matrix")
    axes: dict[str, tuple[str, ...]] = {}
    mappings: dict[str, list[dict[str, str]]] = {}
    for key, node in matrix.pairs():
        if key in ("include", "exclude"):
            continue
        if node.texts:
            axes[key] = node.texts
        items = [{inner: value.text for inner, value in item.pairs()} for item in node.items]
        if any(items):  # an axis of mappings: matrix.config.python
            mappings[key] = [item for item in items if item]
    include = [{key: value.text for key, value in item.pairs()} for item in matrix.get("include").items]
    exclude = [{key: value.text for key, value in item.pairs()} for item in matrix.get("exclude").items]
    entry, versions = choose_entry(axes, include, exclude, mappings)
    return entry, versions, matrix.line


def _working_directory(*nodes: Node) -> str:
    for node in nodes:
        folder = node.get("working-directory").text
        if folder:
            return normal_path(".", folder) or "."
    return "."


def _environment(context: _StepContext, nodes: list[Node]) -> tuple[_StepContext, list[Action]]:
    """The context with the variables of ``env`` mappings known, and the actions that set them."""
    names, variables = dict(context.names), dict(context.variables)
    actions: list[Action] = []
    for node in nodes:
        for name, value in node.pairs():
            written = fill(value.text, names)
            where = Provenance(rule=f"{_RULE}, env", file=context.file, line=value.line)
            if "${{" in written:
                reason = f"{name} is not set: {written[:80]} is not known"
                actions.append(SkippedInstruction(reason=reason, provenance=where))
                continue
            names[f"env.{name}"] = variables[name] = written
            actions.append(Variable(name=name, value=written, provenance=where))
    changed = _StepContext(
        files=context.files,
        file=context.file,
        names=names,
        variables=variables,
        cwd=context.cwd,
        depth=context.depth,
    )
    return changed, actions


def _steps(context: _StepContext, steps: Node) -> Iterator[Action]:
    for step in steps.items:
        if not context.files.spend():
            return
        where = Provenance(rule=_RULE, file=context.file, line=step.line, text=step.get("name").text or None)
        verdict = holds(step.get("if").text, context.names)
        if verdict is False:
            continue
        inside, set_up = _environment(context, [step.get("env")])
        actions = set_up if _matters(step) else []
        if step.get("run").present:
            actions += _run(inside, step)
        elif step.get("uses").text:
            actions += _uses(inside, step, where)
        if verdict is None:
            yield from skip_unless(step.get("if").text, actions)
        else:
            yield from actions


def _matters(step: Node) -> bool:
    """Whether a step's own variables can concern tests (those of an upload are its secrets)."""
    return bool(_TESTS.search(step.get("run").text) or "pip" in step.get("run").text)


def _run(context: _StepContext, step: Node) -> Iterator[Action]:
    script = step.get("run")
    shell = step.get("shell").text
    if shell and not shell.startswith(("bash", "sh")):
        where = Provenance(rule=_RULE, file=context.file, line=script.line)
        yield SkippedInstruction(reason=f"the shell {shell[:40]} is not followed", provenance=where)
        return
    cwd = normal_path(".", fill(step.get("working-directory").text, context.names) or context.cwd)
    yield from read_commands(
        fill(script.text, context.names),
        files=context.files,
        file=context.file,
        line=script.line,
        rule=_RULE,
        cwd=cwd or ".",
        variables=context.variables,
    )


def _uses(context: _StepContext, step: Node, where: Provenance) -> Iterator[Action]:
    action = step.get("uses").text.partition("@")[0]
    inputs = {name: fill(value.text, context.names) for name, value in step.get("with").pairs()}
    if action.startswith("./"):
        yield from _local_action(context, action, inputs, where)
    elif action == "actions/setup-python":
        versions = cpython_versions(
            line for line in inputs.get("python-version", "").split("\n") if line and "${{" not in line
        )
        if versions:
            yield DeclaredPythons(versions=versions, provenance=where)
    elif action == "py-actions/py-dependency-install":
        file = inputs.get("path", "requirements.txt")
        if context.files.has(file):
            yield InstallStep(kind="requirements", file=normal_path(".", file), provenance=where)
    elif "cache-apt-pkgs" in action and inputs.get("packages"):
        yield from debian_packages(inputs["packages"].split(), where)
    elif action in (
        "conda-incubator/setup-miniconda",
        "mamba-org/setup-micromamba",
        "mamba-org/provision-with-micromamba",
    ):
        file = inputs.get("environment-file", "")
        if file:
            yield from read_commands(
                f"conda env update -f '{file.replace(chr(39), '')}'",
                files=context.files,
                file=context.file,
                line=step.line,
                rule=f"{_RULE}, {action}",
            )
    elif not action.startswith("actions/"):
        yield SkippedInstruction(reason=f"the action {action[:80]} is not followed", provenance=where)


def _local_action(
    context: _StepContext, action: str, inputs: Mapping[str, str], where: Provenance
) -> Iterator[Action]:
    """The steps of a composite action that lies in the project."""
    folder = normal_path(".", action)
    if folder is None or context.depth >= _DEEPEST_ACTION:
        yield SkippedInstruction(
            reason=f"the action {action[:80]} is not followed: too deep or outside", provenance=where
        )
        return
    for name in ("action.yml", "action.yaml"):
        file = f"{folder}/{name}"
        text = context.files.text(file)
        if text is None or not context.files.spend(PARSING):
            continue
        document = read_document(text, _RULE, file)
        if isinstance(document, SkippedInstruction):
            yield document
            return
        defaults = {
            f"inputs.{key}": fill(value.get("default").text, context.names)
            for key, value in document.get("inputs").pairs()
        }
        names = {**context.names, **defaults, **{f"inputs.{key}": value for key, value in inputs.items()}}
        inside = _StepContext(
            files=context.files,
            file=file,
            names=names,
            variables=context.variables,
            cwd=".",
            depth=context.depth + 1,
        )
        yield from _steps(inside, document.get("runs", "steps"))
        return
    yield SkippedInstruction(reason=f"there is no action {action[:80]} in the project", provenance=where)
