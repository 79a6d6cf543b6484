"""environment.yml of conda: its pip section, and its packages under their names on the package index.

conda's packages are not installed: those that have a distribution on the index are asked for there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from packaging.requirements import InvalidRequirement, Requirement

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

FILES = ("environment.yml", "environment.yaml", "conda.yml", "environment-dev.yml", "environment_dev.yml")
_RULE = "conda environment"
_RENAMED = {
    "pytorch": "torch",
    "pytables": "tables",
    "matplotlib-base": "matplotlib",
    "opencv": "opencv-python",
    "py-opencv": "opencv-python",
    "pytorch-cpu": "torch",
    "python-graphviz": "graphviz",
    "dask-core": "dask",
    "seaborn-base": "seaborn",
    "typing-extensions": "typing_extensions",
    "py-xgboost": "xgboost",
    "msgpack-python": "msgpack",
    "tensorflow-gpu": "tensorflow",
    "jupyterlab": "jupyterlab",
    "faiss-cpu": "faiss-cpu",
}
_NOT_PYTHON = re.compile(
    r"(?:python|pip|setuptools|wheel|conda.*|mamba|nodejs|cudatoolkit|cudnn|cuda.*|mkl|blas|openblas|lib.*|gcc.*|gxx.*"
    r"|clang.*|compilers?|c-compiler|cxx-compiler|fortran-compiler|cmake|make|ninja|gdal-bin|ffmpeg|git|hdf5|zlib"
    r"|openssl|ca-certificates|openmpi|mpich|r-.*|_.*|nomkl|pandoc|graphviz|sqlite|readline|ncurses|xz|tk|bzip2"
    r"|swig|bedtools|samtools|htslib|proj|geos|boost.*|eigen|openjdk|rust|go|curl|wget|hdf4|netcdf4-c|yarn)\Z"
)
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
        return (DeclaredJob(kind=_RULE, name=name, actions=actions, provenance=where),), ()
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
            found = cpython_versions([versions.lstrip("=<>!~ ").split(",")[0].removesuffix(".*")])
            if found:
                yield DeclaredPythons(versions=found, provenance=where)
        elif _NOT_PYTHON.match(name):
            yield SystemPackages(manager="conda", packages=(item.text,), provenance=where)
        else:
            yield _package(_RENAMED.get(name, name), versions, where)


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
    except InvalidRequirement:
        return SkippedInstruction(reason=f"{name}{versions} is not a requirement", provenance=where)
    return InstallStep(kind="packages", packages=(str(requirement),), provenance=where)
