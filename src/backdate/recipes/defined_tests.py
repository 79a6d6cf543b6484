"""How many of the tests that a project's files define were run: a green suite may be a small part of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from backdate.recipes.suite import find_suite

_NOT_OWN = re.compile(
    r"(?:_?vendor(?:ed)?|third_?party|docs?|data|test_?data|fixtures?|resources|samples?|templates?|assets"
    r"|examples?|benchmarks?|perf(?:ormance)?)\Z|.*[{}]",
    re.IGNORECASE,
)
"""Folders whose test files are what tests read or copies of other projects, and not run by them."""
_PARAMETERS = re.compile(r"\[.*|#\d+\Z", re.DOTALL)
_NAME = re.compile(r"test\w*")
_GENERATED = re.compile(r"(test\w*?)_\d+(?:_\w*)?\Z")
"""``test_add_3_some_value``, as ``ddt`` and ``parameterized`` name what they make of ``test_add``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinedTests:
    """The test functions that a project's own test files define."""

    names: Mapping[str, int]
    """How often each name is defined."""
    by_file: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """The same for each file, by its path from the project's root."""

    @property
    def count(self) -> int:
        """All of them."""
        return sum(self.names.values())

    def without(self, ids: Iterable[str]) -> DefinedTests:
        """These but for the tests ``ids``; the id of a whole file leaves all of its tests out."""
        left_out: Counter[str] = Counter()
        for own in {_PARAMETERS.sub("", test) for test in ids}:
            left_out.update(self.by_file.get(own) or {_last_name(own): 1})
        left = {name: defined - left_out[name] for name, defined in self.names.items()}
        return replace(self, names={name: count for name, count in left.items() if count > 0})

    def covered_by(self, ids: Iterable[str]) -> int:
        """How many of them the tests ``ids`` are, whichever runner named them.

        A function that is run with many parameters counts once, and so does a method that subclasses inherit:
        of each name no more count than are defined.
        """
        ran: Counter[str] = Counter()
        for own in {_PARAMETERS.sub("", test) for test in ids}:
            last = own.rpartition("::")[2]
            name = last if last in self.names else _last_name(own)
            generated = _GENERATED.match(name)
            ran[generated[1] if name not in self.names and generated else name] += 1
        return sum(min(defined, ran[name]) for name, defined in self.names.items())


def doctests_among(ids: Iterable[str]) -> int:
    """How many of the tests ``ids``, as pytest names them, are doctests: of modules and of other files.

    No file of tests defines them as functions, so each that ran is one more that the project has.
    """
    return sum(map(_is_doctest, {_PARAMETERS.sub("", test) for test in ids}))


def _is_doctest(test: str) -> bool:
    """ "pkg/module.py::pkg.module.function" and "tests/usage.txt::usage.txt"; no function has a dot."""
    file, _, name = test.partition("::")
    return bool(name) and "::" not in name and ("." in name or not file.endswith(".py"))


def _last_name(test: str) -> str:
    """The function of a node id or a dotted id."""
    last = re.split(r"::|\.|\s", test)
    return next((part for part in reversed(last) if _NAME.match(part)), last[-1])


def defined_tests(root: Path) -> DefinedTests:
    """The tests that the files at ``root`` define, as far as they can be read. Nothing is run."""
    names: Counter[str] = Counter()
    by_file: dict[str, Counter[str]] = {}
    for file in find_suite(root):
        if not any(_NOT_OWN.match(part) for part in file.path.split("/")[:-1]):
            by_file[file.path] = Counter(file.names)
            names.update(file.names)
    return DefinedTests(names=names, by_file=by_file)
