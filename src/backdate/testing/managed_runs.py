"""What ``poetry run``, ``pipenv run``, ``pdm run``, ``hatch run`` and ``uv run`` run in a test script.

A manager puts the environment's programs first on PATH, before the stand-ins through which suites report. The
set-up made one environment, in which the script runs already, so a stand-in for the manager runs the command
itself. Commands that the project declares under a name of their own are written into the stand-in.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from backdate.errors import ConfigurationError
from backdate.projects.read import read_text
from backdate.projects.toml import parse_toml

MANAGERS = ("hatch", "pdm", "pipenv", "poetry", "uv")
_OPTIONS_WITH_VALUE = {
    "hatch": "-e | --env | -p | --project | --data-dir | --cache-dir | --config",
    "pdm": "-p | --project | -c | --config | --venv",
    "pipenv": "",
    "poetry": "-C | --directory | -P | --project",
    "uv": (
        "--with | --with-editable | --with-requirements | --extra | --group | --only-group | --no-group | "
        "-p | --python | --env-file | --package | --directory | --project | --index | --default-index"
    ),
}
_MOST_COMMANDS = 200
_LONGEST_COMMAND = 4000
_ARGUMENTS = re.compile(r"\{args(?::([^{}]*))?\}")
_CALL = re.compile(r"([A-Za-z_][\w.]*):([A-Za-z_]\w*)(\(.*\))?\Z", re.DOTALL)

_STAND_IN = """\
#!/bin/sh
# Stands for NAME: what it runs is run in this environment, which is the one that the set-up made.
all_words() {
    exec PROGRAM "$@"
}
[ $# -gt 0 ] || all_words
position=0
run=
value=
for word; do  # options of NAME itself may come before the verb
    position=$((position + 1))
    if [ -n "$value" ]; then
        value=
        continue
    fi
    case "$word" in
        OPTIONS) value=yes ;;
        -*) ;;
        *) run=$word; break ;;
    esac
done
case "$run" in
    run) shift "$position" ;;
    SHORTCUTS
    *) all_words "$@" ;;
esac
while [ $# -gt 0 ]; do
    case "$1" in
        --) shift; break ;;
        OPTIONS) shift; [ $# -eq 0 ] || shift ;;
        MODULE
        -*) shift ;;
        *) break ;;
    esac
done
case "${1:-}" in
    COMMANDS
