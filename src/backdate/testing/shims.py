"""Programs that a test script finds on PATH in the place of python, pytest, coverage and their like.

A published task's tests are run by a shell script, as it is. The stand-ins hand on every word to the
environment's own program, and have the first suite that the script runs report its events: pytest by the
capturing plugin, unittest and ``manage.py test`` by the capturing module, which takes the same arguments.
What comes after it runs without, because one event file tells of one process; its exit status still counts.
What project managers run (``poetry run``) is in ``managed_runs.py``.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from backdate.testing.managed_runs import managed_stand_ins

_PYTHONS = ("python", "python3")
_PYTESTS = ("pytest", "py.test")
_PYTEST_OPTIONS = "-p backdate_capture_pytest --continue-on-collection-errors --maxfail=0 --color=no"

_FIRST_ONLY = """\
if [ -z "${BACKDATE_CAPTURE_EVENTS:-}" ] || [ -s "$BACKDATE_CAPTURE_EVENTS" ]; then
    exec PROGRAM "$@"
fi
"""

_PYTHON = """\
#!/bin/sh
# Stands for python: a suite that is run by it reports its events.
FIRST_ONLY
module=
case "${1:-}" in
    -m) module=${2:-} ;;
    manage.py | ./manage.py) [ "${2:-}" = test ] && [ -f manage.py ] && module=manage.py ;;
esac
case "$module" in
    pytest | py.test) shift 2; exec PROGRAM START pytest PYTEST_OPTIONS "$@" ;;
    unittest) shift 2; exec PROGRAM START backdate_capture_unittest "$@" ;;
    manage.py) shift; exec PROGRAM START backdate_capture_django "$@" ;;
    coverage) shift 2; exec FOLDER/coverage "$@" ;;
    hatch | pdm | pipenv | poetry | uv) shift 2; exec FOLDER/"$module" "$@" ;;
esac
exec PROGRAM "$@"
"""

_PYTEST = """\
#!/bin/sh
# Stands for pytest: what it runs reports its events.
FIRST_ONLY
exec PROGRAM PYTEST_OPTIONS "$@"
"""

_COVERAGE = """\
#!/bin/sh
# Stands for coverage: the suite that it runs reports its events.
if [ -z "${BACKDATE_CAPTURE_EVENTS:-}" ] || [ -s "$BACKDATE_CAPTURE_EVENTS" ] || [ "${1:-}" != run ]; then
    exec PROGRAM -m coverage "$@"
fi
known=
left=$#
while [ "$left" -gt 0 ]; do
    word=$1
    shift
    left=$((left - 1))
    module=
    if [ -z "$known" ] && [ "$left" -gt 0 ]; then
        case "$word" in
            -m | --module) module=$1 ;;
            manage.py | ./manage.py) [ "$1" = test ] && [ -f manage.py ] && module=manage.py ;;
        esac
    fi
    case "$module" in
        pytest | py.test) set -- "$@" -m pytest PYTEST_OPTIONS; known=yes ;;
        unittest) set -- "$@" -m backdate_capture_unittest; known=yes ;;
        manage.py) set -- "$@" -m backdate_capture_django; known=yes; continue ;;
        *) set -- "$@" "$word"; continue ;;
    esac
    shift
    left=$((left - 1))
done
exec PROGRAM -m coverage "$@"
"""


def shims(
    folder: Path,
    root: Path,
    boot: str | None = None,
    commands: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> dict[str, str]:
    """The text of each stand-in, by name, for the environment at ``root``. Pure.

    ``folder``: where they are seen. ``boot``: the file of ``backdate_capture_boot``, by which suites are
    started; None for ``-m``. ``commands``: what the project declares for its managers to run.
    """
    start = "-m" if boot is None else f"-S {shlex.quote(boot)}"
    texts = managed_stand_ins(root, commands)
    for names, text in ((_PYTHONS, _PYTHON), (_PYTESTS, _PYTEST), (("coverage",), _COVERAGE)):
        for name in names:
            program = "python" if name == "coverage" else name
            texts[name] = (
                text.replace("FIRST_ONLY\n", _FIRST_ONLY)
                .replace("PROGRAM", shlex.quote(str(root / "bin" / program)))
                .replace("FOLDER", shlex.quote(str(folder)))
                .replace("PYTEST_OPTIONS", _PYTEST_OPTIONS)
                .replace("START", start)
            )
    return texts


def write_stand_ins(
    folder: Path,
    root: Path,
    *,
    seen_at: Path,
    boot: str | None = None,
    commands: Mapping[str, Mapping[str, str]] = MappingProxyType({}),
) -> None:
    """Write them to ``folder``, for anybody to run, who sees it at ``seen_at``. Else as for ``shims``."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    for name, text in shims(seen_at, root, boot, commands).items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
