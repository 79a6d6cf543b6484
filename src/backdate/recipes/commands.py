"""Shell command lines of a project's files as parts of a recipe. Parsed, never evaluated."""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from backdate.recipes.actions import Action, Delegation
from backdate.recipes.command import ProgramCall
from backdate.recipes.files import Files, normal_path
from backdate.recipes.installers import INSTALLERS, install_with_pip, install_with_setup_script
from backdate.recipes.own_runners import module_file, with_path
from backdate.recipes.recipe import InstallStep, Provenance, SkipKind, SkippedInstruction, Variable
from backdate.recipes.runners import RUNNERS, run_file
from backdate.recipes.script import ScriptCommand, VariableAssignment, follow
from backdate.recipes.shell import Word

_PYTHON = re.compile(r"(?:python|pypy|py)(?:\d(?:\.\d+)?)?(?:\.exe)?\Z")
_PIP = re.compile(r"pip\d?(?:\.\d+)?\Z")
_PYTHON_OPTIONS_WITH_VALUE = ("-W", "-X")
_WRAPPERS: Mapping[str, tuple[str, ...]] = {
    # what stands in front of a command, with those of its options that take a value
    "sudo": ("-u", "-g"),
    "travis_retry": (),
    "retry": (),
    "time": (),
    "env": ("-u",),
    "exec": (),
    "command": (),
    "nice": ("-n",),
    "xvfb-run": ("-s", "-n", "-e", "-f", "-w"),
    "dbus-run-session": (),
    "catchsegv": (),
}
_WRAPPERS_WITH_ARGUMENT = ("travis_wait", "timeout")
_RUN_WITH = ("poetry", "pipenv", "pdm", "uv", "rye", "conda", "mamba", "micromamba", "hatch")
_RUN_OPTIONS_WITH_VALUE = (
    "-n",
    "--name",
    "-p",
    "--python",
    "--with",
    "--extra",
    "--group",
    "-e",
    "--env",
    "--package",
)
_COVERAGE_WITH_VALUE = (
    "--source",
    "--omit",
    "--include",
    "--rcfile",
    "--data-file",
    "--context",
    "--concurrency",
)
_SHELLS = ("sh", "bash", "dash", "zsh", "source", ".")
_DEEPEST = 12
_INDEX_OPTIONS = ("-i", "--index-url", "--default-index")
_OPTIONS_WITH_VALUE = (
    *("-r", "-c", "-e", "-s", "-k", "-m", "-n", "-p", "-E", "--requirement", "--constraint", "--editable"),
    *("--session", "--sessions", "--extras", "--with", "--extra-index-url", "--find-links", "-f"),
)
"""How the reason ends for commands that have nothing to do with recipes."""


def is_other_command(action: Action) -> bool:
    """Whether the action is a command that neither installs nor tests."""
    return isinstance(action, SkippedInstruction) and action.kind is SkipKind.OTHER_COMMAND


