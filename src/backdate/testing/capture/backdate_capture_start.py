"""What ``backdate_capture_boot`` does: from an interpreter without ``site`` to a module that is run.

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's.
"""

import os
import sys

import backdate_capture_bodies  # noqa: F401 - binds what it needs, before any foreign code
import backdate_capture_events  # noqa: F401 - reads the secret, before any foreign code

_NO_SITE = 6
"""The place of ``no_site`` in ``sys.flags``, in every version."""


class _Flags(tuple):
    """``sys.flags`` without ``-S``: what starts another interpreter gives it the flags that it finds here."""

    def __repr__(self):
        return self.text


def _flags_without_s(real):
    values = list(real)
    values[_NO_SITE] = 0
    flags = _Flags(values)
    for name in dir(real):
        if not name.startswith("_") and name not in ("count", "index"):
            setattr(flags, name, getattr(real, name))
    flags.no_site = 0
    flags.text = repr(real).replace("no_site=1", "no_site=0")
    return flags


def run(main_globals):
    """Import ``site``, then run the module that the first argument names as ``__main__``.

    ``PYTHONSAFEPATH`` keeps the working folder off the path under every version, not from 3.11 on alone.
    """
    safe = getattr(sys.flags, "safe_path", False)
    if not safe:
        del sys.path[0]  # the folder of the script, which -m does not put there
    sys.flags = _flags_without_s(sys.flags)
    import site

    site.main()
    if not (safe or os.environ.get("PYTHONSAFEPATH")):
        sys.path.insert(0, os.getcwd())
    module = sys.argv[1]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[1:] = ["-m"] + sys.argv[1:]
    sys.argv[:2] = ["-m"]
    for name in [name for name in main_globals if not name.startswith("__")]:
        del main_globals[name]
    import runpy

    runpy._run_module_as_main(module)
