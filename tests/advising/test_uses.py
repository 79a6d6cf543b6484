from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.advice import SourcePlace
from backdate.advising.project_uses import CallShape, ProjectUses
from backdate.advising.uses import python_files, read_uses, uses_in


def uses_of(source: str) -> ProjectUses:
    uses = ProjectUses()
    read_uses(source.encode(), "a.py", uses)
    return uses


def lines_of(source: str, name: str) -> list[int]:
    return [place.line for place in uses_of(source).places_of(name)]


@pytest.mark.parametrize(
    ("source", "name", "lines"),
    [
        ("import numpy as np\nx = np.float_\ny = np.float_(1)\n", "numpy.float_", [2, 3]),
        ("from numpy import in1d as i\n\ni(1, 2)\n", "numpy.in1d", [1, 3]),
        ("from a import (\n    b,\n    c,\n)\n", "a.c", [3]),
        ("import a.b\na.b.c.d()\n", "a.b.c.d", [2]),
        ("import a\nx = a.Box()\nx.put(1)\n", "a.Box.put", [3]),
        ("import a\na.Box().put(1)\n", "a.Box.put", [2]),
        ("import a\ndef f():\n    x = a.Box()\n    return x.put\n", "a.Box.put", [4]),
        ("import a\nclass C(a.Field):\n    def g(self):\n        self.fail('x')\n", "a.Field.fail", [4]),
        ("import a\nclass C(a.Field):\n    def g(self):\n        super().fail('x')\n", "a.Field.fail", [4]),
        (
            "import a\nclass C:\n  def h(self):\n    self.b = a.Box()\n  def g(self):\n    self.b.put(1)\n",
            "a.Box.put",
            [6],
        ),
        ("import a\nf = a.load\nf()\n", "a.load", [2, 3]),
        # what is not known, or guarded, is no use
        ("import a\ndef f(a):\n    a.load()\n", "a.load", []),
        ("import a\nx = a.Box()\nx = 1\nx.put(1)\n", "a.Box.put", []),
        ("try:\n    from a import b\nexcept ImportError:\n    from c import b\n", "a.b", []),
        ("try:\n  from a import b as n\nexcept ImportError:\n  from a import c as n\nn()\n", "a.c", []),
        ("try:\n  from a import b as n\nexcept ImportError:\n  from c import b as n\nn()\n", "c.b", [5]),
        ("import a\ntry:\n    a.load()\nexcept AttributeError:\n    pass\n", "a.load", []),
        ("import a\ntry:\n    import b\n    a.load()\nexcept ImportError:\n    pass\n", "a.load", []),
        # what an import before the `try` brought is not what fails there
        ("import a\ntry:\n    a.load()\nexcept ImportError:\n    pass\n", "a.load", [3]),
        ("import a\nif hasattr(a, 'load'):\n    a.load()\n", "a.load", []),
        ("import a\nif a.__version__ < '2':\n    a.load()\n", "a.load", []),
        (
            "import a\nclass C(a.Field):\n    def fail(self): ...\n    def g(self):\n        self.fail()\n",
            "a.Field.fail",
            [],
        ),
        ("from . import a\na.load()\n", "a.load", []),
        ("import a\nx = [a for a in range(3)]\n", "a.load", []),
    ],
)
def test_where_a_name_is_used(source: str, name: str, lines: list[int]) -> None:
    assert lines_of(source, name) == lines


def test_keyword_arguments_of_calls() -> None:
    uses = uses_of("from m import fields\nx = fields.Str(required=True,\n    missing=None)\n")
    keywords = uses.names["m.fields.Str"].keywords
    assert {name: [place.line for place in places] for name, places in keywords.items()} == {
        "required": [2],
        "missing": [3],
    }


def test_what_a_call_in_front_of_an_attribute_uses() -> None:
    uses = ProjectUses()
    read_uses(b"import lib\nlib.Box(size=lib.small, width=2).put().more\n", "p.py", uses)
    assert set(uses.names) == {"lib", "lib.Box", "lib.small", "lib.Box.put"}
    assert set(uses.names["lib.Box"].keywords) == {"size", "width"}


def test_attributes_that_a_class_defines_below_its_base() -> None:
    source = (
        "import threading\nclass W(threading.Thread):\n    limit = 3\n    def __init__(self):\n"
        "        self._handle = None\n    def stop(self): ...\n"
    )
    defined = uses_of(source).defined
    assert defined["threading.Thread._handle"] == {SourcePlace(file="a.py", line=5): None}
    assert {"threading.Thread.limit", "threading.Thread.stop"} <= set(defined)


