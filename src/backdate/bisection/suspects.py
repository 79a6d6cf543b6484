"""Which distributions a failure speaks of, and which ones the code that failed imports and calls.

Nothing is run: files of the project and of the environment are read, both hostile, with bounds.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path

from packaging.version import Version

from backdate.advising.uses import python_files
from backdate.bisection.errors_of_run import Known
from backdate.bisection.result import Culprit, Likelihood, Suspicion
from backdate.bisection.version_moves import version_of
from backdate.checking.result import PackageChange
from backdate.diagnosis.distributions import Distributions, Installed, read_bounded, site_packages
from backdate.diagnosis.owners import BUILTIN, Owners, names_in
from backdate.diagnosis.result import Cause, CauseKind, FrameKind, PlacedFrame
from backdate.editing.python_source import parsed_or_none
from backdate.environments.environment import Environment
from backdate.errors import ConfigurationError
from backdate.index.names import normalise
from backdate.projects.read import read_bytes

_LARGEST = 2 * 1024 * 1024
_MOST_FILES = 40
"""Files that are read for one failure."""
RUNNERS = frozenset({"pytest", "pluggy", "pip", "setuptools", "wheel"})
"""They are in most tracebacks and are called by nearly no code that is tested: these come last."""
_IMPORT = re.compile(
    r"^[ \t]*(?:from[ \t]+([A-Za-z_][\w.]*)[ \t]+import\b|import[ \t]+([A-Za-z_][\w.]*))", re.MULTILINE
)
_NOT_OWN = re.compile(
    r"(?:\A|/)(?:tests?|docs?|examples?|benchmarks?)/|(?:\A|/)(?:test_\w*|\w*_test|tests?|conftest|setup|noxfile)\.py\Z"
)
"""Files of a project that are not imported where it is used."""


def is_own_code(file: str) -> bool:
    """Whether a file of a project is of what is used elsewhere: no test, example or tool."""
    return _NOT_OWN.search(file) is None


def named_by(cause: Cause | None) -> tuple[str, ...]:
    """The distributions (normalised) that an error names, the likeliest first.

    A fixture that is missing is missed by pytest, whoever gave it: that pytest says so names nobody.
    """
    if cause is None:
        return ()
    found = (normalise(name) for name in (cause.distribution, *cause.related) if name and name != BUILTIN)
    fixture = cause.kind is CauseKind.MISSING_FIXTURE
    return tuple(dict.fromkeys(name for name in found if not (fixture and name in RUNNERS)))


class CalledDistributions:
    """Finds what failing code imports and calls, in one environment and the project's tree."""

    def __init__(self, environment: Environment, tree: Path) -> None:
        self._environment, self._tree = environment, tree
        self._owners: Owners | None = None
        self._folders: tuple[Path, ...] = ()
        self._imported: tuple[str, ...] | None = None

    def of(self, known: Known) -> tuple[str, ...]:
        """Distributions (normalised): of what the failing functions use, the innermost first; then of what
        they use of the project's own modules; then of all that their files import."""
        owners = self._known_owners()
        reader = _CodeReader(self._tree, self._folders, owners)
        found = dict.fromkeys(self._plugins_with(known.cause))
        found.update(dict.fromkeys(reader.distributions(known.frames)))
        for frame in known.frames:
            if frame.kind is FrameKind.SITE_PACKAGES and frame.distribution:
                found.setdefault(normalise(frame.distribution))
        return tuple(sorted(found, key=lambda name: name in RUNNERS))

    def _plugins_with(self, cause: Cause | None) -> Iterator[str]:
        """The plugins of pytest, where a fixture is missing: of no other code a traceback would show one.

        Those first that speak of it: a plugin that dropped a fixture mostly does still.
        """
        if cause is None or cause.kind is not CauseKind.MISSING_FIXTURE:
            return
        installed = Distributions(self._folders)
        plugins = [installed.all[name] for name in _plugins(self._folders) if name in installed.all]
        speaking = [one for one in plugins if self._speaks_of(installed, one, cause.name)]
        yield from (one.key for one in (*speaking, *plugins))

    def _speaks_of(self, installed: Distributions, plugin: Installed, name: str) -> bool:
        named = re.compile(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])")
        for file in islice(installed.python_files(plugin), _MOST_FILES):
            texts = (read_bounded(folder / file, _LARGEST) for folder in self._folders)
            if any(text is not None and named.search(text) for text in texts):
                return True
        return False

    def imported(self) -> tuple[str, ...]:
        """Distributions (normalised) that the project's own code imports, whatever failed: a test may fail
        because of them and not show it, as of a web application that it only sends requests to."""
        if self._imported is None:
            owners = self._known_owners()
            modules: dict[str, None] = {}
            for file in filter(is_own_code, python_files(self._tree)):
                try:
                    data = read_bytes(self._tree, file, limit=_LARGEST) or b""
                except ConfigurationError:  # too large, or a link to elsewhere
                    continue
                text = data.decode("utf-8", "replace")
                modules |= dict.fromkeys(match[1] or match[2] for match in _IMPORT.finditer(text))
            found = (name for module in modules for name in _named(owners.of_module(module)))
            self._imported = tuple(name for name in dict.fromkeys(found) if name not in RUNNERS)
        return self._imported

    def _known_owners(self) -> Owners:
        if self._owners is None:
            self._folders = site_packages(*self._environment.roots)
            self._owners = Owners(Distributions(self._folders), library=None, tree=self._tree)
        return self._owners


