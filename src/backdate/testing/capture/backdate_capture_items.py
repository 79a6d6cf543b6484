"""Canaries as items of pytest 3.5 to today's.

Each has a module and a set-up state of its own, so that no fixture and no set-up of the project's runs for it
or is torn down by it. Its reports go to the capturing plugin alone: counts, ``-x``, the exit status, other
plugins' reports and the terminal never learn of it. Everything else (the protocol, the call, the making of
reports) goes through the hooks that the suite's own items go through. PYTEST_DONT_REWRITE
"""

import types

import pytest
from _pytest.unittest import TestCaseFunction, UnitTestCase

_UNHEARD = ("pytest_runtest_logstart", "pytest_runtest_logfinish", "pytest_exception_interact")


class _Hooks(object):
    """The hooks of an item, without those that tell others what became of it."""

    def __init__(self, hooks, take_report):
        self._hooks = hooks
        self.pytest_runtest_logreport = take_report

    def __getattr__(self, name):
        return _ignore if name in _UNHEARD else getattr(self._hooks, name)


def _ignore(**arguments):
    pass


def _node(kind, parent, name, **more):
    if hasattr(kind, "from_parent"):
        return kind.from_parent(parent, name=name, **more)
    return kind(name, parent=parent, **more)


def _module_beside(item):
    if not hasattr(pytest.Module, "from_parent"):
        node = pytest.Module(item.fspath, parent=item.session)
    elif hasattr(item, "path"):
        node = pytest.Module.from_parent(item.session, path=item.path)
    else:
        node = pytest.Module.from_parent(item.session, fspath=item.fspath)
    name = getattr(getattr(item, "module", None), "__name__", "test_module")
    node._obj = types.ModuleType(str(name))
    return node, str(getattr(item, "path", None) or item.fspath), str(name)


def make_item(canary, item, take_report):
    """The canary as an item of the kind of ``item``, whose reports ``take_report`` gets."""
    module, path, name = _module_beside(item)
    if isinstance(item, TestCaseFunction):
        kind = canary.case_class(path, name)
        collector = _node(UnitTestCase, module, kind.__name__)
        collector._obj = kind
        made = _node(TestCaseFunction, collector, canary.name)
    else:
        made = _node(pytest.Function, module, canary.name, callobj=canary.function(path, name))
    info = made._fixtureinfo
    info.names_closure[:] = []
    info.name2fixturedefs.clear()
    made.fixturenames = []
    hooks = _Hooks(item.ihook, take_report)
    base = type(made)
    own = {"ihook": property(lambda self: hooks), "repr_failure": _repr_failure}
    made.__class__ = type(base)(base.__name__, (base,), own)
    return made


def _repr_failure(self, excinfo):
    # pytest's own styles parse the whole file that the code claims to be of, for each failure anew
    return excinfo.getrepr(style="native")


def run_item(made, item):
    """Run what ``make_item`` made for ``item`` by the protocol that ``item`` is run by."""
    session = item.session
    own = session._setupstate
    session._setupstate = type(own)()
    try:
        item.ihook.pytest_runtest_protocol(item=made, nextitem=None)
    finally:
        session._setupstate = own
