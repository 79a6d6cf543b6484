"""What became of an object, asked of two real environments with small libraries."""

from __future__ import annotations

import json

import pytest
from slow_tests import others_slow
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.new_homes import new_homes
from backdate.advising.uses import uses_in
from backdate.diagnosis.homes import read_homes
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import RenameAttribute, ReplaceName, ReplaceUse, Rewrite
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.new_home import NewHomeSource

OLD = {
    "lib/__init__.py": '''
import math
import threading
import warnings
from lib.tools import helper, hidden, verify
from lib.zebra import encode
import lib.abacus
from lib.python import frame
from lib.inner import cut
import lib.shown
from .kinds import TEXTS as texts, _HIDDEN as hidden_texts
def prod(x): return x
def product(x):
    """Give the product.

    See Also
    --------
    prod : equivalent function; see for details.
    """
class Nan(float): pass
nan = Nan()
NaN = nan
number = float
SIX = 6
def load_all(path, depth): "Load all that lies at a path."
class Box:
    def grow(self): "This method is a compatibility alias for `enlarge`."
    def enlarge(self): pass
    def put(self): pass
    insert = put
    def crate(self): return Crate()
    def stage(self, paths, force=False):
        """Stage them."""
        warnings.warn("stage is deprecated", DeprecationWarning)
        return self.crate().stage(paths, force=force)
    def __init__(self): self.lid = Crate()
    def close(self, key): return self.lid.close(key)
class Crate:
    def stage(self, paths, force=False): pass
    def close(self, key): pass
class Worker(threading.Thread): pass
def num2date(value):
    """This is an alias for `math`, the whole of it."""
def total(values, start=0): return summed(values, start)
def summed(values, start=0): return sum(values, start)
class Moved:
    """A class that goes elsewhere."""
    def __init__(self, colour, size): pass
class Gone: pass
def zip_pack(data, level): pass
def open_shelf(key, strict): "Open a shelf."
def shut(key): pass
def iterate(group, name=None): pass
''',
    "lib/tools.py": "def helper(a): pass\ndef hidden(): pass\ndef verify(a, b): 'Verify that a is b.'\n",
    "lib/zebra.py": "def encode(a): pass\n",
    "lib/abacus.py": "from lib.zebra import encode\n",
    "lib/python.py": "def frame(a): pass\n",
    "lib/shown.py": "from lib.python import frame\n",
    "lib/inner.py": "def cut(a): pass\n",
    "lib/lib.py": "def online(a): pass\n",
    "lib/kinds.py": "TEXTS = (str, bytes)\n_HIDDEN = (str,)\n",
    "lib/others.py": "OTHERS = (str, bytes)\n",
    "lib/type.py": "from typing import Union\nName = Union[int, str]\nDay = int\nYear = 7\n",
    "lib/shapes.py": "def square(a): pass\ndef circle(a): pass\ndef cube(a): pass\n",
}
NEW = {
    "lib/__init__.py": """
import lib.inner
del inner  # it can be imported, and no attribute leads there
nan = 1.0
def prod(x): return x
SEVEN = 7
from lib import zip
class _Registry:
    def open_shelf(self, key, strict): "Another text."
    def shut(self, other, thing, more): pass
registry = _Registry()
def read_all(path, depth): "Load all that lies at a path."
def other(): pass
class Box:
    def enlarge(self): pass
    def insert(self): pass
    def crate(self): return Crate()
    lid = None
class Crate:
    def stage(self, paths, force=False): pass
class Worker: pass
def summed(values, start=0): return sum(values, start)
""",
    "lib/tools.py": "def helper(a): pass\n",
    "lib/python.py": "def frame(a): pass\n",
    "lib/shown.py": "from lib.python import frame\n",
    "lib/inner.py": "def cut(a): pass\n",
    "lib/zebra.py": "def encode(a): pass\n",
    "lib/zip.py": "def pack(data, level): pass\n",
    "lib/abacus.py": "from lib.zebra import encode\n",
    "lib/kinds.py": "TEXTS = (str, bytes)\n_HIDDEN = (str,)\n",
    "lib/types.py": "Name = int\nDay = int\nYear = 7\nMonth = 8\n",
    "lib/shape.py": "def triangle(a): pass\n",  # which is nothing of what it held
    "lib/_private.py": "def hidden(): pass\ndef verify(a, b): 'Verify that a is b.'\n",
    "elsewhere/__init__.py": "def iterate(title): pass\n",
    "lib_moved/__init__.py": '''
class Moved:
    """A class that goes elsewhere."""
    def __init__(self, colour, size): pass
''',
}
SOURCE = """\
import lib; lib.shut, lib.zip_pack, lib.open_shelf
lib.product, lib.NaN, lib.number, lib.math, lib.helper, lib.hidden, lib.SIX, lib.load_all, lib.verify
lib.frame, lib.cut, lib.Moved, lib.Gone, lib.encode, lib.iterate, lib.texts, lib.hidden_texts, lib.total
from lib.type import Name; from lib.shapes import cube; from lib.lib import online
box = lib.Box()
box.grow, box.put, box.stage, box.close
"""


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory, one_sandbox: Sandbox) -> FixEvidence:
    root = tmp_path_factory.mktemp("homes")
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(root / "old", "lib", "1.0", OLD),
        new=with_library(root / "new", "lib", "2.0", NEW),
    )
    (root / "tree").mkdir()
    (root / "tree/p.py").write_text(SOURCE)
    uses = uses_in(root / "tree")
    return FixEvidence(
        tree=root / "tree",
        uses=uses,
        texts={"p.py": SOURCE},
        pair=pair,
        executed={"p.py": frozenset(range(1, 7))},
        versions={"lib": ("1.0", "2.0")},
        modules={"lib": "lib"},
        arrivals=("lib_moved", "elsewhere"),
        packages=frozenset({"lib"}),
    )


