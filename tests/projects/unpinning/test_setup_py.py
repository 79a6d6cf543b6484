"""setup.py: literals are found through the syntax tree, and only they are edited."""

from __future__ import annotations

import ast
import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.editing.python_strings import SourceText
from backdate.projects.unpinning import unpin_file


def unpinned(source: str) -> str:
    after, draft = unpin_file("setup.py", source.encode())
    again, second = unpin_file("setup.py", after)
    assert again == after
    assert second.changes == []
    if draft.edits:
        ast.parse(after)
    return after.decode()


@pytest.mark.parametrize(
    "source",
    [
        "from setuptools import setup\nsetup(install_requires=['a==1'])",
        "import setuptools as st\nst.setup(install_requires=('a==1',))",
        "from distutils.core import setup as s\ns(requires=['a==1'])",
        "setup(tests_require=['x', 'a==1'] + ['b'])",
        "setup(install_requires='''\n  x\n  a==1  # why\n''')",
        "setup(install_requires='x\\na==1')",
        "setup(install_requires='a==1')",
        "setup(install_requires='a==1 b'.split() if 0 else ['a==1'])",
        "y = ['a==1']\nsetup(install_requires=y)",
        "y: list = ['a==1']\nsetup(install_requires=y)",
        "y = []\ny.append('a==1')\nsetup(install_requires=y)",
        "y = []\nif True:\n    y += ['a==1']\nsetup(install_requires=y)",
        "y = []\ny.extend(['a==1'])\nsetup(install_requires=list(y))",
        "x, y = ['b'], ['a==1']\nsetup(install_requires=y)",
        "setup(extras_require={'t': ['a==1'], ':python_version==\"2.7\"': ['b']})",
        "e = {}\ne['t==1'] = ['a==1']\nsetup(extras_require=e)",
        "e = {}\ne.setdefault('t', []).append('a==1')\nsetup(extras_require=e)",
        "e = dict(t=['a==1'])\ne['all'] = sum(e.values(), [])\nsetup(extras_require=e)",
        "k = dict(install_requires=['a==1'], version='==1')\nsetup(**k)",
        "k = {'install_requires': ['a==1'], 'version': '==1'}\nsetup(**k)",
        "k = {}\nk['install_requires'] = ['a==1']\nk['version'] = '==1'\nsetup(**k)",
        "setup(install_requires=[r.strip() for r in ['a==1']])",
        "def deps():\n    return ['a==1']\nsetup(install_requires=deps())",
        "REQUIREMENTS = ['a==1']",
        "test_requires = ('a==1',)",
        "setup(install_requires=[*['a==1']])",
        "setup(install_requires=['b'] if x else ['a==1'])",
        "setup(install_requires=[ # é ü\n  'é', 'a==1'])",
        "é = 1; setup(install_requires=['a==1'])",
        "setup(install_requires=[\n\t'b',\r\n\t'a==1'\r\n])",
        "setup(install_requires=[u'a==1', r'b'])",
        "setup(install_requires=['x;y\\'z', 'a==1'])",
    ],
)
def test_literals_are_found(source: str) -> None:
    words = "'a==1 b'"  # two requirements in one string are none
    parts = source.replace("a==1", "a").split("'a b'")
    expected = words.join(parts)
    assert unpinned(source) == expected


def test_layout_comments_and_markers_stay() -> None:
    source = textwrap.dedent("""\
        #!/usr/bin/env python
        # -*- encoding: utf-8 -*-
        from setuptools import setup


        setup(
            name = "x",   version="==1.0",
            install_requires=[
                "numpy>=1.0,<2",   # keep me
                "six == 1.12; python_version < \\"3.8\\"",
                'foo' '==1.0' ,
                ("bar"   # name
                 "~=1.4.2"),
            ],
            python_requires='>=3.6, <4',
        )
        """)
    expected = (
        source.replace(">=1.0,<2", ">=1.0")
        .replace("six == 1.12;", "six;")
        .replace("'foo' '==1.0'", "'foo' ''")
        .replace("~=1.4.2", ">=1.4.2")
        .replace(">=3.6, <4", ">=3.6")
    )
    assert unpinned(source) == expected
    _, draft = unpin_file("setup.py", source.encode())
    assert [(change.line, change.name, change.kind) for change in draft.changes] == [
        (9, "numpy", "dependency"),
        (10, "six", "dependency"),
        (11, "foo", "dependency"),
        (13, "bar", "dependency"),
        (15, "python", "python"),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "setup(version='a==1', description='a<2', classifiers=['a==1'])",
        "other(install_requires=['a==1'])",
        "setup(install_requires=open('requirements.txt').read().split())",
        "README = ['a==1']",
        "import os\nsetup(install_requires=os.environ['a==1'])",
        "",
    ],
)
def test_other_literals_stay(source: str) -> None:
    assert unpinned(source) == source


