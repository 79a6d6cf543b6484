"""Every table fits its schema, patterns match their examples, and no row contradicts another."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.errors import StoredDataError
from backdate.knowledge import changes, load, modules
from backdate.knowledge.change_rows import ChangeRow, ChangesFile
from backdate.knowledge.schema import ModulesFile
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.setup_failure import read_failure
from backdate.rewriting.template import is_template, placeholders_of, statement_parts
from backdate.timeline.instants import parse_instant

ROWS = [(file.distribution, row) for file in load.change_files() for row in file.change]


def named(pair: tuple[str, ChangeRow]) -> str:
    """A row as a test's name."""
    return f"{pair[0]}-{pair[1].since}-{next(iter(pair[1].names), pair[1].kind)}"


@pytest.mark.parametrize("pair", ROWS, ids=named)
def test_a_change_is_complete_and_matches_its_messages(pair: tuple[str, ChangeRow]) -> None:
    distribution, row = pair
    Version(row.since)
    assert row.source.startswith("https://")
    assert bool(row.names) == (row.kind not in ("syntax", "behaviour", "value"))
    assert bool(row.owners) >= (row.kind in ("method", "argument", "attribute"))
    assert not row.owners or row.kind not in ("name", "module", "syntax")
    assert row.says or row.kind != "attribute"
    assert bool(row.module) == (row.kind == "name")
    assert bool(row.names or row.says) == (row.kind != "value")
    assert row.edits or row.kind != "value"
    assert row.example or row.unproven or row.kind in ("name", "module")
    for pattern in row.says:
        assert any(re.search(pattern, message) for message in row.messages), pattern
    for message in row.messages:
        assert changes.pattern_of(row).search(message), message
        wording = changes.ChangePattern(distribution="any", row=row).pattern_for(message)
        assert wording is not None, message
        assert wording.search(message), message
    if row.pin:
        assert canonicalize_name(Requirement(row.pin).name) == canonicalize_name(distribution)


def test_what_names_of_a_row_word_is_looked_for_only_beside_one_of_them() -> None:
    messages = [*dict.fromkeys(message for _, row in ROWS for message in row.messages), "", "Error: nothing"]
    known = (*changes.python_changes(), *changes.library_changes(), *changes.build_tool_changes())
    left_out = 0
    for change in known:
        for message in messages:
            wording = change.pattern_for(message)
            found = None if wording is None else wording.search(message)
            whole = change.pattern.search(message)
            assert (found and found.span()) == (whole and whole.span()), (change.row, message)
            left_out += wording is None
    assert left_out > len(messages) * len(known) / 3


def test_messages_as_the_interpreter_words_them() -> None:
    def said(distribution: str, message: str) -> list[str]:
        known = changes.python_changes() if distribution == "python" else changes.library_changes()
        return [str(change.pin) for change in known if change.pattern.search(message)]

    assert said("python", "ImportError: cannot import name 'Mapping' from 'collections'") == ["python<3.10"]
    assert said("python", "AttributeError: module 'collections' has no attribute 'Mapping'") == [
        "python<3.10"
    ]
    assert said("python", "AttributeError: module 'collections' has no attribute 'Mapp'") == []
    assert said("python", "ModuleNotFoundError: No module named 'imp'") == ["python<3.12"]
    assert said("python", "ModuleNotFoundError: No module named 'imp.own'") == []
    assert said("python", "ModuleNotFoundError: No module named 'importer'") == []
    assert said("python", "AttributeError: 'Thread' object has no attribute 'isAlive'") == ["python<3.9"]
    assert said("python", "AttributeError: 'array.array' object has no attribute 'tostring'") == [
        "python<3.9"
    ]


def test_files_are_named_after_their_distributions() -> None:
    names = [file.distribution for file in load.change_files()]
    stems = sorted(file.name.removesuffix(".toml") for file in (load.tables() / "changes").iterdir())
    assert sorted(map(canonicalize_name, names)) == stems


def test_a_module_has_one_row_and_says_why() -> None:
    rows = load.modules().module
    assert [name for name, times in Counter(row.name for row in rows).items() if times > 1] == []
    for row in rows:
        assert bool(row.install) == bool(row.why), row.name
        if row.install:
            assert Requirement(row.install).name in row.distributions, row.name
        assert set(row.builds) <= set(row.distributions[1:]), row.name


def test_whose_a_module_is_and_what_to_install() -> None:
    assert modules.distribution_of("cv2") == "opencv-python"
    assert modules.to_install("cv2") == "opencv-python-headless"
    assert modules.distribution_of("psycopg2.extras") == "psycopg2"
    assert modules.to_install("psycopg2.extras") == "psycopg2-binary"
    assert modules.distribution_of("google.protobuf.message") == "protobuf"
    assert modules.distribution_of("google.cloud") == "google"
    assert modules.requirement_without_index("pkg_resources") == "setuptools<81"
    assert modules.requirement_without_index("dataclasses") == "dataclasses"
    assert modules.requirement_without_index("cv2") is None
    assert modules.main_build("TensorFlow_GPU") == "tensorflow"
    assert modules.main_build("tensorflow") == "tensorflow"


