"""What a text calls a replacement is written only where it is used as the old name was."""

from __future__ import annotations

from pathlib import Path

import pytest
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.project_uses import ProjectUses
from backdate.advising.uses import uses_in
from backdate.rewriting.argument_edits import NEGATED
from backdate.rewriting.rewrite import ChangeArgument, RenameAttribute, ReplaceName
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FixEvidence
from backdate.solvers.rules.sources.rewrites import rewrite_to
from backdate.solvers.rules.sources.subjects import Subject

OLD = """
class Client:
    @property
    def jar(self): return {}
    def fetch(self): pass
def load(path): return Client()
class Old:
    size = 1
class Older:
    size = 1
"""
NEW = """
class Client:
    @property
    def cookies(self): return {}
    def get_cookie(self): pass
def read(path, each=False): return Client()
class New:
    size = 1
class Newer: pass
"""
PROJECT = "import lib\nlib.load('a').jar\nfound = lib.load('a')\nfound.jar\nlib.Old.size, lib.Older.size\n"


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory, one_sandbox: Sandbox) -> FixEvidence:
    root = tmp_path_factory.mktemp("rewrites")
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(root / "old", "lib", "1.0", {"lib.py": OLD}),
        new=with_library(root / "new", "lib", "2.0", {"lib.py": NEW}),
    )
    (root / "tree").mkdir()
    (root / "tree" / "p.py").write_text(PROJECT)
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


@pytest.mark.parametrize(
    ("old", "new", "written"),
    [
        ("load", "read", True),  # what is used of its result is nothing that the function holds
        ("Old", "New", True),
        ("Older", "Newer", False),
    ],
)
def test_a_name_becomes_what_holds_all_that_is_used_of_it(
    evidence: FixEvidence, old: str, new: str, written: bool
) -> None:
    assert any(name.startswith(f"lib.{old}.") for name in evidence.uses.names)
    subject = Subject(name=f"lib.{old}", distribution="lib", places=(SourcePlace(file="p.py", line=2),))
    expected = ReplaceName(old=f"lib.{old}", new=f"lib.{new}") if written else None
    assert rewrite_to(subject, f"lib.{new}", evidence) == expected


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ('The "whole" argument is deprecated, use "each" (inverse meaning, default False) instead', NEGATED),
        ('The "whole" argument is deprecated, use "each" instead', ""),
    ],
)
def test_an_argument_may_mean_the_contrary(evidence: FixEvidence, words: str, value: str) -> None:
    place = SourcePlace(file="p.py", line=2)
    subject = Subject(name="lib.read", argument="whole", distribution="lib", places=(place,))
    wanted = ChangeArgument(function="lib.read", argument="whole", new="each", value=value)
    assert rewrite_to(subject, "each", evidence, words=words) == wanted


def test_a_method_whose_class_has_another_place_is_looked_for_there(
    tmp_path: Path, one_sandbox: Sandbox
) -> None:
    old = {"lib/__init__.py": "", "lib/loader.py": "class Loader:\n    def load_module(self): pass\n"}
    new = {
        "lib/__init__.py": "from lib.inner import Loader\n",
        "lib/inner.py": "class Loader:\n    def load(self): pass\n",
    }
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(tmp_path / "old", "lib", "1.0", old),
        new=with_library(tmp_path / "new", "lib", "2.0", new),
    )
    evidence = FixEvidence(tree=tmp_path, uses=ProjectUses(), pair=pair, modules={"lib": "lib"})
    place = SourcePlace(file="p.py", line=2)
    subject = Subject(
        name="lib.loader.Loader.load_module", distribution="lib", of_object=True, places=(place,)
    )
    assert rewrite_to(subject, "load", evidence) == RenameAttribute(
        old="load_module", new="load", owner="Loader"
    )
    assert rewrite_to(subject, "fetch", evidence) is None