def _plugins(folders: Iterable[Path]) -> Iterator[str]:
    """The distributions (normalised) that offer plugins to pytest, by their entry points."""
    for folder in folders:
        for entries in sorted(folder.glob("*.dist-info/entry_points.txt")):
            if "[pytest11]" in (read_bounded(entries, _LARGEST) or ""):
                yield normalise(entries.parent.name.removesuffix(".dist-info").rpartition("-")[0])


class _CodeReader:
    def __init__(self, tree: Path, folders: Sequence[Path], owners: Owners) -> None:
        self._tree, self._folders, self._owners = tree, folders, owners
        self._read: dict[str, tuple[ast.Module, Mapping[str, str]] | None] = {}

    def distributions(self, frames: Iterable[PlacedFrame]) -> Iterator[str]:
        used: list[tuple[str, str]] = []
        """Names of the project's own modules, each with the name that is used of it."""
        files: list[str] = []
        for frame in frames:
            file, function = frame.frame.file, frame.frame.function
            files += [file, *_conftests(file)] if frame.kind is FrameKind.TEST else [file]
            for dotted in self._used(file, function, frame.frame.line):
                owner = self._owners.of_module(dotted)
                used += [] if owner is not None else [_split(dotted)]
                yield from _named(owner)
        for module, name in dict.fromkeys(used):
            for file in self._files_of(f"{module}.{name}" if module else name, module):
                files.append(file)
                for dotted in self._used(file, name, 0):
                    yield from _named(self._owners.of_module(dotted))
        for file in dict.fromkeys(files):
            parsed = self._parsed(file)
            for dotted in () if parsed is None else parsed[1].values():
                yield from _named(self._owners.of_module(dotted))

    def _used(self, file: str, function: str, line: int) -> Iterator[str]:
        """The dotted names that imports of ``file`` stand for and its function uses, in their order."""
        parsed = self._parsed(file)
        if parsed is None:
            return
        tree, imports = parsed
        for node in _definitions(tree, function, line):
            names = {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}
            yield from (home for name, home in imports.items() if name in names)

    def _parsed(self, file: str) -> tuple[ast.Module, Mapping[str, str]] | None:
        if file not in self._read:
            text = self._text(file) if len(self._read) < _MOST_FILES else None
            self._read[file] = None if text is None else _parse(text)
        return self._read[file]

    def _text(self, file: str) -> str | None:
        _, installed, relative = file.rpartition("site-packages/")
        roots = self._folders if installed else (self._tree,)
        for root in roots:
            path = root / (relative if installed else file)
            try:
                inside = path.resolve().is_relative_to(root.resolve())
            except (OSError, ValueError, RuntimeError):  # a loop of links, or no path at all
                continue
            text = read_bounded(path, _LARGEST) if inside else None
            if text is not None:
                return text
        return None

    def _files_of(self, *modules: str) -> Iterator[str]:
        """The files in the tree that may be one of the project's ``modules``; the first that is there."""
        for module in modules:
            path = module.replace(".", "/")
            for folder in ("", "src/", "lib/"):
                for file in (f"{folder}{path}.py", f"{folder}{path}/__init__.py"):
                    if module and self._parsed(file) is not None:
                        yield file
                        return


