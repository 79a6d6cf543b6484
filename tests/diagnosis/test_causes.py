from pathlib import Path

import pytest
from builders import raised
from diagnosis_builders import environment, frame, install
from hypothesis import given
from hypothesis import strategies as st

from backdate.diagnosis.causes import find_cause
from backdate.diagnosis.distributions import Distributions
from backdate.diagnosis.frames import PathClassifier
from backdate.diagnosis.owners import Owners
from backdate.diagnosis.result import Cause, CauseKind
from backdate.testing.outcomes import Frame, Raised

MODULE = """
import collections
import numpy as np
import yaml
from gensim.models import Word2Vec
from marshmallow import Schema
from .sibling import other
class Mine(Schema):
    pass
"""


class World:
    """A project with a few libraries."""

    def __init__(self, root: Path) -> None:
        self.site = install(root, "PyYAML", "6.0", "yaml/__init__.py")
        install(root, "numpy", "2.1.0", "numpy/__init__.py", "numpy/core.py")
        install(root, "pandas", "2.0.0", "pandas/__init__.py", "pandas/frame.py")
        install(root, "gensim", "4.0", "gensim/__init__.py", "gensim/models.py")
        install(root, "marshmallow", "3.0", "marshmallow/__init__.py")
        install(root, "pytest", "8.0", "_pytest/python.py")
        (self.site / "gensim/models.py").write_text("class Keyed:\n    pass\n")
        (root / "base/lib/python3.12").mkdir(parents=True)
        tree = root / "tree"
        (tree / "mine").mkdir(parents=True)
        (tree / "mine/core.py").write_text(MODULE)
        self.classifier = PathClassifier(environment(root))
        self.owners = Owners(self.classifier.distributions, library=self.classifier.library, tree=tree)

    def cause(self, *chain: Raised) -> Cause:
        return find_cause(self.classifier.classify_chain(chain), self.owners)

    def library(self, file: str, function: str = "f", source: str = "") -> Frame:
        return frame(f"{self.site}/{file}", 5, function, source)


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def line(source: str) -> Frame:
    return frame("mine/core.py", 20, "g", source)


TEST = frame("tests/test_core.py", 3, "test_g", "g()")


@pytest.mark.parametrize(
    ("fixture", "distribution"), [("event_loop", "pytest-asyncio"), ("mocker", None), ("nobodys", None)]
)
def test_a_missing_fixture_is_of_the_plugin_that_has_it(
    tmp_path: Path, fixture: str, distribution: str | None
) -> None:
    install(tmp_path, "pytest-asyncio", "1.1.0", "pytest_asyncio/__init__.py")
    world = World(tmp_path)
    kind = "_pytest.fixtures.FixtureLookupError"
    cause = world.cause(raised(kind, f"fixture '{fixture}' not found", TEST))
    assert (cause.kind, cause.name) == (CauseKind.MISSING_FIXTURE, fixture)
    assert cause.distribution == distribution


def test_a_missing_attribute_of_a_module(world: World) -> None:
    cause = world.cause(
        raised(
            "AttributeError",
            "module 'numpy' has no attribute 'float'.\n`np.float` was … use `float` by itself.",
            TEST,
            line("np.float(3)"),
            world.library("numpy/__init__.py", "__getattr__"),
        )
    )
    assert (cause.kind, cause.dotted, cause.distribution, cause.version, cause.related) == (
        CauseKind.MISSING_ATTRIBUTE,
        "numpy.float",
        "numpy",
        "2.1.0",
        ("numpy",),
    )
    assert "use `float`" in cause.hint


