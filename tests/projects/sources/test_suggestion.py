from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backdate.errors import SourceError
from backdate.projects.sources.specification import parse_source
from backdate.projects.sources.suggestion import suggestions


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("Flask-Login==0.6.2", "pypi:Flask-Login==0.6.2"),
        ("flask[async] == 3.0", "pypi:flask==3.0"),
        ("flask@3.0.1", "pypi:flask==3.0.1"),
        ("flask-login", "pypi:flask-login"),
        ("maxcountryman/flask-login", "https://github.com/maxcountryman/flask-login"),
        ("maxcountryman/flask-login@main", "https://github.com/maxcountryman/flask-login@main"),
        ("owner/name.git", "https://github.com/owner/name"),
        ("github.com/owner/name", "https://github.com/owner/name"),
        ("gitlab.com/group/sub/name", "https://gitlab.com/group/sub/name"),
        ("http://github.com/owner/name", "https://github.com/owner/name"),
        ("git://github.com/owner/name.git", "https://github.com/owner/name.git"),
    ],
)
def test_what_was_meant(text: str, meant: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert suggestions(text) == (meant,)
    with pytest.raises(SourceError) as caught:
        parse_source(text)
    assert f"Did you mean {meant}?" in str(caught.value)
    parse_source(meant)


def test_a_folder_that_is_called_almost_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "code" / "project").mkdir(parents=True)
    (tmp_path / "code" / "projects.txt").write_text("a file")
    monkeypatch.chdir(tmp_path)
    assert suggestions("code/projct") == ("./code/project", "https://github.com/code/projct")
    assert suggestions("./cde/project") == ("./code/project",)
    assert suggestions(f"{tmp_path}/code/projekt") == (f"{tmp_path}/code/project",)
    with pytest.raises(SourceError, match=r"Did you mean \./code/project\? Else write PATH"):
        parse_source("./cde/project")


@pytest.mark.parametrize("text", ["./nowhere", "/nonexistent", "../x/y/z/w", "a b c", "==", "owner/.."])
def test_nothing_is_made_up(text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert suggestions(text) == ()
    with pytest.raises(SourceError) as caught:
        parse_source(text)
    assert "Did you mean" not in str(caught.value)


def test_no_password_is_shown() -> None:
    with pytest.raises(SourceError) as caught:
        parse_source("http://user:token@host/owner/name")
    assert "Did you mean" not in str(caught.value)


@given(st.text(max_size=40) | st.text(alphabet="ab/.=@:1~[]", max_size=25))
def test_whatever_is_suggested_is_a_source(text: str) -> None:
    for meant in suggestions(text.replace("\0", "")):
        parse_source(meant)
