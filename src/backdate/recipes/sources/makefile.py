"""Makefiles: the recipes of targets, with variables that are written out. Nothing is computed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from backdate.recipes.actions import Action, DeclaredJob
from backdate.recipes.commands import read_commands
from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, SkippedInstruction

_RULE = "Makefile"
NAMES = ("GNUmakefile", "makefile", "Makefile")
TARGETS = ("test", "tests", "check", "unittest", "unit-test", "unit_test", "unittests", "test-unit", "pytest")
_ASSIGNMENT = re.compile(r"(?:export\s+)?([A-Za-z_][\w.-]*)\s*(\?|:{1,3}|\+|!)?=\s*(.*)\Z")
_RULE_LINE = re.compile(r"([^\s:#=][^:=#]*)::?(?!=)\s*([^;#|]*)")
_VARIABLE = re.compile(r"\$(?:\(([\w.-]+)\)|\{([\w.-]+)\})")
_DEEPEST = 3
_LONGEST = 2_000
"""Variables that hold each other many times would otherwise multiply."""


@dataclass(slots=True, kw_only=True)
class _MakeTarget:
    needs: list[str] = field(default_factory=list)
    lines: list[tuple[int, str]] = field(default_factory=list)


def read_makefile(
    files: Files, targets: Sequence[str] = (), folder: str = "."
) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """``targets``, or the first target that is named like tests."""
    for name in NAMES:
        file = name if folder == "." else f"{folder}/{name}"
        text = files.text(file)
        if text is not None:
            break
    else:
        return (), ()
    rules, written = _parse(text)
    variables = _Variables(written)
    chosen = [target for target in targets if target in rules]
    if targets and not chosen:
        where = Provenance(rule=_RULE, file=file)
        return (), (SkippedInstruction(reason=f"no target {targets[0][:80]} in it", provenance=where),)
    if not targets:
        chosen = [target for target in TARGETS if target in rules][:1]
    return tuple(_candidate(files, file, folder, target, rules, variables) for target in chosen[:10]), ()


def _parse(text: str) -> tuple[dict[str, _MakeTarget], dict[str, str]]:
    rules: dict[str, _MakeTarget] = {}
    variables = {"PYTHON": "python", "PIP": "pip", "MAKE": "make", "CURDIR": "/PROJECT", "PWD": "/PROJECT"}
    current: list[_MakeTarget] = []
    for number, line in _logical_lines(text):
        if line.startswith("\t"):
            for target in current:
                target.lines.append((number, line[1:]))
            continue
        stripped = line.strip()
        if not stripped or stripped.startswith("#"):
            continue
        assignment = _ASSIGNMENT.match(stripped)
        if assignment:
            name, operator, value = assignment[1], assignment[2], assignment[3].split(" #")[0].strip()
            if operator == "+":
                variables[name] = f"{variables.get(name, '')} {value}".strip()
            elif operator != "!":
                variables[name] = value
            continue
        rule = _RULE_LINE.match(stripped)
        if rule:
            current = []
            for name in rule[1].split():
                target = rules.setdefault(name, _MakeTarget())
                target.needs += rule[2].split()
                current.append(target)
    return rules, variables


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines with their continuations; the backslash stays in recipes, where the shell reads it."""
    waiting: list[str] = []
    start = 1
    for number, line in enumerate(text.split("\n"), start=1):
        if not waiting:
            start = number
        if line.endswith("\\"):
            recipe = (waiting[0] if waiting else line).startswith("\t")
            waiting.append(line + "\n" if recipe else line[:-1])
            continue
        yield start, "".join([*waiting, line])
        waiting = []
    if waiting:
        yield start, "".join(waiting)


class _Variables:
    """Make's variables, each expanded once for every depth at which it is asked for."""

    def __init__(self, written: Mapping[str, str]) -> None:
        self._written = written
        self._values: dict[tuple[str, int], str] = {}

    def expanded(self, text: str, depth: int = 0) -> str:
        """``text`` with variables replaced; what make would compute the shell's reader marks as unknown."""

        def value(match: re.Match[str]) -> str:
            name = match[1] or match[2]
            if name not in self._written or depth >= _DEEPEST:
                return match[0].replace("$(", "${").replace(")", "}")
            if (name, depth) not in self._values:
                self._values[name, depth] = self.expanded(self._written[name], depth + 1)[:500]
            return self._values[name, depth]

        return _VARIABLE.sub(value, text[:_LONGEST])[:_LONGEST]


def _candidate(
    files: Files, file: str, folder: str, target: str, rules: dict[str, _MakeTarget], variables: _Variables
) -> DeclaredJob:
    actions: list[Action] = []
    known: dict[str, str] = {}
    done: set[str] = set()
    waiting = [(target, False)]
    while waiting and files.spend():  # what a target needs comes before it
        name, ready = waiting.pop()
        if ready:
            for line, text in rules[name].lines:
                script = variables.expanded(text).replace("$$", "$")
                actions += read_commands(
                    re.sub(r"\A[@+\s-]+", "", script),
                    files=files,
                    file=file,
                    line=line,
                    rule=f"{_RULE}, target {name}",
                    cwd=folder,
                    variables=dict(known),
                )
        elif name not in done and name in rules:
            done.add(name)
            waiting.append((name, True))
            waiting += [(need, False) for need in reversed(rules[name].needs[:50])]
    first = rules[target].lines
    where = Provenance(rule=_RULE, file=file, line=first[0][0] if first else None)
    return DeclaredJob(kind=_RULE, name=f"target {target}", actions=tuple(actions), provenance=where)
