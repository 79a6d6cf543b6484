"""environment.yml of conda: its pip section, and its packages under their names on the package index.

conda's packages are not installed: those that have a distribution on the index are asked for there.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator

from packaging.requirements import Requirement

from backdate.knowledge import load
from backdate.recipes.actions import Action, DeclaredJob
from backdate.recipes.command import ProgramCall
from backdate.recipes.files import Files
from backdate.recipes.installers import install_line
from backdate.recipes.recipe import (
    DeclaredPythons,
    InstallStep,
    Provenance,
    SkippedInstruction,
    SystemPackages,
)
from backdate.recipes.sources.matrix import cpython_versions
from backdate.recipes.sources.yaml import YamlProblem, read_yaml
from backdate.text import UNREADABLE

FILES = ("environment.yml", "environment.yaml", "conda.yml", "environment-dev.yml", "environment_dev.yml")
_RULE = "conda environment"
_PACKAGE = re.compile(r"(?:[\w.-]+::)?([A-Za-z0-9][\w.-]*)\s*((?:[=<>!~].*)?)\Z")


def read_conda(
    files: Files, file: str | None = None
) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """The environment of ``file``, or of the first usual file name that is there."""
    for name in (file,) if file else FILES:
        text = files.text(name)
        if text is None:
            continue
        try:
            actions = tuple(_actions(files, name, text))
        except YamlProblem as problem:
            return (), (
                SkippedInstruction(reason=str(problem), provenance=Provenance(rule=_RULE, file=name)),
            )
        where = Provenance(rule=_RULE, file=name)
        job = DeclaredJob(kind=_RULE, name=name, actions=actions, installs_only=True, provenance=where)
        return (job,), ()
    return (), ()


def _actions(files: Files, file: str, text: str) -> Iterator[Action]:
    for item in read_yaml(text).get("dependencies").items:
        where = Provenance(rule=_RULE, file=file, line=item.line, text=item.text or None)
        for line in item.get("pip").listed:
            pip = Provenance(rule=f"{_RULE}, pip", file=file, line=line.line, text=line.text)
            command = ProgramCall(words=("install",), cwd=".", files=files, known={}, provenance=pip)
            yield from install_line(command, line.text)
        matched = _PACKAGE.match(item.text)
        if item.scalar is None or matched is None:
            continue
        name, versions = matched[1].lower(), matched[2]
        if name == "python":
            interpreters = cpython_versions([versions.lstrip("=<>!~ ").split(",")[0].removesuffix(".*")])
            if interpreters:
                yield DeclaredPythons(versions=interpreters, provenance=where)
        elif _not_python().fullmatch(name):
            yield SystemPackages(manager="conda", packages=(item.text,), provenance=where)
        else:
            yield _package(load.conda().renamed.get(name, name), versions, where)


@functools.cache
def _not_python() -> re.Pattern[str]:
    """conda's packages that no distribution stands for."""
    return re.compile("|".join(load.conda().not_python))


def _package(name: str, versions: str, where: Provenance) -> InstallStep | SkippedInstruction:
    """``numpy=1.21`` of conda is ``numpy==1.21.*``; a build string is dropped."""
    single = re.fullmatch(r"={1,2}\s*([\w.*+!]+)(?:=.*)?", versions)
    if single:
        exact = versions.startswith("==") or "*" in single[1] or versions.count("=") > 1
        specifier = f"=={single[1]}" if exact else f"=={single[1]}.*"
    else:
        specifier = versions.strip()
    try:
        requirement = Requirement(f"{name}{specifier}")
    except UNREADABLE:
        return SkippedInstruction(reason=f"{name}{versions} is not a requirement", provenance=where)
    return InstallStep(kind="packages", packages=(str(requirement),), provenance=where)
