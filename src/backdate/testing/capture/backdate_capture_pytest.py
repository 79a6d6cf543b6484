"""A pytest plugin (pytest 3.5 to today's) that reports every event of a session as it happens.

Loaded with ``-p backdate_capture_pytest`` inside the dated environment: no dependency but pytest,
and the syntax of Python 2.7 to today's. PYTEST_DONT_REWRITE

Under xdist the workers load it too: they attach what only they know (exceptions, exact ids) to the
reports that they send, and the controller writes the events.
"""

import os
import sys

import pytest
from backdate_capture_bodies import witness
from backdate_capture_canaries import canaries
from backdate_capture_events import (
    clean,
    clock,
    emit,
    emit_collected,
    finish,
    guarded,
    number_repeats,
    plain_id,
    python_version,
    relative,
    selection,
)
from backdate_capture_raised import describe, folder_of

REASON_LENGTH = 4000
_RAISED = "_backdate_raised"
_ID = "_backdate_id"
_CANARY = "_backdate_made"


def _runner_folders():
    import unittest

    folders = [folder_of(sys.modules[__name__]), folder_of(unittest)]
    for name in ("_pytest", "pluggy", "pytest"):
        module = sys.modules.get(name)
        if module is not None and getattr(module, "__file__", None):
            # an old pluggy, and pytest before 5.4, are one file in site-packages
            is_package = hasattr(module, "__path__")
            folders.append(folder_of(module) if is_package else module.__file__.rstrip("c"))
    return tuple(folders)


_HIDDEN = _runner_folders()


class _SessionState(object):
    """What is known of the one session of this process."""

    controller = False
    """Whether xdist's workers run the tests and this process only hears of it."""
    key = None
    """The id that the item that runs now is known by."""
    announced = False
    """Whether the ids that xdist's workers collected were written."""
    root = ""
    """The folder that node ids are relative to."""
    session = None
    """The session of this process; those that its tests start in turn have no canaries."""

    def __init__(self):
        self.durations = {}


_state = _SessionState()

emit("session", runner="pytest " + pytest.__version__, python=python_version())


def _excinfo_of(outcome):
    """(type, value, traceback) of what a wrapped hook raised, or None (every pluggy, vendored or not)."""
    return getattr(outcome, "excinfo", None) or getattr(outcome, "_excinfo", None)


def _describe_stop(error, tb):
    described = describe(error, tb, _HIDDEN)
    inner = getattr(error, "excinfo", None)  # pytest's ConftestImportFailure before 8
    if isinstance(inner, tuple) and len(inner) == 3 and len(described) == 1:
        described = describe(inner[1], inner[2], _HIDDEN) + described
        described[-1]["link"] = "context"
    return described


def _report_stop(where, outcome):
    excinfo = _excinfo_of(outcome)
    if excinfo is not None and isinstance(excinfo[1], (Exception, SystemExit)):
        emit("broken", where=where, raised=_describe_stop(excinfo[1], excinfo[2]))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config, parser, args):
    outcome = yield
    _report_stop("while the first conftest.py files were loaded", outcome)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_cmdline_main(config):
    outcome = yield
    _report_stop("before the tests", outcome)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection(session):
    config = session.config
    if _state.session is None:
        _state.session = session
    _state.controller = config.pluginmanager.hasplugin("dsession")
    if _state.controller and session is _state.session:
        canaries.give_up("xdist runs the tests in other processes")
    _state.root = str(getattr(config, "rootpath", None) or config.rootdir)
    outcome = yield
    _report_stop("during collection", outcome)


@pytest.hookimpl(tryfirst=True)
def pytest_internalerror(excrepr, excinfo):
    emit("broken", where="inside the runner", raised=_describe_stop(excinfo.value, excinfo.tb))


@pytest.hookimpl(tryfirst=True)
def pytest_keyboard_interrupt(excinfo):
    emit("interrupted", raised=describe(excinfo.value, excinfo.tb, _HIDDEN))


def _attach(report, key, call):
    """Put on a report what only this process knows; it goes with it from a worker to the controller."""
    if report is None:
        return
    setattr(report, _ID, key)
    if report.failed and call is not None and call.excinfo is not None:
        setattr(report, _RAISED, describe(call.excinfo.value, call.excinfo.tb, _HIDDEN))


def _path_of(node):
    path = getattr(node, "path", None)  # pathlib, pytest 7 and later
    if path is None or callable(path):
        path = getattr(node, "fspath", "")
    return relative(str(path))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_make_collect_report(collector):
    whole_file = isinstance(collector, pytest.File)
    if whole_file:
        path = _path_of(collector)
        emit("collecting", id=plain_id(collector.nodeid), module=path)
        if path in selection.modules:
            collector.collect = list  # nothing in it, and it is not imported: that killed the process before
    outcome = yield
    if whole_file:
        emit("collecting-done", id=plain_id(collector.nodeid))
    if _excinfo_of(outcome) is None:
        report = outcome.get_result()
        guarded(_attach, report, plain_id(collector.nodeid), getattr(report, "call", None))


