"""What the shape of an error proposes, made on the line that it names."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fix_evidence import evidence_of

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import CallYielded, NameSetups
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.solvers.rules.proposals import FailureGroup
from backdate.solvers.rules.sources.restructuring import RestructuringSource


def results(message: str, text: str, line: int = 1, *, led_to: tuple[str, ...] = ()) -> list[str]:
    """What each proposal makes of ``text``."""
    cause = Cause(kind=CauseKind.CHANGED_TYPE, type="TypeError", message=message)
    place = SourcePlace(file="a.py", line=line)
    group = FailureGroup(cause=cause, tests=("t",), places=(place,), led_to=led_to)
    evidence = evidence_of({"a.py": text})
    made = []
    for proposal in RestructuringSource().propose(group, evidence):
        assert proposal.rewrite is not None
        edits = rewrite_source(text, proposal.rewrite, lines=frozenset({line})).edits
        made.append(apply_edits(text, edits))
    return made


@pytest.mark.parametrize(
    ("message", "before", "after"),
    [
        (
            "dictionary changed size during iteration",
            "for key, value in rows.items(): pass\n",
            "for key, value in list(rows.items()): pass\n",
        ),
        (
            "OrderedDict mutated during iteration",
            "x = [f(key) for key in rows if key]\n",
            "x = [f(key) for key in list(rows) if key]\n",
        ),
        (
            "'bool' object is not callable",
            "if user.is_authenticated(): pass\n",
            "if user.is_authenticated: pass\n",
        ),
        (
            "arrays used as indices must be of integer (or boolean) type",
            "x = data.ravel()[near(grid)]\n",
            "x = data.ravel()[near(grid).astype(int)]\n",
        ),
        ("'method' object is not subscriptable", "x = d.keys[0]\n", "x = d.keys()[0]\n"),
        ("'2021-02'", "x = Station(self.frame[month], 2)\n", "x = Station(self.frame.loc[month], 2)\n"),
        ("'2021-02-03 10:00'", "x = f[f.a > 1][day]\n", "x = f[f.a > 1].loc[day]\n"),
        ("'dict' object has no attribute 'remove'", "names.remove('a')\n", "names.pop('a')\n"),
        ("'set' object has no attribute 'append'", "found.append(one)\n", "found.add(one)\n"),
        (
            "'NodeView' object has no attribute 'index'",
            "x = g.nodes().index(n)\n",
            "x = list(g.nodes()).index(n)\n",
        ),
        (
            "Population must be a sequence. For dicts or sets, use sorted(d).",
            "x = random.sample(set(a), 3)\n",
            "x = random.sample(sorted(set(a)), 3)\n",
        ),
        (
            "Cannot subset columns with a tuple with more than one element. Use a list instead.",
            "x = d.groupby('a')['b', 'c'].sum()\n",
            "x = d.groupby('a')[['b', 'c']].sum()\n",
        ),
        (
            "Passing a set as an indexer is not supported. Use a list instead.",
            "x = d.loc[wanted]\n",
            "x = d.loc[list(wanted)]\n",
        ),
        (
            "Passing a set as an indexer is not supported. Use a list instead.",
            "x = d[set(names) - gone]\n",
            "x = d[list(set(names) - gone)]\n",
        ),
        (
            "Passing a set as an indexer is not supported. Use a list instead.",
            "x = d[{'a', 'b'}]\n",
            "x = d[['a', 'b']]\n",
        ),
        ("'MultiPolygon' object is not iterable", "x = [p for p in m]\n", "x = [p for p in m.geoms]\n"),
        ("object of type 'MultiPoint' has no len()", "x = len(f(a))\n", "x = len(f(a).geoms)\n"),
        ("'MultiPolygon' object is not subscriptable", "x = m[0]\n", "x = m.geoms[0]\n"),
        (
            "Casting to unit-less dtype 'datetime64' is not supported. Pass e.g. 'datetime64[ns]' instead.",
            "x = d.astype('datetime64')\n",
            "x = d.astype('datetime64[ns]')\n",
        ),
        (
            (
                "Passing in 'datetime64' dtype with no precision is not allowed. "
                "Please pass in 'datetime64[ns]' instead."
            ),
            "x = d.astype('datetime64')\n",
            "x = d.astype('datetime64[ns]')\n",
        ),
        *(
            ("The truth value of an empty array is ambiguous. Use `array.size > 0`", before, after)
            for before, after in (
                ("if a:\n    pass\n", "if a.size > 0:\n    pass\n"),
                ("while (a.b):\n    pass\n", "while (a.b.size > 0):\n    pass\n"),
                ("x = 1 if a else 2\n", "x = 1 if (a.size > 0) else 2\n"),
                ("x = not a\n", "x = not (a.size > 0)\n"),
                ("x = not f(a)\n", "x = not (f(a).size > 0)\n"),
            )
        ),
        (
            "'box-forced' is not a valid value for adjustable; supported values are 'box', 'datalim'",
            "a.set_aspect('equal', adjustable='box-forced')\n",
            "a.set_aspect('equal', adjustable='box')\n",
        ),
        (
            "Pattern matched multiple keys",
            "pd.set_option('max_columns', 5)\n",
            "pd.set_option('display.max_columns', 5)\n",
        ),
        ("invalid mode: 'rU'", "f = open(name, 'rU')\n", "f = open(name, 'r')\n"),
        ("invalid mode: 'Ub'", "f = open(name, mode='Ub')\n", "f = open(name, mode='rb')\n"),
        ("orient 'r' not understood", 'x = d.to_dict("r")\n', 'x = d.to_dict("records")\n'),
        (
            "'seaborn-whitegrid' is not a valid package style, path of style file, URL of style file",
            "plt.style.use('seaborn-whitegrid')\n",
            "plt.style.use('seaborn-v0_8-whitegrid')\n",
        ),
        (
            (
                "Invalid frequency: M. Failed to parse with error message: "
                "ValueError(\"'M' is no longer supported for offsets. Please use 'ME' instead.\")"
            ),
            "x = d.resample('M').sum()\n",
            "x = d.resample('ME').sum()\n",
        ),
        (
            "Invalid frequency: H. Failed to parse with error message: KeyError('H'). Did you mean h?",
            "x = pd.date_range(a, b, freq='H')\n",
            "x = pd.date_range(a, b, freq='h')\n",
        ),
        (
            (
                "Invalid frequency: 2H. Failed to parse with error message: "
                'ValueError("Invalid frequency: H. '
                "Failed to parse with error message: KeyError('H'). Did you mean h?\")"
            ),
            "x = d.resample('2H').sum()\n",
            "x = d.resample('2h').sum()\n",
        ),
        (
            "invalid unit abbreviation: T",
            "x = pd.to_timedelta('2T')\n",
            "x = pd.to_timedelta('2min')\n",
        ),
        (
            "'zoneinfo.ZoneInfo' object has no attribute 'zone'",
            "x = str(stamp.tz.zone)\n",
            "x = str(stamp.tz.key)\n",
        ),
        (
            "'backports.zoneinfo.ZoneInfo' object has no attribute 'localize'",
            "x = get_localzone().localize(when)\n",
            "x = when.replace(tzinfo=get_localzone())\n",
        ),
        (
            "'ZoneInfo' object has no attribute 'normalize'",
            "x = zone.normalize(when)\n",
            "x = when.astimezone(zone)\n",
        ),
        (
            "Invalid frequency: 3M. Failed: 'M' is no longer supported for offsets. Please use 'ME' instead.",
            "x = d.resample('3M').sum()\n",
            "x = d.resample('3ME').sum()\n",
        ),
        ("unsupported operand type(s) for +: 'method' and 'int'", "x = d.size + 1\n", "x = d.size() + 1\n"),
        ("'dict_keys' object is not subscriptable", "x = d.keys()[0]\n", "x = list(d.keys())[0]\n"),
        ("'Config' object is not subscriptable", "x = c['name']\n", "x = c.name\n"),
        ("object of type 'map' has no len()", "x = len(map(f, a))\n", "x = len(list(map(f, a)))\n"),
        ("'dict' object has no attribute 'name'", "x = f(c.name)\n", 'x = f(c["name"])\n'),
        ("'float' object cannot be interpreted as an integer", "f(a, n / 2)\n", "f(a, int(n / 2))\n"),
        (
            "only integers, slices (`:`), ellipsis",
            "x = a[[slice(0, n), 1]]\n",
            "x = a[tuple([slice(0, n), 1])]\n",
        ),
        ("only integers, slices (`:`), ellipsis", "x = a[n / 2]\n", "x = a[int(n / 2)]\n"),
        (
            "sequence item 0: expected a bytes-like object, str found",
            "x = b'\\n'.join(lines) + br'a'\n",
            "x = '\\n'.join(lines) + r'a'\n",
        ),
        (
            "startswith first arg must be str or a tuple of str, not bytes",
            "if line.startswith(b'#'):\n    pass\n",
            "if line.startswith('#'):\n    pass\n",
        ),
        ("a bytes-like object is required, not 'str'", 'x = line.split(",")\n', 'x = line.split(b",")\n'),
        (r"bad escape \d at position 0", "re.sub('a', '\\\\d', b)\n", "re.sub('a', '\\\\\\\\d', b)\n"),
        (r"bad escape \d at position 0", "re.sub('a', r'\\d', b)\n", "re.sub('a', r'\\\\d', b)\n"),
        (
            "global flags not at the start of the expression at position 1",
            "P = re.compile(r'^a{1,2}\\(?(?i)b', re.M)\n",
            "P = re.compile(r'(?i)^a{1,2}\\(?b', re.M)\n",
        ),
    ],
)
def test_the_first_proposal_is_what_the_message_is_about(message: str, before: str, after: str) -> None:
    assert results(message, before)[0] == after


def test_what_a_cause_led_to_says_what_is_wrong_where_the_cause_does_not() -> None:
    said = "'seaborn' is not a valid package style, path of style file, URL of style file"
    made = results("[Errno 2] No such file or directory: 'seaborn'", "use('seaborn')\n", led_to=(said,))
    assert made == ["use('seaborn-v0_8')\n"]


def test_coroutines_and_contexts_change_in_async_functions() -> None:
    text = "async def f():\n    x = g().data\n    with h() as i:\n        pass\n"
    awaited = results("'coroutine' object has no attribute 'data'", text, 2)
    assert awaited[0] == text.replace("g().data", "(await g()).data")
    contexts = results("'H' object does not support the context manager protocol", text, 3)
    assert contexts == [text.replace("    with", "    async with")]
    locked = "async def f():\n    with (await lock):\n        pass\n"
    entered = results("object Lock can't be used in 'await' expression", locked, 2)
    assert entered[0] == "async def f():\n    async with lock:\n        pass\n"


@pytest.mark.parametrize(
    "message", ["'NoneType' object is not callable", "'module' object is not callable", "x"]
)
def test_messages_that_tell_no_shape_propose_nothing(message: str) -> None:
    assert results(message, "x = a.b()\n") == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "import lib\nif lib.__version__ > '2':\n    pass\n",
            "import importlib.metadata\nif importlib.metadata.version(\"lib-er\") > '2':\n    pass\n",
        ),
        (
            "from lib import __version__\nprint(__version__)\n",
            'import importlib.metadata\nprint(importlib.metadata.version("lib-er"))\n',
        ),
        (
            "import lib\nIS_2 = lib.__version_info__[0] == 2\n",
            (
                "import importlib.metadata\nIS_2 = tuple(int(part) for part in "
                'importlib.metadata.version("lib-er").split(".") if part.isdigit())[0] == 2\n'
            ),
        ),
    ],
)
def test_a_version_that_a_package_does_not_say_is_in_its_metadata(before: str, after: str) -> None:
    name = "__version_info__" if "_info" in before else "__version__"
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message=f"module 'lib' has no attribute '{name}'",
        name=name,
        owner="lib",
        owner_is="module",
        distribution="lib_er",
    )
    places = (SourcePlace(file="a.py", line=1), SourcePlace(file="a.py", line=2))
    group = FailureGroup(cause=cause, tests=("t",), places=places)
    evidence = evidence_of({"a.py": before}, versions={"python": ("3.7", "3.12.1")})
    (proposal,) = RestructuringSource().propose(group, evidence)
    assert proposal.rewrite is not None
    edits = rewrite_source(before, proposal.rewrite, lines=frozenset({1, 2})).edits
    assert apply_edits(before, edits) == after
    old = evidence_of({"a.py": before}, versions={"python": ("3.6", "3.7.1")})
    assert RestructuringSource().propose(group, old) == ()


def test_an_index_by_a_name_is_a_number_first_and_then_a_tuple() -> None:
    said = "only integers, slices (`:`), ellipsis (`...`), numpy.newaxis (`None`) are valid indices"
    assert results(said, "x = a[where]\n") == ["x = a[int(where)]\n", "x = a[tuple(where)]\n"]


@pytest.mark.parametrize(
    "code", ["x = b'\\xff'.join(a)\n", "x = f'{b}' + a\n", "b'a'\n", "x = a\n", "x = 'a'\n"]
)
def test_literals_that_mean_something_else_as_texts_stay(code: str) -> None:
    assert results("sequence item 0: expected a bytes-like object, str found", code) == [code]


@pytest.mark.parametrize("code", ["x = 'ä' + a\n", "x = f'{b}' + a\n", "x = u'b' + a\n", "x = b'b' + a\n"])
def test_texts_that_are_no_bytes_stay(code: str) -> None:
    assert results("can't concat str to bytes", code) == [code]


def test_flags_in_what_is_no_plain_text_stay() -> None:
    said = "global flags not at the start of the expression at position 3"
    assert results(said, "P = re.compile(f'{a}(?i)b')\nQ = re.compile(a + b)\n") == []


def test_yield_tests_of_the_file_that_pytest_refuses() -> None:
    text = "def test_a():\n    yield f, 1\n\ndef test_b():\n    yield f, 2\n"
    message = "Failed: 'yield' keyword is allowed in fixtures, but not in tests (test_a)"
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="Failed", message=message)
    group = FailureGroup(cause=cause, tests=("tests/test_it.py",), places=())
    texts = {"tests/test_it.py": text, "tests/test_other.py": text}
    (proposal,) = RestructuringSource().propose(group, evidence_of(texts))
    assert (proposal.rewrite, proposal.distribution) == (CallYielded(), "pytest")
    assert [(place.file, place.line) for place in proposal.places] == [
        ("tests/test_it.py", 2),
        ("tests/test_it.py", 5),
    ]


@pytest.mark.parametrize(
    ("versions", "proposed"), [(("7.4", "9.0"), 1), (("8.1", "9.0"), 0), (("", "9.0"), 0)]
)
def test_setups_of_nose_where_pytest_stopped_to_call_them(versions: tuple[str, str], proposed: int) -> None:
    text = "class TestIt:\n    def setup(self):\n        self.x = 1\n    def test_it(self):\n        self.x\n"
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message="'TestIt' object has no attribute 'x'",
        name="x",
        owner="TestIt",
        owner_is="type",
    )
    place = SourcePlace(file="test_it.py", line=5)
    group = FailureGroup(cause=cause, tests=("test_it.py::TestIt::test_it",), places=(place,))
    evidence = evidence_of({"test_it.py": text}, versions={"pytest": versions})
    found = RestructuringSource().propose(group, evidence)
    assert len(found) == proposed
    assert all(one.rewrite == NameSetups() and one.places[0].line == 2 for one in found)
    refused = Cause(
        kind=CauseKind.REMOVED,
        type="pytest.PytestRemovedIn8Warning",
        message="Support for nose tests is deprecated and will be removed in a future release.",
    )
    found = RestructuringSource().propose(replace(group, cause=refused, places=()), evidence)
    assert [(one.rewrite, one.places[0].line) for one in found] == [(NameSetups(), 2)] * proposed


@pytest.mark.parametrize(("versions", "files"), [(("7.4", "9.0"), ["test_a.py"]), (("8.1", "9.0"), [])])
def test_setups_of_a_module_where_all_that_fails_is_in_such_modules(
    versions: tuple[str, str], files: list[str]
) -> None:
    text = (
        "folder = None\ndef setup():\n    global folder\n    folder = 'x'\ndef test_it():\n    open(folder)\n"
    )
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="TypeError", message="expected str, not NoneType")
    place = SourcePlace(file="test_a.py", line=6)
    group = FailureGroup(cause=cause, tests=("test_a.py::test_it",), places=(place,))
    texts = {"test_a.py": text, "test_b.py": "def test_it():\n    assert False\n"}
    evidence = evidence_of(texts, versions={"pytest": versions})
    found = RestructuringSource().propose(group, evidence)
    assert [one.places[0].file for one in found] == files
    assert all(one.rewrite == NameSetups(of_module=True) for one in found)
    both = replace(group, tests=(*group.tests, "test_b.py::test_it"))
    assert RestructuringSource().propose(both, evidence) == ()


@pytest.mark.parametrize(("versions", "proposed"), [(("0.18.3", "0.19.0"), 1), (("0.20.0", "0.21.0"), 0)])
def test_asynchronous_fixtures_that_pytest_asyncio_does_not_make_any_more(
    versions: tuple[str, str], proposed: int
) -> None:
    fixtures = (
        "import pytest\n\n\n@pytest.fixture(params=[1])\nasync def server(request):\n    yield request\n"
        "\n\n@pytest.fixture\ndef plain():\n    return 1\n"
    )
    message = "'async_generator' object has no attribute 'host'"
    cause = Cause(kind=CauseKind.OTHER_ERROR, type="AttributeError", message=message)
    place = SourcePlace(file="test_it.py", line=2)
    group = FailureGroup(cause=cause, tests=("test_it.py::test_it",), places=(place,))
    evidence = evidence_of(
        {"test_it.py": "def test_it(server):\n    server.host\n", "conftest.py": fixtures},
        versions={"pytest-asyncio": versions},
    )
    found = [one for one in RestructuringSource().propose(group, evidence) if one.distribution != ""]
    assert len(found) == proposed
    for one in found:
        (place,) = one.places
        made = rewrite_source(fixtures, one.rewrite, lines=frozenset({place.line}))
        assert apply_edits(fixtures, made.edits) == fixtures.replace(
            "import pytest\n", "import pytest\nimport pytest_asyncio\n"
        ).replace("@pytest.fixture(", "@pytest_asyncio.fixture(")
