"""Old defaults in calls that leave them out, asked of two real environments."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.uses import uses_in
from backdate.bisection.result import GivenWarning
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import AddArgument
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.changed_defaults import ChangedDefaultSource

OLD = """
def trees(count=10, kind='gini'): pass
def load(path, pickled=True): pass
def split(n='warn', *, seed=1): pass
def replaced(a, b, regex=None): pass
def steady(a, b=1, copy=True, none=None, flag=1, taken=("name", "doc")): pass
"""
NEW = """
def trees(count=100, kind='gini'): pass
def load(path, pickled=False): pass
def split(n=5, *, seed=1): pass
def replaced(a, b, regex=False): pass
def steady(a, b=1, copy=None, none=False, flag=True, taken=("name", "doc", "types")): pass
"""
SOURCE = """\
import lib
lib.trees()
lib.load("x")
lib.split(seed=2)
lib.replaced("a", "b")
lib.steady(1)
lib.load("x", False)
lib.trees(count=3)
def unused():
    return lib.trees()
"""
TREES = AddArgument(function="lib.trees", argument="count", value="10", position=0)
LOAD = AddArgument(function="lib.load", argument="pickled", value="True", position=1)
REPLACED = AddArgument(function="lib.replaced", argument="regex", value="True", position=2)


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory, one_sandbox: Sandbox) -> FixEvidence:
    root = tmp_path_factory.mktemp("defaults")
    (root / "tree").mkdir()
    (root / "tree/p.py").write_text(SOURCE)
    warned = GivenWarning(
        category="FutureWarning",
        message="The default value of regex will change from True to False in a future version.",
        places=(SourcePlace(file="p.py", line=5),),
        names_it=False,
    )
    return FixEvidence(
        tree=root / "tree",
        uses=uses_in(root / "tree"),
        texts={"p.py": SOURCE},
        pair=EnvironmentPair(
            sandbox=one_sandbox,
            old=with_library(root / "old", "lib", "1.0", {"lib.py": OLD}),
            new=with_library(root / "new", "lib", "2.0", {"lib.py": NEW}),
        ),
        executed={"p.py": frozenset(range(1, 9))},
        warnings=(warned,),
        versions={"lib": ("1.0", "2.0")},
        modules={"lib": "lib"},
    )


def proposed(evidence: FixEvidence, kind: CauseKind = CauseKind.ASSERTION, line: int = 8) -> list[Proposal]:
    cause = Cause(kind=kind, type="AssertionError", message="assert 1 == 2")
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="p.py", line=line),))
    return list(ChangedDefaultSource().propose(group, evidence))


def test_old_defaults_are_given_all_at_once_and_then_each(evidence: FixEvidence) -> None:
    announced, together, *each = proposed(evidence)
    assert announced.rewrite == REPLACED, "what was announced comes first"
    assert announced.why[0].text.startswith("FutureWarning: The default value of regex will change from True")
    assert together.file_edits[0].text == SOURCE.replace("trees()\n", "trees(count=10)\n", 1).replace(
        '"x")', '"x", pickled=True)'
    ).replace('"b")', '"b", regex=True)')
    assert [one.rewrite for one in each] == [REPLACED, TREES, LOAD]
    assert each[2].why[0].text == "the default of pickled in lib.load was True and is False"


def test_another_error_is_about_its_own_lines_and_then_what_was_announced(evidence: FixEvidence) -> None:
    found = [one.rewrite for one in proposed(evidence, CauseKind.OTHER_ERROR, 3)]
    assert found == [LOAD, REPLACED]
    assert proposed(evidence, CauseKind.MISSING_ATTRIBUTE, 3) == []
    assert proposed(replace(evidence, executed={}), CauseKind.ASSERTION) == []
    assert proposed(replace(evidence, pair=None)) == []


def test_without_the_warning_the_signatures_tell(evidence: FixEvidence) -> None:
    told = [one.rewrite for one in proposed(replace(evidence, warnings=())) if one.rewrite is not None]
    assert told == [TREES, LOAD]


def test_of_what_a_line_calls_that_is_meant_which_takes_the_argument(
    evidence: FixEvidence, tmp_path: Path
) -> None:
    source = SOURCE.replace('lib.replaced("a", "b")', 'lib.steady(lib.replaced("a", "b"))')
    (tmp_path / "p.py").write_text(source)
    both = replace(evidence, tree=tmp_path, uses=uses_in(tmp_path), texts={"p.py": source})
    found = [one.rewrite for one in proposed(both) if one.rewrite is not None]
    assert found[0] == REPLACED
    assert not any(isinstance(one, AddArgument) and one.function == "lib.steady" for one in found)


@pytest.mark.parametrize(
    "message",
    [
        "The default value of regex will change from True in version 0.20 to False in 0.22.",
        "To accept the future, pass 'regex=False'. To retain the current behavior, pass 'regex=True'.",
        "It is deprecated. Pass regex=True to retain current behavior or regex=False to adopt the future.",
        "Keys are not prepended.\nTo preserve the previous behavior, use\n\n\t>>> .replace(..., regex=True)",
    ],
)
def test_warnings_say_in_several_ways_how_it_stays_as_it_was(evidence: FixEvidence, message: str) -> None:
    (warned,) = evidence.warnings
    told = proposed(replace(evidence, warnings=(replace(warned, message=message),)))
    assert told[0].rewrite == REPLACED


def test_of_several_on_the_failing_lines_each_is_tried_alone_too(evidence: FixEvidence) -> None:
    source = SOURCE.replace("lib.trees()\n", "lib.trees(kind=lib.load(1))\n", 1)
    (evidence.tree / "q.py").write_text(source)
    uses = uses_in(evidence.tree)
    here = replace(
        evidence, uses=uses, texts={"q.py": source}, executed={"q.py": frozenset({2})}, warnings=()
    )
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="ValueError", message="no")
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="q.py", line=2),))
    together, *each = ChangedDefaultSource().propose(group, here)
    assert (
        together.file_edits[0].text.splitlines()[1] == "lib.trees(kind=lib.load(1, pickled=True), count=10)"
    )
    assert {one.rewrite for one in each} == {TREES, LOAD}


OLD_SWITCHES = """
def convert(x, *, strict=False): pass
def handed(x, **more): pass
def plain(x): pass
"""
NEW_SWITCHES = """
def convert(x, *, strict=False, detailed=True, quick=False): pass
def handed(x, checked=True, **more): pass
def plain(x, sorted_keys=True): pass
"""
SWITCHES = "import lib\nlib.plain(1)\nlib.convert(1)\nlib.handed(1)\nlib.convert(1, detailed=True)\n"


def test_what_is_new_and_on_by_itself_is_turned_off_at_last(tmp_path: Path, one_sandbox: Sandbox) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/p.py").write_text(SWITCHES)
    evidence = FixEvidence(
        tree=tmp_path / "tree",
        uses=uses_in(tmp_path / "tree"),
        texts={"p.py": SWITCHES},
        pair=EnvironmentPair(
            sandbox=one_sandbox,
            old=with_library(tmp_path / "old", "lib", "1.0", {"lib.py": OLD_SWITCHES}),
            new=with_library(tmp_path / "new", "lib", "2.0", {"lib.py": NEW_SWITCHES}),
        ),
        executed={"p.py": frozenset(range(1, 6))},
        versions={"lib": ("1.0", "2.0")},
        modules={"lib": "lib"},
    )
    nearest, other = proposed(evidence, line=3)
    detailed = AddArgument(function="lib.convert", argument="detailed", value="False", position=None)
    assert nearest.rewrite == detailed
    assert [place.line for place in nearest.places] == [3]
    assert nearest.why[0].text == "detailed of lib.convert is new, and True unless it is given"
    assert isinstance(other.rewrite, AddArgument)
    assert (other.rewrite.function, other.rewrite.argument) == ("lib.plain", "sorted_keys")
    assert next(one.rewrite for one in proposed(evidence, CauseKind.OTHER_ERROR, 3)) == detailed


def test_none_which_left_the_choice_to_the_library_is_given_alone_and_last(
    tmp_path: Path, one_sandbox: Sandbox
) -> None:
    old = "def summed(a, skip=None, sort=True): pass\ndef load(path, pickled=True): pass\n"
    new = "def summed(a, skip=True, sort=False): pass\ndef load(path, pickled=False): pass\n"
    (tmp_path / "tree").mkdir()
    text = "import lib\nlib.summed(1)\nlib.load('x')\n"
    (tmp_path / "tree/p.py").write_text(text)
    evidence = FixEvidence(
        tree=tmp_path / "tree",
        uses=uses_in(tmp_path / "tree"),
        texts={"p.py": text},
        pair=EnvironmentPair(
            sandbox=one_sandbox,
            old=with_library(tmp_path / "old", "lib", "1.0", {"lib.py": old}),
            new=with_library(tmp_path / "new", "lib", "2.0", {"lib.py": new}),
        ),
        executed={"p.py": frozenset({2, 3})},
        versions={"lib": ("1.0", "2.0")},
        modules={"lib": "lib"},
    )
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="assert 1 == 2")
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="p.py", line=2),))
    together, *alone = ChangedDefaultSource().propose(group, evidence)
    assert [edit.text for edit in together.file_edits] == [
        "import lib\nlib.summed(1, sort=True)\nlib.load('x', pickled=True)\n"
    ]
    given = [one.rewrite for one in alone]
    assert given[-1] == AddArgument(function="lib.summed", argument="skip", value="None", position=1)
    assert len(given) == 3
    other = replace(group, cause=replace(cause, kind=CauseKind.OTHER_ERROR, type="ValueError"))
    assert ChangedDefaultSource().propose(other, evidence)[-1].rewrite == given[-1]
