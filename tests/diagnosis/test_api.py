"""Names are asked of real environments: small ones made here, and real libraries (network)."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest
from patience import with_enough_time

from backdate.advising.parameters import parameters_in
from backdate.diagnosis.api import ApiProbe, Member, NameChange, ask_both, compare_members, probe
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Limits, Sandbox

OLD = {
    "lib/__init__.py": """
import warnings
from lib.core import thing, Box
def __getattr__(name):
    if name == "late":
        warnings.warn("`late` is deprecated, use `soon`", DeprecationWarning, stacklevel=2)
        return 1
    raise AttributeError("module 'lib' has no attribute %r" % name)
""",
    "lib/core.py": '''
def thing(a, size=1):
    """Makes a thing.

    And more."""
class Box:
    def put(self, x): pass
def gone(): pass
moved = thing
''',
}
NEW = {
    "lib/__init__.py": "from lib.core import Box\n",
    "lib/core.py": """
class Box:
    def _put(self, x): pass
def same(): pass
""",
    "lib/fresh/__init__.py": "",
    "lib/fresh/place.py": "def thing(a, vector_size=1): pass\n",
    "lib/bad.py": "import os, sys\nsys.exit(3)  # thing\n",
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Callable[[dict[str, str]], Environment]:
    from diagnosis_environments import environment_of

    def make(files: dict[str, str]) -> Environment:
        root = tmp_path_factory.mktemp("made") / "venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(root)], check=True)
        site = next(root.glob("lib/python*/site-packages"))
        for name, text in files.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
        return environment_of(root, root / "bin/python")

    return make


def test_what_a_package_shows_hides_the_module_of_that_name(
    made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    files = {
        "lib/__init__.py": "from .length import length\nfrom .shelf import shelf\n",
        "lib/length.py": "def length(a, size): pass\n",
        "lib/shelf.py": "class Shelf:\n    def put(self, book): pass\nshelf = Shelf()\n",
    }
    names = ["lib.length", "lib.length.length", "lib.shelf.put", "lib.shelf.Shelf", "lib.shelf.gone"]
    shown, within, method, kind, gone = probe(one_sandbox, made(files), names).members
    assert (method.kind, method.parameters) == ("function", ("book",))
    assert (kind.kind, gone.present) == ("class", False)
    assert (shown.kind, shown.keywords) == ("function", ("a", "size"))
    assert (within.present, within.kind) == (True, "function")


def test_methods_of_builtin_classes_have_their_class_as_home(
    made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    files = {"lib/__init__.py": "iteritems = dict.items\ntext_type = str\n"}
    method, kind = probe(one_sandbox, made(files), ["lib.iteritems", "lib.text_type"]).members
    assert (method.kind, method.home) == ("function", "builtins.dict.items")
    assert (kind.kind, kind.home) == ("class", "builtins.str")


def test_what_became_of_names(made: Callable[..., Environment], one_sandbox: Sandbox) -> None:
    names = ["lib.thing", "lib.late", "lib.Box", "lib.Box.put", "lib.core.gone", "lib.nowhere", "no name!"]
    differences = {change.name: change for change in ask_both(one_sandbox, made(OLD), made(NEW), names)}
    assert {name: difference.change for name, difference in differences.items()} == {
        "lib.thing": NameChange.MOVED,
        "lib.late": NameChange.GONE,
        "lib.Box": NameChange.SAME,
        "lib.Box.put": NameChange.MOVED,
        "lib.core.gone": NameChange.GONE,
        "lib.nowhere": NameChange.NEVER,
        "no name!": NameChange.NEVER,
    }
    assert differences["lib.thing"].moved_to == ("lib.fresh.place.thing",)
    assert differences["lib.Box.put"].moved_to == ("lib.Box._put",)
    old = differences["lib.thing"].old
    assert old is not None
    assert (old.kind, old.home, old.signature, old.document) == (
        "function",
        "lib.core.thing",
        "(a, size=1)",
        "Makes a thing.",
    )
    late = differences["lib.late"].old
    assert late is not None
    assert [(warning.category, warning.message) for warning in late.warnings] == [
        ("DeprecationWarning", "`late` is deprecated, use `soon`")
    ]
    gone = differences["lib.core.gone"].new
    assert gone is not None
    assert "has no attribute 'gone'" in gone.why


def test_what_others_warn_of_on_the_way_is_not_of_the_name(
    made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    files = {
        "clocks.py": """
