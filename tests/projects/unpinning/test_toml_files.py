"""pyproject.toml and Pipfile."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from backdate.editing.toml_strings import string_values
from backdate.projects.unpinning import unpin_file

PYPROJECT = """\
# a project
[build-system]
requires = ["setuptools >= 52.0.0, <60", 'wheel==0.36.2',]   # build

[project]
name = "x"   # keep
version = "==1.0"
requires-python = ">=3.6,<3.9"
dependencies = [
    "numpy==1.0",  # why
    'six ~= 1.12 ; python_version < "3.8"',
    "foo>=1,<2; python_version < \\"3.8\\"",
    "direct @ https://example.org/x.zip",
]
optional-dependencies.test = ["pytest==5"]

[project.optional-dependencies]
"do.cs" = [
  "sphinx<4" # old
]

[dependency-groups]
dev = ["black==21.4b2", {include-group = "test"}]

[tool.poetry.dependencies]
python = "^3.7"
requests = "^2.0"
exact = "1.2.3"
table = {version = "~1.4", extras = ["a==1"], python = "<3.8"}
many = [{version = "<=1.9", python = "<3.8"}, {version = "^2.0", python = ">=3.8"}]
several = ["^1.0", ">=2,<3"]
git = {git = "https://example.org/x.git", tag = "v1"}
local = {path = "../x"}

[tool.poetry.group.dev.dependencies.pytest]
version = "==5.0"
optional = true

[tool.poetry.dev-dependencies]
mypy = "0.900"

[tool.pdm.dev-dependencies]
test = ["pytest<6"]

[tool.flit.metadata]
requires = ["a==1"]
requires-python = "<3.9"
[tool.flit.metadata.requires-extra]
doc = ["b~=2.1"]

[tool.hatch.envs.default]
dependencies = ["c==1"]
extra-dependencies = ["d<=2"]

[tool.uv]
dev-dependencies = ["e==1"]
constraint-dependencies = ["f<2"]
override-dependencies = ["g===1"]

[tool.other]
dependencies = ["keep==1"]
"""

LOOSE = (
    ('"setuptools >= 52.0.0, <60"', '"setuptools >= 52.0.0"'),
    ("'wheel==0.36.2'", "'wheel'"),
    ('">=3.6,<3.9"', '">=3.6"'),
    ('"numpy==1.0"', '"numpy"'),
    ("six ~= 1.12 ;", "six >=1.12 ;"),
    ('"foo>=1,<2;', '"foo>=1;'),
    ('"sphinx<4"', '"sphinx"'),
    ('"black==21.4b2"', '"black"'),
    ('"^3.7"', '">=3.7"'),
    ('"^2.0"\nexact = "1.2.3"', '">=2.0"\nexact = "*"'),
    ('"~1.4"', '">=1.4"'),
    ('version = "<=1.9"', 'version = "*"'),
    ('version = "^2.0"', 'version = ">=2.0"'),
    ('["^1.0", ">=2,<3"]', '[">=1.0", ">=2"]'),
    ('version = "==5.0"', 'version = "*"'),
    ('"0.900"', '"*"'),
    ('"pytest<6"', '"pytest"'),
    ('"a==1"]\nrequires-python = "<3.9"', '"a"]\nrequires-python = ">=0"'),
    ('"b~=2.1"', '"b>=2.1"'),
    ('"c==1"', '"c"'),
    ('"d<=2"', '"d"'),
    ('"e==1"', '"e"'),
    ('"f<2"', '"f"'),
    ('"g===1"', '"g"'),
    ('"pytest==5"', '"pytest"'),
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_kind_of_table(newline: str) -> None:
    source = PYPROJECT.replace('optional-dependencies.test = ["pytest==5"]\n', "", 1).replace(
        "[project.optional-dependencies]\n", '[project.optional-dependencies]\ntest = ["pytest==5"]\n'
    )
    expected = source
    for before, after in LOOSE:
        assert expected.count(before) == 1, before
        expected = expected.replace(before, after)
    data = source.replace("\n", newline).encode()
    after, draft = unpin_file("pyproject.toml", data)
    assert after.decode() == expected.replace("\n", newline)
    assert tomllib.loads(after.decode())
    kinds = {change.name: change.kind for change in draft.changes}
    assert kinds["wheel"] == "build"
    assert kinds["python"] == "python"
    assert kinds["numpy"] == "dependency"
    assert kinds["f"] == "constraint"
    assert [skipped.reason.split(":")[0] for skipped in draft.skipped] == ["a direct URL is not loosened"] * 2
    again, draft = unpin_file("pyproject.toml", after)
    assert (again, draft.changes) == (after, [])


def test_dotted_keys_and_inline_tables() -> None:
    source = b"""project.dependencies = ['a==1']
