"""What a specifier loosens to, and that nothing that was admitted is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.specifiers import SpecifierSet
from packaging.version import Version

from backdate.errors import ConfigurationError
from backdate.projects.unpinning import loosen_poetry_constraint, loosen_specifier


@pytest.mark.parametrize(
    ("specifier", "loose"),
    [
        ("==4.4.9", ""),
        ("===4.4.9", ""),
        ("== 1.0 ", ""),
        (">=1.0,<2", ">=1.0"),
        ("<2,>=1.0", ">=1.0"),
        (">= 1.0 , < 2 , != 1.5", ">= 1.0 , != 1.5"),
        (" >=1.0, <2 ", " >=1.0 "),
        ("~=1.4.2", ">=1.4.2"),
        ("~= 1.4", ">=1.4"),
        ("==1.4.*", ">=1.4"),
        ("==1.*,!=1.5.*", ">=1,!=1.5.*"),
        ("!=1.5", "!=1.5"),
        (">1", ">1"),
        ("<=3", ""),
        ("==2!1.0.post1+local", ""),
        ("==1.0,", ""),
        (">=1.0,", ">=1.0,"),
        (">=1.0,<2,", ">=1.0"),
        ("", ""),
    ],
)
def test_a_specifier(specifier: str, loose: str) -> None:
    assert loosen_specifier(specifier) == loose


@pytest.mark.parametrize(
    ("specifier", "loose"),
    [
        ("==3.8", ">=3.8"),
        ("==3.8.*", ">=3.8"),
        ("~=3.6", ">=3.6"),
        (">=3.6,<3.9", ">=3.6"),
        ("<4", ""),
        ("===3.8", ">=3.8"),
    ],
)
def test_an_interpreter_keeps_its_lower_bound(specifier: str, loose: str) -> None:
    assert loosen_specifier(specifier, python=True) == loose


@pytest.mark.parametrize(
    ("constraint", "loose"),
    [
        ("^1.2", ">=1.2"),
        ("~1.2", ">=1.2"),
        ("^1.0.0-beta.1", ">=1.0.0-beta.1"),
        ("1.2.3", "*"),
        ("==1.2.3", "*"),
        ("=1.2.3", "*"),
        ("1.2.*", ">=1.2"),
        ("1.x", ">=1"),
        ("*", "*"),
        ("==*", "*"),
        (">=1.0,<2.0", ">=1.0"),
        (">=1.0 <2.0", ">=1.0"),
        (">=1.0 !=1.5 <2.0", ">=1.0 !=1.5"),
        ("^1.0 || ^2.0", ">=1.0 || >=2.0"),
        ("^1.0 || 2.5", "*"),
        ("<2", "*"),
        ("1.0 - 2.0", ">=1.0"),
        (">=1.0", ">=1.0"),
        ("", ""),
    ],
)
def test_a_poetry_constraint(constraint: str, loose: str) -> None:
    assert loosen_poetry_constraint(constraint) == loose


@pytest.mark.parametrize(
    ("constraint", "loose"), [("3.8", ">=3.8"), ("^3.7", ">=3.7"), ("~2.7 || ^3.5", ">=2.7 || >=3.5")]
)
def test_a_poetry_interpreter(constraint: str, loose: str) -> None:
    assert loosen_poetry_constraint(constraint, python=True) == loose


@pytest.mark.parametrize(
    "garbage", ["=1.0", "1.0", "^1.0", "==1.0 foo", "==", "<>1", "==" + "1" * 5000, ">=1.0<2.0"]
)
def test_invalid_specifiers_are_refused(garbage: str) -> None:
    with pytest.raises(ConfigurationError):
        loosen_specifier(garbage)


RELEASES = st.lists(st.integers(0, 4), min_size=1, max_size=3).map(lambda parts: ".".join(map(str, parts)))
SUFFIXES = st.sampled_from(["", "", "", "a1", "rc2", ".post1", ".dev3"])
VERSIONS = st.builds(lambda release, suffix: release + suffix, RELEASES, SUFFIXES)


@st.composite
def clauses(draw: st.DrawFn) -> str:
    operator = draw(st.sampled_from(["==", "===", "!=", "<", "<=", ">", ">=", "~=", "==*", "!=*"]))
    space = draw(st.sampled_from(["", " "]))
    if operator.endswith("*"):
        return operator[:-1] + space + draw(RELEASES) + ".*"
    version = draw(VERSIONS)
    if operator == "~=" and "." not in version.split("a")[0].split("rc")[0].replace(".post1", "").replace(
        ".dev3", ""
    ):
        version = "1." + version
    return operator + space + version


SPECIFIERS = st.lists(clauses(), max_size=4).map(", ".join)


@given(SPECIFIERS, VERSIONS)
def test_versions_that_were_admitted_still_are(specifier: str, version: str) -> None:
    loose = loosen_specifier(specifier)
    wildcard = any(part.strip().startswith("==") and part.endswith("*") for part in specifier.split(","))
    if wildcard and Version(version).is_prerelease:
        return  # the documented exception
    if SpecifierSet(specifier).contains(version, prereleases=True):
        assert SpecifierSet(loose).contains(version, prereleases=True), loose


@given(SPECIFIERS)
def test_no_pin_and_no_upper_bound_is_left(specifier: str) -> None:
    loose = SpecifierSet(loosen_specifier(specifier))
    assert {clause.operator for clause in loose} <= {">=", ">", "!="}
    assert {str(c) for c in SpecifierSet(specifier) if c.operator in (">=", ">", "!=")} <= {
        str(c) for c in loose
    }


@given(SPECIFIERS, st.booleans())
def test_loosening_twice_is_loosening_once(specifier: str, python: bool) -> None:
    once = loosen_specifier(specifier, python=python)
    assert loosen_specifier(once, python=python) == once
    poetry = loosen_poetry_constraint(specifier, python=python)
    assert loosen_poetry_constraint(poetry, python=python) == poetry


@given(st.one_of(st.text(), st.text("=<>!~^*|,. 0123abx-")))
def test_any_text_is_loosened_or_refused(text: str) -> None:
    for loosen in (loosen_specifier, loosen_poetry_constraint):
        try:
            assert isinstance(loosen(text), str)
        except ConfigurationError:
            continue
