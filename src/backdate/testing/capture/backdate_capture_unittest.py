"""unittest with every event reported as it happens: ``python -m backdate_capture_unittest [arguments]``.

Takes the arguments of ``python -m unittest``. Runs inside the dated environment: no dependency, and
the syntax of Python 2.7 to today's.

unittest's own runner does the work. Its loader and its runner are wrapped for the one suite that
this process runs; a suite that a test runs in turn is left alone.
"""

import sys
import unittest
from unittest import suite as unittest_suite

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
    python_version,
    relative,
    selection,
    split_group,
    while_running,
)
from backdate_capture_loading import capture_loader, raised_by
from backdate_capture_raised import describe, folder_of, message_of

REASON_LENGTH = 4000
_HIDDEN = (folder_of(sys.modules[__name__]), folder_of(unittest))
_LOADS = ("_FailedTest", "ModuleImportFailure", "LoadTestsFailure", "ModuleSkipped")
_SETTING_UP = ("_callSetUp", "_callTearDown", "_callCleanup", "doCleanups")
_SET_UPS = ("setUp", "tearDown", "asyncSetUp", "asyncTearDown")
_DJANGO_SET_UPS = ("__call__", "_setup_and_call", "_pre_setup", "_post_teardown")


def _identity(test):
    try:
        return clean(test.id())
    except Exception:
        return clean(type(test).__module__ + "." + type(test).__name__)


def _key(test):
    try:
        return getattr(test, "_backdate_id", None) or _identity(test)
    except Exception:  # a __getattr__ of the test's own
        return _identity(test)


def _is_load(test):
    """Whether this is no test but unittest's stand-in for what could not be, or was not, loaded."""
    kind = type(test)
    return kind.__name__ in _LOADS and kind.__module__.split(".")[0] == "unittest"


def _load_name(test):
    return clean(getattr(test, "_testMethodName", None) or _identity(test))


def _is_subtest(test):
    return type(test).__name__ == "_SubTest" and hasattr(test, "test_case")


def _file_of(test):
    module = sys.modules.get(type(test).__module__)
    path = getattr(module, "__file__", None)
    if not path:
        return None
    return relative(path[:-1] if path.endswith(".pyc") else path)


def _phase_of(tb):
    """ "call" when the test's own code raised, "setup" when what goes before or after it did."""
    while tb is not None:
        code = tb.tb_frame.f_code
        if code.co_filename.startswith(_HIDDEN):
            if code.co_name in _SETTING_UP:
                return "setup"
            if code.co_name == "_callTestMethod":
                return "call"
        else:
            return "setup" if code.co_name in _SET_UPS + _DJANGO_SET_UPS else "call"
        tb = tb.tb_next
    return "call"


