"""Expressions in the place of uses: what a use gives goes to its place, and nothing else changes."""

from __future__ import annotations

import pytest

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceUse
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import LeftAloneReason

ITEM = ReplaceUse(target="numpy.asscalar", template="{0}.item()")
APPEND = ReplaceUse(target=".append", template="pandas.concat([{self}, {0}])")
DENSE = ReplaceUse(target=".A", template="{self}.toarray()", called=False)
HAS_KEY = ReplaceUse(target=".has_key", template="{0} in {self}")
ESCAPE = ReplaceUse(
    target="cgi.escape", template="html.escape({0}, quote={quote})", defaults={"quote": "False"}
)
PATH = ReplaceUse(target=".add_path", template="networkx.add_path({self}, {args})")
NEGATIVE = ReplaceUse(target="numpy.NINF", template="-numpy.inf", called=False)
ORDER = ReplaceUse(target=".newbyteorder", template="{self}.view({self}.dtype.newbyteorder({args}))")
ROOT = ReplaceUse(target="pydantic.root_validator", template="pydantic.root_validator(a=True)", called=False)
DECODE = ReplaceUse(target=".decode", template="{self}", drops_arguments=True)
QUERY = ReplaceUse(
    target="werkzeug.urls.url_decode",
    template="werkzeug.datastructures.MultiDict(urllib.parse.parse_qsl({0}))",
)
OUT_OF_REGISTRY = ReplaceUse(target="orm.mapper", template="orm.registry().map_imperatively({args})")
ON_LINES = """\
from orm import mapper
m = mapper(
    versioned,
    inherits=mapper(
        other,
    ),
)
"""
ON_LINES_AFTER = """\
from orm import registry
m = registry().map_imperatively(
    versioned,
    inherits=registry().map_imperatively(
        other,
    ),
)
"""
ONE_BY_ONE = """\
from urllib.parse import urlparse
from urllib.parse import quote

from werkzeug.local import Local
from werkzeug.urls import url_decode
from werkzeug.urls import other

from .config import NAME
x = url_decode(q)
"""
ONE_BY_ONE_AFTER = """\
from urllib.parse import urlparse
from urllib.parse import quote
from urllib.parse import parse_qsl

from werkzeug.local import Local
from werkzeug.urls import other
from werkzeug.datastructures import MultiDict

from .config import NAME
x = MultiDict(parse_qsl(q))
"""
OWN_CLASS = """\
from werkzeug import urls
class MultiDict: pass
x = urls.url_decode(q)
"""
OWN_CLASS_AFTER = """\
from werkzeug import urls
import urllib.parse
import werkzeug.datastructures
class MultiDict: pass
x = werkzeug.datastructures.MultiDict(urllib.parse.parse_qsl(q))
"""
STACK = ReplaceUse(target="numpy.vstack", template="numpy.vstack(list({0}))")
SAMPLE = ReplaceUse(target="random.sample", template="random.sample(sorted({0}), {1})")

LOAD = ReplaceUse(
    target="imp.load_module",
    template="importlib.machinery.SourceFileLoader({0}, {2}).load_module()",
    called=True,
    drops_arguments=True,
)


def rewritten(text: str, rewrite: ReplaceUse) -> str:
    return apply_edits(text, rewrite_source(text, rewrite, lines=frozenset(range(1, 50))).edits)


