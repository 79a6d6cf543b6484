"""What is drawn from code that uses a changed name, and why some is not."""

from __future__ import annotations

import ast

import pytest

from backdate.construction.snippet.alike import without_duplicates
from backdate.construction.snippet.argument_values import MODULES
from backdate.construction.snippet.changed_apis import ChangedApi
from backdate.construction.snippet.module_code import read_module
from backdate.construction.snippet.reasons import SnippetReason
from backdate.construction.snippet.usages import (
    ArchiveContext,
    ChangedApis,
    DrawnSnippet,
    UsageKind,
    UsageOrigin,
    usages_in,
)
from backdate.construction.snippet.used_names import UsedNames, names_used
from backdate.rewriting.rewrite import ReplaceName
from backdate.snippets.snippet import ApiChangeKind

ORIGIN = UsageOrigin(distribution="user", version="1.0", file="", line=0, licence="MIT")
TOTAL = ChangedApi(
    name="lib.total", kind=ApiChangeKind.MOVED, rewrites=(ReplaceName(old="lib.total", new="lib.summed"),)
)
MODE = ChangedApi(name="lib.total", argument="mode", kind=ApiChangeKind.SIGNATURE)


def drawn(
    text: str,
    path: str = "user/code.py",
    *,
    of_library: bool = False,
    names=(TOTAL,),
    library="lib",
    modules=MODULES,
):
    module = read_module(path, text)
    assert module is not None
    context = ArchiveContext(
        library=library,
        own=frozenset({"user"}),
        origin=ORIGIN,
        of_library=of_library,
        modules=frozenset(modules),
    )
    return list(usages_in(module, ChangedApis(names), context))


FUNCTION = """\
import lib as l
from user.other import thing

SCALE = 2

def half(x):
    return x / SCALE

def mean_of(values: list):
    '''The mean, halved.

    More words.
    '''
    return half(l.total(values)) / len(values)
"""


def test_a_function_takes_what_it_needs_of_its_file_and_no_more() -> None:
    (one,) = drawn(FUNCTION)
    assert isinstance(one, DrawnSnippet)
    assert (one.kind, one.entry, one.names) == (UsageKind.FUNCTION, "mean_of", ("lib.total",))
    assert one.code.startswith("import lib as l\n")
    assert "SCALE = 2" in one.code
    assert "def half" in one.code
    assert "thing" not in one.code
    assert one.document == "The mean, halved."
    assert "([1, 2, 3],)" in one.cases
    assert one.origin.line == 9


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("import lib, os\ndef f(x):\n    return lib.total(os.listdir(x))\n", SnippetReason.REACHES_OUTSIDE),
        ("import lib\ndef f(x):\n    return lib.total(open(x))\n", SnippetReason.REACHES_OUTSIDE),
        (
            "import lib, user.a as a\ndef f(x):\n    return lib.total(a.b(x))\n",
            SnippetReason.NEEDS_OWN_PACKAGE,
        ),
        ("import lib, other\ndef f(x):\n    return lib.total(other.b(x))\n", SnippetReason.NEEDS_OTHERS),
        (
            "import lib\nclass A: pass\ndef f(x):\n    return lib.total(A())\n",
            SnippetReason.NEEDS_MORE_OF_FILE,
        ),
        ("import lib\ndef f(x):\n    lib.total(x)\n", SnippetReason.NO_RESULT),
        ("import lib\ndef f():\n    return lib.total(None)\n", SnippetReason.NO_ARGUMENTS),
    ],
)
def test_what_does_not_stand_alone_is_dropped_with_the_reason(text, reason) -> None:
    assert reason in {one.why.reason for one in drawn(text) if not isinstance(one, DrawnSnippet)}
    assert not any(isinstance(one, DrawnSnippet) for one in drawn(text))


