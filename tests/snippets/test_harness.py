"""Scripts become code, an entry point and cases."""

import textwrap

import pytest

from backdate.snippets.harness import read_script
from backdate.snippets.script_source import unfenced

FUNCTION = "import math\n\ndef f(a, b=2):\n    # why\n    return a, b\n"
LOOP = "for a, b in test_data:\n    print(f(a, b))"
TWICE = "for a, b in test_data:\n    if a:\n        print(f(a, b))\n        print(f(b, a))"
TRIED = "for a, b in test_data:\n    try:\n        print(f(a, b))\n    except Exception as e:\n        pass"
DATA = "test_data = [\n    (1, 2),\n    (3, 4),\n    (5, 6),\n]\n"


def script(loop: str, *, data: str = DATA, more: str = "") -> str:
    return f"{FUNCTION}\n{more}{data}\n{loop}"


def called(source: str) -> list[object]:
    """What each case hands to the function, once the code is loaded."""
    read = read_script(source, "f")
    names: dict[str, object] = {}
    exec(read.code, names)
    return [eval(case, names) for case in read.harness.cases]


@pytest.mark.parametrize(
    ("loop", "given"),
    [
        (TRIED, (1, 2)),
        ("for item in test_data:\n    print(f(*item))", (1, 2)),
        ("for i, item in enumerate(test_data):\n    print(f(item, i))", ((1, 2), 0)),
        ("for i, (a, b) in enumerate(test_data, start=1):\n    print(f(i, a))", (1, 1)),
        ("for a, b in test_data:\n    c = a + b\n    d = c * 2\n    print(f(c, d))", (3, 6)),
        ("for a, b in test_data:\n    print(f(b=a, a=b))", (2, 1)),
        ("for case in test_data:\n    r = f(case[0])\n    print(r)", (1,)),
    ],
)
def test_each_element_of_the_data_is_a_case(loop: str, given: object) -> None:
    cases = called(script(loop))
    assert len(cases) == 3
    assert cases[0] == given


def test_the_code_keeps_imports_helpers_and_comments_and_loses_loop_and_data() -> None:
    read = read_script(script(LOOP, more="LIMIT = 3\n"), "f")
    assert "# why" in read.code
    assert "LIMIT = 3" in read.code
    assert "test_data" not in read.code
    assert (read.entry, read.flags) == ("f", ())


@pytest.mark.parametrize(
    ("source", "flag"),
    [
        (script(LOOP, data="test_data = [(1, 2)]\n"), "cases-not-three"),
        (script(LOOP, data=DATA.replace("1", "float('nan')")), "data-not-literal"),
        ("python\n" + script(LOOP), "stray-line"),
        (script(LOOP, more="def g():\n    pass\n"), "several-functions"),
        (script(LOOP.replace("f(a", "g(a"), more="def g(a, b):\n    pass\n"), "several-entry-points"),
        (script(TWICE, data="data = 1"), "harness-as-script"),
        (script("while f(1):\n    break"), "harness-as-script"),
        (script("for a in load():\n    print(f(a))"), "harness-as-script"),
        (script("for a, b in test_data:\n    print(f(1, *a))"), "harness-as-script"),
        ("print 'of another Python'", "script-unparsable"),
        ("(" * 5000, "script-unparsable"),
    ],
)
def test_what_is_odd_about_a_script_is_a_flag(source: str, flag: str) -> None:
    read = read_script(source, "f")
    assert flag in read.flags
    assert bool(read.harness.cases) == (flag not in ("harness-as-script", "script-unparsable"))


def test_a_script_of_another_shape_runs_after_its_functions() -> None:
    read = read_script(script("while True:\n    assert f(1) == (1, 2)\n    break"), "f")
    assert "def f" in read.code
    assert "test_data" not in read.code
    assert "while True" in read.harness.script


@pytest.mark.parametrize(
    ("text", "code", "flags"),
    [
        ("```python\nx = 1\n```", "x = 1", ()),
        ("words\n```\nx = 1\n```\nmore\n```py\nx = 1\ny = 2\n```", "x = 1\ny = 2", ("several-fences",)),
        ("```python\nx = 1", "x = 1", ()),
        ("x = 1\n", "x = 1", ("no-fence",)),
    ],
)
def test_fences_are_taken_off(text: str, code: str, flags: tuple[str, ...]) -> None:
    assert unfenced(text) == (code, flags)


SHAPES = {
    "guard": lambda code, run: f'{code}\nif __name__ == "__main__":\n{textwrap.indent(run, "    ")}\n',
    "main": lambda code, run: f"{code}\ndef main():\n{textwrap.indent(run, '  ')}\n\nmain()\n",
    "guarded main": lambda code, run: (
        f"{code}\ndef main():\n{textwrap.indent(run, '    ')}\n\nif __name__ == '__main__':\n    main()\n"
    ),
    "another name": lambda code, run: f"{code}\n{run.replace('test_data', 'test_cases')}",
    "annotated": lambda code, run: f"{code}\n{run.replace('test_data =', 'test_data: list =')}",
    "no name": lambda code, run: f"{code}\n{LOOP.replace('test_data', '[(1, 2), (3, 4), (5, 6)]')}",
    "another loop": lambda code, run: f"{code}\nfor n in [1, 2]:\n    pass\n{run}",
}


@pytest.mark.parametrize("shape", SHAPES)
def test_other_shapes_have_the_same_cases(shape: str) -> None:
    source = SHAPES[shape](FUNCTION, f"{DATA}\n{LOOP}")
    assert called(source) == [(1, 2), (3, 4), (5, 6)]
    assert read_script(source, "f").flags == ()


@pytest.mark.parametrize(
    "run",
    [
        f"{DATA}\ntest_data.append((7, 8))\n{LOOP}",
        f"{DATA}\ntest_data = test_data[:1]\n{LOOP}",
        f"{DATA}\nfor n in range(2):\n    test_data.append((n, n))\n{LOOP}",
    ],
)
def test_data_that_is_changed_is_left_to_its_script(run: str) -> None:
    read = read_script(f"{FUNCTION}\n{run}", "f")
    assert read.harness.cases == ()
    assert "test_data" in read.harness.script


WRAPPED = {
    "tildes": lambda text: f"~~~python\n{text}~~~",
    "indented": lambda text: textwrap.indent(f"```python\n{text}```", "  "),
    "words around a block": lambda text: f"Here it is:\n```python\n{text}```\nIt prints three lines.",
    "words around code": lambda text: f"Here it is, a script:\n\n{text}\nIt prints three lines.\n",
    "lines of Windows": lambda text: f"```python\n{text}```".replace("\n", "\r\n"),
    "a mark of the byte order": lambda text: f"\ufeff{text}",
}


@pytest.mark.parametrize("wrapping", WRAPPED)
def test_code_is_found_whatever_stands_around_it(wrapping: str) -> None:
    code = unfenced(WRAPPED[wrapping](script(LOOP) + "\n"))[0]
    assert called(code) == [(1, 2), (3, 4), (5, 6)]
