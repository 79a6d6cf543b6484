"""GitLab CI: ``.gitlab-ci.yml`` with its local includes ("CI/CD YAML syntax reference")."""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.recipes.actions import Action, DeclaredJob
from backdate.recipes.commands import read_commands
from backdate.recipes.files import Files, normal_path
from backdate.recipes.recipe import PROJECT_FOLDER, DeclaredPythons, Provenance, SkippedInstruction, Variable
from backdate.recipes.script import folder_of
from backdate.recipes.sources.matrix import choose_entry, cpython_versions
from backdate.recipes.sources.services import listed_services
from backdate.recipes.sources.yaml import Node, read_document

FILE = ".gitlab-ci.yml"
_RULE = "GitLab CI"
_MOST_FILES = 8
_DEEPEST = 6
_NOT_JOBS = (
    *("default", "include", "stages", "variables", "workflow", "image", "services", "cache"),
    *("before_script", "after_script", "pages", "spec"),
)
_UNLIKELY = re.compile(r"lint|doc|deploy|publish|release|style|mypy|build|nightly", re.IGNORECASE)


def read_gitlab(files: Files) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """Every job with a script."""
    skipped: list[SkippedInstruction] = []
    documents: dict[str, Node] = {}
    waiting = [FILE]
    while waiting and len(documents) < _MOST_FILES:
        file = waiting.pop(0)
        text = files.text(file) if file not in documents else None
        if text is None:
            continue
        document = read_document(text, _RULE, file)
        if isinstance(document, SkippedInstruction):
            skipped.append(document)
            continue
        documents[file] = document
        for include in document.get("include").listed or (document.get("include"),):
            local = normal_path(".", (include.text or include.get("local").text).lstrip("/"))
            if local and local != "." and "://" not in local:
                waiting.append(local)
            elif include.fields:
                where = Provenance(rule=_RULE, file=file, line=include.line)
                skipped.append(
                    SkippedInstruction(reason="an include from elsewhere is not read", provenance=where)
                )
    jobs = {name: (file, job) for file, document in documents.items() for name, job in document.pairs()}
    candidates = tuple(
        candidate
        for name, (file, job) in jobs.items()
        if name not in _NOT_JOBS and not name.startswith(".") and job.fields and files.spend()
        for candidate in _job(files, file, name, job, jobs)
    )
    return candidates, tuple(skipped)


def _inherited(
    job: Node, jobs: dict[str, tuple[str, Node]], depth: int = 0
) -> dict[str, tuple[str | None, Node]]:
    """The job's keys with those that it extends, and the file of those that come from another."""
    keys: dict[str, tuple[str | None, Node]] = {}
    for parent in job.get("extends").texts[:3]:
        if parent in jobs and depth < _DEEPEST:
            file, node = jobs[parent]
            inherited = _inherited(node, jobs, depth + 1)
            keys |= {key: (origin or file, value) for key, (origin, value) in inherited.items()}
    return keys | {key: (None, value) for key, value in job.pairs()}


def _job(
    files: Files, file: str, name: str, job: Node, jobs: dict[str, tuple[str, Node]]
) -> Iterator[DeclaredJob]:
    keys = _inherited(job, jobs)
    if "script" not in keys:
        return
    top = {key: (where, node) for key, (where, node) in jobs.items() if key in _NOT_JOBS}
    default = top.get("default", (file, Node()))
    for key in ("image", "before_script", "services"):
        if key not in keys and key in top:
            keys[key] = top[key]
        elif key not in keys and default[1].get(key).present:
            keys[key] = (default[0], default[1].get(key))
    variables = {"CI": "true", "GITLAB_CI": "true", "CI_PROJECT_DIR": PROJECT_FOLDER}
    actions: list[Action] = []
    image = keys.get("image", (None, Node()))[1]
    named = image.text or image.get("name").text
    versions: tuple[str, ...] = ()
    for matrix in job.get("parallel", "matrix").listed:
        axes = {key: node.texts for key, node in matrix.pairs() if node.texts}
        entry, versions = choose_entry(axes, [], [])
        variables |= entry
    image_name = re.sub(r"\$\{?(\w+)\}?", lambda match: variables.get(match[1], match[0]), named)
    versions = versions or cpython_versions([image_name.rpartition("/")[2]])
    if versions:
        where = Provenance(rule=f"{_RULE}, image", file=file, line=image.line)
        actions.append(DeclaredPythons(versions=versions, provenance=where))
    for origin, node in (top.get("variables", (None, Node())), keys.get("variables", (None, Node()))):
        for key, value in node.pairs():
            text = value.text or value.get("value").text
            if "$" not in text:
                variables[key] = text
                where = Provenance(rule=f"{_RULE}, variables", file=origin or file, line=value.line)
                actions.append(Variable(name=key, value=text, provenance=where))
    actions += listed_services(keys.get("services", (None, Node()))[1].listed, _RULE, file)
    for phase in ("before_script", "script"):
        origin, node = keys.get(phase, (None, Node()))
        for command in node.listed:
            actions += read_commands(
                command.text,
                files=files,
                file=origin or file,
                line=command.line,
                rule=_RULE,
                cwd=folder_of(variables),  # one shell runs both
                variables=variables,
            )
    yield DeclaredJob(
        kind=_RULE,
        name=f"job {name}",
        actions=tuple(actions),
        doubts=2 * len(_UNLIKELY.findall(name)),
        provenance=Provenance(rule=_RULE, file=file, line=job.line),
    )
