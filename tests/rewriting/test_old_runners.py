"""Test files of nose, as pytest and unittest run them."""

from __future__ import annotations

import pytest

from backdate.rewriting.old_runners import without_old_runners


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import nose\n\ndef test_it():\n    assert 1\n", "\ndef test_it():\n    assert 1\n"),
        (
            "import os, nose\nfrom nose.tools import eq_, assert_is_none as none\neq_(1, os.sep)\nnone(2)\n",
            (
                "import os\nimport unittest\neq_ = unittest.TestCase().assertEqual\n"
                "none = unittest.TestCase().assertIsNone\neq_(1, os.sep)\nnone(2)\n"
            ),
        ),
        (
            "import unittest\nimport nose.tools as nt\n\nnt.assert_raises_regexp(E, 'a', f)\n",
            (
                "import unittest\nassert_raises_regexp = unittest.TestCase().assertRaisesRegex\n"
                "\nassert_raises_regexp(E, 'a', f)\n"
            ),
        ),
        (
            (
                "from numpy.testing import assert_equal\nimport nose.tools as nt\n\n"
                "assert_equal(a, b)\nnt.assert_equal(c, d)\nnt.ok_(e)\n"
            ),
            (
                "from numpy.testing import assert_equal\nimport unittest\n"
                "ok_ = unittest.TestCase().assertTrue\n\n"
                "assert_equal(a, b)\nunittest.TestCase().assertEqual(c, d)\nok_(e)\n"
            ),
        ),
        (
            "from nose.plugins.skip import SkipTest\n\ndef test_it():\n    raise SkipTest('no')\n",
            "from unittest import SkipTest\n\ndef test_it():\n    raise SkipTest('no')\n",
        ),
        (
            (
                "import numpy.testing as tst\n\ntry:\n    from numpy.testing.decorators import skipif\n"
                "except AttributeError:\n    from numpy.testing.dec import skipif\n\n"
                "@tst.decorators.skipif(old)\ndef test_it():\n    tst.assert_(f())\n"
            ),
            (
                "import pytest\nimport numpy.testing as tst\n\n\n"
                "@pytest.mark.skipif(old, reason='not for this environment')\n"
                "def test_it():\n    tst.assert_(f())\n"
            ),
        ),
        (
            "import numpy as np\n\n@np.testing.dec.slow\ndef test_it():\n    f(np.zeros(1))\n",
            "import pytest\nimport numpy as np\n\n@pytest.mark.slow\ndef test_it():\n    f(np.zeros(1))\n",
        ),
        (
            "from nose.tools import *\nfrom lib import *\n\ndef ok_(x):\n    eq_(x, 1)\n\nok_(f)\n",
            (
                "import unittest\neq_ = unittest.TestCase().assertEqual\nfrom lib import *\n\n"
                "def ok_(x):\n    eq_(x, 1)\n\nok_(f)\n"
            ),
        ),
        ("import nose\nraise nose.SkipTest('no')\n", "import unittest\nraise unittest.SkipTest('no')\n"),
        (
            (
                'from nose.tools import raises\n\n@raises(A, B)\ndef test_it():\n    """Says."""\n'
                "    x = 1\n\n    f(x)\n\n\ndef test_other():\n    pass\n"
            ),
            (
                'import pytest\n\ndef test_it():\n    """Says."""\n    with pytest.raises((A, B)):\n'
                "        x = 1\n\n        f(x)\n\n\ndef test_other():\n    pass\n"
            ),
        ),
        (
            "import nose\n\n@nose.with_setup(setup)\ndef test_it():\n    f()\n",
            "\ndef test_it():\n    setup()\n    f()\n",
        ),
        (
            (
                "from nose.tools import with_setup, raises\n\n@raises(E)\n@with_setup(up, down)\n"
                "def test_it():\n    f()"
            ),
            (
                "import pytest\n\ndef test_it():\n    up()\n    try:\n        with pytest.raises(E):\n"
                "            f()\n    finally:\n        down()\n"
            ),
        ),
        (
            (
                "from nose.plugins.attrib import attr\n\nclass TestIt:\n    @attr('slow', net=True)\n"
                "    def test_it(self):\n        f()\n"
            ),
            (
                "import pytest\n\nclass TestIt:\n    @pytest.mark.slow\n    @pytest.mark.net\n"
                "    def test_it(self):\n        f()\n"
            ),
        ),
        (
            (
                "import nose\n\ndef test_it():\n    f()\n\nif __name__ == '__main__':\n"
                "    nose.runmodule(argv=[__file__, '-x'], exit=False)\n"
            ),
            (
                "import pytest\n\ndef test_it():\n    f()\n\nif __name__ == '__main__':\n"
                "    pytest.main([__file__])\n"
            ),
        ),
        (
            (
                "from numpy.testing import (assert_equal,\n                           run_module_suite)\n\n"
                "if __name__ == '__main__':\n    run_module_suite()\n"
            ),
            (
                "import pytest\nfrom numpy.testing import (assert_equal)\n\n"
                "if __name__ == '__main__':\n    pytest.main([__file__])\n"
            ),
        ),
        (
            (
                "from numpy.testing import dec, assert_\n\n@dec.slow\n@dec.skipif(old, 'too old')\n"
                "def test_it():\n    assert_(f())\n"
            ),
            (
                "import pytest\nfrom numpy.testing import assert_\n\n@pytest.mark.slow\n"
                "@pytest.mark.skipif(old, reason='too old')\ndef test_it():\n    assert_(f())\n"
            ),
        ),
    ],
)
def test_what_a_person_writes(before: str, after: str) -> None:
    assert without_old_runners(before) == after


