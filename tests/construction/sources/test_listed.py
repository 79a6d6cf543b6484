"""Lists of addresses, folders and names; and which reader a source is for."""

from __future__ import annotations

from pathlib import Path

import pytest

from backdate.construction.candidate import BadRow, Candidate
from backdate.construction.sources.listed import read_list
from backdate.construction.sources.open import read_entries, require_sources, sources_digest
from backdate.errors import UsageError


def test_a_list(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "owner+name" / "repo" / ".git").mkdir(parents=True)
    file = tmp_path / "list.txt"
    file.write_bytes(
        b"# a remark\n\nflask-login\npypi:six==1.16.0  # why\nhttps://example.org/o/n.git@v1\nplain\n"
        b"owner+name/repo\nmsiemens/tinydb@v4.1\nhttps://u:secret@example.org/\n\xff\n"
    )
    found = list(read_list(file))
    seen = [(one.kind, one.name, one.revision) for one in found if isinstance(one, Candidate)]
    assert seen == [
        ("sdist", "flask-login", ""),
        ("sdist", "six", "1.16.0"),
        ("git", "o/n", "v1"),
        ("folder", "plain", ""),
        ("git", "owner/name", ""),
        ("git", "msiemens/tinydb", "v4.1"),
    ]
    assert [isinstance(one, BadRow) for one in found] == [False] * 6 + [True] * 2


def test_a_name_on_github_is_a_folder_where_one_is_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (there,) = read_entries(["msiemens/tinydb"])
    assert isinstance(there, Candidate)
    assert there.location == "https://github.com/msiemens/tinydb"
    (tmp_path / "msiemens" / "tinydb").mkdir(parents=True)
    (here,) = read_entries(["msiemens/tinydb"])
    assert isinstance(here, Candidate)
    assert (here.kind, here.location) == ("folder", str(tmp_path / "msiemens" / "tinydb"))
    with pytest.raises(UsageError, match="not there"):
        require_sources(["lists/repositories.txt"])


def test_what_is_no_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not there"):
        require_sources([str(tmp_path / "gone.jsonl")])
    (tmp_path / "data.csv").touch()
    with pytest.raises(UsageError, match="not read"):
        require_sources([str(tmp_path / "data.csv")])
    with pytest.raises(UsageError, match="needs a source"):
        require_sources([])


def test_several_sources_one_after_the_other(tmp_path: Path) -> None:
    (tmp_path / "one.txt").write_text("six\n")
    sources = [str(tmp_path / "one.txt"), "pypi:attrs"]
    assert [one.name for one in read_entries(sources)] == ["six", "attrs"]
    before = sources_digest(sources)
    (tmp_path / "one.txt").write_text("six\nidna\n")
    assert sources_digest(sources) != before
