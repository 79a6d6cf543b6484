"""The CPythons on this machine: uv's own, pyenv's, conda's, and those on PATH.

Every candidate is run once, to ask what it is; the answer is kept by path, times and size, so
that a second look starts no process. Where one minor is enough, what is called by another (``python3.9``) is
not asked. A candidate is never taken from the project's tree or from a
relative PATH entry, and a shim (a script that asks the current folder which Python to run) is not a
candidate: what it would run is found where it is installed.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from backdate.environments.environment import Interpreter
from backdate.errors import StoredDataError
from backdate.serial import from_json, to_json, write_whole
from backdate.text import minor_version, version_numbers
from backdate.timeline.calendar import OLDEST_MINOR

Origin: TypeAlias = Literal["uv", "path", "pyenv", "conda"]
InterpreterCandidate: TypeAlias = tuple[Path, Origin]

_NAME = re.compile(r"python(3(\.\d{1,2})?)?\Z")
_CONDA_HOMES = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba")
_PROBE_S = 20.0
_FORMAT = 3
"""Of what is kept; that of another format is asked anew."""
_ORDER: dict[str, int] = {"uv": 0, "pyenv": 1, "path": 2, "conda": 3}

_PROBE_ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LC_ALL": "C",
    "SETUPTOOLS_USE_DISTUTILS": "stdlib",  # else it shows its own for one that is not there, and takes long
}
_PROBE = """
import json, os, platform, sys, sysconfig
try:
    import distutils.core
    complete = True
except ImportError:
    complete = sys.version_info >= (3, 12)
header = os.path.join(sysconfig.get_path("include") or "", "Python.h")
print(json.dumps({
    "implementation": platform.python_implementation(),
    "version": "%d.%d.%d" % sys.version_info[:3],
    "final": sys.version_info[3] == "final",
    "debug": hasattr(sys, "gettotalrefcount"),
    "free_threaded": bool(sysconfig.get_config_var("Py_GIL_DISABLED")),
    "virtual": sys.prefix != sys.base_prefix,
    "prefix": os.path.realpath(sys.base_prefix),
    "complete": complete and os.path.exists(header),
}))
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class InterpreterProbe:
    """What a candidate said of itself."""

    implementation: str
    version: str
    final: bool
    debug: bool
    free_threaded: bool
    virtual: bool
    prefix: str
    complete: bool
    """Whether it has its headers and (before 3.12) distutils, which some systems package apart."""

    @property
    def usable(self) -> bool:
        """A final CPython of an ordinary build, 3.6 or newer, and no virtual environment."""
        if re.fullmatch(r"\d{1,3}\.\d{1,3}\.\d{1,3}", self.version) is None:
            return False
        ordinary = self.implementation == "CPython" and self.final and not (self.debug or self.free_threaded)
        return ordinary and not self.virtual and version_numbers(self.version)[:2] >= OLDEST_MINOR


@dataclass(frozen=True, slots=True, kw_only=True)
class _KeptProbe:
    """A probe's answer and the file that it is true of; None: the file did not answer as a Python 3 does."""

    mtime_ns: int
    ctime_ns: int
    size: int
    probe: InterpreterProbe | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _KnownInterpreters:
    """What the file keeps."""

    format: int = _FORMAT
    entries: dict[str, _KeptProbe] = field(default_factory=dict)


def find_interpreters(
    *,
    cache_file: Path,
    environment: Mapping[str, str],
    avoid: Iterable[Path] = (),
    minor: str | None = None,
) -> tuple[Interpreter, ...]:
    """The interpreters that may be used on this machine, by version; of equal ones the best first.

    One without headers or distutils (some systems package them apart) is left out where a whole one
    of its minor is there. ``environment``: PATH, HOME, PYENV_ROOT, CONDA_PREFIX and the like are read
    from it. ``avoid``: trees from which nothing may be run (the project's). ``cache_file`` keeps the
    answers of the probes. ``minor``: those of this one ("3.8") alone.
    """
    known = _read_cache(cache_file)
    forbidden = [path.resolve() for path in avoid]
    entries: dict[str, _KeptProbe] = {}
    found: list[tuple[Interpreter, bool]] = []
    seen: set[Path] = set()
    for candidate, source in candidates(environment):
        executable = candidate.resolve()
        if executable in seen or any(executable.is_relative_to(tree) for tree in forbidden):
            continue
        seen.add(executable)
        if minor is not None and _is_called_otherwise(executable, minor):
            continue
        kept = _look(executable, known.get(str(executable)))
        if kept is None:
            continue
        entries[str(executable)] = kept
        probe = kept.probe
        if probe is not None and probe.usable and minor in (None, minor_version(probe.version)):
            interpreter = Interpreter(
                version=probe.version, executable=executable, prefix=Path(probe.prefix), source=source
            )
            found.append((interpreter, probe.complete))
    if minor is not None:
        entries = {**known, **entries}  # the others were not looked at
    if entries != known:
        write_whole(cache_file, to_json(_KnownInterpreters(entries=entries), indent=1))
    found.sort(key=lambda pair: (version_numbers(pair[0].version), _ORDER[pair[0].source]))
    whole = {version_numbers(interpreter.version)[:2] for interpreter, complete in found if complete}
    return tuple(i for i, complete in found if complete or version_numbers(i.version)[:2] not in whole)