class CaptureMixin(object):
    """A result that reports what it is told before its base class hears of it."""

    _backdate_started = None
    _backdate_since = 0.0
    _backdate_counts = False
    """Whether it is the suite's own result, beside which canaries run."""

    def _backdate_phase(self, test, outcome, when="call", xfail=None, sub=False, reason="", raised=()):
        key = _key(test)
        loose = self._backdate_started != key
        if loose:  # skipped by a decorator: some versions report that without starting the test
            emit("start", id=key, file=_file_of(test))
        emit(
            "phase",
            id=key,
            when=when,
            outcome=outcome,
            xfail=xfail,
            sub=sub,
            reason=clean(reason, REASON_LENGTH),
            raised=list(raised),
        )
        if loose:
            emit("end", id=key, duration=0.0)

    def _backdate_raise(self, test, err, sub=False):
        raised = describe(err[1], err[2], _HIDDEN)
        self._backdate_phase(test, "failed", when=_phase_of(err[2]), sub=sub, raised=raised)

    def startTest(self, test):
        if not _is_load(test):
            if self._backdate_counts:
                _run_canaries(self, canaries.due(), test)
            self._backdate_started = _key(test)
            emit("start", id=self._backdate_started, file=_file_of(test))
            if self._backdate_counts and witness is not None:
                guarded(witness.begin, getattr(test, "_testMethodName", ""), _file_of(test))
                guarded(witness.call)
            self._backdate_since = clock()
        super(CaptureMixin, self).startTest(test)

    def stopTest(self, test):
        super(CaptureMixin, self).stopTest(test)
        if self._backdate_started is not None:
            if self._backdate_counts and witness is not None:
                guarded(witness.end, self._backdate_started)
            emit("end", id=self._backdate_started, duration=clock() - self._backdate_since)
            self._backdate_started = None

    def addSuccess(self, test):
        self._backdate_phase(test, "passed")
        super(CaptureMixin, self).addSuccess(test)

    def addFailure(self, test, err):
        self._backdate_raise(test, err)
        super(CaptureMixin, self).addFailure(test, err)

    def addError(self, test, err):
        group = split_group(_identity(test)) if not isinstance(test, unittest.TestCase) else None
        if _is_load(test):
            name = _load_name(test)
            raised = raised_by.get(name) or describe(err[1], err[2], _HIDDEN)
            emit("uncollected", id=name, outcome="failed", reason="", raised=raised)
        elif group is not None:
            raised = describe(err[1], err[2], _HIDDEN)
            emit("group-result", id=group[1], where=group[0], outcome="failed", reason="", raised=raised)
        else:
            self._backdate_raise(test, err)
        super(CaptureMixin, self).addError(test, err)

    def addSkip(self, test, reason):
        group = split_group(_identity(test)) if not isinstance(test, unittest.TestCase) else None
        text = clean(str(reason), REASON_LENGTH)
        if _is_load(test):
            if _load_name(test) not in selection.modules:
                emit("uncollected", id=_load_name(test), outcome="skipped", reason=text, raised=[])
        elif group is not None:
            emit("group-result", id=group[1], where=group[0], outcome="skipped", reason=text, raised=[])
        elif _is_subtest(test):
            self._backdate_phase(test.test_case, "skipped", sub=True, reason=text)
        else:
            self._backdate_phase(test, "skipped", reason=text)
        super(CaptureMixin, self).addSkip(test, reason)

    def addExpectedFailure(self, test, err):
        self._backdate_phase(test, "skipped", xfail="", reason=message_of(err[1]))
        super(CaptureMixin, self).addExpectedFailure(test, err)

    def addUnexpectedSuccess(self, test):
        fails = sys.version_info >= (3, 4)  # before, a suite with one was successful
        reason = "unexpected success"
        if fails:
            self._backdate_phase(test, "failed", reason=reason)
        else:
            self._backdate_phase(test, "passed", xfail="", reason=reason)
        super(CaptureMixin, self).addUnexpectedSuccess(test)

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self._backdate_raise(test, err, sub=True)
        super(CaptureMixin, self).addSubTest(test, subtest, err)


class _Nowhere(object):
    """A stream that keeps nothing."""

    def write(self, text):
        pass

    writeln = write

    def flush(self):
        pass


def _result_beside(result):
    """A result of the same kind that nobody counts, for a canary."""
    kind = type(result)
    if kind.__mro__[2] is not unittest.TextTestResult:  # what others made may report elsewhere as well
        kind = type("TextTestResult", (CaptureMixin, unittest.TextTestResult), {})
    beside = kind.__new__(kind)
    unittest.TextTestResult.__init__(beside, _Nowhere(), False, 0)
    return beside


def _run_canaries(result, due, test=None):
    module = type(test).__module__ if test is not None else "__main__"
    for canary in due:
        kind = canary.case_class(getattr(sys.modules.get(module), "__file__", None) or module, module)
        kind(canary.name)(_result_beside(result))


def _leaves(suite):
    """Every test of a suite, in order."""
    if isinstance(suite, unittest.BaseTestSuite):
        for one in suite:
            for leaf in _leaves(one):
                yield leaf
    elif suite is not None:
        yield suite


def _in_one_process(suite):
    """``suite``, with the parts of Django's parallel suites run here, one after the other."""
    parts = getattr(suite, "subsuites", None)
    return unittest.TestSuite(list(parts)) if parts is not None else suite


def _keep(suite, wanted):
    """Leave out of ``suite`` the tests that ``wanted`` does not hold, and nothing else of its shape."""
    tests = []
    for one in suite._tests:
        if isinstance(one, unittest.BaseTestSuite):
            _keep(one, wanted)
            tests.append(one)
        elif one is not None and (_is_load(one) or wanted(one)):
            tests.append(one)
    suite._tests = tests


def _prepare(suite):
    """The suite as it is to be run, its ids announced."""
    suite = _in_one_process(suite)
    if not isinstance(suite, unittest.BaseTestSuite):
        suite = unittest.TestSuite([suite])
    tests = [test for test in _leaves(suite) if not _is_load(test)]
    for test, key in zip(tests, number_repeats([_identity(test) for test in tests])):
        if key != _identity(test):
            test._backdate_id = key
    _keep(suite, lambda test: selection.wants(_key(test)))
    keys = [_key(test) for test in _leaves(suite) if not _is_load(test)]
    emit_collected(keys)
    canaries.expect(len(keys))
    if witness is not None:
        witness.prepare([getattr(test, "_testMethodName", "") for test in _leaves(suite)])
    return suite


