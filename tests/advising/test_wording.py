import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.advising.wording import replacement_in, since_in


@pytest.mark.parametrize(
    ("text", "name", "replacement"),
    [
        (
            "`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead.",
            "numpy.float_",
            "np.float64",
        ),
        (
            "'werkzeug.urls.url_decode' is deprecated. Use 'urllib.parse.parse_qs' instead.",
            "werkzeug.urls.url_decode",
            "urllib.parse.parse_qs",
        ),
        ("in1d is deprecated, use isin instead", "in1d", "isin"),
        (
            "Passing prerelease to Version is deprecated. Please pass candidate instead.",
            "prerelease",
            "candidate",
        ),
        (
            "The package `old_client` is deprecated. Please use instead `client.http`",
            "old_client",
            "client.http",
        ),
        (
            "Suite.to_file is deprecated. It will be removed in version 2.0.0. Use function to_xml_file",
            "to_file",
            "to_xml_file",
        ),
        ("lib.Stopwatch is deprecated. Use stdlib time.monotonic instead", "Stopwatch", "time.monotonic"),
        ("Renamed the ``json_data`` parameter of `Schema.loads` to ``text``.", "json_data", "text"),
        ("Rename :func:`lib.old` to :func:`lib.new`", "lib.old", "lib.new"),
        ("Moved `filter` from `lib.core` to `lib.tools`", "filter", "lib.tools"),
        ("Renamed files to lower case, moved tests to another folder", "files", ""),
        ("``lib.PKCS12`` may be replaced by the PKCS#12 APIs of another package.", "lib.PKCS12", ""),
        (
            "The TextField alias for StringField has been deprecated and will be removed in WTForms 3.0",
            "TextField",
            "StringField",
        ),
        (
            "Unable to avoid copy. If using `np.array(obj, copy=False)` replace it with `np.asarray(obj)`.",
            "array",
            "np.asarray",
        ),
        (
            "The 'missing' argument to fields is deprecated. Use 'load_default' instead.",
            "missing",
            "load_default",
        ),
        (
            "`np.float` was an alias for the builtin `float`. Use `float` by itself.",
            "float",
            "builtins.float",
        ),
        ("Use :func:`~numpy.isin` instead of ``in1d``.", "in1d", "numpy.isin"),
        ("``Old.name`` has been renamed to ``Old.title``", "Old.name", "Old.title"),
        ("The `load_module` method was renamed `load`, and is deprecated.", "load_module", "load"),
        ("`load_module` was renamed because `load` is there", "load_module", ""),
        ("Removed ``load`` in favor of :meth:`Parser.parse_all`", "load", "Parser.parse_all"),
        (
            "The frame.append method is deprecated and will be removed. Use pandas.concat instead.",
            "append",
            "pandas.concat",
        ),
        ("`first` (use `one`), `second` (use `two`)", "second", "two"),
        ("`first`, `second` (use `two`)", "first", ""),
        ("`a` and `b` were removed; use `c` and `d` respectively", "a", "c"),
        ("`a` and `b` were removed; use `c` and `d` respectively", "b", "d"),
        (
            "`default` and `missing` parameters, which were replaced by `dump_default` and `load_default`",
            "missing",
            "load_default",
        ),
        ("`a`, `b` and `x.y` were removed; use `c`", "y", "c"),
        ("`a`, `b` and `e` were removed; use `c` and `d`", "b", ""),
        ("- rename as_shape to shape", "as_shape", "shape"),
        ("soft_unicode has been renamed to soft_str", "soft_unicode", "soft_str"),
        ("Declarative `declarative_base` is now available as sqlalchemy.orm.declarative_base().", "x", ""),
        (
            "'_request_stack' is deprecated. Use 'g' to store data, or 'request' to have the context.",
            "lib._request_stack",
            "request",
        ),
        ("`send_all` is gone. Use `push` for one, or `pull` for many.", "send_all", "push"),
        ("`gone` was removed. Use it no more.", "gone", ""),
        ("`gone` was removed without replacement", "gone", ""),
        ("`other` was removed, use `this_one` instead", "gone", ""),
        ("trapz -> trapezoid", "numpy.trapz", "trapezoid"),
        ("`NaN` was removed; please use :data:`numpy.nan`", "NaN", "numpy.nan"),
        (
            "has_table is deprecated. Please refer to :meth:`Inspector.has_table`.",
            "has_table",
            "Inspector.has_table",
        ),
        (
            "getheaders() is deprecated. Instead access HTTPResponse.headers directly.",
            "getheaders",
            "HTTPResponse.headers",
        ),
        ("Importing Tree from a.b is deprecated. Instead import it from a.c.", "a.b.Tree", "a.c"),
        ("nodes.Node.traverse() is obsoleted by Node.findall().", "traverse", "Node.findall"),
        ("`f` has been moved, should be imported from a.times.", "a.f", "a.times"),
        ("The function `f` has been moved from `a.x` to `a.y`.", "a.x.f", "a.y"),
        ("`splitter` is deprecated, prefer `line_splitter`.", "splitter", "line_splitter"),
        ("old_func can now be found in lib.other", "lib.old_func", "lib.other"),
        ("`old` now lives in `lib.other`.", "lib.old", "lib.other"),
        ("old_func() was removed, please migrate to new_func()", "lib.old_func", "new_func"),
        ("old_func() was removed; new_func() should be used", "lib.old_func", "new_func"),
        ("new_func replaces the function old_func.", "lib.old_func", "new_func"),
        ("Add new_func as a replacement for `old_func`.", "lib.old_func", "new_func"),
        ("Consider new_func instead of old_func", "lib.old_func", "new_func"),
        ("Prefer `new` over `old`", "lib.old", "new"),
        ("Import `old` from `lib.other` instead.", "lib.old", "lib.other"),
        ("Importing old_func is deprecated; other_func should be kept", "lib.old_func", ""),
        ("this replaces old_func", "lib.old_func", ""),
        ("Indexing with multiple keys will be deprecated, use a list instead.", "lib.keys", ""),
        ("`keys` is deprecated, use listed instead.", "lib.keys", "listed"),
        ("`x.run(a)` is gone. Use `x.execute(a, b)` instead.", "run", "x.execute"),
    ],
)
def test_what_a_text_says_takes_the_place_of_a_name(text: str, name: str, replacement: str) -> None:
    said = replacement_in(text, name)
    assert (said.replacement if said else "") == replacement


