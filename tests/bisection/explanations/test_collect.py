"""Reading changelogs of archives that were fetched before."""

from __future__ import annotations

import hashlib
import io
import tarfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.version import Version

from backdate.advising.changelog_archives import ArchivedChangelogs
from backdate.advising.project_uses import ProjectUses
from backdate.bisection.explanations import changelog_reader
from backdate.bisection.explanations.changelog_reader import ChangelogFiles
from backdate.bisection.explanations.collect import ExplanationCollector, LoggedSide
from backdate.bisection.result import Culprit
from backdate.diagnosis.result import Cause, CauseKind
from backdate.environments.cache import Cache
from backdate.projects.sources.listing import ListedFile
from backdate.serial import write_whole

CHANGES = b"# Changelog\n\n## 2.0\n\n- Removed: `old_name`, use `new_name`.\n\n## 1.0\n\n- `old_name`.\n"
EARLIER = b"""# Changelog

## 3.0

- Removed `gone`, deprecated since 1.5.
- Removed `other`.

## 1.5

- Deprecated `gone` (use `come`).
- Faster `other`, instead of slower.

## 1.0

- New `gone`: use it instead of nothing.
- Associating a ".bind" with others is moved to `place`.
- `old_gone` was renamed to `new_gone`.
"""
CULPRIT = Culprit(name="library", old="1.0", new="2.0", released=datetime(2024, 1, 1, tzinfo=UTC))


def archive() -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as made:
        member = tarfile.TarInfo("library-2.0/CHANGELOG.md")
        member.size = len(CHANGES)
        made.addfile(member, io.BytesIO(CHANGES))
    return data.getvalue()


def test_what_was_fetched_before_needs_no_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, cache = archive(), Cache(tmp_path / "cache")
    sha256 = hashlib.sha256(data).hexdigest()
    write_whole(cache.downloads / sha256[:2] / sha256 / "library-2.0.tar.gz", data)
    file = ListedFile(
        filename="library-2.0.tar.gz",
        url="https://example.org/library-2.0.tar.gz",
        version=Version("2.0"),
        uploaded=datetime(2024, 1, 1, tzinfo=UTC),
        sha256=sha256,
        yanked=False,
        sdist=True,
    )
    monkeypatch.setattr(changelog_reader, "fetch_listing", lambda _index, _name: (file,))
    monkeypatch.setattr(changelog_reader, "new_client", lambda: pytest.fail("a client was made"))
    resources = SimpleNamespace(cache=cache, index=None, sandbox=None)
    collector = ExplanationCollector(None, resources, ProjectUses())  # type: ignore[arg-type]
    (said,) = collector.changelog_of(CULPRIT, ["library.old_name"])["library.old_name"]
    assert "use `new_name`" in said.text


def test_what_takes_a_names_place_may_stand_where_it_was_deprecated() -> None:
    members = ArchivedChangelogs(files={"a-3.0/CHANGELOG.md": EARLIER}, described={})
    files = ChangelogFiles(archive="a.tar.gz", members=members)
    culprit = Culprit(name="library", old="2.0", new="3.0", released=None)
    assert [(one.version, one.replacement) for one in files.announced_before(culprit, "gone")] == [
        ("1.5", "come")
    ]
    assert files.announced_before(culprit, "other") == ()
    assert files.announced_before(culprit, "bind") == ()  # a word of prose
    (said,) = files.announced_before(culprit, "old_gone")
    assert said.replacement == "new_gone"
    assert files.announced_before(Culprit(name="library", old=None, new="3.0", released=None), "gone") == ()


LOG = """============================= warnings summary =============================
tests/test_a.py::test_context
  /work/3f/project/p/schema.py:78: RemovedInLibrary2Warning: `context` is deprecated.\
 Use `ContextVar` instead.
    super().__init__(*args, **kwargs)

tests/test_a.py::test_other
  /work/3f/project/p/schema.py:80: DeprecationWarning: datetime.utcnow() is deprecated
    now()

-- Docs: https://docs.pytest.org/en/stable/how-to/capture-warnings.html
"""


def test_warnings_of_the_whole_old_side_are_known(tmp_path: Path) -> None:
    log = tmp_path / "tests.log"
    log.write_text(LOG)
    cache = SimpleNamespace(downloads=tmp_path)
    resources = SimpleNamespace(cache=cache, index=None, sandbox=None)
    uses = ProjectUses(files=("p/schema.py",))
    side = LoggedSide(log=log, root="/work/3f/project", folders=())
    collector = ExplanationCollector(None, resources, uses, side)  # type: ignore[arg-type]
    (warning,) = collector.warned_on_old_side(("library",))
    assert [(place.file, place.line) for place in warning.places] == [("p/schema.py", 78)]
    without = ExplanationCollector(None, resources, uses)  # type: ignore[arg-type]
    assert without.warned_on_old_side(("library",)) == ()


def test_the_new_side_warns_first_of_what_the_error_is_about(tmp_path: Path) -> None:
    old, new = tmp_path / "old.log", tmp_path / "new.log"
    old.write_text(LOG)
    now = "'library.tools.path' is deprecated. Use 'pathlib' instead."
    new.write_text(LOG.replace("datetime.utcnow() is deprecated", now))
    resources = SimpleNamespace(cache=SimpleNamespace(downloads=tmp_path), index=None, sandbox=None)
    sides = [LoggedSide(log=log, root="/work/3f/project", folders=()) for log in (old, new)]
    uses = ProjectUses(files=("p/schema.py",))
    collector = ExplanationCollector(None, resources, uses, *sides)  # type: ignore[arg-type]
    cause = Cause(
        kind=CauseKind.MISSING_ATTRIBUTE,
        type="AttributeError",
        message="'path' object has no attribute 'mkdir'",
        owner="path",
        owner_is="type",
        name="mkdir",
    )
    (warning,) = collector.first_warned_on_new_side(cause, ("library",), None)
    assert warning.message == now
    other = replace(cause, owner="list")
    assert collector.first_warned_on_new_side(other, ("library",), None) == ()
    of_old = ExplanationCollector(None, resources, uses, sides[0])  # type: ignore[arg-type]
    assert of_old.first_warned_on_new_side(cause, ("library",), None) == ()
