"""What is a module by now is looked for in that module."""

from __future__ import annotations

from pathlib import Path

import pytest
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.uses import uses_in
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.became_modules import became_modules

CODES = "codes = {'red': '1'}\ndef other(): pass\n"
PROJECT = "from lib import codes, other\n\ndef f(color):\n    return codes[color] + other\n"


@pytest.fixture
def pair(tmp_path: Path, one_sandbox: Sandbox) -> EnvironmentPair:
    shown = "from lib.codes import codes, other\n"
    new = {"lib/__init__.py": "from lib.codes import other\nimport lib.codes\n", "lib/codes.py": CODES}
    old = {"lib/__init__.py": shown, "lib/codes.py": CODES}
    return EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(tmp_path / "old", "lib", "1.0", old),
        new=with_library(tmp_path / "new", "lib", "2.0", new),
    )


def edited(pair: EnvironmentPair, tree: Path, message: str) -> list[str]:
    tree.mkdir()
    (tree / "a.py").write_text(PROJECT)
    cause = Cause(kind=CauseKind.CHANGED_TYPE, type="TypeError", message=message)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=4),))
    evidence = FixEvidence(
        tree=tree, uses=uses_in(tree), texts={"a.py": PROJECT}, pair=pair, modules={"lib": "lib"}
    )
    found = list(became_modules(group, evidence))
    rewrites = [(one.rewrite, frozenset(place.line for place in one.places)) for one in found]
    return [
        apply_edits(PROJECT, rewrite_source(PROJECT, rewrite, lines=lines).edits)
        for rewrite, lines in rewrites
        if rewrite is not None
    ]


def test_the_name_is_imported_from_the_module_that_it_is_now(pair: EnvironmentPair, tmp_path: Path) -> None:
    assert edited(pair, tmp_path / "tree", "'module' object is not subscriptable") == [
        PROJECT.replace("from lib import codes, other", "from lib import other\nfrom lib.codes import codes")
    ]


def test_other_errors_are_not_about_modules(pair: EnvironmentPair, tmp_path: Path) -> None:
    assert edited(pair, tmp_path / "tree", "'dict' object is not callable") == []
