"""What a forked child does with one program: loads its code, calls its cases, hands over what came of them.

Runs inside the environment of a snippet, in the syntax of Python 2.7 to today's. Everything here runs beside
code of strangers, in their process: what it says is believed by nobody.
"""

import json
import logging
import os
import random
import sys
import traceback
import types
import warnings

MOST_WARNINGS = 50
TEXT_LENGTH = 2000
CODE = "snippet.py"
BEFORE = "before.py"
SCRIPT = "script.py"


def text_of(value, length=TEXT_LENGTH):
    """``str`` of a value as text; what that raises is raised."""
    given = str(value)
    if isinstance(given, bytes):  # Python 2
        given = given.decode("utf-8", "replace")
    return given if length is None else given[:length]


def safe_text(value):
    try:
        return text_of(value)
    except BaseException:  # __str__ of a stranger's exception may do anything
        return ""


class Warned(logging.Handler):
    """Notes each warning once: those of the module ``warnings``, and those that a library logs."""

    def __init__(self):
        logging.Handler.__init__(self, logging.WARNING)
        self.seen = []

    def note(self, line):
        if line not in self.seen and len(self.seen) < MOST_WARNINGS:
            self.seen.append(line)

    def emit(self, record):
        try:
            self.note("%s: %s" % (record.name, record.getMessage()[:TEXT_LENGTH]))
        except Exception:  # a message that does not fit its arguments
            pass

    def show(self, message, category, filename, lineno, file=None, line=None):
        self.note("%s: %s" % (category.__name__, safe_text(message)))

    def take(self):
        taken, self.seen = self.seen, []
        return taken


def seed():
    """Fix what programs draw from; of libraries only those that are loaded."""
    random.seed(0)
    for name, attribute in (("numpy", "random"), ("torch", "manual_seed"), ("tensorflow", "random")):
        module = sys.modules.get(name)
        try:
            found = getattr(module, attribute, None)
            if name == "torch" and found is not None:
                found(0)
            elif name == "numpy" and found is not None:
                found.seed(0)
            elif name == "tensorflow" and module is not None:
                seed_tensorflow(module)
        except Exception:  # half a library, or one that its program changed
            pass


def seed_tensorflow(module):
    """Seed graphs as they are made: asking for the present one makes one, which forbids eager execution."""
    if not module.__version__.startswith("1."):
        module.random.set_seed(0)
        return
    graph = sys.modules["tensorflow.python.framework.ops"].Graph
    if getattr(graph.__init__, "seeded", False):
        return
    plain = graph.__init__

    def seeded(self, *arguments, **named):
        plain(self, *arguments, **named)
        self.seed = 0

    seeded.seeded = True
    graph.__init__ = seeded


class ForkedProgram(object):
    """One program in the folder that is the working directory."""

    def __init__(self, job, send, proceed):
        self.job = job
        self.send = send
        self.proceed = proceed
        self.warned = Warned()
        self.module = types.ModuleType("__main__")
        self.process = os.getpid()

    def run(self):
        self.prepare()
        loaded = True
        try:
            for name, source in ((BEFORE, self.job["before"]), (CODE, self.job["code"])):
                self.execute(name, source)
            entry = self.entry()
        except BaseException as error:
            loaded = False
            self.hand_over("load", self.failure(error))
        if loaded:
            seed()
            if self.job["cases"]:
                self.hand_over("loaded", {})
                for case in self.job["cases"]:
                    self.hand_over("case", self.outcome(self.called, entry, case))
            else:
                self.hand_over("case", self.outcome(self.script))
            self.hand_over("done", {})

    def prepare(self):
        sys.modules["__main__"] = self.module
        self.module.__file__ = os.path.abspath(CODE)
        sys.argv = [self.module.__file__]
        sys.path[0] = os.getcwd()
        warnings.resetwarnings()
        warnings.simplefilter("always")
        if sys.version_info > (3,):
            warnings.simplefilter("ignore", ResourceWarning)  # of files left open: no name of a library
        warnings.showwarning = self.warned.show
        for name in self.job["preload"]:
            logging.getLogger(name.split(".")[0]).addHandler(self.warned)
        seed()

    def execute(self, name, source):
        """Run source as a file, which functions that look for their own source find."""
        if not source.strip():
            return
        path, data = os.path.abspath(name), source.encode("utf-8", "replace")
        with open(path, "wb") as file:
            file.write(data)
        exec(compile(data, path, "exec", 0, True), self.module.__dict__)  # noqa: S102 - what all of this is for

    def entry(self):
        found = self.module
        if self.job["cases"]:
            for part in self.job["entry"].split("."):
                found = getattr(found, part)
            if not callable(found):
                raise TypeError("%s cannot be called" % self.job["entry"])
        return found

    def arguments(self, case):
        given = eval(compile(case.encode("utf-8"), "case", "eval", 0, True), self.module.__dict__)  # noqa: S307
        if not isinstance(given, tuple):
            raise TypeError("a case is a tuple of arguments")
        return given

    def script(self):
        import unittest

        unittest.main = lambda *arguments, **named: None  # the cases are run below, and counted
        self.execute(SCRIPT, self.job["script"])
        suite = unittest.defaultTestLoader.loadTestsFromModule(self.module)
        wanted = suite.countTestCases()
        if wanted:
            result = unittest.TestResult()
            caught = []
            plain = result.addError, result.addFailure
            result.addError = lambda test, error: (caught.append(error[1]), plain[0](test, error))
            result.addFailure = lambda test, error: (caught.append(error[1]), plain[1](test, error))
            result.addSubTest = lambda test, sub, error: error and caught.append(error[1])
            suite.run(result)
            if caught:
                raise caught[0]
            if result.testsRun != wanted:
                raise RuntimeError("%d of %d tests ran" % (result.testsRun, wanted))

    def called(self, entry, case):
        return entry(*self.arguments(case))

    def outcome(self, call, *given):
        """What a call gave or raised."""
        try:
            value = call(*given)
            said = {"value": text_of(value, None), "kind": type(value).__name__}
        except BaseException as error:
            said = self.failure(error)
        return said

    def failure(self, error):
        trace = traceback.extract_tb(getattr(error, "__traceback__", sys.exc_info()[2]))
        lines = [entry[1] for entry in trace if entry[0] == self.module.__file__]
        if isinstance(error, SyntaxError) and error.filename == self.module.__file__ and error.lineno:
            lines.append(error.lineno)
        names = [kind.__name__ for kind in type(error).__mro__]
        return {"error": names[0], "bases": names[1:], "message": safe_text(error), "lines": lines[-100:]}

    def hand_over(self, what, said):
        if os.getpid() != self.process:
            os._exit(0)
        for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
            try:
                stream.flush()
            except BaseException:  # closed, or replaced by what is no stream
                pass
        said["what"] = what
        said["warnings"] = self.warned.take()
        self.send(json.dumps(said).encode("ascii") + b"\n")
        self.proceed()
