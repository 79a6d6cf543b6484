"""Programs that a set-up script finds on PATH in the place of pip, python, apt-get and sudo.

Each is a small POSIX shell script with everything written in; what it does not know goes on to the real
program.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

_PIPS = ("pip", "pip3")
_PYTHONS = ("python", "python3")
_APTS = ("apt-get", "apt")

_PYTHON = """\
#!/bin/sh
# Stands for python: what it is asked to do with pip goes to the stand-in for pip.
if [ "${1:-}" = -m ] && [ "${2:-}" = pip ]; then
    shift 2
    exec STAND_IN_PIP "$@"
fi
exec PYTHON "$@"
"""

_PIP = """\
#!/bin/sh
# Stands for pip: installs by uv, cut at the instant. Options that change nothing here are left out.
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


def shims(
    folder: Path, *, root: Path, uv: str, pip: tuple[Sequence[str], Sequence[str]] | None
) -> dict[str, str]:
    """The text of each shim in ``folder``, by name, for the environment at ``root``. Pure.

    ``pip``: how uv is called for plain and for editable installs; None leaves pip and python as they are.
    """
    texts = {**dict.fromkeys(_APTS, _APT), "sudo": _SUDO}
    if pip is not None:
        texts |= {**dict.fromkeys(_PIPS, _PIP), **dict.fromkeys(_PYTHONS, _PYTHON)}
    plain, editable = (shlex.join(arguments) for arguments in pip or ((), ()))
    filled = {
        "STAND_IN_PIP": shlex.quote(str(folder / "pip")),
        "PYTHON": shlex.quote(str(root / "bin" / "python")),
        "UV": shlex.quote(uv),
        "EDITABLE": editable,
        "PLAIN": plain,
    }
    return {name: _fill(text, filled) for name, text in texts.items()}


def _fill(text: str, values: dict[str, str]) -> str:
    """``text`` with the words in capitals replaced, one line at a time and each line once."""
    lines = []
    for line in text.splitlines():
        filled = line
        for word, value in values.items():
            if f" {word} " in f" {line} " and not line.startswith("#"):
                filled = f" {filled} ".replace(f" {word} ", f" {value} ")[1:-1]
        lines.append(filled)
    return "\n".join(lines) + "\n"


def write_stand_ins(
    folder: Path, *, root: Path, uv: str, pip: tuple[Sequence[str], Sequence[str]] | None
) -> None:
    """Write them to ``folder``, for anybody to run."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    for name, text in shims(folder, root=root, uv=uv, pip=pip).items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