def test_the_literals_of_a_test_become_parameters_and_the_first_case() -> None:
    text = (
        "import lib\n"
        "def test_total():\n"
        "    data = [1, 2, 3]\n"
        "    unused = 7\n"
        "    got = lib.total(data, 4)\n"
        "    assert got == 10\n"
    )
    (one,) = drawn(text, "lib/tests/test_lib.py", of_library=True)
    assert isinstance(one, DrawnSnippet)
    function = ast.parse(one.code).body[-1]
    assert isinstance(function, ast.FunctionDef)
    assert [argument.arg for argument in function.args.args] == ["data", "number"]
    assert "unused" not in one.code
    assert "return got" in one.code
    assert one.cases[0] == "([1, 2, 3], 4)"
    assert len(set(one.cases)) == len(one.cases) > 3


def test_what_a_test_is_parametrised_with_and_loops_over_become_cases() -> None:
    text = (
        "import lib, pytest\n"
        "@pytest.mark.parametrize('a, b', [([1], 2), ([3], 4)])\n"
        "def test_total(a, b):\n"
        "    for c in (5, 6):\n"
        "        assert lib.total(a, b, c) > 0\n"
    )
    (one,) = drawn(text, "tests/test_lib.py")
    assert isinstance(one, DrawnSnippet)
    assert one.cases[:4] == ("([1], 2, 5)", "([1], 2, 6)", "([3], 4, 5)", "([3], 4, 6)")


def test_an_example_of_the_documentation_shows_the_value_that_it_prints() -> None:
    text = (
        "def total(values):\n"
        "    '''Add.\n\n"
        "    >>> import lib\n"
        "    >>> t = lib.total([1, 2])\n"
        "    >>> t.sort()\n"
        "    >>> t + 1\n"
        "    4\n"
        "    '''\n"
    )
    (one,) = drawn(text, "lib/core.py", of_library=True)
    assert isinstance(one, DrawnSnippet)
    assert one.kind is UsageKind.DOCTEST
    assert "t.sort()\n    return t + " in one.code


def test_an_earlier_value_of_a_name_is_left_out() -> None:
    text = (
        "import lib\n"
        "def test_total():\n"
        "    a = lib.total([1])\n"
        "    a = lib.total([2, 3])\n"
        "    assert a == 5\n"
    )
    first, second = drawn(text, "tests/test_lib.py")
    assert isinstance(first, DrawnSnippet)
    assert isinstance(second, DrawnSnippet)
    assert second.code.count("lib.total") == 1


def test_an_argument_is_looked_for_in_calls_that_give_it() -> None:
    text = "import lib\ndef f(x):\n    return lib.total(x)\ndef g(x):\n    return lib.total(x, mode=1)\n"
    (one,) = drawn(text, names=(MODE,))
    assert isinstance(one, DrawnSnippet)
    assert (one.entry, one.names) == ("g", ("lib.total(mode)",))


def test_the_same_function_under_other_names_is_one_with_the_cases_of_both() -> None:
    text = (
        "import lib\n"
        "def test_a():\n    assert lib.total([1, 2]) == 3\n"
        "def test_b():\n    assert lib.total([7, 8]) == 15\n"
    )
    found = [one for one in drawn(text, "tests/test_lib.py") if isinstance(one, DrawnSnippet)]
    kept, again = without_duplicates(found)
    assert (len(kept), again) == (1, 1)
    assert kept[0].cases[:2] == ("([1, 2],)", "([7, 8],)")


def test_what_a_class_prepares_and_what_a_file_imports_or_skips_is_taken_along() -> None:
    text = (
        "import pytest\n"
        "l = pytest.importorskip('lib')\n"
        "class TestTotal:\n"
        "    def setup_method(self):\n"
        "        self.data = [1, 2, 3]\n"
        "    def test_total(self):\n"
        "        assert l.total(self.data) == 6\n"
    )
    (one,) = drawn(text, "tests/test_lib.py")
    assert isinstance(one, DrawnSnippet)
    assert one.code.startswith("import lib as l\n")
    assert "def total_example(data):" in one.code
    assert one.cases[0] == "([1, 2, 3],)"