def test_a_tree_is_read_with_its_own_files_first(tmp_path: Path) -> None:
    for name in ("tests/test_a.py", "src/p/a.py", ".hidden/a.py", "build/lib/a.py", "venv2/lib/a.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("import lib\nlib.load()\n")
    (tmp_path / "venv2/pyvenv.cfg").touch()
    (tmp_path / "outside.py").symlink_to("/etc/passwd")
    (tmp_path / "broken.py").write_text("def")
    places = uses_in(tmp_path).places_of("lib.load")
    assert [place.file for place in places] == ["src/p/a.py", "tests/test_a.py"]


def test_of_a_large_tree_the_outer_files_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backdate.advising.uses.MOST_FILES", 3)
    for name in (
        "generated/models/a.py",
        "generated/models/b.py",
        "generated/models/c.py",
        "p/a.py",
        "tests/t.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    assert {"p/a.py", "tests/t.py"} <= set(python_files(tmp_path))


def test_files_without_a_word_are_not_parsed(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import lib\nlib.load()\n")
    (tmp_path / "b.py").write_text("import other\nother.load()\n")
    uses = uses_in(tmp_path, mentioning=("lib",))
    assert (list(uses.names), uses.files) == (["lib", "lib.load"], ("a.py", "b.py"))


def test_uses_of_files_are_put_together() -> None:
    sources = {
        "a.py": "import lib\nlib.load(1, key='a')\nclass A(lib.B):\n    x = 1\n",
        "b.py": "import lib\nlib.load(\n    key='b', more=2)\n",
    }
    whole, parts = ProjectUses(), ProjectUses()
    for file, source in sources.items():
        own = ProjectUses()
        read_uses(source.encode(), file, own)
        read_uses(source.encode(), file, whole)
        parts.add(own)
    assert parts == whole


@pytest.mark.parametrize("kind", ["ImportError", "ModuleNotFoundError", "(ImportError, AttributeError)"])
def test_an_optional_module_is_used_as_one_that_is_required(kind: str) -> None:
    guarded = f"try:\n    import lib\nexcept {kind}:\n    lib = None\n"
    uses = uses_of(f"{guarded}def f():\n    return lib.Client(proxies=1)\n")
    (place,) = uses.names["lib.Client"].keywords["proxies"]
    assert place.line == 6
    assert "lib.Client" not in uses_of(f"{guarded}lib = None\nlib.Client()\n").names


@pytest.mark.slow
@given(st.text(max_size=200))
def test_any_source_is_read(source: str) -> None:
    uses_of(source)


def test_source_that_is_nested_too_deep_is_left_out() -> None:
    uses = uses_of(f"import a\nx = {'(' * 150}a.b{')' * 150}\ny = a{'.b' * 100_000}\n")
    assert all(len(name) <= 300 for name in uses.names)


def test_how_a_function_is_called() -> None:
    uses = uses_of("import a\na.f(1, x=2)\na.f(3, x=4)\na.f(*b)\na.f(**b)\nc = a.f\n")
    assert list(uses.names["a.f"].calls) == [
        CallShape(positional=1, keywords=frozenset({"x"})),
        CallShape(positional=0, starred=True),
    ]


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("import a\na.load(1, **{'x': 2,\n  'y': 3})\n", {"x": [2], "y": [3]}),
        ("import a\na.load(1, **dict(x=2))\n", {"x": [2]}),
        ("import a\nwords = {'x': 2}\nwords['y'] = 3\na.load(1, **words)\n", {"x": [2], "y": [3]}),
        ("import a\ndef f():\n    words = dict(x=2)\n    return a.load(**words)\n", {"x": [3]}),
        ("import a\nfrom functools import partial\nf = partial(a.load,\n    x=1)\n", {"x": [4]}),
        # what is not written out here is not known
        ("import a\nwords = {'x': 2}\nwords = other()\na.load(**words)\n", {}),
        ("import a\nwords = {'x': 2}\ndef f(words):\n    a.load(**words)\n", {}),
        ("import a\nwords = {'x': 2}\ndef f(**words):\n    a.load(**words)\n", {}),
        ("import a\ndef g():\n    words = {'x': 2}\ndef f():\n    a.load(**words)\n", {}),
    ],
)
def test_keyword_arguments_of_dictionaries_that_a_call_unpacks(
    source: str, lines: dict[str, list[int]]
) -> None:
    found = uses_of(source).names["a.load"].keywords
    assert {name: [place.line for place in places] for name, places in found.items()} == lines