tool.poetry.dependencies = {b = "^1", c = {version = "~2"}}
dependency-groups = {"x y" = ['''
d==3''', \"\"\"e<4\"\"\"]}
"""
    after, draft = unpin_file("pyproject.toml", source)
    assert [change.name for change in draft.changes] == ["a", "b", "c", "d", "e"]
    assert after == (
        source.replace(b"a==1", b"a")
        .replace(b"^1", b">=1")
        .replace(b"~2", b">=2")
        .replace(b"d==3", b"d")
        .replace(b"e<4", b"e")
    )


def test_requirements_files_of_setuptools_are_collected() -> None:
    source = b"""[tool.setuptools.dynamic]
dependencies = {file = ["requirements.in"]}
optional-dependencies.test = {file = "test.txt"}
"""
    _, draft = unpin_file("pyproject.toml", source)
    assert [name for name, _ in draft.references] == ["requirements.in", "test.txt"]


def test_a_pipfile() -> None:
    source = """[[source]]
url = "https://pypi.org/simple"
name = "==1"

[packages]
requests = "==2.0"  # why
six = "*"
django = {version = "~=3.2", extras = ["argon2"]}
x = {git = "https://example.org/x.git", ref = "v1"}
"ruamel.yaml" = '>=0.15,<0.16'

[dev-packages]
pytest = "<6"

[docs]
sphinx = "==1"

[requires]
python_version = "3.7"

[scripts]
test = "==1"
"""
    expected = (
        source.replace('"==2.0"', '"*"')
        .replace("~=3.2", ">=3.2")
        .replace(">=0.15,<0.16", ">=0.15")
        .replace('"<6"', '"*"')
        .replace('sphinx = "==1"', 'sphinx = "*"')
        .replace('"3.7"', '"*"')
    )
    after, draft = unpin_file("Pipfile", source.encode())
    assert after.decode() == expected
    assert draft.changes[-1].kind == "python"
    assert len(draft.skipped) == 1


@pytest.mark.parametrize(
    "source",
    [
        "[",
        "a=" + "[" * 5000,
        "a" + ".b" * 5000 + "=1",
        "a=" + "{b=" * 500,
        "x = 1\nx = 2",
        "\0",
        'a = "\\q"',
        "a='",
    ],
)
def test_invalid_toml_is_skipped_as_a_whole(source: str) -> None:
    after, draft = unpin_file("pyproject.toml", source.encode())
    assert after == source.encode()
    assert [skipped.line for skipped in draft.skipped] == [0]


KEYS = st.one_of(st.sampled_from(["a", "b-c", "1"]), st.text(max_size=4))
VALUES = st.recursive(
    st.one_of(
        st.text(max_size=8), st.integers(), st.booleans(), st.sampled_from(["x==1", 'q"uo\\te', "é\n", "'''"])
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(KEYS, inner, max_size=3)),
    max_leaves=8,
)


def strings_of(value: Any, path: tuple[Any, ...] = ()) -> dict[tuple[Any, ...], str]:
    if isinstance(value, str):
        return {path: value}
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return {key: text for part, inner in items for key, text in strings_of(inner, (*path, part)).items()}


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.booleans())
def test_the_scanner_sees_what_tomllib_sees(document: dict[str, Any], crlf: bool) -> None:
    text = tomlkit.dumps(document)
    text = text.replace("\n", "\r\n") if crlf else text
    try:
        expected = strings_of(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return  # tomlkit wrote a document that is not TOML
    found = list(string_values(text))
    assert {path: fragment.text for path, fragment in found} == expected
    assert len(found) == len(expected)


@given(st.text(alphabet="ab=[]{}\"'\\,.#\n 1u", max_size=60))
def test_the_scanner_reads_all_that_is_toml(text: str) -> None:
    try:
        expected = strings_of(tomllib.loads(text))
    except tomllib.TOMLDecodeError:
        return
    assert {path: fragment.text for path, fragment in string_values(text)} == expected


SPECIFIERS = st.sampled_from(["", "==1.0", ">=1,<2", " ~= 1.4.2", "!=2", "<3"])


@given(
    st.lists(
        st.tuples(
            SPECIFIERS, st.sampled_from(["", "; python_version < '3'"]), st.sampled_from(['"', "'''", '"""'])
        ),
        max_size=6,
    )
)
def test_only_specifiers_change(items: list[tuple[str, str, str]]) -> None:
    def document(mark: bool) -> str:
        rows = [f"  {q}name{chr(0) if mark else s}{m}{q}, # x==1\n" for s, m, q in items]
        return '[project]\nname = "==1"\ndependencies = [\n' + "".join(rows) + "]\nz = [1, '''==2''']\n"

    after = unpin_file("pyproject.toml", document(mark=False).encode())[0].decode()
    for part in document(mark=True).split("\0"):
        assert part in after
        after = after[after.index(part) + len(part) :]
    assert after == ""
