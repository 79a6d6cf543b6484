"""A limit is written where the project states its requirements, and nothing else changes."""

from __future__ import annotations

import ast
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement

from backdate.errors import UsageError
from backdate.projects.capping import cap_files, limited_constraint, limited_requirement
from backdate.projects.setup_script import setup_arguments


def capped(
    files: dict[str, str], *requirements: str
) -> tuple[dict[str, str], list[tuple[str, int, str, str]]]:
    found = cap_files(lambda path: files[path].encode() if path in files else None, requirements)
    assert found.before == {path: files[path].encode() for path in found.after}
    caps = [(cap.file, cap.line, cap.before, cap.after) for cap in found.caps]
    return {path: data.decode() for path, data in found.after.items()}, caps


PYPROJECT = """\
[project]  # ours
name = "p"
dependencies = [
    "click",
    'numpy[x] >=1.20 ; os_name == "posix"',  # why
]
[project.optional-dependencies]
tests = ["pytest>=6", "click"]
"""


def test_a_requirement_that_is_there_gets_the_limit() -> None:
    files, caps = capped({"pyproject.toml": PYPROJECT}, "numpy<2.0.0", "click<9")
    assert files["pyproject.toml"] == PYPROJECT.replace(">=1.20 ;", ">=1.20,<2.0.0 ;").replace(
        '"click",\n', '"click<9",\n'
    )
    assert caps == [
        (
            *("pyproject.toml", 5, 'numpy[x] >=1.20 ; os_name == "posix"'),
            'numpy[x] >=1.20,<2.0.0 ; os_name == "posix"',
        ),
        ("pyproject.toml", 4, "click", "click<9"),
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('a = [\n    "x",  # why\n]\n', 'a = [\n    "x",  # why\n    "new<2",\n]\n'),
        ('a = [\n    "x"  # why\n]\n', 'a = [\n    "x",  # why\n    "new<2"\n]\n'),
        ('a = [\n    "x"]\n', 'a = [\n    "x",\n    "new<2"]\n'),
        ('a = ["x"]\n', 'a = ["x", "new<2"]\n'),
        ("a = ['''x''']\n", "a = ['''x''', 'new<2']\n"),
        ("a = ['y', 'x',]\r\n", "a = ['y', 'x', 'new<2',]\r\n"),
    ],
)
def test_one_that_only_others_bring_is_added_to_those_of_users(before: str, after: str) -> None:
    head = "[project]\n"
    text = head + before.replace("a =", "dependencies =")
    files, ((_, _, was, now),) = capped({"pyproject.toml": text, "requirements.txt": "z\n"}, "new<2")
    assert files == {"pyproject.toml": head + after.replace("a =", "dependencies =")}
    assert tomllib.loads(files["pyproject.toml"])["project"]["dependencies"][-1] == "new<2"
    assert (was, now) == ("", "new<2")


def test_poetry_setup_cfg_and_requirements() -> None:
    poetry = '[tool.poetry.dependencies]\npython = "^3.8"\nnumpy = "^1.20"\nx = { version = "*" }\n'
    files, _ = capped({"pyproject.toml": poetry}, "numpy<2", "x<3", "new<4")
    limited = poetry.replace("^1.20", "^1.20,<2").replace('"*"', '"<3"')
    assert files == {"pyproject.toml": f'{limited}new = "<4"\n'}
    cfg = "[options]\ninstall_requires =\n    numpy>=1  # why\n    six\n"
    assert capped({"setup.cfg": cfg}, "numpy<2", "new<4")[0]["setup.cfg"] == (
        "[options]\ninstall_requires =\n    numpy>=1,<2  # why\n    six\n    new<4\n"
    )
    lines = "-r other.txt\r\nnumpy==1.19.5  # why\r\nsix"
    assert capped({"requirements.txt": lines}, "numpy<2", "new<4")[0]["requirements.txt"] == (
        "-r other.txt\r\nnumpy<2  # why\r\nsix\r\nnew<4"
    )


SETUP_PY = """\
NEEDED = (  # ours
    "click>=7",
    'six'  # last
)
setup(
    name="p", install_requires=NEEDED, extras_require={"tests": ["pytest", "click"]},
)
"""


@pytest.mark.parametrize(
    "rest",
    [
        '\n[tool.poetry.dependencies.b]\nversion = "^1"\nextras = ["x"]\n',
        'b = [\n    {version = "^1", python = "<3.9"},\n    {version = "^2", python = ">=3.9"},\n]\n',
    ],
)
@pytest.mark.parametrize("first", ['python = "^3.8"\n', 'python = "^3.8"\na = "*"\n'])
def test_a_line_is_added_to_the_table_of_poetry_itself(first: str, rest: str) -> None:
    before = f"[tool.poetry.dependencies]\n{first}"
    files, _ = capped({"pyproject.toml": before + rest}, "new<4")
    assert files == {"pyproject.toml": f'{before}new = "<4"\n{rest}'}


def test_behind_a_last_element_without_a_comma() -> None:
    text = '[project]\nname = "p"\nversion = "1"\ndependencies = [\n  "six"\n]\n'
    files, _ = capped({"pyproject.toml": text}, "click<9")
    assert files == {"pyproject.toml": text.replace('"six"', '"six",\n  "click<9"')}


