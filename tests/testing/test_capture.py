"""The files that run inside the dated environments."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import backdate.testing
from backdate.environments.environment import Environment
from backdate.testing.wire import Phase, parse_event

CAPTURE = Path(backdate.testing.__file__).parent / "capture"
FILES = sorted(CAPTURE.glob("*.py"))
VERSIONS = ["2.7", "3.6", "3.7", "3.8", "3.9", "3.10", "3.11", "3.12", "3.13", "3.14"]


@pytest.mark.parametrize("version", VERSIONS)
def test_every_python_can_read_them(plain_environment: Callable[[str], Environment], version: str) -> None:
    python = plain_environment(version).python
    program = "import sys; [compile(open(p, 'rb').read(), p, 'exec') for p in sys.argv[1:]]"
    subprocess.run([str(python), "-W", "error", "-c", program, *map(str, FILES)], check=True)


def test_they_are_plain_ascii_and_depend_on_nothing() -> None:
    assert len(FILES) >= 5
    allowed = {path.stem for path in FILES} | set(sys.stdlib_module_names) | {"pytest", "_pytest", "django"}
    for path in FILES:
        text = path.read_bytes().decode("ascii")  # Python 2 reads nothing else without a declaration
        lines = [line.split() for line in text.splitlines() if line.startswith(("import ", "from "))]
        imported = {words[1].split(".")[0] for words in lines}
        assert imported <= allowed, path.name


def run_inside(tmp_path: Path, python: Path, program: str) -> list[bytes]:
    events = tmp_path / "events"
    events.write_bytes(b"")
    environment = {
        "PYTHONPATH": str(CAPTURE),
        "PYTHONDONTWRITEBYTECODE": "1",
        "BACKDATE_CAPTURE_EVENTS": str(events),
        "BACKDATE_CAPTURE_ROOT": str(tmp_path),
        "PATH": os.environ["PATH"],
    }
    subprocess.run([str(python), "-c", program], check=True, cwd=tmp_path, env=environment)
    return [line for line in events.read_bytes().split(b"\n") if line]


WRITING = r"""
import os
import backdate_capture_events as e
from backdate_capture_raised import describe
e.emit("start", id=e.clean(b"a".decode() + "\\"), file=None)
if os.fork() == 0:
    e.emit("end", id="a", duration=1.0)
    os._exit(0)
os.wait()
e.emit("end", id="a", duration=float("nan"))
e.emit("end", id="a", duration=object())
os.closerange(3, 64)
os.chdir("/")
try:
    try:
        {}["k"]
    except KeyError:
        raise ValueError(u"\xfc\x00\x1b\u2028")
except ValueError as error:
    import sys
    e.emit("phase", id="a", when="call", outcome="failed", xfail=None, sub=False, reason="",
           raised=describe(error, sys.exc_info()[2]))
e.emit_collected(["x%d" % n for n in range(1200)])
"""


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.13"])
def test_what_is_written_is_what_is_read(
    tmp_path: Path, plain_environment: Callable[[str], Environment], version: str
) -> None:
    lines = run_inside(tmp_path, plain_environment(version).python, WRITING)
    names = [json.loads(line)["event"] for line in lines]
    assert names == ["start", "end", "end", "phase", *["collected"] * 3]
    events = [parse_event(line) for line in lines]
    assert [event is None for event in events] == [False, False, True, False, False, False, False]
    phase = events[3]
    assert isinstance(phase, Phase)
    assert phase.raised[-1].type == "ValueError"
    if version != "2.7":
        assert [one.type for one in phase.raised] == ["KeyError", "ValueError"]
        assert phase.raised[-1].message == "ü\x00\x1b\u2028"


DESCRIBING = r"""
import json, sys
from backdate_capture_raised import describe, message_of, type_name

class Meta(type):
    @property
    def __module__(cls): raise RuntimeError
class Odd(ValueError): pass
class Cyclic(Exception):
    @property
    def __cause__(self): raise RuntimeError
class Long(Exception):
    def __str__(self): return "x" * 10000
class Text(str):
    def __len__(self): return 3
    def __getitem__(self, item): raise RuntimeError
    def encode(self, *a): raise RuntimeError

a, b = ValueError("a"), ValueError("b")
a.__cause__, b.__cause__ = b, a
out = [
    describe(a), describe(Cyclic("c")), describe(Long()), describe(ValueError(Text("t"))),
    describe(SyntaxError("bad", ("f.py", 3, 1, "  x = (\n"))),
    describe(UnicodeDecodeError("utf-8", b"x", 0, 1, "r")),
]
nested = ExceptionGroup("g", [ValueError(0)])
for n in range(5000):
    nested = ExceptionGroup("g", [nested])
out.append(describe(nested))
def hide():
    from unittest import mock
    raise LookupError
try:
    hide()
except LookupError as error:
    out.append(describe(error, error.__traceback__, ("<string>",)))
class Failed(Exception): pass
def stand_in(message):
    try:
        try:
            hide()
        except LookupError:
            iter(None)
    except TypeError:
        raise Failed(message)
for message in ("NOTE: Incompatible Exception Representation, displaying natively:\\n\\nLookupError", "own"):
    try:
        stand_in(message)
    except Failed as error:
        out.append(describe(error))
print(json.dumps(out))
"""


def test_hostile_exceptions_are_described(tmp_path: Path) -> None:
    environment = {"PYTHONPATH": str(CAPTURE), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", DESCRIBING], check=True, cwd=tmp_path, env=environment, capture_output=True
    )
    cyclic, odd, long, text, syntax, decode, nested, hidden, shown, failed = json.loads(done.stdout)
    assert [(one["message"], one["link"]) for one in cyclic] == [("b", ""), ("a", "cause")]
    assert odd[0]["type"] == "__main__.Cyclic"
    assert len(long[0]["message"]) == 4000
    assert text[0]["message"] == "t"
    [frame] = syntax[0]["frames"]
    assert (frame["line"], frame["source"]) == (3, "x = (")
    assert decode[0]["type"] == "UnicodeDecodeError"
    assert 1 <= len(nested) <= 32
    assert len(hidden[0]["frames"]) == 1
    assert [(one["type"], one["frames"][-1]["function"]) for one in shown] == [("LookupError", "hide")]
    assert [one["type"] for one in failed] == ["LookupError", "TypeError", "__main__.Failed"]
