"""A name of which the changelog of the release that fails says what takes its place, and no source does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from two_releases import with_library

from backdate.advice import EvidenceKind, SourcePlace
from backdate.advising.changelog_archives import ArchivedChangelogs
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.uses import uses_in
from backdate.bisection.explanations.changelog_reader import ChangelogFiles, ChangelogReader
from backdate.bisection.result import Culprit
from backdate.diagnosis.result import Cause, CauseKind
from backdate.errors import IndexUnavailable
from backdate.rewriting.rewrite import ChangeArgument, RenameAttribute, ReplaceName
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.proposals import LAST_RESORTS, FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.changelogs import ChangelogSource
from backdate.solvers.rules.sources.choose import choose_sources

OLD = """\
def pprint(x): return x
def vanished(x): return x
def unsaid(x): return x
def load(x, missing=None): return x
class Table:
    def append(self, x): return x
    def plus(self, x): return x
"""
NEW = """\
def reckon(x): return x
def load(x, fallback=None): return x
class Table:
    def add(self, x): return x
"""
CHANGELOG = b"""\
Changelog
=========

2.0
---

- Remove `lib.pprint`. Use `pprint.pprint` instead.
- Remove `lib.vanished`. Use `lib.never_made` instead.
- Rename the `missing` argument of `load` to `fallback`.
- Remove `Table.append`. Use `Table.add` instead.
- Remove `Table.plus`. Use `lib.reckon` instead.

1.0
---

- Add `lib.unsaid`.
"""
SOURCE = """\
import lib
lib.pprint(1)
lib.load(1, missing=2)
lib.vanished(1)
lib.unsaid(1)
lib.Table.append(lib.Table(), 1)
"""


class Read(ChangelogReader):
    """A reader that has one archive at hand."""

    def files_of(self, culprit: Culprit) -> ChangelogFiles | str:
        assert (culprit.name, culprit.old, culprit.new) == ("lib", "1.0", "2.0")
        files = {"lib-2.0/CHANGELOG.rst": CHANGELOG}
        return ChangelogFiles(archive="lib-2.0.tar.gz", members=ArchivedChangelogs(files=files, described={}))


def no_index() -> Any:
    raise IndexUnavailable("the index does not answer")


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory, one_sandbox: Sandbox) -> FixEvidence:
    root = tmp_path_factory.mktemp("changelogs")
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(root / "old", "lib", "1.0", {"lib.py": OLD}),
        new=with_library(root / "new", "lib", "2.0", {"lib.py": NEW}),
    )
    (root / "tree").mkdir()
    (root / "tree/p.py").write_text(SOURCE)
    found = FixEvidence(
        tree=root / "tree",
        uses=uses_in(root / "tree"),
        texts={"p.py": SOURCE},
        pair=pair,
        executed={"p.py": frozenset(range(1, 7))},
        versions={"lib": ("1.0", "2.0")},
        modules={"lib": "lib"},
        changelogs=Read(no_index, root),
    )
    return replace(found, foreseen=foreseen_groups(found))


def proposed(evidence: FixEvidence, name: str) -> list[Proposal]:
    group = next(group for group in evidence.foreseen if group.cause.name == name)
    return list(ChangelogSource().propose(group, evidence))


def test_it_says_what_to_write(evidence: FixEvidence) -> None:
    (one,) = proposed(evidence, "pprint")
    assert one.rewrite == ReplaceName(old="lib.pprint", new="pprint.pprint")
    assert [(place.file, place.line) for place in one.places] == [("p.py", 2)]
    (why,) = one.why
    assert (why.kind, why.source) == (EvidenceKind.CHANGELOG, "CHANGELOG.rst")
    assert "Use `pprint.pprint` instead" in why.text


def test_an_argument_too(evidence: FixEvidence) -> None:
    (one,) = proposed(evidence, "missing")
    assert one.rewrite == ChangeArgument(function="lib.load", argument="missing", new="fallback")


def test_a_method_becomes_another_of_its_class_and_no_function(evidence: FixEvidence) -> None:
    for name, wanted in (("append", ["add"]), ("plus", [])):
        cause = Cause(
            kind=CauseKind.MISSING_ATTRIBUTE,
            type="AttributeError",
            message=f"'Table' object has no attribute '{name}'",
            name=name,
            owner="lib.Table",
            owner_is="type",
            distribution="lib",
        )
        group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="p.py", line=6),))
        found = [one.rewrite for one in ChangelogSource().propose(group, evidence)]
        assert all(isinstance(one, ReplaceName | RenameAttribute) for one in found)
        assert [one.new.rpartition(".")[2] for one in found] == wanted  # type: ignore[union-attr]


def test_what_the_new_environment_lacks_or_nothing_says_is_not_proposed(evidence: FixEvidence) -> None:
    assert proposed(evidence, "vanished") == []
    assert proposed(evidence, "unsaid") == []


@pytest.mark.parametrize("missing", ["changelogs", "executed", "moved", "editable"])
def test_nothing_without_an_index_an_executed_use_a_move_or_a_line_that_may_be_edited(
    evidence: FixEvidence, missing: str
) -> None:
    without = {
        "changelogs": replace(evidence, changelogs=None),
        "executed": replace(evidence, executed={}),
        "moved": replace(evidence, versions={}),
        "editable": replace(evidence, kept_files=frozenset({"p.py"})),
    }[missing]
    assert proposed(evidence, "pprint")
    assert proposed(without, "pprint") == []


def test_an_index_that_does_not_answer_is_asked_again(evidence: FixEvidence, tmp_path: Path) -> None:
    reader = ChangelogReader(no_index, tmp_path)
    assert proposed(replace(evidence, changelogs=reader), "pprint") == []
    assert reader.unreachable


def test_it_is_evidence_and_asked_where_nothing_cheaper_knows_it() -> None:
    origins = [source.origin for source in choose_sources("evidence")]
    assert origins.index(ProposalOrigin.WARNING) < origins.index(ProposalOrigin.CHANGELOG)
    assert ProposalOrigin.CHANGELOG in LAST_RESORTS
