"""What differs between signatures, read from text and asked of two real environments."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.parameters import SignatureParameter, followed_parameters, named_now, parameters_in
from backdate.advising.project_uses import ProjectUses
from backdate.advising.uses import uses_in
from backdate.diagnosis.result import Cause, CauseKind
from backdate.rewriting.rewrite import AddArgument, ChangeArgument, FollowSignature, NamePositional, Rewrite
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.signatures import SignatureSource

OLD = """
class Loader: pass
class FullLoader: pass
class Box:
    def size(self): pass
    def open(self): pass
class Tin:
    def size(self): pass
def load(stream, Loader=FullLoader): pass
def load_all(stream, Loader=None): pass
def train(size=100, window=5, keep=True): pass
def pick(data, copy=True, deep=False): pass
def fit(data, weights=None, rounds=1): pass
def steady(a, b=1): pass
def count(x, limit=7): pass
def render(template, context, app): pass
def build(sentences=None, rounds=1, **more): pass
def scale(data, *, copy=1, width=2): pass
def plot(x=None, y=None, data=None, kind="bar"): pass
def aware(value, zone=None, summer=None): pass
class Folds:
    def __init__(self, n=5, shuffle=False): pass
"""
NEW = """
class Loader: pass
class FullLoader: pass
class Box:
    def size(self): pass
def load(stream, Loader): pass
def load_all(stream, Loader): pass
def train(vector_size=100, window=5): pass
def pick(data, deep=False): pass
def fit(data, *, weights=None, rounds=1): pass
def steady(a, b=1): pass
def count(x, limit): pass
def render(app, template, context): pass
def build(corpus=None, rounds=1, **more): pass
def scale(data, *, copy=1, width=2): pass
def plot(data=None, *, x=None, y=None): pass
def aware(value, zone=None): pass
class Folds:
    def __init__(self, n=5, *, shuffle=False): pass
"""
SOURCE = """\
import lib
lib.load(1)
lib.load_all(1)
lib.train(size=3)
lib.pick(1, copy=False)
lib.fit(1, 2)
lib.steady(1)
lib.count(1)
lib.steady(1, sort=2)
def quiet(t, c, a):
    return ""
