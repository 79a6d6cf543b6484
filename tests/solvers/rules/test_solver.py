"""The rules solver over a task: its patch, its account, its reasons, what it may not change."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from dead_names import rename
from shaking_tree import DeadNamesRunner, FixedSource, no_evidence, solver, task_of

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.bisection.explanations.changelog_reader import ChangelogReader
from backdate.bisection.result import Culprit
from backdate.editing.apply import apply_patch
from backdate.errors import IndexUnavailable
from backdate.evaluation.run_folder import load_record
from backdate.evaluation.running import EvaluationPlan, evaluate
from backdate.mining.between import ReleasesBetween
from backdate.solvers.atif import requests_of
from backdate.solvers.interface import Assignment
from backdate.solvers.reasons import ProposalOrigin
from backdate.solvers.records import MODEL_CALLS, RunSettings, StopReason
from backdate.solvers.rules.proposals import FileEdit, Proposal

FILES = {"a.py": "import lib\r\nx = 1\r\ny = lib.product\r\n", "b.py": "z = lib.add\n"}
RENAMED = {"product": "prod", "add": "sum"}
WHY = (
    AdviceEvidence(kind=EvidenceKind.KNOWN, text="product is prod", since="2.0", source="https://x.example"),
)


def by_name(group, evidence):
    new = RENAMED.get(group.cause.name)
    return [] if new is None else [_with_why(rename(group.cause.name, new, *group.places))]


def _with_why(proposal):
    return Proposal(
        origin=proposal.origin,
        rewrite=proposal.rewrite,
        places=proposal.places,
        distribution="lib",
        why=WHY,
        rule="lib-names",
    )


@pytest.fixture
def attempt(tmp_path):
    def work(runner, *sources, gather=None, **settings):
        scratch, logs = tmp_path / "scratch", tmp_path / "run/logs/task"
        scratch.mkdir()
        logs.mkdir(parents=True)
        rules = solver(*sources)
        return (rules if gather is None else replace(rules, gather=gather)).attempt(
            Assignment(
                task=task_of(),
                settings=RunSettings(solver="rules", **settings),
                task_runner=runner,
                scratch=scratch,
                logs=logs,
            )
        )

    return work


def written(rules=by_name):
    return FixedSource(ProposalOrigin.WRITTEN_RULE, rules)


def test_a_task_is_solved_and_its_patch_applies(attempt, tmp_path) -> None:
    runner = DeadNamesRunner(FILES)
    result = attempt(runner, written())
    assert result.ending is StopReason.SOLVED
    tree = tmp_path / "tree"
    runner.make_tree(None, tree)
    apply_patch(result.patch, tree)
    assert (tree / "a.py").read_bytes() == FILES["a.py"].replace("product", "prod").encode()
    assert (tree / "b.py").read_bytes() == b"z = lib.sum\n"
    assert [run.solved for run in result.runs] == [False, True]
    assert result.runs[0].number == 0


def test_every_hunk_has_its_reason(attempt) -> None:
    result = attempt(DeadNamesRunner(FILES), written())
    first, second = result.reasons
    assert (first.file, first.first_line, first.last_line) == ("a.py", 3, 3)
    assert first.cause == "AttributeError: module 'lib' has no attribute 'product'"
    assert first.tests == ("test_all.py::test_a",)
    assert (first.distribution, first.old_version, first.new_version) == ("lib", "1.0", "2.0")
    assert (first.origin, first.rule, first.evidence) == (ProposalOrigin.WRITTEN_RULE, "lib-names", WHY)
    assert second.file == "b.py"


def test_the_trajectory_has_the_edits_as_calls_of_a_model(attempt) -> None:
    result = attempt(DeadNamesRunner(FILES), written())
    names = [request.name for _, request in requests_of(result.trajectory)]
    assert names == ["run_old_side", "edit_file", "edit_file", "execute_tests"]
    edit = next(request for _, request in requests_of(result.trajectory) if request.name == "edit_file")
    assert edit.arguments == {"path": "a.py", "first_line": 3, "last_line": 3, "new_text": "y = lib.prod\r\n"}
    assert result.calls == 3
    assert result.sequence == tuple(names[1:])


def test_the_first_source_goes_first_and_the_next_one_where_it_errs(attempt) -> None:
    wrong = FixedSource(
        ProposalOrigin.MESSAGE,
        lambda group, _: [rename(group.cause.name, "prodd", *group.places, origin="message")],
    )
    result = attempt(DeadNamesRunner(FILES), wrong, written())
    assert result.ending is StopReason.SOLVED
    assert {reason.origin for reason in result.reasons} == {ProposalOrigin.WRITTEN_RULE}


def test_what_is_for_the_last_is_tried_behind_all_other_sources(attempt) -> None:
    whole = FixedSource(
        ProposalOrigin.WRITTEN_RULE,
        lambda group, _: [replace(rename(group.cause.name, "prod", *group.places), last=True)],
    )
    result = attempt(
        DeadNamesRunner({"a.py": FILES["a.py"]}), whole, FixedSource(ProposalOrigin.MESSAGE, by_name)
    )
    assert result.ending is StopReason.SOLVED
    assert [reason.rule for reason in result.reasons] == ["lib-names"]


def test_a_last_resort_is_asked_only_where_nothing_else_is_proposed(attempt) -> None:
    asked = []

    def announced(group, evidence):
        asked.append(group.cause.name)
        return by_name(group, evidence)

    def of_one(group, evidence):
        return by_name(group, evidence) if group.cause.name == "product" else []

    result = attempt(
        DeadNamesRunner(FILES), written(of_one), FixedSource(ProposalOrigin.ANNOUNCEMENT, announced)
    )
    assert result.ending is StopReason.SOLVED
    assert set(asked) == {"add"}


def test_releases_and_changelogs_that_could_not_be_read_are_told(attempt, tmp_path) -> None:
    culprit = Culprit(name="lib", old="1.0", new="2.0", released=None)

    def index():
        raise IndexUnavailable("there is no index")

    def announced(group, evidence):
        assert not list(evidence.releases.announced("lib", "1.0", "2.0"))
        assert not evidence.changelogs.said_of(culprit, ["lib.product"])
        return []

    def gathered(assignment, tree, groups, *, log_folder):
        evidence = no_evidence(assignment, tree, groups, log_folder=log_folder)
        until = datetime(2022, 1, 1, tzinfo=UTC)
        return replace(
            evidence,
            releases=ReleasesBetween(index=index, folder=tmp_path, until=until),
            changelogs=ChangelogReader(index, tmp_path),
        )

    source = FixedSource(ProposalOrigin.ANNOUNCEMENT, announced)
    result = attempt(DeadNamesRunner(FILES), source, gather=gathered)
    assert result.ending is StopReason.GAVE_UP
    assert result.detail.endswith(
        "releases in between could not be read: lib; the index did not answer for changelogs"
    )


def test_a_test_file_is_not_edited(attempt) -> None:
    def rules(group, evidence):
        return [
            Proposal(
                origin=ProposalOrigin.FIXER, file_edits=(FileEdit(file="test_all.py", text="assert True\n"),)
            )
        ]

    result = attempt(DeadNamesRunner(FILES), FixedSource(ProposalOrigin.FIXER, rules))
    assert result.ending is StopReason.GAVE_UP
    assert result.patch == ""
    assert result.reasons == ()


def test_a_text_that_is_no_python_is_never_written(attempt) -> None:
    def rules(group, evidence):
        broken = FileEdit(file="b.py", text="z = = lib.sum\n")
        return [Proposal(origin=ProposalOrigin.FIXER, file_edits=(broken,))]

    runner = DeadNamesRunner(FILES)
    result = attempt(runner, FixedSource(ProposalOrigin.FIXER, rules))
    assert result.patch == ""
    assert runner.runs == ["target"]


def test_places_outside_of_the_tree_are_left_alone(attempt) -> None:
    def rules(group, evidence):
        places = [SourcePlace(file=file, line=1) for file in ("/etc/hosts", "../x.py", "lib/none.py", "")]
        return [rename("product", "prod", *places)]

    assert attempt(DeadNamesRunner(FILES), written(rules)).patch == ""


def test_an_environment_that_does_not_build_is_an_error(attempt) -> None:
    runner = DeadNamesRunner(FILES)
    runner.broken = True
    result = attempt(runner, written())
    assert result.ending is StopReason.ERROR
    assert "no wheel" in result.detail


def test_the_budget_of_runs_is_kept(attempt) -> None:
    def rules(group, evidence):
        return [rename(group.cause.name, f"wrong{number}", *group.places) for number in range(9)]

    runner = DeadNamesRunner(FILES)
    result = attempt(runner, written(rules), tests=3)
    assert result.ending is StopReason.TESTS
    assert len(result.runs) == 4
    assert result.patch == ""


def test_edits_without_number_use_no_budget_where_nobody_stated_one(attempt) -> None:
    """Each edit is a call in the record: 120 failures used a hundred calls up before the tests ran again."""
    files = {f"m{number}.py": "x = lib.product\n" for number in range(120)}
    result = attempt(DeadNamesRunner(files), written())
    assert result.ending is StopReason.SOLVED
    assert result.calls > MODEL_CALLS
    assert len(result.runs) == 2
    assert len(requests_of(result.trajectory)) == result.calls + 1  # and the run of the old side


def test_the_budget_of_calls_is_kept(attempt) -> None:
    result = attempt(DeadNamesRunner(FILES), written(), calls=2)
    assert result.ending is StopReason.CALLS
    assert result.detail.startswith("2 turns did not suffice")


def test_reasons_are_kept_with_the_record_of_a_run(tmp_path) -> None:
    plan = EvaluationPlan(
        tasks=[task_of()],
        solver=solver(written()),
        settings=RunSettings(solver="rules", both_sides=True),
        task_runner=DeadNamesRunner(FILES),
        folder=tmp_path / "run",
    )
    (record,) = evaluate(plan)
    assert record.ending is StopReason.SOLVED
    assert len(record.reasons) == 2
    assert record.side_runs == 1
    kept = load_record(tmp_path / "run", record.instance_id)
    assert kept == record


def test_sources_that_proposed_anything_are_recorded_whether_it_stayed_or_not(attempt) -> None:
    wrong = FixedSource(
        ProposalOrigin.MESSAGE,
        lambda group, _: [rename(group.cause.name, "prodd", *group.places, origin="message")],
    )
    silent = FixedSource(ProposalOrigin.WARNING, lambda group, _: [])
    unasked = FixedSource(ProposalOrigin.NEW_HOME, by_name)
    result = attempt(DeadNamesRunner(FILES), wrong, silent, written(), unasked)
    assert result.ending is StopReason.SOLVED
    assert result.proposed_by == (ProposalOrigin.MESSAGE, ProposalOrigin.WRITTEN_RULE)
    assert result.ready_at_first is None


def test_a_survey_asks_every_source_for_the_first_failures_and_changes_nothing(attempt) -> None:
    silent = FixedSource(ProposalOrigin.WARNING, lambda group, _: [])
    unasked = FixedSource(ProposalOrigin.ANNOUNCEMENT, by_name)
    later = FixedSource(
        ProposalOrigin.SIGNATURE, lambda group, _: by_name(group, _) if group.cause.name == "late" else []
    )
    result = attempt(DeadNamesRunner(FILES), written(), silent, unasked, later, survey=True)
    assert result.ending is StopReason.SOLVED
    assert result.proposed_by == (ProposalOrigin.WRITTEN_RULE,)
    assert result.ready_at_first == (ProposalOrigin.WRITTEN_RULE, ProposalOrigin.ANNOUNCEMENT)
    assert "lib.prod" in result.patch
    assert result.sequence == ("edit_file", "edit_file", "execute_tests")


def test_nothing_is_ready_where_the_tests_pass_or_no_side_can_be_had(attempt) -> None:
    result = attempt(DeadNamesRunner({"a.py": "import lib\n"}), written(), survey=True)
    assert (result.proposed_by, result.ready_at_first) == ((), ())
