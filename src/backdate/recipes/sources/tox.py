"""tox: one environment of tox.ini, setup.cfg or pyproject.toml, read statically (its own API follows today).

After "Configuration" of tox's documentation, for the INI format of tox 2 to 4 and the TOML format of tox 4.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from backdate.errors import ConfigurationError
from backdate.projects.toml import parse_toml
from backdate.recipes.actions import Action, DeclaredJob
from backdate.recipes.command import ProgramCall
from backdate.recipes.commands import read_commands
from backdate.recipes.files import Files, first_line_with, normal_path
from backdate.recipes.ini import Lines, read_ini
from backdate.recipes.installers import install_line, project_step
from backdate.recipes.recipe import PROJECT_FOLDER, DeclaredPythons, Provenance, SkippedInstruction, Variable
from backdate.recipes.sources.matrix import cpython_versions
from backdate.recipes.sources.newest import OLDEST, UNRELEASED, newest, rank_requirement, ranks_of_entry

_RULE = "tox"
_MOST_ENVIRONMENTS = 300
_MOST_COMPARED = 60
_UNLIKELY = re.compile(
    r"lint|doc|flake|mypy|style|pep8|black|format|pylint|isort|release|build|clean|report|type|coverage|cov\b|check"
    r"|packag|manifest|bandit|pypy|nightly|latest|pre-commit|precommit|security|spell|linters|dev\b|report",
    re.IGNORECASE,
)
_FACTOR = re.compile(
    r"(?P<when>!?[\w.!-]+(?:\{[^{}]*\}[\w.!-]*)*(?:,\s*!?[\w.!{}-]+)*)\s*:\s+(?P<line>.*)\Z"
    r"|(?P<only>!?[\w.,!{}-]+):\Z"
)
_BIN = re.compile(r"\{(?:envbindir|env_bin_dir)\}/")
_REFERENCE = re.compile(r"\{\[([^\]]+)\]([\w-]+)\}")
_NAMED = re.compile(r"\{([A-Za-z_][\w ]*)(?::((?:[^{}]|\{[^{}]*\})*))?\}")
_PYTHON = re.compile(r"(?:py|python)(\d)\.?(\d{1,2})\Z")
_VARIABLES_OF_FILE = re.compile(r"file\s*[|=]\s*(\S.{0,200})\Z")
_MOST_VARIABLES = 200
_DEEPEST = 6
_LONGEST = 20_000
_LONGEST_LIST = 3_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ToxFile:
    """The sections that matter, whatever the format."""

    file: str
    environments: tuple[str, ...]
    """``env_list``, expanded."""
    sections: Mapping[str, Mapping[str, Lines]]


def read_tox(
    files: Files, names: Sequence[str] = ()
) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """The environments ``names``, or the one that most likely runs the tests."""
    try:
        tox = _find(files)
    except ConfigurationError as error:
        where = Provenance(rule=_RULE, file="pyproject.toml")
        return (), (SkippedInstruction(reason=str(error), provenance=where),)
    if tox is None:
        return (), ()
    chosen = [name for asked in names for name in expand(asked)] or likely(tox, files)
    return tuple(_candidate(files, tox, name) for name in chosen[:20]), ()


def _find(files: Files) -> ToxFile | None:
    text = files.text("tox.ini")
    if text is not None:
        return _from_ini("tox.ini", text, "tox")
    text = files.text("setup.cfg")
    if text is not None and ("[tox:tox]" in text or "[testenv]" in text):
        return _from_ini("setup.cfg", text, "tox:tox")
    text = files.text("pyproject.toml")
    if text is None or "tox" not in text:
        return None
    table = parse_toml(text).get("tool", {})
    tox = table.get("tox") if isinstance(table, dict) else None
    if not isinstance(tox, dict):
        return None
    legacy = tox.get("legacy_tox_ini")
    if isinstance(legacy, str):
        first = first_line_with(text, "legacy_tox_ini") or 1
        if not re.search(r"legacy_tox_ini\s*=\s*(?:\"{3}|'{3})\n", text):
            first -= 1  # TOML drops a line end right behind the opening quotes
        return _from_ini("pyproject.toml", "\n" * first + legacy, "tox")
    return _from_toml(text, tox)


def _from_ini(file: str, text: str, main: str) -> ToxFile:
    sections = dict(read_ini(text))
    top = sections.get(main, {})
    lines = top.get("envlist") or top.get("env_list") or ()
    names = [name for _, line in lines for name in expand(line)]
    spread: dict[str, Mapping[str, Lines]] = {"tox": top}
    for name, keys in sections.items():
        for section in expand(name) if name.startswith("testenv:") else [name]:
            spread.setdefault(section, keys)
    return ToxFile(file=file, environments=tuple(names), sections=spread)


def _from_toml(text: str, tox: Mapping[str, Any]) -> ToxFile:
    """tox 4's own format, with each value as the lines that the INI format would have."""

    def lines(value: object) -> Lines:
        if isinstance(value, str):
            return tuple(
                (first_line_with(text, line.strip()) or 1, line.strip()) for line in value.splitlines()
            )
        if isinstance(value, bool | int):
            return ((1, str(value).lower()),)
        if isinstance(value, dict):
            return tuple(
                (first_line_with(text, str(key)) or 1, f"{key}={setting}") for key, setting in value.items()
            )
        written = []
        for item in value if isinstance(value, list) else []:
            arguments = (
                [argument for argument in item if isinstance(argument, str)]
                if isinstance(item, list)
                else [str(item)]
            )
            line = first_line_with(text, arguments[0]) if arguments else None
            written.append((line or 1, shlex.join(arguments) if isinstance(item, list) else arguments[0]))
        return tuple(written)

    def section(table: object) -> dict[str, Lines]:
        return {str(key): lines(value) for key, value in table.items()} if isinstance(table, dict) else {}

    listed = tox.get("env_list", tox.get("envlist", []))
    named = tox.get("env", {})
    sections = {"tox": section(tox), "testenv": section(tox.get("env_run_base", {}))}
    for name, table in named.items() if isinstance(named, dict) else []:
        sections[f"testenv:{name}"] = section(table)
    names = tuple(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else ()
    return ToxFile(file="pyproject.toml", environments=names or tuple(map(str, named)), sections=sections)


def expand(text: str) -> list[str]:
    """The names that a generative list means: ``py{36,37}-x`` is two. Bounded."""
    parts = [part.strip() for part in re.split(r"[,\s]+(?![^{}]*\})", text[:_LONGEST_LIST]) if part.strip()]
    expanded: list[str] = []
    for part in parts:
        names = [""]
        for piece in re.split(r"(\{[^{}]*\})", part):
            options = piece[1:-1].split(",") if piece.startswith("{") else [piece]
            names = [name + option.strip() for name in names for option in _ranges(options)][
                :_MOST_ENVIRONMENTS
            ]
        expanded += names
    return expanded[:_MOST_ENVIRONMENTS]


def _ranges(options: Sequence[str]) -> list[str]:
    """``3-5`` (tox 4) as 3, 4, 5; anything else as it is."""
    expanded: list[str] = []
    for option in options:
        match = re.fullmatch(r"\s*(\d{1,3})-(\d{1,3})\s*", option)
        expanded += map(str, range(int(match[1]), int(match[2]) + 1)) if match else [option]
    return expanded


def likely(tox: ToxFile, files: Files) -> list[str]:
    """The environment that stands for the tests, else the base one.

    Of those with the newest CPython of the list it is the one with the newest released dependencies.
    """
    named = [name.removeprefix("testenv:") for name in tox.sections if name.startswith("testenv:")]
    usable = [name for name in (*tox.environments, *named) if not _UNLIKELY.search(name)]
    with_python = [name for name in usable if _versions(name)]
    if with_python:
        newest = max(tuple(map(int, _versions(name)[0].split(".")[:2])) for name in with_python)
        matching = [n for n in with_python if tuple(map(int, _versions(n)[0].split(".")[:2])) == newest]
        return [_newest_dependencies(tox, files, matching)]
    tests = [name for name in usable if re.search(r"test|unit|py", name)]
    chosen = tests or usable
    return [_newest_dependencies(tox, files, chosen)] if chosen else ["py"]


def _newest_dependencies(tox: ToxFile, files: Files, names: Sequence[str]) -> str:
    """The one of ``names`` whose ``deps`` allow the newest versions; else the one whose name says so."""
    names = names[:_MOST_COMPARED]
    by_name = [ranks_of_entry({"name of the environment": name}) for name in names]
    by_requirement = []
    for name, ranks in zip(names, by_name, strict=True):
        lines = _ToxEnvironment(tox, name, files).lines("deps") if len(names) > 1 else []
        by_requirement.append(
            dict(ranked for _, line in lines if (ranked := rank_requirement(line)) is not None)
        )
        if any("://" in line for _, line in lines):
            ranks["by address"] = UNRELEASED
    if any(stated != by_requirement[0] for stated in by_requirement):
        for stated, ranks in zip(by_requirement, by_name, strict=True):
            stated.update((key, rank) for key, rank in ranks.items() if rank in (UNRELEASED, OLDEST))
        return names[newest(by_requirement)]
    return names[newest(by_name)]


def _versions(name: str) -> tuple[str, ...]:
    matched = [_PYTHON.match(factor) for factor in name.split("-")]
    return cpython_versions(f"{match[1]}.{match[2]}" for match in matched if match)


class _ToxEnvironment:
    """The settings of one environment, conditions and substitutions resolved."""

    def __init__(self, tox: ToxFile, name: str, files: Files) -> None:
        self._tox = tox
        self._name = name
        self._factors = set(name.split("-"))
        self._files = files
        self._own = tox.sections.get(f"testenv:{name}", {})
        self._base = tox.sections.get("testenv", {})

    def lines(self, *keys: str) -> list[tuple[int, str]]:
        """The lines of the first of ``keys`` that is set."""
        for section in (self._own, self._base):
            for key in keys:
                if key in section:
                    return list(self._resolved(tuple(_joined(section[key])), 0))
        return []

    def variable_lines(self) -> Iterator[tuple[int, str]]:
        """The lines of ``setenv``, with those of the files that it names (``file|tox.env``)."""
        for number, text in self.lines("setenv", "set_env"):
            named = _VARIABLES_OF_FILE.match(text)
            if named is None:
                yield number, text
                continue
            path = normal_path(".", named[1].removeprefix(f"{PROJECT_FOLDER}/"))
            for line in (self._files.text(path) or "").splitlines()[:_MOST_VARIABLES] if path else ():
                if line.strip() and not line.lstrip().startswith("#"):
                    yield number, self._filled(line.strip().removeprefix("export "), 0)

    def flag(self, *keys: str) -> bool:
        lines = self.lines(*keys)
        return bool(lines) and lines[0][1].lower() in ("true", "1", "yes", "on")

    def _resolved(self, lines: Lines, depth: int) -> Iterator[tuple[int, str]]:
        condition: bool | None = None
        for number, written in lines:
            line = written
            factor = _FACTOR.match(line)
            if factor and factor["only"]:
                condition = self._holds(factor["only"])
                continue
            if factor and "://" not in factor["when"]:
                condition = None
                if not self._holds(factor["when"]):
                    continue
                line = factor["line"]
            elif condition is False:
                continue
            if not self._files.spend():
                return
            reference = _REFERENCE.fullmatch(line)
            if reference and depth < _DEEPEST:
                section = self._tox.sections.get(reference[1], {})
                yield from self._resolved(section.get(reference[2].lower(), ()), depth + 1)
            elif reference:
                yield number, line  # it leads to itself: whoever reads it says that it means nothing
            else:
                yield number, self._filled(line, depth)

    def _holds(self, condition: str) -> bool:
        for option in expand(condition):
            wanted = [factor for factor in re.split(r"-(?=!|\w)", option) if factor]
            if all((f[1:] not in self._factors) if f.startswith("!") else f in self._factors for f in wanted):
                return True
        return False

    def _filled(self, text: str, depth: int) -> str:
        def referred(match: re.Match[str]) -> str:
            if depth >= _DEEPEST:
                return match[0]
            lines = self._tox.sections.get(match[1], {}).get(match[2].lower(), ())
            return " ".join(line for _, line in self._resolved(lines, depth + 1))

        def named(match: re.Match[str]) -> str:
            name, default = match[1].strip(), match[2]
            places = ("toxinidir", "tox_root", "config_dir", "package_root")
            if name in places:
                return PROJECT_FOLDER
            if name in ("posargs", "opts", "packages"):
                return self._filled(default or "", depth + 1) if depth < _DEEPEST else ""
            if name in ("envpython", "env_python", "basepython", "base_python"):
                return "python"
            if name in ("envname", "env_name"):
                return self._name
            if name in ("env", "tty"):  # the value without a variable, or a terminal
                return self._filled(default.partition(":")[2] if default else "", depth + 1)
            return f"$({name})"  # which the shell's reader knows to be unknown

        filled = _BIN.sub("", _REFERENCE.sub(referred, text))
        if depth < _DEEPEST:
            filled = _NAMED.sub(named, filled)
        return (
            filled.replace("{/}", "/").replace("{:}", ":").replace("\\{", "{").replace("\\}", "}")[:_LONGEST]
        )


def _candidate(files: Files, tox: ToxFile, name: str) -> DeclaredJob:
    environment = _ToxEnvironment(tox, name, files)
    actions: list[Action] = []
    versions = cpython_versions(
        v for environment_name in tox.environments for v in _versions(environment_name)
    ) or _versions(name)
    if versions:
        where = Provenance(rule=f"{_RULE}, the list of environments", file=tox.file)
        actions.append(DeclaredPythons(versions=versions, provenance=where))
    variables: dict[str, str] = {}
    for line, text in environment.variable_lines():
        key, _, value = text.partition("=")
        if key.strip().isidentifier() and "$(" not in value:
            variables[key.strip()] = value.strip()
            where = Provenance(rule=f"{_RULE}, setenv", file=tox.file, line=line)
            actions.append(Variable(name=key.strip(), value=value.strip(), provenance=where))
    actions += _install(files, tox, environment)
    folder = environment.lines("changedir", "change_dir")
    cwd = normal_path(".", folder[0][1]) if folder else "."
    for line, text in [*environment.lines("commands_pre"), *environment.lines("commands")]:
        actions += read_commands(
            re.sub(r"\A[-!\s]+", "", text),
            files=files,
            file=tox.file,
            line=line,
            rule=_RULE,
            cwd=cwd or ".",
            variables=variables,
        )
    return DeclaredJob(
        kind=_RULE,
        name=f"environment {name}",
        actions=tuple(actions),
        doubts=2 * len(_UNLIKELY.findall(name)),
        provenance=Provenance(rule=_RULE, file=tox.file, line=_first(environment)),
    )


def _first(environment: _ToxEnvironment) -> int | None:
    lines = environment.lines("commands")
    return lines[0][0] if lines else None


def _joined(lines: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Lines that end with a backslash together with what follows."""
    waiting: tuple[int, str] | None = None
    for number, text in lines:
        first, before = waiting or (number, "")
        if text.endswith("\\"):
            waiting = (first, f"{before}{text[:-1]} ")
        else:
            waiting = None
            yield first, before + text
    if waiting:
        yield waiting


def _install(files: Files, tox: ToxFile, environment: _ToxEnvironment) -> Iterator[Action]:
    def command(line: int | None, rule: str, text: str) -> ProgramCall:
        where = Provenance(rule=rule, file=tox.file, line=line, text=text)
        return ProgramCall(words=("install",), cwd=".", files=files, known={}, provenance=where)

    main = tox.sections.get("tox", {})
    no_sdist = any(
        line.lower() in ("true", "1") for key in ("skipsdist", "no_package") for _, line in main.get(key, ())
    )
    develop = environment.flag("usedevelop", "use_develop") or any(
        line == "editable" for _, line in environment.lines("package")
    )
    skip = environment.flag("skip_install") or (no_sdist and not develop)
    extras = [part for _, line in environment.lines("extras") for part in re.split(r"[,\s]+", line) if part]
    if not skip and files.declared().installable is not None:
        yield project_step(
            command(None, f"{_RULE} installs the project", "install"), ".", extras, editable=develop
        )
    for line, text in environment.lines("deps"):
        yield from install_line(command(line, f"{_RULE}, deps", text), text)
    groups = [
        part for _, line in environment.lines("dependency_groups") for part in re.split(r"[,\s]+", line)
    ]
    for group in groups:
        yield from install_line(command(None, f"{_RULE}, dependency_groups", group), f"--group={group}")
