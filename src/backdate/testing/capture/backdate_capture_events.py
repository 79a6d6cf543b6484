"""Writing one JSON line per event to the event file, whatever the tests do to their process.

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's.
PYTEST_DONT_REWRITE

What makes it last:

- the functions that are used are bound when this module is imported, out of reach of a test that
  replaces ``open``, ``time.time`` or ``json.dumps`` (freezing libraries look through the globals of
  every module, so the clock is not one);
- every event is one ``write`` to a file opened for appending, between two newlines, so that a half
  line left by something else spoils nothing;
- before each write the descriptor is compared with the file it was opened on, and opened again
  when a test closed it or put another file in its place;
- a forked child that runs on writes nothing: only the process that opened the file does;
- the name of the event file is taken out of ``os.environ``, so that no child process finds it.

What makes it believed: when this module is imported it reads the secret of the run from a pipe, which is
empty and closed afterwards, and keeps nothing of it but the inner state of two hash objects. Each event has
a number and a code that only the secret gives (HMAC, RFC 2104). An event that may not have been written is
said so by the next one (``lost``), because a number that is missing otherwise was taken away.
"""

import hashlib
import itertools
import os
import re
import sys

try:
    from _json import encode_basestring_ascii as _quote
except ImportError:  # an interpreter without the C accelerator
    from json.encoder import py_encode_basestring_ascii as _quote

EVENTS_VARIABLE = "BACKDATE_CAPTURE_EVENTS"
SELECTION_VARIABLE = "BACKDATE_CAPTURE_SELECTION"
ROOT_VARIABLE = "BACKDATE_CAPTURE_ROOT"
DESCRIPTOR_VARIABLE = "BACKDATE_SECRET_DESCRIPTOR"

COLLECTED_IDS_A_LINE = 500

_TEXT = type("".encode("ascii").decode("ascii"))
_BYTES = type("".encode("ascii"))


def _make_clock():
    import time

    read = getattr(time, "perf_counter", time.time)

    def clock():
        return read()

    return clock


clock = _make_clock()
"""Seconds, for differences only."""


def clean(value, limit=None):
    """``value`` as text that UTF-8 can hold: lone surrogates become ``\\udc80``-like escapes."""
    if isinstance(value, _TEXT):
        text = _TEXT().join((value,))  # a plain string, also of a subclass with methods of its own
    elif isinstance(value, _BYTES):
        text = value.decode("utf-8", "replace")
    else:
        text = _TEXT(value)
    if limit is not None and len(text) > limit:
        text = text[:limit]
    try:
        text.encode("utf-8")
    except UnicodeError:
        text = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return text


def encode(value):
    """JSON of dicts, lists, text, numbers, booleans and None, by nothing that a test can replace."""
    if value is None:
        return "null"
    if value is True:
        return "true"
    if value is False:
        return "false"
    if isinstance(value, dict):
        return "{" + ",".join([_quote(clean(k)) + ":" + encode(v) for k, v in value.items()]) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ",".join([encode(item) for item in value]) + "]"
    if isinstance(value, float):
        finite = value == value and value not in (float("inf"), float("-inf"))
        return float.__repr__(value) if finite else "0.0"
    if isinstance(value, int):
        return "%d" % value
    return _quote(clean(value))


def _read_secret():
    """What the pipe holds, which is closed then; None without one."""
    number = os.environ.pop(DESCRIPTOR_VARIABLE, None)
    if not number:
        return None
    try:
        secret = os.read(int(number), 4096)
        os.close(int(number))
    except (OSError, ValueError):
        return None  # a program before this one closed it: nothing is signed, and the host says so
    return secret or None


def _make_keyed_hash(secret):
    """HMAC with SHA-256 under ``secret``, as a function from bytes to hexadecimal digits."""
    padded = bytearray(secret.ljust(64, b"\0"))
    inner = hashlib.sha256(bytes(bytearray([byte ^ 0x36 for byte in padded])))
    outer = hashlib.sha256(bytes(bytearray([byte ^ 0x5C for byte in padded])))

    def keyed(data):
        first, second = inner.copy(), outer.copy()
        first.update(data)
        second.update(first.digest())
        return second.hexdigest()

    return keyed


