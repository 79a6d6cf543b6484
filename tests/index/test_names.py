from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from packaging.utils import canonicalize_name
from packaging.version import Version

from backdate.index.names import canonical_version, is_file_name, is_project_name, normalise, version_of


@given(st.from_regex(r"\A[A-Za-z0-9]([A-Za-z0-9._-]{0,20}[A-Za-z0-9])?\Z"))
def test_normalise_agrees_with_packaging(name: str) -> None:
    assert is_project_name(name)
    assert normalise(name) == canonicalize_name(name)


@given(st.from_regex(r"\A[0-9]{1,3}(\.[0-9]{1,3}){0,3}(a1|\.post2|\n)?\Z"))
def test_versions_are_spelled_as_packaging_does(text: str) -> None:
    assert canonical_version(text) == str(Version(text))


@pytest.mark.parametrize("name", ["", ".", "..", "-a", "a-", "a/b", "a b", "é", "a\0", "a\n", "x" * 129])
def test_what_is_no_project_name(name: str) -> None:
    assert not is_project_name(name)


@pytest.mark.parametrize("name", ["", ".hidden", "a/b", "a\\b", "a\nb", "a\0", "x" * 251, "\u202egpj.exe"])
def test_what_is_no_file_name(name: str) -> None:
    assert not is_file_name(name)


@pytest.mark.parametrize(
    ("filename", "project", "version"),
    [
        ("six-1.17.0-py2.py3-none-any.whl", "six", "1.17.0"),
        ("six-0.9.0.tar.gz", "six", "0.9.0"),
        ("typing-extensions-3.7.4.tar.gz", "typing-extensions", "3.7.4"),
        ("typing_extensions-4.0.0a1.tar.gz", "typing-extensions", "4.0.0a1"),
        ("zope.interface-3.3.0.1-py2.4.egg", "zope-interface", "3.3.0.1"),
        ("numpy-1.0.1.dev3460.win32-py2.4.exe", "numpy", "1.0.1.dev3460"),
        ("pywin32-1.0.win-amd64-py2.7.msi", "pywin32", "1.0"),
        ("numpy-1.6.1-py2.7-python.org-macosx10.6.dmg", "numpy", "1.6.1"),
        ("thing-1.0-1.noarch.rpm", "thing", "1.0"),
        ("pytz-2011k.tar.gz", "pytz", "2011k"),
        ("v-1.0.0-final.zip", "v", "1.0.0-final"),
        ("a-1.00-py3-none-any.whl", "a", "1.0"),
        ("other-1.0.tar.gz", "six", None),
        ("six.tar.gz", "six", None),
        ("readme.txt", "six", None),
    ],
)
def test_version_of(filename: str, project: str, version: str | None) -> None:
    assert version_of(filename, project) == version


@given(st.text(max_size=60), st.text(max_size=20))
def test_version_of_any_text_is_a_value(filename: str, project: str) -> None:
    assert version_of(filename + ".tar.gz", project) is None or project is not None