@pytest.mark.parametrize(
    ("kind", "message", "source", "related"),
    [
        (
            "AttributeError",
            "module 'collections' has no attribute 'Mapping'",
            "collections.Mapping",
            ("builtin",),
        ),
        ("AttributeError", "'array.array' object has no attribute 'tostring'", "a.tostring()", ("builtin",)),
        ("AttributeError", "'dict' object has no attribute 'iteritems'", "d.iteritems()", ("builtin",)),
        ("AttributeError", "'Keyed' object has no attribute 'vocab'", "model.wv.vocab", ("gensim",)),
        ("AttributeError", "'Mine' object has no attribute 'data'", "self.data", ("marshmallow",)),
        ("AttributeError", "'Word2Vec' object has no attribute 'x'", "w.x", ("gensim",)),
        (
            "AttributeError",
            "'TestX' object has no attribute 'assertEquals'",
            "self.assertEquals(1)",
            ("builtin",),
        ),
        ("AttributeError", "'module' object has no attribute 'float'", "y = np.float(1)", ("numpy",)),
        (
            "ImportError",
            "cannot import name 'Mapping' from 'collections' (/x)",
            "from collections",
            ("builtin",),
        ),
        ("ImportError", "cannot import name 'x'", "from yaml import x", ("PyYAML",)),
        ("ModuleNotFoundError", "No module named 'imp'", "import imp", ("builtin",)),
        ("ModuleNotFoundError", "No module named 'sklearn.x'", "import sklearn.x", ("scikit-learn",)),
        ("ModuleNotFoundError", "No module named 'never_heard'", "import never_heard", ("never_heard",)),
        ("ModuleNotFoundError", "No module named 'yaml.gone'", "import yaml.gone", ("PyYAML",)),
        ("ModuleNotFoundError", "No module named 'mine.gone'", "import mine.gone", ()),
        (
            "TypeError",
            "load() missing 1 required positional argument: 'Loader'",
            "yaml.load(f)",
            ("PyYAML",),
        ),
        (
            "TypeError",
            "Word2Vec.__init__() got an unexpected keyword argument 'size'",
            "m = Word2Vec(size=3)",
            ("gensim",),
        ),
        (
            "TypeError",
            "__init__() got an unexpected keyword argument 'size'",
            "m = Word2Vec(size=3)",
            ("gensim",),
        ),
        (
            "TypeError",
            "'float' object cannot be interpreted as an integer",
            "range(np.floor(x))",
            ("numpy",),
        ),
        ("AttributeError", "'dict' object has no attribute 'data'", "yaml.load(x).data", ("PyYAML",)),
        ("AttributeError", "'dict' object has no attribute 'data'", "x.data", ()),
        ("TypeError", "Keyed.f() got an unexpected keyword argument 'app'", "x.f(app=1)", ("gensim",)),
        ("numpy.exceptions.AxisError", "axis 1 is out of bounds", "x.sum(1)", ("numpy",)),
    ],
)
def test_whose_it_is(world: World, kind: str, message: str, source: str, related: tuple[str, ...]) -> None:
    cause = world.cause(raised(kind, message, TEST, line(source)))
    assert cause.related[:1] == related[:1]
    assert set(cause.related) <= set(related)


def test_an_error_inside_a_library(world: World) -> None:
    runner = world.library("_pytest/python.py")
    pandas, numpy = world.library("pandas/frame.py"), world.library("numpy/core.py")
    cause = world.cause(raised("ValueError", "bad", runner, TEST, line("df.join(x)"), pandas, numpy))
    assert cause.related == ("pandas", "numpy")
    assert cause.kind is CauseKind.CHANGED_VALUE
    asked = raised(
        "AttributeError", "'DataFrame' object has no attribute 'append'", line("df.append(x)"), pandas
    )
    assert world.cause(asked).distribution == "pandas"


def test_which_exception_of_a_chain(world: World) -> None:
    gone = raised(
        "ImportError", "cannot import name 'Mapping' from 'collections' (x)", line("from collections")
    )
    wrapped = raised("RuntimeError", "cannot start", line("raise RuntimeError() from e"), link="cause")
    assert world.cause(gone, wrapped).dotted == "collections.Mapping"
    on_purpose = raised("RuntimeError", "cannot start", line("raise RuntimeError()"), link="context")
    assert world.cause(gone, on_purpose).dotted == "collections.Mapping"
    accident = raised("AttributeError", "'dict' object has no attribute 'x'", line("d.x"), link="context")
    assert world.cause(gone, accident).name == "x"
    lookup = raised("KeyError", "'x'", world.library("pandas/frame.py"))
    told = raised(
        "AttributeError", "module 'yaml' has no attribute 'x'", line("raise A from e"), link="cause"
    )
    assert world.cause(lookup, told).dotted == "yaml.x"


def test_of_a_key_that_a_library_misses_within_itself_its_own_words_count(world: World) -> None:
    inner = raised("KeyError", "'H'", world.library("pandas/frame.py"))
    outer = [world.library("pandas/frame.py", source="raise ValueError(freq)")]
    said = raised("ValueError", "Invalid frequency: H", frame("mine/core.py", 20), *outer, link="context")
    assert world.cause(inner, said).message == "Invalid frequency: H"
    own = raised("KeyError", "'H'", frame("mine/core.py", 20))
    assert world.cause(own, said).message == "'H'"
    other = raised("ValueError", "It is H", world.library("numpy/core.py", source="raise E"), link="context")
    assert world.cause(inner, other).message == "'H'"


@pytest.mark.parametrize(
    ("kind", "distribution"),
    [
        ("pytest.PytestDeprecationWarning", "pytest"),
        ("pytest.PytestRemovedIn9Warning", "pytest"),
        ("pytest.PytestUnraisableExceptionWarning", None),
        ("DeprecationWarning", None),
    ],
)
def test_a_change_that_a_library_announced_is_its_own(
    world: World, kind: str, distribution: str | None
) -> None:
    text = "Direct construction of Item has been deprecated, please use Item.from_parent."
    cause = world.cause(raised(kind, text, line("return Item(path, parent)")))
    assert (cause.kind, cause.distribution) == (CauseKind.WARNING_AS_ERROR, distribution)