def test_modules_gone_from_the_standard_library_stand_once() -> None:
    gone = [
        name for row in load.python_changes() if row.kind == "module" and not row.added for name in row.names
    ]
    assert len(gone) == len(set(gone))
    assert {"imp", "distutils", "telnetlib", "parser", "urllib2"} <= changes.gone_modules()


@pytest.mark.parametrize("kind", ["fixtures", "options", "markers", "settings"])
def test_nothing_belongs_to_two_plugins(kind: str) -> None:
    times = Counter(name for row in load.pytest_plugins() for name in getattr(row, kind))
    assert [name for name, count in times.items() if count > 1] == []


def test_licences_are_recognised_by_their_examples() -> None:
    rows = load.licences().text
    for row in rows:
        first = next(
            other.name for other in rows if re.search(other.pattern, row.example, re.IGNORECASE | re.DOTALL)
        )
        assert first == row.name
    assert set(load.licences().permissive) == {name.upper() for name in load.licences().permissive}


def test_conda_patterns_compile() -> None:
    assert any(re.fullmatch(pattern, "cudatoolkit") for pattern in load.conda().not_python)
    for pattern in load.conda().not_python:
        re.compile(pattern)


def test_what_does_not_fit_is_named(tmp_path: Path) -> None:
    file = tmp_path / "modules.toml"
    file.write_text('namespaces = ["a"]\naliases = {}\n[[module]]\nname = "x"\ndistribution = ["y"]\n')
    with pytest.raises(StoredDataError, match=r"modules\.toml.*distribution"):
        load.read_table(file, ModulesFile)


@pytest.mark.parametrize(
    "pair", [pair for pair in ROWS if pair[1].edits or pair[1].loosely or pair[1].rewrite], ids=named
)
def test_an_edit_says_one_thing_and_all_of_it(pair: tuple[str, ChangeRow]) -> None:
    _, row = pair
    assert set(row.loosely) <= set(row.names)
    for edit in row.edits:
        keys = [
            edit.name,
            edit.attribute,
            edit.template,
            edit.assigned,
            edit.item,
            edit.argument,
            edit.adds,
            edit.positional,
            edit.coroutines,
            edit.undecorates,
            edit.takes,
            edit.drops,
            edit.at_start,
            edit.base_behind,
            edit.texts,
            edit.defines,
            edit.attributes or edit.body,
        ]
        assert len([key for key in keys if key]) == 1, edit
        assert edit.attributes or edit.body or not edit.within, edit
        assert edit.takes or edit.drops or not edit.methods, edit
        assert bool(edit.value) or not edit.adds, edit
        if edit.defines:
            *imports, function = ast.parse(edit.defines).body
            assert isinstance(function, ast.FunctionDef), edit
            assert {function.name} == {target.rpartition(".")[2] for target in edit.of}, edit
            assert all(isinstance(one, ast.Import | ast.ImportFrom) for one in imports), edit
            assert all(len(one.names) == 1 and one.names[0].asname is None for one in imports), edit
        assert edit.called or edit.template, edit
        assert edit.template or not edit.tested, edit
        assert edit.argument or edit.adds or not edit.beside, edit
        assert edit.item or not edit.then, edit
        assert not edit.item or is_template(edit.item), edit
        assert all(re.compile(pattern) for pattern in edit.beside.values()), edit
        assert edit.template or not (edit.only or edit.keyed or edit.unpacked or edit.drops_arguments), edit
        assert edit.template or not edit.alone, edit
        assert edit.template or edit.assigned or not edit.assigns, edit
        assert ("{owner}" in edit.assigned) == bool(edit.assigned and edit.assigns), edit
        assert set(edit.defaults) <= {*placeholders_of(edit.template), *placeholders_of(edit.context)}, edit
        assert edit.position is None or edit.adds, edit
        assert not edit.template or is_template(statement_parts(edit.template)[1]), edit
        assert all(target.startswith(".") for target in edit.of) or not edit.attribute, edit
    assert all(map(is_template, row.rewrite.values()))


def test_who_looks_for_a_change_that_fits_reads_what_the_text_names_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def reading(distribution: str) -> ChangesFile:
        read.append(distribution)
        return whole(distribution)

    whole = load.change_file
    text = (
        "ImportError: cannot import name 'url_decode' from 'werkzeug.urls' (site-packages/werkzeug/urls.py)"
    )
    failure = read_failure(
        phase="tests", status="completed", texts=(text,), python="3.13.0", instant=parse_instant("2025-07-31")
    )
    classify(failure)  # what is read for any failure, once a process, is read by now
    monkeypatch.setattr(load, "change_file", reading)
    changes._of_library.cache_clear()
    assert classify(failure) is ErrorClass.INCOMPATIBLE_RELEASE
    assert read == ["werkzeug"]
    assert {change.distribution for change in changes.library_changes_of("pillow")} == {"Pillow"}
    assert read == ["werkzeug", "pillow"]
    changes.library_changes.cache_clear()
    known = [change.row for change in changes.library_changes()]
    assert sorted(row.note for row in known) == sorted(c.row.note for c in changes.library_changes_for(text))
    assert len(read) == len(set(read)), "each is read once"
