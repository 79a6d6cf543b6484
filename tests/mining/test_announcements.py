"""Every way in which libraries announce what is to go is seen, and what is none is not."""

from __future__ import annotations

import pytest

from backdate.mining import documents
from backdate.mining.announcements import announcements_in
from backdate.mining.public_names import ReleaseNames, names_of_module


def found(source: str) -> list[tuple[str, str]]:
    """Names and arguments that the module ``lib`` announces."""
    return [(one.name, one.argument) for one in announcements_in(source, "lib")]


PARAMETER = '''
def f(a):
    """Does.

    Parameters
    ----------
    a : int
        It.

        .. deprecated:: 1.2
    """
'''
WARNING = 'warnings.warn("product is deprecated, use prod", DeprecationWarning, stacklevel=2)'


@pytest.mark.parametrize(
    ("source", "name", "argument"),
    [
        (f"def product(a):\n    {WARNING}\n", "lib.product", ""),
        (f"class Table:\n    def lookup(self):\n        {WARNING}\n", "lib.Table.lookup", ""),
        (f"class Table:\n    def __init__(self):\n        {WARNING}\n", "lib.Table", ""),
        (f"def read(path, sep=None):\n    if sep is not None:\n        {WARNING}\n", "lib.read", "sep"),
        (f'def read(**kwargs):\n    if "sep" in kwargs:\n        {WARNING}\n', "lib.read", "sep"),
        (f'def __getattr__(name):\n    if name == "old":\n        {WARNING}\n', "lib.old", ""),
        (f'def __getattr__(name):\n    if name in ("old", "older"):\n        {WARNING}\n', "lib.older", ""),
        (f"async def fetch():\n    {WARNING}\n", "lib.fetch", ""),
        (
            f'def __getattr__(name):\n    old = {{"a": "b"}}\n    if name in old:\n        {WARNING}\n',
            "lib.a",
            "",
        ),
        ('add_newdoc("lib.core", "f", """Does.\n\n.. deprecated:: 1.2\n""")\n', "lib.core.f", ""),
        ('def f():\n    warnings.warn("soon", MaskedFutureWarning)\n', "lib.f", ""),
        ('@deprecated("use prod")\ndef product(): ...\n', "lib.product", ""),
        ('@typing_extensions.deprecated("use prod")\nclass Old: ...\n', "lib.Old", ""),
        ('@_api.deprecated("3.4", alternative="new")\ndef old(): ...\n', "lib.old", ""),
        ('@deprecate_kwarg(old_arg_name="a", new_arg_name="b")\ndef f(b): ...\n', "lib.f", "a"),
        ('@_api.rename_parameter("3.5", "old", "new")\ndef f(new): ...\n', "lib.f", "old"),
        ('@_api.delete_parameter("3.5", "gone")\ndef f(gone): ...\n', "lib.f", "gone"),
        ('def f():\n    """Does.\n\n    .. deprecated:: 1.2\n       Use g.\n    """\n', "lib.f", ""),
        (
            PARAMETER,
            "lib.f",
            "a",
        ),
        ('deprecate("ANTIALIAS", 10, "LANCZOS")\n', "lib.ANTIALIAS", ""),
        ('__expired_attributes__ = {"product": "Use `np.prod` instead."}\n', "lib.product", ""),
        ('MOVED_IN_V2 = {"lib.tools:old": "lib.other:new"}\n', "lib.tools.old", ""),
        ("cumproduct = deprecate(cumprod, 'cumproduct', 'cumprod')\n", "lib.cumproduct", ""),
        ('def f():\n    warn(f"{1} is old", FutureWarning)\n', "lib.f", ""),
        ('MESSAGE = "f is deprecated"\ndef f():\n    warnings.warn(MESSAGE)\n', "lib.f", ""),
    ],
)
def test_an_announcement_is_seen(source: str, name: str, argument: str) -> None:
    assert (name, argument) in found(source)


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    warnings.warn('the file is large', RuntimeWarning)\n",
        "def f():\n    raise ValueError('deprecated')\n",
        "x = {'a': 'b'}\n",
        "def broken(:\n",
        "@property\ndef f(self): ...\n",
        "\0",
    ],
)
def test_what_announces_nothing_is_not_taken_for_it(source: str) -> None:
    assert found(source) == []


def test_the_words_are_whole() -> None:
    (one,) = announcements_in(
        'def f():\n    warnings.warn("f is old. "\n        "Use %s." % "g", DeprecationWarning)\n', "lib"
    )
    assert one.words == "f is old. Use g."
    assert one.line == 2


def test_deep_nesting_does_no_harm() -> None:
    assert found("x = " + "(" * 5_000 + ")" * 5_000) == []
    assert found("x = " + "-" * 100_000 + "1") == []


LONG = 3_000


@pytest.mark.parametrize(
    "source",
    [
        "text = " + " + ".join(['"a"'] * LONG) + "\n",
        "if a:\n    pass\n" + "elif b:\n    pass\n" * LONG,
        "text = a" + ".b" * LONG + "\n",
    ],
)
def test_nesting_that_the_interpreter_does_not_follow_ends_no_reading(source) -> None:
    assert announcements_in(source, "deep") == ()
    names = names_of_module(source, "deep", package=False)
    assert names is None or names.defined <= {"text"}


