"""Tells which lines of some files ran, what some of their functions were given and gave back, and what else a
request asks for (``backdate_trace_watch.py``).

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's. Everything is
appended to a file as it is seen, one JSON object a line, so that nothing is lost when the process is killed.
On Python 3.12 and newer ``sys.monitoring`` (PEP 669) is used, which coverage tools leave alone; before it
``sys.settrace``, which they take away: what they took is not known then, and the host says so. pytest-cov is
told to measure nothing.
"""

import hashlib
import json
import os
import sys

import backdate_trace_calls
import backdate_trace_errors
import backdate_trace_watch

MOST_CALLS = 200
"""Different calls of one function that are told."""
MOST_SEEN = 5000
"""Calls of one function that are looked at."""
MOST_NODES = 2000
"""Parts of one value that go into its digest."""

_dumps, _write, _open, _getpid = json.dumps, os.write, os.open, os.getpid
_sha1, _repr, _type, _getattr = hashlib.sha1, repr, type, getattr
_NUMBERS = (int, float, complex) if sys.version_info[0] > 2 else (int, float, complex, long)  # noqa: F821


class _TraceRecorder(object):
    def __init__(self, request, out):
        self.root = request["root"].rstrip("/") + "/"
        self.files = {name: frozenset(lines) for name, lines in request["files"].items()}
        self.installed = {}
        for name in self.files:
            for known in (name.partition("/")[2], name):
                self.installed[known] = name
        self.out = _open(out, os.O_WRONLY | os.O_APPEND)
        self.names = {}
        asked, members = request.get("objects", {}), request.get("members", {})
        self.objects = backdate_trace_watch.ObjectWatch(asked, self, members)
        self.calls = backdate_trace_calls.CallWatch(request.get("calls", {}), self)
        self.errors = backdate_trace_errors.ErrorWatch(self) if request.get("errors") else None
        self.lines = set()
        self.seen = {}
        self.told = set()
        self.busy = False
        self.tops = frozenset(part for name in self.files for part in name[: -len(".py")].split("/"))

    def owns(self, kind):
        """Whether a class is the project's: what objects of a library keep differs between its versions."""
        module = _text_of(_getattr(kind, "__module__", None))
        path = _text_of(_getattr(sys.modules.get(module), "__file__", None))
        inside = bool(path) and os.path.abspath(path).startswith(self.root)
        return inside or module.partition(".")[0] in self.tops

    def file_of(self, path):
        """The traced file that ``path`` is, in the tree or installed from it; None for any other."""
        if path not in self.names:
            self.names[path] = self._find(path)
        return self.names[path]

    def _find(self, path):
        path = os.path.abspath(path)
        for root in (self.root, os.path.realpath(self.root) + "/"):
            if path.startswith(root) and path[len(root) :] in self.files:
                return path[len(root) :]
        for folder in ("/site-packages/", "/dist-packages/", "/build/lib/"):
            _, found, rest = path.partition(folder)
            if found and rest in self.installed:
                return self.installed[rest]
        return None

    def tell(self, **what):
        try:
            _write(self.out, (_dumps(what) + "\n").encode("ascii"))
        except OSError:
            pass  # no space: the host sees fewer lines, and says that it does not know

    def line(self, file, number):
        if (file, number) not in self.lines:
            self.lines.add((file, number))
            self.tell(file=file, line=number)

    def wants(self, file, code):
        """Whether calls of ``code`` are to be told."""
        if code.co_firstlineno not in self.files[file] or code.co_name.startswith("<"):
            return False
        key = (file, code.co_firstlineno, code.co_name)
        self.seen[key] = self.seen.get(key, 0) + 1
        return self.seen[key] <= MOST_SEEN

    def arguments(self, frame):
        code = frame.f_code
        count = code.co_argcount + _getattr(code, "co_kwonlyargcount", 0)
        count += bool(code.co_flags & 4) + bool(code.co_flags & 8)
        return digest([frame.f_locals.get(name) for name in code.co_varnames[:count]], self)

    def call(self, file, code, given, gave):
        key = (file, code.co_firstlineno, code.co_name)
        one = key + (given, gave)
        if given is None or one in self.told or sum(t[:3] == key for t in self.told) >= MOST_CALLS:
            return
        self.told.add(one)
        self.tell(file=file, first=code.co_firstlineno, name=code.co_name, given=given, gave=gave)


def _text_of(value):
    return value if isinstance(value, str) else ""


def digest(value, trace):
    """A digest of ``value`` that does not depend on versions of Python or of libraries, as far as it can.

    Of objects of a library only the kind counts.
    """
    trace.busy = True
    try:
        left = [MOST_NODES, trace.owns]
        return _sha1(_dumps(_plain(value, left, 0)).encode("ascii")).hexdigest()[:16]
    except Exception:
        return None  # what cannot be looked at is not compared
    finally:
        trace.busy = False


def _plain(value, left, depth):
    left[0] -= 1
    if left[0] < 0 or depth > 6:
        return "..."
    if value is None or value is True or value is False:
        return _repr(value)
    kind = _type(value)
    if kind in _NUMBERS:
        return "%.9g" % value if kind is not complex else "%.9g,%.9g" % (value.real, value.imag)
    if kind.__name__ in ("str", "unicode"):
        return ["text", value[:10000]]
    if kind.__name__ in ("bytes", "bytearray"):
        return ["bytes", _repr(bytes(value[:10000])).lstrip("b")]
    if kind in (list, tuple):
        return [kind.__name__] + [_plain(one, left, depth + 1) for one in value[:MOST_NODES]]
    if kind in (set, frozenset):
        return ["set"] + sorted(_dumps(_plain(one, left, depth + 1)) for one in value)
    if isinstance(value, dict):
        items = [(_dumps(_plain(k, left, depth + 1)), _plain(v, left, depth + 1)) for k, v in value.items()]
        return ["dict"] + sorted(items, key=lambda item: item[0])
    if hasattr(kind, "columns") and hasattr(kind, "values"):
        return [
            "frame",
            _plain(list(value.columns), left, depth + 1),
            _plain(value.values.tolist(), left, depth + 1),
        ]
    if hasattr(kind, "tolist"):
        return _plain(value.tolist(), left, depth + 1)
    state = (
        _getattr(value, "__dict__", None)
        if not isinstance(value, (_type, _type(os), _type(digest))) and left[1](kind)
        else None
    )
    return [kind.__name__, _plain(dict(state), left, depth + 1) if isinstance(state, dict) else ""]


