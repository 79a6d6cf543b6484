"""setup.cfg, judged by configparser, which is what setuptools reads it with."""

from __future__ import annotations

from configparser import Error, RawConfigParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.projects.unpinning import unpin_file
from backdate.projects.unpinning.setup_cfg import _options

SETUP_CFG = """\
[metadata]
name = x
version = ==1.0
description = a==1

[options]
python_requires = >=3.6, <3.9
install_requires =
    numpy==1.0  # why
    # scipy==1
    foo>=1,<2 ; python_version < "3.8"

    bar[x] ~= 1.4.2
    direct @ https://example.org/x.zip
tests-require = pytest==5; mock<2;six
setup_requires: setuptools_scm==3

[options.extras_require]
docs = sphinx<4
test =
  black == 21.4b2
:python_version<"3" =
  enum34==1.0

[flake8]
install_requires = keep==1
"""

LOOSE = (
    (">=3.6, <3.9", ">=3.6"),
    ("numpy==1.0  #", "numpy  #"),
    ("foo>=1,<2 ;", "foo>=1 ;"),
    ("bar[x] ~= 1.4.2", "bar[x] >= 1.4.2".replace(">= ", ">=")),
    ("pytest==5; mock<2;six", "pytest; mock;six"),
    ("setuptools_scm==3", "setuptools_scm"),
    ("sphinx<4", "sphinx"),
    ("black == 21.4b2", "black"),
    ("enum34==1.0", "enum34"),
)


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_every_option(newline: str) -> None:
    expected = SETUP_CFG
    for before, after in LOOSE:
        assert expected.count(before) == 1, before
        expected = expected.replace(before, after)
    data = SETUP_CFG.replace("\n", newline).encode()
    after_bytes, draft = unpin_file("setup.cfg", data)
    assert after_bytes.decode() == expected.replace("\n", newline)
    assert {change.name: change.kind for change in draft.changes}["setuptools_scm"] == "build"
    assert {change.name: change.kind for change in draft.changes}["python"] == "python"
    assert [skipped.line for skipped in draft.skipped] == [
        14,
        22,
    ]  # an address; a marker where a name ends at ":"
    assert unpin_file("setup.cfg", after_bytes)[0] == after_bytes


def test_files_are_collected() -> None:
    _, draft = unpin_file("setup.cfg", b"[options]\ninstall_requires = file: a.in, b.txt\n")
    assert [name for name, _ in draft.references] == ["a.in", "b.txt"]


@given(
    st.lists(
        st.sampled_from(
            [
                "[options]",
                "[options.extras_require]",
                "install_requires =",
                "install_requires = a==1; b<2",
                "test: pytest==5",
                "    c>=1,<2",
                "  d==1  # why",
                "\te==1",
                "# f==1",
                "    ; g==1",
                "",
                "   ",
                "other = é==1",
            ]
        ),
        max_size=14,
    )
)
def test_options_are_those_of_configparser(lines: list[str]) -> None:
    text = "\n".join(["[options]", *lines, ""])
    parser = RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except Error:
        return
    expected = {
        (section, option): [line.strip() for line in value.split("\n") if line.strip()]
        for section in parser.sections()
        for option, value in parser.items(section)
    }
    found = {
        (option.section, option.name): [line.text.strip() for line in option.lines if line.text.strip()]
        for option in _options(text)
    }
    assert found == expected
    after, _ = unpin_file("setup.cfg", text.encode())
    again, draft = unpin_file("setup.cfg", after)
    assert (again, draft.changes) == (after, [])


SPECIFIERS = st.sampled_from(["", "==1.0", ">=1,<2", " ~= 1.4.2", "!=2", "<3"])


@given(
    st.lists(st.tuples(SPECIFIERS, st.sampled_from(["", "; python_version < '3'", "  # x==1"])), max_size=6)
)
def test_only_specifiers_change(items: list[tuple[str, str]]) -> None:
    def document(*, mark: bool) -> str:
        rows = [f"\tname{chr(0) if mark else specifier}{tail}\n" for specifier, tail in items]
        return "[options]\ninstall_requires =\n" + "".join(rows) + "zip_safe = ==1\n"

    after = unpin_file("setup.cfg", document(mark=False).encode())[0].decode()
    for part in document(mark=True).split("\0"):
        assert part in after
        after = after[after.index(part) + len(part) :]
    assert after == ""