lib.render = quiet
lib.build(sentences=[], rounds=2)
lib.scale([], 2, 3)
lib.plot(1, 2, data=3)
lib.Folds(3, True)
lib.aware(1, None, False)
"""


@pytest.fixture(scope="module")
def evidence(tmp_path_factory: pytest.TempPathFactory, one_sandbox: Sandbox) -> FixEvidence:
    root = tmp_path_factory.mktemp("signatures")
    pair = EnvironmentPair(
        sandbox=one_sandbox,
        old=with_library(root / "old", "lib", "1.0", {"lib.py": OLD}),
        new=with_library(root / "new", "lib", "2.0", {"lib.py": NEW}),
    )
    (root / "tree").mkdir()
    (root / "tree/p.py").write_text(SOURCE)
    return FixEvidence(
        tree=root / "tree",
        uses=uses_in(root / "tree"),
        texts={"p.py": SOURCE},
        pair=pair,
        executed={"p.py": frozenset(range(1, 15))},
        versions={"lib": ("1.0", "2.0")},
        modules={"lib": "lib"},
    )


def rewrites(
    evidence: FixEvidence, function: str, name: str = "", *, unexpected: bool = False
) -> list[Rewrite | None]:
    kind = CauseKind.UNEXPECTED_ARGUMENT if unexpected else CauseKind.ARGUMENT_COUNT
    cause = Cause(kind=kind, type="TypeError", message="", name=name, owner=function, owner_is="function")
    line = next(n for n, text in enumerate(SOURCE.splitlines(), 1) if text.startswith(f"lib.{function}("))
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="p.py", line=line),))
    return [one.rewrite for one in SignatureSource().propose(group, evidence)]


def test_what_is_required_now_is_given_what_it_was(evidence: FixEvidence) -> None:
    assert rewrites(evidence, "load", "Loader") == [
        AddArgument(function="lib.load", argument="Loader", value="lib.FullLoader", position=1)
    ]
    assert rewrites(evidence, "count", "limit") == [
        AddArgument(function="lib.count", argument="limit", value="7", position=1)
    ]


def test_where_it_was_none_the_class_of_its_name_is_given(evidence: FixEvidence) -> None:
    assert rewrites(evidence, "load_all", "Loader") == [
        AddArgument(function="lib.load_all", argument="Loader", value="lib.Loader", position=1)
    ]


def test_an_argument_is_renamed_to_what_came_in_its_place_or_dropped(
    evidence: FixEvidence,
) -> None:
    assert rewrites(evidence, "train", "size", unexpected=True) == [
        ChangeArgument(function="lib.train", argument="size", new="vector_size"),
        ChangeArgument(function="lib.train", argument="size"),
    ]
    assert rewrites(evidence, "pick", "copy", unexpected=True) == [
        ChangeArgument(function="lib.pick", argument="copy")
    ]


def test_positional_arguments_get_the_names_that_they_take_now(evidence: FixEvidence) -> None:
    assert rewrites(evidence, "fit") == [NamePositional(function="lib.fit", names=("", "weights", "rounds"))]
    assert rewrites(evidence, "steady") == []


def test_what_is_given_by_position_to_a_parameter_that_is_gone_goes(evidence: FixEvidence) -> None:
    assert rewrites(evidence, "aware") == [
        ChangeArgument(function="lib.aware", argument="summer", position=2)
    ]


def test_what_only_a_warning_let_by_position_gets_its_name(evidence: FixEvidence) -> None:
    assert rewrites(evidence, "scale") == [NamePositional(function="lib.scale", names=("", "copy", "width"))]


def test_an_argument_given_twice_shows_that_places_changed(evidence: FixEvidence) -> None:
    cause = Cause(
        kind=CauseKind.ARGUMENT_COUNT,
        type="TypeError",
        message="plot() got multiple values for argument 'data'",
        name="data",
        owner="plot",
    )
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="p.py", line=15),))
    assert [one.rewrite for one in SignatureSource().propose(group, evidence)] == [
        NamePositional(function="lib.plot", names=("x", "y", "data", ""))
    ]


@pytest.mark.parametrize("owner", ["__init__", "Folds.__init__", "Folds"])
def test_a_constructor_that_is_not_named_is_found_on_the_line(evidence: FixEvidence, owner: str) -> None:
    cause = Cause(kind=CauseKind.ARGUMENT_COUNT, type="TypeError", message="", name="", owner=owner)
    group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="p.py", line=16),))
    assert [one.rewrite for one in SignatureSource().propose(group, evidence)] == [
        NamePositional(function="lib.Folds", names=("", "shuffle"))
    ]


def test_a_signature_that_is_as_it_was_is_not_called_a_change_of_its_library(evidence: FixEvidence) -> None:
    def why(function: str, argument: str, line: int) -> tuple[str, str]:
        kind = CauseKind.UNEXPECTED_ARGUMENT
        cause = Cause(kind=kind, type="TypeError", message="", name=argument, owner=function)
        group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="p.py", line=line),))
        (proposal,) = SignatureSource().propose(group, evidence)
        return proposal.distribution, proposal.why[0].text

    assert why("steady", "sort", 9) == ("", "lib.steady(a, b=1) is as it was: it takes no sort")
    assert why("pick", "copy", 5) == (
        "lib",
        "it is gone: lib.pick(data, copy=True, deep=False) became lib.pick(data, deep=False)",
    )


def test_a_need_of_an_argument_is_foreseen_on_executed_lines(evidence: FixEvidence) -> None:
    found = {
        (group.cause.owner, group.cause.name, *(place.line for place in group.places))
        for group in foreseen_groups(evidence)
    }
    assert {one for one in found if one[0] not in ("lib.train", "lib.pick", "lib.render")} == {
        ("lib.load", "Loader", 2),
        ("lib.load_all", "Loader", 3),
        ("lib.count", "limit", 8),
        ("lib.fit", "", 6),
        ("lib.scale", "", 14),
    }


def test_a_signature_is_read() -> None:
    assert parameters_in("(a, /, b=<class 'x.Y'>, *c, d=<no value>, e={'k': (1, 2)}, **f)") == (
        SignatureParameter(name="a", positional_only=True),
        SignatureParameter(name="b", default="<class 'x.Y'>", default_object="x.Y"),
        SignatureParameter(name="c", starred=True),
        SignatureParameter(name="d", default="<no value>", keyword_only=True),
        SignatureParameter(name="e", default="{'k': (1, 2)}", literal=True, keyword_only=True),
    )


@given(st.text(alphabet="(),=*/<>ab_'1 :\n", max_size=60))
def test_any_text_is_read_or_is_no_signature(text: str) -> None:
    assert isinstance(parameters_in(text), tuple)


def test_a_library_cannot_name_an_object_that_is_not_there() -> None:
    (one,) = parameters_in("(a=__object_9__)")
    assert (one.default, one.default_object) == ("__object_9__", "")


def test_a_function_in_the_place_of_another_follows_its_signature(evidence: FixEvidence) -> None:
    (group,) = [group for group in foreseen_groups(evidence) if group.cause.owner == "lib.render"]
    assert [place.line for place in group.places] == [10, 12]
    (proposal,) = SignatureSource().propose(group, evidence)
    assert proposal.rewrite == FollowSignature(function="quiet", parameters=("a", "t", "c"))
    assert [place.line for place in proposal.places] == [10]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(a, b)", "(a, b)"),
        ("(a)", "(b, a)"),  # it took less than it was given
        ("(a, b=1)", "(b, a)"),
        ("(a, b)", "(b, *rest)"),
    ],
)
def test_other_signatures_are_not_followed(old: str, new: str) -> None:
    assert followed_parameters(("x", "y"), old, new) == ()


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("(*args, collation=None, **more)", "(*args, collation=None, **more)", ()),  # of Django's CharField
        ("(a, b=1)", "(a, *args, b=1)", ()),
        ("(a, b=1)", "(a, *, b=1)", ("", "b")),
    ],
)
def test_what_stars_take_needs_no_name(old: str, new: str, names: tuple[str, ...]) -> None:
    assert named_now(parameters_in(old), parameters_in(new)) == names


def test_what_objects_of_a_class_that_is_elsewhere_now_lack_is_not_foreseen(evidence: FixEvidence) -> None:
    uses = ProjectUses()
    for number, name in enumerate(("lib.Box.size", "lib.Box.open", "lib.Tin.size"), 1):
        uses.record(name, SourcePlace(file="p.py", line=number), of_object=True)
    lost = [group.cause.dotted for group in foreseen_groups(replace(evidence, uses=uses))]
    assert [name for name in lost if name] == ["lib.Box.open"]


def test_an_argument_that_only_stars_take_now_gets_the_name_of_what_came(evidence: FixEvidence) -> None:
    def proposed(line: int) -> list[Rewrite | None]:
        cause = Cause(kind=CauseKind.OTHER_ERROR, type="TypeError", message="corpus must be provided")
        group = FailureGroup(cause=cause, tests=("t",), places=(SourcePlace(file="p.py", line=line),))
        return [one.rewrite for one in SignatureSource().propose(group, evidence)]

    assert proposed(13) == [ChangeArgument(function="lib.build", argument="sentences", new="corpus")]
    assert proposed(4) == [], "train(size=) is refused, and says so"
