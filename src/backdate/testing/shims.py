"""Programs that a test script finds on PATH in the place of python, pytest and their like.

A published task's tests are run by a shell script, as it is. The stand-ins hand on every word to the
environment's own program, and have the first suite that the script runs report its events: pytest by the
capturing plugin, unittest and ``manage.py test`` by the capturing module, which takes the same arguments.
What comes after it runs without, because one event file tells of one process; its exit status still counts.
"""

from __future__ import annotations

import shlex
from pathlib import Path

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
esac
exec PROGRAM "$@"
"""

_PYTEST = """\
#!/bin/sh
# Stands for pytest: what it runs reports its events.
FIRST_ONLY
exec PROGRAM PYTEST_OPTIONS "$@"
"""


def shims(root: Path, boot: str | None = None) -> dict[str, str]:
    """The text of each stand-in, by name, for the environment at ``root``. Pure.

    ``boot``: the file of ``backdate_capture_boot``, by which suites are started; None for ``-m``.
    """
    start = "-m" if boot is None else f"-S {shlex.quote(boot)}"
    texts = {}
    for names, text in ((_PYTHONS, _PYTHON), (_PYTESTS, _PYTEST)):
        for name in names:
            texts[name] = (
                text.replace("FIRST_ONLY\n", _FIRST_ONLY)
                .replace("PROGRAM", shlex.quote(str(root / "bin" / name)))
                .replace("PYTEST_OPTIONS", _PYTEST_OPTIONS)
                .replace("START", start)
            )
    return texts


def write_stand_ins(folder: Path, root: Path, *, boot: str | None = None) -> None:
    """Write them to ``folder``, for anybody to run. ``boot``: as for ``shims``."""
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    for name, text in shims(root, boot).items():
        path = folder / name
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)
