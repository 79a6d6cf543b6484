"""The pip part of environment.yml."""

from __future__ import annotations

import pytest

from backdate.projects.unpinning import unpin_file

ENVIRONMENT = """\
# é
name: x==1
channels: [conda-forge]
dependencies:
  - python=3.7
  - numpy>=1.0,<2   # why
  - pip
  - pip:
    - requests==2.0  # keep
    - "six>=1.12,<2"
    - 'foo==1; python_version < "3.8"'
    - -r requirements.txt
    - git+https://example.org/x.git@v1
variables:
  pip: a==1
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_the_pip_part_is_loosened(newline: str, mark: bytes) -> None:
    expected = (
        ENVIRONMENT.replace("requests==2.0", "requests").replace("1.12,<2", "1.12").replace("foo==1;", "foo;")
    )
    after, draft = unpin_file("environment.yml", mark + ENVIRONMENT.replace("\n", newline).encode())
    assert after == mark + expected.replace("\n", newline).encode()
    assert [change.line for change in draft.changes] == [9, 10, 11]
    assert draft.references == [("requirements.txt", "dependency")]
    assert [skipped.line for skipped in draft.skipped] == [5, 6, 13]
    assert unpin_file("environment.yml", after)[0] == after


def test_an_alias_is_not_expanded() -> None:
    source = "dependencies:\n- pip: &a [x==1]\n- pip: *a\n"
    after, draft = unpin_file("environment.yml", source.encode())
    assert after.decode() == source.replace("x==1", "x")
    assert draft.skipped == []


@pytest.mark.parametrize(
    "source",
    [
        "[" * 900,
        "[" * 50_000,
        "- " * 20_000,
        "*a",
        "\t",
        "\x01",
        "a: b: c",
        "---\na\n---\nb",
        "%YAML 9.9\n---\na",
        "!!q",
    ],
)
def test_invalid_yaml_is_skipped(source: str) -> None:
    after, draft = unpin_file("environment.yml", source.encode())
    assert after == source.encode()
    assert all(skipped.line == 0 for skipped in draft.skipped)
    assert draft.changes == []


def test_an_entry_over_lines_is_reported() -> None:
    after, draft = unpin_file("environment.yml", b'dependencies:\n- pip:\n  - "a==\\x31"\n  - >\n    b==1\n')
    assert b"b==1" in after
    assert len(draft.skipped) == 2
