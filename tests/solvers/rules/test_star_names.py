"""Names that a star import brought where the tests passed, in two real environments with a small library."""

from __future__ import annotations

from dataclasses import replace

import pytest
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.uses import uses_in
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import RenameAttribute, ReplaceName, Rewrite
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.adapting import proposals_of
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal, ProposalOrigin
from backdate.solvers.rules.sources.new_home import NewHomeSource
from backdate.solvers.rules.star_names import as_missing, for_star_names

OLD = {
    "lib/__init__.py": (
        "from lib.texts import words\ndef prod(x):\n    pass\ndef product(x):\n    'An alias of `prod`.'\n"
    ),
    "lib/texts.py": "def words(x):\n    pass\n",
    "lazy.py": "from lib.texts import words as shown\nfrom lib.texts import words\n",
}
NEW = {
    "lib/__init__.py": "def prod(x):\n    pass\n",
    "lazy.py": "def __getattr__(name):\n    import lib.texts\n    return getattr(lib.texts, name)\n",
    "lib/texts.py": OLD["lib/texts.py"],
}
TEXT = (
    "import os\nfrom lib import *\n\n\n"
    "def area(x):\n    return product(x)\n\n\n"
    "def said(x):\n    return words(product(x)), os.sep\n"
)


@pytest.fixture(scope="module")
def evidence(tmp_path_factory, one_sandbox: Sandbox) -> FixEvidence:
    folder = tmp_path_factory.mktemp("star")
    before, after = (
        with_library(folder / side, "lib", version, files)
        for side, version, files in (("old", "1.0", OLD), ("new", "2.0", NEW))
    )
    (folder / "tree").mkdir()
    (folder / "tree/own.py").write_text(TEXT)
    return FixEvidence(
        tree=folder / "tree",
        uses=uses_in(folder / "tree"),
        texts={"own.py": TEXT},
        pair=EnvironmentPair(sandbox=one_sandbox, old=before, new=after),
        executed={"own.py": frozenset({1, 2, 5, 6, 9, 10})},
        versions={"lib": ("1.0", "2.0")},
    )


def undefined(name: str, line: int, kind: CauseKind = CauseKind.UNDEFINED_NAME) -> FailureGroup:
    place = SourcePlace(file="own.py", line=line)
    message = f"name '{name}' is not defined"
    cause = Cause(kind=kind, type="NameError", message=message, name=name)
    return FailureGroup(cause=cause, tests=("t",), places=(place,), raised_at=(place,))


def mended(group: FailureGroup, evidence: FixEvidence) -> list[str]:
    """What each proposal for the place that the old object has now makes of the file."""
    made = []
    for one in proposals_of(NewHomeSource(), group, as_missing(group, evidence), evidence):
        assert one.rewrite is not None
        lines = frozenset(place.line for place in one.places)
        made.append(apply_edits(TEXT, rewrite_source(TEXT, one.rewrite, lines=lines).edits))
    return made


def test_a_name_of_the_same_star_needs_no_import_and_all_its_uses_change(evidence: FixEvidence) -> None:
    missing = as_missing(undefined("product", 6), evidence)
    assert missing is not None
    assert (missing.cause.dotted, missing.cause.distribution) == ("lib.product", "lib")
    assert mended(undefined("product", 6), evidence)[0] == TEXT.replace("product", "prod")


def test_a_name_that_the_library_only_passed_on_is_taken_from_where_it_is(evidence: FixEvidence) -> None:
    assert "lib.texts.words(product(x))" in mended(undefined("words", 10), evidence)[0]


@pytest.mark.parametrize(
    "group",
    [
        undefined("area", 6),
        undefined("prod", 6),
        undefined("product", 6, CauseKind.CHANGED_VALUE),
        undefined("nowhere", 6),
    ],
)
def test_what_the_star_did_not_bring_or_brings_still_is_no_concern(
    group: FailureGroup, evidence: FixEvidence
) -> None:
    assert as_missing(group, evidence) is None


@pytest.mark.parametrize(
    "rewrite",
    [ReplaceName(old="lib.words", new="lib.texts.words"), RenameAttribute(old="product", new="prod")],
)
def test_a_proposal_for_another_name_is_not_made(evidence: FixEvidence, rewrite: Rewrite) -> None:
    missing = as_missing(undefined("product", 6), evidence)
    assert missing is not None
    proposal = Proposal(origin=ProposalOrigin.WRITTEN_RULE, rewrite=rewrite)
    assert not list(for_star_names(proposal, missing, evidence))


def test_what_a_star_brings_no_more_is_imported_by_name(evidence: FixEvidence) -> None:
    text = "from lazy import *\n\n\ndef said(x):\n    return words(x)\n"
    group = undefined("words", 5)
    lazy = replace(evidence, texts={"own.py": text})
    assert as_missing(group, lazy) is None
    made = [edit.text for one in NewHomeSource().propose(group, lazy) for edit in one.file_edits]
    assert made == [
        text.replace("*\n", f"*\nfrom {module} import words\n") for module in ("lib.texts", "lazy")
    ]