@pytest.mark.parametrize(
    "item",
    [
        "f'a=={v}'",
        "'a==%s' % v",
        "'a=={}'.format(v)",
        "'a==1\\x20'",
        "'a @ https://example.org/x.zip'",
        "'a=1'",
    ],
)
def test_computed_requirements_are_reported(item: str) -> None:
    source = f"v = 1\nsetup(install_requires=[{item}, 'b==1'])"
    assert unpinned(source) == source.replace("'b==1'", "'b'")
    _, draft = unpin_file("setup.py", source.encode())
    assert [skipped.line for skipped in draft.skipped] == [2]


@pytest.mark.parametrize(
    "source",
    [
        "print 'python 2'\nsetup(install_requires=['a==1'])",
        "setup(install_requires=['a==1']",
        "\0",
        "(" * 100_000,
        "-" * 100_000 + "1",
        "a" + ".b" * 100_000,
        "x = " + "[1]" * 50_000,
        "not " * 50_000 + "1",
        "reqs = " + "'a==1'+" * 30_000 + "'a==1'",
    ],
)
def test_invalid_python_is_skipped_as_a_whole(source: str) -> None:
    after, draft = unpin_file("setup.py", source.encode())
    assert after == source.encode()
    assert [skipped.line for skipped in draft.skipped] == [0]


def test_literals_that_touch_are_left_alone() -> None:
    source = "setup(install_requires=['b==1'], python_requires='<4''')"
    assert unpinned(source) == source
    _, draft = unpin_file("setup.py", source.encode())
    assert draft.changes == []
    assert len(draft.skipped) == 1


def test_no_name_takes_long() -> None:
    source = f"{'_' * 100_000} = ['a==1']\ny_requirements = ['b==1']\nsetup(name='x')"  # took days
    assert unpinned(source).endswith("['b']\nsetup(name='x')") or "b>=1" in unpinned(source)


def test_names_that_refer_to_themselves_end() -> None:
    assert unpinned("reqs = reqs + reqs + ['a==1']\nsetup(install_requires=reqs)").count("a==1") == 0
    doubling = "\n".join(f"a{i} = a{i + 1} + a{i + 1}" for i in range(2000))
    assert unpinned(f"{doubling}\nsetup(install_requires=a0)").startswith("a0")


def test_bytes_that_are_not_utf8_stay() -> None:
    source = (
        b"# -*- coding: latin-1 -*-\nauthor = 'Andr\xe9'; setup(author='\xe9', install_requires=['a==1'])\n"
    )
    assert unpin_file("setup.py", source)[0] == source.replace(b"a==1", b"a")


TOKENS = st.builds(
    lambda prefix, quote, body: f"{prefix}{quote}{body}{quote}",
    st.sampled_from(["", "r", "u", "R"]),
    st.sampled_from(["'", '"', "'''", '"""']),
    st.text(alphabet="ab=1 é\\nt#(", max_size=6),
)


@given(
    st.lists(TOKENS, min_size=1, max_size=4),
    st.sampled_from([" ", "\n", "  # c'\n", "\\\n", "\r\n"]),
    st.text("é ", max_size=3),
)
def test_characters_of_a_literal_are_located(tokens: list[str], between: str, before: str) -> None:
    source = f"'{before}'; (" + between.join(tokens) + ")"
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    node = tree.body[-1].value  # type: ignore[attr-defined]
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return
    fragment = SourceText(source).literal(node)
    if fragment is None:
        assert "\\" in source
        return
    assert fragment.text == node.value
    for character, start, end in zip(fragment.text, fragment.starts, fragment.ends, strict=True):
        raw = source[start:end]
        assert raw == character or (character == "\n" and raw == "\r\n") or raw.startswith("\\")


SPECIFIERS = st.sampled_from(["", "==1.0", ">=1,<2", " ~= 1.4.2", "!=2", "<3"])


@given(
    st.lists(
        st.tuples(SPECIFIERS, st.sampled_from(["", "; python_version < '3'"]), st.sampled_from(['"', "'''"])),
        max_size=6,
    ),
    st.booleans(),
)
def test_only_specifiers_change(items: list[tuple[str, str, str]], crlf: bool) -> None:
    def document(*, mark: bool) -> str:
        rows = [
            f"  {q}né{chr(0) if mark else s}{m}{q},  # é x==1\n".replace("né", "name") for s, m, q in items
        ]
        text = (
            "from setuptools import setup\nsetup(version='==1', install_requires = [\n"
            + "".join(rows)
            + "])\n"
        )
        return text.replace("\n", "\r\n") if crlf else text

    after = unpinned(document(mark=False))
    for part in document(mark=True).split("\0"):
        assert part in after
        after = after[after.index(part) + len(part) :]
    assert after == ""
