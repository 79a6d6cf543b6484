"""A program that runs tests, every event reported: ``python -m backdate_capture_program FILE [arguments]``.

The program is run as ``python FILE`` would run it, so that it may set up first whatever its tests want to
find (Django's settings, names that they import from ``__main__``). One that hands its tests to pytest has
them reported by the capturing plugin; the first suite that another one runs with unittest is wrapped.

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's.
"""

import os
import runpy
import sys

import backdate_capture_unittest
from backdate_capture_events import emit, python_version
from backdate_capture_raised import describe

_PYTEST_OPTIONS = "-p backdate_capture_pytest --continue-on-collection-errors --maxfail=0 --color=no"


def _speaks_of_pytest(path):
    with open(path, "rb") as file:
        text = file.read(1024 * 1024)
    return b"pytest" in text or b"py.test" in text


def main():
    path = sys.argv[1]
    by_pytest = os.path.isfile(path) and _speaks_of_pytest(path)
    if by_pytest:  # the plugin reports the session, in whichever process it is
        given = os.environ.get("PYTEST_ADDOPTS")
        os.environ["PYTEST_ADDOPTS"] = " ".join(filter(None, (given, _PYTEST_OPTIONS)))
    else:
        emit("session", runner="unittest", python=python_version())
        backdate_capture_unittest.install()
    del sys.argv[0]
    sys.path[0] = os.path.dirname(os.path.abspath(path))
    try:
        runpy.run_path(path, run_name="__main__")
    except Exception:
        if not by_pytest:
            backdate_capture_unittest.report_stop("inside " + os.path.basename(path))
        raise
    except KeyboardInterrupt:
        if not by_pytest:
            emit("interrupted", raised=describe(sys.exc_info()[1], sys.exc_info()[2]))
        raise


if __name__ == "__main__":
    main()
