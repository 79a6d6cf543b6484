import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from backdate.recipes.poetry import UnreadableRequirement, poetry_requirements, poetry_specifier


@pytest.mark.parametrize(
    ("constraint", "expected"),
    [
        ("^1.2.3", ">=1.2.3,<2"),
        ("^1.2", ">=1.2,<2"),
        ("^0.2.3", ">=0.2.3,<0.3"),
        ("^0.0.3", ">=0.0.3,<0.0.4"),
        ("^0.0", ">=0.0,<0.1"),
        ("^0", ">=0,<1"),
        ("~1.2.3", ">=1.2.3,<1.3"),
        ("~1.2", ">=1.2,<1.3"),
        ("~1", ">=1,<2"),
        ("*", ""),
        ("1.2.*", "==1.2.*"),
        ("1.2.3", "==1.2.3"),
        (">=1.2,<2.0,!=1.5", ">=1.2,<2.0,!=1.5"),
        (">=1.2 <2.0", ">=1.2,<2.0"),
        ("~=1.4", "~=1.4"),
        ("==1.0", "==1.0"),
    ],
)
def test_constraints_of_the_documentation(constraint: str, expected: str) -> None:
    assert poetry_specifier(constraint) == expected


def test_a_table() -> None:
    requirements, unreadable = poetry_requirements(
        {
            "python": "^3.7",
            "requests": "^2.0",
            "black": {"version": "^22.1", "extras": ["d", "jupyter"], "markers": "sys_platform == 'linux'"},
            "here": {"path": "../here"},
            "tool": {"git": "https://x/tool.git", "tag": "v1"},
            "both": [{"version": "1.0", "python": "<3.8"}, {"version": "2.0", "python": ">=3.8"}],
            "odd": "1.0 || 2.0",
        }
    )
    assert requirements == (
        "requests>=2.0,<3",
        "black[d,jupyter]>=22.1,<23 ; (sys_platform == 'linux')",
        "tool @ git+https://x/tool.git@v1",
        'both==1.0 ; (python_full_version < "3.8")',
        'both==2.0 ; (python_full_version >= "3.8")',
    )
    assert [text.split(":")[0] for text in unreadable] == ["here", "odd"]
    for written in requirements:
        Requirement(written)


VERSIONS = st.lists(st.integers(0, 30), min_size=1, max_size=4).map(lambda parts: ".".join(map(str, parts)))


@given(st.sampled_from(["^", "~", ">=", "=="]), VERSIONS)
def test_a_constraint_admits_its_own_version(operator: str, version: str) -> None:
    assert SpecifierSet(poetry_specifier(operator + version)).contains(version)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        SpecifierSet(poetry_specifier(text))
    except UnreadableRequirement:
        pass
