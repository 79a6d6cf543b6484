"""What a project uses of a library and a newer environment lacks, asked of small real environments."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from backdate.advice import AdvisedChange, EvidenceKind
from backdate.advising.advised_changes import MovedDistribution, advised_changes, worth_saying
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.lost_names import LostName, candidates_of, lost_names
from backdate.advising.project_uses import ProjectUses
from backdate.advising.replacements import LibraryWords
from backdate.advising.requirements import dropped_requirements
from backdate.advising.ruled_arguments import ruled_arguments
from backdate.advising.uses import read_uses
from backdate.diagnosis.api import Member
from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Sandbox

MOVED = MovedDistribution(name="lib", old="1.0", new="2.0")
OLD = {
    "lib/__init__.py": """
import warnings
from lib.urls import decode
def load(stream, missing=None, size=1): pass
def dump(x, **options): pass
def steady(x, y=1): pass
class Box:
    def __init__(self, width=1, **more): pass
    def put(self, x): pass
    def _add(self): pass
class Crate(Box):
    def __init__(self, lid=True, **kwargs): Box.__init__(self, **kwargs)
class Open(Box):
    def __init__(self, **kwargs): pass
def __getattr__(name):
    if name == "late":
        warnings.warn("`late` is deprecated since 1.9, use `soon` instead", DeprecationWarning)
        return 1
    raise AttributeError(name)
def nowhere(): pass
def astray(): pass
current = 1
""",
    "lib/urls.py": "from urllib.parse import parse_qs as taken\ndef decode(s): pass\n",
    "lib/old.py": "def f(): pass\n",
}
NEW = {
    "lib/__init__.py": """
soon = 1
def load(stream, load_default=None, size=1): pass
def dump(x): pass
def steady(x: int, y: int = 1) -> int: pass
class Box:
    def __init__(self, breadth=1): pass
class Crate(Box):
    def __init__(self, lid=True, **kwargs): Box.__init__(self, **kwargs)
class Open(dict):
    def __init__(self, **kwargs): pass
""",
    "lib/urls.py": "",
    "lib/globals.py": "now = 1\n",
    "lib/app.py": "from lib.globals import now\n",
    "lib/more.py": "from lib.globals import (\n    now,\n)\n",
    "lib/first.py": "not_there = 1\n",
    "lib/second.py": "not_there = 1\n",
}
PROJECT = """
import lib
import lib.old
from lib import decode
from lib.urls import taken
lib.late, lib.nowhere, lib.astray, lib.current
lib.load("x", missing=1, size=2)
lib.dump(1, indent=2)
lib.steady(1, y=2)
box = lib.Box()
box.put(1)
class Mine(lib.Box):
    def _add(self): ...
