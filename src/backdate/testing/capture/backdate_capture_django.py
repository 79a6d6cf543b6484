"""``manage.py test`` with every event reported: ``python -m backdate_capture_django test [arguments]``.

Runs the project's own manage.py where there is one, else Django's own command line with the settings
that ``DJANGO_SETTINGS_MODULE`` names. Whatever test runner the project has, it ends in
``unittest.TextTestRunner``, which is wrapped; tests that Django would spread over processes run in one.

Runs inside the dated environment: no dependency but Django, and the syntax of Python 2.7 to today's.
"""

import os
import runpy
import sys

import backdate_capture_unittest
from backdate_capture_events import emit, python_version
from backdate_capture_raised import describe


def _runner():
    try:
        import django

        return "django " + django.get_version()
    except Exception:  # manage.py will meet the same exception, and that one is reported
        return "django"


def main():
    emit("session", runner=_runner(), python=python_version())
    backdate_capture_unittest.install()
    try:
        if os.path.isfile("manage.py"):
            sys.argv[0] = "manage.py"
            runpy.run_path("manage.py", run_name="__main__")
        else:
            from django.core.management import execute_from_command_line

            execute_from_command_line(sys.argv)
    except Exception:
        backdate_capture_unittest.report_stop("inside manage.py test")
        raise
    except KeyboardInterrupt:
        emit("interrupted", raised=describe(sys.exc_info()[1], sys.exc_info()[2]))
        raise


if __name__ == "__main__":
    main()
