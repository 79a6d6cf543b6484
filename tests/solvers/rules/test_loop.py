"""The loop of the rules solver: what helps stays, what does not is taken back, and few runs are needed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from dead_names import DeadNamesWorld, by_table, missing, rename

from backdate.advice import SourcePlace
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import Edit
from backdate.rewriting.rewrite import AddArgument, ReplaceName, ReplaceUse
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.rewriting.rewritten import RewrittenSource
from backdate.solvers.rules.applying import PlannedChange, TextChanger, Texts
from backdate.solvers.rules.backend import SuiteReading
from backdate.solvers.rules.changes import ChangeHistory
from backdate.solvers.rules.loop import MendLoop
from backdate.solvers.rules.planning import ChangePlanner
from backdate.solvers.rules.proposals import FailureGroup, Proposal, ProposalOrigin

ALIVE = frozenset({"prod", "sum", "mean", "other"})


def mend(world: DeadNamesWorld, **options):
    loop = MendLoop(world, world.changer(), **options)
    return loop.mend(), loop


def test_a_dead_name_is_replaced_in_two_runs() -> None:
    world = DeadNamesWorld({"a.py": "x = lib.product\n"}, ALIVE, by_table(product=["prod"]))
    mended, loop = mend(world)
    assert mended.solved
    assert mended.texts == {"a.py": "x = lib.prod\n"}
    assert loop.runs == len(world.asked) == 2


def test_failures_of_different_causes_are_mended_at_once() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\n", "b.py": "y = 1\nz = lib.add\n"},
        ALIVE,
        by_table(product=["prod"], add=["sum"]),
    )
    mended, loop = mend(world)
    assert mended.solved
    assert loop.runs == 2
    assert mended.texts == {"a.py": "x = lib.prod\n", "b.py": "y = 1\nz = lib.sum\n"}


def test_one_failure_in_several_files_is_mended_by_the_proposal_that_fits_each() -> None:
    def rules(group, texts):
        places = group.places
        return [rename("gone.product", "prod", *places), rename("gone.add", "sum", *places)]

    world = DeadNamesWorld(
        {"a.py": "x = lib.gone.product\n", "b.py": "x = lib.gone.add\n", "c.py": "x = lib.gone.product\n"},
        ALIVE,
        rules,
    )
    mended, loop = mend(world)
    assert mended.solved
    assert mended.texts == {"a.py": "x = lib.prod\n", "b.py": "x = lib.sum\n", "c.py": "x = lib.prod\n"}
    assert loop.runs == 2


def test_of_one_failure_on_several_lines_each_gets_the_proposal_that_fits() -> None:
    def rules(group, texts):
        return [rename("gone.product", "prod", *group.places), rename("gone.add", "sum", *group.places)]

    lines = [SourcePlace(file="a.py", line=line) for line in (1, 3)]
    world = DeadNamesWorld({"a.py": "x = lib.gone.product\ny = 1\nz = lib.gone.add\n"}, ALIVE, rules)
    planner = ChangePlanner(world, world.changer())
    group = replace(missing("gone", lines[0], "t", "u"), places=tuple(lines), raised_at=tuple(lines))
    loop = MendLoop(world, world.changer())
    planned = planner.for_groups([group], ChangeHistory(loop.changer), {}, one_at_a_time=False)
    assert [change.proposal.places for change in planned] == [tuple(lines), (lines[1],)]
    assert loop.changer.make({}, planned).texts == {"a.py": "x = lib.prod\ny = 1\nz = lib.sum\n"}


def test_before_a_library_goes_back_to_what_it_was_what_follows_its_releases_goes() -> None:
    def rules(group, texts):
        places = tuple(SourcePlace(file=file, line=1) for file in ("a.py", "b.py"))
        back = ReplaceName(old="lib", new="lib.v1")
        last = Proposal(
            origin=ProposalOrigin.WRITTEN_RULE, rewrite=back, places=places, distribution="lib", last=True
        )
        return [last] if group.cause.name == "add" else [rename("product", "prod", *group.places), last]

    world = DeadNamesWorld({"a.py": "x = lib.product\n", "b.py": "x = lib.add\n"}, ALIVE | {"v1"}, rules)
    mended, _ = mend(world)
    assert mended.solved
    assert mended.texts == {"a.py": "x = lib.v1.product\n", "b.py": "x = lib.v1.add\n"}


@pytest.mark.parametrize("helps", [True, False])
def test_lines_that_no_trace_shows_are_tried_once_where_a_failure_names_nothing(helps: bool) -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\n", "b.py": "y = 1\n" if helps else "y = lib.sum\n"},
        ALIVE,
        by_table(product=["prod" if helps else "gone"]),
        wrong=frozenset({"sum"}),
        read_as_text=frozenset({"a.py"}),
    )
    mended, loop = mend(world)
    assert (mended.solved, mended.texts) == (helps, {"a.py": "x = lib.prod\n"} if helps else {})
    assert loop.runs == (2 if helps else 3)  # the last one for what they catch


def test_a_template_that_holds_the_name_it_is_for_is_made_once_at_one_place() -> None:
    place = SourcePlace(file="a.py", line=1)
    longer = ReplaceUse(target=".dtype", template="{self}.b.dtype", called=False, defaults={"a": "1"})
    proposal = Proposal(origin=ProposalOrigin.WRITTEN_RULE, rewrite=longer, places=(place,))

    def rewrite(text, rewrite, lines):
        return rewrite_source(text, rewrite, lines=lines)

    changer = TextChanger({"a.py": "x = a.dtype\n"}.get, rewrite)
    changes = [PlannedChange(group=missing("product", place), proposal=proposal) for _ in range(2)]
    made = changer.make({}, changes)
    assert made.texts == {"a.py": "x = a.b.dtype\n"}
    assert [one.planned for one in made.made] == changes[:1]


def test_what_a_change_wrote_is_not_what_it_is_made_for_again() -> None:
    def wrapped(text, rewrite, lines):
        at = text.index("product")
        return RewrittenSource(edits=(Edit(at, at, "prod."),), lines=(1,))

    def rules(group, texts):
        return [rename("product", "prod.product", *group.places)]

    world = DeadNamesWorld({"a.py": "x = lib.product + lib.gone\n"}, ALIVE, rules)
    loop = MendLoop(world, replace(world.changer(), rewrite=wrapped))
    assert loop.mend().texts == {"a.py": "x = lib.prod.product + lib.gone\n"}
    assert loop.runs == 2


def test_what_fails_behind_a_failure_is_mended_in_the_next_run() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\ny = lib.add\n"}, ALIVE, by_table(product=["prod"], add=["sum"])
    )
    mended, loop = mend(world)
    assert mended.solved
    assert loop.runs == 3


def test_what_is_foreseen_on_executed_lines_saves_the_run_that_would_find_it() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\ny = lib.add\nz = lib.product\n"},
        ALIVE,
        by_table(product=["prod"], add=["sum"]),
        executed={"a.py": frozenset({1, 2, 3})},
    )
    mended, loop = mend(world)
    assert mended.texts == {"a.py": "x = lib.prod\ny = lib.sum\nz = lib.prod\n"}
    assert loop.runs == 2


def test_the_next_name_on_an_edited_line_does_not_speak_against_the_edit() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product + lib.add\n"}, ALIVE, by_table(product=["prod", "other"], add=["sum"])
    )
    mended, _ = mend(world)
    assert mended.texts == {"a.py": "x = lib.prod + lib.sum\n"}


def test_what_could_only_be_proposed_for_another_line_is_no_way_on_from_an_edit_that_errs() -> None:
    def rules(group, texts):
        if group.cause.kind is CauseKind.ASSERTION:
            place = SourcePlace(file="b.py", line=1)
            return [rename("mean", f"other + lib.{number}", place) for number in range(9)]
        if group.cause.name == "gone":
            return [rename("absent", "prod", *group.places)]
        return [rename("product", new, *group.places) for new in ("gone + lib.sum", "prod")]

    texts = {"a.py": "x = lib.product\n", "b.py": "y = lib.mean\n"}
    world = DeadNamesWorld(texts, ALIVE, rules, wrong=frozenset({"mean"}))
    mended, _ = mend(world, most_runs=4)
    assert mended.texts == {"a.py": "x = lib.prod\n"}


def test_a_name_that_is_not_there_either_is_taken_back() -> None:
    world = DeadNamesWorld({"a.py": "x = lib.product\n"}, ALIVE, by_table(product=["prd", "prod"]))
    mended, loop = mend(world)
    assert mended.texts == {"a.py": "x = lib.prod\n"}
    assert loop.runs == 3


def test_an_edit_elsewhere_that_changes_nothing_is_taken_back() -> None:
    def rules(group, texts):
        return [
            rename("sum", "mean", SourcePlace(file="a.py", line=2)),
            rename("product", "prod", *group.places),
        ]

    world = DeadNamesWorld({"a.py": "x = lib.product\ny = lib.sum\n"}, ALIVE, rules)
    mended, _ = mend(world)
    assert mended.texts == {"a.py": "x = lib.prod\ny = lib.sum\n"}


def test_a_value_that_is_wrong_gives_way_to_the_next_proposal() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\n"}, ALIVE, by_table(product=["mean", "prod"]), wrong=frozenset({"mean"})
    )
    mended, loop = mend(world)
    assert mended.texts == {"a.py": "x = lib.prod\n"}
    assert loop.runs == 3


def test_a_wrong_change_among_right_ones_gives_way_alone() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\n", "b.py": "y = lib.add\n"},
        ALIVE,
        by_table(product=["mean", "prod"], add=["sum"]),
        wrong=frozenset({"mean"}),
    )
    mended, _ = mend(world)
    assert mended.solved
    assert mended.texts == {"a.py": "x = lib.prod\n", "b.py": "y = lib.sum\n"}


def test_a_change_without_which_tests_start_again_is_taken_back_and_the_rest_is_run() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\n", "b.py": "y = lib.add\n", "c.py": "z = lib.mean\n"},
        ALIVE,
        by_table(product=["ends_it"], add=["sum"]),
        fatal=frozenset({"ends_it"}),
    )
    mended, _ = mend(world)
    assert not mended.solved
    assert mended.texts == {"b.py": "y = lib.sum\n"}
    assert [group.cause.name for group in mended.remaining] == ["product"]


def test_a_change_that_hangs_is_taken_back() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\n", "b.py": "y = lib.add\n"},
        ALIVE | {"wait"},
        by_table(product=["wait", "prod"], add=["sum"]),
        hangs=frozenset({"wait"}),
    )
    mended, loop = mend(world)
    assert mended.solved
    assert mended.texts == {"a.py": "x = lib.prod\n", "b.py": "y = lib.sum\n"}
    assert loop.runs <= 8


def test_a_change_that_breaks_tests_which_passed_is_taken_back() -> None:
    def rules(group, texts):
        if group.cause.name == "product":
            broken = rename("sum", "mean", SourcePlace(file="b.py", line=1))
            return [broken, rename("product", "prod", *group.places)]
        return []

    world = DeadNamesWorld(
        {"a.py": "x = lib.product\n", "b.py": "y = lib.sum\n"}, ALIVE, rules, wrong=frozenset({"mean"})
    )
    mended, _ = mend(world)
    assert mended.texts == {"a.py": "x = lib.prod\n"}


def test_beside_a_change_that_breaks_tests_one_without_effect_is_taken_back() -> None:
    def rules(group, texts):
        proposed = {
            "product": rename("product", "prod", *group.places),
            "add": rename("other", "prod", SourcePlace(file="c.py", line=1)),
            "gone": rename("sum", "dead", SourcePlace(file="b.py", line=1)),
        }
        return [proposed[group.cause.name]] if group.cause.name in proposed else []

    texts = {"b.py": "y = lib.sum\n", "c.py": "z = lib.other\n"}
    texts |= {f"{name}.py": f"x = lib.{name}\n" for name in ("product", "add", "gone")}
    world = DeadNamesWorld(texts, ALIVE, rules)
    mended, _ = mend(world, most_runs=2)
    assert mended.texts == {"product.py": "x = lib.prod\n"}


def test_what_cannot_be_mended_leaves_the_rest_mended() -> None:
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\n", "b.py": "y = lib.gone\n"}, ALIVE, by_table(product=["prod"])
    )
    mended, _ = mend(world)
    assert not mended.solved
    assert mended.texts == {"a.py": "x = lib.prod\n"}
    assert [group.cause.name for group in mended.remaining] == ["gone"]


def test_nothing_is_changed_where_nothing_helps() -> None:
    world = DeadNamesWorld({"a.py": "x = lib.product\n"}, ALIVE, by_table(product=["prd", "prot"]))
    mended, loop = mend(world)
    assert not mended.solved
    assert mended.texts == {}
    assert loop.runs == 3


def test_the_runs_are_bounded() -> None:
    names = [f"wrong{number}" for number in range(30)]
    world = DeadNamesWorld({"a.py": "x = lib.product\n"}, ALIVE, by_table(product=names))
    mended, loop = mend(world, most_runs=5)
    assert loop.runs == len(world.asked) == 5
    assert mended.texts == {}


def test_few_failing_tests_run_alone_and_then_all_of_them() -> None:
    files = {f"{letter}.py": "x = lib.sum\n" for letter in "bcdef"}
    world = DeadNamesWorld(
        {"a.py": "x = lib.product\n", **files}, ALIVE, by_table(product=["prod"]), selects=True
    )
    mended, _ = mend(world)
    assert mended.solved
    assert [only for _, only in world.asked] == [(), ("test_a.py",), ()]


def test_a_task_that_passes_is_left_alone() -> None:
    world = DeadNamesWorld({"a.py": "x = lib.sum\n"}, ALIVE, by_table())
    mended, loop = mend(world)
    assert mended.solved
    assert loop.runs == 1


def test_where_a_change_errs_at_some_of_its_places_the_next_one_is_made_there() -> None:
    class TwoKinds(DeadNamesWorld):
        def _of_file(self, file, text, test):
            if file == "b.py" and "lib.sum" in text:
                return missing("sum", SourcePlace(file=file, line=1), test), False
            return super()._of_file(file, text, test)

    world = TwoKinds({"a.py": "x = lib.add\n", "b.py": "y = lib.add\n"}, ALIVE, by_table(add=["sum", "prod"]))
    mended, loop = mend(world)
    assert mended.solved
    assert mended.texts == {"a.py": "x = lib.sum\n", "b.py": "y = lib.prod\n"}
    assert loop.runs == 3


class AtTimesWorld(DeadNamesWorld):
    """Its last test fails in the runs with these numbers, whatever was edited."""

    fails_in: frozenset[int] = frozenset()

    def run(self, texts: Texts, only: tuple[str, ...], why: str) -> SuiteReading:
        reading = super().run(texts, only, why)
        if len(self.asked) not in self.fails_in:
            return reading
        test = f"test_{[*self.files][-1]}"
        cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="5 != 0")
        return replace(
            reading,
            solved=False,
            good=reading.good - {test},
            missing=(*reading.missing, test),
            groups=(*reading.groups, FailureGroup(cause=cause, tests=(test,), places=())),
        )


@pytest.mark.parametrize(("fails_in", "solved", "runs"), [({2}, True, 3), ({2, 3}, False, 4)])
def test_a_few_tests_that_fail_at_last_are_run_once_more(fails_in: set[int], solved: bool, runs: int) -> None:
    files = {f"f{number}.py": "x = lib.prod\n" for number in range(11)}
    world = AtTimesWorld({"a.py": "x = lib.product\n", **files}, ALIVE, by_table(product=["prod"]))
    world.fails_in = frozenset(fails_in)
    loop = MendLoop(world, world.changer())
    mended = loop.mend()
    assert (mended.solved, loop.runs) == (solved, runs)
    assert mended.texts["a.py"] == "x = lib.prod\n"


class RaggedWorld(DeadNamesWorld):
    """A function asks whether rows have one length, by an array of them; one test has rows that do not."""

    even = ("test_a", "test_b", "test_c")

    @property
    def tests(self) -> int:
        return 4

    def run(self, texts: Texts, only: tuple[str, ...], why: str) -> SuiteReading:
        text, bad = texts.get("a.py", self.files["a.py"]), list[FailureGroup]()
        self.asked.append((texts, only))
        if "gone" in text:
            bad.append(missing("gone", SourcePlace(file="a.py", line=5), *self.even))
        elif "dtype" in text and not only:
            bad.append(missing("len", SourcePlace(file="a.py", line=3), *self.even))
        line, name = (2, "odd") if "dtype" not in text else (4, "strange")
        bad.append(missing(name, SourcePlace(file="a.py", line=line), "test_odd"))
        failing = {test for group in bad for test in group.tests}
        good = frozenset(only or (*self.even, "test_odd")) - failing
        return SuiteReading(
            solved=False, good=good, missing=tuple(sorted(failing)), groups=tuple(bad), whole=not only
        )


def test_what_was_judged_by_chosen_tests_stays_where_it_costs_no_others() -> None:
    """An argument with which the tests that failed got further, to another error, cost eight that passed."""

    def rules(group, texts):
        rewrites = {
            "gone": ReplaceName(old="lib.gone", new="lib.sum"),
            "odd": AddArgument(function="lib.array", argument="dtype", value="object"),
        }
        rewrite = rewrites.get(group.cause.name if "gone" not in texts.get("a.py", text) else "gone")
        origin = ProposalOrigin.WRITTEN_RULE
        if rewrite is None or (group.cause.name == "odd" and not texts):
            return []
        return [Proposal(origin=origin, rewrite=rewrite, places=group.places)]

    text = "def f(v):\n    if lib.array(v).odd:\n        v = len(v)\n    return v\nimport lib; x = lib.gone\n"
    world = RaggedWorld({"a.py": text}, ALIVE, rules, selects=True)
    changer = TextChanger(world.read, lambda text, rewrite, lines: rewrite_source(text, rewrite, lines=lines))
    mended = MendLoop(world, changer).mend()
    assert [only for _, only in world.asked][:3] == [(), (), ("test_odd",)]
    assert "lib.sum" in mended.texts["a.py"]
    assert world.asked[-1][1] == ()
    assert mended.reading.good == {"test_a", "test_b", "test_c"}
    assert "dtype" not in mended.texts["a.py"]


def test_a_default_that_was_guessed_goes_where_its_test_only_got_further() -> None:
    def rules(group, texts):
        if group.cause.name == "add":
            return [rename("add", "sum", *group.places)]
        guessed = rename("product", "prod", *group.places, origin="changed-default")
        return [guessed] if group.cause.name == "product" else []

    files = {"a.py": "x = lib.product\ny = lib.dead\n", "b.py": "x = lib.add\n"}
    mended, _ = mend(DeadNamesWorld(files, ALIVE, rules))
    assert (mended.solved, mended.texts) == (False, {"b.py": "x = lib.sum\n"})
    assert mended.reading.whole
    assert [group.cause.name for group in mended.remaining] == ["product"]
    ruled = by_table(product=["prod"], add=["sum"])
    mended, _ = mend(DeadNamesWorld(files, ALIVE, ruled))
    assert mended.texts == {"a.py": "x = lib.prod\ny = lib.dead\n", "b.py": "x = lib.sum\n"}


def test_a_change_without_another_proposal_that_changes_anything_stays_and_the_next_one_gives_way() -> None:
    """The last change has others, which change nothing or do the same: the one before it is what is wrong."""

    def rules(group, texts):
        if group.cause.name == "product":
            return [rename("product", "prod", *group.places), rename("product", "mean", *group.places)]
        same = replace(rename("add", "sum", *group.places), origin=ProposalOrigin.WARNING)
        return [rename("add", "sum", *group.places), rename("nowhere", "mean", *group.places), same]

    world = DeadNamesWorld(
        {"a.py": "x = lib.product\ny = lib.add\n"}, ALIVE, rules, wrong=frozenset({"prod"})
    )
    mended, loop = mend(world)
    assert mended.solved
    assert mended.texts == {"a.py": "x = lib.mean\ny = lib.sum\n"}
    assert loop.runs == 4


def test_what_is_foreseen_of_one_name_is_mended_on_each_line_by_the_rule_that_fits() -> None:
    """The change for a failure mends a part of what is foreseen of the same name; the rest goes with it."""
    uses = {"a.py": "x = lib.gone.product\ny = lib.gone.add\n"}

    def rules(group, texts):
        return [rename("gone.product", "prod", *group.places), rename("gone.add", "sum", *group.places)]

    world = DeadNamesWorld(uses, ALIVE, rules)
    planner, changer = ChangePlanner(world, world.changer()), world.changer()
    first, second = (SourcePlace(file="a.py", line=line) for line in (1, 2))
    raised = replace(missing("gone", first, "t"), places=(first,), raised_at=(first,))
    foreseen = replace(missing("gone", first), places=(first, second), raised_at=())
    planned = planner.for_groups([raised, foreseen], ChangeHistory(changer), {}, one_at_a_time=False)
    assert changer.make({}, planned).texts == {"a.py": "x = lib.prod\ny = lib.sum\n"}


def test_what_was_guessed_for_one_failure_and_mends_another_stays() -> None:
    def rules(group, texts):
        guessed = rename("product", "prod", SourcePlace(file="b.py", line=1))
        return [guessed] if group.cause.name == "gone" else []

    one = DeadNamesWorld(
        files={"a.py": "lib.gone\n", "b.py": "lib.product\n"}, alive=frozenset({"prod"}), rules=rules
    )
    mended = MendLoop(one, one.changer()).mend()
    assert not mended.solved
    assert mended.texts == {"b.py": "lib.prod\n"}
    assert mended.reading.good == {"test_b.py"}


def test_a_guess_that_is_refused_on_its_own_lines_is_guessed_for_no_other_failure() -> None:
    """``relationship(cascade=False)`` was tried for one failure after the other, and broke every run."""
    place = SourcePlace(file="a.py", line=1)

    def rules(group, texts):
        if group.cause.name:
            return []
        guess = rename("sum", "gone", place, origin="changed-default")
        mended = rename("less", "sum", SourcePlace(file="b.py", line=1))
        return [guess, mended] if group.tests == ("test_b.py",) else [guess]

    one = DeadNamesWorld(
        files={"a.py": "lib.sum\nlib.wrong\n", "b.py": "lib.less\n"},
        alive=frozenset({"sum", "less", "wrong"}),
        rules=rules,
        wrong=frozenset({"wrong", "less"}),
    )
    mended = MendLoop(one, one.changer()).mend()
    assert mended.texts["b.py"] == "lib.sum\n"
    with_guess = [texts for texts, _ in one.asked if "lib.gone" in texts.get("a.py", "")]
    assert len(with_guess) == 1
