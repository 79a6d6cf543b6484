"""Travis CI: ``.travis.yml``, after "Building a Python Project" and "Build Matrix" of its documentation."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from backdate.recipes.actions import Action, DeclaredJob
from backdate.recipes.commands import read_commands
from backdate.recipes.files import Files
from backdate.recipes.installers import debian_packages
from backdate.recipes.recipe import (
    PROJECT_FOLDER,
    DeclaredPythons,
    InstallStep,
    Provenance,
    SkippedInstruction,
)
from backdate.recipes.script import folder_of
from backdate.recipes.sources.matrix import choose_entry
from backdate.recipes.sources.services import named_service
from backdate.recipes.sources.yaml import Node, read_document

FILE = ".travis.yml"
_RULE = "Travis CI"
_MOST_JOBS = 30


def read_travis(files: Files) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """The matrix of ``.travis.yml`` as one job, and every included job that has commands of its own."""
    text = files.text(FILE)
    if text is None:
        return (), ()
    document = read_document(text, _RULE, FILE)
    if isinstance(document, SkippedInstruction):
        return (), (document,)
    return tuple(_jobs(files, document)), ()


def _jobs(files: Files, document: Node) -> Iterator[DeclaredJob]:
    included = [
        job for key in ("matrix", "jobs") for job in document.get(key, "include").listed if job.fields
    ][:_MOST_JOBS]
    own = [job for job in included if job.get("script").present or job.get("install").present]
    plain = [
        {key: value.text for key, value in job.pairs() if value.text} for job in included if job not in own
    ]
    axes = {key: document.get(key).texts for key in ("python", "os") if document.get(key).texts}
    entry, versions = choose_entry(axes, plain, [])
    language = document.get("language").text
    if language in ("", "python", "generic", "minimal", "bash", "shell") or axes.get("python"):
        yield _job(files, document, Node(line=1), entry, versions)
    for job in own:
        mine = {key: job.get(key).texts for key in ("python", "os") if job.get(key).texts} or axes
        entry, versions = choose_entry(mine, [], [])
        yield _job(files, document, job, entry, versions)


def _job(
    files: Files, document: Node, job: Node, entry: dict[str, str], versions: tuple[str, ...]
) -> DeclaredJob:
    name = job.get("name").text or job.get("stage").text
    variables = {
        "TRAVIS": "true",
        "CI": "true",
        "TRAVIS_OS_NAME": "linux",
        "TRAVIS_BUILD_DIR": PROJECT_FOLDER,
        "TRAVIS_PYTHON_VERSION": entry.get("python", ""),
    }
    actions: list[Action] = []
    if versions:
        line = job.get("python").line if job.get("python").present else document.get("python").line
        actions.append(
            DeclaredPythons(versions=versions, provenance=Provenance(rule=_RULE, file=FILE, line=line))
        )
    actions += _system(document)
    for service in document.get("services").listed:
        actions.append(named_service(service.text, Provenance(rule=_RULE, file=FILE, line=service.line)))
    actions += _environment(files, document.get("env"), variables)
    actions += _environment(files, job.get("env"), variables)
    if entry.get("env"):
        nodes = [item.get("env") for key in ("matrix", "jobs") for item in document.get(key, "include").items]
        line = next((node.line for node in nodes if node.text == entry["env"]), job.line)
        actions += _export(files, entry["env"], line, variables)
    for phase in ("before_install", "install", "before_script", "script"):
        node = job.get(phase) if job.get(phase).present else document.get(phase)
        if phase == "install" and not node.present:
            actions += _default_install(files)
        for command in node.listed:
            if command.text not in ("skip", "true", ""):
                actions += read_commands(
                    command.text,
                    files=files,
                    file=FILE,
                    line=command.line,
                    rule=_RULE,
                    cwd=folder_of(variables),  # one shell runs all phases
                    variables=variables,
                )
    return DeclaredJob(
        kind=_RULE,
        name=f"job {name}" if name else "the build",
        actions=tuple(actions),
        doubts=0 if not name or "test" in name.lower() else 2,
        provenance=Provenance(rule=_RULE, file=FILE, line=job.line),
    )


def _default_install(files: Files) -> Iterator[Action]:
    """What Travis does where ``install`` is not given."""
    if files.has("requirements.txt"):
        where = Provenance(rule="Travis CI's default install", file="requirements.txt")
        yield InstallStep(kind="requirements", file="requirements.txt", provenance=where)


def _system(document: Node) -> Iterator[Action]:
    for addons in (document.get("addons", "apt"), document.get("addons")):
        node = addons.get("packages") if addons.get("packages").present else addons.get("apt_packages")
        where = Provenance(rule=f"{_RULE}, addons", file=FILE, line=node.line)
        yield from debian_packages(node.texts, where)


def _environment(files: Files, node: Node, variables: dict[str, str]) -> Iterator[Action]:
    """``env`` in all its forms; of a matrix the entry with the newest interpreter and dependencies."""
    if node.get("global").present or node.get("matrix").present or node.get("jobs").present:
        yield from _environment_list(files, node.get("global"), variables, whole=True)
        for key in ("matrix", "jobs"):
            yield from _environment_list(files, node.get(key), variables, whole=False)
    else:
        yield from _environment_list(files, node, variables, whole=False)


def _environment_list(
    files: Files, node: Node, variables: dict[str, str], *, whole: bool
) -> Iterator[Action]:
    items = node.listed if node.items or node.scalar is not None else (node,)
    for item in items if whole else _newest_entry(items):
        if item.get("secure").present:
            where = Provenance(rule=_RULE, file=FILE, line=item.line)
            yield SkippedInstruction(reason="an encrypted variable is not set", provenance=where)
        elif item.fields:
            for name, value in item.pairs():
                if value.scalar is not None and name.isidentifier():
                    yield from _export(
                        files, f"{name}='{value.scalar.replace(chr(39), '')}'", value.line, variables
                    )
        elif item.text:
            yield from _export(files, item.text, item.line, variables)


def _newest_entry(items: Sequence[Node]) -> Sequence[Node]:
    """The one entry of a matrix of variables that is followed; empty where there is none."""
    entries = [_assignments(item) | {"": str(number)} for number, item in enumerate(items)]
    entry, _ = choose_entry({}, entries, [])
    return [items[int(entry[""])]] if entry else []


def _assignments(item: Node) -> dict[str, str]:
    """The variables of an entry of ``env``."""
    if item.fields:
        return {name: value.scalar for name, value in item.pairs() if value.scalar is not None}
    try:
        words = shlex.split(item.text)
    except ValueError:  # of the shell's quotes: then nothing is known of it
        return {}
    return {name: value for name, _, value in (word.partition("=") for word in words) if name}


def _export(files: Files, text: str, line: int, variables: dict[str, str]) -> tuple[Action, ...]:
    return read_commands(
        f"export {text}", files=files, file=FILE, line=line, rule=f"{_RULE}, env", variables=variables
    )