@pytest.mark.parametrize(
    ("rewrite", "before", "after"),
    [
        (ITEM, "import numpy as np\nnp.asscalar(a)\n", "import numpy as np\na.item()\n"),
        (ITEM, "import numpy as np\nnp.asscalar(a + b)\n", "import numpy as np\n(a + b).item()\n"),
        (
            ITEM,
            "import numpy as np\nnp.asscalar(np.asscalar(f(a,\n b)))\n",
            "import numpy as np\nf(a,\n b).item().item()\n",
        ),
        (ITEM, "from numpy import asscalar, zeros\nasscalar(a)\n", "from numpy import zeros\na.item()\n"),
        (ITEM, "from numpy import asscalar\nasscalar(a)\n", "a.item()\n"),
        (
            STACK,
            "import numpy\nnumpy.vstack(f(a) for a in b)\n",
            "import numpy\nnumpy.vstack(list(f(a) for a in b))\n",
        ),
        (STACK, "import numpy\nnumpy.vstack((a, b))\n", "import numpy\nnumpy.vstack(list((a, b)))\n"),
        (
            SAMPLE,
            "import random\nrandom.sample((a for a in b), 2)\n",
            "import random\nrandom.sample(sorted(a for a in b), 2)\n",
        ),
        (APPEND, "import pandas as pd\nx = df.append(y)\n", "import pandas as pd\nx = pd.concat([df, y])\n"),
        (APPEND, "x = df.append(y)\n", "import pandas\n\nx = pandas.concat([df, y])\n"),
        (
            APPEND,
            "from pandas import Series\nx = df.append(y)\n",
            "from pandas import Series, concat\nx = concat([df, y])\n",
        ),
        (QUERY, ONE_BY_ONE, ONE_BY_ONE_AFTER),
        (OUT_OF_REGISTRY, ON_LINES, ON_LINES_AFTER),
        (QUERY, OWN_CLASS, OWN_CLASS_AFTER),
        (DENSE, "x = (a * b).A[0]\n", "x = (a * b).toarray()[0]\n"),
        (DENSE, "x.A = 1\ny.A()\n", "x.A = 1\ny.A()\n"),
        (DECODE, "x = encode(a,\n  b=c).decode('utf-8')\n", "x = encode(a,\n  b=c)\n"),
        (DECODE, "x = y.decode(encoding=ascii, errors='strict') + z.decode()\n", "x = y + z\n"),
        (DECODE, "x = y.decode(*codec)\n", "x = y.decode(*codec)\n"),
        (DECODE, "x = y.decode(next(codecs))\n", "x = y.decode(next(codecs))\n"),
        (HAS_KEY, "if d.has_key(k): pass\n", "if k in d: pass\n"),
        (HAS_KEY, "x = d.has_key(k)\n", "x = k in d\n"),
        (HAS_KEY, "x = not d.has_key(a or b)\n", "x = not ((a or b) in d)\n"),
        (ESCAPE, "import cgi\ncgi.escape(a)\n", "import html\nhtml.escape(a, quote=False)\n"),
        (ESCAPE, "import cgi\ncgi.escape(a, quote=1)\n", "import html\nhtml.escape(a, quote=1)\n"),
        (
            PATH,
            "import networkx as nx\ng.add_path([1], weight=2)\n",
            "import networkx as nx\nnx.add_path(g, [1], weight=2)\n",
        ),
        (PATH, "import networkx as nx\ng.add_path()\n", "import networkx as nx\nnx.add_path(g)\n"),
        (
            PATH,
            "import networkx as nx\ng.add_path(*a, **b)\n",
            "import networkx as nx\nnx.add_path(g, *a, **b)\n",
        ),
        (
            NEGATIVE,
            "import numpy as np\nx = np.NINF ** 2\ny = np.NINF\n",
            "import numpy as np\nx = (-np.inf) ** 2\ny = -np.inf\n",
        ),
        (NEGATIVE, "from numpy import NINF\nx = NINF\n", "from numpy import inf\nx = -inf\n"),
        (ORDER, "x = a.b.newbyteorder()\n", "x = a.b.view(a.b.dtype.newbyteorder())\n"),
        (
            ROOT,
            "from pydantic import root_validator\nclass A:\n    @root_validator\n    def f(): pass\n",
            "from pydantic import root_validator\nclass A:\n    @root_validator(a=True)\n    def f(): pass\n",
        ),
        (SAMPLE, "import random\nrandom.sample(a, 1)\n", "import random\nrandom.sample(sorted(a), 1)\n"),
        (
            SAMPLE,
            "from random import sample\nsample(a, 1)\n",
            "from random import sample\nsample(sorted(a), 1)\n",
        ),
        (ITEM, "import numpy as np\nf'{np.asscalar(a)}'\n", "import numpy as np\nf'{a.item()}'\n"),
        (PATH, "import networkx\n(a | b).add_path(c)\n", "import networkx\nnetworkx.add_path(a | b, c)\n"),
        (PATH, "import networkx\n(a := b).add_path()\n", "import networkx\nnetworkx.add_path((a := b))\n"),
        (DENSE, "x = (a * b).A\n", "x = (a * b).toarray()\n"),
    ],
)
def test_a_template_takes_the_place_of_a_use(rewrite: ReplaceUse, before: str, after: str) -> None:
    assert rewritten(before, rewrite) == after