def test_the_time_for_a_directive_does_not_depend_on_what_is_far_away() -> None:
    read = []

    class Watched(str):
        def splitlines(self, keepends=False):
            read.append(len(self))
            return super().splitlines(keepends)

        def __getitem__(self, key):
            return Watched(super().__getitem__(key))

    document = Watched("width : int\n    .. deprecated:: 1.0\n        Use size.\n" * LONG)
    matches = list(documents.DIRECTIVE.finditer(document))
    assert len(matches) == LONG
    middle = matches[LONG // 2]
    assert documents.directive_words(document, middle) == "1.0 Use size."
    assert documents.parameters_above(document, middle) == ("width",)
    assert max(read) <= 10_000


def test_a_long_line_above_a_directive_is_not_searched_to_its_end(monkeypatch) -> None:
    seen = []

    class Watched:
        def match(self, line):
            seen.append(len(line))

    monkeypatch.setattr(documents, "_PARAMETER", Watched())
    document = "a" + " " * 100_000 + "!\n    .. deprecated:: 1.0\n"
    (match,) = documents.DIRECTIVE.finditer(document)
    documents.parameters_above(document, match)
    assert all(length <= 1_000 for length in seen)


def test_star_imports_in_a_ring_are_followed_once_each() -> None:
    everyone = [f"big.m{number}" for number in range(40)]
    stars = "".join(f"from {one} import *\n" for one in everyone)
    modules = {one: names_of_module(stars, one, package=False) for one in everyone}
    modules["big.m7"] = names_of_module(stars + "found = 1\n", "big.m7", package=False)
    names = ReleaseNames(modules=modules)
    assert dict(names.public_names())["big.m0.found"] == "big.m7.found"
    assert not names.has("big.m0.lost")


def test_arguments_that_a_decorator_names_each_by_a_keyword() -> None:
    source = """
class Create:
    @util.deprecated_params(bind=("2.0", "The bind argument is deprecated"), on=("2.0", "on is deprecated"))
    def __init__(self, element, bind=None, on=None): ...
    @deprecated_params(version="1.0")
    def drop(self, version): ...
"""
    found = {(one.name, one.argument) for one in announcements_in(source, "lib")}
    assert {("lib.Create", "bind"), ("lib.Create", "on")} <= found


def test_what_a_constructor_kept_is_its_argument() -> None:
    source = """
class Constraint:
    def __init__(self, opclasses=()):
        self.opclasses = opclasses
        if self.opclasses:
            warnings.warn("opclasses is deprecated", DeprecationWarning)
        if self.other:
            warnings.warn("others are deprecated", DeprecationWarning)
"""
    found = [(one.name, one.argument) for one in announcements_in(source, "lib")]
    assert found == [("lib.Constraint", "opclasses"), ("lib.Constraint", "")]


def test_names_that_a_guard_lets_pass_are_those_of_the_table() -> None:
    source = """
__all__ = ["leastsq", "root"]
def __getattr__(name):
    if name not in __all__:
        raise AttributeError(name)
    warnings.warn(f"Please use `{name}` from `lib.optimize`, this is deprecated", DeprecationWarning)
    return getattr(_private, name)
"""
    found = [one.name for one in announcements_in(source, "lib.old")]
    assert found == ["lib.old.leastsq", "lib.old.root"]


def test_a_value_that_a_helper_wraps() -> None:
    source = """
class Frame:
    num = _api.deprecated("3.6", alternative="frame.manager.num")(property(lambda self: 1))
"""
    (one,) = announcements_in(source, "lib")
    assert (one.name, one.words) == ("lib.Frame.num", "3.6 frame.manager.num")


def test_a_helper_that_names_its_own_module() -> None:
    source = """
def register_handler(handler):
    deprecate("FitsStub", 10, action="use FitsPlugin instead")
"""
    assert "PIL.FitsStub" in {one.name for one in announcements_in(source, "PIL.FitsStub")}


@pytest.mark.parametrize(
    ("source", "name", "argument", "new"),
    [
        (
            '@deprecate_renamed_function("map_batches", version="0.19")\ndef map(f): ...\n',
            "map",
            "",
            "map_batches",
        ),
        ('@deprecated_for("to_wei")\ndef toWei(n): ...\n', "toWei", "", "to_wei"),
        ('@deprecated_alias(a="b")\ndef f(b): ...\n', "f", "a", "b"),
        ('@rename_parameters({"a": "b"}, "0.12")\ndef f(b): ...\n', "f", "a", "b"),
        ('names = {"a": "b"}\n@rename_parameters(names, end_version="0.12")\ndef f(b): ...\n', "f", "a", "b"),
        ('@deprecated_renamed_argument(["a"], ["b"], ["4.0"])\ndef f(b): ...\n', "f", "a", "b"),
        (
            '@deprecated("0.2", issue=1, instead=lib.to_thread.run)\ndef f(): ...\n',
            "f",
            "",
            "lib.to_thread.run",
        ),
        ("product = deprecate(prod, 'product', 'prod')\n", "product", "", "prod"),
        ('old = deprecated_alias("lib.old", new_name, "0.12")\n', "old", "", "new_name"),
        ('moved_attribute(Version("lib", 1), "use new", __name__, "old")\n', "old", "", ""),
        (
            "from lib.check import Check\ndeprecated_alias('lib', {'Link': Check}, RemovedIn4Warning)\n",
            "Link",
            "",
            "lib.check.Check",
        ),
        (
            'from other.chat import Chat\nDEPRECATED_LOOKUP = {"Chat": "other.chat"}\n',
            "Chat",
            "",
            "other.chat.Chat",
        ),
    ],
)
def test_what_takes_the_place_is_read_where_a_helper_names_it(source, name, argument, new) -> None:
    read = {(one.name, one.argument): one.new for one in announcements_in(source, "lib")}
    assert read[f"lib.{name}", argument] == new


def test_a_category_behind_a_table_takes_no_place() -> None:
    source = "deprecated_alias('lib.html', {'Link': Check}, RemovedIn4Warning)\n"
    assert {one.new for one in announcements_in(source, "lib.html")} == {"", "lib.html.Check"}
