"""unittest's loader with every module reported before it is imported, and what its import raised kept.

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's.
"""

import os
import sys
import unittest

from backdate_capture_events import clean, emit, selection
from backdate_capture_raised import describe, folder_of

REASON_LENGTH = 4000
_HIDDEN = (folder_of(sys.modules[__name__]), folder_of(unittest))

raised_by = {}
"""What importing a module raised, described, by its dotted name."""


def _keep(name):
    error = sys.exc_info()[1]
    raised_by[name] = describe(error, sys.exc_info()[2], _HIDDEN)


def capture_loader(loader, end_after):
    """Report each module before it is imported, keep what the import raised, import none that is left out.

    ``end_after``: told of a SystemExit while names are loaded; whether the process ends with it, because what
    was imported ran the suite itself.
    """
    import_module, load_name = loader._get_module_from_name, loader.loadTestsFromName

    def get_module_from_name(self, name):
        if name in selection.modules:
            raise unittest.SkipTest("importing it killed the process before")
        emit("collecting", id=clean(name), module=clean(name))
        try:
            return import_module(self, name)
        except unittest.SkipTest:
            raise
        except SystemExit:  # discovery would take it for a module that cannot be imported, and go on
            end_after(sys.exc_info()[1])
            _keep(name)
            raise
        except BaseException:
            _keep(name)
            raise
        finally:
            emit("collecting-done", id=clean(name))

    def load_tests_from_name(self, name, module=None):
        if module is not None or os.path.sep in name:
            return load_name(self, name, module)
        emit("collecting", id=clean(name), module=clean(name))
        try:
            if name in selection.modules:
                return self.suiteClass([])
            _import_what_can_be(name)
            return load_name(self, name, module)
        except unittest.SkipTest:
            reason = clean(str(sys.exc_info()[1]), REASON_LENGTH)
            emit("uncollected", id=clean(name), outcome="skipped", reason=reason, raised=[])
            return self.suiteClass([])
        except (Exception, SystemExit):  # unittest would end here, and take the other names with it
            if isinstance(sys.exc_info()[1], SystemExit) and end_after(sys.exc_info()[1]):
                raise
            _keep(name)
            failed = unittest.loader._make_failed_import_test(name, self.suiteClass)
            return failed[0] if isinstance(failed, tuple) else failed
        finally:
            emit("collecting-done", id=clean(name))

    loader._get_module_from_name = get_module_from_name
    loader.loadTestsFromName = load_tests_from_name

    def undo():
        loader._get_module_from_name, loader.loadTestsFromName = import_module, load_name

    return undo


def _import_what_can_be(name):
    """Import the modules of a dotted name; raises what a module of it raises."""
    parts = name.split(".")
    for length in range(1, len(parts) + 1):
        try:
            __import__(".".join(parts[:length]))
        except ImportError:
            parent = sys.modules.get(".".join(parts[: length - 1]))
            is_package = hasattr(parent, "__path__")
            if parent is not None and (hasattr(parent, parts[length - 1]) or not is_package):
                return  # a class or a function, not a module: unittest finds it, or says that it is missing
            raise
