"""Requirements files: the specifiers change, every other byte stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.requirements import Requirement

from backdate.projects.unpinning import unpin_file


def unpinned(text: str) -> str:
    after, _ = unpin_file("requirements.txt", text.encode())
    return after.decode()


@pytest.mark.parametrize(
    ("line", "loose"),
    [
        ("pysnmp==4.4.9", "pysnmp"),
        ('numpy == 1.0 ; python_version < "3.8"  # why', 'numpy ; python_version < "3.8"  # why'),
        ("foo==1.0;python_version<'3.8'", "foo;python_version<'3.8'"),
        ("dask[complete,array] ==2.0", "dask[complete,array]"),
        ("dask [complete] >=2.0, <3 # c", "dask [complete] >=2.0 # c"),
        ("foo (==1.0)", "foo"),
        ("foo (>=1.0,<2)", "foo (>=1.0)"),
        ("marshmallow>=3.0,<4.0", "marshmallow>=3.0"),
        ("  indented~=1.4.2\t", "  indented>=1.4.2\t"),
        ('foo==1.0 --global-option="--x"', 'foo --global-option="--x"'),
        ("foo==${VERSION}", "foo"),
        ("foo==1.0 --hash=sha256:aa --hash sha256:bb # c", "foo # c"),
        (
            "foo==1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n    # via bar\nbaz",
            "foo\n    # via bar\nbaz",
        ),
        ("foo==1.0 \\\r\n    --hash=sha256:aa\r\nbar==2\r\n", "foo\r\nbar\r\n"),
        ("foo \\\n  ==1.0\nbar", "foo\\\n\nbar"),
        ("foo @ https://x/foo.zip --hash=sha256:aa", "foo @ https://x/foo.zip"),
        ("--require-hashes\nfoo==1.0 --hash=sha256:aa", "\nfoo"),
    ],
)
def test_a_line(line: str, loose: str) -> None:
    assert unpinned(line) == loose


@pytest.mark.parametrize(
    "line",
    [
        "",
        "# foo==1.0",
        "foo",
        "foo>=1.0",
        "foo!=1.5",
        "-e .",
        "-e ./sub[extra]",
        "./local/path==1",
        "-i https://index/simple",
        "--index-url https://index/simple==1",
        "-f https://links/",
        "--no-binary :all:",
        "--only-binary=foo",
        "--pre",
        "foo @ https://x/foo-1.0.tar.gz",
        "foo@git+https://github.com/x/foo@v1.0",
        "git+https://github.com/x/foo@v1.0#egg=foo",
        "https://x/foo-1.0.tar.gz",
        "foo-1.0-py3-none-any.whl",
        "${NAME}==1.0",
        "foo=1.0=py36_0",
        "foo; python_version == '3.8'",
        "foo # bar==1.0",
        "foo==1.0 bar==2.0",
        "foo==1.0 bar --hash=sha256:aa",
        "foo==1.0 \\\n\\  --hash=sha256:aa",
        "foo --hash=sha256:aa ==1.0",
    ],
)
def test_a_line_that_stays(line: str) -> None:
    assert unpinned(line) == line


@pytest.mark.parametrize(
    "line",
    [
        "foo @ https://x/foo-1.0.tar.gz",
        "foo@git+https://github.com/x/foo@v1.0",
        "-e git+https://github.com/x/foo@v1.0#egg=foo",
        "https://x/foo-1.0.tar.gz",
        "foo=1.0=py36_0",
    ],
)
def test_pins_that_stay_are_reported(line: str) -> None:
    _, draft = unpin_file("requirements.txt", f"bar\n{line}\n".encode())
    assert [skipped.line for skipped in draft.skipped] == [2]


def test_a_change_names_its_line_and_requirement() -> None:
    _, draft = unpin_file("requirements.txt", b"# pins\n\nnumpy[x]==1.0 ; extra == 'y'  # why\n")
    (change,) = draft.changes
    assert (change.line, change.kind, change.name) == (3, "dependency", "numpy")
    assert (change.before, change.after) == ("numpy[x]==1.0 ; extra == 'y'", "numpy[x] ; extra == 'y'")


def test_constraints_are_a_kind() -> None:
    _, draft = unpin_file("constraints.txt", b"numpy==1.0\n-r more.txt\n")
    assert draft.changes[0].kind == "constraint"
    assert draft.references == [("more.txt", "constraint")]


@pytest.mark.parametrize(
    "line", ["-r a b.txt", "-ra b.txt", "--requirement a b.txt", "--requirement=a b.txt", "-r 'a b.txt'  # c"]
)
def test_references_are_collected(line: str) -> None:
    _, draft = unpin_file("requirements.txt", line.encode())
    assert draft.references == [("a b.txt", "dependency")]


@pytest.mark.parametrize(
    ("data", "loose"),
    [
        ("a==1\r\nb\r\n".encode("utf-16"), "a\r\nb\r\n".encode("utf-16")),
        (b"\xef\xbb\xbfa==1", b"\xef\xbb\xbfa"),
        (b"# caf\xe9\na==1\n", b"# caf\xe9\na\n"),
        ("# ü\ra==1\rb==2".encode(), "# ü\ra\rb".encode()),
        (
            b"\xff\xfea==1\n",
            b"\xff\xfea==1\n",
        ),  # a mark of UTF-16 before what is not: nothing that can be read
    ],
)
def test_encodings_and_line_ends_stay(data: bytes, loose: bytes) -> None:
    assert unpin_file("requirements.txt", data)[0] == loose


NAMES = st.sampled_from(["numpy", "ruamel.yaml", "zope-interface", "A_b", "x"])
SPECIFIERS = st.sampled_from(["", "==1.0", ">=1,<2", " ~= 1.4.2", "===1", "!=2", "<3", " >1 , !=1.5"])
MARKERS = st.sampled_from(["", "; python_version < '3.8'", " ;extra=='x'"])
GAPS = st.sampled_from(["", "  # a comment==1", "\t", " # é"])
ENDS = st.sampled_from(["\n", "\r\n"])
OTHERS = st.sampled_from(["", "# foo==1.0", "-e .", "--pre", "  ", "-i https://x/==1"])


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, str, str]:
    """What stands before a specifier, the specifier, what stands behind it."""
    if draw(st.booleans()):
        return draw(OTHERS) + draw(ENDS), "", ""
    extras = draw(st.sampled_from(["", "[a,b]"]))
    return draw(NAMES) + extras, draw(SPECIFIERS), draw(MARKERS) + draw(GAPS) + draw(ENDS)


@given(st.lists(lines(), max_size=12))
def test_only_specifiers_change(parts: list[tuple[str, str, str]]) -> None:
    text = "".join(map("".join, parts))
    after = unpinned(text)
    rest = after
    for before, specifier, behind in parts:
        assert rest.startswith(before), (text, after)
        rest = rest[len(before) :]
        kept, _, tail = rest.partition(behind) if behind else ("", "", rest)
        if specifier:
            loose = Requirement(f"x{kept}").specifier
            assert {clause.operator for clause in loose} <= {">=", ">", "!="}
        rest = tail
    assert rest == ""
    assert unpinned(after) == after


@given(st.text(alphabet="ab=<>~!.,;#\\ \n\r\t-[]()@/01'\"r", max_size=200))
def test_loosening_twice_is_loosening_once_on_anything(text: str) -> None:
    after = unpinned(text)
    assert unpinned(after) == after