def _make_writer(path, keyed):
    descriptor = [None, None]
    owner = os.getpid()
    getpid, opened, write, fstat = os.getpid, os.open, os.write, os.fstat
    flags = os.O_WRONLY | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
    numbers = itertools.count()
    unsure = [False]

    def identity(number):
        status = fstat(number)
        return status.st_dev, status.st_ino

    def ready():
        if descriptor[0] is not None:
            try:
                if identity(descriptor[0]) == descriptor[1]:
                    return descriptor[0]
            except OSError:
                pass  # a test closed it: opened again below
        number = opened(path, flags)
        descriptor[:] = [number, identity(number)]
        return number

    def signed(fields):
        body = encode(fields).encode("ascii")
        if keyed is None:
            return body
        return body[:-1] + b',"mac":"' + keyed(body).encode("ascii") + b'"}'

    def emit(event, fields):
        if getpid() != owner:
            return
        fields["event"] = event
        fields["pid"] = owner
        if unsure[0]:
            fields["lost"] = True
        fields["number"] = next(numbers)
        unsure[0] = True  # until it is written: whatever raises in between, the next event says so
        data = b"\n" + signed(fields) + b"\n"
        try:
            unsure[0] = write(ready(), data) != len(data)
        except OSError:
            pass  # no space, or a limit of the test's own: what is missing shows in the cross-checks

    return emit


CANARIES = 9
"""How many canaries a run has; the host has the same number."""


def _make_emit():
    path = os.environ.pop(EVENTS_VARIABLE, None)
    secret = _read_secret()
    if not path:
        return False, lambda event, fields: None, []
    keyed = None if secret is None else _make_keyed_hash(secret)
    codes = (
        [] if keyed is None else [keyed(("canary %d" % number).encode("ascii")) for number in range(CANARIES)]
    )
    return True, _make_writer(path, keyed), codes


active, _emit, canary_codes = _make_emit()
"""Whether this process is the one whose events are recorded; how they are; a code for each canary."""


def emit(event, **fields):
    """Append one event. Never raises an ``Exception``: a broken report must not break a test."""
    try:
        _emit(event, fields)
    except Exception:
        try:
            _emit("capture-error", {"about": event, "reason": clean(repr(sys.exc_info()[1]), 1000)})
        except Exception:
            pass  # nothing more can be done; the cross-checks see that an event is missing


def guarded(function, *arguments):
    """Call ``function``; an ``Exception`` of it becomes an event, because a report must not break a test."""
    try:
        function(*arguments)
    except Exception:
        emit("capture-error", about=function.__name__, reason=clean(repr(sys.exc_info()[1]), 1000))


LINGERING_S = 20
"""Seconds that a runner's process may go on after its last event."""
STUCK_S = 100
"""Seconds more until the system ends a process that cannot end itself.

While an interpreter clears up, no thread of Python runs any more, and on a busy machine that took half a
minute where a suite had imported much: to end it there makes a failure of a suite that passed.
"""


def _make_end():
    import signal
    import time

    try:
        from _thread import start_new_thread
    except ImportError:
        from thread import start_new_thread  # Python 2

    alarm, restore = signal.alarm, signal.signal
    number, default = signal.SIGALRM, signal.SIG_DFL
    sleep, leave, write = time.sleep, os._exit, os.write
    ends = []

    def end(after_s, status, number):
        sleep(after_s)
        if number != len(ends):
            return  # it was put off meanwhile
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass  # it is closed, or the tests' own
        write(2, b"backdate: the runner was done and its process did not end: it is ended\n")
        leave(status)

    def end_soon(status):
        try:
            restore(number, default)
        except ValueError:
            pass  # not the main thread: nobody else's handler can be taken away
        alarm(LINGERING_S + STUCK_S)
        ends.append(status)
        start_new_thread(end, (LINGERING_S, status, len(ends)))

    def while_running(function, *arguments):
        """``function(*arguments)`` after the last event, which takes as long as it takes."""
        if not ends:
            return function(*arguments)
        status = ends[-1]
        ends.append(status)
        alarm(0)
        try:
            return function(*arguments)
        finally:
            end_soon(status)

    return end_soon, while_running


