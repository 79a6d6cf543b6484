"""Rules for names that another library hands on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.uses import uses_in
from backdate.diagnosis.api import Member
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.knowledge.rules import RuleOrigin
from backdate.rewriting.rewrite import CallAtStart, ChangeArgument, ReplaceName, ReplaceUse, Rewrite
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.rules import RuleSource

SOURCE = "import handing\nretry = handing.Retry(method_whitelist=['GET'])\n"
LIBRARY = {
    "handing.py": "from urllib3.util.retry import Retry\n",
    "urllib3/__init__.py": "",
    "urllib3/util/__init__.py": "",
    "urllib3/util/retry.py": "class Retry:\n    def __init__(self, method_whitelist=None): pass\n",
}


@pytest.mark.parametrize(("new", "mended"), [("2.2.1", True), ("1.26.0", False)])
def test_what_a_library_hands_on_has_the_rules_of_the_one_that_defines_it(
    tmp_path: Path, one_sandbox: Sandbox, new: str, mended: bool
) -> None:
    before, after = (
        with_library(tmp_path / side, "handing", version, LIBRARY)
        for side, version in (("old", "1.0"), ("new", "2.0"))
    )
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/a.py").write_text(SOURCE)
    evidence = FixEvidence(
        tree=tmp_path / "tree",
        uses=uses_in(tmp_path / "tree"),
        texts={"a.py": SOURCE},
        pair=EnvironmentPair(sandbox=one_sandbox, old=before, new=after),
        executed={"a.py": frozenset({1, 2})},
        versions={"handing": ("1.0", "2.0"), "urllib3": ("1.25.9", new)},
        modules={"handing": "handing"},
    )
    cause = Cause(
        kind=CauseKind.UNEXPECTED_ARGUMENT,
        type="TypeError",
        message="Retry.__init__() got an unexpected keyword argument 'method_whitelist'",
        name="method_whitelist",
        owner="handing.Retry",
        owner_is="function",
        distribution="handing",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=2),))
    rename = ChangeArgument(function="handing.Retry", argument="method_whitelist", new="allowed_methods")
    found = [one.rewrite for origin in RuleOrigin for one in RuleSource(origin).propose(group, evidence)]
    assert found == ([rename] if mended else [])


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [("1.15.0", "2.0.0", "disable_v2_behavior"), ("2.0.0", "1.15.0", None), ("", "", None)],
)
def test_a_setting_is_proposed_where_the_failing_line_names_nothing_of_the_library(
    tmp_path: Path, old: str, new: str, call: str | None
) -> None:
    source = "import tensorflow as tf\ndef f(session, x):\n    return session.run(x)\n"
    (tmp_path / "a.py").write_text(source)
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"a.py": source},
        versions={"tensorflow": (old, new)} if old else {},
        modules={"tensorflow": "tensorflow"},
    )
    cause = Cause(
        kind=CauseKind.UNKNOWN,
        type="RuntimeError",
        message="The Session graph is empty.  Add operations to the graph before calling run().",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=3),))
    found = [one.rewrite for one in RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)]
    assert found == ([CallAtStart(function=f"tensorflow.compat.v1.{call}")] if call else [])


def test_a_setting_goes_into_one_file_that_uses_the_library_where_the_failure_has_no_line_there(
    tmp_path: Path,
) -> None:
    sources = {
        "a.py": "import numpy as np\nx = np.e\n",
        "b.py": "import numpy as np\nx = str([np.float64(np.pi)])\n",
        "test_b.py": "from b import x; import numpy as np\nassert np.pi and x == '[3.14]'\n",
    }
    for file, source in sources.items():
        (tmp_path / file).write_text(source)
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts=sources,
        executed={file: frozenset({1, 2}) for file in sources},
        versions={"numpy": ("1.26.4", "2.0.0")},
        modules={"numpy": "numpy"},
    )
    message = "assert '[np.float64(3.14)]' == '[3.14]'"
    cause = Cause(kind=CauseKind.UNKNOWN, type="AssertionError", message=message)
    for places in ((), (SourcePlace(file="test_b.py", line=2),)):
        group = FailureGroup(cause=cause, tests=("t",), places=places)
        (proposal,) = RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)
        assert isinstance(proposal.rewrite, CallAtStart)
        assert {place.file for place in proposal.places} == {"b.py"}


def test_a_header_is_respelled_above_the_assertion_that_fails(tmp_path: Path) -> None:
    source = (
        "from werkzeug.http import parse_accept_header\n\ndef test_it(get, types):\n"
        "    with get(headers={\n        'Accept': 'a/b; q=.5'\n    }):\n"
        "        assert types() == ['a/b', 'c/d']\n\ndef test_other(get):\n    get(';q=.5')\n"
    )
    (tmp_path / "a.py").write_text(source)
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"a.py": source},
        executed={"a.py": frozenset({4, 6})},
        versions={"werkzeug": ("2.3.4", "3.0.0")},
        modules={"werkzeug": "werkzeug"},
    )
    cause = Cause(
        kind=CauseKind.UNKNOWN,
        type="AssertionError",
        message="Lists differ: ['c/d'] != ['a/b', 'c/d']",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=7),))
    (proposal,) = RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)
    lines = frozenset(place.line for place in proposal.places)
    assert proposal.rewrite is not None
    made = rewrite_source(source, proposal.rewrite, lines=lines)
    assert apply_edits(source, made.edits) == source.replace("b; q=.5", "b; q=0.5")
    other = replace(evidence, versions={"werkzeug": ("2.3.5", "3.0.0")})
    assert not RuleSource(RuleOrigin.WRITTEN).propose(group, other)


SCHEMAS = """\
from marshmallow import Schema

