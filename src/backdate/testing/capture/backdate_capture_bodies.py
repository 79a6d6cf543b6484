"""The witness: for each test whether a function of its name ran in this process, and whether it returned.

On only when the run asks for it. On Python 3.12 and later by ``sys.monitoring`` (PEP 669), which coverage
tools leave alone and which costs nothing but at functions of the tests' names. Before, ``sys.settrace`` is on
when a test is called and off when its body begins: the body's frame is kept, which says in the end by
which instruction it was left, and the body itself and all that it calls run untraced. Where another tool
traces already nothing is known, and the host says so.

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's.
PYTEST_DONT_REWRITE
"""

import opcode
import os
import sys
import threading

from backdate_capture_events import emit, relative

WITNESS_VARIABLE = "BACKDATE_CAPTURE_WITNESS"
_MOST_BODIES = 20
_TOOLS = (4, 3)
_SUSPENDS = 0x20 | 0x80 | 0x100 | 0x200
"""Flags of code whose frame is left and entered again: generators and coroutines."""
_RETURN = opcode.opmap.get("RETURN_VALUE")


class _Witness(object):
    """What is seen of the test that runs now."""

    def __init__(self):
        self.names = frozenset()
        self.bodies = {}
        self.called = True
        self.name = self.file = None
        self.whole = True
        """Whether all functions of the test's name were seen, not only the first one in its file."""

    def count(self, code, what):
        key = (code.co_filename, code.co_firstlineno, code.co_name)
        if key not in self.bodies:
            if len(self.bodies) >= _MOST_BODIES:
                return
            self.bodies[key] = [0, 0, 0]
        self.bodies[key][what] += 1

    def begin(self, name, file):
        """A test begins: its function has that name in that file."""
        self.bodies = {}
        self.called = False
        self.name, self.file = name, file
        self.whole = True

    def call(self):
        """Its body would run now, in this process."""
        self.called = True
        self.watch()

    def leave(self):
        """Its body has run, if it has."""

    def end(self, key):
        """The test ended; its id is ``key``."""
        intact = self.stop() if self.called else False
        ran = [
            {
                "file": relative(file),
                "first": first,
                "started": counts[0],
                "returned": counts[1],
                "yields": counts[2],
            }
            for (file, first, function), counts in self.bodies.items()
            if function == self.name
        ]
        emit("body", id=key, intact=bool(intact), whole=self.whole, ran=ran)

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
        self._frames, self._hook = sys._current_frames, threading.settrace
        self._function, self._in_thread = self._start_of, self._start_in_thread
        self._beneath = None
        self._watching = self._found = self._elsewhere = False
        self._held = []

    def _start_of(self, frame, event, value):
        code = frame.f_code
        if code.co_name != self.name or event != "call":
            return None if self._beneath is None else self._beneath(frame, event, value)
        self.count(code, 0)
        if code.co_flags & _SUSPENDS:
            return self._local_of(code)
        if len(self._held) < _MOST_BODIES:
            self._held.append(frame)
        if relative(code.co_filename) != self.file:
            return None  # inherited, or another function of that name that is called before
        self._found, self.whole = True, False
        self._settrace(self._beneath)
        return None

    def _start_in_thread(self, frame, event, value):
        self._elsewhere = True
        self._settrace(None)

    def _local_of(self, code):
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
        current = self._gettrace()
        self._beneath = current if getattr(current, "backdate_tracer", False) else None
        self._watching = current is self._beneath
        self._found = self._elsewhere = False
        if self._watching:
            if getattr(threading, "_trace_hook", self) is None:
                self._hook(self._in_thread)
            self._settrace(self._function)

    def leave(self):
        held, self._held = self._held, []
        for frame in held:
            code = frame.f_code
            if 0 <= frame.f_lasti < len(code.co_code) and bytearray(code.co_code)[frame.f_lasti] == _RETURN:
                self.count(code, 1)

    def stop(self):
        self.leave()
        if getattr(threading, "_trace_hook", None) == self._in_thread:
            self._hook(None)
        if not self._watching:
            return False
        self._watching = False
        if self._found:
            return True
        if self._gettrace() != self._function:
            return False
        self._settrace(self._beneath)
        # a body that ran in another thread was not seen
        return not (self._elsewhere or len(self._frames()) > 1)


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