@pytest.mark.parametrize(
    ("rewrite", "text", "reason"),
    [
        (ITEM, "import numpy as np\nnp.asscalar(a, b)\n", LeftAloneReason.ARGUMENTS),
        (ITEM, "import numpy as np\nnp.asscalar(*a)\n", LeftAloneReason.ARGUMENTS),
        (ITEM, "import numpy as np\nnp.asscalar(  # one\n  a)\n", LeftAloneReason.ARGUMENTS),
        (ORDER, "\nx = f().newbyteorder()\n", LeftAloneReason.ARGUMENTS),
        (
            ReplaceUse(target="a.b", template="c.d('x')", called=False),
            "import a\nf'{a.b}'\n",
            LeftAloneReason.IN_TEXT,
        ),
        (APPEND, "pandas = 1\nx = df.append(y)\nconcat = 2\n", LeftAloneReason.SHADOWED),
    ],
)
def test_what_a_template_cannot_carry_over_is_left_alone(
    rewrite: ReplaceUse, text: str, reason: LeftAloneReason
) -> None:
    made = rewrite_source(text, rewrite, lines=frozenset({2, 3}))
    assert not made.edits
    assert [(left.reason, left.line) for left in made.left] == [(reason, 2)]


@pytest.mark.parametrize("template", ["{0", "a b", "x = {0}", "{0}\nimport os"])
def test_a_template_that_is_no_expression_changes_nothing(template: str) -> None:
    rewrite = ReplaceUse(target="numpy.asscalar", template=template)
    text = "import numpy\nnumpy.asscalar(a)\n"
    assert rewritten(text, rewrite) == text


def test_an_import_stays_that_the_new_expression_needs() -> None:
    rewrite = ReplaceUse(
        target="scipy.interpolate.interp2d",
        template="scipy.interpolate.RectBivariateSpline({0}, {1}, numpy.transpose({2}))",
    )
    before = "import scipy.interpolate\nf = scipy.interpolate.interp2d(a, b, c)\n"
    edits = rewrite_source(before, rewrite, lines=None).edits
    assert apply_edits(before, edits) == (
        "import scipy.interpolate\nimport numpy\n"
        "f = scipy.interpolate.RectBivariateSpline(a, b, numpy.transpose(c))\n"
    )


def test_a_statement_takes_the_place_of_a_whole_statement_alone() -> None:
    fail = ReplaceUse(target=".fail", template="raise {self}.make_error({args})")
    text = "class F(Field):\n    def get(self, value):\n        {}\n"
    made = rewritten(text.format('self.fail("invalid", input=value)'), fail)
    assert made == text.format('raise self.make_error("invalid", input=value)')
    for kept in ('return self.fail("invalid")', 'x = self.fail("invalid")', "self.fail.now()", "self.fail"):
        assert rewritten(text.format(kept), fail) == text.format(kept)


def test_a_partial_goes_around_a_function_that_is_taken_as_a_value_and_around_no_other_partial() -> None:
    template = "functools.partial(yaml.load, Loader=yaml.FullLoader)"
    rewrite = ReplaceUse(target="yaml.load", template=template, called=False)
    text = (
        "import functools\nimport yaml\n\nKINDS = {'yaml': yaml.load}\n"
        "own = functools.partial(yaml.load, Loader=None)\nvalue = yaml.load('1', Loader=None)\n"
    )
    made = apply_edits(text, rewrite_source(text, rewrite, lines=None).edits)
    assert made == text.replace("yaml.load}", f"{template}}}")