def test_an_expression_that_is_more_than_a_name() -> None:
    text = (
        "The '__version__' attribute is deprecated and will be removed in a future version. "
        "Use feature detection or 'importlib.metadata.version(\"lib\")' instead."
    )
    said = replacement_in(text, "lib.__version__")
    assert said is not None
    assert said.replacement == "importlib.metadata.version"
    assert said.expression == 'importlib.metadata.version("lib")'


def test_the_release_since_which_it_is_deprecated() -> None:
    assert since_in("`in1d` is deprecated since NumPy 1.25, use isin") == "1.25"
    assert since_in("`product` is deprecated as of NumPy 1.25.0, and will be removed") == "1.25.0"
    assert since_in("It will be removed in Werkzeug 3.0.") == ""
    assert since_in("no release") == ""


@given(st.text(max_size=400), st.text(max_size=10))
def test_any_text_is_read(text: str, name: str) -> None:
    said = replacement_in(f"{name} {text} use `x` instead", name)
    assert said is None or said.replacement
    since_in(text)


@pytest.mark.parametrize(
    "piece", ["use `", "a -> ", "name (", "renamed to ", ":a:`", "[`", "the ", "name use x. "]
)
def test_of_a_long_text_only_the_beginning_is_read(piece: str) -> None:
    said = replacement_in(f"{piece * 200_000} `name`: use `other` instead", "name")
    assert said is None or said.replacement != "other"
    assert since_in(piece * 200_000) == ""