lib.old.f()
lib.Crate(lid=False, width=2, breadth=3, colour=4)
lib.Open(width=2)
"""


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


@pytest.fixture(scope="module")
def pair(made: Callable[..., Environment], one_sandbox: Sandbox) -> EnvironmentPair:
    return EnvironmentPair(sandbox=one_sandbox, old=made(OLD), new=made(NEW))


def uses_of(source: str) -> ProjectUses:
    uses = ProjectUses()
    read_uses(source.encode(), "src/p.py", uses)
    uses.files = ("src/p.py",)
    return uses


@pytest.fixture(scope="module")
def lost(pair: EnvironmentPair) -> tuple[LostName, ...]:
    return lost_names(pair, uses_of(PROJECT).of_modules(["lib"]))


def test_names_and_arguments_that_go(lost: tuple[LostName, ...]) -> None:
    assert {(one.name, one.argument): [place.line for place in one.places] for one in lost} == {
        ("lib.decode", ""): [4],
        ("lib.urls.taken", ""): [5],
        ("lib.late", ""): [6],
        ("lib.nowhere", ""): [6],
        ("lib.astray", ""): [6],
        ("lib.current", ""): [6],
        ("lib.load", "missing"): [7],
        ("lib.dump", "indent"): [8],
        ("lib.Box.put", ""): [11],
        ("lib.Crate", "width"): [15],
        ("lib.Crate", "colour"): [15],
        ("lib.old", ""): [3, 14],
    }


def test_what_is_advised_is_said_by_the_library_and_there(
    pair: EnvironmentPair, lost: tuple[LostName, ...]
) -> None:
    words = {
        "missing": "`missing` was replaced by `load_default`.",
        "width": "`width` is now called `breadth`",
        "indent": "`indent` is deprecated. Use `contextvars.ContextVar` to pass it instead.",
        "lib.decode": "Removed `decode`, use `urllib.parse.parse_qs` instead",
        "lib.astray": "`astray` was renamed to `not_there`",
        "lib.current": "`current` is deprecated, use `now` instead",
    }
    said = {
        name: [LibraryWords(kind=EvidenceKind.CHANGELOG, text=text, source="CHANGES")]
        for name, text in words.items()
    }
    changes = {(change.name, change.argument): change for change in advised_changes(pair, MOVED, lost, said)}

    def advised(name: str, argument: str = "") -> tuple[str, EvidenceKind]:
        change: AdvisedChange = changes[name, argument]
        return change.replacement, change.evidence[0].kind

    assert advised("lib.late") == ("lib.soon", EvidenceKind.WARNING)
    assert changes["lib.late", ""].evidence[0].since == "1.9"
    assert advised("lib.load", "missing") == ("load_default", EvidenceKind.CHANGELOG)
    assert advised("lib.decode") == ("urllib.parse.parse_qs", EvidenceKind.CHANGELOG)
    assert advised("lib.urls.taken") == ("urllib.parse.parse_qs", EvidenceKind.ASKED)  # its own home
    assert advised("lib.dump", "indent") == ("contextvars.ContextVar", EvidenceKind.CHANGELOG)
    assert advised("lib.Crate", "width") == ("breadth", EvidenceKind.CHANGELOG)
    assert advised("lib.current")[0] == "lib.globals.now"  # the only place that has it
    long = "".join(f", option_{number}='a long default'" for number in range(12))
    took = Member(name="lib.clean", present=True, signature=f"(x, styles=1{long})", keywords=("x", "styles"))
    takes = replace(took, signature=f"(x, sanitizer=1{long})", keywords=("x", "sanitizer"))
    asked = replace(pair, known_old={"lib.clean": took}, known_new={"lib.clean": takes})
    (handed_on,) = advised_changes(
        asked, MOVED, (LostName(name="lib.clean", argument="styles", old=took, places=()),), {}
    )
    assert handed_on.replacement == "sanitizer"
    assert handed_on.evidence[0].text == "of lib.clean styles alone went, and sanitizer alone came"
    # nobody says, or what is said is not there
    for name in ("lib.nowhere", "lib.astray", "lib.Box.put"):
        assert advised(name) == ("", EvidenceKind.ASKED)
    assert changes["lib.nowhere", ""].evidence[0].text == "lib 2.0 lacks it"


@pytest.mark.parametrize(("holds", "advised"), [("TABLE = {}", "lib.zone.olson"), ("OTHER = {}", "")])
def test_a_module_that_went_deeper_is_advised_where_it_has_what_is_used(
    holds: str, advised: str, made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    """icalendar 6's windows_to_olson, which is in its package timezone now."""
    old = made({"lib/__init__.py": "", "lib/olson.py": "TABLE = {}\n"})
    new = made(
        {
            "lib/__init__.py": "import lib.zone\n",
            "lib/zone/__init__.py": "from lib.zone import olson\n",
            "lib/zone/olson.py": f"{holds}\n",
        }
    )
    pair = EnvironmentPair(sandbox=one_sandbox, old=old, new=new)
    gone = lost_names(pair, uses_of("from lib.olson import TABLE\n").of_modules(["lib"]), held=True)
    changes = {
        one.name: change for one, change in zip(gone, advised_changes(pair, MOVED, gone, {}), strict=True)
    }
    assert changes["lib.olson"].replacement == advised


