"""Datasets of texts, which h5py reads as bytes since 3.0."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

from backdate.advising.project_uses import ProjectUses
from backdate.diagnosis.result import Cause, CauseKind
from backdate.editing.spans import apply_edits
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.sources.hdf5_texts import hdf5_texts, names_of_texts, text_reads

STORE = """\
import h5py

TEXT = h5py.special_dtype(vlen=str)


def create(file, n):
    file.create_dataset("names", (0,), dtype=TEXT)
    file.create_dataset("a/groups", (0,), dtype=h5py.string_dtype())
    file.require_dataset("title", data="a title")
    file.create_dataset("values", (0, n), dtype="f8")


def read(file, n):
    names = file["names"]
    values = file["values"]
    names[0] = "a"
    for group in file["groups"]:
        print(group)
    return names[n], list(file["names"]), file["title"].value, values[:], len(names), names.shape
"""
READ = (
    STORE.replace('file["groups"]:', 'file["groups"].asstr()[:]:')
    .replace("return names[n]", "return names.asstr()[n]")
    .replace('list(file["names"])', 'list(file["names"].asstr()[:])')
    .replace('file["title"].value', 'file["title"].asstr()[()]')
)


def test_what_is_created_of_texts_is_read_as_texts() -> None:
    names = set(names_of_texts([ast.parse(STORE)]))
    assert names == {"names", "groups", "title"}
    edits = dict(text_reads(ast.parse(STORE), STORE, names))
    assert apply_edits(STORE, sorted(edits)) == READ
    again = ast.parse(READ)
    assert dict(text_reads(again, READ, names)) == {}


def test_a_variable_that_is_something_else_too_is_left_alone() -> None:
    text = "def f(file):\n    a = file['names']\n    a = [a]\n    return a[0]\n"
    assert dict(text_reads(ast.parse(text), text, {"names"})) == {}
    outside = "a = file['names']\nb = a[0]\n"
    assert dict(text_reads(ast.parse(outside), outside, {"names"})) == {}


def test_only_past_the_release_in_files_that_run_and_may_be_edited(tmp_path: Path) -> None:
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="assert b'a' == 'a'")
    group = FailureGroup(cause=cause, tests=("t",), places=())
    evidence = FixEvidence(
        tree=tmp_path,
        uses=ProjectUses(),
        texts={"store.py": STORE, "broken.py": "def"},
        executed={"store.py": frozenset({1}), "gone.py": frozenset({1})},
        versions={"h5py": ("2.10.0", "3.14.0")},
    )
    (one,) = hdf5_texts(group, evidence)
    assert [edit.text for edit in one.file_edits] == [READ]
    assert [place.line for place in one.places] == [17, 19]
    for without in (
        replace(evidence, executed={}),
        replace(evidence, kept_files=frozenset({"store.py"})),
        replace(evidence, versions={"h5py": ("3.1.0", "3.14.0")}),
    ):
        assert not list(hdf5_texts(group, without))
    other = replace(group, cause=replace(cause, kind=CauseKind.MISSING_MODULE))
    assert not list(hdf5_texts(other, evidence))


def test_what_is_created_of_a_variable_may_be_a_text_where_the_error_is_about_bytes(tmp_path: Path) -> None:
    text = (
        "def store(file, unit, values):\n"
        "    file.create_dataset('unit', data=unit)\n"
        "    file.create_dataset('title', data='a')\n"
        "    file.create_dataset('values', data=list(values))\n"
        "    file.create_dataset('typed', data=values, dtype='f8')\n"
        "def read(file):\n"
        "    return file['unit'][()], file['title'][()], file['values'][()], file['typed'][()]\n"
    )
    cause = Cause(kind=CauseKind.ASSERTION, type="AssertionError", message="assert b'm' == 'm'")
    evidence = FixEvidence(
        tree=tmp_path,
        uses=ProjectUses(),
        texts={"store.py": text},
        executed={"store.py": frozenset({7})},
        versions={"h5py": ("2.10.0", "3.14.0")},
    )
    with_title = text.replace("['title'][()]", "['title'].asstr()[()]")
    with_unit = with_title.replace("['unit'][()]", "['unit'].asstr()[()]")
    for message, texts in ((cause.message, [with_unit, with_title]), ("assert 1 == 2", [with_title])):
        group = FailureGroup(cause=replace(cause, message=message), tests=("t",), places=())
        found = list(hdf5_texts(group, evidence))
        assert [edit.text for one in found for edit in one.file_edits] == texts
