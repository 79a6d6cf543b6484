from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from backdate.projects.project import DatedTag
from backdate.projects.sources.history import read_history
from backdate.projects.sources.open import open_source


def test_tags_by_date_whatever_branch_they_are_on(git, repository: Path) -> None:
    git("checkout", "-q", "-b", "maintenance", cwd=repository)
    (repository / "demo.py").write_text("x = 2\n")
    git("commit", "-qam", "two", cwd=repository, date="2021-06-01T00:00:00Z")
    git("tag", "-a", "-m", "annotated", "v1.2.1", cwd=repository, date="2021-07-01T00:00:00Z")
    git("checkout", "-q", "main", cwd=repository)
    history = read_history(repository / ".git")
    assert history.tags == (
        DatedTag(name="v1.2.1", made=datetime(2021, 7, 1, tzinfo=UTC)),
        DatedTag(name="v1.2.0", made=datetime(2021, 3, 1, 10, 30, tzinfo=UTC)),
    )
    assert (history.shallow, history.problem) == (False, "")


def test_a_shallow_clone_has_no_tags(git, repository: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    (repository / "demo.py").write_text("x = 2\n")
    git("commit", "-qam", "two", cwd=repository)
    git("clone", "-q", "--depth=1", "--no-tags", f"file://{repository}", str(clone), cwd=tmp_path)
    history = read_history(clone / ".git")
    assert (history.tags, history.shallow) == ((), True)


def test_projects_of_a_repository_have_its_history(git, repository: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "x.py").write_text("")
    for number, source in enumerate((repository, f"{repository}@v1.2.0", repository / "pkg")):
        project = open_source(str(source), workdir=tmp_path / f"work{number}")
        assert project.history is not None
        assert [tag.name for tag in project.history.tags] == ["v1.2.0"]
    assert open_source(str(plain), workdir=tmp_path / "work").history is None


def test_tags_that_lead_nowhere_are_a_problem_and_no_error(git, repository: Path) -> None:
    (repository / ".git" / "refs" / "tags" / "bad").write_text(f"{'1' * 40}\n")
    history = read_history(repository / ".git")
    assert history.tags == ()
    assert "git for-each-ref failed" in history.problem


def test_dates_that_no_calendar_has_are_left_out(git, repository: Path) -> None:
    head = git("rev-parse", "HEAD", cwd=repository)
    text = f"object {head}\ntype commit\ntag odd\ntagger a <a@b> 99999999999999 +0000\n\nx\n"
    (repository / "tag.txt").write_text(text)
    made = git("hash-object", "-t", "tag", "-w", "--literally", "tag.txt", cwd=repository)
    git("update-ref", "refs/tags/odd", made, cwd=repository)
    blob = git("hash-object", "-w", "demo.py", cwd=repository)
    git("update-ref", "refs/tags/file", blob, cwd=repository)
    names = {tag.name for tag in read_history(repository / ".git").tags}
    assert "v1.2.0" in names
    assert "file" not in names


def test_the_addresses_of_remotes(git, repository: Path) -> None:
    assert read_history(repository / ".git").remotes == ()
    git("remote", "add", "origin", "git@github.com:owner/name.git", cwd=repository)
    git("remote", "add", "other", "https://host/x", cwd=repository)
    (repository / ".git" / "more").write_text('[remote "included"]\n\turl = https://elsewhere/y\n')
    git("config", "include.path", "more", cwd=repository)
    remotes = read_history(repository / ".git").remotes
    assert remotes == ("git@github.com:owner/name.git", "https://host/x")
