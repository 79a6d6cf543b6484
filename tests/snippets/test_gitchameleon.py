"""Rows in GitChameleon's form, made for these tests: what becomes of them, and what of those that are odd."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

from backdate.snippets.gitchameleon import (
    HIDDEN_TESTS_MISSING,
    definitions,
    find_rows,
    import_gitchameleon,
)
from backdate.snippets.imported import SnippetImport
from backdate.snippets.pairs import DIFFERENT_PROBLEMS, pairs_of
from backdate.snippets.snippet import ApiChangeKind, Collection, SnippetAsk
from backdate.timeline.instants import Instant

HIDDEN = "import yaml\nfrom sample_{id} import total\n\ndef test_total():\n    assert total([1]) == 1\n"


class _Uploads:
    def of(self, requirement: Requirement) -> Instant | None:
        return None if requirement.name == "absent" else datetime(2024, 3, 1, tzinfo=UTC)


def row(**fields: Any) -> dict[str, Any]:
    given = {
        "example_id": "1",
        "python_version": "3.10",
        "library": "Foo_Lib",
        "version": "1.0",
        "problem": "Add the numbers of a list.",
        "starting_code": "import foo\ndef total(numbers):\n    return ",
        "solution": "foo.add(numbers)",
        "test": "assert total([1, 2]) == 3",
        "additional_dependencies": "bar==2 -",
        "type_of_change": "argument change",
        "name_of_class_or_func": "foo.add(numbers)",
        "docs": ["ignored"],
    }
    return {**given, **fields}


def imported(folder: Path, *rows: dict[str, Any] | str, hidden: bool = True) -> SnippetImport:
    dataset = folder / "dataset"
    (dataset / "hidden_tests").mkdir(parents=True)
    lines = [one if isinstance(one, str) else json.dumps(one) for one in rows]
    (dataset / "dataset.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for one in rows:
        if hidden and isinstance(one, dict):
            name = f"test_sample_{one['example_id']}.py"
            (dataset / "hidden_tests" / name).write_text(HIDDEN.format(id=one["example_id"]))
    found = find_rows(folder)
    assert found is not None
    return import_gitchameleon(found, _Uploads())


def test_a_row_becomes_a_completion(tmp_path: Path) -> None:
    (snippet,) = imported(tmp_path, row(extra_dependencies="baz==3 Bar==9")).snippets
    assert (snippet.id, snippet.collection) == ("gitchameleon-1", Collection.GITCHAMELEON)
    assert (snippet.asks, snippet.library, snippet.entry) == ((SnippetAsk.COMPLETE,), "foo-lib", "total")
    assert snippet.reference == "import foo\ndef total(numbers):\n    return foo.add(numbers)"
    assert snippet.harness.module == "sample_1"
    assert snippet.visible is not None
    assert snippet.visible.script == "assert total([1, 2]) == 3"
    assert snippet.apis[0].name == "foo.add"
    assert snippet.apis[0].change is ApiChangeKind.SIGNATURE
    assert snippet.origin is None
    assert not snippet.flags


def test_an_environment_has_the_pins_and_what_is_imported(tmp_path: Path) -> None:
    first, other = imported(tmp_path, row(), row(example_id="2", test="import attr\nassert attr")).snippets
    assert first.target is not None
    assert first.target == other.target
    assert first.target.requirements == (
        *("Foo_Lib==1.0", "bar==2"),
        *("attrs", "foo", "numpy", "pytest", "pyyaml", "scipy"),
    )
    assert first.target.instant == datetime(2024, 3, 15, tzinfo=UTC)


def test_rows_alone_are_judged_by_their_visible_test(tmp_path: Path) -> None:
    found = imported(tmp_path, row(), hidden=False)
    (snippet,) = found.snippets
    assert snippet.flags == (HIDDEN_TESTS_MISSING,)
    assert (snippet.harness.script, snippet.harness.module) == ("assert total([1, 2]) == 3", "")
    assert snippet.visible is None
    assert found.notes


def test_hidden_tests_that_lead_out_are_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("assert 'secret'")
    folder = tmp_path / "given"
    imported(folder, row(), hidden=False)
    (folder / "dataset" / "hidden_tests" / "test_sample_1.py").symlink_to(secret)
    found = find_rows(folder)
    assert found is not None
    (snippet,) = import_gitchameleon(found, _Uploads()).snippets
    assert snippet.flags == (HIDDEN_TESTS_MISSING,)


@pytest.mark.parametrize(
    "odd",
    [
        "not json",
        '{"example_id": "9"}',
        "[" * 3000,
        json.dumps(row(example_id="../../etc")),
        json.dumps(row(example_id="1")),
        json.dumps(row(example_id="9", python_version="three")),
        json.dumps(row(example_id="9", version="1.0;(")),
        json.dumps(row(example_id="9", additional_dependencies="x @ file:///etc ==")),
        json.dumps(row(example_id="9", starting_code=7)),
    ],
)
def test_an_odd_row_is_refused_and_the_others_stay(tmp_path: Path, odd: str) -> None:
    found = imported(tmp_path, row(), odd, row(example_id="2"))
    assert [snippet.id for snippet in found.snippets] == ["gitchameleon-1", "gitchameleon-2"]
    assert [bool(refused.why) for refused in found.refused] == [True]


def test_a_row_whose_pins_are_not_there_says_so(tmp_path: Path) -> None:
    (snippet,) = imported(tmp_path, row(library="absent")).snippets
    assert snippet.target is not None
    assert snippet.target.not_had == "the index has no release of absent==1.0"


def test_other_files_are_not_its_rows(tmp_path: Path) -> None:
    (tmp_path / "dataset.jsonl").write_text('{"repo": "a/b"}\n')
    assert find_rows(tmp_path) is None
    assert find_rows(tmp_path / "nothing") is None


def test_a_solution_that_is_missing_leaves_no_reference(tmp_path: Path) -> None:
    (snippet,) = imported(tmp_path, row(solution="")).snippets
    assert snippet.reference == ""
    assert not pairs_of([snippet])


def test_what_begins_at_the_top_is_found_in_code_that_ends_inside() -> None:
    code = (
        "async def first():\n    def inner(): pass\nclass Second(A):\n    def third(self):\n        return ["
    )
    assert definitions(code) == ("first", "Second")


def test_two_versions_of_a_function_are_a_pair_each_way(tmp_path: Path) -> None:
    given = imported(tmp_path, row(), row(example_id="2", version="2.0", solution="sum(numbers)")).snippets
    forward, back = pairs_of(given)
    assert (forward.id, back.id) == ("gitchameleon-1-to-2", "gitchameleon-2-to-1")
    assert forward.asks == (SnippetAsk.MIGRATE,)
    assert (forward.origin, forward.target) == (given[0].target, given[1].target)
    assert (forward.code, forward.reference) == (given[0].reference, given[1].reference)
    assert forward.target_harness is not None
    assert (forward.harness.module, forward.target_harness.module) == ("sample_1", "sample_2")
    assert not forward.flags


def test_pairs_of_different_problems_are_flagged(tmp_path: Path) -> None:
    draw, sound = "Draw a picture of a horse in blue.", "Play the sound of some distant bells."
    rows = [
        row(example_id=str(number), version=version, problem=problem)
        for number, (version, problem) in enumerate(
            [("1.0", draw), ("1.0", sound), ("2.0", sound.replace("some", "a few")), ("2.0", draw)]
        )
    ]
    found = pairs_of(imported(tmp_path, *rows).snippets)
    assert {pair.id for pair in found if not pair.flags} == {
        *("gitchameleon-0-to-3", "gitchameleon-3-to-0", "gitchameleon-1-to-2", "gitchameleon-2-to-1")
    }
    assert Counter(flag for pair in found for flag in pair.flags) == {DIFFERENT_PROBLEMS: 4}


def test_one_version_makes_no_pair(tmp_path: Path) -> None:
    assert not pairs_of(imported(tmp_path, row(), row(example_id="2")).snippets)
