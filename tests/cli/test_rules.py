"""``backdate rules``: what is listed and shown, and reading releases of a local index."""

from __future__ import annotations

import re

import pytest
from small_world import running_index

from backdate.cli import exit_codes
from backdate.cli.main import status_of
from backdate.knowledge.change_rows import ChangesFile
from backdate.knowledge.load import read_table

WARNS = """\
import warnings
def prod(x): return x
def product(x):
    warnings.warn("product is deprecated, use `prod` instead", DeprecationWarning, stacklevel=2)
"""
RELEASES = [
    ("lib", "1.0", "2020-01-01T00:00:00Z", "def prod(x): return x\ndef product(x): return x\n"),
    ("lib", "1.1", "2020-06-01T00:00:00Z", WARNS),
    ("lib", "2.0", "2021-01-01T00:00:00Z", "def prod(x): return x\n"),
]


def test_all_are_counted_and_those_of_one_listed(capsys) -> None:
    assert status_of(["rules", "list"]) == exit_codes.OK
    counted = capsys.readouterr().out
    assert "numpy: " in counted
    assert re.search(r"^all: \d+ rules are proven, \d+ of them mined \(\d+%\)$", counted, re.MULTILINE)
    assert status_of(["rules", "list", "NumPy"]) == exit_codes.OK
    assert "numpy:numpy.product: numpy.product becomes numpy.prod (since 2.0, mined)" in (
        capsys.readouterr().out
    )


def test_a_rule_says_who_says_so(capsys) -> None:
    assert status_of(["rules", "show", "numpy.product"]) == exit_codes.OK
    shown = capsys.readouterr().out
    assert "https://pypi.org/project/numpy/" in shown
    assert "Please use `prod` instead." in shown


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["list", "nosuch"], "there are no rules for nosuch"),
        (["show", "nosuch.name"], "no rule is called nosuch.name"),
        (["prove", "nosuch.toml"], "nosuch.toml is not a file"),
    ],
)
def test_what_there_is_not_is_told(arguments, told, capsys, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert status_of(["rules", *arguments]) == exit_codes.MISUSE
    assert told in capsys.readouterr().err


def test_releases_are_mined_into_rows_that_are_off(capsys, tmp_path) -> None:
    output = tmp_path / "lib.toml"
    bounds = ("--from", "1.0", "--to", "2022-01-01")
    with running_index(RELEASES) as address:
        words = ("--index-url", address, "--cache", str(tmp_path / "cache"), "-o", str(output))
        assert status_of(["rules", "mine", "lib", *bounds, *words]) == exit_codes.OK
    assert "1 announcements in 3 releases (1.0 to 2.0)" in capsys.readouterr().out
    (row,) = read_table(output, ChangesFile).change
    assert (row.since, row.module, row.names) == ("2.0", "lib", {"product": "lib.prod"})
    assert row.unproven
    with running_index(RELEASES) as address:
        words = ("--index-url", address, "--cache", str(tmp_path / "cache"), "-o", str(output))
        none = ("--from", "3.0", "--to", "4.0")
        assert status_of(["rules", "mine", "lib", *none, *words]) == exit_codes.MISUSE
    assert "no release of lib between 3.0 and 4.0" in capsys.readouterr().err


def test_several_packages_have_a_file_each(capsys, tmp_path) -> None:
    others = [("other", version, at, text) for _, version, at, text in RELEASES]
    bounds = ("--from", "1.0", "--to", "2022-01-01")
    with running_index([*RELEASES, *others]) as address:
        words = ("--index-url", address, "--cache", str(tmp_path / "cache"), "-o", str(tmp_path / "r.toml"))
        assert status_of(["rules", "mine", "lib", "Other", *bounds, *words]) == exit_codes.OK
    for package in ("lib", "other"):
        (row,) = read_table(tmp_path / f"r-{package}.toml", ChangesFile).change
        assert row.names == {"product": f"{package}.prod"}
    assert "other: 1 announcements" in capsys.readouterr().out
