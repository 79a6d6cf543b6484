"""Finders that Python 3.12 asks no more."""

from __future__ import annotations

import sys

import pytest
from moved_python import moved_python

from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.sources.old_finders import old_finders

FINDER = """import sys
import types


class Finder(object):
    def find_module(self, fullname, path=None):
        if fullname == "made_up_for_a_test":
            return self
        return None

    def load_module(self, fullname):
        module = sys.modules[fullname] = types.ModuleType(fullname)
        module.x = 3
        return module


sys.meta_path.append(Finder())
"""


def proposed(
    text: str,
    kind: CauseKind = CauseKind.MISSING_MODULE,
    new: str = "3.12.1",
    executed: frozenset[int] = frozenset({7}),
    **more: object,
) -> list[str]:
    cause = Cause(kind=kind, type="ModuleNotFoundError", message="No module named 'made_up'", name="made_up")
    group, evidence = moved_python(text, cause, new=new, executed=executed, **more)
    return [one.file_edits[0].text for one in old_finders(group, evidence)]


@pytest.mark.skipif(sys.version_info >= (3, 15), reason="load_module alone loads until Python 3.14")
@pytest.mark.filterwarnings("ignore")
def test_what_the_finder_finds_is_imported_again() -> None:
    (text,) = proposed(FINDER)
    assert text.startswith(FINDER[: FINDER.index("\n\n\nsys.meta_path")])
    assert text.endswith("\n\n\nsys.meta_path.append(Finder())\n")
    before = list(sys.meta_path)
    try:
        exec(compile(text, "a", "exec", dont_inherit=True), {"__name__": __name__})
        assert __import__("made_up_for_a_test").x == 3
        with pytest.raises(ImportError):
            __import__("not_made_up_for_a_test")
    finally:
        sys.meta_path[:] = before
        sys.modules.pop("made_up_for_a_test", None)


def test_others_are_left_alone() -> None:
    assert proposed(FINDER.replace("load_module", "find_spec")) == []
    assert proposed(FINDER, kind=CauseKind.CHANGED_VALUE) == []
    assert proposed(FINDER, new="3.11.7") == []
    assert proposed(FINDER, executed=frozenset({17})) == []  # nobody asked it
    assert proposed(FINDER, kept_files=frozenset({"a.py"})) == []
    assert proposed(f"{FINDER}print 'Python 2'\n") == []