class Item(Schema):
    pass

first = Item(strict=True)
second = Item(many=True, strict=True)
other = unlike(strict=True)
never = Item(strict=True)
"""


def test_an_argument_that_went_goes_from_calls_of_classes_that_are_made_from_the_librarys(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.py").write_text(SCHEMAS)
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"a.py": SCHEMAS},
        executed={"a.py": frozenset({1, 3, 6, 7, 8})},
        versions={"marshmallow": ("2.21.0", "3.0.0")},
        modules={"marshmallow": "marshmallow"},
    )
    cause = Cause(
        kind=CauseKind.UNEXPECTED_ARGUMENT,
        type="TypeError",
        message="Schema.__init__() got an unexpected keyword argument 'strict'",
        name="strict",
        owner="Schema.__init__",
        owner_is="function",
        distribution="marshmallow",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=6),))
    (proposal,) = (
        made
        for made in RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)
        if isinstance(made.rewrite, ChangeArgument) and not made.rewrite.function
    )
    assert [place.line for place in proposal.places] == [6, 7]
    assert proposal.rewrite == ChangeArgument(function="", argument="strict", only_value="True")


def test_an_argument_is_not_left_out_of_a_call_of_which_the_row_says_something_else(tmp_path: Path) -> None:
    source = "from sklearn.linear_model import Ridge\nRidge(normalize=True)\n"
    (tmp_path / "a.py").write_text(source)
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"a.py": source},
        executed={"a.py": frozenset({1, 2})},
        versions={"scikit-learn": ("0.23.1", "1.7.1")},
        modules={"sklearn": "scikit-learn"},
    )
    cause = Cause(
        kind=CauseKind.UNEXPECTED_ARGUMENT,
        type="TypeError",
        message="Ridge.__init__() got an unexpected keyword argument 'normalize'",
        name="normalize",
        owner="Ridge.__init__",
        owner_is="function",
        distribution="scikit-learn",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=2),))
    proposed = RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)
    assert proposed
    for one in proposed:
        assert isinstance(one.rewrite, ChangeArgument)
        assert one.rewrite.only_value == "False" or one.rewrite.function.endswith(".LinearRegression")


@pytest.mark.parametrize(("ran", "mended"), [({1, 2, 4}, True), ({1, 2, 4, 6}, False)])
def test_a_function_that_never_ran_is_mended_on_all_of_its_lines(
    tmp_path: Path, ran: set[int], mended: bool
) -> None:
    source = (
        "import datetime\nimport pytz\n\n"
        "def test_it():\n    day = datetime.datetime(2011, 1, 1, tzinfo=pytz.timezone('CET'))\n"
        "    check(day)\n"
    )
    (tmp_path / "test_a.py").write_text(source)
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"test_a.py": source},
        executed={"test_a.py": frozenset(ran)},
        versions={"pytz": ("2024.1", "2024.2")},
        modules={"pytz": "pytz"},
    )
    cause = Cause(
        kind=CauseKind.ASSERTION,
        type="AssertionError",
        message="'2011-01-01T00:00:00+00:18' != '2011-01-01T00:00:00+01:00'",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="test_a.py", line=6),))
    proposals = RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)
    texts = []
    for one in proposals:
        written = rewrite_source(source, one.rewrite, lines=frozenset(place.line for place in one.places))
        texts.append(apply_edits(source, written.edits))
    assert (
        any("datetime.datetime(2011, 1, 1, tzinfo=pytz.FixedOffset(60))" in text for text in texts) is mended
    )


def test_a_rule_for_a_name_and_for_what_it_gives_is_one_proposal_for_all_lines(tmp_path: Path) -> None:
    source = (
        "import pkg_resources\ndist = pkg_resources.get_distribution('a')\nprint(dist.has_metadata('b'))\n"
    )
    (tmp_path / "a.py").write_text(source)
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"a.py": source},
        executed={"a.py": frozenset()},
        versions={"setuptools": ("41.0.1", "84.2.1")},
        modules={"pkg_resources": "setuptools"},
    )
    cause = Cause(
        kind=CauseKind.MISSING_MODULE,
        type="ModuleNotFoundError",
        message="No module named 'pkg_resources'",
        name="pkg_resources",
        distribution="setuptools",
    )
    places = tuple(SourcePlace(file="a.py", line=line) for line in (3, 2, 1))
    group = FailureGroup(cause=cause, tests=(), places=places)
    first = RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)[0]
    written = rewrite_source(source, first.rewrite, lines=frozenset(place.line for place in first.places))
    assert apply_edits(source, written.edits) == (
        "import importlib.metadata\ndist = importlib.metadata.distribution('a')\n"
        "print(dist.read_text('b') is not None)\n"
    )


class CountingPair:
    """Says that the new environment has everything, and counts how often it is asked for what is new."""

    def __init__(self) -> None:
        self.known: dict[str, Member] = {}
        self.runs = 0

    def ask_new(self, names: Iterable[str]) -> dict[str, Member]:
        unknown = [name for name in names if name not in self.known]
        self.runs += bool(unknown)
        self.known.update((name, Member(name=name, present=True)) for name in unknown)
        return self.known

    ask_old = ask_new


def test_the_new_environment_is_asked_once_for_all_that_rules_write(tmp_path: Path) -> None:
    source = "from pkg_resources import Requirement, parse_version, get_distribution\n"
    (tmp_path / "a.py").write_text(source)
    pair = CountingPair()
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"a.py": source},
        pair=cast("EnvironmentPair", pair),
        executed={"a.py": frozenset({1})},
        versions={"setuptools": ("41.0.1", "84.2.1")},
        modules={"pkg_resources": "setuptools"},
    )
    cause = Cause(
        kind=CauseKind.MISSING_MODULE,
        type="ModuleNotFoundError",
        message="No module named 'pkg_resources'",
        name="pkg_resources",
        distribution="setuptools",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    assert len(RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)) > 2
    assert pair.runs == 1


def of_gone_module(root: Path, sandbox: Sandbox, module: str, source: str) -> list[Rewrite | None]:
    """What is proposed for scikit-learn's modules, in a library that has nothing but their names."""
    files = {
        "sklearn/__init__.py": "",
        "sklearn/metrics/__init__.py": "def roc_curve(): pass",
        "sklearn/metrics/_ranking.py": "def roc_curve(): pass\ndef inner(): pass",
        "sklearn/model_selection.py": "class KFold: pass",
    }
    new = with_library(root / "new", "sklearn", "1.7", files)
    (root / "tree").mkdir()
    (root / "tree/a.py").write_text(source)
    evidence = FixEvidence(
        tree=root / "tree",
        uses=uses_in(root / "tree"),
        texts={"a.py": source},
        pair=EnvironmentPair(sandbox=sandbox, old=new, new=new),
        versions={"scikit-learn": ("0.19.1", "1.7")},
        modules={"sklearn": "scikit-learn"},
    )
    cause = Cause(
        kind=CauseKind.MISSING_MODULE,
        type="ModuleNotFoundError",
        message=f"No module named '{module}'",
        name=module,
        distribution="scikit-learn",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=1),))
    return [one.rewrite for one in RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)]


