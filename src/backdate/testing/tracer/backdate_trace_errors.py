"""Tells the errors that reach lines of traced files, those included that the code itself catches.

Runs inside the dated environment, as ``backdate_trace.py`` does: no dependency but what captures outcomes
beside it, and the syntax of Python 2.7 to today's.
"""

MOST_ERRORS = 500
MOST_AT_A_LINE = 40
"""Errors of one class at one line that are looked at."""
DIFFERENT_AT_A_LINE = 3
"""Of these, those that are told: messages may differ."""

_type, _isinstance = type, isinstance
_ORDINARY = ("StopIteration", "StopAsyncIteration", "GeneratorExit", "CancelledError")
"""How iteration and tasks end."""


class ErrorWatch(object):
    """What was raised below each traced line."""

    def __init__(self, trace):
        self.trace = trace
        self.seen = {}
        self.told = {}
        self.left = MOST_ERRORS

    def look(self, file, error, tb):
        """Tell an error that reaches a frame of the traced ``file``, the first of ``tb``, where no traced one
        is below it."""
        if not _isinstance(error, BaseException) or tb is None or self.left <= 0:
            return
        kind = _type(error)
        key = (file, tb.tb_lineno, kind.__name__)
        if kind.__name__ in _ORDINARY or self.seen.get(key, 0) >= MOST_AT_A_LINE:
            return
        below = tb.tb_next
        while below is not None:
            if self.trace.file_of(below.tb_frame.f_code.co_filename) is not None:
                return  # told when it reached that frame
            below = below.tb_next
        self.seen[key] = self.seen.get(key, 0) + 1
        self.trace.busy = True
        try:
            self.tell(key, error, tb)
        except Exception:
            return  # an error that cannot be looked at is not told
        finally:
            self.trace.busy = False

    def tell(self, key, error, tb):
        from backdate_capture_raised import describe

        chain = describe(error, tb)
        messages = self.told.setdefault(key, set())
        message = chain[-1]["message"]
        if message in messages or len(messages) >= DIFFERENT_AT_A_LINE:
            return
        messages.add(message)
        self.left -= 1
        self.trace.tell(file=key[0], line=key[1], error=chain)
