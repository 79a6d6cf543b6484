"""The loop over fake builds: order, rounds, what is given up, what is never done twice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from fake_setups import (
    RULE,
    FakeLoopBackend,
    carried,
    failure,
    packages_of,
    ran,
    recipe,
    repaired,
    start,
)

from backdate.checking.attempts import Attempt
from backdate.checking.learnt import with_learnt
from backdate.checking.loop import Loop
from backdate.checking.progress import AttemptStarted
from backdate.checking.settings import SetupOptions
from backdate.checking.setup_failures import message_of
from backdate.recipes.adviser.consultation import Consultation
from backdate.recipes.recipe import InstallStep, Recipe, SystemPackages
from backdate.recipes.repair.repair import Repair, RepairKind
from backdate.recipes.repair.repair_context import with_variables
from backdate.recipes.repair.setup_failure import SetupFailure
from backdate.sandboxes.services.kinds import wanted_service
from backdate.sandboxes.services.wanted import ServiceKind
from backdate.testing.outcomes import Outcome, Raised, SuiteRun

ROOT = Path("/project")


def adding(name: str, one: Recipe, rule: str = "a rule") -> Repair:
    return repaired(recipe(*sorted(packages_of(one) | {name})), f"{rule} {name}")


def needs(*names: str) -> object:
    """A project whose tests run once all of ``names`` are installed, asking for one after the other."""

    def says(one: Recipe, python: str) -> object:
        missing = [name for name in names if name not in packages_of(one)]
        return failure(f"No module named {missing[0]}") if missing else ran(passed=10)

    return says


def test_the_first_candidate_that_is_proven_ends_it() -> None:
    bench = FakeLoopBackend(lambda one, python: ran(passed=5))
    best = Loop(bench, SetupOptions(), ROOT).run([start(recipe("a")), start(recipe("b"))])
    assert best is not None
    assert best.proven
    assert [packages_of(one) for one, _ in bench.done] == [{"a"}]


def test_what_the_tree_lacks_is_kept_with_the_attempt() -> None:
    bench = FakeLoopBackend(lambda one, python: ran(passed=1, failed=9), absent=("tests.helpers",))
    best = Loop(bench, SetupOptions(attempts=1), ROOT).run([start(recipe("a"))])
    assert best is not None
    bench.absent = ()  # the tree is removed when the set-up ends
    assert best.absent == ("tests.helpers",)


def test_repairs_are_tried_round_by_round_until_all_is_there() -> None:
    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [adding(trouble.text.rpartition(" ")[2], one)]

    bench = FakeLoopBackend(needs("x", "y", "z"), proposes)
    loop = Loop(bench, SetupOptions(), ROOT)
    best = loop.run([start(recipe("a"))])
    assert best is not None
    assert best.proven
    assert packages_of(best.recipe_run.recipe) == {"a", "x", "y", "z"}
    assert best.repairs == tuple(f"a rule {name}: it was seen" for name in "xyz")
    assert [one.record.round for one in loop.tried] == [0, 1, 2, 3]
    assert [one.record.repair for one in loop.tried][1] == "a rule x: it was seen"


def _built_modules(one: Recipe) -> Repair:
    return replace(adding("pytest", one), kind=RepairKind.BUILT_MODULES)


def test_a_proven_recipe_that_lacks_built_modules_is_tried_with_them() -> None:
    def says(one: Recipe, python: str) -> SuiteRun:
        return ran(passed=51) if "pytest" in packages_of(one) else ran(passed=26, not_collected=1)

    bench = FakeLoopBackend(says, lambda trouble, one: [adding("b", one), _built_modules(one)])
    best = Loop(bench, SetupOptions(), ROOT).run([start(recipe("a"))])
    assert best is not None
    assert best.record.counts.passed == 51
    assert [packages_of(one) for one, _ in bench.done] == [{"a"}, {"a", "pytest"}]


@pytest.mark.parametrize("came_of_it", [ran(passed=20, not_collected=1), ran(passed=3, failed=40)])
def test_a_proven_recipe_stays_where_built_modules_help_nothing(came_of_it: SuiteRun) -> None:
    def says(one: Recipe, python: str) -> SuiteRun:
        return came_of_it if "pytest" in packages_of(one) else ran(passed=26, not_collected=1)

    best = Loop(FakeLoopBackend(says, lambda trouble, one: [_built_modules(one)]), SetupOptions(), ROOT).run(
        [start(recipe("a"))]
    )
    assert best is not None
    assert packages_of(best.recipe_run.recipe) == {"a"}


@pytest.mark.parametrize(("rounds", "tries"), [(0, 1), (2, 3), (4, 5)])
def test_rounds_are_limited(rounds: int, tries: int) -> None:
    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [adding(f"p{len(packages_of(one))}", one)]

    bench = FakeLoopBackend(lambda one, python: failure(f"{len(packages_of(one))}"), proposes)
    best = Loop(bench, SetupOptions(rounds=rounds), ROOT).run([start(recipe("a"))])
    assert best is not None
    assert not best.proven
    assert len(bench.done) == tries


def test_rounds_begin_anew_where_the_tests_begin_to_run() -> None:
    def says(one: Recipe, python: str) -> object:
        missing = [name for name in "vwxyz" if name not in packages_of(one)]
        if missing and missing[0] in "vw":
            return failure(f"No module named {missing[0]}")
        trouble = f"No module named {missing[0]}" if missing else ""
        return replace(ran(passed=10 - len(missing), failed=len(missing)), trouble=trouble)

    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [adding(trouble.text.rpartition(" ")[2], one)]

    loop = Loop(FakeLoopBackend(says, proposes), SetupOptions(rounds=3), ROOT)
    best = loop.run([start(recipe("a"))])
    assert best is not None
    assert best.proven  # two rounds of builds, and three of tests
    assert len(loop.tried) == 6


def test_the_cap_on_attempts_holds_over_all_candidates() -> None:
    bench = FakeLoopBackend(lambda one, python: failure("never"))
    loop = Loop(bench, SetupOptions(attempts=3), ROOT)
    loop.run([start(recipe(str(number))) for number in range(10)])
    assert len(bench.done) == 3


def test_what_would_do_the_same_is_done_once() -> None:
    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [repaired(recipe("a"), "back"), repaired(recipe("b"), "on")]

    bench = FakeLoopBackend(lambda one, python: failure("never"), proposes)
    Loop(bench, SetupOptions(), ROOT).run([start(recipe("a")), start(recipe("a")), start(recipe("b"))])
    assert [packages_of(one) for one, _ in bench.done] == [{"a"}, {"b"}]


def test_a_repair_that_makes_it_worse_is_left_and_the_next_one_tried() -> None:
    def says(one: Recipe, python: str) -> object:
        if "good" in packages_of(one):
            return ran(passed=10)
        return failure("worse") if "bad" in packages_of(one) else ran(passed=1, failed=9)

    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [] if "bad" in packages_of(one) else [adding("bad", one), adding("good", one)]

    bench = FakeLoopBackend(says, proposes)
    best = Loop(bench, SetupOptions(), ROOT).run([start(recipe("a"))])
    assert best is not None
    assert packages_of(best.recipe_run.recipe) == {"a", "good"}
    assert len(best.repairs) == 1


def test_the_best_attempt_is_kept_when_none_is_proven() -> None:
    ends = {"a": failure("no"), "b": ran(passed=5, failed=5), "c": ran(passed=3, failed=1)}
    ends["d"] = failure("no", "resolve")
    bench = FakeLoopBackend(lambda one, python: ends[min(packages_of(one))])
    best = Loop(bench, SetupOptions(), ROOT).run([start(recipe(name)) for name in "abcd"])
    assert best is not None
    assert packages_of(best.recipe_run.recipe) == {"b"}
    assert best.record.reached == "tests"
    assert best.record.error is not None


@pytest.mark.parametrize(("starts", "told"), [(True, {"b", "x"}), (False, {"a"})])
def test_of_attempts_that_fail_alike_a_later_repair_is_told_where_tests_start(
    starts: bool, told: set[str]
) -> None:
    """What a repair removed stood before the error that is left; what does not resolve is told as it was."""

    def says(one: Recipe, python: str) -> object:
        why = "KeyError: 'SECRET'" if "x" in packages_of(one) else "ModuleNotFoundError: No module named 'x'"
        return ran(not_collected=1, error=why) if starts else failure(why, "resolve")

    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [] if packages_of(one) & {"a", "x"} else [adding("x", one)]

    loop = Loop(FakeLoopBackend(says, proposes), SetupOptions(), ROOT)
    best = loop.run([start(recipe("a")), start(recipe("b"))])
    assert best is not None
    assert packages_of(best.recipe_run.recipe) == told


def test_an_interpreter_that_a_repair_asks_for_stays_with_later_repairs() -> None:
    def says(one: Recipe, python: str) -> object:
        if not python.startswith("3.7"):
            return failure("wrong Python")
        return ran(passed=1) if "x" in packages_of(one) else failure("No module named x")

    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        wrong = trouble.text == "wrong Python"
        return [repaired(one, "interpreter", "3.7")] if wrong else [adding("x", one)]

    bench = FakeLoopBackend(says, proposes)
    best = Loop(bench, SetupOptions(), ROOT).run([start(recipe("a"))])
    assert best is not None
    assert best.proven
    assert best.recipe_run.python == "3.7"
    assert [python for _, python in bench.done] == ["3.8.18", "3.7.1", "3.7.1"]


def test_what_is_known_of_the_first_candidate_is_not_done_again() -> None:
    bench = FakeLoopBackend(lambda one, python: ran(passed=1))
    first = recipe("a")
    known = carried(first, failure("no"))
    loop = Loop(bench, SetupOptions(), ROOT)
    bench.done.append((first, "3.8.18"))
    best = loop.run([start(first), start(recipe("b"))], known=known)
    assert best is not None
    assert packages_of(best.recipe_run.recipe) == {"b"}
    assert len(bench.done) == 2
    assert loop.tried[0].recipe_run is known


def test_nothing_to_try() -> None:
    assert Loop(FakeLoopBackend(lambda one, python: ran()), SetupOptions(), ROOT).run([]) is None


class Friend:
    """An adviser with one thing to say."""

    consultation = Consultation(model="friend", strategy="setupagent")

    def __init__(self) -> None:
        self.asked: list[str] = []

    def recipes(self, root: Path) -> list[Recipe]:
        return []

    def propose(self, trouble: SetupFailure, one: Recipe, root: Path) -> Repair | None:
        self.asked.append(trouble.text)
        return adding("x", one, "the adviser:") if "x" not in packages_of(one) else None


def test_the_adviser_is_asked_for_what_the_rules_did_not_settle() -> None:
    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [adding("y", one)] if trouble.text.endswith("y") else []

    friend = Friend()
    bench = FakeLoopBackend(needs("y", "x"), proposes)
    best = Loop(bench, SetupOptions(adviser=friend), ROOT).run([start(recipe("a"))])
    assert best is not None
    assert best.proven
    assert friend.asked == ["No module named x"]
    assert best.repairs[-1].startswith("the adviser: x")


class Stubborn(Friend):
    """One with a recipe, and always the same change."""

    def recipes(self, root: Path) -> list[Recipe]:
        self.asked.append("recipes")
        return [recipe("theirs")]

    def propose(self, trouble: SetupFailure, one: Recipe, root: Path) -> Repair | None:
        self.asked.append("change")
        return adding("z", recipe("theirs"), "again")


def test_the_adviser_comes_last_and_its_repetitions_end() -> None:
    friend = Stubborn()
    bench = FakeLoopBackend(needs("never"), lambda trouble, one: [])
    options = SetupOptions(adviser=friend, rounds=3)
    best = Loop(bench, options, ROOT).run([start(recipe("a"))])
    assert best is not None
    assert not best.proven
    assert friend.asked == ["change"] * 3 + ["recipes"] + ["change"] * 3


class Patient(Stubborn):
    """One that knows what the rules do not."""

    def recipes(self, root: Path) -> list[Recipe]:
        self.asked.append("recipes")
        return [recipe("theirs"), recipe("theirs", "right")]

    def propose(self, trouble: SetupFailure, one: Recipe, root: Path) -> Repair | None:
        return None


@pytest.mark.parametrize(("attempts", "own"), [(16, 12), (4, 3), (2, 1)])
def test_a_part_of_the_attempts_is_kept_for_the_adviser(attempts: int, own: int) -> None:
    friend = Patient()
    bench = FakeLoopBackend(
        lambda one, python: ran(passed=1) if "right" in packages_of(one) else failure("no")
    )
    many = [start(recipe(str(number))) for number in range(30)]
    loop = Loop(bench, SetupOptions(adviser=friend, attempts=attempts), ROOT)
    best = loop.run(many)
    assert friend.asked == ["recipes"]
    assert sum("theirs" not in packages_of(one) for one, _ in bench.done) == own
    assert best is not None
    assert best.proven is (attempts - own >= 2)


def test_what_the_rules_make_of_advice_is_advised_as_well() -> None:
    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [adding("y", one)] if "theirs" in packages_of(one) else [adding("never", one)]

    friend = Patient()
    needs_y = needs("theirs", "y")
    bench = FakeLoopBackend(needs_y, proposes)
    best = Loop(bench, SetupOptions(adviser=friend, attempts=8), ROOT).run(
        [start(recipe(str(number))) for number in range(9)]
    )
    assert best is not None
    assert best.proven
    assert [packages_of(one) for one, _ in bench.done][-1] == {"theirs", "y"}


@pytest.mark.parametrize(
    ("attempts", "share", "own"), [(1, 0.25, 1), (16, 0.0, 16), (16, 0.5, 8), (3, 1.0, 1)]
)
def test_the_rules_have_one_attempt_at_least(attempts: int, share: float, own: int) -> None:
    options = SetupOptions(adviser=Friend(), attempts=attempts, advised_share=share)
    assert options.attempts_of_rules == own
    assert SetupOptions(attempts=attempts, advised_share=share).attempts_of_rules == attempts


def test_the_time_is_shared_as_well() -> None:
    friend = Patient()
    bench = FakeLoopBackend(lambda one, python: ran(passed=1))
    options = SetupOptions(adviser=friend, advised_share=1.0)
    best = Loop(bench, options, ROOT).run([start(recipe("a"))])
    assert best is not None
    assert friend.asked == ["recipes"]
    assert packages_of(best.recipe_run.recipe) == {"theirs"}


def test_the_adviser_is_not_asked_when_a_recipe_is_proven() -> None:
    friend = Stubborn()
    bench = FakeLoopBackend(lambda one, python: ran(passed=5), lambda trouble, one: [])
    best = Loop(bench, SetupOptions(adviser=friend), ROOT).run([start(recipe("a"))])
    assert best is not None
    assert best.proven
    assert friend.asked == []


def test_nothing_is_begun_after_the_time() -> None:
    bench = FakeLoopBackend(lambda one, python: failure("never"))
    loop = Loop(bench, SetupOptions(begin_within_s=0.0), ROOT)
    assert loop.run([start(recipe("a"))]) is None
    assert bench.done == []


def test_services_that_cannot_be_started_are_not_tried_but_told() -> None:
    wanted = (wanted_service(ServiceKind.REDIS),)

    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [repaired(recipe("a", services=wanted), "a service")]

    bench = FakeLoopBackend(lambda one, python: failure("Connection refused"), proposes, startable=False)
    loop = Loop(bench, SetupOptions(), ROOT)
    loop.run([start(recipe("a"))])
    assert len(bench.done) == 1
    assert list(loop.hints) == ["not tried, as this machine cannot give it: a service: it was seen"]
    starting = FakeLoopBackend(lambda one, python: failure("Connection refused"), proposes)
    Loop(starting, SetupOptions(), ROOT).run([start(recipe("a"))])
    assert [one.services for one, _ in starting.done] == [(), wanted]


def test_what_is_not_applied_is_not_tried_but_told() -> None:
    system = (SystemPackages(manager="apt", packages=("autoconf",), provenance=RULE),)

    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [repaired(recipe("a", system=system), "system packages")]

    bench = FakeLoopBackend(lambda one, python: failure("autoconf: not found"), proposes)
    loop = Loop(bench, SetupOptions(), ROOT)
    loop.run([start(recipe("a"))])
    assert len(bench.done) == 1
    assert list(loop.hints) == ["not tried without --apt: system packages: it was seen"]
    applying = FakeLoopBackend(lambda one, python: failure("autoconf: not found"), proposes, apt=True)
    Loop(applying, SetupOptions(), ROOT).run([start(recipe("a"))])
    assert len(applying.done) == 2


@pytest.mark.parametrize(
    ("log", "shown"),
    [
        (
            "ERROR: usage: x [options]\nx: error: unrecognized arguments: --token\n  inifile: None",
            "It broke. The log ends: x: error: unrecognized arguments: --token",
        ),
        (
            '    return (self.load(v), "array")\nRecursionError: maximum recursion depth exceeded\n',
            "It broke. The log ends: RecursionError: maximum recursion depth exceeded",
        ),
        ("nothing to say\nof it", "It broke. The log ends: nothing to say"),
    ],
)
def test_the_line_that_names_the_error_is_shown(log: str, shown: str) -> None:
    broken = replace(ran(), status="broken", trouble=f"It broke. The log ends: {log}", log_end=log)
    assert message_of(carried(recipe("a"), broken)) == shown


def test_what_a_limit_ended_is_explained_by_the_limit() -> None:
    struck = replace(ran(failed=2), status="timeout", trouble="The time limit struck while t.py::a ran.")
    assert message_of(carried(recipe("a"), struck)) == "The time limit struck while t.py::a ran."
    assert message_of(carried(recipe("a"), ran(failed=2))) == "AssertionError: no"


_REPORT = "ImportError while importing test module 't.py'.\nt.py:1: in <module>\n    import x\nE   {said}\n"


def unimportable(said: str) -> SuiteRun:
    error = Raised(type="_pytest.nodes.Collector.CollectError", message=_REPORT.format(said=said), frames=())
    one = replace(ran(failed=1).results[0], outcome=Outcome.NOT_COLLECTED, raised=(error,))
    return replace(ran(failed=1), results=(one,), trouble=said)


def test_a_file_that_cannot_be_imported_is_explained_by_what_it_raised() -> None:
    run = unimportable("ModuleNotFoundError: No module named 'six'")
    assert message_of(carried(recipe("a"), run)) == "ModuleNotFoundError: No module named 'six'"


def test_a_file_of_tests_that_lacks_one_module_after_another_is_repaired_on() -> None:
    def says(one: Recipe, python: str) -> SuiteRun:
        missing = [name for name in ("mock", "six") if name not in packages_of(one)]
        if not missing:
            return ran(passed=1)
        return unimportable(f"ModuleNotFoundError: No module named '{missing[0]}'")

    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        return [adding(name, one) for name in trouble.missing_modules]

    best = Loop(FakeLoopBackend(says, proposes), SetupOptions(), ROOT).run([start(recipe("a"))])
    assert best is not None
    assert packages_of(best.recipe_run.recipe) == {"a", "mock", "six"}


def test_a_weak_recipe_makes_room_for_one_that_runs_more() -> None:
    ends = {"a": ran(passed=4), "b": ran(passed=9, failed=1), "c": ran(passed=10)}
    bench = FakeLoopBackend(lambda one, python: ends[min(packages_of(one))])
    bench.defined = {f"test_{number}": 1 for number in range(10)}
    loop = Loop(bench, SetupOptions(), ROOT)
    best = loop.run([start(recipe(name)) for name in "abc"])
    assert best is not None
    assert packages_of(best.recipe_run.recipe) == {"c"}
    assert [one.record.setup_class for one in loop.tried] == ["weak", "not-proven", "proven"]
    assert loop.tried[0].record.message == "only 4 of 10 tests that the files define ran"


def test_a_weak_recipe_is_the_answer_when_none_runs_more_and_few_are_tried() -> None:
    bench = FakeLoopBackend(lambda one, python: ran(passed=1) if "0" in packages_of(one) else failure("no"))
    bench.defined = {f"test_{number}": 1 for number in range(10)}
    loop = Loop(bench, SetupOptions(), ROOT)
    best = loop.run([start(recipe(str(number))) for number in range(15)])
    assert best is not None
    assert best.weak
    assert not best.proven
    assert len(loop.tried) == 6


def test_progress_says_which_attempt_and_why() -> None:
    class Kept:
        def __init__(self) -> None:
            self.events: list[object] = []

        def report(self, event: object) -> None:
            self.events.append(event)

    kept = Kept()
    bench = FakeLoopBackend(needs("x"), lambda trouble, one: [adding("x", one)])
    Loop(bench, SetupOptions(), ROOT, progress=kept).run([start(recipe("a"), "tox, py38")])
    told = [event for event in kept.events if isinstance(event, AttemptStarted)]
    assert [(event.number, event.most, event.reason) for event in told] == [
        (1, 16, "tox, py38"),
        (2, 16, "a rule x: it was seen"),
    ]


def test_a_recipe_that_installs_what_its_build_lacks_ends_in_the_option_that_does() -> None:
    system = SystemPackages(manager="apt", packages=("libfrob2-dev", "pandoc"), provenance=RULE)
    naming = replace(recipe("a"), system=(system,))
    said = "x.c:1:2: fatal error: frob/api.h: No such file or directory"

    def says(one: Recipe, python: str) -> object:
        return ran(failed=2) if one == recipe("b") else failure(said)

    hint = "the files: its build lacks libfrob2-dev; run with --apt as root"
    for apt, hints in ((False, [hint]), (True, [])):
        loop = Loop(FakeLoopBackend(says, apt=apt), SetupOptions(), ROOT)
        best = loop.run([start(naming, "the files"), start(recipe("b"))])
        assert best is not None
        assert not best.proven
        assert best.recipe_run.recipe == recipe("b")  # it came further, and would hide what helps
        assert list(loop.hints) == hints


def test_what_a_repair_shows_of_the_project_is_not_found_out_again() -> None:
    def with_version(one: Recipe) -> Recipe:
        return with_variables(one, {"VERSION": "1.0"}, "unknown version", "the log")

    def says(one: Recipe, python: str) -> object:
        if "VERSION" not in dict(one.test.environment):
            return failure("no version")
        return ran(passed=5) if packages_of(one) == {"b"} else failure("something else")

    def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
        wanted = trouble.text == "no version"
        return [repaired(with_version(one), "unknown version")] if wanted else []

    bench = FakeLoopBackend(says, proposes)
    loop = Loop(bench, SetupOptions(), ROOT)
    best = loop.run([start(recipe("a")), start(recipe("b"))])
    assert best is not None
    assert best.proven
    assert [packages_of(one) for one, _ in bench.done] == [{"a"}, {"a"}, {"b"}]
    assert best.repairs == ("as for another recipe: unknown version: it was seen",)
    assert [variable.value for variable in best.recipe_run.recipe.variables] == ["1.0"]


def test_what_a_recipe_sets_itself_is_not_learnt_from_another() -> None:
    before = recipe("a")
    after = with_variables(before, {"VERSION": "1.0", "MODE": "x"}, "a rule", "the log")
    own = with_variables(recipe("b"), {"VERSION": "2.0"}, "its own", "tox.ini")
    learnt = with_learnt(own, before, after)
    assert {one.name: one.value for one in learnt.variables} == {"VERSION": "2.0", "MODE": "x"}
    assert dict(learnt.test.environment) == {"VERSION": "2.0", "MODE": "x"}
    assert packages_of(learnt) == {"b"}
    assert with_learnt(learnt, before, after) == learnt


def test_what_is_missing_without_the_project_does_not_hide_why_it_was_given_up() -> None:
    project = InstallStep(kind="project", file=".", provenance=RULE)
    whole = replace(recipe("a"), install=(project, *recipe("a").install))
    given_up = recipe("a")

    def attempts(passed: int) -> Attempt:
        def says(one: Recipe, python: str) -> object:
            if one == whole:
                return failure("the build wants example.org")
            return ran(passed=passed, failed=3, error="ModuleNotFoundError: No module named 'own'")

        def proposes(trouble: SetupFailure, one: Recipe) -> list[Repair]:
            return [repaired(given_up, "fewer steps")] if one == whole else []

        best = Loop(FakeLoopBackend(says, proposes), SetupOptions(), ROOT).run([start(whole)])
        assert best is not None
        return best

    assert attempts(passed=0).record.message == "the build wants example.org"
    assert attempts(passed=1).recipe_run.recipe == given_up  # it shows something of the project after all
