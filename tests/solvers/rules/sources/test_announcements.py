"""A name that neither side warns of, and of which a release in between says what takes its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from small_world import running_index
from two_releases import with_library

from backdate.advice import EvidenceKind, SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.uses import uses_in
from backdate.diagnosis.result import Cause, CauseKind
from backdate.index.upstream import IndexClient
from backdate.mining.between import ReleasesBetween
from backdate.rewriting.rewrite import ChangeArgument, RenameAttribute, ReplaceName
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.announcements import AnnouncementSource
from backdate.solvers.rules.sources.choose import choose_sources

OLD = """\
def product(x): return x
def vanished(x): return x
def load(x, missing=None): return x
def unsaid(x): return x
class Table:
    def append(self, x): return x
    def plus(self, x): return x
"""
MIDDLE = '''\
import warnings
def product(x):
    warnings.warn("product is deprecated, use `reckon` instead", DeprecationWarning, stacklevel=2)
def vanished(x):
    """Do.

    .. deprecated:: 1.5
       Use `lib.never_made` instead.
    """
def load(x, missing=None, fallback=None):
    if missing is not None:
        warnings.warn("'missing' is deprecated, use 'fallback' instead", FutureWarning, stacklevel=2)
class Table:
    def append(self, x):
        warnings.warn("append is deprecated, use `add` instead", DeprecationWarning, stacklevel=2)
    def plus(self, x):
        warnings.warn("plus is deprecated, use `lib.add` instead", DeprecationWarning, stacklevel=2)
'''
NEW = """\
def reckon(x): return x
def load(x, fallback=None): return x
def add(x): return x
class Table:
    def add(self, x): return x
"""
SOURCE = """\
import lib
lib.product(1)
lib.load(1, missing=2)
lib.vanished(1)
lib.unsaid(1)
lib.Table.append(lib.Table(), 1)
"""
UNTIL = datetime(2022, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory, one_sandbox: Sandbox) -> Iterator[FixEvidence]:
    root = tmp_path_factory.mktemp("announcements")
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(root / "old", "lib", "1.0", {"lib.py": OLD}),
        new=with_library(root / "new", "lib", "2.0", {"lib.py": NEW}),
    )
    (root / "tree").mkdir()
    (root / "tree/p.py").write_text(SOURCE)
    releases = [
        ("lib", "1.0", "2020-01-01T00:00:00Z", OLD),
        ("lib", "1.5", "2020-06-01T00:00:00Z", MIDDLE),
        ("lib", "2.0", "2021-01-01T00:00:00Z", NEW),
    ]
    with running_index(releases) as address, IndexClient(upstreams=(address,)) as client:
        found = FixEvidence(
            tree=root / "tree",
            uses=uses_in(root / "tree"),
            texts={"p.py": SOURCE},
            pair=pair,
            executed={"p.py": frozenset(range(1, 7))},
            versions={"lib": ("1.0", "2.0")},
            modules={"lib": "lib"},
            releases=ReleasesBetween(index=lambda: client, folder=root / "kept", until=UNTIL),
        )
        yield replace(found, foreseen=foreseen_groups(found))


def group_of(evidence: FixEvidence, name: str) -> FailureGroup:
    return next(group for group in evidence.foreseen if group.cause.name == name)


def proposed(evidence: FixEvidence, name: str) -> list[Proposal]:
    return list(AnnouncementSource().propose(group_of(evidence, name), evidence))


def test_nothing_cheaper_knows_it(evidence: FixEvidence) -> None:
    group = group_of(evidence, "product")
    for source in choose_sources("written-rule,mined-rule,message,warning,new-home"):
        assert not source.propose(group, evidence)


def test_a_release_in_between_says_what_to_write(evidence: FixEvidence) -> None:
    (one,) = proposed(evidence, "product")
    assert one.rewrite == ReplaceName(old="lib.product", new="lib.reckon")
    assert [(place.file, place.line) for place in one.places] == [("p.py", 2)]
    (why,) = one.why
    assert (why.kind, why.since, why.source) == (
        EvidenceKind.ANNOUNCED,
        "1.5",
        "lib-1.5-py3-none-any.whl",
    )
    assert why.text == "product is deprecated, use `reckon` instead"


def test_an_argument_too(evidence: FixEvidence) -> None:
    assert group_of(evidence, "missing").cause.kind is CauseKind.UNEXPECTED_ARGUMENT
    (one,) = proposed(evidence, "missing")
    assert one.rewrite == ChangeArgument(function="lib.load", argument="missing", new="fallback")


def of_method(evidence: FixEvidence, name: str) -> list[Proposal]:
    """What is proposed where the error names the class of an object."""
    places = (SourcePlace(file="p.py", line=6),)
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message=f"'Table' object has no attribute '{name}'",
        name=name,
        owner="lib.Table",
        owner_is="type",
        distribution="lib",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=places)
    return list(AnnouncementSource().propose(group, evidence))


def test_a_method_becomes_another_of_its_class_and_no_function(evidence: FixEvidence) -> None:
    (one,) = of_method(evidence, "append")
    assert isinstance(one.rewrite, ReplaceName | RenameAttribute)
    assert one.rewrite.new.rpartition(".")[2] == "add"
    assert of_method(evidence, "plus") == []


def test_what_the_new_environment_lacks_is_not_proposed(evidence: FixEvidence) -> None:
    assert proposed(evidence, "vanished") == []
    assert proposed(evidence, "unsaid") == []


@pytest.mark.parametrize("missing", ["releases", "executed", "moved", "editable"])
def test_nothing_without_an_index_an_executed_use_a_move_or_a_line_that_may_be_edited(
    evidence: FixEvidence, missing: str
) -> None:
    without = {
        "releases": replace(evidence, releases=None),
        "executed": replace(evidence, executed={}),
        "moved": replace(evidence, versions={}),
        "editable": replace(evidence, kept_files=frozenset({"p.py"})),
    }[missing]
    group = group_of(evidence, "product")
    assert AnnouncementSource().propose(group, evidence)
    assert not AnnouncementSource().propose(group, without)


def test_it_is_evidence_and_asked_after_warnings() -> None:
    origins = [source.origin for source in choose_sources("evidence")]
    assert origins.index(ProposalOrigin.WARNING) < origins.index(ProposalOrigin.ANNOUNCEMENT)
