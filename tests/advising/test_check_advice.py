"""What a check's own errors, and the tables, say to do."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from backdate.advice import EvidenceKind, SourcePlace
from backdate.advising.check_advice import MetError, advice_of_check, advice_of_errors
from backdate.checking.result import Breakage, CheckResult, Comparison, PackageChange, Side, Verdict
from backdate.environments.environment import Interpreter, InterpreterChoice
from backdate.projects.project import Origin
from backdate.recipes.recipe import Provenance, Recipe, SuitePlan
from backdate.testing.outcomes import Frame

DAY = datetime(2024, 1, 1, tzinfo=UTC)


def side(version: str) -> Side:
    path = Path(f"/p/{version}/bin/python")
    interpreter = Interpreter(version=version, executable=path, prefix=path.parent, source="path")
    plan = SuitePlan(runner="pytest", provenance=Provenance(rule=""))
    return Side(
        instant=DAY,
        choice=InterpreterChoice(wanted=version, reason="", interpreter=interpreter),
        recipe=Recipe(install=(), test=plan),
    )


def checked(*errors: tuple[str, str, str, int], moved: str = "numpy 2.4.1") -> CheckResult:
    breakages = tuple(
        Breakage(
            type=kind, message=message, places=(Frame(file=file, line=line, function="f"),), tests=("t",)
        )
        for kind, message, file, line in errors
    )
    name, version = moved.split()
    return CheckResult(
        backdate="1",
        uv="1",
        project="p",
        origin=Origin(kind="folder", location="/p"),
        verdict=Verdict.BROKE,
        reason="r",
        old=side("3.10.1"),
        new=side("3.12.1"),
        changes=(PackageChange(name=name, old="1.0", new=version),),
        comparison=Comparison(
            broke=("t",),
            fixed=(),
            still_good=0,
            still_bad=0,
            skipped_now=(),
            vanished=(),
            appeared=0,
            breakages=breakages,
        ),
        unpinning="",
        started=DAY,
        duration_s=1.0,
        folder=Path("/f"),
    )


def test_one_fix_for_each_name_with_all_its_lines() -> None:
    message = "module 'numpy' has no attribute 'in1d'"
    result = checked(
        ("AttributeError", message, "src/p/a.py", 20),
        ("AttributeError", message, "src/p/a.py", 126),
        ("AttributeError", "module 'numpy' has no attribute 'nothing_known'", "src/p/a.py", 1),
    )
    (fix,) = advice_of_check(result).fixes
    assert (fix.distribution, fix.name, fix.replacement) == ("numpy", "numpy.in1d", "numpy.isin")
    assert fix.places == tuple(SourcePlace(file="src/p/a.py", line=line) for line in (20, 126))
    assert fix.evidence[0].kind is EvidenceKind.KNOWN


@pytest.mark.parametrize(
    ("error", "moved", "said"),
    [
        (
            ("AttributeError", "`np.float_` was removed in the NumPy 2.0 release. Use `np.float64` instead."),
            "numpy 2.0.0",
            ("numpy.float_", "", "numpy.float64"),
        ),
        (
            ("ImportError", "cannot import name 'url_quote' from 'werkzeug.urls' (/e/urls.py)"),
            "werkzeug 3.0.0",
            ("werkzeug.urls.url_quote", "", "urllib.parse.quote"),
        ),
        (
            ("ImportError", "cannot import name 'Mapping' from 'collections' (/l/__init__.py)"),
            "numpy 2.0.0",
            ("collections.Mapping", "", "collections.abc.Mapping"),
        ),
        (("ImportError", "cannot import name 'url_decode' from 'werkzeug.urls'"), "numpy 2.0.0", None),
        (("AssertionError", "1 != 2"), "numpy 2.0.0", None),
    ],
)
def test_what_is_advised(error: tuple[str, str], moved: str, said: tuple[str, str, str] | None) -> None:
    fixes = advice_of_check(checked((*error, "a.py", 3), moved=moved)).fixes
    assert [(fix.name, fix.argument, fix.replacement) for fix in fixes] == ([said] if said else [])


def test_more_than_another_name_is_advised_as_it_is_written() -> None:
    message = "cannot import name 'url_decode' from 'werkzeug.urls' (/e/urls.py)"
    (fix,) = advice_of_check(checked(("ImportError", message, "a.py", 3), moved="werkzeug 3.0.0")).fixes
    # parse_qs, which the warning named, makes a dictionary of lists
    assert (fix.replacement, "MultiDict(urllib.parse.parse_qsl(" in fix.rewrite) == ("", True)


def test_places_of_installed_files_are_left_out() -> None:
    message = "module 'numpy' has no attribute 'in1d'"
    (fix,) = advice_of_check(checked(("AttributeError", message, "/e/site-packages/b.py", 3))).fixes
    assert fix.places == ()


def test_stricter_calls_of_a_newer_python() -> None:
    error = ("TypeError", "Population must be a sequence.  For dicts or sets, use sorted(d).", "a.py", 3)
    (change,) = advice_of_check(checked(error)).python
    assert (change.since, change.places) == ("3.11", (SourcePlace(file="a.py", line=3),))
    same = checked(error)
    assert advice_of_check(replace(same, old=same.new)).python == ()


def test_without_a_comparison_there_is_no_advice() -> None:
    assert not advice_of_check(replace(checked(), comparison=None))


@pytest.mark.parametrize(
    ("kind", "message", "moved", "name", "rewrite"),
    [
        (
            "TypeError",
            "load() missing 1 required positional argument: 'Loader'",
            {"pyyaml": "6.0", "six": "1.16"},
            "yaml.load",
            "yaml.load is given Loader=yaml.FullLoader",
        ),
        (
            "AttributeError",
            "'EntryPoints' object has no attribute 'get'",
            {"python": "3.12.1"},
            "EntryPoints.get",
            "{self}.select(group={0})",
        ),
    ],
)
def test_a_rule_that_recognises_the_error_is_told(
    kind: str, message: str, moved: dict[str, str], name: str, rewrite: str
) -> None:
    error = MetError(type=kind, message=message, places=(SourcePlace(file="a.py", line=1),))
    (fix,) = advice_of_errors([error], moved).fixes
    assert (fix.name, fix.replacement, fix.rewrite) == (name, "", rewrite)
    assert advice_of_errors([error], {"other": "1", "more": "2"}).fixes == ()


def test_of_a_module_that_is_gone_no_rule_of_its_names_is_told() -> None:
    error = MetError(type="ModuleNotFoundError", message="No module named 'pkg_resources'", places=())
    assert advice_of_errors([error], {"setuptools": "82.0.0"}).fixes == ()
