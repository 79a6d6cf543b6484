"""CodeMEnv's rows, normalised and flagged."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import SourceError, StoredDataError, UsageError
from backdate.index.upstream import IndexClient
from backdate.serial import from_json, to_json
from backdate.snippets.codemenv import read_rows, snippet_of
from backdate.snippets.importing import _read
from backdate.snippets.snippet import ApiChangeKind, Collection, Snippet, SnippetAsk

FUNCTION = "def f(a):\n    return math.gcd(a, 2)"
ROW = {
    "code_id": "abc",
    "package": "math",
    "import": "import math",
    "solution_function": FUNCTION,
    "solution_signature": "f(a: int) -> int",
    "problem": "What it does.",
    "signature": "math.gcd(*integers)",
    "update": "New in version 3.5.",
    "update_type": "Added",
    "origin_version": "3.10",
    "compare_version": "3.8",
    "case": "case1: 1",
    "solution_function_script": f"```python\nimport math\n\n{FUNCTION}\n\ntest_data = [1, 2, 3]\n"
    "for a in test_data:\n    try:\n        print(f(a))\n    except Exception as e:\n        print(e)\n```",
    "message": "1\n2\n1\n",
}


def no_listing(name: str) -> tuple[()]:
    raise SourceError(f"{name} is asked for")


def snippet(**changed: Any) -> Snippet:
    row = {name: value for name, value in (ROW | changed).items() if value is not None}
    return snippet_of(json.dumps(row).encode(), no_listing)


def test_a_row_is_normalised() -> None:
    made = snippet()
    assert (made.id, made.collection, made.library) == (
        "codemenv-easy-abc",
        Collection.CODEMENV_EASY,
        "python",
    )
    assert made.origin is not None
    assert made.target is not None
    assert (made.origin.python, made.target.python) == ("3.10", "3.8")
    assert (made.entry, len(made.harness.cases), made.flags) == ("f", 3, ())
    (api,) = made.apis
    assert (api.name, api.change, api.version) == ("math.gcd", ApiChangeKind.ADDED, "3.10")
    assert made.published["case"] == "case1: 1"


@pytest.mark.parametrize(
    ("spelled", "version"), [("tensorflow2.0", "2.0"), ("2.0.0", "2.0.0"), (" 1.15", "1.15")]
)
def test_spellings_of_versions(spelled: str, version: str) -> None:
    made = snippet(package="tensorflow", origin_version=spelled, compare_version="1.15")
    assert made.origin is not None
    assert made.origin.version == version
    assert made.origin.requirements


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Add", ApiChangeKind.ADDED),
        ("added", ApiChangeKind.ADDED),
        ("Location Change", ApiChangeKind.MOVED),
        ("Deprecated", ApiChangeKind.REMOVED),
        ("", ApiChangeKind.UNKNOWN),
    ],
)
def test_spellings_of_changes(text: str, kind: ApiChangeKind) -> None:
    assert snippet(update_type=text).apis[0].change is kind


def test_names_are_canonical_by_the_code_s_own_imports_and_by_custom() -> None:
    made = snippet(
        package="numpy",
        origin_version="1.26",
        compare_version="2.0",
        signature="np.asfarray(a, dtype=<class 'numpy.double'>)->numpy.ndarray",
        compare_signature="np.asarray(a)",
        update_type="Deprecated",
    )
    (api,) = made.apis
    assert (api.name, api.replacement, api.version) == ("numpy.asfarray", "numpy.asarray", "2.0")
    assert "api-not-used" in made.flags


def test_hard_rows_list_several_names_without_kind_or_replacement() -> None:
    made = snippet(signature_list=["math.gcd(a)", "math.lcm(a)"], update_list=["one"], update_type=None)
    assert made.collection is Collection.CODEMENV_HARD
    assert [(api.name, api.words, api.change) for api in made.apis] == [
        ("math.gcd", "one", ApiChangeKind.UNKNOWN),
        ("math.lcm", "", ApiChangeKind.UNKNOWN),
    ]


@pytest.mark.parametrize(
    ("changed", "flag"),
    [
        ({"compare_version": "3.10"}, "versions-equal"),
        ({"compare_version": "3.1"}, "version-not-had"),
        ({"message": ""}, "stored-output-missing"),
        ({"problem": None}, "problem-missing"),
        ({"solution_function": None}, "function-missing"),
        ({"solution_function": "def f(a):\n    return 1"}, "function-differs"),
        ({"solution_function_script": None}, "script-missing"),
        ({"signature": "(nothing)"}, "api-unnamed"),
        ({"compare_signature": "math.other(x)"}, "replacement-as-addition"),
    ],
)
def test_what_is_odd_about_a_row_is_a_flag(changed: dict[str, Any], flag: str) -> None:
    assert flag in snippet(**changed).flags


def test_java_rows_have_neither_versions_nor_cases() -> None:
    row = {
        "java_code": "public class A {}",
        "class_name": "A",
        "signature": "com.sun.B",
        "update_type": "Deprecated",
        "code_id": "x/../y",
    }
    made = snippet_of(json.dumps(row).encode(), no_listing)
    assert (made.collection, made.origin, made.target, made.id) == (
        Collection.CODEMENV_JAVA,
        None,
        None,
        "codemenv-java-x-y",
    )
    assert SnippetAsk.MIGRATE not in made.asks


@pytest.mark.parametrize(
    "changed",
    [
        {"origin_version": "latest"},
        {"package": "", "signature": ""},
        {"package": 7},
        {"signature_list": 7},
        {"origin_version": True},
        {"solution_function": None, "solution_function_script": None},
    ],
)
def test_a_row_of_which_nothing_can_be_made_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(StoredDataError):
        snippet(**changed)


def test_bad_rows_are_named_and_repeated_ids_are_told_apart(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    line = json.dumps(ROW)
    file.write_text("\n".join((line, "{", line, json.dumps(ROW | {"package": "no-such"}), "[" * 10000, "")))
    imported = read_rows((file,), no_listing)
    assert [made.id for made in imported.snippets] == ["codemenv-easy-abc", "codemenv-easy-abc-2"]
    assert [row.name for row in imported.refused] == [f"rows.jsonl, line {number}" for number in (2, 4, 5)]
    (tmp_path / "none.jsonl").write_text("")
    with pytest.raises(UsageError):
        read_rows((tmp_path / "none.jsonl",), no_listing)


ABSENT = sorted(name for name in ROW if name not in ("origin_version", "compare_version", "package"))


@pytest.mark.parametrize("column", [*ABSENT, "compare_signature", "signature_list", "update_list"])
def test_a_column_that_is_null_is_an_absent_one(column: str) -> None:
    made = snippet_of(json.dumps(ROW | {column: None}).encode(), no_listing)
    absent = snippet_of(json.dumps({k: v for k, v in ROW.items() if k != column}).encode(), no_listing)
    assert made.flags == absent.flags
    assert (made.apis, made.harness, made.code) == (absent.apis, absent.harness, absent.code)


@pytest.mark.parametrize(
    ("written", "version"),
    [
        ("3.10", "3.10"),
        ('"python 3.10"', "3.10"),
        ('"Python3-3.10"', "3.10"),
        ('"v3.10"', "3.10"),
        ('"3.10.x"', "3.10"),
        ("2", "2"),
        ('"python2"', "2"),
    ],
)
def test_a_version_is_read_as_it_is_written(written: str, version: str) -> None:
    line = json.dumps(ROW | {"origin_version": "@"}).replace('"@"', written)
    made = snippet_of(line.encode(), no_listing)
    assert made.origin is not None
    assert made.origin.version == version
    assert made.origin.python == ("2.7" if version == "2" else version)
    assert not made.origin.not_had


@pytest.mark.parametrize(
    ("spelled", "kind"),
    [
        ("Removed", ApiChangeKind.REMOVED),
        ("New", ApiChangeKind.ADDED),
        ("addition", ApiChangeKind.ADDED),
        ("location_change", ApiChangeKind.MOVED),
        ("Renamed", ApiChangeKind.MOVED),
        ("Signature Change", ApiChangeKind.SIGNATURE),
    ],
)
def test_kinds_that_the_given_rows_do_not_spell(spelled: str, kind: ApiChangeKind) -> None:
    assert snippet(update_type=spelled).apis[0].change is kind


def test_without_a_package_it_is_that_of_the_first_name() -> None:
    assert snippet(package=None).library == "python"
    assert snippet(package=None, signature="callable(x)").library == "python"
    with pytest.raises(SourceError, match="numpy"):
        snippet(package=None, signature="np.float(x)")


def test_a_list_may_be_written_as_text_and_half_a_character_is_a_question_mark() -> None:
    made = snippet(signature_list="['math.gcd(a)', 'math.lcm(a)']", problem="\ud800 What")
    assert [api.name for api in made.apis] == ["math.gcd", "math.lcm"]
    assert made.problem == "? What"


def test_rows_in_one_list_or_after_a_damaged_one_or_below_the_folder_are_found(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "easy.json").write_text(json.dumps([ROW, ROW | {"code_id": "b"}, 7], indent=1))
    (tmp_path / "data" / "hard.jsonl").write_text("{damaged\n" + json.dumps(ROW | {"code_id": "c"}) + "\n")
    (tmp_path / "data" / "card.json").write_text("{}")
    imported = _read(tmp_path, IndexClient(offline=True))
    assert [made.id[-3:] for made in imported.snippets] == ["abc", "y-b", "y-c"]
    assert [row.name for row in imported.refused] == ["easy.json, row 3", "hard.jsonl, line 1"]


TEXTS = st.sampled_from(
    ["", "x", "```python\n", "~~~", "0", "3.12", "def f(:", "\x00", "é", "for", "[]", "{"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=2),
    max_leaves=4,
)


@given(columns=st.dictionaries(st.sampled_from([*ROW, "signature_list", "java_code"]), VALUES, max_size=4))
def test_whatever_columns_hold_a_row_is_read_or_refused(columns: dict[str, Any]) -> None:
    try:
        made = snippet_of(json.dumps(ROW | columns).encode(), no_listing)
    except (StoredDataError, SourceError):
        return
    assert from_json(Snippet, to_json(made)) == made


@pytest.mark.shared
def test_all_published_rows_are_read(shared_data: Path) -> None:
    files = tuple(sorted((shared_data / "codemenv").glob("*.jsonl")))
    imported = read_rows(files, no_listing)
    assert not imported.refused
    assert Counter(made.collection for made in imported.snippets) == {
        Collection.CODEMENV_EASY: 193,
        Collection.CODEMENV_HARD: 97,
        Collection.CODEMENV_JAVA: 166,
    }
    python = [made for made in imported.snippets if made.origin is not None]
    assert sum(len(made.harness.cases) == 3 for made in python) == 284
    assert not any("harness-as-script" in made.flags for made in python)
    assert sum("version-not-had" in made.flags for made in python) == 44