import warnings
warnings.warn("utcnow is deprecated", DeprecationWarning)
warnings.warn("shop.tills.Till is deprecated here", DeprecationWarning)
""",
        "shop/__init__.py": "",
        "shop/tills.py": """
import warnings
import clocks
import _shop
warnings.warn("tills will go", DeprecationWarning)
class Till: pass
""",
        "_shop.py": "import warnings\nwarnings.warn('slow', DeprecationWarning)\n",
    }
    (till,) = probe(one_sandbox, made(files), ["shop.tills.Till"]).members
    assert [warning.message for warning in till.warnings] == [
        "shop.tills.Till is deprecated here",
        "slow",
        "tills will go",
    ]


def test_what_only_the_objects_of_a_class_have_is_there(
    made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    old = made({"lib.py": "class Table:\n    constraints = columns = name = size = gone = None\n"})
    new = """
class Base(object):
    columns: dict
class Table(Base):
    __slots__ = ()
    constraints: "set"
    def __init__(self):
        self.name = 1
        self.size: int = 2
        assert self.gone == 3
"""
    names = [f"lib.Table.{name}" for name in ("constraints", "columns", "name", "size", "gone")]
    changes = {one.name: one.change for one in ask_both(one_sandbox, old, made({"lib.py": new}), names)}
    assert [name for name, change in changes.items() if change is not NameChange.SAME] == ["lib.Table.gone"]


def test_the_home_that_an_object_names(made: Callable[..., Environment], one_sandbox: Sandbox) -> None:
    old = made({"a.py": "from collections.abc import Mapping\nreal = float\n"})
    new = made({"a.py": ""})
    first, second = ask_both(one_sandbox, old, new, ["a.Mapping", "a.real"])
    assert (first.change, first.moved_to) == (NameChange.MOVED, ("collections.abc.Mapping",))
    assert (second.change, second.moved_to) == (NameChange.MOVED, ("builtins.float",))


def test_signatures(made: Callable[..., Environment], one_sandbox: Sandbox) -> None:
    old = made({"a.py": "def f(x, size=1, *rest): pass\ndef g(x): pass\n"})
    new = made({"a.py": "def f(x, *, vector_size=1, **more): pass\ndef g(x): return 1\n"})
    first, second = ask_both(one_sandbox, old, new, ["a.f", "a.g"])
    assert first.change is NameChange.SIGNATURE
    assert first.removed_parameters == ("size", "*rest")
    assert first.added_parameters == ("vector_size", "**more")
    assert second.change is NameChange.SAME


def test_a_long_signature_is_whole_or_none(made: Callable[..., Environment], one_sandbox: Sandbox) -> None:
    many = [f"a_parameter_of_many_{number}" for number in range(60)]
    listed = ", ".join(f"{name}=None" for name in many)
    text = f"def f({listed}): pass\ndef g(x='{'long ' * 100}', y=1): pass\n"
    text += f"def h({listed.replace('a_', 'b' * 200)}): pass\n"
    answer = probe(one_sandbox, made({"a.py": text}), ["a.f", "a.g", "a.h"])
    whole, shortened, none = (member.signature for member in answer.members)
    assert [one.name for one in parameters_in(whole)] == many
    assert shortened == "(x=<502 characters>, y=1)"
    assert [(one.name, one.literal) for one in parameters_in(shortened)] == [("x", False), ("y", True)]
    assert none == ""


def test_annotations_are_no_part_of_a_signature(
    made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    old = made({"a.py": "import typing\ndef f(x: typing.AnyStr, y: str = 'a') -> str: pass\n"})
    new = made({"a.py": "from __future__ import annotations\ndef f(x: t.AnyStr, y: 'str' = 'a'): pass\n"})
    (difference,) = ask_both(one_sandbox, old, new, ["a.f"])
    assert difference.change is NameChange.SAME
    assert difference.old is not None
    assert difference.old.signature == "(x, y='a')"


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("import os\nos._exit(0)", "ended early"),
        ("while True: pass", "timeout"),
        ("import os; os.abort()", "early"),
    ],
)
def test_a_library_that_ends_the_process(
    made: Callable[..., Environment], one_sandbox: Sandbox, code: str, status: str
) -> None:
    environment = made({"good.py": "x = 1", "bad.py": code})
    names = ["good.x", "bad.x", "good.y"]
    answer = with_enough_time(
        lambda wall_s: probe(one_sandbox, environment, names, limits=Limits(wall_s=wall_s)),
        lambda answer: bool(answer.members) and status in answer.trouble,
        3.0,
    )
    assert [member.name for member in answer.members] == ["good.x"]
    assert status in answer.trouble
    other = probe(one_sandbox, environment, ["good.x", "good.y"])
    differences = {difference.name: difference.change for difference in compare_members(answer, other)}
    assert differences == {"good.x": NameChange.SAME, "good.y": NameChange.UNKNOWN}


def test_hostile_libraries(made: Callable[..., Environment], one_sandbox: Sandbox) -> None:
    code = """
