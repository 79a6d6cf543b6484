"""Files that import nose are proposed without it, where importing it is what fails."""

from __future__ import annotations

from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.restructuring import RestructuringSource

_TESTS = "import nose\n\ndef test_it():\n    raise nose.SkipTest('no')\n"
_TEXTS = {
    "lib.py": "import imp\nimp.reload(lib)\n",
    "test_a.py": _TESTS,
    "test_b.py": _TESTS,
    "test_c.py": _TESTS,
    "test_d.py": "import nose\nx = nose.loader\n",
}


def group_at(*files: str, kind: CauseKind = CauseKind.MISSING_MODULE) -> FailureGroup:
    cause = Cause(kind=kind, type="ModuleNotFoundError", message="No module named 'imp'", name="imp")
    places = tuple(SourcePlace(file=file, line=1) for file in files)
    return FailureGroup(cause=cause, tests=files, places=places, raised_at=places)


def evidence(**executed: frozenset[int]) -> FixEvidence:
    ran = {f"{file}.py": lines for file, lines in executed.items()}
    return evidence_of(_TEXTS, executed=ran)


def test_the_failing_files_and_those_that_would_fail_next_do_without_nose() -> None:
    ran = evidence(test_b=frozenset({1, 3}), test_c=frozenset({3}))
    (proposal,) = RestructuringSource().propose(group_at("lib.py", "test_a.py", "test_d.py"), ran)
    assert [edit.file for edit in proposal.file_edits] == ["test_a.py", "test_b.py"]
    assert all("unittest.SkipTest" in edit.text for edit in proposal.file_edits)
    assert proposal.distribution == "nose"


def test_failures_of_other_imports_and_of_other_kinds_are_not_of_nose() -> None:
    assert RestructuringSource().propose(group_at("lib.py"), evidence()) == ()
    other = group_at("test_a.py", kind=CauseKind.CHANGED_TYPE)
    assert RestructuringSource().propose(other, evidence()) == ()