@pytest.mark.parametrize(
    ("rewrite", "before", "after"),
    [
        (
            ReplaceUse(target="numpy.cast", template="numpy.asarray({0}, dtype={key})", keyed=True),
            "import numpy as np\nx = np.cast['int32'](f(y))\nz = np.cast[d]\n",
            "import numpy as np\nx = np.asarray(f(y), dtype='int32')\nz = lambda x: np.asarray(x, dtype=d)\n",
        ),
        (
            ReplaceUse(
                target=".set_axis",
                template="{self}.set_axis({args})",
                only={"inplace": "True"},
                assigns="self",
            ),
            "df.set_axis(a, inplace=True)\nx = df.set_axis(a, inplace=True)\nd[1].set_axis(a, inplace=True)",
            "df = df.set_axis(a)\nx = df.set_axis(a, inplace=True)\nd[1] = d[1].set_axis(a)",
        ),
        (
            ReplaceUse(
                target=".as_ordered",
                template="{self}.as_ordered({args})",
                only={"inplace": "True"},
                assigns="cat",
            ),
            "s.cat.as_ordered(inplace=True)\nc.as_ordered(inplace=True)\nf().cat.as_ordered(inplace=True)\n",
            "s = s.cat.as_ordered()\nc.as_ordered(inplace=True)\nf().cat.as_ordered(inplace=True)\n",
        ),
        (
            ReplaceUse(
                target="numpy.timedelta64", template="numpy.timedelta64(9, 's')", only={"0": "1", "1": "'M'"}
            ),
            'import numpy\nx = numpy.timedelta64(1, "M")\ny = numpy.timedelta64(2, "M")\n',
            "import numpy\nx = numpy.timedelta64(9, 's')\ny = numpy.timedelta64(2, \"M\")\n",
        ),
        (
            ReplaceUse(target="lib.Null", template="lib.Field({args}, null=True)"),
            "import lib\nx = lib.Null()\ny = lib.Null(default=1)\n",
            "import lib\nx = lib.Field(null=True)\ny = lib.Field(default=1, null=True)\n",
        ),
    ],
)
def test_only_uses_of_a_form_change(rewrite: ReplaceUse, before: str, after: str) -> None:
    edits = rewrite_source(before, rewrite, lines=frozenset(range(1, 9))).edits
    assert apply_edits(before, edits) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("df.groupby(['a'], sort=False)\n", "df.groupby('a', sort=False)\n"),
        ("df.groupby([key])\n", "df.groupby(key)\n"),
        ("df.groupby(['a', 'b'])\n", "df.groupby(['a', 'b'])\n"),
        ("df.groupby([*keys])\n", "df.groupby([*keys])\n"),
        ("df.groupby('a')\n", "df.groupby('a')\n"),
    ],
)
def test_the_item_of_a_list_of_one_is_taken_out(before: str, after: str) -> None:
    rewrite = ReplaceUse(target=".groupby", template="{self}.groupby({key}, {args})", only={"0": "[{key}]"})
    made = rewrite_source(before, rewrite, lines=frozenset({1}))
    assert apply_edits(before, made.edits) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import imp\nf, path, how = imp.find_module(n)\n",
            "f, path, how = (None, pkg.find(n).origin, None)\n",
        ),
        (
            "import imp\n(f, path, how) = imp.find_module(n)\n",
            "(f, path, how) = (None, pkg.find(n).origin, None)\n",
        ),
        ("import imp\nfound = imp.find_module(n)\n", "found = imp.find_module(n)\n"),
        ("import imp\nimp.find_module(n)[1]\n", "imp.find_module(n)[1]\n"),
    ],
)
def test_only_what_is_assigned_to_several_names_is_unpacked(before: str, after: str) -> None:
    rewrite = ReplaceUse(
        target="imp.find_module", template="(None, pkg.find({0}).origin, None)", unpacked=True
    )
    assert apply_edits(before, rewrite_source(before, rewrite, lines=None).edits).endswith(after)


@pytest.mark.parametrize("given", ["b['x']", "b[0][1:]", "f(b)['x']", "(y := b)", "b.c[d].e"])
def test_an_argument_goes_to_its_place_as_a_whole(given: str) -> None:
    source = f"import pandas\nx = a.append({given})\n"
    made = apply_edits(source, rewrite_source(source, APPEND, lines=frozenset({2})).edits)
    assert made == f"import pandas\nx = pandas.concat([a, {given}])\n"


