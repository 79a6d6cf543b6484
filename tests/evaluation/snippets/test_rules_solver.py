"""Tests of answers about snippets without a model, where no environment can be asked."""

from __future__ import annotations

import json
from dataclasses import replace

from fake_builds import NoSandbox

from backdate.diagnosis.api import AccessWarning, ApiDifference, Member, NameChange
from backdate.evaluation.snippets.known_names import KnownName, changed_names
from backdate.evaluation.snippets.rules_solver import RulesSnippets, used_names
from backdate.snippets.runs import CaseOutcome, ProgramRun, SnippetProgram
from backdate.snippets.snippet import ApiChange, ApiChangeKind, Snippet, SnippetAsk, SnippetSide
from tests.support.snippet_builders import (
    CODE,
    EXPECTED,
    NEW,
    OLD,
    NoEnvironments,
    TableRunner,
    make_java,
    make_snippet,
    run_of,
)

RANGES = """\
def total(values):
    mapping = dict.fromkeys(values)
    return sum(xrange(3)) + int(mapping.has_key(1))
"""
PYTHON_2 = SnippetSide(version="2.7", python="2.7")
PYTHON_3 = SnippetSide(version="3.9", python="3.9")


def python_run(side: SnippetSide, program: SnippetProgram) -> ProgramRun:
    """What Python 3 says of ``RANGES``."""
    if side.version == "2.7" or not ("xrange" in program.code or "has_key" in program.code):
        return run_of(*EXPECTED)
    if "xrange" in program.code:
        gone = CaseOutcome(error="NameError", message="name 'xrange' is not defined", lines=(3,))
    else:
        message = "'dict' object has no attribute 'has_key'"
        gone = CaseOutcome(error="AttributeError", message=message, lines=(3,))
    return run_of(gone, gone)


def python_snippet() -> Snippet:
    api = ApiChange(name="xrange", spelled="xrange(stop)", change=ApiChangeKind.REMOVED)
    return make_snippet(library="python", origin=PYTHON_2, target=PYTHON_3, code=RANGES, apis=(api,))


def solver(runner: TableRunner | None = None) -> RulesSnippets:
    return RulesSnippets(runner or TableRunner(gives=python_run), NoEnvironments(), NoSandbox())


def test_names_are_found_in_the_tables_where_no_environment_can_be_asked() -> None:
    found = json.loads(solver().answer(python_snippet(), SnippetAsk.LOCATE, 0).text)["names"]
    assert found == ["xrange", "dict.has_key"]
    [told] = json.loads(solver().answer(python_snippet(), SnippetAsk.EXPLAIN, 0).text)["changes"]
    assert told == {"name": "xrange", "change": "moved", "version": "3.0", "replacement": "range"}


def test_nothing_goes_the_other_way_round() -> None:
    back = replace(python_snippet(), origin=PYTHON_3, target=PYTHON_2)
    assert json.loads(solver().answer(back, SnippetAsk.LOCATE, 0).text)["names"] == []


def test_the_rules_solver_migrates_a_snippet() -> None:
    reply = solver().answer(python_snippet(), SnippetAsk.MIGRATE, 0)
    assert reply.detail.startswith("solved")
    assert "sum(range(3))" in reply.text
    assert "(1) in mapping" in reply.text


def test_what_rules_cannot_do_is_said() -> None:
    assert solver().answer(make_java(), SnippetAsk.LOCATE, 0).problem == "no-rules"
    assert solver().answer(make_snippet(), SnippetAsk.COMPLETE, 0).problem == "no-rules"


def test_only_names_of_the_library_are_asked_about() -> None:
    code = f"import os\nimport pandas as pd\n{CODE}\nframe = pd.DataFrame()\nframe.append(os.getcwd())\n"
    assert used_names(make_snippet(code=code)) == ("numpy.asfarray",)
    assert set(used_names(make_snippet(code=code, library="pandas"))) == {
        "pandas.DataFrame",
        "pandas.DataFrame.append",
    }


def difference(change: NameChange, *warned: str, moved_to: tuple[str, ...] = ()) -> ApiDifference:
    warnings = tuple(AccessWarning(category=category, message="…") for category in warned)
    return ApiDifference(
        name="numpy.asfarray",
        change=change,
        old=Member(name="numpy.asfarray", present=True),
        new=Member(name="numpy.asfarray", present=True, warnings=warnings),
        moved_to=moved_to,
    )


def test_environments_decide_what_is_there_and_tables_since_when() -> None:
    snippet = make_snippet()
    known = KnownName(name="numpy.asfarray", change=ApiChangeKind.REMOVED, version="1.99")

    def changed(one: ApiDifference, *told: KnownName, announced: bool = False) -> list[KnownName]:
        return list(changed_names(snippet, [one], told, announced=announced))

    assert changed(difference(NameChange.SAME), known) == []
    assert changed(difference(NameChange.SAME), known, announced=True) == [known]
    [gone] = changed(difference(NameChange.GONE), known)
    assert (gone.change, gone.version) == (ApiChangeKind.REMOVED, "1.99")
    [moved] = changed(difference(NameChange.MOVED, moved_to=("numpy.lib.asfarray",)))
    assert (moved.change, moved.version, moved.replacement) == (
        ApiChangeKind.MOVED,
        "2.0",
        "numpy.lib.asfarray",
    )
    assert len(changed(difference(NameChange.SAME, "DeprecationWarning"))) == 1
    assert changed(difference(NameChange.SAME, "UserWarning")) == []


def test_what_an_older_target_lacks_was_added() -> None:
    snippet = make_snippet(origin=NEW, target=OLD)
    [added] = changed_names(snippet, [difference(NameChange.GONE)], (), announced=False)
    assert (added.change, added.version) == (ApiChangeKind.ADDED, "2.0")
