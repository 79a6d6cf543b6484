"""An exception as plain data: its chain, its messages, its frames; bounded, and never raising.

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's.
PYTEST_DONT_REWRITE
"""

import collections
import os
import stat

from backdate_capture_events import clean, relative
from backdate_capture_restated import doctest_frame, restated

MESSAGE_LENGTH = 4000
FRAMES_KEPT = 60
CHAIN_KEPT = 16
MEMBERS_KEPT = 8
TOTAL_KEPT = 32
SOURCE_LENGTH = 300
SOURCE_FILE_BYTES = 4 * 1024 * 1024
SOURCE_FILES_KEPT = 64
NATIVELY = "NOTE: Incompatible Exception Representation"
"""What pytest raises in the place of an exception of Trial whose traceback it cannot read begins so."""


def _make_source_reader():
    opened, read, close, fstat, regular = os.open, os.read, os.close, os.fstat, stat.S_ISREG
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    cache = {}

    def lines_of(path):
        descriptor = opened(path, flags)
        try:
            status = fstat(descriptor)
            if not regular(status.st_mode) or status.st_size > SOURCE_FILE_BYTES:
                return []
            parts = []
            left = SOURCE_FILE_BYTES
            while left > 0:
                part = read(descriptor, min(left, 1 << 20))
                if not part:
                    break
                parts.append(part)
                left -= len(part)
            return b"".join(parts).splitlines()
        finally:
            close(descriptor)

    def source_line(path, number):
        if not path.startswith("/") or number < 1:
            return ""
        if path not in cache:
            if len(cache) >= SOURCE_FILES_KEPT:
                cache.clear()
            try:
                cache[path] = lines_of(path)
            except (OSError, IOError, ValueError):
                cache[path] = []
        lines = cache[path]
        return clean(lines[number - 1].strip(), SOURCE_LENGTH) if number <= len(lines) else ""

    return source_line


_source_line = _make_source_reader()


def type_name(kind):
    """Qualified name of a class, without ``builtins.``."""
    try:
        module = clean(getattr(kind, "__module__", None) or "", 300)
        name = clean(getattr(kind, "__qualname__", None) or kind.__name__, 300)
    except BaseException:  # a metaclass may do anything
        return "<unnamed>"
    return name if module in ("builtins", "exceptions", "") else module + "." + name


def message_of(error):
    """``str(error)``, cut; a note in angle brackets when that itself raises."""
    try:
        try:
            text = str(error)
        except UnicodeError:
            text = clean(error)  # Python 2: a message that is not ASCII
        return clean(text, MESSAGE_LENGTH)
    except BaseException as problem:  # __str__ of a test's own exception may do anything
        return "<message cannot be had: __str__ raised %s>" % type_name(type(problem))


def _entries(tb, hidden):
    """(first entries, last entries, how many were left out between them)."""
    while tb is not None and hidden and tb.tb_frame.f_code.co_filename.startswith(hidden):
        after = tb.tb_next
        if after is None:
            break  # raised by the runner itself: its last frame is all there is
        tb = after
    half = FRAMES_KEPT // 2
    first, last, count = [], collections.deque(maxlen=half), 0
    while tb is not None:
        if count < half:
            first.append(tb)
        else:
            last.append(tb)
        count += 1
        tb = tb.tb_next
    return first, list(last), count - len(first) - len(last)


def _frame(entry):
    code = entry.tb_frame.f_code
    path = clean(code.co_filename, 1000)
    line = entry.tb_lineno or 0
    return {
        "file": relative(path),
        "line": line,
        "function": clean(code.co_name, 300),
        "source": _source_line(path, line),
    }


def frames_of(tb, hidden=()):
    """The frames of a traceback, outermost first, without leading ones whose file starts with ``hidden``.

    A traceback that is too long keeps its two ends; a frame without a file says how many were left out.
    """
    first, last, dropped = _entries(tb, hidden)
    frames = [_frame(entry) for entry in first]
    if dropped:
        function = "<%d frames left out>" % dropped
        frames.append({"file": "", "line": 0, "function": function, "source": ""})
    frames.extend([_frame(entry) for entry in last])
    return frames


def _syntax_error_frame(error):
    """Where a SyntaxError points: its file has no frame, because it never ran."""
    path, line = getattr(error, "filename", None), getattr(error, "lineno", None)
    if not path or not isinstance(line, int):
        return []
    source = clean(getattr(error, "text", None) or "", SOURCE_LENGTH).strip()
    return [{"file": relative(path), "line": line, "function": "<module>", "source": source}]


