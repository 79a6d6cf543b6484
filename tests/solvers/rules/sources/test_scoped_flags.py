"""Flags of regular expressions that are put into others."""

from __future__ import annotations

import re

from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.scoped_flags import scoped_flags

RULES = """import re

RULES = [r"(?i)\\burgent\\b", '(?im)^no', "!!+", "a(?i)b"]
ANY = re.compile("|".join("(?:%s)" % one for one in RULES[:3]))
"""


def proposed(text: str, message: str = "global flags not at the start of the expression", **more: object):
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="re.error", message=f"{message} at position 3")
    places = (SourcePlace(file="a.py", line=4), SourcePlace(file="b.py", line=1))
    group = FailureGroup(cause=cause, tests=("t",), places=places)
    evidence = evidence_of({"a.py": text, "b.py": "x = 1\n"}, **more)
    return {one.file_edits[0].file: one.file_edits[0].text for one in scoped_flags(group, evidence)}


def test_flags_are_of_their_own_part() -> None:
    text = proposed(RULES)["a.py"]
    assert text == RULES.replace(r"(?i)\burgent\b", r"(?i:\burgent\b)").replace("(?im)^no", "(?im:^no)")
    names: dict[str, object] = {}
    exec(compile(text, "a", "exec", dont_inherit=True), names)
    found = names["ANY"]
    assert isinstance(found, re.Pattern)
    assert found.search("URGENT")
    assert not found.search("Urgently")


def test_flags_behind_what_is_put_together_go_to_its_start() -> None:
    text = "import re\nB = ['a', 'b']\n\nX = re.compile('|'.join(B) + '(?i)')\n"
    assert proposed(text)["a.py"] == text.replace("'|'.join(B) + '(?i)'", "'(?i)' + '|'.join(B)")
    assert proposed(text.replace("'(?i)'", "'x(?i)'")) == {}
    assert proposed(text, kept_files=frozenset({"a.py"})) == {}


def test_other_errors_and_files_that_stay_are_left_alone() -> None:
    assert proposed(RULES, message="nothing to repeat") == {}
    assert "a.py" not in proposed(RULES, kept_files=frozenset({"a.py"}))
    assert "a.py" not in proposed("x = re.compile('a(?i)b')\n")
    assert "a.py" not in proposed("print '(?i)a'\n")
    assert "a.py" not in proposed("x = '(?x)a # of this'\n")  # the bracket would be in the comment
