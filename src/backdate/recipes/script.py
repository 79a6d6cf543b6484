"""What a shell script would run, as far as that can be told without running it.

Directories, assignments, ``if`` over files and known variables, ``&&`` and ``||`` are followed. A command
counts as having succeeded. What lies behind a condition that cannot be known, in a loop, or in a
function is handed over with the reason why it may not be run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from backdate.recipes.files import normal_path
from backdate.recipes.recipe import PROJECT_FOLDER
from backdate.recipes.shell import Word, tokens

_DEEPEST = 50
_KNOWN_EMPTY = ("PYTHONPATH", "LD_LIBRARY_PATH")
_ENDS = ("\n", ";", ";;", "&", "&&", "||", "|", ")", "(")
_REDIRECTIONS = (">", ">>", "<", "&>", ">&", "<&", "<<<")
_CREDENTIALS = re.compile(r"//[^/@\s]+@")
_LOOPS = ("for", "while", "until", "select", "case")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptCommand:
    """One command of a script."""

    words: tuple[Word, ...]
    """Without assignments in front of it and without redirections; at least one."""
    line: int
    """Counted from 1 within the text."""
    cwd: str
    """Relative to the project's root."""
    assignments: tuple[tuple[str, str], ...] = ()
    """Those in front of the command, and nothing else."""
    doubt: str | None = None
    """Why it may not be run at all; None when it is."""

    @property
    def text(self) -> str:
        """For people: the words as a command line."""
        written = [f"{name}={value}" for name, value in self.assignments]
        whole = " ".join([*written, *(word.text for word in self.words)]).replace(PROJECT_FOLDER, ".")
        return _CREDENTIALS.sub("//…@", whole)[:300]

    @property
    def unknown(self) -> str | None:
        """Why its words are not what a shell would make of them; None when they are."""
        return next((word.unknown for word in self.words if word.unknown), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class VariableAssignment:
    """``NAME=value`` or ``export NAME=value`` as a command of its own."""

    name: str
    value: str | None
    """None when it cannot be known; then ``doubt`` or ``unknown`` says why."""
    exported: bool
    line: int
    unknown: str | None = None


@dataclass(slots=True, kw_only=True)
class _ShellBlock:
    """An ``if``, a loop, a function or a subshell that the reader is in."""

    kind: str
    now: bool | None = True
    """Whether the part that is being read is run; None when that cannot be known."""
    done: bool | None = False
    """For ``if``: whether a branch before was run."""
    cwd: str = "."


@dataclass(slots=True, kw_only=True)
class _ScriptState:
    variables: dict[str, str]
    exists: Callable[[str], bool]
    cwd: str
    blocks: list[_ShellBlock] = field(default_factory=list)
    chain: bool | None = True
    """Whether what follows the last ``&&`` or ``||`` is run."""
    condition: bool = False
    """Between ``if`` and ``then``."""
    function: bool = False
    """After ``name ()``: the block that follows is not run where it stands."""
    verdict: bool | None = True
    """How the last command ended."""

    def runs(self) -> bool | None:
        states = [block.now for block in self.blocks] + [self.chain]
        return False if False in states else None if None in states else True


def follow(
    text: str,
    *,
    exists: Callable[[str], bool],
    variables: dict[str, str] | None = None,
    cwd: str = ".",
) -> Iterator[ScriptCommand | VariableAssignment]:
    """The commands that ``text`` runs, in order.

    ``exists`` tells whether a path relative to the project's root is there. ``variables`` are known
    from outside; assignments in the text are added to them as they are reached, and ``PWD`` is where
    the text ends (see ``folder_of``).
    """
    known = {} if variables is None else variables
    for name in _KNOWN_EMPTY:
        known.setdefault(name, "")
    state = _ScriptState(variables=known, exists=exists, cwd=cwd)
    known["PWD"] = _absolute(cwd)
    words: list[Word] = []
    for word in tokens(text, known):
        if word.operator and word.text in _ENDS:
            yield from _command(words, state, word.text)
            words = []
        else:
            words.append(word)
    yield from _command(words, state, "\n")


def folder_of(variables: Mapping[str, str]) -> str:
    """Where a text that was followed left its reader, relative to the project's root."""
    return variables.get("PWD", "").removeprefix(PROJECT_FOLDER).lstrip("/") or "."


def _absolute(cwd: str) -> str:
    return PROJECT_FOLDER if cwd == "." else f"{PROJECT_FOLDER}/{cwd}"


def _command(
    words: list[Word], state: _ScriptState, end: str
) -> Iterator[ScriptCommand | VariableAssignment]:
    """One command with what ended it; changes ``state``."""
    words = _reserved(words, state)
    if end == "(":
        _open_parenthesis(words, state)
        return
    if words:
        yield from _simple(words, state)
    if end == ")" and state.blocks and state.blocks[-1].kind == "(":
        state.cwd = state.blocks.pop().cwd
        state.variables["PWD"] = _absolute(state.cwd)
        state.chain = True
    elif end in ("&&", "||"):
        state.chain = _chained(state, end)
    elif end in ("\n", ";", "&", ";;") and not (end == "\n" and not words):
        state.chain = True


def _chained(state: _ScriptState, end: str) -> bool | None:
    """Whether what stands behind ``&&`` or ``||`` is run."""
    if state.chain is None or state.verdict is None:
        return None
    return state.verdict is (end == "&&")


def _open_parenthesis(words: list[Word], state: _ScriptState) -> None:
    if len(state.blocks) < _DEEPEST:
        state.function = bool(words)
        state.blocks.append(_ShellBlock(kind="(", cwd=state.cwd))


def _reserved(words: list[Word], state: _ScriptState) -> list[Word]:
    """Follow the reserved words in front of a command, and give what is left of it."""
    while words and not words[0].quoted and not words[0].operator:
        first = words[0].text
        top = state.blocks[-1] if state.blocks else None
        if first == "if" and len(state.blocks) < _DEEPEST:
            state.blocks.append(_ShellBlock(kind="if", cwd=state.cwd))
            state.condition = True
        elif first == "elif" and top and top.kind == "if":
            _next_branch(top)
            state.condition, state.chain = True, True
        elif first == "then" and top and top.kind == "if":
            verdict = state.verdict
            top.now = False if top.now is False else None if top.now is None else verdict
            top.done = (
                True if verdict is True and top.done is False else None if verdict is None else top.done
            )
            state.condition, state.chain = False, True
        elif first == "else" and top and top.kind == "if":
            _next_branch(top)
            state.chain = True
        elif (first == "fi" and top and top.kind == "if") or (
            first in ("done", "esac", "}") and top and top.kind == "loop"
        ):
            state.blocks.pop()
            state.chain, state.condition = True, False
        elif first in _LOOPS or first in ("{", "function"):
            if len(state.blocks) < _DEEPEST:
                runs = True if first == "{" and not state.function else None
                state.blocks.append(_ShellBlock(kind="loop", now=runs))
                state.function = False
            if first != "{":
                return []
        elif first not in ("do", "!", "time", "then", "else", "fi", "done", "esac", "}"):
            break
        words = words[1:]
    return words


def _next_branch(block: _ShellBlock) -> None:
    block.now = {True: False, None: None, False: True}[block.done]


def _simple(words: list[Word], state: _ScriptState) -> Iterator[ScriptCommand | VariableAssignment]:
    runs = state.runs()
    if runs is False:
        return
    words = _without_redirections(words)
    assignments: list[tuple[Word, str, str]] = []
    while words and (pair := _assignment(words[0])):
        assignments.append((words[0], *pair))
        words = words[1:]
    state.verdict = True
    exporting = bool(words) and words[0].text in ("export", "declare", "set")
    if words and words[0].text == "export":
        assignments += [(word, *pair) for word in words[1:] if (pair := _assignment(word))]
    if not words or exporting:
        for word, name, value in assignments:
            unknown = word.unknown or (None if runs else _DOUBT)
            yield VariableAssignment(
                name=name,
                value=None if unknown else value,
                exported=exporting,
                line=word.line,
                unknown=unknown,
            )
            if unknown:
                state.variables.pop(name, None)
            else:
                state.variables[name] = value
        return
    first = words[0].text
    if first in ("[", "[[", "test"):
        state.verdict = _test([word for word in words[1:] if word.text not in ("]", "]]")], state)
        return
    if first in ("true", ":", "false"):
        state.verdict = first != "false"
        return
    if first in ("cd", "pushd") and runs and not state.condition:
        target = normal_path(state.cwd, words[1].text) if len(words) > 1 and not words[1].unknown else None
        if target is not None:
            state.cwd = target
            state.variables["PWD"] = _absolute(target)
            return
    if state.condition:
        state.verdict = None
        return
    yield ScriptCommand(
        words=tuple(words),
        line=words[0].line,
        cwd=state.cwd,
        assignments=tuple((name, value) for word, name, value in assignments if not word.unknown),
        doubt=None if runs else _DOUBT,
    )


_DOUBT = "it stands behind a condition, or in a loop or function, that only a shell can follow"


def _assignment(word: Word) -> tuple[str, str] | None:
    name, equals, value = word.text.partition("=")
    return (name, value) if equals and name.isidentifier() and name.isascii() and not word.operator else None


def _without_redirections(words: list[Word]) -> list[Word]:
    kept: list[Word] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word.operator and word.text in _REDIRECTIONS:
            skip = True
            if kept and kept[-1].text in ("1", "2") and not kept[-1].quoted:
                kept.pop()
        elif not word.operator:
            kept.append(word)
    return kept


def _test(words: list[Word], state: _ScriptState) -> bool | None:
    """The verdict of ``[ … ]``; None when it cannot be known."""
    if any(word.unknown for word in words):
        return None
    texts = [word.text for word in words]
    match texts:
        case ["!", *rest]:
            inner = _test([word for word, _ in zip(words[1:], rest, strict=True)], state)
            return None if inner is None else not inner
        case ["-f" | "-e" | "-d" | "-r" | "-s", path]:
            inside = normal_path(state.cwd, path)
            return None if inside is None else state.exists(inside)
        case ["-n", value]:
            return bool(value)
        case ["-z", value]:
            return not value
        case [left, "=" | "==", right]:
            return left == right
        case [left, "!=", right]:
            return left != right
    return None