def _describe_one(error, tb, link, hidden):
    name = type_name(type(error))
    try:
        said = restated(error, name, _source_line)
    except BaseException:  # it only looks like what it says it is
        said = None
    if said is not None:
        return {"type": name, "message": said[0], "frames": said[1] or frames_of(tb, hidden), "link": link}
    described = {"type": name, "message": message_of(error), "frames": [], "link": link}
    try:
        described["frames"] = frames_of(tb, hidden)
        if isinstance(error, SyntaxError):
            described["frames"].extend(_syntax_error_frame(error))
    except Exception:
        pass  # a traceback made by hand: type and message remain
    return described


def _get(error, name):
    try:
        return getattr(error, name, None)
    except BaseException:  # a property of a test's own exception may do anything
        return None


def _before(error):
    """(the exception that led to this one, how)."""
    cause = _get(error, "__cause__")
    if isinstance(cause, BaseException):
        return cause, "cause"
    context = _get(error, "__context__")
    if isinstance(context, BaseException) and not _get(error, "__suppress_context__"):
        return context, "context"
    return None, ""


def _members(error):
    members = _get(error, "exceptions")
    if not isinstance(members, (tuple, list)) or not _is_group(error):
        return []
    return [one for one in members[:MEMBERS_KEPT] if isinstance(one, BaseException)]


def _is_group(error):
    """Whether it is an ExceptionGroup, or of a class of its own below one."""
    return any(one.__name__.endswith("ExceptionGroup") for one in type(error).__mro__)


def _chain(error, tb, hidden, seen):
    links = []
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        before, how = _before(error)
        if before is not None and id(before) in seen:
            before, how = None, ""
        links.append((error, tb, how))
        error, tb = before, _get(before, "__traceback__")
    if len(links) > CHAIN_KEPT:
        links = links[: CHAIN_KEPT // 2] + links[-CHAIN_KEPT // 2 :]
    described = []
    for one, traceback, how in reversed(links):
        inside = []
        for member in _members(one):
            inside.extend(_chain(member, _get(member, "__traceback__"), hidden, seen))
        described.extend(inside)
        described.append(_describe_one(one, traceback, "member" if inside else how, hidden))
    return described


def _of_doctest(error, tb):
    """What a doctest's example raised, instead of doctest's stand-in, which names the doctest alone.

    Of several examples that failed pytest raises one exception: the first of them counts.
    """
    several = _get(error, "failures") if type(error).__name__ == "MultipleDoctestFailures" else None
    if isinstance(several, (list, tuple)) and several and isinstance(several[0], BaseException):
        error = several[0]
    given = _get(error, "exc_info") if type_name(type(error)) == "doctest.UnexpectedException" else None
    if isinstance(given, tuple) and len(given) == 3 and isinstance(given[1], BaseException):
        return given[1], given[2], doctest_frame(error.test, error.example)
    return error, tb, None


def _behind_a_stand_in(error, tb):
    """What a test of Trial raised, where pytest stumbled over it and raised what shows it as text alone."""
    stumbled = _get(error, "__context__") if type(error).__name__ == "Failed" else None
    raised = _get(stumbled, "__context__") if isinstance(stumbled, TypeError) else None
    if isinstance(raised, BaseException) and message_of(error).startswith(NATIVELY):
        return raised, _get(raised, "__traceback__")
    return error, tb


def describe(error, tb=None, hidden=()):
    """The chain of ``error`` as a list of dicts, the first raised first.

    ``hidden``: a tuple of folders; leading frames whose files lie there (the runner's own) are left out.
    """
    try:
        if tb is None:
            tb = _get(error, "__traceback__")
        error, tb = _behind_a_stand_in(error, tb)
        error, tb, place = _of_doctest(error, tb)
        described = _chain(error, tb, hidden, set())
        if place is not None:
            described[-1]["frames"].insert(0, place)
        if len(described) > TOTAL_KEPT:
            described = described[: TOTAL_KEPT // 2] + described[-TOTAL_KEPT // 2 :]
        if described:
            described[0]["link"] = ""
    except Exception:
        return [{"type": type_name(type(error)), "message": message_of(error), "frames": [], "link": ""}]
    else:
        return described


def folder_of(module):
    """The folder of an imported module with a slash at its end, for ``hidden``."""
    return os.path.dirname(os.path.abspath(module.__file__)) + "/"
