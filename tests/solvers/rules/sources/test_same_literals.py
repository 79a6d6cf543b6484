"""Literal texts that an error is about, at all lines that failing tests run."""

from __future__ import annotations

import re

from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.restructuring import RestructuringSource

WORDS = """\
import re

FIRST = re.compile(r"([a-z]+)(?i)-")
SECOND = re.compile("b(?x) # é", flags=0)
TEXT = print("c(?i)")
PLAIN = re.compile(r"(?i)d")


def never():
    return re.compile("e(?i)")
"""
OTHER = """\
import re

THIRD = re.compile("f(?s)")
"""
FLAGS = "global flags not at the start of the expression at position 8"


def group(message: str, line: int) -> FailureGroup:
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="re.error", message=message)
    return FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=line),))


def evidence(texts: dict[str, str], executed: dict[str, frozenset[int]]) -> FixEvidence:
    return evidence_of(texts, executed=executed)


def test_all_that_the_next_runs_would_find_is_mended_at_once() -> None:
    seen = evidence(
        {"a.py": WORDS, "b.py": OTHER}, {"a.py": frozenset({1, 3, 4, 5, 6, 9}), "b.py": frozenset({3})}
    )
    first = RestructuringSource().propose(group(FLAGS, 3), seen)[0]
    texts = {edit.file: edit.text for edit in first.file_edits}
    assert texts["a.py"] == WORDS.replace('r"([a-z]+)(?i)-"', 'r"(?i)([a-z]+)-"').replace(
        '"b(?x) # é"', '"(?x)b # é"'
    )
    assert texts["b.py"] == OTHER.replace("f(?s)", "(?s)f")
    assert [(place.file, place.line) for place in first.places] == [("a.py", 3), ("a.py", 4), ("b.py", 3)]
    for pattern in re.findall(r're\.compile\(r?("[^"]*")', texts["a.py"].partition("def")[0]):
        re.compile(pattern[1:-1])


def test_a_single_literal_is_changed_by_its_expression() -> None:
    seen = evidence({"a.py": WORDS}, {"a.py": frozenset({1, 3, 5, 6})})
    proposals = RestructuringSource().propose(group(FLAGS, 3), seen)
    assert [proposal.file_edits for proposal in proposals] == [()]


def test_only_the_text_that_the_error_names() -> None:
    text = 'open("a", "rU")\nopen("b", mode="rU")\nopen("c", "r")\nsave("rU")\n'
    seen = evidence({"a.py": text}, {"a.py": frozenset({1, 2, 3, 4})})
    proposal = RestructuringSource().propose(group("invalid mode: 'rU'", 1), seen)[0]
    assert proposal.file_edits[0].text == 'open("a", "r")\nopen("b", mode="r")\nopen("c", "r")\nsave("rU")\n'


def test_code_that_does_not_parse_is_left() -> None:
    seen = evidence({"a.py": "print 'a(?i)'\n"}, {"a.py": frozenset({1})})
    assert not any(one.file_edits for one in RestructuringSource().propose(group(FLAGS, 1), seen))


BOUND = """\
import matplotlib.pyplot as plt

STYLE = "seaborn-whitegrid"
STYLES = {"a": "seaborn-whitegrid", "b": "ggplot"}


class Plot:
    style = "seaborn-whitegrid"

    def draw(self, style="seaborn-whitegrid", *, name=None):
        print("seaborn-whitegrid")
        plt.style.use(style)
"""
STYLED = "'seaborn-whitegrid' is not a valid package style, path of style file, URL of style file"


def test_a_text_that_the_line_gives_by_a_name_is_changed_where_it_is_bound() -> None:
    seen = evidence({"a.py": BOUND}, {"a.py": frozenset({1, 3, 12})})
    (proposal,) = RestructuringSource().propose(group(STYLED, 12), seen)
    (edit,) = proposal.file_edits
    assert edit.text.count("seaborn-v0_8-whitegrid") == 4
    assert 'print("seaborn-whitegrid")' in edit.text
    kept = evidence_of({"a.py": BOUND}, executed={"a.py": frozenset({12})}, kept_files=frozenset({"a.py"}))
    assert not RestructuringSource().propose(group(STYLED, 12), kept)


def test_a_short_text_is_not_changed_where_it_is_bound() -> None:
    text = 'MODE = "rU"\nopen("a", MODE)\n'
    seen = evidence({"a.py": text}, {"a.py": frozenset({1, 2})})
    assert not RestructuringSource().propose(group("invalid mode: 'rU'", 2), seen)