def rewrites(evidence: FixEvidence, name: str, *, owner: str = "lib") -> list[Rewrite | None]:
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message="",
        name=name,
        owner=owner,
        owner_is="module" if owner == "lib" else "type",
    )
    on_third = ("encode", "frame", "cut", "texts", "hidden_texts", "total")
    line = (
        1
        if name in ("shut", "zip_pack", "open_shelf")
        else 3
        if name[0] in "MGi" or name in on_third
        else 2
        if owner == "lib"
        else 6
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="p.py", line=line),))
    return [one.rewrite for one in NewHomeSource().propose(group, evidence)]


@pytest.mark.parametrize(
    ("name", "new"),
    others_slow(
        [
            ("product", "lib.prod"),
            ("NaN", "lib.nan"),
            ("number", "builtins.float"),
            ("math", "math"),
            ("helper", "lib.tools.helper"),
            ("load_all", "lib.read_all"),
            ("total", "lib.summed"),  # which is all that it called
            ("encode", "lib.zebra.encode"),  # and not the module that only imports it
            ("Moved", "lib_moved.Moved"),
            ("zip_pack", "lib.zip.pack"),
            ("texts", "lib.kinds.TEXTS"),  # a plain value, which the module itself imported from there
        ],
        kept=[
            ("product", "lib.prod"),
            ("helper", "lib.tools.helper"),
            ("total", "lib.summed"),
            ("Moved", "lib_moved.Moved"),
        ],
    ),
)
def test_the_object_is_found(evidence: FixEvidence, name: str, new: str) -> None:
    assert rewrites(evidence, name)[0] == ReplaceName(old=f"lib.{name}", new=new)


def test_a_method_of_the_one_object_that_has_it_takes_the_place_of_a_function(evidence: FixEvidence) -> None:
    new = ReplaceName(old="lib.open_shelf", new="lib.registry.open_shelf", holder="lib.registry")
    assert rewrites(evidence, "open_shelf") == [new]


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("lib.type", [ReplaceName(old="lib.type", new="lib.types")]),
        pytest.param("lib.shapes", [], marks=pytest.mark.slow),
        pytest.param("lib.lib", [], marks=pytest.mark.slow),  # which is not the package that it was in
    ],
)
def test_a_module_is_found_by_what_it_held(evidence: FixEvidence, name: str, new: list[Rewrite]) -> None:
    cause = Cause(
        kind=CauseKind.MISSING_MODULE,
        type="ModuleNotFoundError",
        message=f"No module named {name!r}",
        name=name,
    )
    group = FailureGroup(cause=cause, tests=(), places=(SourcePlace(file="p.py", line=4),))
    assert [one.rewrite for one in NewHomeSource().propose(group, evidence)] == new


def test_a_public_place_is_named_where_a_package_of_the_library_s_own_has_it_too(
    evidence: FixEvidence,
) -> None:
    assert rewrites(evidence, "frame") == [ReplaceName(old="lib.frame", new="lib.shown.frame")]


@pytest.mark.parametrize(
    "name",
    others_slow(["hidden", "SIX", "Gone", "iterate", "cut", "hidden_texts", "shut"], kept=["hidden", "SIX"]),
)
def test_neither_private_places_of_anything_nor_equal_numbers_are_homes(
    evidence: FixEvidence, name: str
) -> None:
    assert rewrites(evidence, name) == []


def test_a_private_place_is_the_last_resort_for_what_is_the_same(evidence: FixEvidence) -> None:
    assert rewrites(evidence, "verify") == [ReplaceName(old="lib.verify", new="lib._private.verify")]


def test_methods_are_renamed(evidence: FixEvidence) -> None:
    renamed = [*rewrites(evidence, "grow", owner="Box"), *rewrites(evidence, "put", owner="Box")]
    assert renamed == [
        RenameAttribute(old="grow", new="enlarge", owner="Box"),
        RenameAttribute(old="put", new="insert", owner="Box"),
    ]


def test_what_a_method_only_called_is_written_in_its_place(evidence: FixEvidence) -> None:
    assert rewrites(evidence, "stage", owner="Box") == [
        ReplaceUse(target=".stage", template="{self}.crate().stage({args})")
    ]


def test_a_module_takes_no_function_s_place(evidence: FixEvidence) -> None:
    assert evidence.pair is not None
    name = "lib.num2date"
    old = evidence.pair.ask_old((name,))[name]
    assert [home.name for home in new_homes(name, old, evidence.pair)] == []


def test_what_a_base_class_had_is_not_at_that_class(evidence: FixEvidence) -> None:
    assert evidence.pair is not None
    name = "lib.Worker.is_alive"
    old = evidence.pair.ask_old((name,))[name]
    assert old.home == "threading.Thread.is_alive"
    assert list(new_homes(name, old, evidence.pair)) == []


def test_what_it_called_has_to_be_there_as_well(evidence: FixEvidence) -> None:
    assert not rewrites(evidence, "close", owner="Box")


def test_what_a_library_writes_into_the_answers_is_no_home() -> None:
    lines = (
        b'{"name": "lib.f", "aliases": ["a b", "lib.g"]}\n["\n{"name": "lib.f", "aliases": ["lib.h"]}\n[[[\n'
    )
    assert read_homes(lines).aliases == {"lib.f": ("lib.g",)}
    texts = ("lib.g", "{self}.a().b", "{self}", "exec('1')", "{self}.a(1).b", "lib._g", "{0}.a")
    for text in texts:
        told = read_homes(json.dumps({"name": "lib.f", "delegate": text}).encode()).delegates
        assert told == ({"lib.f": text} if text in texts[:2] else {})