@pytest.mark.parametrize(
    "text",
    [
        "import os\n",
        "import numpy as np\nimport numpy.testing\nx = np.testing.assert_(1)\n",
        "try:\n    from nose.tools import eq_\nexcept ImportError:\n    from lib import eq_\n",
        "from nose.tools import *\nfrom numpy.testing import *\nassert_equal(1, 1)\n",
        "from nose.tools import *\ntimed(1)(f)\n",
        "try:\n    import nose\nexcept ImportError:\n    nose = None\n",
        "from nose.tools import raises\nraises = raises(E)\n",
        "from nose.tools import timed\n\n@timed(1)\ndef test_it():\n    f()\n",
        "from nose.tools import raises\n\n@raises(E)\ndef test_it():\n    f('''a\nb''')\n",
        "from nose.tools import raises\n\n@raises(E)\ndef test_it():\n    yield f, 1\n",
        "from nose.tools import raises\n\n@raises(E)\ndef test_it(): f()\n",
        "from nose.tools import with_setup\n\n@with_setup(lambda: 1)\ndef test_it():\n    f()\n",
        "from nose.plugins.attrib import attr\n\n@attr(speed='slow')\ndef test_it():\n    f()\n",
        "import nose\n\ndef run():\n    nose.run()\n",
        "from nose.tools import eq_\n__all__ = ['eq_']\n",
        "import nose\nx = (\n",
    ],
)
def test_a_file_without_a_counterpart_stays_as_it_is(text: str) -> None:
    assert without_old_runners(text) is None


def test_what_nose_took_of_test_cases_does_what_it_did() -> None:
    text = without_old_runners(
        "from nose.tools import assert_items_equal, ok_\nassert_items_equal([1, 2], [2, 1])\nok_(1)\n"
    )
    assert text is not None
    exec(compile(text, "test", "exec"), {})


def test_line_ends_stay() -> None:
    text = (
        "from nose.plugins.attrib import attr\nfrom nose.tools import raises\n\n"
        "@attr('slow')\n@raises(E)\ndef test_it():\n    f()\n"
    )
    changed = without_old_runners(text)
    assert changed is not None
    assert without_old_runners(text.replace("\n", "\r\n")) == changed.replace("\n", "\r\n")


def test_an_assertion_that_is_gone_from_unittest_as_well_is_not_written() -> None:
    assert without_old_runners("from nose.tools import assert_dict_contains_subset as a\na({}, {})\n") is None
