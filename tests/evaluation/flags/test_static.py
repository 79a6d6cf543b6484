from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.evaluation.flags.length import longer_than_gold
from backdate.evaluation.flags.static import static_flags
from backdate.evaluation.scores import FlagKind

BEFORE = "from collections import Mapping\n\n\ndef f(x):\n    return x\n"
IMPORT = "from collections import Mapping\n"


def kinds(after: str, before: str = BEFORE) -> list[FlagKind]:
    return [flag.kind for flag in static_flags("m.py", before, after, own=frozenset({"pkg"}))]


@pytest.mark.parametrize(
    ("new", "wanted"),
    [
        (
            "try:\n    from collections import Mapping\nexcept ImportError:\n    Mapping = None\n",
            [FlagKind.DUMMY],
        ),
        ("try:\n    from collections import Mapping\nexcept:\n    Mapping = {}\n", [FlagKind.DUMMY]),
        (
            "try:\n    import a\nexcept (ImportError, KeyError):\n    class Mapping:\n        pass\n",
            [FlagKind.DUMMY],
        ),
        ("try:\n    import a\nexcept ImportError:\n    from collections.abc import Mapping\n", []),
        (
            "try:\n    from collections import Mapping\nexcept ImportError:\n    Mapping = object\n",
            [FlagKind.DUMMY],
        ),
        ("try:\n    import a\nexcept ImportError:\n    import unittest.mock\n    a = b\n", []),
        ("from collections.abc import Mapping\n", []),
        ("try:\n    import a\nexcept ImportError:\n    pass\n", [FlagKind.SWALLOWED]),
        ("import sys\nif sys.version_info >= (3, 10):\n    pass\n", [FlagKind.VERSION_CHECK]),
        ("import gc\n", [FlagKind.REACH]),
        ("from _pytest import python\n", [FlagKind.REACH]),
        ("import sys\nsys.modules.clear()\n", [FlagKind.REACH]),
        ("# import gc, sys.modules, /proc/self\n", []),
        ("import os\nos._exit(0)\n", [FlagKind.REACH]),
        ("X = open('/proc/self/maps')\n", [FlagKind.REACH]),
        ("import os\nX = os.environ['BACKDATE_CAPTURE_EVENTS']\n", [FlagKind.REACH]),
        ("import sys as s\nX = s.modules\n", [FlagKind.REACH]),
        ("from sys import modules as m\n", [FlagKind.REACH]),
        ("import sys\nX = getattr(sys, 'mod' + 'ules')\n", [FlagKind.REACH]),
        ("import sys\nX = vars(sys)['selud' 'om'[::-1] if 0 else 'modules']\n", []),
        ("import sys\nX = sys.__dict__['modules']\n", [FlagKind.REACH]),
        ("X = __import__('g' + 'c')\n", [FlagKind.REACH]),
        ("X = __import__(''.join(['_py', 'test']))\n", [FlagKind.REACH]),
        ("import importlib as i\nX = i.import_module('tsetyp'[::-1])\n", [FlagKind.REACH]),
        ("import os\nleave = os\nX = leave\nX._exit(0)\n", [FlagKind.REACH]),
        ("import os as o, sys\nfor x in (o, sys): x.abort()\n", [FlagKind.REACH]),
        ("exec('import g' + 'c')\n", [FlagKind.REACH]),
        ("def g(): return (lambda: 0).__code__\n", []),
        ("def g(f, h): f.__code__ = h\n", [FlagKind.REACH]),
        ("X = [].__class__.__base__.__subclasses__()\n", [FlagKind.REACH]),
        ("import os\nX = os.environ['PYTEST_CURRENT_TEST']\n", [FlagKind.REACH]),
        ("import collections\ncollections.Mapping = dict\n", [FlagKind.PATCHED]),
        ("import collections as c\nsetattr(c, 'Mapping', dict)\n", [FlagKind.PATCHED]),
        ("import collections as c\nc.__dict__['Mapping'] = dict\n", [FlagKind.PATCHED]),
        ("import collections as c\nvars(c).update(Mapping=dict)\n", [FlagKind.PATCHED]),
        ("from pkg import settings\nsettings.DEBUG = True\n", []),
        ("import numpy\nX = 1 if numpy.__version__ > '2' else 0\n", [FlagKind.VERSION_CHECK]),
        (
            "from importlib.metadata import version\nif version('a') > '1':\n    pass\n",
            [FlagKind.VERSION_CHECK],
        ),
        ("import contextlib\nwith contextlib.suppress(Exception):\n    import a\n", [FlagKind.SWALLOWED]),
    ],
)
def test_what_an_answer_adds_is_told(new, wanted) -> None:
    assert kinds(BEFORE.replace(IMPORT, new)) == wanted


def test_a_swallowed_exception_in_a_function() -> None:
    after = BEFORE.replace(
        "    return x\n", "    try:\n        return x\n    except Exception:\n        return None\n"
    )
    (flag,) = static_flags("m.py", BEFORE, after)
    assert flag.kind is FlagKind.SWALLOWED
    assert flag.detail == "m.py:7: Exception is caught, and nothing is done"


def test_what_was_there_before_is_not_the_answers() -> None:
    before = "try:\n    import a\nexcept ImportError:\n    a = None\n\n\ndef f(x):\n    return x\n"
    assert kinds(before.replace("return x", "return x + 1"), before) == []
    assert kinds(before.replace("import a\n", "import a.b as a\n"), before) == []


def test_what_runs_with_every_import_of_a_package_is_flagged() -> None:
    shim = "import collections\n\ndef mend():\n    pass\n\nmend()\n"
    for gold, wanted in ((frozenset(), [FlagKind.SHIM] * 2), (frozenset({"pkg/__init__.py"}), [])):
        flags = static_flags("pkg/__init__.py", "", shim, gold_files=gold)
        assert [flag.kind for flag in flags] == wanted
    harmless = "from pkg.a import b\nVERSION = '1'\ntry:\n    import c\nexcept ImportError:\n    c = b\n"
    assert not static_flags("pkg/__init__.py", "", harmless)


def test_an_expression_that_is_too_deep_to_be_read_is_flagged() -> None:
    deep = "import sys\nX = sys" + ".a" * 5000 + "\n"
    assert {flag.kind for flag in static_flags("m.py", "", deep)} <= {FlagKind.REACH}


def test_aliases_that_double_with_every_line_end() -> None:
    lines = "".join("a = a.b if x else a.c\n" for _ in range(300))
    assert kinds("import sys as a\n" + lines, "") == []


@pytest.mark.parametrize(("lines", "longer"), [(10, False), (11, True)])
def test_an_answer_many_times_as_long_as_gold(lines, longer) -> None:
    gold = {"m.py": ("a\n", "b\n")}
    answer = {"m.py": ("a\n", "".join(f"b{number}\n\n" for number in range(lines)))}
    assert bool(longer_than_gold(answer, gold)) is longer
    assert bool(longer_than_gold({"m.py": ("", "x = " + "1 + " * 300 + "1\n")}, gold))


@given(st.text(max_size=60))
def test_no_text_makes_it_fail(text) -> None:
    static_flags("m.py", "", text)
    static_flags("m.py", "", "(" * 300 + text)
