from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.projects.setup_script import setup_arguments


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("setup(python_requires='>=3.6')", ">=3.6"),
        ("import setuptools\nsetuptools.setup(python_requires='>=3' '.6')", ">=3.6"),
        ("V = '3.6'\nsetup(python_requires='>=' + V)", ">=3.6"),
        ("V = '3.6'\nsetup(python_requires=f'>={V}')", ">=3.6"),
        ("V = (3, 6)\nsetup(python_requires='>=%d.%d' % V)", ">=3.6"),
        ("V = (3, 6)\nsetup(python_requires='>={}.{}'.format(*V))", ">=3.6"),
        ("V = (3, 6)\nsetup(python_requires='>=' + '.'.join(V))", ">=3.6"),
        ("C = dict(python_requires='>=3.6', x=f())\nsetup(**C)", ">=3.6"),
        ("C = {'python_requires': '>=3.6', 'x': f()}\nsetup(**C)", ">=3.6"),
        ("C = {'name': 'x'}\nC['python_requires'] = '>=3.6'\nsetup(**C)", ">=3.6"),
        ("C = dict()\nif x:\n    C['python_requires'] = '>=3.6'\nsetup(**C)", ">=3.6"),
        ("if __name__ == '__main__':\n    setup(python_requires='>=3.6')", ">=3.6"),
    ],
)
def test_literal_values_are_resolved(source: str, value: str) -> None:
    arguments = setup_arguments(source)
    assert arguments is not None
    assert arguments["python_requires"].value == value


@pytest.mark.parametrize(
    "source",
    [
        "setup(python_requires=read('x'))",
        "V = '1'\nV = '2'\nsetup(python_requires=V)",
        "V = '1'\nV += '2'\nsetup(python_requires=V)",
        "C = {}\nC['python_requires'] = '1'\nC['python_requires'] = '2'\nsetup(**C)",
        "C = {'python_requires': '1'}\nC['python_requires'] = '2'\nsetup(**C)",
        "C = {}\nC['python_requires'] = '1'\nC['python_requires'] += '2'\nsetup(**C)",
        "C = {'python_requires': []}\nC['python_requires'].append('2')\nsetup(**C)",
        "A = B\nB = A\nsetup(python_requires=A)",
        "setup(python_requires='%999999999d' % 1)",
        "setup(python_requires='{:>999999999}'.format(1))",
        "setup(python_requires='x' * 10 ** 10)",
        "A='x'*9\n" + "\n".join(f"A{i + 1}=A{i}+A{i}" for i in range(18)) + "\nsetup(python_requires=A18)",
        "notsetup(python_requires='>=3.6')",
    ],
)
def test_computed_values_are_left_out(source: str) -> None:
    assert "python_requires" not in (setup_arguments(source) or {})


def test_doubling_does_not_explode() -> None:
    lines = ["A0 = 'xxxxxxxxxx'"] + [f"A{i + 1} = A{i} + A{i}" for i in range(18)]
    assert setup_arguments("\n".join([*lines, "setup(name=A18, version='1')"])).keys() == {"version"}


def test_the_script_is_not_executed(tmp_path) -> None:
    setup_arguments(f"open({str(tmp_path / 'x')!r}, 'w')\nsetup(name=open({str(tmp_path / 'x')!r}, 'w'))")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "source", ["print 'python 2'", "a\0b", "(" * 5000, "x=" + "-" * 50_000 + "1", "\ud800"]
)
def test_invalid_python_is_none(source: str) -> None:
    assert setup_arguments(source) is None


def test_the_line_is_that_of_the_value() -> None:
    arguments = setup_arguments("setup(\n  name='a',\n  version=\n    '1')")
    assert arguments is not None
    assert arguments["version"].line == 4


def test_invalid_escapes_do_not_warn() -> None:
    assert setup_arguments("setup(name='a', description='\\d')") is not None


@given(st.text(max_size=200))
def test_text_never_raises(text: str) -> None:
    setup_arguments(text)


@given(st.text(alphabet="setup(){}[]'%+=*,.fA\n 0", max_size=60))
def test_near_code_never_raises(text: str) -> None:
    setup_arguments(f"A = 'x'\nsetup(name={text})")
