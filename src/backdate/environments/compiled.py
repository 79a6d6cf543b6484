"""Which modules of an environment are compiled when it is made, and which are taken over from neighbours.

Compiling is most of the work of making a small environment, and environments of one project at two
instants hold mostly the same files. Where a module equals the neighbour's, byte for byte, what was compiled
is copied with the module's own time in it (PEP 552). Nothing is linked: each environment is sealed by itself.
What hardly any suite imports is left to be compiled when it is: it would be half the work.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

Holdings = frozenset[tuple[str, str]]
"""What an environment holds: names and versions of distributions."""

MOST_NEIGHBOURS = 3

_NOT_COMPILED = r"/site-packages/(?:pip/|setuptools/|pygments/lexers/|(?:.+/)?tests/)"
"""The installer, the builder (both move with every instant), hundreds of lexers of which none or one is used,
and the libraries' own tests, which are more than half of some libraries."""

_SHARE = """
import os, stat, struct, sys
new, at = sys.argv[1], 8 if sys.version_info >= (3, 7) else 4
def read(path):
    with open(path, "rb") as file:
        return file.read()
def stamp(information):
    return struct.pack("<II", int(information.st_mtime) & 0xFFFFFFFF, information.st_size & 0xFFFFFFFF)
def take(theirs, name, folder):
    module, compiled = name.split(".")[0] + ".py", os.path.join(theirs, "__pycache__", name)
    source, other = os.path.join(folder, module), os.path.join(theirs, module)
    target = os.path.join(folder, "__pycache__", name)
    here, there = os.lstat(source), os.lstat(other)
    if os.path.lexists(target) or here.st_size != there.st_size:
        return
    if not all(stat.S_ISREG(one.st_mode) for one in (here, there, os.lstat(compiled))):
        return
    data = read(compiled)
    if any(data[4:at]) or data[at:at + 8] != stamp(there) or read(source) != read(other):
        return
    if not os.path.isdir(os.path.dirname(target)):
        os.mkdir(os.path.dirname(target))
    with open(target, "xb") as file:
        file.write(data[:at] + stamp(here) + data[at + 8:])
for old, (folder, folders, files) in ((old, one) for old in sys.argv[2:] for one in os.walk(new)):
    theirs = os.path.join(old, os.path.relpath(folder, new))
    try:
        names = os.listdir(os.path.join(theirs, "__pycache__"))
    except OSError:
        continue
    for name in names:
        try:
            take(theirs, name, folder)
        except OSError:
            pass
"""
"""In the syntax of any Python 3; it stands on a command line, and is run by the interpreter of the two."""


_COMPILE = """
import compileall, os, re, sys
lib, skipped = sys.argv[1], re.compile(sys.argv[2])
paths = [os.path.join(folder, name) for folder, _, names in os.walk(lib) for name in names]
paths = sorted(path for path in paths if path.endswith(".py") and not skipped.search(path))
parts, part, children = min(len(os.sched_getaffinity(0)), 16), 0, []
for number in range(1, parts):
    child = os.fork()
    if not child:
        part, children = number, []
        break
    children.append(child)
for path in paths[part::parts]:
    try:
        compileall.compile_file(path, quiet=2)
    except Exception:
        pass
for child in children:
    os.waitpid(child, 0)
"""
"""``python -m compileall -j 0`` hands every file to its processes by itself, which takes longer than the
compiling where most is there already: here each process takes its share at once."""


def compiling_arguments(root: Path, python: Path) -> tuple[str, ...]:
    """The command that compiles what is not compiled yet in the environment at ``root``, by ``python``.

    That is the interpreter which the environment was made of: a build can replace the program in it.

    It stumbles over files that are not for this Python (some are shipped for others): they are left as they
    are, as pip leaves them.
    """
    return (str(python), "-I", "-S", "-c", _COMPILE, str(root / "lib"), _NOT_COMPILED)


def sharing_arguments(root: Path, neighbours: Sequence[Path], python: Path) -> tuple[str, ...]:
    """The command that copies what was compiled in the environments ``neighbours`` into the one at ``root``.

    What cannot be taken over is left to be compiled.
    """
    folders = (str(one / "lib") for one in (root, *neighbours))
    return (str(python), "-I", "-S", "-c", _SHARE, *folders)


def nearest(wanted: Holdings, known: Mapping[str, Holdings]) -> tuple[str, ...]:
    """Of the environments ``known`` few that together hold most of what is ``wanted``, the nearest first."""
    left, rest = wanted, dict(known)
    found: list[str] = []
    while rest and len(found) < MOST_NEIGHBOURS:
        best = max(reversed(rest), key=lambda one: len(rest[one] & left))  # of equals the last one
        if not rest[best] & left:
            break
        left = left - rest.pop(best)
        found.append(best)
    return tuple(found)