import sys
class Strange:
    def __getattr__(self, name): raise SystemExit(1)
    def __str__(self): raise KeyboardInterrupt
    __doc__ = property(lambda self: 1 / 0)
x = Strange()
class Meta(type):
    def __getattribute__(cls, name): raise RuntimeError(name)
class C(metaclass=Meta): pass
sys.stdout.write('{"name": "bad.x", "present": 7}\\n' * 10)
"""
    answer = probe(one_sandbox, made({"bad.py": code}), ["bad.x", "bad.C", "bad.x.y"])
    assert not answer.trouble
    assert [member.present for member in answer.members] == [True, True, False]


def test_damaged_answers() -> None:
    from backdate.diagnosis.api import _read

    good = json.dumps({"name": "a", "present": True}).encode()
    assert _read(b"\xff\n[1]\n{}\n" + good + b'\n{"name": "a", "pres') == {
        "a": Member(name="a", present=True)
    }


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.8", "3.13"])
def test_the_probe_runs_in_any_python(
    plain_environment: Callable[[str], Environment], one_sandbox: Sandbox, version: str
) -> None:
    environment = plain_environment(version)
    answer = probe(
        one_sandbox, environment, ["collections.OrderedDict", "json.dumps", "imp.reload", "json.nope"]
    )
    assert not answer.trouble
    present = [member.present for member in answer.members]
    assert present == [True, True, version != "3.13", False]


def test_members_that_only_one_side_knows() -> None:
    member = Member(name="a", present=True)
    (difference,) = compare_members(ApiProbe(members=(member,)), ApiProbe(members=()))
    assert difference.change is NameChange.UNKNOWN
    (difference,) = compare_members(
        ApiProbe(members=(replace(member, present=False),)), ApiProbe(members=(member,))
    )
    assert difference.change is NameChange.APPEARED


@pytest.mark.network
def test_numpy_2(build_environment: Callable[..., Environment], one_sandbox: Sandbox) -> None:
    old = build_environment("3.11", "numpy==1.26.4")
    new = build_environment("3.11", "numpy==2.1.0")
    names = ["numpy.float_", "numpy.product", "numpy.ComplexWarning", "numpy.array"]
    differences = {change.name: change for change in ask_both(one_sandbox, old, new, names)}
    assert differences["numpy.float_"].moved_to[0] == "numpy.float64"
    assert differences["numpy.ComplexWarning"].moved_to[0] == "numpy.exceptions.ComplexWarning"
    assert differences["numpy.product"].change in (NameChange.GONE, NameChange.MOVED)
    assert differences["numpy.array"].change is NameChange.SAME
    gone = differences["numpy.float_"].new
    assert gone is not None
    assert "np.float64" in gone.why