def test_a_value_alone_decides_whether_a_subscript_fits() -> None:
    only = ReplaceUse(target="lib.f", template="lib.g()", only={"0": "b"})
    source = "import lib\nx = lib.f(b['x'])\n"
    assert rewrite_source(source, only, lines=frozenset({2})).edits == ()


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ("[a.c.b, a.c.d,], e", "sql.select(a.c.b, a.c.d).where(e)"),
        ("(a,), e", "sql.select(a).where(e)"),
        ("[\n    a,\n    b,\n], e", "sql.select(a,\n    b).where(e)"),
        ("[], e", "sql.select(*[]).where(e)"),
        ("[a for a in b], e", "sql.select(*[a for a in b]).where(e)"),
        ("[\n    a,  # c\n], e", "sql.select(*[\n    a,  # c\n]).where(e)"),
    ],
)
def test_the_items_of_a_list_are_given_themselves_where_they_are_unpacked(given: str, after: str) -> None:
    select = ReplaceUse(target="sql.select", template="sql.select(*{0}).where({1})")
    text = f"import sql\nx = sql.select({given})\n"
    assert (
        apply_edits(text, rewrite_source(text, select, lines=frozenset(range(1, 9))).edits)
        == f"import sql\nx = {after}\n"
    )


@pytest.mark.parametrize(
    ("template", "imported"),
    [
        ("os.environ.get('MODE', 'production')", "import os"),
        ("os.path.join({args})", "import os.path"),
        ("sys.stdout.write({args})", "import sys"),
        ("xml.etree.ElementTree.fromstring({args})", "import xml.etree.ElementTree"),
        ("datetime.timezone.utc.dst({args})", "import datetime"),
    ],
)
def test_what_a_module_of_python_holds_is_no_module(template: str, imported: str) -> None:
    rewrite = ReplaceUse(target="lib.mode", template=template)
    text = "from lib import mode\nx = mode()\n"
    after = apply_edits(text, rewrite_source(text, rewrite, lines=frozenset({2})).edits)
    assert after.splitlines()[0] == imported


@pytest.mark.parametrize(
    ("deletion", "after"),
    [
        ("del imp\n", ""),
        ("del os, imp, sys\n", "del os, sys\n"),
        ("def f():\n    del imp\n", None),
    ],
)
def test_a_name_whose_import_goes_is_not_deleted_any_more(deletion: str, after: str | None) -> None:
    before = f"import imp\nimport os, sys\nimp.reload(os)\n{deletion}"
    rewrite = ReplaceUse(target="imp.reload", template="importlib.reload({0})")
    made = apply_edits(before, rewrite_source(before, rewrite, lines=frozenset({1, 3})).edits)
    if after is None:
        assert made.startswith("import imp\n")
        assert made.endswith(deletion)
    else:
        assert made == f"import importlib\nimport os, sys\nimportlib.reload(os)\n{after}"


@pytest.mark.parametrize(
    ("use", "changed"), [("lib.find(a)", True), ("x = lib.find(a)", False), ("f(lib.find(a))", False)]
)
def test_a_call_whose_result_nobody_takes_is_a_statement(use: str, changed: bool) -> None:
    before = f"import lib\ntry:\n    {use}\nexcept ImportError:\n    pass\n"
    rewrite = ReplaceUse(target="lib.find", template="lib.load({0})", alone=True)
    made = apply_edits(before, rewrite_source(before, rewrite, lines=frozenset({3})).edits)
    assert made == (before.replace("find", "load") if changed else before)


@pytest.mark.parametrize(
    ("given", "after"),
    [
        ("[a, f(b)], []", "lib.result(a, f(b))"),
        ("[], (c,)", "lib.result(c)"),
        ("[i for i in d], ()", "lib.result(*[i for i in d])"),
        ("d, e", "lib.result(*d, *e)"),
    ],
)
def test_a_list_that_is_taken_apart_gives_its_items_and_nothing_where_it_is_empty(
    given: str, after: str
) -> None:
    source = f"import lib\nx = lib.common({given})\n"
    rewrite = ReplaceUse(target="lib.common", template="lib.result(*{0}, *{1})")
    made = apply_edits(source, rewrite_source(source, rewrite, lines=frozenset({2})).edits)
    assert made == f"import lib\nx = {after}\n"


ITSELF = ReplaceUse(target="m.Nested", template="m.Nested(lambda: {class}, {args})", only={"0": "'self'"})


def test_the_class_around_a_use_is_named() -> None:
    head = "from m import Nested\nclass Tree:\n"
    text = f"{head}    inside = Nested('self', many=True)\n    own = Nested(\"self\")\n"
    after = f"{head}    inside = Nested(lambda: Tree, many=True)\n    own = Nested(lambda: Tree)\n"
    assert rewritten(text, ITSELF) == after