_end_soon, while_running = _make_end()


def finish(**fields):
    """Append the runner's last event. Threads that never end keep the process alive no longer than a while.

    It ends with the status that the event says, so that a script around it goes on as it would have. Where
    locks or loops of the tests are in the way, the system ends it (SIGALRM).
    """
    emit("finish", **fields)
    if active:
        guarded(_end_soon, fields["exit_status"])


def emit_collected(ids):
    """Append the ids of the collected tests, some hundred a line."""
    for start in range(0, len(ids), COLLECTED_IDS_A_LINE):
        emit("collected", ids=ids[start : start + COLLECTED_IDS_A_LINE])


def python_version():
    """Three numbers: "3.6.15"."""
    return ".".join([str(part) for part in sys.version_info[:3]])


_root = os.environ.get(ROOT_VARIABLE, "")
_roots = tuple([path.rstrip("/") + "/" for path in (_root, os.path.realpath(_root))]) if _root else ()
_start = os.getcwd()


def relative(path):
    """``path`` relative to the project's root where it lies in it, else absolute; ``<string>`` as it is."""
    path = clean(path)
    if not path or path.startswith("<"):
        return path
    if not path.startswith("/"):
        path = _start + "/" + path
    if "/." in path or "//" in path:
        path = os.path.normpath(path)
    for root in _roots:
        if path.startswith(root):
            return path[len(root) :]
    return path


def number_repeats(ids):
    """``ids`` with ``#2``, ``#3``, ... after the second, third, ... of those that repeat."""
    seen = {}
    numbered = []
    for one in ids:
        count = seen[one] = seen.get(one, 0) + 1
        numbered.append(one if count == 1 else "%s#%d" % (one, count))
    return numbered


def plain_id(identity):
    """A pytest node id as every pytest writes it: before 4.0 it named the instance, ``a.py::A::()::test``."""
    identity = clean(identity)
    start = identity.find("::")
    if start < 0 or "::()" not in identity:
        return identity
    parameters = identity.find("[", start)
    end = len(identity) if parameters < 0 else parameters
    names = [part for part in identity[start:end].split("::") if part != "()"]
    return identity[:start] + "::".join(names) + identity[end:]


class SelectedIds(object):
    """Which tests are to be run, by exact id (of any pytest)."""

    def __init__(self, only=None, exclude=(), modules=()):
        self.only = None if only is None else frozenset([plain_id(one) for one in only])
        self.exclude = frozenset([plain_id(one) for one in exclude])
        self.modules = frozenset(modules)
        """Files (pytest) or dotted modules (unittest) that are not even imported."""

    def wants(self, identity):
        """Whether the test with this id is to be run."""
        return identity not in self.exclude and (self.only is None or identity in self.only)


def _read_selection():
    import io
    import json

    path = os.environ.get(SELECTION_VARIABLE)
    if not path:
        return SelectedIds()
    with io.open(path, encoding="utf-8") as file:
        data = json.loads(file.read())
    return SelectedIds(data["only"], data["exclude"], data["modules"])


selection = _read_selection()

_GROUP = re.compile(r"^(setUpClass|tearDownClass|setUpModule|tearDownModule) \((.*)\)$")


def split_group(description):
    """("setUpClass", "package.module.Case") of unittest's "setUpClass (package.module.Case)", else None."""
    match = _GROUP.match(description)
    return match.groups() if match else None
