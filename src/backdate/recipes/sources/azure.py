"""Azure Pipelines: ``azure-pipelines.yml`` with its local step templates ("YAML schema reference")."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping

from backdate.recipes.actions import Action, DeclaredJob, skip_unless
from backdate.recipes.commands import read_commands
from backdate.recipes.files import PARSING, Files, normal_path
from backdate.recipes.recipe import PROJECT_FOLDER, DeclaredPythons, Provenance, SkippedInstruction, Variable
from backdate.recipes.sources.matrix import choose_entry, cpython_versions, is_linux
from backdate.recipes.sources.yaml import Node, read_document

FILES = (
    "azure-pipelines.yml",
    "azure-pipelines.yaml",
    ".azure-pipelines.yml",
    ".azure-pipelines/azure-pipelines.yml",
)
_RULE = "Azure Pipelines"
_DEEPEST = 4
_MACRO = re.compile(r"\$\(([\w.]+)\)")
_UNLIKELY = re.compile(r"lint|doc|deploy|publish|release|style|mypy|nightly|windows|macos", re.IGNORECASE)
_FIRST = {
    "Build.SourcesDirectory": PROJECT_FOLDER,
    "System.DefaultWorkingDirectory": PROJECT_FOLDER,
    "Pipeline.Workspace": PROJECT_FOLDER,
    "Agent.OS": "Linux",
}


def read_azure(files: Files) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """Every job, wherever in the stages it lies."""
    candidates: list[DeclaredJob] = []
    skipped: list[SkippedInstruction] = []
    for file in FILES:
        text = files.text(file)
        if text is None:
            continue
        document = read_document(text, _RULE, file)
        if isinstance(document, SkippedInstruction):
            skipped.append(document)
            continue
        candidates += [_job(files, file, document, holder) for holder in _holders(document)]
    return tuple(candidates), tuple(skipped)


def _holders(node: Node, depth: int = 0) -> Iterator[Node]:
    """Every mapping that has steps."""
    if depth > _DEEPEST:
        return
    if node.get("steps").items:
        yield node
    for key in ("stages", "jobs"):
        for inner in node.get(key).items:
            yield from _holders(inner, depth + 1)


def _job(files: Files, file: str, document: Node, job: Node) -> DeclaredJob:
    name = job.get("job").text or "the pipeline"
    matrix = job.get("strategy", "matrix")
    entries = [{key: value.text for key, value in entry.pairs()} for _, entry in matrix.pairs()]
    entry, versions = choose_entry({}, entries, [])
    macros = _FIRST | entry
    actions: list[Action] = []
    if versions:
        where = Provenance(rule=f"{_RULE}, matrix", file=file, line=matrix.line)
        actions.append(DeclaredPythons(versions=versions, provenance=where))
    variables = {"CI": "true", "AGENT_OS": "Linux"}
    for holder in (document, job):
        node = holder.get("variables")
        pairs = list(node.pairs()) or [(item.get("name").text, item.get("value")) for item in node.items]
        for key, value in pairs:
            if value.scalar is not None and "$" not in value.scalar and key:
                macros[key] = value.scalar
                where = Provenance(rule=f"{_RULE}, variables", file=file, line=value.line)
                if key.isidentifier():
                    variables[key] = value.scalar
                    actions.append(Variable(name=key, value=value.scalar, provenance=where))
    variables |= {key.upper().replace(".", "_"): value for key, value in entry.items()}
    image = _filled(job.get("pool", "vmImage").text or document.get("pool", "vmImage").text, macros)
    actions += _steps(files, file, job.get("steps"), macros, variables, 0)
    return DeclaredJob(
        kind=_RULE,
        name=f"job {name}",
        actions=tuple(actions),
        doubts=2 * len(_UNLIKELY.findall(name)) + (0 if is_linux(image) else 10),
        provenance=Provenance(rule=_RULE, file=file, line=job.line),
    )


def _filled(text: str, macros: Mapping[str, str]) -> str:
    return _MACRO.sub(lambda match: macros.get(match[1], match[0]), text)


def _steps(
    files: Files, file: str, steps: Node, macros: Mapping[str, str], variables: dict[str, str], depth: int
) -> Iterator[Action]:
    for step in steps.items:
        if not files.spend():
            return
        where = Provenance(rule=_RULE, file=file, line=step.line)
        if step.get("template").text:
            yield from _template(files, file, step, macros, variables, depth)
            continue
        task = step.get("task").text.partition("@")[0]
        if task == "UsePythonVersion":
            versions = cpython_versions([_filled(step.get("inputs", "versionSpec").text, macros)])
            if versions:
                yield DeclaredPythons(versions=versions, provenance=where)
            continue
        script = step.get("bash") if step.get("bash").present else step.get("script")
        if task in ("Bash", "CmdLine"):
            script = step.get("inputs", "script")
        if not script.present:
            continue
        folder = _filled(step.get("workingDirectory").text, macros)
        actions = read_commands(
            _filled(script.text, macros),
            files=files,
            file=file,
            line=script.line,
            rule=_RULE,
            cwd=(normal_path(".", folder) or ".") if folder else ".",
            variables=variables,
        )
        condition = step.get("condition").text
        if condition and not re.match(r"(?:always|succeeded|succeededOrFailed)\(\)", condition):
            yield from skip_unless(condition, actions)
        else:
            yield from actions


def _template(
    files: Files, file: str, step: Node, macros: Mapping[str, str], variables: dict[str, str], depth: int
) -> Iterator[Action]:
    where = Provenance(rule=_RULE, file=file, line=step.line)
    name = step.get("template").text
    path = normal_path(posixpath.dirname(file) or ".", name.lstrip("/"))
    text = files.text(path) if path and depth < _DEEPEST and files.spend(PARSING) else None
    if path is None or text is None:
        yield SkippedInstruction(reason=f"the template {name[:80]} is not read", provenance=where)
        return
    document = read_document(text, _RULE, path)
    if isinstance(document, SkippedInstruction):
        yield document
        return
    yield from _steps(files, path, document.get("steps"), macros, variables, depth + 1)
