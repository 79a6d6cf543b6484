"""The reference is complete: every command, option, public name and field of a result says what it means."""

from __future__ import annotations

import importlib.util
import inspect
import re
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest
from doc_blocks import ROOT

import backdate

EXTENSIONS = ROOT / "docs" / "_extensions"
TERMS = (
    "benchmark",
    "breakage",
    "build dependency",
    "cap",
    "check",
    "collection error",
    "culprit",
    "declared, lifted",
    "distribution",
    "environment",
    "fail-to-pass, pass-to-pass",
    "flaky, time-bound",
    "gold patch",
    "instant",
    "lock",
    "lower bound",
    "marker",
    "node id",
    "outcome",
    "package",
    "recipe",
    "requirement",
    "sandbox",
    "sdist",
    "session",
    "set-up",
    "snippet",
    "solver",
    "specifier",
    "task",
    "unpinning",
    "verdict",
    "wheel",
    "yanked",
)
"""Words that users meet in what commands print and in the pages, each of which means one thing."""


def extension(name: str) -> ModuleType:
    """One of Sphinx's extensions of ours."""
    specification = importlib.util.spec_from_file_location(name, EXTENSIONS / f"{name}.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module  # dataclasses look there for the names of annotations
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def fields() -> dict[str, list[object]]:
    return extension("field_reference").all_fields()  # type: ignore[no-any-return]


def test_every_field_of_a_result_has_a_meaning(fields) -> None:
    silent = [
        f"{entry.type_name}.{entry.name}"
        for entries in fields.values()
        for entry in entries
        if not entry.meaning
    ]
    assert silent == [], "write a docstring, or a line in docs/_extensions/field_meanings.toml"


def test_no_meaning_is_written_twice_or_for_nothing(fields) -> None:
    meanings = tomllib.loads((EXTENSIONS / "field_meanings.toml").read_text())
    entries = [entry for of_type in fields.values() for entry in of_type]
    written = {(kind, name) for kind, names in meanings["classes"].items() for name in names}
    assert written == {(entry.type_name, entry.name) for entry in entries if entry.told_by == "classes"}
    assert meanings["common"].keys() == {entry.name for entry in entries if entry.told_by == "common"}


def test_results_that_are_exported_have_their_fields(fields) -> None:
    for name in (
        "CheckAnswers",
        "CheckResult",
        "BisectResult",
        "SetupResult",
        "EnvironmentResult",
        "SuiteRun",
    ):
        assert name in fields
    assert {
        "Breakage",
        "Comparison",
        "Culprit",
        "Finding",
        "Lock",
        "NeededCap",
        "PackageChange",
    } <= fields.keys()


def test_every_public_name_has_an_entry_with_a_meaning() -> None:
    reference = extension("library_reference").library_reference()
    for name in backdate.__all__:
        value = getattr(backdate, name)
        assert re.search(rf":: {re.escape(value.__module__)}\.{name}$|^`{name}`: ", reference, re.MULTILINE)
        own = value.__module__.startswith("backdate.")
        assert not own or inspect.getdoc(value), f"{name} has no docstring"
        if inspect.isclass(value) and own:
            for method, function in inspect.getmembers(value, inspect.isfunction):
                public = not method.startswith("_") and function.__module__.startswith("backdate.")
                assert not public or inspect.getdoc(function), f"{name}.{method} has no docstring"


def test_every_row_of_the_commands_has_two_cells_and_a_meaning() -> None:
    reference = extension("command_reference").command_reference()
    rows = [line for line in reference.splitlines() if line.startswith("| `")]
    assert len(rows) > 200
    for row in rows:
        cells = re.split(r"(?<!\\)\|", row)
        assert len(cells) == 4, row
        assert len(cells[2].strip()) > 3, row


def test_options_in_texts_are_code() -> None:
    reference = extension("command_reference").command_reference()
    for line in reference.splitlines():
        if not line.startswith("    "):
            without_code = re.sub(r"`[^`]*`", "", line)
            assert not re.search(r"(?<![\w\\-])--[a-z]", without_code), line


def test_the_glossary_has_the_words_that_users_meet() -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    terms = re.findall(r"^(\S.*)\n  \S", glossary, re.MULTILINE)
    assert set(TERMS) - set(terms) == set()
    assert terms == sorted(terms, key=str.casefold), "in the order of the alphabet"


def test_the_readme_stays_short() -> None:
    readme = (ROOT / "README.md").read_text()
    assert len(readme.splitlines()) < 120
    for way in ("uvx", "pipx install", "pip install ."):
        assert way in readme


def test_pictures_are_small_and_shown_and_every_shown_one_exists() -> None:
    pages = [ROOT / "README.md", *Path(ROOT, "docs").rglob("*.md")]
    shown = {
        name for page in pages for name in re.findall(r"pictures/([\w.-]+\.(?:png|svg))", page.read_text())
    }
    pictures = {picture.name: picture.stat().st_size for picture in Path(ROOT, "docs", "pictures").iterdir()}
    assert shown == set(pictures)
    assert {name: size for name, size in pictures.items() if size > 150_000} == {}
    assert sum(pictures.values()) <= 1_000_000