@pytest.mark.parametrize(
    ("text", "was", "now"),
    [
        (SETUP_PY, '"click>=7"', '"click>=7,<9"'),
        (SETUP_PY.replace("click>=7", "flask"), "'six'  # last", "'six',  # last\n    'click<9'"),
        ("setup(install_requires=['Click', 'six'])", "'Click'", "'Click<9'"),
        ("import setuptools as s\ns.setup(install_requires=['six'])", "'six'", "'six', 'click<9'"),
        ('setup(install_requires=(\n  "six",\n))', '"six",\n', '"six",\n  "click<9",\n'),
        ("setup(install_requires=[\n  'six'\n])", "'six'", "'six',\n  'click<9'"),
        ("a: list = ['click']\nb = a\nsetup(install_requires=b)", "'click'", "'click<9'"),
    ],
)
def test_plain_literals_of_a_setup_script(text: str, was: str, now: str) -> None:
    requirements = {"requirements.txt": "click\n"}  # of developers: users install by setup.py
    files, ((file, line, _, after),) = capped({"setup.py": text} | requirements, "click<9")
    assert files == {"setup.py": text.replace(was, now, 1)}
    ast.parse(files["setup.py"])
    assert (file, after in files["setup.py"].splitlines()[line - 1]) == ("setup.py", True)


@given(
    others=st.lists(st.sampled_from(["six", "a-b>=1", "x[y]~=2.0; os_name == 'nt'"]), max_size=3),
    stated=st.sampled_from([None, "Click", "click>=7,<8", "click [x] ; python_version < '3.9'"]),
    brackets=st.sampled_from(["[]", "()"]),
    between=st.sampled_from([", ", ",\n    ", ",  # why\n\t"]),
    ending=st.sampled_from(["", ",", ",\n", "\n"]),
    named=st.booleans(),
)
def test_a_setup_script_states_the_same_and_the_limit(
    others: list[str], stated: str | None, brackets: str, between: str, ending: str, named: bool
) -> None:
    requirements = [*others, *([stated] if stated else [])]
    if not requirements:
        return
    ending = "," if len(requirements) == 1 and not ending.strip() else ending  # else it is no tuple
    elements = between.join(f'"{one}"' for one in requirements)
    written = f"{brackets[0]}{elements}{ending}{brackets[1]}"
    call = (
        f"needs = {written}\nsetup(install_requires=needs)" if named else f"setup(install_requires={written})"
    )
    files, _ = capped({"setup.py": f"{call}\n"}, "click<9")
    arguments = setup_arguments(files["setup.py"])
    assert arguments is not None
    limited = [limited_requirement(stated, "<9")] if stated else ["click<9"]
    assert arguments["install_requires"].value == [*others, *limited]


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"setup.py": "setup(install_requires=open('r.txt'))"},
        {"pyproject.toml": "[project]\nname = 'p'\ndynamic = ['dependencies']\n"},
        {"pyproject.toml": "not toml ["},
        {"requirements.txt": "numpy @ https://host/numpy.whl\n"},
        {"requirements.txt": "numpy\n", "setup.py": "setup(install_requires=['numpy'] + more)"},
        {"setup.py": "a = ['numpy']\na.append('six')\nsetup(install_requires=a)"},
        {"setup.py": "a = ['numpy']\nif x:\n    a = []\nsetup(install_requires=a)"},
        {"setup.py": "a = ['numpy']\na += b\nsetup(install_requires=a)"},
        {"setup.py": "setup(install_requires=['numpy' '>1'])"},
        {"setup.py": "setup(install_requires=['numpy; os_name == \\'nt\\''])"},
        {"setup.py": "setup(install_requires=[f'numpy{x}'])"},
        {"setup.py": "setup(install_requires=['numpy'])\nprint 1\n"},
    ],
)
def test_what_cannot_be_plainly_edited_is_left_to_people(files: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="<2"):
        capped(files, "numpy<2")


@given(
    name=st.sampled_from(["numpy", "a-b.c", "X"]),
    lower=st.sampled_from(["", ">=1", " >=1.0, !=1.3", "(>=1,<3)", "<5", "~=1.4", ">1 , <= 9"]),
    extra=st.sampled_from(["", "[x]", " [x, y] "]),
    marker=st.sampled_from(["", "; os_name == 'posix'", " ; python_version<'3.9'"]),
)
def test_a_limited_requirement_allows_nothing_beyond(name: str, lower: str, extra: str, marker: str) -> None:
    text = f"{name}{extra}{lower}{marker}"
    limited = limited_requirement(text, "<2")
    assert limited is not None
    before, after = Requirement(text), Requirement(limited)
    assert (after.name, after.extras, str(after.marker)) == (before.name, before.extras, str(before.marker))
    assert not after.specifier.contains("2.0")
    for version in ("0.9", "1.0", "1.3", "1.4", "1.9"):
        assert after.specifier.contains(version) is before.specifier.contains(version)


def test_what_gets_no_limit() -> None:
    assert limited_constraint("^1 || ^2", "<2") is None
    assert limited_requirement("numpy @ https://host/x.whl", "<2") is None
    assert limited_requirement("-e .", "<2") is None
