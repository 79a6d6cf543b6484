"""Exceptions of runners whose own text says little, said again: fixtures, doctests, tracebacks told as text.

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's.
PYTEST_DONT_REWRITE
"""

import re

from backdate_capture_events import clean, relative

TEXT_KEPT = 4000
SHOWN = 200
_EXAMPLE = re.compile(
    r'File "([^"\n]+)", line (\d+), in ([^\n]+)\nFailed example:\n((?:    [^\n]*\n)+)'
    r"Expected(?: nothing\n|:\n((?:    [^\n]*\n)+))Got:\n((?:    [^\n]*(?:\n|$))+)"
)
_FILE = re.compile(r'(^ *File ")([^"\n]+)(")', re.MULTILINE)


def _frame(path, line, function, source):
    return {"file": relative(path), "line": line, "function": clean(function, 300), "source": source}


def _on_one_line(text):
    lines = [line.strip() for line in clean(text, TEXT_KEPT).splitlines() if line.strip()]
    return clean(" ".join(lines), SHOWN) if lines else "nothing"


def _of_example(want, got, source):
    return "expected %s, got %s\nexample: %s" % (
        _on_one_line(want),
        _on_one_line(got),
        _on_one_line(source),
    )


def _of_fixture(error, source_line):
    name = clean(str(getattr(error, "argname", "")), 300)
    test = getattr(getattr(error, "request", None), "_pyfuncitem", None)
    stack = [getattr(test, "obj", None)]
    stack += [getattr(fixture, "func", fixture) for fixture in getattr(error, "fixturestack", None) or []]
    frames = []
    for function in stack[::-1]:  # whose argument it is
        code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
        if code is not None:
            line = code.co_firstlineno
            frames = [_frame(code.co_filename, line, code.co_name, source_line(code.co_filename, line))]
            break
    said = getattr(error, "msg", None)
    return clean(said, TEXT_KEPT) if said else "fixture '%s' not found" % name, frames


def doctest_frame(test, example):
    """The line of a doctest's example; None where it is not known."""
    path, line = getattr(test, "filename", None), getattr(test, "lineno", None)
    if not path or line is None:
        return None
    source = clean(example.source, SHOWN).strip().splitlines()
    return _frame(path, line + example.lineno + 1, test.name, source[0] if source else "")


def _of_doctest(error):
    frame = doctest_frame(error.test, error.example)
    return _of_example(error.example.want, error.got, error.example.source), [frame] if frame else []


def _of_doctest_case(error):
    match = _EXAMPLE.search(clean(str(error), 4 * TEXT_KEPT))
    if match is None:
        return None
    path, line, function, source, want, got = match.groups()
    frames = [_frame(path, int(line), function, _on_one_line(source))]
    return _of_example(want or "", got, source), frames


def _of_told_traceback(error):
    text = _FILE.sub(
        lambda match: match.group(1) + relative(match.group(2)) + match.group(3), clean(str(error))
    )
    return text[-TEXT_KEPT:], []  # its end says what was raised


def restated(error, name, source_line):
    """``(message, frames)`` of an exception of the type ``name``; None for one that speaks for itself."""
    last = name.rpartition(".")[2]
    if last == "FixtureLookupError":
        return _of_fixture(error, source_line)
    if name == "doctest.DocTestFailure":
        return _of_doctest(error)
    if last == "_StringException":  # testtools and its kin hand on a traceback as text
        return _of_told_traceback(error)
    if last in ("AssertionError", "failureException") and str(error).startswith("Failed doctest test for "):
        return _of_doctest_case(error)
    return None
