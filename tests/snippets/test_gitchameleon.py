"""Rows in GitChameleon's form, made for these tests: what becomes of them, and what of those that are odd."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement

from backdate.serial import from_json, to_json
from backdate.snippets.gitchameleon import (
    HIDDEN_TESTS_MISSING,
    SOLUTION_MISSING,
    VISIBLE_TEST_MISSING,
    definitions,
    find_rows,
    import_gitchameleon,
)
from backdate.snippets.imported import PROBLEM_MISSING, SnippetImport
from backdate.snippets.pairs import DIFFERENT_PROBLEMS, pairs_of
from backdate.snippets.snippet import ApiChangeKind, Collection, Snippet, SnippetAsk
from backdate.timeline.instants import Instant

HIDDEN = "import yaml\nfrom sample_{id} import total\n\ndef test_total():\n    assert total([1]) == 1\n"


class _Uploads:
    def of(self, requirement: Requirement) -> Instant | None:
        return None if requirement.name == "absent" else datetime(2024, 3, 1, tzinfo=UTC)


def row(**fields: Any) -> dict[str, Any]:
    usual = {
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
    return {**usual, **fields}


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


@pytest.mark.parametrize("nothing", ["", " ", None, "absent"])
def test_what_a_row_lacks_is_a_flag(tmp_path: Path, nothing: str | None) -> None:
    lacking = row(problem=nothing, solution=nothing, test=nothing, name_of_class_or_func=nothing)
    if nothing == "absent":
        lacking = {name: value for name, value in lacking.items() if value != nothing}
    (snippet,) = imported(tmp_path, lacking).snippets
    assert snippet.flags == (VISIBLE_TEST_MISSING, SOLUTION_MISSING, PROBLEM_MISSING)
    assert (snippet.reference, snippet.visible, snippet.apis) == ("", None, ())
    assert not pairs_of([snippet])


@pytest.mark.parametrize("nothing", ["", None, "absent"])
@pytest.mark.parametrize("needed", ["example_id", "python_version", "library", "version", "starting_code"])
def test_a_row_without_what_it_needs_is_refused_by_the_name_of_that(
    tmp_path: Path, needed: str, nothing: str | None
) -> None:
    lacking = row(**{needed: nothing})
    if nothing == "absent":
        del lacking[needed]
    found = imported(tmp_path, json.dumps(lacking), row(example_id="2"))
    assert [snippet.id for snippet in found.snippets] == ["gitchameleon-2"]
    (refused,) = found.refused
    assert (refused.name, refused.why) == ("dataset.jsonl, line 1", f"the row has no {needed}")


def test_a_row_that_no_test_judges_is_refused(tmp_path: Path) -> None:
    found = imported(tmp_path, row(), row(example_id="2", test=None), hidden=False)
    assert [snippet.id for snippet in found.snippets] == ["gitchameleon-1"]
    assert [refused.name for refused in found.refused] == ["2"]


def test_numbers_and_lists_say_what_they_would_as_text(tmp_path: Path) -> None:
    text = json.dumps(row(example_id=7, additional_dependencies=["bar==2", None, "-"]))
    text = text.replace('"3.10"', "3.10").replace('"1.0"', "1.0")
    (tmp_path / "rows.json").write_text(f"[{text}]")
    (snippet,) = import_gitchameleon(tmp_path / "rows.json", _Uploads()).snippets
    assert (snippet.id, snippet.target and snippet.target.python) == ("gitchameleon-7", "3.10")
    assert snippet.target is not None
    assert snippet.target.requirements[:2] == ("Foo_Lib==1.0", "bar==2")


def test_rows_of_an_environment_stay_when_one_names_no_requirement(tmp_path: Path) -> None:
    found = imported(tmp_path, row(), row(example_id="2", extra_dependencies="=="))
    assert [snippet.id for snippet in found.snippets] == ["gitchameleon-1"]
    assert [refused.name for refused in found.refused] == ["dataset.jsonl, line 2"]


def test_rows_without_words_are_not_taken_for_one_problem(tmp_path: Path) -> None:
    rows = row(problem=None), row(example_id="2", version="2.0", problem=None)
    forward, back = pairs_of(imported(tmp_path, *rows).snippets)
    assert forward.flags == back.flags == (PROBLEM_MISSING, DIFFERENT_PROBLEMS)


TEXTS = st.sampled_from(
    [
        "",
        "-",
        "x",
        "1.0",
        "3.9",
        "9.9",
        "def f(:",
        "import é\n",
        "\x00",
        "\ud800",
        "a==1 b>2",
        "x[",
        "a @ b:c",
    ]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)


@given(
    columns=st.dictionaries(st.sampled_from(sorted(row())), VALUES, max_size=5),
    absent=st.sets(st.sampled_from(sorted(row())), max_size=3),
    listed=st.booleans(),
)
def test_whatever_columns_hold_a_row_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, columns: dict[str, Any], absent: set[str], listed: bool
) -> None:
    odd = {name: value for name, value in row(**columns).items() if name not in absent}
    text = json.dumps([odd, row(example_id="2")]) if listed else f"{json.dumps(odd)}\n{json.dumps(row())}"
    file = tmp_path_factory.mktemp("rows") / "dataset.jsonl"
    file.write_text(text)
    assert find_rows(file) == file
    found = import_gitchameleon(file, _Uploads())
    assert len(found.snippets) + len(found.refused) == 2
    for snippet in (*found.snippets, *pairs_of(found.snippets)):
        assert from_json(Snippet, to_json(snippet)) == snippet


def test_what_begins_at_the_top_is_found_in_code_that_ends_inside() -> None:
    code = (
        "async def first():\n    def inner(): pass\nclass Second(A):\n    def third(self):\n        return ["
    )
    assert definitions(code) == ("first", "Second")


def test_two_versions_of_a_function_are_a_pair_each_way(tmp_path: Path) -> None:
    first, second = imported(
        tmp_path, row(), row(example_id="2", version="2.0", solution="sum(numbers)")
    ).snippets
    forward, back = pairs_of((first, second))
    assert (forward.id, back.id) == ("gitchameleon-1-to-2", "gitchameleon-2-to-1")
    assert forward.asks == (SnippetAsk.MIGRATE,)
    assert (forward.origin, forward.target) == (first.target, second.target)
    assert (forward.code, forward.reference) == (first.reference, second.reference)
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
