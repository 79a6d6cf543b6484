"""What a traced run is watched for besides its lines: warnings, and of which classes objects are.

Runs inside the dated environment, as ``backdate_trace.py`` does: no dependency, and the syntax of Python 2.7
to today's. Nothing of an object is called: a class may do anything where it is asked for an attribute.
"""

import sys
import warnings

MOST_LOOKS = 40
"""Times that the objects of one line are looked at."""
MOST_FRAMES = 100
MOST_WARNINGS = 2000
MOST_TEXT = 2000

_type, _getattr, _getframe = type, getattr, sys._getframe
_ABSENT = object()
_BASES, _MEMBERS = type.__dict__["__mro__"], type.__dict__["__dict__"]
"""What a class itself keeps, whatever its own class makes of it."""


class ObjectWatch(object):
    """The classes of what some expressions stand for ("frame", "self.data"), by file and line."""

    def __init__(self, asked, trace, members=None):
        """``members``: as ``asked``, with an attribute behind each expression ("self.data.append")."""
        self.asked = {
            (file, int(line)): [one.split(".") for one in expressions]
            for file, lines in asked.items()
            for line, expressions in lines.items()
        }
        self.members = {}
        for file, lines in (members or {}).items():
            for line, names in lines.items():
                for expression, _, member in [name.rpartition(".") for name in names]:
                    self.members.setdefault((file, int(line), expression), []).append(member)
        self.looks = {}
        self.told = set()
        self.trace = trace

    def wants(self, file, line):
        """Whether objects of that line are to be looked at, and were not often enough."""
        return (file, line) in self.asked and self.looks.get((file, line), 0) < MOST_LOOKS

    def look(self, file, line, frame):
        """Tell the classes of what ``frame`` holds at that line."""
        self.looks[file, line] = self.looks.get((file, line), 0) + 1
        for parts in self.asked[file, line]:
            try:
                value = _value_of(parts, frame)
                if value is _ABSENT:
                    continue
                kind = _type(value)
                module, name = kind.__module__, _name_of(kind)
            except Exception:
                continue
            expression = ".".join(parts)
            self.tell(file, line, expression, module, name)
            members = self.members.get((file, line, expression))
            if members and self.trace.owns(kind):
                for member in members:
                    base = _defining(kind, member)
                    if base is not None and not self.trace.owns(base):
                        self.tell(file, line, expression, base.__module__, _name_of(base), member)

    def tell(self, file, line, expression, module, name, member=""):
        """Tell once what a line's expression is, or which class of a library it has ``member`` from."""
        one = (file, line, expression, module, name, member)
        if isinstance(module, str) and isinstance(name, str) and one not in self.told:
            self.told.add(one)
            more = {"member": member} if member else {}
            self.trace.tell(
                file=file, line=line, expression=expression, module=module, qualified=name, **more
            )


def _name_of(kind):
    return _getattr(kind, "__qualname__", kind.__name__)


def _defining(kind, member):
    """The class that objects of ``kind`` have ``member`` from; None where no class has it."""
    for base in _BASES.__get__(kind):
        if member in _MEMBERS.__get__(base):
            return base
    return None


def _value_of(parts, frame):
    """What a name, or attributes in objects' dictionaries, hold; ``_ABSENT`` where that is not known."""
    value = frame.f_locals.get(parts[0], _ABSENT)
    if value is _ABSENT:
        value = frame.f_globals.get(parts[0], _ABSENT)
    for part in parts[1:]:
        if value is _ABSENT:
            break
        own = object.__getattribute__(value, "__dict__")
        value = own.get(part, _ABSENT) if isinstance(own, dict) else _ABSENT
    return value


def watch_warnings(trace):
    """Tell every warning for which a traced line is to blame, also those that a filter hides."""
    warn, explicit, show = warnings.warn, warnings.warn_explicit, _getattr(warnings, "_showwarnmsg", None)
    told = set()

    def tell(message, category, file, line):
        if len(told) >= MOST_WARNINGS:
            return
        try:
            place = _place(trace)
            if place is None:
                return
            kind = _type(message) if isinstance(message, Warning) else category or UserWarning
            text = ("%s" % (message,))[:MOST_TEXT]
            one = (kind.__name__, text) + place
            if one not in told:
                told.add(one)
                trace.tell(category=one[0], message=text, file=place[0], line=place[1], source=file or "")
        except Exception:
            return

    def watched_warn(*given, **named):
        if len(given) > 2:
            level = given[2]
            given = given[:2] + (level + 1,) + given[3:]
        else:
            level = named.get("stacklevel", 1)
            named["stacklevel"] = level + 1
        message = given[0] if given else named.get("message")
        category = given[1] if len(given) > 1 else named.get("category")
        tell(message, category, _getframe(1).f_code.co_filename, 0)
        return warn(*given, **named)

    def watched_explicit(message, category, filename, lineno, *given, **named):
        tell(message, category, filename, lineno)
        return explicit(message, category, filename, lineno, *given, **named)

    def watched_show(message):
        # what is written in C does not come by the others
        tell(message.message, message.category, message.filename, message.lineno)
        return show(message)

    warnings.warn, warnings.warn_explicit = watched_warn, watched_explicit
    if show is not None:
        warnings._showwarnmsg = watched_show


def _place(trace):
    """File and line of the innermost frame that is traced; None for none."""
    frame = _getframe(3)
    for _ in range(MOST_FRAMES):
        if frame is None:
            return None
        file = trace.file_of(frame.f_code.co_filename)
        if file is not None:
            return file, frame.f_lineno
        frame = frame.f_back
    return None