def _is_called_otherwise(executable: Path, minor: str) -> bool:
    """Whether the name of a program says that it is of another minor than ``minor``."""
    match = _NAME.match(executable.name)
    return match is not None and match[2] is not None and match[1] != minor


def candidates(environment: Mapping[str, str]) -> Iterator[InterpreterCandidate]:
    """Files that may be interpreters, the preferred first; some twice under two names."""
    home = Path(environment.get("HOME") or "/nonexistent")
    yield from _below(uv_folder(environment), "cpython-*/bin", "uv")
    pyenv = Path(environment.get("PYENV_ROOT") or home / ".pyenv")
    yield from _below(pyenv / "versions", "*/bin", "pyenv")
    yield from _on_path(environment.get("PATH", ""))
    for prefix in _conda_prefixes(environment, home):
        yield from _below(prefix, "bin", "conda")
        yield from _below(prefix / "envs", "*/bin", "conda")


def uv_folder(environment: Mapping[str, str]) -> Path:
    """Where uv keeps the interpreters that it downloads."""
    if environment.get("UV_PYTHON_INSTALL_DIR"):
        return Path(environment["UV_PYTHON_INSTALL_DIR"])
    home = Path(environment.get("HOME") or "/nonexistent")
    return Path(environment.get("XDG_DATA_HOME") or home / ".local/share") / "uv/python"


def _conda_prefixes(environment: Mapping[str, str], home: Path) -> Iterator[Path]:
    for name in ("CONDA_PREFIX", "CONDA_ROOT", "MAMBA_ROOT_PREFIX"):
        if environment.get(name):
            yield Path(environment[name])
    for parent in (home, Path("/opt")):
        for name in _CONDA_HOMES:
            yield parent / name
    yield Path("/opt/conda")


def _below(folder: Path, pattern: str, source: Origin) -> Iterator[InterpreterCandidate]:
    """The Pythons in the folders ``folder/pattern``; a relative folder is not looked into."""
    if not folder.is_absolute() or not _is_folder(folder):
        return
    for binaries in sorted(folder.glob(pattern)):
        yield from ((path, source) for path in _pythons(binaries))


def _on_path(text: str) -> Iterator[InterpreterCandidate]:
    for entry in text.split(os.pathsep):
        folder = Path(entry)
        # A relative entry may be the project's folder; what a shim answers depends on the folder.
        if folder.is_absolute() and folder.name != "shims":
            yield from ((path, "path") for path in _pythons(folder))


def _pythons(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:  # of thousands: a path for each would take long
            names = sorted(entry.name for entry in entries if _NAME.match(entry.name))
    except OSError:  # not a folder, or not ours to look into: no interpreter for us there
        return []
    return [folder / name for name in names]


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # below a folder that may not be entered
        return False


def _look(executable: Path, known: _KeptProbe | None) -> _KeptProbe | None:
    """What is known of the file, asked anew when it changed; None when it is no program or does not end."""
    try:
        found = executable.stat()
    except OSError:
        return None
    if not executable.is_file() or not os.access(executable, os.X_OK):
        return None
    if known is not None and (known.mtime_ns, known.ctime_ns, known.size) == (
        found.st_mtime_ns,
        found.st_ctime_ns,
        found.st_size,
    ):
        return known
    try:
        probe = probe_interpreter(executable)
    except TimeoutError:  # a busy machine, perhaps: ask again next time
        return None
    return _KeptProbe(mtime_ns=found.st_mtime_ns, ctime_ns=found.st_ctime_ns, size=found.st_size, probe=probe)


def probe_interpreter(executable: Path) -> InterpreterProbe | None:
    """What the interpreter says of itself; None when it does not answer as a Python 3 does.

    Raises TimeoutError when it does not end in time.
    """
    command = [str(executable), "-I", "-B", "-W", "ignore", "-c", _PROBE]
    try:
        done = subprocess.run(
            command,
            cwd="/",
            env=_PROBE_ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PROBE_S,
            check=False,
        )
        return from_json(InterpreterProbe, done.stdout) if done.returncode == 0 else None
    except subprocess.TimeoutExpired as error:
        raise TimeoutError(f"{executable} did not answer within {_PROBE_S:.0f} s") from error
    except (OSError, StoredDataError):
        return None


def _read_cache(path: Path) -> dict[str, _KeptProbe]:
    """What is known; nothing when the file is absent, damaged or of another format: then it is asked anew."""
    try:
        cache = from_json(_KnownInterpreters, path.read_bytes())
    except (FileNotFoundError, StoredDataError):
        return {}
    return cache.entries if cache.format == _FORMAT else {}
