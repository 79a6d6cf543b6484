"""A constructed library and its user: from two releases to proven snippets, end to end."""

from __future__ import annotations

import json
from typing import Any

import pytest
from scripted_model import Say, ScriptedModel
from small_world import running_index

from backdate.checking.settings import Settings
from backdate.cli import exit_codes
from backdate.cli.main import status_of
from backdate.construction.snippet.build import build_snippets
from backdate.construction.snippet.plan import make_plan, release_of
from backdate.construction.snippet.proving import SnippetProver
from backdate.construction.snippet.reasons import SnippetReason
from backdate.errors import UsageError
from backdate.projects.sources.listing import fetch_listing
from backdate.session import Session
from backdate.snippets.dataset import SnippetDataset
from backdate.snippets.snippet import Collection, ValidityClass
from backdate.timeline.calendar import settled_since

OLD = '''\
"""A library."""
import warnings

def summed(values, start=0):
    return sum(values, start)

def total(values, start=0):
    """Add up.

    >>> import lib
    >>> lib.total([1, 2, 3], 4)
    10
    """
    warnings.warn("total is deprecated, use `summed` instead", DeprecationWarning, stacklevel=2)
    return sum(values, start)

def scaled(values, by):
    return [value * by for value in values]

def same(values):
    """Nothing changes about it.

    >>> import lib
    >>> lib.same([1, 2])
    [1, 2]
    """
    return list(values)
'''
NEW = '''\
"""A library."""

def summed(values, start=0):
    return sum(values, start)

def scaled(values, *, by):
    return [value * by for value in values]

def same(values):
    return list(values)
'''
USER = """\
import os
import lib

FACTOR = 3

def grown(values: list):
    return lib.scaled(values, FACTOR)

def listed(path):
    return lib.total(os.listdir(path))

def mean(values: list):
    '''The mean.'''
    return lib.total(values) / len(values)
"""
RELEASES = [
    ("pip", "23.0", "2023-01-01T00:00:00Z", ""),
    ("setuptools", "65.0", "2023-01-01T00:00:00Z", ""),
    ("lib", "1.0", "2023-06-01T00:00:00Z", OLD),
    ("lib", "2.0", "2024-01-01T00:00:00Z", NEW),
    ("user", "1.0", "2023-05-01T00:00:00Z", USER),
    ("closed", "1.0", "2023-05-01T00:00:00Z", USER),
]
LICENCES = {"lib": "MIT", "user": "BSD-3-Clause", "closed": "GPLv3"}


@pytest.mark.slow
def test_snippets_are_drawn_proven_and_kept(tmp_path, monkeypatch) -> None:
    with running_index(RELEASES, licences=LICENCES) as address:
        settings = Settings(cache=tmp_path / "cache", index_url=address)
        with Session(settings) as session:
            plan = make_plan(
                "lib",
                "previous",
                "latest",
                lambda name: fetch_listing(session.index, name),
                usages_from=("user", "closed", "absent"),
            )
            assert (plan.origin.version, plan.target.version) == ("1.0", "2.0")
            built = build_snippets(session, plan, tmp_path / "set.build")
            monkeypatch.setattr(SnippetProver, "prove", _not_asked)
            again = build_snippets(session, plan, tmp_path / "set.build")
    assert again == built
    assert {snippet.entry for snippet in built.snippets} == {"mean", "grown", "total_example"}
    for snippet in built.snippets:
        assert snippet.collection is Collection.BUILT
        assert snippet.validity is not None
        assert snippet.validity.found is ValidityClass.CONFIRMED_BY_RUNNING
        assert len(snippet.harness.cases) == len(snippet.expected) == 3
        assert snippet.code != snippet.reference
    by_entry = {snippet.entry: snippet for snippet in built.snippets}
    mean, grown, example = (by_entry[entry] for entry in ("mean", "grown", "total_example"))
    assert "lib.summed(values)" in mean.reference
    assert (mean.apis[0].name, mean.apis[0].replacement) == ("lib.total", "lib.summed")
    assert mean.published["source"] == "user 1.0, user/__init__.py:12"
    assert mean.published["licence"] == "BSD-3-Clause"
    assert "lib.scaled(values, by=FACTOR)" in grown.reference
    assert example.expected[0].value == "10"
    assert example.published["source"].startswith("lib 1.0, ")
    counts = {one.reason: one.count for one in built.funnel.dropped}
    assert counts[SnippetReason.REACHES_OUTSIDE] == 1
    assert (built.funnel.archives, built.funnel.archives_refused) == (4, 2)  # closed and absent
    assert built.funnel.kept == len(built.snippets)


def _not_asked(*_: object) -> object:
    raise AssertionError("what is known is run again")