esac
[ $# -gt 0 ] || exit 0
exec "$@"
"""


def managed_stand_ins(root: Path, commands: Mapping[str, Mapping[str, str]]) -> dict[str, str]:
    """The text of the stand-in for each manager, by name, for the environment at ``root``. Pure.

    ``commands``: as of ``declared_commands``.
    """
    return {name: _stand_in(name, root, commands.get(name, {})) for name in MANAGERS}


def _stand_in(name: str, root: Path, commands: Mapping[str, str]) -> str:
    quoted = {shlex.quote(word): shlex.quote(text) for word, text in commands.items()}
    cases = [f'{word}) shift; exec /bin/sh -c {text} {word} "$@" ;;' for word, text in quoted.items()]
    shortcuts = ""
    if name == "hatch":
        cases.append('*:*) word=${1#*:}; shift; set -- "$word" "$@" ;;')
    if name == "pdm" and quoted:  # a command that no verb is called like needs no "run"
        shortcuts = f'{" | ".join(quoted)}) shift "$((position - 1))" ;;'
    if name == "uv":
        cases.append('*.py) set -- python "$@" ;;')
    filled = {
        "NAME": name,
        "PROGRAM": shlex.quote(str(root / "bin" / name)),
        "OPTIONS": _OPTIONS_WITH_VALUE[name] or "''",
        "MODULE": '-m | --module) shift; set -- python -m "$@"; break ;;' if name == "uv" else "",
        "SHORTCUTS": shortcuts,
        "COMMANDS": "\n    ".join(cases),
    }
    words = re.compile(rf"(?<![A-Za-z_])({'|'.join(filled)})(?![A-Za-z_])")
    text = words.sub(lambda match: filled[match[1]], _STAND_IN)
    return "".join(line for line in text.splitlines(keepends=True) if line.strip())


def declared_commands(tree: Path) -> dict[str, dict[str, str]]:
    """The commands that the project at ``tree`` declares for its managers, as text for ``sh -c``.

    >>> declared_commands(Path("/nonexistent"))
    {'pipenv': {}, 'pdm': {}, 'hatch': {}}
    """
    pyproject, pipfile, hatch = (_toml(tree, name) for name in ("pyproject.toml", "Pipfile", "hatch.toml"))
    tool = _table(pyproject, "tool")
    found = {
        "pipenv": dict(_pipenv(_table(pipfile, "scripts"))),
        "pdm": dict(_pdm(_table(tool, "pdm", "scripts"))),
        "hatch": dict(_hatch(_table(hatch, "envs") or _table(tool, "hatch", "envs"))),
    }
    return {
        manager: {
            name: text
            for name, text in list(commands.items())[:_MOST_COMMANDS]
            if len(name) + len(text) <= _LONGEST_COMMAND and "\0" not in name + text
        }
        for manager, commands in found.items()
    }


def _pipenv(scripts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, stated in scripts.items():
        called = _called(stated.get("call")) if isinstance(stated, Mapping) else None
        if isinstance(stated, str):
            yield name, _with_arguments(stated)
        elif called is not None:
            yield name, called


def _pdm(scripts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, stated in scripts.items():
        table = {"cmd": stated} if isinstance(stated, (str, list)) else stated
        if name == "_" or not isinstance(table, Mapping):
            continue
        cmd, shell, parts = table.get("cmd"), table.get("shell"), table.get("composite")
        exports = "".join(
            f"export {variable}={shlex.quote(str(value))}; "
            for variable, value in _table(table, "env").items()
            if variable.isidentifier()
        )
        text = _called(table.get("call"))
        if isinstance(cmd, list) and all(isinstance(word, str) for word in cmd):
            text = _with_arguments(shlex.join(cmd))
        elif isinstance(cmd, str):
            text = _with_arguments(cmd)
        elif isinstance(shell, str):
            text = _with_arguments(shell)
        elif isinstance(parts, list) and all(isinstance(part, str) for part in parts):
            text = " && ".join(f"pdm run {part}" for part in parts)
        if text is not None:
            yield name, exports + text


def _hatch(environments: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for environment, settings in environments.items():
        scripts = _table(environments, environment, "scripts") if isinstance(settings, Mapping) else {}
        prefix = "" if environment == "default" else f"{environment}:"
        for name, stated in scripts.items():
            lines = [stated] if isinstance(stated, str) else stated
            if isinstance(lines, list) and all(isinstance(line, str) for line in lines):
                text = _all_of(lines, prefix, scripts)
                yield prefix + name, text
                if not prefix:
                    yield f"{environment}:{name}", text


def _all_of(lines: Sequence[str], prefix: str, scripts: Mapping[str, Any]) -> str:
    """One after the other; a line may begin with the name of another script, and with "-" if it may fail."""
    parts = []
    for line in lines:
        may_fail, command = line.startswith("- "), line.removeprefix("- ").strip()
        first, _, rest = command.partition(" ")
        if first in scripts:
            command = f"hatch run {shlex.quote(prefix + first)} {rest}".rstrip()
        text = _placed(command) or command
        parts.append(f"{{ {text} || :; }}" if may_fail else f"{{ {text}; }}")
    return " && ".join(parts)


def _with_arguments(command: str) -> str:
    """``command`` with what is given behind it, where the command itself says no place for it."""
    return _placed(command) or f'{command} "$@"'


def _placed(command: str) -> str | None:
    """``command`` with what is given in the place of ``{args}``; None when it has no such."""
    match = _ARGUMENTS.search(command)
    if match is None:
        return None
    default = f"[ $# -gt 0 ] || set -- {match[1]}; " if match[1] else ""
    return default + _ARGUMENTS.sub('"$@"', command)


def _called(stated: object) -> str | None:
    """What calls ``module:function`` or ``module:function(arguments)``."""
    match = _CALL.match(stated) if isinstance(stated, str) else None
    if match is None:
        return None
    module, function, arguments = match.groups()
    code = f"import sys, {module}; sys.exit({module}.{function}{arguments or '()'})"
    return f'python -c {shlex.quote(code)} "$@"'


def _toml(tree: Path, name: str) -> Mapping[str, Any]:
    try:
        return parse_toml(read_text(tree, name) or "")
    except ConfigurationError:
        return {}


def _table(table: Mapping[str, Any], *path: str) -> Mapping[str, Any]:
    for part in path:
        inner = table.get(part)
        if not isinstance(inner, Mapping):
            return {}
        table = inner
    return table
