"""Functions that are handed on: what their calls become, as functions of their own."""

from __future__ import annotations

from dataclasses import replace

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceUse
from backdate.rewriting.rewrite_source import rewrite_source

SORT = ReplaceUse(target="numpy.msort", template="numpy.sort({0}, axis=0)")
REST = ReplaceUse(target="numpy.msort", template="numpy.sort(list({0}), {args})")
TWO = ReplaceUse(target="numpy.msort", template="numpy.dot({1}, {0})")
SORTED = "lambda x: np.sort(x, axis=0)"


def rewritten(text: str, rewrite: ReplaceUse = SORT) -> str:
    return apply_edits(text, rewrite_source(text, rewrite, lines=None).edits)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(a, sort=np.msort): pass\n", f"def f(a, sort={SORTED}): pass\n"),
        ("HOW = {'sort': np.msort, 'x': 1}\n", f"HOW = {{'sort': {SORTED}, 'x': 1}}\n"),
        ("for a in map(np.msort, many): pass\n", f"for a in map({SORTED}, many): pass\n"),
        ("call(key=np.msort)\n", f"call(key={SORTED})\n"),
        ("sort = np.msort\n", f"sort = {SORTED}\n"),
        ("both = [np.msort, np.sin]\n", f"both = [{SORTED}, np.sin]\n"),
        ("how = np.msort if is_so else np.sin\n", f"how = ({SORTED}) if is_so else np.sin\n"),
        ("a = np.msort(b)\nhow = np.msort\n", f"a = np.sort(b, axis=0)\nhow = {SORTED}\n"),
    ],
)
def test_a_function_that_is_handed_on_is_one_still(before: str, after: str) -> None:
    assert rewritten(f"import numpy as np\n{before}") == f"import numpy as np\n{after}"


def test_its_import_goes() -> None:
    before = "from numpy import msort\ndef f(a, sort=msort): pass\n"
    assert rewritten(before) == "import numpy\ndef f(a, sort=lambda x: numpy.sort(x, axis=0)): pass\n"


def test_it_has_the_parameters_of_the_template() -> None:
    use = "import numpy as np\nhow = np.msort\n"
    assert rewritten(use, REST).endswith(
        "how = lambda x, *args, **kwargs: np.sort(list(x), *args, **kwargs)\n"
    )
    rest = replace(SORT, template="numpy.sort({args}).x")
    assert rewritten(use, rest).endswith("how = lambda *args, **kwargs: np.sort(*args, **kwargs).x\n")
    assert rewritten(use, TWO).endswith("how = lambda x, y: np.dot(y, x)\n")


def test_an_item_that_is_a_function_keeps_its_key() -> None:
    cast = ReplaceUse(target="numpy.cast", template="numpy.asarray({0}, dtype={key})", keyed=True)
    use = "import numpy as np\nto = np.cast[a.type]\nb = np.cast['f'](c)\nd = np.cast\n"
    after = "import numpy as np\nto = lambda x: np.asarray(x, dtype=a.type)\nb = np.asarray(c, dtype='f')\n"
    assert rewritten(use, cast) == f"{after}d = np.cast\n"


@pytest.mark.parametrize("template", ["html.unescape({0})", "html.unescape({args})"])
def test_a_template_that_calls_a_function_with_the_same_is_that_function(template: str) -> None:
    rewrite = ReplaceUse(target=".unescape", template=template)
    text = "import html\ndecode = HTMLParser().unescape\n"
    edits = rewrite_source(text, rewrite, lines=frozenset({2})).edits
    assert apply_edits(text, edits) == "import html\ndecode = html.unescape\n"
    named = ReplaceUse(target="old.unescape", template=template)
    assert rewritten("import html, old\nd = {'a': old.unescape}\n", named).endswith("{'a': html.unescape}\n")


def test_of_any_object_nothing_is_made_that_holds_it() -> None:
    rewrite = ReplaceUse(target=".append", template="pandas.concat([{self}, {0}])")
    assert not rewrite_source("add = frame.append\n", rewrite, lines=frozenset({1})).edits


@pytest.mark.parametrize(
    "use",
    [
        "isinstance(a, np.msort)",
        "hasattr(np, 'msort')",
        "class A(np.msort): pass",
        "functools.partial(np.msort)",
        "np.msort.__name__",
        "del np.msort",
        "np.msort = 1",
        "a is np.msort",
        "@np.msort\ndef f(): pass",
        "def f(a: np.msort): pass",
    ],
)
def test_what_is_not_handed_on_stays(use: str) -> None:
    text = f"import functools\nimport numpy as np\n{use}\n"
    assert "lambda" not in rewritten(text)


@pytest.mark.parametrize(
    "rewrite",
    [
        replace(SORT, template="numpy.sort({a}, axis={axis})"),
        replace(SORT, template="numpy.sort({0}, axis={axis})", defaults={"axis": "0"}),
        replace(SORT, template="numpy.sort({1}, axis=0)"),
        replace(SORT, only={"0": "1"}),
        replace(SORT, drops_arguments=True),
        replace(SORT, template="numpy.dot({0}, {1}, {2}, {3})"),
    ],
)
def test_where_more_decides_what_is_written_nothing_is(rewrite: ReplaceUse) -> None:
    text = "import numpy as np\nhow = np.msort\n"
    assert rewritten(text, rewrite) == text


def test_a_type_to_convert_by_is_no_function() -> None:
    fits = ReplaceUse(target="numpy.uint8", template="numpy.array({0}).astype(numpy.uint8)")
    use = "import numpy as np\na = b.astype(np.uint8)\nc = np.zeros(3, dtype=np.uint8)\nd = np.uint8(e)\n"
    assert rewritten(use, fits) == use.replace("np.uint8(e)", "np.array(e).astype(np.uint8)")
