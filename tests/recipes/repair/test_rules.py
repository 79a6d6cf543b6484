"""Each rule with a real log that triggers it, and the repaired recipe carried out for real."""

from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from repair_cases import LOGS, Case, carry, read_stored
from repair_cases_of_tests import CASES
from slow_tests import others_slow

from backdate.environments.cache import Cache, default_cache
from backdate.index.cache import DiskCache
from backdate.index.provided_modules import ProvidedModules
from backdate.index.upstream import IndexClient
from backdate.recipes.recipe import InstallStep, Provenance, Recipe, SuitePlan
from backdate.recipes.repair.classify import classify
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.rules import repairs
from backdate.recipes.repair.setup_failure import MOST_TEXT, Problem, read_failure

AT = datetime(2021, 3, 1, tzinfo=UTC)
WHY = Provenance(rule="a test")
RECIPE = Recipe(
    install=(
        InstallStep(kind="requirements", file="requirements.txt", provenance=WHY),
        InstallStep(kind="project", file=".", extras=("test",), provenance=WHY),
    ),
    test=SuitePlan(runner="pytest", targets=("tests",), provenance=WHY),
)


REPRESENTATIVES = (
    "conflicting-pins",
    "missing-module",
)
"""Cases of most kinds of repair, for the default command; the others take two minutes more."""
WORKING = [case for case in CASES if case.works]
KNOWN = {
    "yaml": "PyYAML",
    "dateutil": "python-dateutil",
    "google.protobuf": "protobuf",
    "google": "protobuf",
    "zope": "zope.interface",
    "zope.interface": "zope.interface",
    "lxml": "lxml",
    "lxml.etree": "lxml",
}
LATER = {
    "attrs": datetime(2021, 12, 28, 6, 0, tzinfo=UTC),
    "codecov": datetime(2023, 4, 17, 23, 11, tzinfo=UTC),
}


class Told:
    """An index of which everything is known beforehand."""

    def providers(self, module: str, candidates: Iterable[str], at: datetime) -> tuple[str, ...]:
        wanted = KNOWN.get(module, "").lower().replace(".", "-")
        return tuple(one for one in candidates if one.lower().replace(".", "-") == wanted)[:1]

    def first_upload(self, name: str, wanted: str | None, after: datetime) -> datetime | None:
        return LATER.get(name)

    def versions(self, name: str, at: datetime) -> tuple[str, ...]:
        if name == "setuptools":
            return ("68.2.2", "69.0.3")
        return () if name.startswith("no-such") or name == "codecov" else ("1.0",)

    def has_wheels(self, name: str, at: datetime) -> bool:
        return True

    def wants_compiling(self, name: str, wanted: str, python: str, at: datetime) -> bool:
        return False


def _proposed(case: Case, tmp_path: Path, names: object = None) -> tuple[ErrorClass, tuple[Repair, ...]]:
    _header, failure = read_stored(LOGS / f"{case.name}.log")
    tree = tmp_path / "tree"
    tree.mkdir()
    case.write(tree)
    return classify(failure), repairs(failure, case.recipe, tree, names or Told())


def test_every_log_belongs_to_a_case_and_says_how_it_was_made() -> None:
    assert {path.stem for path in LOGS.glob("*.log")} == {case.name for case in CASES}
    for case in CASES:
        text = (LOGS / f"{case.name}.log").read_text()
        assert text.startswith(f"# made by tools/collect_repair_logs.py {case.name}: ")
        assert "/root/" not in text
        assert "/work/" not in text


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_real_log_is_classified_and_repaired(case: Case, tmp_path: Path) -> None:
    error, found = _proposed(case, tmp_path)
    assert error is case.error
    assert not case.rule or case.rule in " + ".join(one.rule for one in found)
    for one in found:
        assert one.recipe != case.recipe
        assert "\n" not in one.reason


@pytest.mark.network
@pytest.mark.parametrize(
    "case",
    others_slow(WORKING, kept=[case for case in WORKING if case.name in REPRESENTATIVES]),
    ids=lambda case: case.name,
)
def test_a_repaired_recipe_works(case: Case, tmp_path: Path) -> None:
    cache = Cache(default_cache())
    with IndexClient(cache=DiskCache(cache.index)) as client:
        names = ProvidedModules(client, cache.folder / "modules")
        _error, found = _proposed(case, tmp_path, names)
        tried = [one for one in found if case.rule in one.rule][:2]
        assert tried
        for number in range(3):
            if not tried:
                break
            one = tried.pop(0)
            python = one.interpreter or case.python
            tree = tmp_path / "tree"
            carried, failure = carry(case, one.recipe, tree, tmp_path / str(number), python)
            if failure is None:
                break
            if carried.run is not None:  # it came further: what is missing next is seen only now
                tried = list(repairs(failure, one.recipe, tree, names))
    assert carried.failure is None
    assert failure is None, failure.text[-2000:]


LINES = (
    "ModuleNotFoundError: No module named 'x'",
    "error: unrecognized arguments: " + "--cov " * 400,
    "Because there is no version of a==1 and you require a==1, we can conclude",
    "SyntaxError: invalid syntax",
    "fixture 'mocker' not found",
    "settings are not configured",
    "fatal error: mysql.h: No such file",
    "a" * 5000,
    "[" * 3000,
    "cannot import name 'x' from '" + "x" * 1500,
    "def f(" + "(" * 1800,
    "you require " + "a-" * 900,
    "FileNotFoundError: [Errno 2] No such file or directory: '" + "a/" * 700,
    "f'" + "{" * 1900,
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(
    parts=st.lists(st.one_of(st.sampled_from(LINES), st.text(max_size=300)), max_size=30),
    phase=st.sampled_from(("resolve", "install", "tests")),
    status=st.sampled_from(("resolve", "install", "broken", "no-tests", "completed", "timeout", "???")),
    python=st.sampled_from(("3.8.18", "3.13.0", "", "x")),
)
def test_rules_never_raise_on_garbage(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str], phase: str, status: str, python: str
) -> None:
    root = tmp_path_factory.getbasetemp()
    text = "\n".join(parts)
    failure = read_failure(
        phase=phase,
        status=status,
        texts=(text,),
        python=python,
        instant=AT,
        pythons=("3.7.16", "3.9.18", "y"),
        problems=(Problem(type=text[:40], message=text, count=2),),
    )
    assert isinstance(classify(failure), ErrorClass)
    for one in repairs(failure, RECIPE, root, Told()):
        assert one.recipe != RECIPE or one.interpreter


@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=lambda line: line[:20])
def test_long_hostile_texts_end(tmp_path: Path, line: str) -> None:
    text = (line + "\n") * (2 * MOST_TEXT // len(line))
    failure = read_failure(
        phase="tests", status="broken", texts=(text,), python="3.8.18", instant=AT, pythons=("3.9.1",)
    )
    assert len(failure.text) <= MOST_TEXT + 10
    classify(failure)
    repairs(failure, RECIPE, tmp_path, Told())