@pytest.mark.parametrize(
    ("name", "home"), [("roc_curve", "sklearn.metrics"), ("inner", "sklearn.metrics._ranking")]
)
def test_of_a_private_module_and_the_public_one_around_it_the_public_one_is_written(
    tmp_path: Path, one_sandbox: Sandbox, name: str, home: str
) -> None:
    source = f"from sklearn.metrics.ranking import {name}\n"
    found = of_gone_module(tmp_path, one_sandbox, "sklearn.metrics.ranking", source)
    assert found[0] == ReplaceName(old="sklearn.metrics.ranking", new=home)


def test_what_is_known_of_a_name_goes_before_its_module(tmp_path: Path, one_sandbox: Sandbox) -> None:
    source = "from sklearn.cross_validation import KFold\nKFold(4, n_folds=2)\n"
    found = of_gone_module(tmp_path, one_sandbox, "sklearn.cross_validation", source)
    assert [type(one) for one in found][:2] == [ReplaceUse, ReplaceName]


def test_a_method_that_is_gone_is_not_given_what_one_that_is_there_refuses(tmp_path: Path) -> None:
    source = "import sqlalchemy\nrows = sqlalchemy.create_engine('sqlite://').execute('select 1')\n"
    (tmp_path / "a.py").write_text(source)
    evidence = FixEvidence(
        tree=tmp_path,
        uses=uses_in(tmp_path),
        texts={"a.py": source},
        pair=None,
        executed={"a.py": frozenset({1, 2})},
        versions={"sqlalchemy": ("1.3.17", "2.0.42")},
        modules={"sqlalchemy": "sqlalchemy"},
    )

    def templates(message: str, kind: CauseKind) -> set[str]:
        cause = Cause(
            kind=kind,
            type=message.partition(":")[0],
            message=message.partition(": ")[2],
            name="execute",
            owner="sqlalchemy.engine.base.Engine",
            owner_is="type",
            distribution="sqlalchemy",
        )
        group = FailureGroup(cause=cause, tests=(), places=(SourcePlace(file="a.py", line=2),))
        proposals = RuleSource(RuleOrigin.WRITTEN).propose(group, evidence)
        return {one.rewrite.template for one in proposals if isinstance(one.rewrite, ReplaceUse)}

    gone = "AttributeError: 'Engine' object has no attribute 'execute'"
    assert templates(gone, CauseKind.MISSING_ATTRIBUTE) == {
        "{connection}.execute({args})",
        "{self}.connect().execute({args})",
    }
    refused = "TypeError: Connection.execute() got an unexpected keyword argument 'a'"
    assert "{self}.execute({0}, dict({args}))" in templates(refused, CauseKind.UNEXPECTED_ARGUMENT)