def _with_settrace(trace):
    import atexit
    import threading

    def local_of(file, given, code):
        raised = [None]

        def local(frame, event, value):
            if event == "line":
                raised[0] = None
                trace.line(file, frame.f_lineno)
                if trace.objects.wants(file, frame.f_lineno):
                    trace.objects.look(file, frame.f_lineno, frame)
            elif event == "exception":
                raised[0] = value[0].__name__
                if trace.errors is not None and not trace.busy:
                    trace.errors.look(file, value[1], value[2])
            elif event == "return" and given is not None:
                gave = "raised " + raised[0] if raised[0] and value is None else digest(value, trace)
                trace.call(file, code, given, gave)
            return local

        return local

    def start_of(frame, event, value):
        if trace.busy or event != "call":
            return None
        code = frame.f_code
        file = trace.file_of(code.co_filename)
        if file is None:
            if code.co_name in trace.calls.names:
                trace.calls.look(frame)
            return None
        trace.line(file, code.co_firstlineno)
        return local_of(file, trace.arguments(frame) if trace.wants(file, code) else None, code)

    def end():
        if sys.gettrace() is not start_of:  # a debugger, a coverage tool, or a project that wants none
            trace.tell(lost=sys.version.split()[0])
        sys.settrace(None)  # an old interpreter takes its modules apart before it stops tracing

    start_of.backdate_tracer = True  # so that the witness of the tests' bodies shares the trace with it
    atexit.register(end)
    threading.settrace(start_of)
    sys.settrace(start_of)


def _with_monitoring(trace):
    watch = sys.monitoring
    tool = 3
    watch.use_tool_id(tool, "backdate")
    open_calls = {}

    def on_start(code, offset):
        file = trace.file_of(code.co_filename)
        if file is None:
            if code.co_name not in trace.calls.names:
                return watch.DISABLE
            if not trace.busy:
                trace.calls.look(sys._getframe(1))
            return None
        watch.set_local_events(tool, code, watch.events.LINE)
        trace.line(file, code.co_firstlineno)
        if not trace.busy and trace.wants(file, code):
            frame = sys._getframe(1)
            open_calls[id(frame)] = trace.arguments(frame)
        return None

    def on_line(code, number):
        file = trace.file_of(code.co_filename)
        if file is not None:
            trace.line(file, number)
            if trace.objects.wants(file, number):
                trace.objects.look(file, number, sys._getframe(1))
                return None
        return watch.DISABLE

    def ended(code, gave):
        file = trace.file_of(code.co_filename)
        given = open_calls.pop(id(sys._getframe(2)), None)
        if file is not None and given is not None:
            trace.call(file, code, given, gave() if callable(gave) else gave)

    def on_return(code, offset, value):
        if trace.file_of(code.co_filename) is None:
            return watch.DISABLE
        ended(code, lambda: digest(value, trace))
        return None

    def on_unwind(code, offset, error):
        ended(code, "raised " + _type(error).__name__)

    def on_raise(code, offset, error):
        file = None if trace.busy else trace.file_of(code.co_filename)
        if file is not None:
            trace.errors.look(file, error, error.__traceback__)

    events = watch.events
    if trace.errors is not None:
        watch.register_callback(tool, events.RAISE, on_raise)
    watch.register_callback(tool, events.PY_START, on_start)
    watch.register_callback(tool, events.LINE, on_line)
    watch.register_callback(tool, events.PY_RETURN, on_return)
    watch.register_callback(tool, events.PY_UNWIND, on_unwind)
    errors = events.RAISE if trace.errors is not None else 0
    watch.set_events(tool, events.PY_START | events.PY_RETURN | events.PY_UNWIND | errors)


def _without_coverage():
    """Have pytest-cov measure nothing, as many projects ask for in each run: it takes the trace function."""
    for folder in sys.path:
        plugin = os.path.join(folder, "pytest_cov", "plugin.py")
        if os.path.isfile(plugin):
            with open(plugin) as file:
                known = "--no-cov" in file.read()
            if known:
                asked = os.environ.get("PYTEST_ADDOPTS", "")
                os.environ["PYTEST_ADDOPTS"] = (asked + " --no-cov").strip()
            return


def start():
    """Trace this process, if its environment asks for it. Never raises: a test must not break of it."""
    try:
        request, out = os.environ.get("BACKDATE_TRACE_REQUEST"), os.environ.get("BACKDATE_TRACE_OUT")
        if not request or not out:
            return
        with open(request) as file:
            request_holds = json.load(file)
        trace = _TraceRecorder(request_holds, out)
        if request_holds.get("warnings"):
            backdate_trace_watch.watch_warnings(trace)
        trace.tell(started=".".join([str(part) for part in sys.version_info[:3]]))
        if hasattr(sys, "monitoring"):
            _with_monitoring(trace)
        else:
            _without_coverage()
            _with_settrace(trace)
    except Exception:
        sys.stderr.write("backdate: the trace could not be started: %r\n" % (sys.exc_info()[1],))
