"""Programs that a set-up script finds on PATH in the place of pip, python, uv, apt-get and sudo.

Each is a small POSIX shell script with everything written in; what it does not know goes on to the real
program.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_PIPS = ("pip", "pip3")
_PYTHONS = ("python", "python3")
_APTS = ("apt-get", "apt")

_PYTHON = """\
#!/bin/sh
# Stands for python: what it is asked to do with pip, Poetry and their like goes to the stand-ins for them.
if [ "${1:-}" = -m ]; then
    case "${2:-}" in
        pip) shift 2; exec STAND_IN_PIP "$@" ;;
        poetry) shift 2; exec STARTER "$@" ;;
        uv) shift 2; exec STAND_IN_UV "$@" ;;
        hatch | pdm | pipenv)
            if [ -x MANAGERS/bin/"$2" ]; then
                program=MANAGERS/bin/$2
                shift 2
                exec "$program" "$@"
            fi
            ;;
    esac
fi
exec PYTHON "$@"
"""

_APART = """\
# A manager of projects gets an environment of its own (NAME, REQUIREMENT).
install_manager() {
    own=MANAGERS/$1
    if [ ! -x "$own/bin/python" ]; then
        UV venv --quiet --no-project --python INTERPRETER -- "$own" || exit
        INTO_OWN pip setuptools wheel || exit
    fi
    INSTALL_MANAGER "$2" || exit
    mkdir -p MANAGERS/bin
    ln -sf "$own/bin/$1" MANAGERS/bin/"$1"
}
managers=
others=
value=
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    manager=
    if [ -n "$value" ]; then
        value=
    else
        case "$word" in
            -r | --requirement | -e | --editable) value=yes; others=yes ;;
            -c | --constraint | -i | --index-url | --extra-index-url | -f | --find-links) value=yes ;;
            --progress-bar | --timeout | --retries | --upgrade-strategy | --use-feature) value=yes ;;
            --use-deprecated | --trusted-host | --no-binary | --only-binary | --cache-dir) value=yes ;;
            -r* | --requirement=* | -e* | --editable=*) others=yes ;;
            -*) ;;
            CASES
            *) others=yes ;;
        esac
    fi
    if [ -n "$manager" ]; then
        install_manager "$manager" "$word"
        managers=yes
    else
        set -- "$@" "$word"
    fi
done
if [ -n "$managers" ] && [ -z "$others" ]; then
    exit 0
fi
"""

_PIP = """\
#!/bin/sh
# Stands for pip: installs by uv, cut at the instant. Options that change nothing here are left out.
unset UV_DEFAULT_INDEX UV_INDEX_URL UV_PROJECT_ENVIRONMENT
case "${1:-}" in
    install) shift ;;
    freeze | list | show | check) command=$1; shift; exec UV pip "$command" --python PYTHON "$@" ;;
    uninstall)
        shift
        left=$#
        while [ "$left" -gt 0 ]; do
            word=$1
            shift
            left=$((left - 1))
            case "$word" in -y | --yes) ;; *) set -- "$@" "$word" ;; esac
        done
        exec UV pip uninstall --python PYTHON "$@"
        ;;
    *) exec PYTHON -m pip "$@" ;;
esac
APART
editable=
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    case "$word" in
        --user | --no-warn-script-location | --disable-pip-version-check | --no-input) continue ;;
        --no-cache-dir | --prefer-binary | --use-pep517 | --progress-bar=* | --timeout=*) continue ;;
        --retries=* | --use-feature=* | --upgrade-strategy=* | --use-deprecated=*) continue ;;
        --progress-bar | --timeout | --retries | --upgrade-strategy | --use-feature | --use-deprecated)
            if [ "$left" -gt 0 ]; then shift; left=$((left - 1)); fi
            continue
            ;;
        -e | -e?* | --editable | --editable=*) editable=yes ;;
        *) if [ -f "$word" ] && grep -qE '^[[:space:]]*(-e|--editable)' "$word"; then editable=yes; fi ;;
    esac
    set -- "$@" "$word"
done
if [ -n "$editable" ]; then
    exec EDITABLE "$@"
fi
exec PLAIN "$@"
"""

_REAL_PIP = """\
#!/bin/sh
# Stands before pip, which installs all but what has an environment of its own.
if [ "${1:-}" != install ]; then
    exec PYTHON -m pip "$@"
fi
shift
APART
exec PYTHON -m pip install "$@"
"""

_UV = """\
#!/bin/sh
# Stands for the uv that the script installed: the environment is all the system that there is.
real=MANAGERS/bin/uv
[ -x "$real" ] || real=ROOT/bin/uv
if [ ! -x "$real" ]; then
    echo "uv: not found" >&2
    exit 127
