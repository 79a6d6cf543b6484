"""README and CONTRIBUTING: the commands in their code blocks (Markdown and reStructuredText)."""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.recipes.actions import Action, DeclaredJob
from backdate.recipes.commands import is_other_command, read_commands
from backdate.recipes.files import Files
from backdate.recipes.recipe import InstallStep, Provenance, SkippedInstruction, SuitePlan

_RULE = "text"
_NAME = re.compile(
    r"(?:contributing|development|hacking|testing|install|readme)(?:\.(?:md|rst|txt|markdown))?\Z",
    re.IGNORECASE,
)
_FOLDERS = (".", ".github", "docs", "doc")
_FENCE = re.compile(r"\s*(```+|~~~+)\s*\{?\.?([\w+-]*)")
_DIRECTIVE = re.compile(r"\s*\.\.\s+(?:code-block|code|sourcecode|prompt)::\s*([\w-]*)")
_SHELLS = (
    "",
    "bash",
    "sh",
    "shell",
    "console",
    "zsh",
    "shell-session",
    "terminal",
    "commandline",
    "text",
    "cmd",
)
_PROMPT = re.compile(r"\s*(?:\([\w.-]+\)\s*)?(?:[\w@:~/.-]*[$%#]|>)\s+")
_COMMAND = re.compile(
    r"\s*(?:sudo\s+|[A-Z_]+=\S+\s+)*(?:python[\d.]*|pip[\d.]*|pytest|py\.test|tox|nox|make|poetry|pipenv|pdm|uv|"
    r"conda|apt-get|apt|coverage|nosetests|\./manage\.py|\./setup\.py|cd|export|hatch|flit)\b"
)
_DIFFERENT = re.compile(r"\b(?:git clone|virtualenv|venv|source |activate)\b")


def read_texts(files: Files) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """One candidate for each text that has a test command, those for contributors first."""
    candidates: list[DeclaredJob] = []
    for folder in _FOLDERS:
        for name in files.names(folder):
            if not _NAME.match(name):
                continue
            file = name if folder == "." else f"{folder}/{name}"
            text = files.text(file)
            if text is None:
                continue
            actions = tuple(_actions(files, file, text))
            if any(isinstance(action, SuitePlan) or hasattr(action, "to") for action in actions):
                candidates.append(
                    DeclaredJob(
                        kind=_RULE,
                        name=file,
                        actions=actions,
                        doubts=1 if name.lower().startswith("readme") else 0,
                        provenance=Provenance(rule=_RULE, file=file),
                    )
                )
    return tuple(candidates), ()


def _actions(files: Files, file: str, text: str) -> Iterator[Action]:
    for line, command in _commands(text):
        if _DIFFERENT.search(command):
            continue
        for action in read_commands(
            command, files=files, file=file, line=line, rule=f"{_RULE}, a code block"
        ):
            if is_other_command(action):
                continue
            if (
                isinstance(action, InstallStep)
                and action.kind == "packages"
                and not files.declared().installable
            ):
                yield action
            elif isinstance(action, InstallStep) and action.kind == "packages":
                yield from _without_the_project(files, action)
            else:
                yield action


def _without_the_project(files: Files, step: InstallStep) -> Iterator[Action]:
    """``pip install NAME`` in a README is for users, and would hide the tree under test."""
    likely = {files.root.name.lower(), *(name.lower() for name in files.folders())}
    kept = tuple(
        package
        for package in step.packages
        if re.split(r"[\s\[<>=!~;@]", package)[0].lower().replace("-", "_") not in likely
    )
    if kept == step.packages:
        yield step
    else:
        reason = "it installs the project from the index; the project's own tree is installed instead"
        yield SkippedInstruction(reason=reason, provenance=step.provenance)


def _commands(text: str) -> Iterator[tuple[int, str]]:
    """Every line of a code block that looks like a command, with its number."""
    for number, line in _block_lines(text):
        unprompted = _PROMPT.sub("", line, count=1) if _PROMPT.match(line) else line
        if _COMMAND.match(unprompted):
            yield number, unprompted.strip()


def _block_lines(text: str) -> Iterator[tuple[int, str]]:
    fence: str | None = None
    shell = False
    indented = False
    expecting = False
    for number, line in enumerate(text.split("\n"), start=1):
        opened = _FENCE.match(line)
        if opened and fence is None:
            fence, shell = opened[1][:3], opened[2].lower() in _SHELLS
            continue
        if fence is not None:
            if line.strip().startswith(fence):
                fence = None
            elif shell:
                yield number, line
            continue
        directive = _DIRECTIVE.match(line)
        if directive:
            expecting = directive[1].lower() in _SHELLS
            indented = False
            continue
        if line.strip() and not line[0].isspace():
            indented = False
            expecting = line.rstrip().endswith("::")
        elif line.startswith(("    ", "\t", "  ")) and (
            expecting or indented or line.startswith(("    ", "\t"))
        ):
            indented = True
            yield number, line
