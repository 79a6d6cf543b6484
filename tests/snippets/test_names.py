"""Tests of dotted names in snippets."""

from __future__ import annotations

import pytest

from backdate.snippets.names import aliases_of, bare_name, canonical_name, uses_any, uses_of

CODE = """\
import numpy as np
from pandas import DataFrame as Frame
import os.path

def work(x):
    print np.asfarray(x).T, Frame.append
    asarray = x
    return os.path.join(x.y, len(x)), asarray.z
"""


@pytest.mark.parametrize(
    ("spelled", "name"),
    [
        ("np.asfarray(a, dtype=<class 'numpy.double'>)->numpy.ndarray", "np.asfarray"),
        ("`tf.Session`", "tf.Session"),
        ("def work(x): ...", "work"),
        ("  os . path.join ", "os.path.join"),
        ("1 + 1", ""),
        ("", ""),
    ],
)
def test_a_name_is_read_without_arguments_and_quotes(spelled: str, name: str) -> None:
    assert bare_name(spelled) == name


def test_aliases_are_those_of_the_code_and_else_those_of_custom() -> None:
    aliases = aliases_of(CODE)
    assert aliases == {"np": "numpy", "Frame": "pandas.DataFrame", "os": "os"}
    assert canonical_name("Frame.append(other)", aliases) == "pandas.DataFrame.append"
    assert canonical_name("tf.Session()", aliases) == "tensorflow.Session"
    assert canonical_name("np.x", {"np": "jax.numpy"}) == "jax.numpy.x"
    assert canonical_name("DataFrame.append", {}, "pandas") == "pandas.DataFrame.append"
    assert canonical_name("builtins.intern(s)", {}) == "intern"


def test_uses_are_read_from_code_of_any_python_without_its_own_variables() -> None:
    used = [use.name for use in uses_of(CODE)]
    assert "numpy.asfarray" in used
    assert "pandas.DataFrame.append" in used
    assert "os.path.join" in used
    assert not any(name.endswith(".z") for name in used)
    assert next(use.line for use in uses_of(CODE) if use.name == "numpy.asfarray") == 6


def test_a_name_counts_where_something_below_it_is_used() -> None:
    assert uses_any(CODE, frozenset({"numpy.asfarray", "numpy.asf"})) == ("numpy.asfarray",)


@pytest.mark.parametrize("code", ["", "def f(:\n  ))", "(" * 5_000, "\x00", "x = '''", "a." * 3_000])
def test_no_code_is_too_broken_or_too_deep(code: str) -> None:
    assert isinstance(uses_of(code), tuple)
    assert isinstance(aliases_of(code), dict)