@pytest.mark.parametrize(
    "first_line",
    [
        "raise RuntimeError('compiled for another release')",
        "from json import what_json_had",  # Flask 2.0 with Werkzeug 3, which lacks a name that it imports
        "import a_module_that_is_gone",
        "import json; json.what_json_had",
    ],
)
def test_a_library_that_cannot_be_imported_tells_nothing_of_its_names(
    first_line: str, made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    broken = made({"lib/__init__.py": f"{first_line}\n"})
    pair = EnvironmentPair(sandbox=one_sandbox, old=made(OLD), new=broken)
    assert lost_names(pair, uses_of(PROJECT).of_modules(["lib"])) == ()


def test_a_name_that_a_module_refuses_in_words_of_its_own_is_gone(
    made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    """pydantic's BaseSettings and scikit-learn's load_boston, which no error had met yet."""
    refusing = (
        "class LibImportError(ImportError): pass\n"
        "def __getattr__(name):\n"
        "    if name == 'Settings':\n"
        "        raise LibImportError('`Settings` has been moved to the `lib-settings` package')\n"
        "    if name == 'load':\n"
        "        raise ImportError('`load` has been removed: use `fetch`')\n"
        "    if name == 'lazy':\n"
        "        raise ImportError('libz.so: cannot open shared object file')\n"
        "    raise AttributeError(name)\n"
    )
    old = made({"lib.py": "Settings = load = lazy = 1\n"})
    new = made({"lib.py": refusing})
    pair = EnvironmentPair(sandbox=one_sandbox, cache=None, old=old, new=new)
    uses = uses_of("from lib import Settings, load, lazy\n").names
    assert sorted(one.name for one in lost_names(pair, uses)) == ["lib.Settings", "lib.load"]


def test_what_is_not_asked_for_is_not_run(pair: EnvironmentPair) -> None:
    member = Member(name="a.f", present=True)
    lost = (LostName(name="a.f", old=member, places=()),)
    (change,) = advised_changes(pair, MovedDistribution(name="a", old="1", new="2"), lost, {})
    assert change.replacement == ""
    assert lost_names(pair, {}) == ()


def metadata(name: str, version: str, *requires: str) -> dict[str, str]:
    folder = f"{name}-{version}.dist-info"
    lines = "".join(f"Requires-Dist: {one}\n" for one in requires)
    return {
        f"{folder}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{lines}\ntext\n",
        f"{folder}/RECORD": f"{name}.py,,\n",
        f"{name}.py": "",
    }


def test_a_requirement_that_another_distribution_dropped(made: Callable[..., Environment]) -> None:
    old = made(
        {
            **metadata("isodate", "0.6.1", "six", "extra-thing; extra == 'x'"),
            **metadata("six", "1.16.0"),
            **metadata("used", "1.0"),
            **metadata("stays", "1.0"),
        }
    )
    new = made({**metadata("isodate", "0.7.2"), **metadata("stays", "1.1")})
    uses = uses_of("import isodate, six, os\nimport used\nfrom stays import x\n")
    (missing,) = dropped_requirements(old, new, uses)
    assert (missing.requirement, missing.brought_by, missing.version, missing.required_before) == (
        "six",
        "isodate",
        "0.7.2",
        "0.6.1",
    )
    assert [(place.file, place.line) for place in missing.places] == [("src/p.py", 1)]
    assert dropped_requirements(old, old, uses) == ()
    building = ProjectUses()  # what builds the project is no use of it
    read_uses(b"import six\n", "setup.py", building)
    assert dropped_requirements(old, new, building) == ()
    assert dropped_requirements(old, new, uses_of("try:\n    import six\nexcept ImportError: ...\n")) == ()


def test_a_module_of_the_same_name_that_lacks_what_is_used_is_another_one(
    made: Callable[..., Environment],
) -> None:
    """pytest 7.2 requires no py, and has a module of that name without ``py.xml``."""
    old = made({**metadata("pytest", "7.1.3", "py"), **metadata("py", "1.11.0")})
    new = made({**metadata("pytest", "7.2.0"), "py.py": "", "pytest-7.2.0.dist-info/RECORD": "py.py,,\n"})
    uses = uses_of("from py.xml import html\n")
    assert dropped_requirements(old, new, uses) == ()
    (missing,) = dropped_requirements(old, new, uses, gone=["py.xml.html"])
    assert (missing.requirement, missing.brought_by) == ("py", "pytest")


def test_what_environments_of_an_older_python_had_by_themselves(made: Callable[..., Environment]) -> None:
    record = {"setuptools-69.0.dist-info/RECORD": "pkg_resources/__init__.py,,\n"}
    had = made({**metadata("setuptools", "69.0"), **record, "pkg_resources/__init__.py": ""})
    lacks = made({})
    older, newer = (
        replace(one, choice=replace(one.choice, interpreter=replace(one.choice.interpreter, version=version)))
        for one, version in ((had, "3.11.7"), (lacks, "3.12.1"))
    )
    uses = uses_of("import pkg_resources\n")
    (missing,) = dropped_requirements(older, newer, uses)
    assert (missing.requirement, missing.brought_by, missing.version) == ("setuptools<82", "python", "3.12.1")
    assert dropped_requirements(newer, newer, uses) == ()
    assert dropped_requirements(older, replace(lacks, choice=older.choice), uses) == ()


@pytest.mark.parametrize("text", ["", "Name", "Name: a\nRequires-Dist: !!\n", "\x00"])
def test_odd_metadata_are_read(made: Callable[..., Environment], tmp_path: Path, text: str) -> None:
    odd = made({"a-1.dist-info/METADATA": text})
    assert dropped_requirements(odd, odd, uses_of("import six\n")) == ()


def test_a_module_that_is_gone_as_a_whole_is_one_name(
    made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    """Of what it held the rest is told only where nothing takes the place of the whole."""
    old = {
        "lib/__init__.py": "",
        "lib/util.py": "import xml.etree.ElementTree as etree\n",
        "lib/compat.py": "text_type = str\nstring_types = (str,)\n",
        "lib/store.py": "class Store: pass\n",
    }
    pair = EnvironmentPair(
        sandbox=one_sandbox, old=made(old), new=made({"lib/__init__.py": "", "lib/util.py": ""})
    )
    uses = uses_of(
        "from lib import util\nfrom lib.compat import string_types, text_type\n"
        "util.etree.Element('a')\nutil.etree.SubElement(1, 'b')\ntext_type(1), string_types\n"
        "made = util.etree.Element('c')\nmade.text = 'what it is stays'\n"
    )
    assert {one.name for one in lost_names(pair, uses.of_modules(["lib"]))} == {
        "lib.compat.string_types",
        "lib.compat.text_type",
        "lib.util.etree.Element",
        "lib.util.etree.SubElement",
    }
    lost = lost_names(pair, uses.of_modules(["lib"]), held=True)
    said = [
        LibraryWords(
            kind=EvidenceKind.WARNING, text="'etree' is deprecated. Use 'xml.etree.ElementTree' instead."
        )
    ]
    changes = advised_changes(pair, MOVED, lost, {"lib.util.etree": said})
    told = {
        change.name: (change.replacement, sorted(place.line for place in change.places))
        for change, is_said in zip(changes, worth_saying(lost, changes), strict=True)
        if is_said
    }
    assert told == {
        "lib.util.etree": ("xml.etree.ElementTree", [3, 4, 6]),
        "lib.compat": ("", [2, 5]),
        "lib.compat.text_type": ("str", [2, 5]),
    }
    stored = uses_of(
        "from lib.store import Store\nclass Mine(Store):\n    def f(self): return self.__class__\n"
    )
    assert [one.name for one in lost_names(pair, stored.of_modules(["lib"]), held=True)] == [
        "lib.store",  # and not lib.store.Store.__class__, which every object has
        "lib.store.Store",
    ]
    wrong = [LibraryWords(kind=EvidenceKind.WARNING, text="'etree' is deprecated. Use 'xml.sax' instead.")]
    (etree, *_) = [
        change
        for change in advised_changes(pair, MOVED, lost, {"lib.util.etree": wrong})
        if change.name == "lib.util.etree"
    ]
    assert etree.replacement != "xml.sax"  # it has no Element


@pytest.mark.slow
def test_a_module_whose_used_names_are_all_elsewhere_is_not_said_to_have_no_successor(
    made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    """ "pipes is gone; nothing says what takes its place" stood in front of pipes.quote → shlex.quote."""
    old = made({"lib/__init__.py": "", "lib/compat.py": "class Template: pass\ntext_type = str\n"})
    pair = EnvironmentPair(sandbox=one_sandbox, old=old, new=made({"lib/__init__.py": ""}))

    def told(source: str, *words: LibraryWords) -> list[str]:
        lost = lost_names(pair, uses_of(source).of_modules(["lib"]), held=True)
        changes = advised_changes(pair, MOVED, lost, {"lib.compat": words})
        said = zip(changes, worth_saying(lost, changes), strict=True)
        return [change.name for change, is_said in said if is_said]

    alone = "import lib.compat\nlib.compat.text_type(1)\n"
    assert told(alone) == ["lib.compat.text_type"]
    assert told(f"{alone}lib.compat.Template()\n") == ["lib.compat", "lib.compat.text_type"]
    words = LibraryWords(kind=EvidenceKind.WARNING, text="compat is deprecated. Use your own shims instead.")
    assert told(alone, words) == ["lib.compat", "lib.compat.text_type"]


def test_of_a_module_in_a_package_that_is_gone_the_used_names_are_enough() -> None:
    """ "distutils is gone; nothing says what takes its place" stood before distutils.dir_util.copy_tree."""

    def lost(name: str, within: str = "") -> LostName:
        member = Member(name=name, present=True, kind="module")
        return LostName(name=name, old=member, places=(), within=within)

    def change(name: str, replacement: str = "") -> AdvisedChange:
        return AdvisedChange(distribution="python", name=name, replacement=replacement, places=())

    names = (lost("old"), lost("old.util", "old"), lost("old.util.copy", "old"))
    asked = (change("old"), change("old.util"), change("old.util.copy", "shutil.copy"))
    assert worth_saying(names, asked) == (False, False, True)
    two = (*names, lost("old.util.other", "old"))
    assert worth_saying(two, (*asked, change("old.util.other"))) == (True, False, True, False)


def test_a_rule_for_another_name_of_the_object_holds(
    made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    """The tables know wtforms.TextField; the project writes wtforms.fields.TextField."""
    fields = "class StringField:\n    pass\n"
    old = {
        "wtforms/__init__.py": "from wtforms.fields import StringField, TextField\n",
        "wtforms/fields.py": f"{fields}class TextField(StringField):\n    pass\n",
    }
    new = {"wtforms/__init__.py": "from wtforms.fields import StringField\n", "wtforms/fields.py": fields}
    pair = EnvironmentPair(sandbox=one_sandbox, old=made(old), new=made(new))
    uses = uses_of("from wtforms.fields import TextField\nTextField()\n")
    lost = lost_names(pair, uses.of_modules(["wtforms"]), held=True)
    moved = MovedDistribution(name="wtforms", old="2.3.3", new="3.0.1")
    (change,) = advised_changes(pair, moved, lost, {})
    assert (change.name, change.replacement) == ("wtforms.fields.TextField", "wtforms.StringField")
    assert change.evidence[0].kind is EvidenceKind.KNOWN


def test_an_argument_of_a_function_that_takes_any_is_told_by_a_rule(
    made: Callable[..., Environment], one_sandbox: Sandbox
) -> None:
    source = "def decode(jwt, key='', verify=True, algorithms=None, options=None, **kwargs): pass\n"
    old = made({"jwt/__init__.py": source})
    new = made({"jwt/__init__.py": source.replace("verify=True, ", "")})
    pair = EnvironmentPair(sandbox=one_sandbox, old=old, new=new)
    used = uses_of("import jwt\njwt.decode('', verify=False, leeway=1)\n").of_modules(["jwt"])
    assert lost_names(pair, used) == ()
    moved = MovedDistribution(name="pyjwt", old="1.7.1", new="2.0.0")
    (lost,) = ruled_arguments(pair, used, "pyjwt", old=moved.old, new=moved.new)
    assert (lost.name, lost.argument, [place.line for place in lost.places]) == ("jwt.decode", "verify", [2])
    (change,) = advised_changes(pair, moved, (lost,), {})
    assert change.rewrite == "options={'verify_signature': False} where it is False"
    assert [evidence.kind for evidence in change.evidence] == [EvidenceKind.KNOWN]
    assert worth_saying((lost,), (change,)) == (True,)
    assert worth_saying((lost,), (replace(change, rewrite=""),)) == (False,)
    # of another move, and of a function whose signature tells
    assert list(ruled_arguments(pair, used, "pyjwt", old="2.0.0", new="2.1.0")) == []
    unmoved = EnvironmentPair(sandbox=one_sandbox, old=old, new=old)
    assert list(ruled_arguments(unmoved, used, "pyjwt", old="1.7.1", new="2.0.0")) == []


def test_places_of_missing_names_are_searched_when_they_are_asked_for(pair: EnvironmentPair) -> None:
    fresh = EnvironmentPair(sandbox=pair.sandbox, old=pair.old, new=pair.new)
    assert fresh.ask_new(("lib.now",))["lib.now"].candidates == ()
    assert fresh.search_new("lib.now", ()) == ("lib.globals.now",)
    assert fresh.search_new("lib.soon", ()) == ()  # it is there
    fresh.search_at_once(("lib.not_there", "lib.nowhere"))
    assert fresh.searches["lib.not_there", ()] == ("lib.first.not_there", "lib.second.not_there")
    assert fresh.searches["lib.nowhere", ()] == ()


def test_where_a_replacement_may_be() -> None:
    moved = candidates_of("a.x.f", "", "a.y")
    assert moved[:2] == ("a.y.f", "a.y")  # a module that holds it now, else the name itself
    assert "a.nodes.Node.findall" in candidates_of("a.nodes.Node.traverse", "", "Node.findall")
    assert candidates_of("a.b.c", "", "d") == ("a.b.d", "a.d", "builtins.d", "d")
    assert candidates_of("a.f", "size", "shape") == ("a.f",)
