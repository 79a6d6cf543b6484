"""Another name in the place of one, over the ways in which projects import and use a library."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceName
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

PRODUCT = ("numpy.product", "numpy.prod")
MAPPING = ("collections.Mapping", "collections.abc.Mapping")
FLOAT = ("numpy.float", "float")
ESCAPE = ("cgi.escape", "html.escape")
JOBLIB = ("sklearn.externals.joblib", "joblib")


def rewritten(text: str, names: tuple[str, str], *lines: int) -> str:
    rewrite = ReplaceName(old=names[0], new=names[1])
    made = rewrite_source(text, rewrite, lines=frozenset(lines) if lines else None)
    after = apply_edits(text, made.edits)
    if not lines:
        again = rewrite_source(after, rewrite, lines=None)
        assert not again.edits
    return after


def reasons(text: str, names: tuple[str, str], *lines: int) -> list[tuple[LeftAloneReason, int]]:
    rewrite = ReplaceName(old=names[0], new=names[1])
    made = rewrite_source(text, rewrite, lines=frozenset(lines) if lines else None)
    assert not made.edits
    return [(left.reason, left.line) for left in made.left]


@pytest.mark.parametrize(
    ("names", "before", "after"),
    [
        (PRODUCT, "import numpy as np\nx = np.product(a)\n", "import numpy as np\nx = np.prod(a)\n"),
        (PRODUCT, "import numpy\nx = numpy.product\n", "import numpy\nx = numpy.prod\n"),
        (
            PRODUCT,
            "from numpy import product\nproduct(1)\n",
            "from numpy import prod as product\nproduct(1)\n",
        ),
        (PRODUCT, "from numpy import product as p\np(1)\n", "from numpy import prod as p\np(1)\n"),
        (
            PRODUCT,
            "from numpy import (  # all\n    array,\n    product,  # of all\n    zeros\n)\n",
            "from numpy import (  # all\n    array,\n    prod as product,  # of all\n    zeros\n)\n",
        ),
        (PRODUCT, "import numpy as np\r\nx = np.product(a)\r\n", "import numpy as np\r\nx = np.prod(a)\r\n"),
        (PRODUCT, "import numpy as np\nprint np.product(a)\n", "import numpy as np\nprint np.prod(a)\n"),
        (
            PRODUCT,
            "import numpy as np\nf'{np.product(a):>3} ü'\n",
            "import numpy as np\nf'{np.prod(a):>3} ü'\n",
        ),
        (
            PRODUCT,
            (
                "import numpy as np\n@np.product(1)\n"
                "def f(a=np.product, b: np.product = 1) -> np.product: pass\n"
            ),
            "import numpy as np\n@np.prod(1)\ndef f(a=np.prod, b: np.prod = 1) -> np.prod: pass\n",
        ),
        (
            PRODUCT,
            "import numpy as np\nclass A(np.product): pass\n",
            "import numpy as np\nclass A(np.prod): pass\n",
        ),
        (PRODUCT, "import numpy as np\nnp.product.reduce.x\n", "import numpy as np\nnp.prod.reduce.x\n"),
        (PRODUCT, "import numpy as np\n(np\n  .product(a))\n", "import numpy as np\n(np\n  .prod(a))\n"),
        (MAPPING, "from collections import Mapping\n", "from collections.abc import Mapping\n"),
        (
            MAPPING,
            "from collections import Mapping\nfrom collections.abc import Set\nimport re\n",
            "from collections.abc import Set, Mapping\nimport re\n",
        ),
        (
            MAPPING,
            "from collections import Mapping, OrderedDict\nx = 1\n",
            "from collections import OrderedDict\nfrom collections.abc import Mapping\nx = 1\n",
        ),
        (
            MAPPING,
            "from collections import OrderedDict, Mapping as M\nx = 1\n",
            "from collections import OrderedDict\nfrom collections.abc import Mapping as M\nx = 1\n",
        ),
        (
            MAPPING,
            "from collections import (\n    Mapping,\n    OrderedDict,\n)\n",
            "from collections import (\n    OrderedDict,\n)\nfrom collections.abc import Mapping\n",
        ),
        (
            MAPPING,
            "from collections import (OrderedDict,\n                         Mapping)\n",
            "from collections import (OrderedDict)\nfrom collections.abc import Mapping\n",
        ),
        (
            MAPPING,
            "from collections import (Mapping,\n                         OrderedDict)\n",
            (
                "from collections import (\n                         OrderedDict)\n"
                "from collections.abc import Mapping\n"
            ),
        ),
        (
            MAPPING,
            "from collections import OrderedDict, Mapping\nfrom collections.abc import Set\n",
            "from collections import OrderedDict\nfrom collections.abc import Set, Mapping\n",
        ),
        (
            MAPPING,
            "import collections\nisinstance(a, collections.Mapping)\n",
            "import collections\nisinstance(a, collections.abc.Mapping)\n",
        ),
        (
            ("xml.dom.Node", "xml.sax.Node"),
            "import xml\nxml.dom.Node\n",
            "import xml.sax\nxml.sax.Node\n",
        ),
        (
            MAPPING,
            "def f():\n\tfrom collections import deque, Mapping; return Mapping\n",
            (
                "def f():\n"
                "\tfrom collections import deque; from collections.abc import Mapping; return Mapping\n"
            ),
        ),
        (
            FLOAT,
            "import numpy as np\nnp.array(a, dtype=np.float)\n",
            "import numpy as np\nnp.array(a, dtype=float)\n",
        ),
        (FLOAT, "from numpy import float, zeros\nfloat(1)\n", "from numpy import zeros\nfloat(1)\n"),
        (FLOAT, "from numpy import float\nfloat(1)\n", "float(1)\n"),
        (ESCAPE, "import cgi\ncgi.escape(a)\n", "import html\nhtml.escape(a)\n"),
        (ESCAPE, "import cgi\ncgi.escape(a)\ncgi.x\n", "import cgi\nimport html\nhtml.escape(a)\ncgi.x\n"),
        (ESCAPE, "import os, cgi\ncgi.escape(a)\n", "import os, html\nhtml.escape(a)\n"),
        (
            ESCAPE,
            "import cgi\ndef f(html):\n    return cgi.escape(html)\n",
            "from html import escape\ndef f(html):\n    return escape(html)\n",
        ),
        (JOBLIB, "from sklearn.externals import joblib\njoblib.load(f)\n", "import joblib\njoblib.load(f)\n"),
        (JOBLIB, "from sklearn.externals.joblib import load\n", "from joblib import load\n"),
        (JOBLIB, "import sklearn.externals.joblib as jl\n", "import joblib as jl\n"),
        (
            JOBLIB,
            "import sklearn.externals.joblib\nsklearn.externals.joblib.load(f)\n",
            "import joblib\njoblib.load(f)\n",
        ),
        (
            JOBLIB,
            "import sklearn.externals.joblib\nsklearn.externals.joblib.load(sklearn.x)\n",
            "import sklearn, joblib\njoblib.load(sklearn.x)\n",
        ),
        (("ConfigParser", "configparser"), "import ConfigParser\n", "import configparser as ConfigParser\n"),
        (("urllib2", "urllib.request"), "import urllib2, os\n", "import urllib.request as urllib2, os\n"),
        (
            ("xml.etree.cElementTree", "xml.etree.ElementTree"),
            "from xml.etree import cElementTree as ET\n",
            "from xml.etree import ElementTree as ET\n",
        ),
        (
            ("lib.etree", "xml.etree.ElementTree"),
            "import lib\nlib.etree.fromstring(a)\n",
            "import xml.etree.ElementTree\nxml.etree.ElementTree.fromstring(a)\n",
        ),
        (
            ("lib.Element", "xml.etree.ElementTree.Element"),
            "import lib\nlib.Element(a)\nlib.x\n",
            "import lib\nimport xml.etree.ElementTree\nxml.etree.ElementTree.Element(a)\nlib.x\n",
        ),
        (
            ("lib.old", "importlib.metadata"),
            "import lib\nlib.old.version(a)\n",
            "import importlib.metadata\nimportlib.metadata.version(a)\n",
        ),
        (("builtins.unicode", "str"), "isinstance(a, unicode)\n", "isinstance(a, str)\n"),
        (
            ("flask.Markup", "markupsafe.Markup"),
            '"""Doc."""\nfrom flask import Flask, Markup\napp = Flask(1)\n',
            '"""Doc."""\nfrom flask import Flask\nfrom markupsafe import Markup\napp = Flask(1)\n',
        ),
    ],
)
def test_the_new_name_takes_the_place_of_the_old(names: tuple[str, str], before: str, after: str) -> None:
    assert rewritten(before, names) == after


def test_only_the_lines_that_are_asked_for_change() -> None:
    text = "import numpy as np\nx = np.product(a)\ny = np.product(b)\n"
    assert rewritten(text, PRODUCT, 3) == "import numpy as np\nx = np.product(a)\ny = np.prod(b)\n"


def test_a_statement_of_several_lines_is_one() -> None:
    text = "import numpy as np\nx = f(\n    np.product(a),\n)\n"
    assert rewritten(text, PRODUCT, 2) == text.replace("product", "prod")


def test_an_import_changes_when_a_use_of_it_is_asked_for() -> None:
    text = "from numpy import product\n\nproduct(1)\nproduct(2)\n"
    assert rewritten(text, PRODUCT, 3) == text.replace("product\n", "prod as product\n", 1)


def test_uses_through_a_module_that_goes_change_on_all_lines() -> None:
    text = "import a.b\nx = a.b.c()\ny = a.b.d()\n"
    assert rewritten(text, ("a.b", "n"), 1) == "import n\nx = n.c()\ny = n.d()\n"


@pytest.mark.parametrize(
    ("names", "text", "reason", "line"),
    [
        (PRODUCT, "import numpy as np\nx = (np.product(\n", LeftAloneReason.UNPARSABLE, 0),
        (
            PRODUCT,
            "# Generated by protoc. DO NOT EDIT!\nimport numpy as np\nnp.product\n",
            LeftAloneReason.GENERATED,
            0,
        ),
        (PRODUCT, "from numpy import *\nproduct(1)\n", LeftAloneReason.STAR_IMPORT, 2),
        (PRODUCT, "import numpy as np\nnp = 1\nnp.product(1)\n", LeftAloneReason.SHADOWED, 3),
        (PRODUCT, "# np.product\nx = 1\n", LeftAloneReason.IN_TEXT, 1),
        (PRODUCT, "x = 'np.product'\n", LeftAloneReason.IN_TEXT, 1),
        (PRODUCT, "x = 1\n", LeftAloneReason.NOT_THERE, 0),
        (PRODUCT, "from .numpy import product\n", LeftAloneReason.NOT_THERE, 0),
        (PRODUCT, "import numpy as np\nnp.product = 1\n", LeftAloneReason.NOT_THERE, 0),
        (
            MAPPING,
            (
                "try:\n    from collections.abc import Mapping\n"
                "except ImportError:\n    from collections import Mapping\n"
            ),
            LeftAloneReason.GUARDED,
            4,
        ),
        (
            MAPPING,
            (
                "try:\n    from collections import Mapping\n"
                "except ImportError:\n    from collections.abc import Mapping\n"
            ),
            LeftAloneReason.GUARDED,
            2,
        ),
        (
            PRODUCT,
            (
                "import numpy as np\nif hasattr(np, 'product'):\n"
                "    x = np.product(a)\nelse:\n    x = np.prod(a)\n"
            ),
            LeftAloneReason.GUARDED,
            3,
        ),
        (
            PRODUCT,
            "import numpy as np\ntry:\n    x = np.product(a)\nexcept AttributeError:\n    x = np.prod(a)\n",
            LeftAloneReason.GUARDED,
            3,
        ),
    ],
)
def test_what_cannot_be_changed_safely_is_left_alone(
    names: tuple[str, str], text: str, reason: LeftAloneReason, line: int
) -> None:
    assert reasons(text, names) == [(reason, line)]


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    from collections import Mapping\nexcept ImportError:\n    Mapping = None\n",
        "import sys\nif sys.version_info >= (3,):\n    from collections import Mapping\n",
        "try:\n    from collections import Mapping\nexcept Exception:\n    raise\n",
    ],
)
def test_a_guard_that_is_ready_for_nothing_else_is_no_guard_where_it_runs(text: str) -> None:
    line = next(number for number, line in enumerate(text.splitlines(), 1) if "collections" in line)
    assert rewritten(text, MAPPING, line) == text.replace("collections", "collections.abc")


def test_a_module_of_python_2_that_is_called_as_the_name_is_no_guard() -> None:
    text = (
        "try:\n    from ConfigParser import SafeConfigParser\n"
        "except ImportError:\n    from configparser import SafeConfigParser\n"
    )
    names = ("configparser.SafeConfigParser", "configparser.ConfigParser")
    new = "    from configparser import ConfigParser as SafeConfigParser\n"
    assert rewritten(text, names, 4) == text[: text.rindex("    from")] + new


def test_shadowing_in_a_function_does_not_touch_the_rest() -> None:
    text = "import numpy as np\ndef f(np):\n    return np.product(1)\nnp.product(1)\n"
    assert rewritten(text, PRODUCT) == text[: text.rindex("np.product")] + "np.prod(1)\n"
