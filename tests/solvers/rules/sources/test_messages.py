"""What an error's own words propose, on the lines that it is about."""

from __future__ import annotations

from pathlib import Path

import pytest
from shaking_tree import task_of
from two_releases import TwoReleases, with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.uses import uses_in
from backdate.diagnosis.messages import read_message
from backdate.diagnosis.result import Cause
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.choose import SolverOptions, open_solver
from backdate.solvers.interface import Assignment
from backdate.solvers.records import RunSettings, StopReason
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.messages import MessageSource

REMOVED = "is deprecated and was removed in lib 3.0.0."


def results(root: Path, message: str, text: str, kind: str = "lib.errors.DeprecationError") -> list[str]:
    """What each proposal makes of the last line of ``text``."""
    (root / "a.py").write_text(text)
    line = text.count("\n")
    read = read_message(kind, message)
    cause = Cause(kind=read.kind, type=kind, message=message, name=read.name, owner=read.owner)
    place = SourcePlace(file="a.py", line=line)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,))
    evidence = FixEvidence(tree=root, uses=uses_in(root), texts={"a.py": text}, modules={"lib": "lib"})
    made = []
    for proposal in MessageSource().propose(group, evidence):
        assert proposal.rewrite is not None
        edits = rewrite_source(text, proposal.rewrite, lines=frozenset({line})).edits
        made.append(apply_edits(text, edits))
    return [one for one in made if one != text]


@pytest.mark.parametrize(
    ("message", "before", "after"),
    [
        (
            f"reader.getPage(pageNumber) {REMOVED} Use reader.pages[page_number] instead.",
            "x = self.r.getPage(2).text()",
            "x = self.r.pages[2].text()",
        ),
        (
            f"reader.numPages {REMOVED} Use len(reader.pages) instead.",
            "for i in range(r.numPages): pass",
            "for i in range(len(r.pages)): pass",
        ),
        (
            f"extractText {REMOVED} Use extract_text instead.",
            "x = r.pages[0].extractText()",
            "x = r.pages[0].extract_text()",
        ),
    ],
)
def test_prose_is_about_what_the_failing_line_uses(
    tmp_path: Path, message: str, before: str, after: str
) -> None:
    assert f"import lib\n{after}\n" in results(tmp_path, message, f"import lib\n{before}\n")


@pytest.mark.parametrize(
    ("message", "line"),
    [
        (f"reader.getPage(pageNumber) {REMOVED} Use reader.pages[page_number] instead.", "x = r.getPage()"),
        (f"extractText {REMOVED} Use extract_text instead.", "x = r.extractTexts()"),
        ("x is wrong. Use load instead.", "x = r.read()"),
    ],
)
def test_what_the_line_does_not_give_or_use_is_left_alone(tmp_path: Path, message: str, line: str) -> None:
    assert results(tmp_path, message, f"import lib\n{line}\n") == []


OLD = """\
class Reader:
    pages = ["a", "b"]
    @property
    def numPages(self): return len(self.pages)
    def getPage(self, i): return self.pages[i]
OldReader = Reader
"""
NEW = f"""\
class Gone(Exception): pass
class Reader:
    pages = ["a", "b"]
    @property
    def numPages(self): raise Gone("reader.numPages {REMOVED} Use len(reader.pages) instead.")
    def getPage(self, i): raise Gone("reader.getPage(i) {REMOVED} Use reader.pages[i] instead.")
class OldReader(Reader):
    def __init__(self): raise Gone("OldReader {REMOVED} Use Reader instead.")
"""
PROJECT = """\
import lib


def read():
    reader = lib.OldReader()
    return [reader.getPage(i) for i in range(reader.numPages)]
"""
TESTS = """\
import unittest
import project
class T(unittest.TestCase):
    def test_read(self):
        self.assertEqual(project.read(), ["a", "b"])
"""


@pytest.mark.slow
def test_one_after_the_other_is_mended(tmp_path: Path, one_sandbox: Sandbox) -> None:
    environments = {
        "origin": with_library(tmp_path / "old", "lib", "1.0", {"lib.py": OLD}),
        "target": with_library(tmp_path / "new", "lib", "3.0.0", {"lib.py": NEW}),
    }
    runner = TwoReleases({"project.py": PROJECT, "test_project.py": TESTS}, environments, one_sandbox)
    (tmp_path / "scratch").mkdir()
    (tmp_path / "logs").mkdir()
    with open_solver("rules:message", SolverOptions(sandbox=one_sandbox)) as mender:
        answer = mender.attempt(
            Assignment(
                task=task_of(),
                settings=RunSettings(solver="rules:message", both_sides=True),
                task_runner=runner,
                scratch=tmp_path / "scratch",
                logs=tmp_path / "logs",
            )
        )
    assert answer.ending is StopReason.SOLVED
    assert "+    reader = lib.Reader()" in answer.patch
    assert "+    return [reader.pages[i] for i in range(len(reader.pages))]" in answer.patch


@pytest.mark.parametrize(
    ("message", "line", "made"),
    [
        (
            "bad\n\nHint: Try setting `strict=False`.",
            "x = lib.f(1)",
            "x = lib.f(1, strict=False)",
        ),
        ("Either pass the argument dtype=object or not", "x = lib.f(1)", "x = lib.f(1, dtype=object)"),
        ("set `mode='old'`", "x = lib.f(g(1), 2)", "x = lib.f(g(1), 2, mode='old')"),
        ("Try setting `strict=False`", "x = lib.f(1, strict=True)", None),
        ("Try setting `strict=False`", "x = g(1)", None),
        ("use size=max(1, 2)", "x = lib.f(1)", None),
        ("use os.environ=1.x", "x = lib.f(1)", None),
    ],
)
def test_an_argument_that_the_message_says_to_give(
    message: str, line: str, made: str | None, tmp_path: Path
) -> None:
    text = f"import lib\n{line}\n"
    found = results(tmp_path, message, text, "TypeError")
    assert found == ([] if made is None else [f"import lib\n{made}\n"])


def test_prose_may_be_about_what_a_table_elsewhere_names(tmp_path: Path, one_sandbox: Sandbox) -> None:
    text = "import lib\nRULES = [lib.old_day, lib.other]\n\ndef f(y):\n    return [one(y) for one in RULES]\n"
    (tmp_path / "a.py").write_text(text)
    library = "def new_day(y): pass\ndef other(y): pass\n"
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(tmp_path / "old", "lib", "1.0", {"lib.py": f"{library}old_day = new_day\n"}),
        new=with_library(tmp_path / "new", "lib", "2.0", {"lib.py": f"{library}def old_day(y): pass\n"}),
    )
    message = "old_day will be removed in a future release, use new_day instead"
    read = read_message("DeprecationWarning", message)
    cause = Cause(kind=read.kind, type="DeprecationWarning", message=message)
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"a.py": text},
        pair=pair,
        executed={"a.py": frozenset({1, 2, 5})},
        modules={"lib": "lib"},
        versions={"lib": ("1.0", "2.0")},
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=5),))
    (proposal,) = MessageSource().propose(group, evidence)
    assert proposal.rewrite is not None
    edits = rewrite_source(text, proposal.rewrite, lines=frozenset(one.line for one in proposal.places)).edits
    assert apply_edits(text, edits) == text.replace("lib.old_day", "lib.new_day")
