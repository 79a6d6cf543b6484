"""All that is found out of one task, and of a data set."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import combinations
from pathlib import Path

import pytest
from fake_runner import make_task
from hypothesis import example, given
from hypothesis import strategies as st
from issue_project import BASE, InProcessProject, issue_task
from judged_project import bubblewrap
from small_runner import write_files
from task_builders import repository

from backdate.index.page import IndexFile, ProjectPage
from backdate.tasks.quality.alike_sets import alike_pairs
from backdate.tasks.quality.duplicates import duplicates_of
from backdate.tasks.quality.leaks import commits_in, fix_releases, network_reached, own_distributions
from backdate.tasks.quality.measure import quality_of, weak_flags, with_duplicates, with_quality
from backdate.tasks.quality.record import (
    MutantTrial,
    QualityFlag,
    TaskQuality,
    TrialOutcome,
    TrialSettings,
    Weakness,
)
from backdate.tasks.task import IssueFacts

TEST = "tests/test_prices.py"
CODE = {
    "shop/prices.py": BASE["shop/prices.py"].replace(
        "return sum(prices)", "charged = (each for each in prices if each > 0)\n    return sum(charged)"
    )
}
TESTS = {TEST: BASE[TEST] + "\n\ndef test_refunds():\n    assert total([3, -1]) == 3\n"}
NEW = f"{TEST}::test_refunds"


def test_a_good_task_has_no_flag_and_its_numbers(tmp_path: Path) -> None:
    project = InProcessProject()
    task = project.task(CODE, TESTS, fail_to_pass=(NEW,), pass_to_pass=(f"{TEST}::test_total",))
    found = quality_of(task, project, log_folder=tmp_path, trials=TrialSettings(most_mutants=3))
    assert found.flags == ()
    assert found.codes == ("A",)
    assert (found.leaks.commits, found.leaked) == (0, False)
    assert found.weakness is not None
    assert (found.weakness.hunks_noticed.ratio, found.weakness.mutants_noticed.ratio) == (1.0, 1.0)
    assert found.strictness is not None
    assert (found.strictness.read, found.strictness.strict) == (1, ())
    assert task.facts.quality is None
    assert with_quality(task, found).facts.quality == found


def test_a_bad_task_has_its_flags(tmp_path: Path) -> None:
    project = InProcessProject()
    text = f"Fixes #1 and fixes #2, see https://docs.python.org/3/:\n\n{CODE['shop/prices.py']}"
    task = project.task(CODE, TESTS, text=text, fail_to_pass=(NEW,))
    found = quality_of(task, project, log_folder=tmp_path, trials=None)
    assert {finding.flag for finding in found.flags} == {
        QualityFlag.EXTERNAL_LINK,
        QualityFlag.SEVERAL_ISSUES,
        QualityFlag.QUOTES_PATCH,
    }
    assert found.codes == ("B3", "B11")
    assert found.leaked
    assert found.weakness is None


@pytest.mark.parametrize(
    ("noticed", "missed", "unbuilt", "flagged"),
    [
        (0, 1, 9, False),
        (0, 2, 0, False),
        (0, 3, 0, True),
        (1, 2, 0, True),
        (5, 5, 5, True),
        (6, 5, 0, False),
        (4, 5, 0, True),
    ],
)
def test_a_share_of_few_mutants_says_nothing(
    noticed: int, missed: int, unbuilt: int, *, flagged: bool
) -> None:
    outcomes = [TrialOutcome.NOTICED] * noticed + [TrialOutcome.MISSED] * missed
    mutants = tuple(
        MutantTrial(file="a.py", line=line, kind="constant", before="1", after="2", outcome=outcome)
        for line, outcome in enumerate([*outcomes, *[TrialOutcome.UNBUILT] * unbuilt], 1)
    )
    flags = [finding.flag for finding in weak_flags(Weakness(mutants=mutants))]
    assert flags == ([QualityFlag.WEAK_MUTANT] if flagged else [])


def test_the_sandbox_of_tests_reaches_nothing(tmp_path: Path) -> None:
    assert not network_reached(bubblewrap(), tmp_path)


def test_commits_of_a_tree(tmp_path: Path) -> None:
    repository(tmp_path / "clone")
    assert commits_in(tmp_path / "clone") == 1
    assert commits_in(write_files(tmp_path / "plain", BASE)) == 0


@dataclass
class Pages:
    """An index with one project."""

    uploads: dict[str, datetime]

    def project_page(self, name: str, *, at: datetime | None = None) -> ProjectPage:
        files = tuple(
            IndexFile(
                filename=f"{name}-{version}.tar.gz",
                url="",
                version=version,
                upload_time=uploaded,
                hashes=(),
                requires_python=None,
                size_bytes=None,
                yanked=False,
                yanked_reason=None,
                has_metadata=False,
            )
            for version, uploaded in self.uploads.items()
        )
        fetched = at or datetime.now(UTC)
        return ProjectPage(
            name=name, exists=True, files=files, hidden_files=0, fetched_at=fetched, upstream=""
        )


def test_a_release_with_the_fix(tmp_path: Path) -> None:
    tree = write_files(tmp_path, {"pyproject.toml": '[project]\nname = "My.Shop"\n'})
    task = issue_task(CODE, TESTS)
    names = own_distributions(task, tree)
    assert names == ("my-shop",)
    instant = task.environment.instant
    index = Pages({str(days): instant + timedelta(days=days) for days in (-9, -3, 1)})
    merged = [instant + timedelta(days=days) for days in (-4, 2)]
    leaked, clean = (
        fix_releases(task, IssueFacts(origin="issue", title="", text="", merged=when), names, index)
        for when in merged
    )
    assert [release.version for release in leaked.releases] == ["-3"]
    assert (clean.looked_at, clean.releases) == (3, ())
    undated = IssueFacts(origin="issue", title="", text="")
    assert fix_releases(task, undated, names, index) is None


def test_tasks_that_ask_for_the_same() -> None:
    long = (
        "Totals are wrong when there is a refund among the prices of a shop, since nobody looks at the sign."
    )
    first = issue_task(CODE, TESTS, text=long)
    moved = {f"store/{path.partition('/')[2]}": text for path, text in BASE.items()}
    renamed = {"store/prices.py": CODE["shop/prices.py"]}
    copy = replace(
        issue_task(renamed, {}, text="Other words.", base=moved),
        instance_id="copy",
        source=replace(first.source, name="other/copy"),
    )
    same_change = replace(first, instance_id="as-a-pull")
    twin = replace(
        issue_task({"a.py": "x = 1\n"}, {}, text=long.upper()),
        instance_id="twin",
        source=replace(first.source, revision="f" * 40),
    )
    found = duplicates_of([first, copy, same_change, twin, make_task()])
    words = {name: [each.words for each in evidence] for name, evidence in found.items()}
    one = first.instance_id
    assert words["copy"] == [f"the same patch as as-a-pull, {one}"]
    assert words["twin"] == [f"the same text as as-a-pull, {one}"]
    assert words[one] == ["the same text as twin", "the same patch as copy"]


def test_tasks_that_ask_for_nearly_the_same() -> None:
    long = (
        "Totals are wrong when there is a refund among the prices of a shop, since nobody looks at the sign."
    )
    first = issue_task(CODE, {}, text=long)
    prices = CODE["shop/prices.py"]
    assert "total" in prices
    elsewhere = replace(first.source, name="other/shop", revision="e" * 40)
    reworded = replace(
        issue_task({"a.py": "x = 1\n"}, {}, text=long.replace("shop", "store")),
        instance_id="reworded",
        source=elsewhere,
    )
    template = replace(reworded, instance_id="template", source=replace(elsewhere, name=first.source.name))
    backport = replace(
        issue_task({"shop/prices.py": f"{prices}\nLIMIT = 3\n"}, {}, text="Other words."),
        instance_id="backport",
        source=replace(first.source, revision="d" * 40),
    )
    unlike = replace(
        issue_task({"b.py": "y = 2\n"}, {}, text=" ".join(reversed(long.split()))),
        instance_id="unlike",
        source=replace(elsewhere, name="other/else"),
    )
    found = duplicates_of([first, reworded, template, backport, unlike])
    words = {name: [each.words for each in evidence] for name, evidence in found.items()}
    one = first.instance_id
    assert set(words) == {one, "reworded", "template", "backport"}
    assert words["backport"][0].startswith(f"nearly the same patch as {one} (")
    (alike,) = words["reworded"][1:] or words["reworded"]
    assert "template" in words["reworded"][0]
    assert alike.startswith(f"nearly the same text as {one} (")
    assert not any("nearly" in each for each in words["template"])


@given(
    st.dictionaries(st.text("abc", min_size=1), st.frozensets(st.integers(0, 12), max_size=10), max_size=12),
    st.sampled_from([0.3, 0.5, 0.7, 0.8, 1.0]),
)
@example({"a": frozenset(range(10)), "b": frozenset(range(3, 10))}, 0.7)
def test_no_two_sets_that_are_alike_are_missed(sets: dict[str, frozenset[int]], least: float) -> None:
    expected = {
        frozenset(pair)
        for pair in combinations(sets, 2)
        if sets[pair[0]] | sets[pair[1]]
        and len(sets[pair[0]] & sets[pair[1]]) / len(sets[pair[0]] | sets[pair[1]]) >= least
    }
    assert {frozenset(pair[:2]) for pair in alike_pairs(sets, least)} == expected


def test_the_flag_of_a_duplicate_comes_and_goes() -> None:
    task = with_quality(issue_task(CODE, TESTS), TaskQuality(backdate="1"))
    (evidence,) = duplicates_of(
        [replace(task, instance_id="x", source=replace(task.source, name="o/x")), task]
    )["x"]
    flagged = with_duplicates(task, (evidence,))
    assert [finding.flag for finding in flagged.facts.quality.flags] == [QualityFlag.DUPLICATE]
    assert with_duplicates(flagged, ()) == task