def _announce_groups(owner):
    """Say which class or module is being set up or torn down, so that a crash there has a name."""
    set_up_class, tear_down_class = owner._handleClassSetUp, owner._tearDownPreviousClass
    set_up_module, tear_down_module = owner._handleModuleFixture, owner._handleModuleTearDown

    def name_of(kind):
        return clean(kind.__module__ + "." + getattr(kind, "__qualname__", kind.__name__))

    def handle_class_set_up(self, test, result):
        if getattr(result, "_previousTestClass", None) is not test.__class__:
            emit("group", id=name_of(test.__class__), where="setUpClass")
        return set_up_class(self, test, result)

    def tear_down_previous_class(self, test, result):
        previous = getattr(result, "_previousTestClass", None)
        if previous is not None and previous is not test.__class__:
            emit("group", id=name_of(previous), where="tearDownClass")
        return tear_down_class(self, test, result)

    def handle_module_fixture(self, test, result):
        previous = getattr(result, "_previousTestClass", None)
        if previous is None or previous.__module__ != test.__class__.__module__:
            emit("group", id=clean(test.__class__.__module__), where="setUpModule")
        return set_up_module(self, test, result)

    def handle_module_tear_down(self, result):
        previous = getattr(result, "_previousTestClass", None)
        if previous is not None:
            emit("group", id=clean(previous.__module__), where="tearDownModule")
        return tear_down_module(self, result)

    owner._handleClassSetUp = handle_class_set_up
    owner._tearDownPreviousClass = tear_down_previous_class
    owner._handleModuleFixture = handle_module_fixture
    owner._handleModuleTearDown = handle_module_tear_down

    def undo():
        owner._handleClassSetUp, owner._tearDownPreviousClass = set_up_class, tear_down_class
        owner._handleModuleFixture, owner._handleModuleTearDown = set_up_module, tear_down_module

    return undo


def install():
    """Wrap the loader and the text runner for the first suite that this process runs."""
    run = unittest.TextTestRunner.run
    ran, done = [], []

    def end_after(stop):
        """Whether ``stop`` ends a suite that an import ran; nothing is loaded or run in this process then."""

        def end(*_arguments, **_options):
            raise stop

        if done:
            unittest.TestLoader._get_module_from_name = end
            unittest.TextTestRunner.run = end
        return bool(done)

    undo_loader = capture_loader(unittest.TestLoader, end_after)

    def captured_run(self, test):
        if ran:
            return run(self, test)
        ran.append(True)
        undo_loader()
        unittest.TextTestRunner.run = run
        self.failfast = False
        undo_groups = _announce_groups(unittest_suite.TestSuite)
        made = self._makeResult
        self._makeResult = lambda: _capturing(made())
        try:
            result = run(self, _prepare(test))
            if getattr(result, "_backdate_counts", False):
                _run_canaries(result, canaries.rest())
        finally:
            undo_groups()
        good = result.wasSuccessful()
        failed = len(result.failures) + len(result.errors) + len(getattr(result, "unexpectedSuccesses", ()))
        finish(exit_status=0 if good else 1, collected=result.testsRun, failed=failed, stopped="")
        done.append(True)
        if unittest.TextTestRunner.run == run:
            unittest.TextTestRunner.run = later_run
        return result

    def later_run(self, test):
        """Another suite after it: of a program that has several, or whose import ran the first."""
        return while_running(run, self, test)

    unittest.TextTestRunner.run = captured_run


def _capturing(result):
    """``result`` as an object of its own class that reports too."""
    kind = type(result)
    try:
        result.__class__ = type(kind.__name__, (CaptureMixin, kind), {})
        result._backdate_counts = True
    except TypeError:
        emit("capture-error", about="result", reason="the result class %s cannot be extended" % kind.__name__)
    return result


def report_stop(where):
    """Report the exception that is being handled as what ended the run before its end."""
    error = sys.exc_info()[1]
    emit("broken", where=where, raised=describe(error, sys.exc_info()[2], _HIDDEN))


def main():
    emit("session", runner="unittest", python=python_version())
    install()
    sys.argv[0] = "python -m unittest"
    if len(sys.argv) == 1:
        sys.argv.append("discover")  # what the arguments mean since Python 3.2
    try:
        unittest.main(module=None)
    except Exception:
        report_stop("inside the runner")
        raise
    except KeyboardInterrupt:
        emit("interrupted", raised=describe(sys.exc_info()[1], sys.exc_info()[2], _HIDDEN))
        raise


if __name__ == "__main__":
    main()