@pytest.mark.parametrize(
    "text",
    [
        "from m import Nested\ninside = Nested('self')\n",
        "from m import Nested\nclass A:\n    class B:\n        inside = Nested('self')\n",
        "from m import Nested\nclass A:\n    inside = Nested('other')\n",
    ],
)
def test_a_class_that_cannot_be_named_there_is_not(text: str) -> None:
    assert rewritten(text, ITSELF) == text


def test_a_partial_of_a_function_becomes_one_of_another() -> None:
    rewrite = ReplaceUse(target="m.error", template="m.root_error({args})", only={"squared": "False"})
    text = (
        "from functools import partial\nfrom m import error\n"
        "KINDS = [partial(error, squared=False), partial(error, squared=False, w=1), partial(error, w=1)]\n"
    )
    after = text.replace("import error\n", "import error, root_error\n")
    after = after.replace("partial(error, squared=False)", "root_error")
    assert rewritten(text, rewrite) == after.replace(
        "partial(error, squared=False, w", "partial(root_error, w"
    )
    called = ReplaceUse(target="m.error", template="m.error({0}, {args})", only={"squared": "False"})
    assert rewritten(text, called) == text
    alone = "from functools import partial\nfrom m import error\nx = partial(error, squared=False)\n"
    assert rewritten(alone, rewrite) == "from m import root_error\nx = root_error\n"


def test_names_that_a_template_binds_itself_are_not_imported() -> None:
    template = "lib.serve(lambda one: {0}(one, one.request.path), {args})"
    text = "import lib\nlib.serve(self.handle, host, port=1)\n"
    after = text.replace("(self.handle,", "(lambda one: self.handle(one, one.request.path),")
    assert rewritten(text, ReplaceUse(target="lib.serve", template=template)) == after


def test_a_call_that_is_a_statement_may_end_its_function() -> None:
    end = ReplaceUse(target=".exit", template="return {0}", defaults={"0": "None"})
    text = "def run(env):\n    yield 1\n    if x:\n        {}\n    {}\n    y = env.exit(2)\n"
    before = text.format("env.exit()", "env.exit(a + b)")
    made = rewrite_source(before, end, lines=frozenset({4, 5, 6}))
    assert apply_edits(before, made.edits) == text.format("return None", "return a + b")


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("name, *info", "SourceFileLoader(name, info[1])"),
        ("*self.all", "SourceFileLoader(self.all[0], self.all[2])"),
        ("name, file, *more", "SourceFileLoader(name, more[0])"),
        ("name, *imp.find_module(name)", None),
        ("name, *[a, b, c]", None),
    ],
)
def test_what_is_unpacked_is_taken_by_its_items(given: str, wanted: str | None) -> None:
    before = f"import imp\nx = imp.load_module({given})\n"
    after = f"import importlib.machinery\nx = importlib.machinery.{wanted}.load_module()\n"
    assert rewritten(before, LOAD) == (before if wanted is None else after)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("[a(), b(1, 2)], timeout=1", "[ensure_future(a()), ensure_future(b(1, 2))], timeout=1"),
        ("[\n    a(),\n    b(),\n]", "[ensure_future(a()), ensure_future(b())]"),
        ("(a(),)", "[ensure_future(a())]"),
        ("tasks", "[ensure_future(task) for task in tasks]"),
        ("[*tasks, a()]", "[ensure_future(task) for task in [*tasks, a()]]"),
        ("[]", "[ensure_future(task) for task in []]"),
        ("[a() for a in b]", "[ensure_future(task) for task in [a() for a in b]]"),
    ],
)
def test_a_list_that_is_written_out_stays_so(given: str, wanted: str) -> None:
    rewrite = ReplaceUse(
        target="asyncio.wait",
        template="asyncio.wait([ensure_future(task) for task in {0}], {args})",
        called=True,
    )
    before = f"import asyncio\nawait asyncio.wait({given})\n"
    assert rewritten(before, rewrite) == f"import asyncio\nawait asyncio.wait({wanted})\n"


def test_what_else_the_loop_holds_keeps_it_a_loop() -> None:
    rewrite = ReplaceUse(target="lib.put", template="[{1}.put(one) for one in {0}]", called=True)
    text = "import lib\nlib.put([a, b], store)\n"
    assert rewritten(text, rewrite).endswith("[store.put(one) for one in [a, b]]\n")
