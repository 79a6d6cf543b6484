"""What a text calls a replacement is written only where it is used as the old name was."""

from __future__ import annotations

import pytest
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.uses import uses_in
from backdate.rewriting.rewrite import RenameAttribute
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.rewrites import rewrite_to
from backdate.solvers.rules.sources.subjects import Subject

OLD = """
class Client:
    @property
    def jar(self): return {}
    def fetch(self): pass
"""
NEW = """
class Client:
    @property
    def cookies(self): return {}
    def get_cookie(self): pass
"""


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory, one_sandbox: Sandbox) -> FixEvidence:
    root = tmp_path_factory.mktemp("rewrites")
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(root / "old", "lib", "1.0", {"lib.py": OLD}),
        new=with_library(root / "new", "lib", "2.0", {"lib.py": NEW}),
    )
    (root / "tree").mkdir()
    return FixEvidence(tree=root / "tree", uses=uses_in(root / "tree"), pair=pair, modules={"lib": "lib"})


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("jar", "cookies", True),
        ("fetch", "get_cookie", True),
        ("jar", "get_cookie", False),  # "use the get_cookie method" is no other name for a value
        ("fetch", "cookies", False),
        ("jar", "nowhere", False),
    ],
)
def test_an_attribute_becomes_what_is_used_as_it_was(
    evidence: FixEvidence, old: str, new: str, written: bool
) -> None:
    subject = Subject(
        name=f"lib.Client.{old}",
        distribution="lib",
        of_object=True,
        places=(SourcePlace(file="p.py", line=1),),
    )
    expected = RenameAttribute(old=old, new=new, owner="Client") if written else None
    assert rewrite_to(subject, new, evidence) == expected