def test_a_name_that_a_library_hands_on_no_more_is_not_given_what_the_other_one_refuses(
    tmp_path: Path, one_sandbox: Sandbox
) -> None:
    """Of ``scipy.array``, which is gone, what is known of values that NumPy's refuses says nothing."""
    numpy = {"numpy/__init__.py": "def array(object, dtype=None): pass\n"}
    before = with_library(
        tmp_path / "old", "handing", "1.0", {**numpy, "handing.py": "from numpy import array\n"}
    )
    after = with_library(tmp_path / "new", "handing", "2.0", {**numpy, "handing.py": ""})
    source = "import handing\nx = handing.array([f(y) for y in z])\n"
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/a.py").write_text(source)
    evidence = FixEvidence(
        tree=tmp_path / "tree",
        uses=uses_in(tmp_path / "tree"),
        texts={"a.py": source},
        pair=EnvironmentPair(sandbox=one_sandbox, old=before, new=after),
        executed={"a.py": frozenset({1, 2})},
        versions={"handing": ("1.0", "2.0"), "numpy": ("1.18.1", "2.3.2")},
        modules={"handing": "handing"},
    )
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message="module 'handing' has no attribute 'array'",
        name="array",
        owner="handing",
        owner_is="module",
        distribution="handing",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="a.py", line=2),))
    assert RuleSource(RuleOrigin.WRITTEN).propose(group, evidence) == ()