def _parse(text: str) -> tuple[ast.Module, Mapping[str, str]] | None:
    tree = parsed_or_none(text)
    return None if tree is None else (tree, names_in(text).imports)


def _definitions(tree: ast.Module, name: str, line: int) -> list[ast.AST]:
    """The innermost function or class called ``name`` around ``line``; of line 0 all of that name."""
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
        and node.name == name
        and (not line or node.lineno <= line <= (node.end_lineno or node.lineno))
    ]
    return list(found[-1:] if line else found)


def _conftests(file: str) -> list[str]:
    """The files of fixtures that a test file may take, the nearest first."""
    folders = file.split("/")[:-1]
    return ["/".join((*folders[:depth], "conftest.py")) for depth in range(len(folders), -1, -1)]


def _split(dotted: str) -> tuple[str, str]:
    module, _, name = dotted.rpartition(".")
    return module, name


def _named(owner: Installed | str | None) -> tuple[str, ...]:
    if owner is None or owner == BUILTIN:
        return ()
    return (owner.key if isinstance(owner, Installed) else normalise(owner),)


_ORDER: tuple[Likelihood, ...] = ("named", "called", "major", "minor", "other")


def likelihood(change: PackageChange | Culprit, named: Sequence[str], called: Sequence[str]) -> Likelihood:
    """How likely it is that ``change`` is why tests fail, as far as is known without trying it."""
    if change.name in named:
        return "named"
    if change.name in called:
        return "called"
    old, new = version_of(change.old), version_of(change.new)
    if old is None or new is None:
        return "other"
    return step_of(old, new)


def step_of(old: Version, new: Version) -> Likelihood:
    """The largest part of a version that moved; the second one of a 0.x version counts as its first."""
    if old.epoch != new.epoch or old.major != new.major or (old.major == 0 and old.minor != new.minor):
        return "major"
    return "minor" if old.minor != new.minor else "other"


_WEIGHTS = {"major": 8.0, "minor": 3.0, "other": 1.0}
"""How likely a step of a version is to break a program, beside a patch."""


def by_step(names: Iterable[str], moved: Mapping[str, PackageChange]) -> list[str]:
    """Those of ``names`` that moved, larger steps first; what most tests call anyway (pytest) comes last."""

    def key(name: str) -> tuple[bool, int]:
        old, new = version_of(moved[name].old), version_of(moved[name].new)
        step: Likelihood = "other" if old is None or new is None else step_of(old, new)
        return name in RUNNERS, _ORDER.index(step)

    return sorted((name for name in dict.fromkeys(names) if name in moved), key=key)


def weights_of(versions: Sequence[str | None]) -> tuple[float, ...]:
    """How likely each step from one of ``versions`` to the next is to break a program."""
    known = [version_of(version) for version in versions]
    return tuple(
        1.0 if low is None or high is None else _WEIGHTS[step_of(low, high)] for low, high in pairwise(known)
    )


def ranked(culprits: Iterable[Culprit], named: Sequence[str], called: Sequence[str]) -> tuple[Suspicion, ...]:
    """``culprits`` with why each may be it, the likeliest first."""
    suspicions = [
        Suspicion(culprit=culprit, likelihood=likelihood(culprit, named, called)) for culprit in culprits
    ]
    places = {name: place for place, name in enumerate((*named, *called))}

    def key(suspicion: Suspicion) -> tuple[int, int, str]:
        name = suspicion.culprit.name
        return _ORDER.index(suspicion.likelihood), places.get(name, len(places)), name

    return tuple(sorted(suspicions, key=key))
