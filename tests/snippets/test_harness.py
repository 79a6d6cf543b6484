"""Scripts become code, an entry point and cases."""

import pytest

from backdate.snippets.harness import read_script, unfenced

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
