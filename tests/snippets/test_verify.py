"""Snippets of the standard library are run in two real Pythons, and their claims are decided."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from patience import PATIENCE_S
from small_runner import bubblewrap
from snippet_runner import BareInterpreters, bare_runner, side

from backdate.diagnosis.api import Member
from backdate.snippets.asked_names import EnvironmentNames
from backdate.snippets.dataset import VERIFIED, SnippetDataset
from backdate.snippets.findings import findings_of
from backdate.snippets.runs import DEFAULT_LIMITS, ProgramEnd, ProgramLimits, ProgramRun, SnippetProgram
from backdate.snippets.snippet import (
    ApiChange,
    Collection,
    Harness,
    Snippet,
    SnippetAsk,
    SnippetSide,
    ValidityClass,
)
from backdate.snippets.verify import verify_snippets
from backdate.snippets.versions import python_side
from backdate.tasks.card import DatasetInfo

INFO = DatasetInfo(name="Some", created=datetime(2024, 1, 1, tzinfo=UTC), made_by="a test")
PATIENT = ProgramLimits(wall_s=PATIENCE_S)
GCD = "import math\n\ndef f(a):\n    return math.gcd(a, 4)\n"


def snippet(name: str, code: str, api: str = "", **changed: object) -> Snippet:
    made = Snippet(
        id=name,
        collection=Collection.BUILT,
        asks=(SnippetAsk.MIGRATE,),
        library="python",
        origin=side("3.12"),
        target=side("3.8"),
        code=code,
        entry="f",
        harness=Harness(cases=("(4,)", "(6,)", "(8,)")),
        apis=(ApiChange(name=api, spelled=api),) if api else (),
    )
    return replace(made, **changed)


class CountingRunner:
    """The real one, and what it was asked to run."""

    def __init__(self) -> None:
        self.inner = bare_runner()
        self.asked: list[str] = []

    def run(
        self, side: SnippetSide, programs: Sequence[SnippetProgram], limits: ProgramLimits = DEFAULT_LIMITS
    ) -> Iterator[ProgramRun]:
        self.asked += [program.id for program in programs]
        return self.inner.run(side, programs, limits)


class NoNames:
    def ask(self, side: SnippetSide, names: Iterable[str]) -> Mapping[str, Member]:
        return {}


def verified(folder: Path, *snippets: Snippet) -> dict[str, Snippet]:
    dataset = SnippetDataset.create(folder, snippets, INFO)
    names = EnvironmentNames(bubblewrap(), BareInterpreters())
    after = verify_snippets(dataset, bare_runner(), names, jobs=2, limits=PATIENT)
    assert SnippetDataset.open(folder) == after
    return {one.id: one for one in after.snippets}


def test_each_class_of_claim(tmp_path: Path) -> None:
    batched = "import itertools\n\ndef f(a):\n    return list(itertools.batched(range(a), 2))\n"
    found = verified(
        tmp_path / "set",
        snippet("by-running", batched, "itertools.batched"),
        snippet("elsewhere", batched, "itertools.chain"),
        snippet("statically", batched.replace("return", "return 1 if a else"), "itertools.batched"),
        snippet("none", GCD, "math.gcd"),
        snippet("fails", "def f(a):\n    return no_such_name\n", "math.gcd"),
        snippet("raises-once", "def f(a):\n    return 1 / (a - 4)\n"),
        snippet("varies", "import os\n\ndef f(a):\n    return os.urandom(8)\n"),
        snippet("too-old", GCD, "math.gcd", target=python_side("3.1")),
        snippet("not-told", GCD, "math.sqrt", target=python_side("3.1")),
        snippet(
            "warns",
            "import datetime\n\ndef f(a):\n    return datetime.datetime.utcfromtimestamp(a).year\n",
            "datetime.datetime.utcfromtimestamp",
            origin=side("3.8"),
            target=side("3.12"),
        ),
    )
    classes = {name: one.validity.found for name, one in found.items() if one.validity is not None}
    assert classes == {
        "by-running": ValidityClass.CONFIRMED_BY_RUNNING,
        "elsewhere": ValidityClass.BREAKS_ELSEWHERE,
        "statically": ValidityClass.CONFIRMED_STATICALLY,
        "none": ValidityClass.NONE_SEEN,
        "fails": ValidityClass.ORIGIN_FAILS,
        "raises-once": ValidityClass.NONE_SEEN,
        "varies": ValidityClass.OTHER,
        "too-old": ValidityClass.CONFIRMED_STATICALLY,
        "not-told": ValidityClass.OTHER,
        "warns": ValidityClass.ONLY_WARNS,
    }
    assert [case.value for case in found["none"].expected] == ["4", "2", "4"]
    assert found["fails"].expected == ()
    assert "cases-raise" in found["raises-once"].flags
    assert "nondeterministic" in found["varies"].flags
    too_old = found["too-old"].validity
    assert too_old is not None
    assert too_old.evidence == (
        "math.gcd is there since Python 3.5",
        "Python 3.1 cannot be had: the oldest are 2.7 and 3.6",
    )
    total = findings_of(found.values())[-1]
    assert (total.library, total.snippets, total.nondeterministic) == ("all", 10, 1)


@pytest.mark.slow
def test_known_solutions_are_run_and_those_that_only_may_be_one_stay_when_they_pass(tmp_path: Path) -> None:
    code = "import itertools\n\ndef f(a):\n    return len(list(itertools.batched(range(a), 2)))\n"
    good, bad = "def f(a):\n    return a // 2\n", "def f(a):\n    return 0\n"
    dataset = SnippetDataset.create(
        tmp_path / "set", [snippet("good", code), snippet("bad", code), snippet("none", code)], INFO
    )
    proposed = {"good": good, "bad": bad, "none": ""}
    after = verify_snippets(
        dataset, bare_runner(), NoNames(), limits=PATIENT, references=lambda one: proposed[one.id]
    )
    assert {one.id: one.reference for one in after.snippets} == {"good": good, "bad": "", "none": ""}
    assert {one.id: one.validity and one.validity.reference_passes for one in after.snippets} == {
        "good": True,
        "bad": None,
        "none": None,
    }


@pytest.mark.slow
def test_what_was_run_is_not_run_again_until_it_changes(tmp_path: Path) -> None:
    dataset = SnippetDataset.create(tmp_path / "set", [snippet("a", GCD), snippet("b", GCD)], INFO)
    runner = CountingRunner()
    verify_snippets(dataset, runner, NoNames(), only=["a"], limits=PATIENT)
    assert sorted(runner.asked) == ["a", "a", "a"]
    kept = (dataset.folder / VERIFIED).read_bytes()
    (dataset.folder / VERIFIED).write_bytes(kept + b'{"key": "cut o')  # as a killed process leaves it
    runner.asked.clear()
    dataset = verify_snippets(dataset, runner, NoNames(), limits=PATIENT)
    assert sorted(runner.asked) == ["b"] * 3
    runner.asked.clear()
    dataset = dataset.changed(lambda one: replace(one, code=GCD.replace("4", "3")) if one.id == "a" else one)
    verify_snippets(dataset, runner, NoNames(), limits=PATIENT)
    assert sorted(runner.asked) == ["a", "a", "a"]


def test_runs_that_the_folder_says_somebody_else_made_are_made_again(tmp_path: Path) -> None:
    """Who publishes a data set could have written them; every other part of their keys is in it."""
    dataset = SnippetDataset.create(tmp_path / "set", [snippet("a", GCD)], INFO)
    verify_snippets(dataset, CountingRunner(), NoNames(), limits=PATIENT, secret="theirs")
    runner = CountingRunner()
    verify_snippets(dataset, runner, NoNames(), limits=PATIENT, secret="ours")
    assert runner.asked == ["a"] * 3


@pytest.mark.slow
def test_what_a_limit_ended_is_run_again_when_that_is_asked_for(tmp_path: Path) -> None:
    dataset = SnippetDataset.create(tmp_path / "set", [snippet("a", GCD), snippet("b", GCD)], INFO)

    class Busy(CountingRunner):
        def run(
            self,
            side: SnippetSide,
            programs: Sequence[SnippetProgram],
            limits: ProgramLimits = DEFAULT_LIMITS,
        ) -> Iterator[ProgramRun]:
            for run in super().run(side, programs, limits):
                yield replace(run, end=ProgramEnd.TIMED_OUT, cases=()) if run.id == "a" else run

    verify_snippets(dataset, Busy(), NoNames(), limits=PATIENT)
    runner = CountingRunner()
    dataset = verify_snippets(dataset, runner, NoNames(), limits=PATIENT)
    assert runner.asked == []
    dataset = verify_snippets(dataset, runner, NoNames(), retry=True, limits=PATIENT)
    assert runner.asked == ["a"] * 3
    runner.asked.clear()
    verify_snippets(dataset, runner, NoNames(), retry=True, limits=PATIENT)
    assert runner.asked == []  # the later run counts


def test_stored_output_is_compared(tmp_path: Path) -> None:
    found = verified(
        tmp_path / "set",
        snippet("same", GCD, published={"message": "4\n2\n4\n"}),
        snippet("other", GCD, published={"message": "4\n3\n4\n"}),
        snippet("otherwise", GCD, published={"message": "4!"}, flags=("printed-otherwise",)),
    )
    assert {name: one.flags for name, one in found.items()} == {
        "same": (),
        "other": ("stored-output-differs",),
        "otherwise": ("printed-otherwise",),
    }


@pytest.mark.parametrize(
    ("python", "names"), [("3.1", {"math.gcd": "3.5"}), ("3.5", {}), ("3", {}), ("", {})]
)
def test_names_that_came_later(python: str, names: dict[str, str]) -> None:
    from backdate.snippets.too_new import too_new_for

    assert too_new_for(python, ["math.gcd", "math.sqrt", "no.such", "callable", "a b.c", ""]) == names