NODE = ChangedApi(name=".append", kind=ApiChangeKind.REMOVED, owners=("lib.Frame",))


def test_attributes_of_lists_and_texts_are_no_uses() -> None:
    text = "import lib\n\ndef f(x: list):\n    {}\n    return made.append(3)\n"
    for plain in ("made = []", "made = [n for n in x]", "made = 'text'", "made = {}"):
        assert drawn(text.format(plain), names=(NODE,)) == []
    (one,) = drawn(text.format("made = lib.Frame(x)"), names=(NODE,))
    assert isinstance(one, DrawnSnippet)
    assert one.names == (".append",)


@pytest.mark.parametrize("module", ["datetime", "inspect", "audioop", "imp", "fractions"])
def test_of_the_standard_library_what_changed_may_be_used(module: str) -> None:
    names = (ChangedApi(name=f"{module}.total", kind=ApiChangeKind.REMOVED),)
    text = f"import {module}\ndef f(x: int):\n    return {module}.total(x)\n"
    assert isinstance(drawn(text, names=names, library="python")[0], DrawnSnippet)
    used = names_used([read_module("a.py", text + "def g(x):\n    return x.tail + other.b\n")], "python")
    assert used == UsedNames(dotted=(f"{module}.total",), attributes=("b", "tail"))


@pytest.mark.parametrize("module", ["os", "subprocess", "socket", "user"])
def test_of_the_standard_library_what_reaches_outside_is_not_used(module: str) -> None:
    names = (ChangedApi(name="fractions.gcd", kind=ApiChangeKind.REMOVED),)
    text = f"import fractions, {module}\ndef f(x: int):\n    return fractions.gcd(x, {module}.b)\n"
    assert not any(isinstance(one, DrawnSnippet) for one in drawn(text, names=names, library="python"))


@pytest.mark.parametrize("parameter", ["x", "graph", "frame", "matrix"])
def test_values_are_made_with_modules_that_are_there(parameter: str) -> None:
    text = f"import lib\ndef f({parameter}):\n    return lib.total({parameter})\n"
    (one,) = drawn(text, modules=())
    assert isinstance(one, DrawnSnippet)
    assert len(one.cases) > 2
    assert one.before == ""
    (other,) = drawn(text)
    assert isinstance(other, DrawnSnippet)
    assert other.before


ENCODED = ChangedApi(name="base64.encodestring", kind=ApiChangeKind.REMOVED)


def test_texts_and_bytes_that_the_standard_library_is_given_become_parameters() -> None:
    text = "import base64\ndef test_it():\n    assert base64.encodestring(b'abc', 'x', mode='y') == b'YWJj'\n"
    (one,) = drawn(text, "tests/test_a.py", names=(ENCODED,), library="python")
    assert isinstance(one, DrawnSnippet)
    assert "def encodestring_example(data, text):" in one.code
    assert "mode='y'" in one.code
    assert one.cases[0] == "(b'abc', 'x')"
    text = text.replace("base64.encodestring", "lib.total").replace("base64", "lib")
    (of_library,) = drawn(text, "tests/test_a.py")
    assert isinstance(of_library, DrawnSnippet)
    assert "def total_example(data):" in of_library.code


def test_what_is_bound_again_before_it_is_read_is_left_out() -> None:
    text = (
        "import lib\n"
        "def test_it():\n"
        "    kept = [1, 2]\n"
        "    made = lib.total([9])\n"
        "    made, _ = lib.total(kept), 4\n"
        "    assert made == 3\n"
    )
    codes = [one.code for one in drawn(text, "tests/test_lib.py") if isinstance(one, DrawnSnippet)]
    assert any("made, _ = " in code and "[9]" not in code and code.count("total(") == 1 for code in codes)
    assert not any(code.count("lib.total(") > 1 for code in codes)
