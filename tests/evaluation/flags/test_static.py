from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.evaluation.flags.static import static_flags
from backdate.evaluation.scores import FlagKind

BEFORE = "from collections import Mapping\n\n\ndef f(x):\n    return x\n"
IMPORT = "from collections import Mapping\n"


def kinds(after: str, before: str = BEFORE) -> list[FlagKind]:
    return [flag.kind for flag in static_flags("m.py", before, after)]


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


@given(st.text(max_size=60))
def test_no_text_makes_it_fail(text) -> None:
    static_flags("m.py", "", text)
    static_flags("m.py", "", "(" * 300 + text)