def read_commands(
    text: str,
    *,
    files: Files,
    file: str | None,
    line: int = 1,
    rule: str,
    cwd: str = ".",
    variables: Mapping[str, str] | None = None,
) -> tuple[Action, ...]:
    """What the shell script ``text``, which starts at ``line`` of ``file``, does for a recipe.

    Everything that is not followed is a :class:`SkippedInstruction`, with the reason. ``variables`` are
    those known from outside; when it is a dict, the assignments of the text are added to it, and
    ``PWD``, where the text ends.
    """
    if not files.spend(1 + len(text) // 500):
        return ()
    known = variables if isinstance(variables, dict) else dict(variables or {})
    actions: list[Action] = []
    outside = dict(known)
    for command in follow(text, exists=files.has, variables=known, cwd=cwd):
        if isinstance(command, VariableAssignment):
            where = _provenance(rule, file, line, command.line, f"{command.name}={command.value or '…'}")
            if command.unknown is None and command.value is not None:
                known[command.name] = command.value
                if command.exported or command.name in outside:
                    actions.append(Variable(name=command.name, value=command.value, provenance=where))
            elif command.exported:
                actions.append(
                    SkippedInstruction(
                        reason=f"{command.name} is not set: {command.unknown}", provenance=where
                    )
                )
            continue
        where = _provenance(rule, file, line, command.line, command.text)
        actions += _understand(command, files, where, known)
    return tuple(actions)


def _provenance(rule: str, file: str | None, first: int, line: int, text: str) -> Provenance:
    return Provenance(rule=rule, file=file, line=first + line - 1 if file else None, text=text[:300])


def _understand(
    line: ScriptCommand, files: Files, where: Provenance, known: Mapping[str, str]
) -> Iterable[Action]:
    command = ProgramCall(
        words=tuple(word.text for word in line.words),
        cwd=line.cwd,
        files=files,
        variables=line.assignments,
        known=known,
        provenance=where,
    )
    try:
        actions = tuple(understand(command))
    except RecursionError:
        return (SkippedInstruction(reason="commands nested too deep", provenance=where),)
    if line.doubt is None and line.unknown is None:
        return actions
    if all(map(is_other_command, actions)):
        return actions
    if line.doubt is not None:
        return (SkippedInstruction(reason=line.doubt, provenance=where),)
    narrowed = _without_unknown(command, line.words)
    if not any(not isinstance(action, SkippedInstruction) for action in narrowed):
        return (SkippedInstruction(reason=line.unknown or "", provenance=where),)
    return (
        *narrowed,
        SkippedInstruction(reason=f"part of the command is left out: {line.unknown}", provenance=where),
    )


def _without_unknown(command: ProgramCall, words: Sequence[Word]) -> tuple[Action, ...]:
    """What a command does without its unknown words (``tox -e $(…)``, ``pip install -r a.txt $MORE``)."""
    kept: list[str] = []
    for word in words:
        if word.unknown is None:
            kept.append(word.text)
        elif not kept or kept[-1] in _INDEX_OPTIONS:
            return ()  # which program, or from where it installs, is not known
        elif kept[-1] in _OPTIONS_WITH_VALUE:
            kept.pop()
    return tuple(understand(command.having(kept)))


def understand(command: ProgramCall, depth: int = 0) -> Iterable[Action]:
    """What one command does for a recipe; one SkippedInstruction when it does nothing that is known here."""
    if not command.words or depth > _DEEPEST:
        return (SkippedInstruction(reason="there is no command in it", provenance=command.provenance),)
    inner = _unwrapped(command)
    if inner is not None:
        return understand(inner, depth + 1)
    name = posixpath.basename(command.words[0])
    if _PYTHON.match(name):
        return _python(command, depth)
    if _PIP.match(name):
        return _with_inline_variables(command, _pip(command))
    if name in ("uv", "rye") and command.arguments[:1] == ("pip",):
        return _with_inline_variables(command, _pip(command.having(command.arguments)))
    if name == "coverage":
        return _coverage(command, command.arguments, depth)
    if name in INSTALLERS:
        return _with_inline_variables(command, INSTALLERS[name](command))
    if name in RUNNERS:
        return RUNNERS[name](command)
    if name.endswith(".py"):
        return run_file(command, command.words)
    script = command.arguments[0] if name in _SHELLS and command.arguments else command.words[0]
    if name in _SHELLS or script.endswith((".sh", ".bash")) or script.startswith(("./", "scripts/")):
        return (_script(command, script), *_handed_on(command, depth))
    reason = f"{name[:60]} is neither an install nor a test command"
    return (SkippedInstruction(reason=reason, kind=SkipKind.OTHER_COMMAND, provenance=command.provenance),)


def _with_inline_variables(command: ProgramCall, actions: Iterable[Action]) -> Iterable[Action]:
    """``actions`` of an install command, with the variables in front of it where it installs something."""
    done = tuple(actions)
    if any(isinstance(action, InstallStep) for action in done):
        for name, value in command.variables:
            yield Variable(name=name, value=value, builds_only=True, provenance=command.provenance)
    yield from done


def _unwrapped(command: ProgramCall) -> ProgramCall | None:
    """The command that a wrapper (``sudo``, ``poetry run``, ``xvfb-run``) runs; None when there is none."""
    name, rest = posixpath.basename(command.words[0]), command.arguments
    added: list[tuple[str, str]] = []
    if name in _WRAPPERS or name in _WRAPPERS_WITH_ARGUMENT:
        rest = _after_options(rest, _WRAPPERS.get(name, ("-k", "-s")))
        if name in _WRAPPERS_WITH_ARGUMENT and rest and rest[0][:1].isdigit():
            rest = rest[1:]
        while rest and "=" in rest[0] and rest[0].partition("=")[0].isidentifier():
            variable, _, value = rest[0].partition("=")
            added.append((variable, value))
            rest = rest[1:]
    elif name in _RUN_WITH and rest[:1] == ("run",):
        rest = _after_options(rest[1:], _RUN_OPTIONS_WITH_VALUE)
        if not rest or not _known_program(rest[0]):
            return None
    elif command.words[0] == "&":
        rest = command.arguments
    else:
        return None
    if not rest:
        return None
    return replace(command, words=rest, variables=(*command.variables, *added))


def _known_program(word: str) -> bool:
    name = posixpath.basename(word)
    return bool(_PYTHON.match(name) or _PIP.match(name)) or name in RUNNERS or name in ("coverage", *_SHELLS)


def _after_options(arguments: tuple[str, ...], with_value: tuple[str, ...]) -> tuple[str, ...]:
    position = 0
    while position < len(arguments) and arguments[position].startswith("-"):
        if arguments[position] == "--":
            return arguments[position + 1 :]
        position += 2 if arguments[position] in with_value else 1
    return arguments[position:]


def _python(command: ProgramCall, depth: int) -> Iterable[Action]:
    arguments = command.arguments
    while arguments and arguments[0].startswith("-") and arguments[0] not in ("-m", "-c", "-"):
        arguments = arguments[2 if arguments[0] in _PYTHON_OPTIONS_WITH_VALUE else 1 :]
    if len(arguments) > 1 and arguments[0] == "-m":
        module = arguments[1]
        if module in ("unittest", "twisted.trial", "tox", "nox", "pytest", "py.test", "nose", "nose2"):
            name = f"python -m {module}" if module in ("unittest", "twisted.trial") else module
            return RUNNERS[name](command.having((name, *arguments[2:])))
        if module in ("django", "stestr", "zope.testrunner", "green"):
            name = "python -m django" if module == "django" else module
            return RUNNERS[name](command.having((name, *arguments[2:])))
        if module in ("coverage", "pip", "poetry", "pipenv", "uv", "pdm", "flit"):
            return understand(command.having((module, *arguments[2:])), depth + 1)
        file = module_file(command.files, command.cwd, module)
        if file is not None:
            inside = replace(command, variables=with_path(command.variables))
            return run_file(inside, (file, *arguments[2:]))
        return (
            SkippedInstruction(
                reason=f"python -m {module[:60]} is not followed", provenance=command.provenance
            ),
        )
    if not arguments or arguments[0].startswith("-"):
        return (
            SkippedInstruction(
                reason="code on the command line is not followed", provenance=command.provenance
            ),
        )
    if posixpath.basename(arguments[0]) == "setup.py":
        return _with_inline_variables(command, install_with_setup_script(command.having(arguments)))
    return run_file(command, arguments)


def _pip(command: ProgramCall) -> Iterable[Action]:
    rest = _after_options(command.arguments, ("--python", "--log", "--proxy", "--cert", "--timeout"))
    if rest[:1] == ("install",):
        return install_with_pip(command.having(rest))
    if rest[:1] == ("sync",):
        return install_with_pip(command.having(("install", *(_as_file(word) for word in rest[1:]))))
    return (SkippedInstruction(reason="pip installs nothing here", provenance=command.provenance),)


def _as_file(word: str) -> str:
    return word if word.startswith("-") else f"-r{word}"


def _coverage(command: ProgramCall, arguments: tuple[str, ...], depth: int) -> Iterable[Action]:
    if arguments[:1] != ("run",):
        return (SkippedInstruction(reason="coverage reports only", provenance=command.provenance),)
    rest = arguments[1:]
    while rest and rest[0].startswith("-") and rest[0] not in ("-m", "--module"):
        rest = rest[2 if rest[0] in _COVERAGE_WITH_VALUE else 1 :]
    if rest[:1] == ("--module",):
        rest = ("-m", *rest[1:])
    if not rest:
        return (
            SkippedInstruction(
                reason="coverage runs what its configuration says", provenance=command.provenance
            ),
        )
    if rest[0] != "-m" and posixpath.basename(rest[0]) in RUNNERS:
        return understand(command.having(rest), depth + 1)
    return understand(command.having(("python", *rest)), depth + 1)


def _handed_on(command: ProgramCall, depth: int) -> Iterable[Action]:
    """The test command that a script is given to run: ``wait.sh -- pytest``, ``in-docker "pytest -x"``."""
    arguments = command.arguments
    if "--" in arguments:
        options = [arguments[arguments.index("--") + 1 :]]
    else:
        options = [_split(word) for word in arguments if " " in word]
    known = (words for words in options if words and (_known_program(words[0]) or words[0] in _RUN_WITH))
    handed = next(known, ())
    return understand(command.having(handed), depth + 1) if handed else ()


def _split(text: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(text))
    except ValueError:
        return ()


def _script(command: ProgramCall, script: str) -> Action:
    path = normal_path(command.cwd, script)
    if path is None or not command.files.has(path):
        return SkippedInstruction(
            reason=f"there is no script {script[:100]} in the project", provenance=command.provenance
        )
    return Delegation(
        to="script",
        arguments=(path,),
        cwd=command.cwd,
        variables=tuple({**command.known, **dict(command.variables)}.items()),
        provenance=command.provenance,
    )