@pytest.mark.parametrize(
    ("first", "last", "origin", "target"),
    [("3.8", "3.12", "3.8", "3.12"), ("previous", "3.10", "3.9", "3.10"), ("2.7", "3.13", "2.7", "3.13")],
)
def test_the_standard_library_is_built_for_between_interpreters(first, last, origin, target) -> None:
    plan = make_plan("python", first, last, lambda name: (), usages_from=("user",))
    assert (plan.origin.python, plan.target.python) == (origin, target)
    assert plan.origin.requirements == plan.target.requirements == ()
    assert plan.usages_before == (settled_since(origin))
    assert str(release_of(plan.origin)) == origin


def test_the_standard_library_is_refused_with_requirements_or_without_an_interpreter() -> None:
    with pytest.raises(UsageError, match="--with"):
        make_plan("python", "3.8", "3.12", lambda name: (), usages_from=("user",), companions=("numpy",))
    with pytest.raises(UsageError, match="cannot be had"):
        make_plan("python", "3.4", "3.12", lambda name: (), usages_from=("user",))


def test_both_sides_have_the_interpreter_that_is_asked_for(tmp_path) -> None:
    with running_index(RELEASES) as address:
        settings = Settings(cache=tmp_path / "cache", index_url=address)
        with settings.open_index(settings.open_cache()) as index:
            plan = make_plan("lib", "1.0", "2.0", lambda name: fetch_listing(index, name), python="3.9")
            assert (plan.origin.python, plan.target.python) == ("3.9", "3.9")
            for wrong in ("3", "3.4", "three", "3.9; x"):
                with pytest.raises(UsageError, match="--python"):
                    make_plan("lib", "1.0", "2.0", lambda name: fetch_listing(index, name), python=wrong)
    with pytest.raises(UsageError, match="--python"):
        make_plan("python", "3.8", "3.12", lambda name: (), usages_from=("user",), python="3.9")


@pytest.mark.parametrize(
    ("library", "first", "last", "said"),
    [
        ("python", "3.9", "3.12", "no sdists"),
        ("lib", "3.0", "latest", "lib 3.0"),
        ("lib", "previous", "1.0", "comes before 1.0"),
        ("python", "previous", "3.6", "name distributions"),
    ],
)
def test_what_cannot_be_built_is_refused(library, first, last, said, tmp_path) -> None:
    with running_index(RELEASES) as address:
        settings = Settings(cache=tmp_path / "cache", index_url=address)
        with settings.open_index(settings.open_cache()) as index, pytest.raises(UsageError, match=said):
            make_plan(library, first, last, lambda name: fetch_listing(index, name))


@pytest.mark.slow
def test_the_command_writes_a_data_set_and_its_funnel(tmp_path, capsys) -> None:
    names = tmp_path / "names.txt"
    names.write_text("user  # uses it\n\nclosed\n")
    with running_index(RELEASES, licences=LICENCES) as address:
        where = ("--index-url", address, "--cache", str(tmp_path / "cache"))
        words = ("--package", "lib", "--from", "1.0", "--usages-from", str(names), *where)
        assert status_of(["snippets", "build", *words, "-o", str(tmp_path / "set")]) == exit_codes.OK
    told = capsys.readouterr().out
    assert "3 proven, of 2 names" in told
    assert "1 needs files, processes, clocks or the network" in told
    dataset = SnippetDataset.open(tmp_path / "set")
    assert {snippet.id for snippet in dataset.snippets} == {
        "lib-lib.total-1",
        "lib-lib.total-2",
        "lib-lib.scaled-1",
    }
    assert (tmp_path / "set.build" / "funnel.json").is_file()


@pytest.mark.slow
def test_a_model_writes_what_was_not_found(tmp_path, capsys) -> None:
    def reply(body: dict[str, Any]) -> Say:
        code = "import lib\n\ndef f(values):\n    return lib.total(values)\n"
        wanted = "Changed: lib.total\n" in body["messages"][1]["content"]
        repaired = len(body["messages"]) > 2
        cases = ["([1],)", "([2],)", "([3],)"] if repaired else []
        return Say(json.dumps({"function": "f", "code": code, "cases": cases}) if wanted else "no")

    releases = [release for release in RELEASES if release[0] not in ("user", "closed")]
    releases[2] = (*releases[2][:3], OLD.replace(">>> lib.total([1, 2, 3], 4)", ""))
    with running_index(releases, licences=LICENCES) as address, ScriptedModel(reply) as server:
        where = ("--index-url", address, "--cache", str(tmp_path / "cache"), "-o", str(tmp_path / "set"))
        words = ("--package", "lib", "--from", "1.0", "--model", server.endpoint().specification)
        assert status_of(["snippets", "build", *words, *where]) == exit_codes.OK
    assert "1 of 1 names by functions that the model wrote" in capsys.readouterr().out
    [snippet] = SnippetDataset.open(tmp_path / "set").snippets
    assert "lib.summed(values)" in snippet.reference
    assert snippet.flags == ("from-model",)
    assert (tmp_path / "set.build" / "model-answers.sqlite").is_file()