fi
unset UV_SYSTEM_PYTHON
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    [ "$word" = --system ] || set -- "$@" "$word"
done
exec "$real" "$@"
"""

_APT = """\
#!/bin/sh
# Stands for apt-get: nobody is root here. What is installed already is fine, anything else is said and fails.
command=
missing=
for word; do
    case "$word" in
        -*) ;;
        *)
            if [ -z "$command" ]; then
                command=$word
            elif [ "$command" = install ]; then
                status=$(dpkg-query -W -f='${Status}' "$word" 2>/dev/null) || status=
                case "$status" in "install ok installed") ;; *) missing="$missing $word" ;; esac
            fi
            ;;
    esac
done
case "$command" in
    update | upgrade | clean | autoremove) exit 0 ;;
    install)
        [ -z "$missing" ] && exit 0
        echo "backdate: system packages are missing on this machine:$missing; install them and try again" >&2
        exit 100
        ;;
esac
echo "backdate: $0 $command cannot be done in the sandbox" >&2
exit 100
"""

_SUDO = """\
#!/bin/sh
# Stands for sudo: runs the command as who it is.
while [ $# -gt 0 ]; do
    case "$1" in -*) shift ;; *=*) export "$1"; shift ;; *) break ;; esac
done
exec "$@"
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShimPaths:
    """What the stand-ins name."""

    folder: Path
    """Their own."""
    root: Path
    """The environment."""
    interpreter: Path
    """The one that it was made of."""
    uv: Path
    managers: Path
    """Where environments of project managers are made; their programs are linked to from ``bin`` in it."""
    starter: Path
    """What starts Poetry at the instant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InstallCommands:
    """How uv is called for what a script installs. What is installed has to be put behind."""

    plain: Sequence[str]
    editable: Sequence[str]
    by_pip: bool = False
    """Whether a real pip installs instead, after uv could not."""

    def into(self, python: str, root: Path) -> str:
        """``plain`` as words of a shell, for another environment than ``root``: ``python`` in quotes."""
        own = str(root / "bin" / "python")
        return " ".join(python if word == own else shlex.quote(word) for word in self.plain)


def shims(paths: ShimPaths, commands: InstallCommands, *, apart: Sequence[str]) -> dict[str, str]:
    """The text of each stand-in, by name. Pure.

    ``apart``: the project managers that get an environment of their own.
    """
    pip = _REAL_PIP if commands.by_pip else _PIP
    own = commands.into('"$own/bin/python"', paths.root)
    filled = {
        "STAND_IN_PIP": shlex.quote(str(paths.folder / "pip")),
        "STAND_IN_UV": shlex.quote(str(paths.folder / "uv")),
        "STARTER": shlex.quote(str(paths.starter)),
        "MANAGERS": shlex.quote(str(paths.managers)),
        "PYTHON": shlex.quote(str(paths.root / "bin" / "python")),
        "INTERPRETER": shlex.quote(str(paths.interpreter)),
        "ROOT": shlex.quote(str(paths.root)),
        "UV": shlex.quote(str(paths.uv)),
        "INTO_OWN": own,
        "INSTALL_MANAGER": '"$own/bin/python" -m pip install' if commands.by_pip else own,
        "EDITABLE": shlex.join(commands.editable),
        "PLAIN": shlex.join(commands.plain),
        "CASES": "\n            ".join(_case(name) for name in apart) or "'') ;;",
    }
    texts = {
        **dict.fromkeys(_APTS, _APT),
        "sudo": _SUDO,
        "uv": _UV,
        **dict.fromkeys(_PIPS, pip.replace("APART\n", _APART)),
        **dict.fromkeys(_PYTHONS, _PYTHON),
    }
    return {name: _fill(text, filled) for name, text in texts.items()}


def _case(manager: str) -> str:
    """The requirements that are for ``manager``; a plugin of Poetry's is of use in Poetry's environment."""
    plugins = f" | {manager}-plugin-*" if manager == "poetry" else ""
    return f"{manager} | {manager}[!A-Za-z0-9._-]*{plugins}) manager={manager} ;;"


def _fill(text: str, values: Mapping[str, str]) -> str:
    """``text`` with the words in capitals replaced, each once; not in comments."""
    words = re.compile(rf"(?<![A-Za-z0-9_$\"])({'|'.join(values)})(?![A-Za-z0-9_])")
    return "".join(
        line if line.startswith("#") else words.sub(lambda match: values[match[1]], line)
        for line in text.splitlines(keepends=True)
    )


def write_stand_ins(paths: ShimPaths, commands: InstallCommands, *, apart: Sequence[str]) -> None:
    """Write them to their folder, for anybody to run."""
    paths.folder.mkdir(parents=True, exist_ok=True)
    paths.folder.chmod(0o755)
    for name, text in shims(paths, commands, apart=apart).items():
        path = paths.folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