@pytest.mark.parametrize("link", ["cause", "context"])
def test_an_error_that_a_library_made_its_own_is_its(world: World, link: str) -> None:
    """The parser in it gave up as ever: it is the library that asks it other things by now."""
    inner = world.library("yaml/__init__.py")
    first = raised("yaml.ParserError", "Unknown string", world.library("gensim/models.py"), inner)
    raising = world.library("gensim/models.py", source="raise LoadError()")
    second = raised("gensim.LoadError", "Invalid text", line("model.load(x)"), raising, link=link)
    assert world.cause(first, second).related == ("gensim", "PyYAML")
    # the project's own translation leaves it with the library
    own = raised("mine.core.Bad", "no", line("raise Bad()"), link=link)
    called = raised("yaml.ParserError", "Unknown string", line("yaml.load(x)"), inner)
    assert world.cause(called, own).related == ("PyYAML",)


def test_a_fallback_import(world: World) -> None:
    first = raised("ModuleNotFoundError", "No module named 'cPickle'", line("import cPickle"))
    second = raised(
        "ImportError", "cannot import name 'x' from 'yaml' (y)", line("from yaml import x"), link="context"
    )
    assert world.cause(first, second).dotted == "yaml.x"


@pytest.mark.parametrize(
    ("before", "counts"),
    [
        ("def text(): pass\n", "lib.compat.text"),
        (
            "try:\n    import six as text\nexcept ImportError:\n    from lib.text import text\n",
            "lib.compat.text",
        ),
        ("def old(): pass\ndef text(): pass\n", "lib.compat.old"),
        ("old = 1\n", "lib.compat.old"),
        ("def (\n", "lib.compat.old"),
    ],
)
def test_of_an_import_and_its_fallback_the_one_counts_that_was_there(
    tmp_path: Path, before: str, counts: str
) -> None:
    """As of a function that a release drops, with a fallback for releases that are older still."""
    site = install(tmp_path / "old", "lib", "1.0", "lib/__init__.py", "lib/compat.py")
    (site / "lib/compat.py").write_text(before)
    now = PathClassifier(environment(tmp_path / "new"))
    owners = Owners(now.distributions, Distributions((site,)), library=now.library, tree=tmp_path)
    chain = [
        raised(
            "ImportError",
            f"cannot import name '{name}' from 'lib.compat' (x)",
            line(f"from {name}"),
            link=link,
        )
        for name, link in (("text", ""), ("old", "context"))
    ]
    assert find_cause(now.classify_chain(chain), owners).dotted == counts


def test_a_group(world: World) -> None:
    first = raised("ValueError", "1", line("f()"))
    second = raised("AttributeError", "module 'yaml' has no attribute 'x'", line("yaml.x"))
    group = raised("ExceptionGroup", "two (2 sub-exceptions)", line("run()"), link="member")
    cause = world.cause(first, second, group)
    assert (cause.dotted, cause.group) == ("yaml.x", "ExceptionGroup")
    assert world.cause(first).group == ""


def test_nothing_is_known(world: World) -> None:
    assert world.cause().kind is CauseKind.UNKNOWN


TEXTS = st.sampled_from(
    [
        "module 'numpy' has no attribute 'x'",
        "No module named 'a.b'",
        "f() got an unexpected keyword argument 'x'",
        "",
    ]
)
TYPES = st.sampled_from(
    ["AttributeError", "ModuleNotFoundError", "TypeError", "a.B", "", "DeprecationWarning"]
)
FRAMES = st.builds(
    frame,
    st.sampled_from(
        ["mine/core.py", "", "<x>", "tests/test_a.py", "/x/site-packages/numpy/y.py", "../x", "/"]
    ),
    source=st.sampled_from(["np.x(1)", "from a import", "raise X", "(" * 50, "", "a.b.c(d.e(f))", "é = ñ.x"]),
)
LINKS = st.sampled_from(["", "cause", "context", "member"])
CHAINS = st.lists(
    st.builds(
        lambda t, m, f, link: raised(t, m, *f, link=link), TYPES, TEXTS, st.lists(FRAMES, max_size=4), LINKS
    ),
    max_size=5,
)


@given(CHAINS)
def test_every_chain_has_a_cause(chain: list[Raised]) -> None:
    classifier = PathClassifier()
    cause = find_cause(
        classifier.classify_chain(chain), Owners(classifier.distributions, library=None, tree=None)
    )
    assert (cause.kind is CauseKind.UNKNOWN) == (not chain)
    assert cause.position < max(len(chain), 1)