def _text_of(longrepr):
    """Why, in words: of a skip the reason, else what pytest prints."""
    if isinstance(longrepr, tuple) and len(longrepr) == 3:
        text = clean(str(longrepr[2]), REASON_LENGTH)
        return text[len("Skipped: ") :] if text.startswith("Skipped: ") else text
    return clean(str(longrepr), REASON_LENGTH) if longrepr else ""


def _report_collector(report):
    emit(
        "uncollected",
        id=plain_id(report.nodeid),
        outcome=report.outcome,
        reason=_text_of(report.longrepr),
        raised=report.__dict__.get(_RAISED, []),
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collectreport(report):
    if not report.passed:
        guarded(_report_collector, report)


def _key_of(item):
    return item.__dict__.get(_ID) or plain_id(item.nodeid)


def _function_of(item):
    return getattr(item, "originalname", None) or item.name.partition("[")[0]


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_collection_modifyitems(session, config, items):
    # numbered before other plugins shuffle or drop, left out after they saw the whole suite
    for item, key in zip(items, number_repeats([plain_id(item.nodeid) for item in items])):
        setattr(item, _ID, key)
    yield
    items[:] = [item for item in items if selection.wants(_key_of(item))]


@pytest.hookimpl(trylast=True)
def pytest_collection_finish(session):
    if not session.config.pluginmanager.hasplugin("dsession"):
        emit_collected([_key_of(item) for item in session.items])
    if session is _state.session:
        canaries.expect(len(session.items))
        if witness is not None:
            witness.prepare([_function_of(item) for item in session.items])


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_node_collection_finished(node, ids):
    if not _state.announced:
        _state.announced = True
        emit_collected(number_repeats([plain_id(one) for one in ids]))


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    counts = item.session is _state.session and _CANARY not in item.__dict__
    if counts:
        _run_canaries(item, canaries.due())
    key = _state.key = _key_of(item)
    emit("start", id=key, file=_path_of(item))
    watched = counts and witness is not None
    if watched:
        guarded(witness.begin, _function_of(item), _path_of(item))
    started = clock()
    outcome = yield
    if watched:
        guarded(witness.end, key)
    if _excinfo_of(outcome) is None:
        emit("end", id=key, duration=clock() - started)
        if counts and nextitem is None:
            _run_canaries(item, canaries.rest())
    _state.key = None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_call(item):
    watched = witness is not None and _CANARY not in item.__dict__ and item.session is _state.session
    if watched:
        guarded(witness.call)  # in this process: a plugin may run items in others
    yield
    if watched:
        guarded(witness.leave)


def _take_report(report):
    pytest_runtest_logreport(report)  # looked up when it is called: also what was put in its place


def _run_canaries(item, due):
    for canary in due:
        try:
            from backdate_capture_items import make_item, run_item

            made = make_item(canary, item, _take_report)
            made.__dict__[_CANARY] = True
        except Exception:  # a pytest that builds items otherwise
            canaries.give_up("an item cannot be made: %r" % (sys.exc_info()[1],))
            return
        run_item(made, item)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    if _excinfo_of(outcome) is None:
        guarded(_attach, outcome.get_result(), _key_of(item), call)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logstart(nodeid, location):
    if _state.controller:
        _state.durations[nodeid] = 0.0
        emit("start", id=plain_id(nodeid), file=relative(os.path.join(_state.root, str(location[0]))))


@pytest.hookimpl(tryfirst=True, optionalhook=True)
def pytest_runtest_logfinish(nodeid, location):
    if _state.controller:
        emit("end", id=plain_id(nodeid), duration=_state.durations.pop(nodeid, 0.0))


def _report_phase(report):
    duration = getattr(report, "duration", 0.0)
    if _state.controller:
        _state.durations[report.nodeid] = _state.durations.get(report.nodeid, 0.0) + duration
    xfail = getattr(report, "wasxfail", None)
    raised = report.__dict__.get(_RAISED, [])
    emit(
        "phase",
        id=_state.key or report.__dict__.get(_ID) or plain_id(report.nodeid),
        when=clean(str(report.when)),
        outcome=clean(report.outcome),
        xfail=None if xfail is None else clean(str(xfail), REASON_LENGTH),
        sub=type(report).__name__ in ("SubTestReport", "SubtestReport"),
        reason="" if report.passed or raised else _text_of(report.longrepr),
        raised=raised,
    )


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_logreport(report):
    guarded(_report_phase, report)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    yield
    status = getattr(session, "exitstatus", exitstatus)
    finish(
        exit_status=int(status),
        collected=int(getattr(session, "testscollected", 0) or 0),
        failed=int(getattr(session, "testsfailed", 0) or 0),
        stopped=clean(str(getattr(session, "shouldstop", "") or getattr(session, "shouldfail", "") or "")),
    )
