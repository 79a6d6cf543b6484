"""The witness: for each test whether a function of its name ran in this process, and whether it returned.

On only when the run asks for it. On Python 3.12 and later by ``sys.monitoring`` (PEP 669), which coverage
tools leave alone and which costs nothing but at functions of the tests' names; before by ``sys.settrace``
while a test runs, unless another tool traces already: then nothing is known, and the host says so.

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's.
PYTEST_DONT_REWRITE
"""

import os
import sys

from backdate_capture_events import emit, relative

WITNESS_VARIABLE = "BACKDATE_CAPTURE_WITNESS"
_MOST_BODIES = 20
_TOOLS = (4, 3)


class _Witness(object):
    """What is seen of the test that runs now."""

    def __init__(self):
        self.names = frozenset()
        self.bodies = {}
        self.called = True

    def count(self, code, what):
        key = (code.co_filename, code.co_firstlineno, code.co_name)
        if key not in self.bodies:
            if len(self.bodies) >= _MOST_BODIES:
                return
            self.bodies[key] = [0, 0, 0]
        self.bodies[key][what] += 1

    def begin(self, called=True):
        """A test begins; ``called``: whether it is known that its body would run in this process."""
        self.bodies = {}
        self.called = called
        self.watch()

    def end(self, key, name):
        """The test with the id ``key`` ended, whose function has that name."""
        intact = self.stop()
        ran = [
            {
                "file": relative(file),
                "first": first,
                "started": counts[0],
                "returned": counts[1],
                "yields": counts[2],
            }
            for (file, first, function), counts in self.bodies.items()
            if function == name
        ]
        emit("body", id=key, intact=bool(intact and self.called), ran=ran)

    def prepare(self, names):
        """``names``: those of the functions of all tests."""
        self.names = frozenset(names)

    def watch(self):
        pass

    def stop(self):
        return False


class _Tracing(_Witness):
    """By ``sys.settrace``."""

    def __init__(self):
        _Witness.__init__(self)
        self._settrace, self._gettrace = sys.settrace, sys.gettrace
        self._function = self._start_of

    def _start_of(self, frame, event, value):
        code = frame.f_code
        if event != "call" or code.co_name not in self.names:
            return None
        self.count(code, 0)
        raised = [False]

        def local(frame, event, value):
            if event == "line":
                raised[0] = False
            elif event == "exception":
                raised[0] = True
            elif event == "return" and not (raised[0] and value is None):
                self.count(code, 1)
            return local

        return local

    def watch(self):
        if self._gettrace() is None:
            self._settrace(self._function)

    def stop(self):
        if self._gettrace() is not self._function:
            return False
        self._settrace(None)
        return True


class _Monitoring(_Witness):
    """By ``sys.monitoring``."""

    def __init__(self, monitoring):
        _Witness.__init__(self)
        self._monitoring = monitoring
        self._tool = None
        self._callbacks = {}

    def prepare(self, names):
        _Witness.prepare(self, names)
        watch = self._monitoring
        free = [tool for tool in _TOOLS if watch.get_tool(tool) is None]
        if not free or self._tool is not None:
            return
        self._tool = tool = free[0]
        watch.use_tool_id(tool, "backdate witness")
        disable, events, wanted = watch.DISABLE, watch.events, self.names

        def on_start(code, offset):
            if code.co_name not in wanted:
                return disable
            return self.count(code, 0)

        def on_return(code, offset, value):
            if code.co_name not in wanted:
                return disable
            return self.count(code, 1)

        def on_yield(code, offset, value):
            if code.co_name not in wanted:
                return disable
            return self.count(code, 2)

        self._callbacks = {events.PY_START: on_start, events.PY_RETURN: on_return, events.PY_YIELD: on_yield}
        for event, callback in self._callbacks.items():
            watch.register_callback(tool, event, callback)
        watch.set_events(tool, events.PY_START | events.PY_RETURN | events.PY_YIELD)

    def stop(self):
        watch, tool = self._monitoring, self._tool
        if tool is None or watch.get_tool(tool) != "backdate witness":
            return False
        events = 0
        for event, callback in self._callbacks.items():
            events |= event
            if watch.register_callback(tool, event, callback) is not callback:
                return False
        return watch.get_events(tool) == events


def _make():
    if os.environ.pop(WITNESS_VARIABLE, None) != "1":
        return None
    monitoring = getattr(sys, "monitoring", None)
    return _Tracing() if monitoring is None else _Monitoring(monitoring)


witness = _make()
"""None when the run did not ask for one."""
