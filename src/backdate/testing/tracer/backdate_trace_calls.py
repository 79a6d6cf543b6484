"""Tells of which classes objects are whose methods traced lines call, and what these methods are given.

The library's own functions are looked at where they start: what a line calls a method of may be the result of
another call, which no name stands for. Runs inside the dated environment, as ``backdate_trace.py`` does: no
dependency, and the syntax of Python 2.7 to today's. Nothing of an object is called.
"""

MOST_LOOKS = 40
"""Calls of one line that are looked at."""
MOST_ARGUMENTS = 3
MOST_DECORATORS = 2
"""Functions around the one that has the name, which hand on what they are given."""

_type, _getattr, _len = type, getattr, len
_OWN = ("self", "cls")
_STARRED = 0x04
"""Of a function with ``*args`` (``inspect.CO_VARARGS``)."""


def _hands_on(code):
    """Whether a function may be a decorator's: it takes all that it is given, or ``self`` and all else."""
    if not code.co_argcount:
        return True
    return code.co_argcount == 1 and bool(code.co_flags & _STARRED) and code.co_varnames[0] in _OWN


class CallWatch(object):
    """The classes behind ".append" (its object), ".append(0)" and ".append(0)[0]" (a list's first item)."""

    def __init__(self, asked, trace):
        self.asked = {
            (file, int(line)): frozenset(names)
            for file, lines in asked.items()
            for line, names in lines.items()
        }
        self.names = frozenset(name for names in self.asked.values() for name in names)
        self.looks = {}
        self.told = set()
        self.trace = trace

    def look(self, frame):
        """Tell what ``frame``, which is not traced, starts with, where a line that is asked for called it."""
        code = frame.f_code
        caller = frame.f_back
        for _ in range(MOST_DECORATORS):
            if caller is None:
                return
            file = self.trace.file_of(caller.f_code.co_filename)
            if file is not None:
                break
            if not _hands_on(caller.f_code):
                return  # no decorator, but a caller of its own
            caller = caller.f_back
        else:
            return
        at = (file, caller.f_lineno)
        if code.co_name not in self.asked.get(at, ()) or self.looks.get(at, 0) >= MOST_LOOKS:
            return
        self.looks[at] = self.looks.get(at, 0) + 1
        names = code.co_varnames[: code.co_argcount]
        if not names or names[0] not in _OWN:
            return
        given = frame.f_locals
        self.tell(at, "." + code.co_name, given.get(names[0]))
        for position, name in enumerate(names[1 : MOST_ARGUMENTS + 1]):
            value = given.get(name)
            what = ".%s(%d)" % (code.co_name, position)
            self.tell(at, what, value)
            if _type(value) in (list, tuple) and _len(value):
                self.tell(at, what + "[0]", value[0])

    def tell(self, at, expression, value):
        """Tell the class of one value, once."""
        try:
            kind = _type(value)
            module, name = kind.__module__, _getattr(kind, "__qualname__", kind.__name__)
        except Exception:
            return  # a class may do anything where it is asked
        one = at + (expression, module, name)
        if isinstance(module, str) and isinstance(name, str) and one not in self.told:
            self.told.add(one)
            self.trace.tell(file=at[0], line=at[1], expression=expression, module=module, qualified=name)
