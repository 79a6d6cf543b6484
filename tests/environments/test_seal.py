"""What is seen of a change of a finished environment, and what is no change."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from ready_environments import environment_of

from backdate.environments import seal
from backdate.environments.cache import Cache
from backdate.environments.environment import DependencyLayer, Environment
from backdate.environments.finished import FinishedEnvironments
from backdate.environments.progress import EnvironmentDiscarded
from backdate.errors import ConfigurationError
from backdate.progress import NO_PROGRESS, ONLY, Event, StageReporter

SITE = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
MODULE = f"{SITE}/six.py"


def make(root: Path) -> Path:
    """An environment with a module, a program, links and a file that only its owner reads."""
    (root / "bin").mkdir(parents=True)
    (root / SITE / "package" / "data").mkdir(parents=True)
    (root / "bin" / "python").symlink_to(sys.executable)
    (root / "bin" / "tool").write_text("#!/bin/sh\n", encoding="utf-8")
    (root / "bin" / "tool").chmod(0o700)
    (root / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
    (root / MODULE).write_text("x = 1\n", encoding="utf-8")
    (root / SITE / "package" / "data" / "zählen\n.txt").write_text("1", encoding="utf-8")
    (root / SITE / "package" / "data" / "private").write_text("1", encoding="utf-8")
    (root / SITE / "package" / "data" / "private").chmod(0o600)
    (root / SITE / "link").symlink_to("six.py")
    return root


def same_size_and_time(path: Path, text: str) -> None:
    before = path.stat()
    assert len(text) == before.st_size
    path.write_text(text, encoding="utf-8")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def swapped(link: Path, target: str) -> None:
    link.unlink()
    link.symlink_to(target)


def replaced(path: Path) -> None:
    path.unlink()
    path.write_text("#!/bin/sh\n", encoding="utf-8")


CHANGES: dict[str, Callable[[Path], object]] = {
    "a .pth is added": lambda root: (root / SITE / "a.pth").write_text("import six\n", encoding="utf-8"),
    "a module is added": lambda root: (root / SITE / "sitecustomize.py").write_text("", encoding="utf-8"),
    "content of the same size and time": lambda root: same_size_and_time(root / MODULE, "x = 2\n"),
    "a link leads elsewhere": lambda root: swapped(root / SITE / "link", "six.pz"),
    "a mode": lambda root: (root / MODULE).chmod(0o755),
    "the interpreter": lambda root: replaced(root / "bin" / "python"),
    "a program": lambda root: same_size_and_time(root / "bin" / "tool", "#!/bin/no\n"),
    "a file is gone": lambda root: (root / MODULE).unlink(),
    "a file has become a folder": lambda root: ((root / MODULE).unlink(), (root / MODULE).mkdir()),
    "all of it is a link": lambda root: (
        shutil.move(root, root.with_name("aside")),
        root.symlink_to(root.with_name("aside")),
    ),
    "all of it is gone": shutil.rmtree,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("thoroughly", [False, True], ids=["before a use", "every file"])
def test_a_change_is_seen(change: Callable[[Path], object], thoroughly: bool, tmp_path: Path) -> None:
    root = make(tmp_path / "environment")
    kept = seal.seal(root)
    assert seal.compare(kept, root, thoroughly=thoroughly) == kept
    change(root)
    assert seal.compare(kept, root, thoroughly=thoroughly) is None


def test_what_was_changed_back_is_as_good_as_before(tmp_path: Path) -> None:
    root = make(tmp_path / "environment")
    kept = seal.seal(root)
    same_size_and_time(root / MODULE, "x = 2\n")
    same_size_and_time(root / MODULE, "x = 1\n")
    again = seal.compare(kept, root)
    assert again is not None
    assert (again.contents, again.boot) == (kept.contents, kept.boot)
    assert again.state != kept.state, "the time of change does not count"
    assert seal.compare(again, root) == again


def test_a_copy_with_its_modes_is_as_good(tmp_path: Path) -> None:
    root = make(tmp_path / "environment")
    kept = seal.seal(root)
    shutil.copytree(root, tmp_path / "copy", symlinks=True)
    again = seal.compare(kept, tmp_path / "copy")
    assert again is not None
    assert again.contents == kept.contents


def test_reading_changes_nothing(tmp_path: Path) -> None:
    root = make(tmp_path / "environment")
    kept = seal.seal(root)
    shutil.copytree(root, tmp_path / "copy", symlinks=True)
    assert [path.read_text(encoding="utf-8") for path in root.rglob("*.py")] == ["x = 1\n"]
    assert seal.compare(kept, root) == kept


def test_nobody_but_the_owner_may_write_and_everybody_may_read(tmp_path: Path) -> None:
    root = make(tmp_path / "environment")
    (root / MODULE).chmod(0o4777)
    seal.seal(root)
    found = [root, *root.rglob("*")]
    modes = {path: path.lstat().st_mode for path in found if not path.is_symlink()}
    assert [path for path, mode in modes.items() if mode & 0o6022 or not mode & 0o004] == []
    assert modes[root / "bin" / "tool"] & 0o777 == 0o755
    assert modes[root / MODULE] & 0o777 == 0o755
    assert {path.lstat().st_uid for path in found} == {os.geteuid()}


def test_all_of_it_is_read_once_after_the_machine_was_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = make(tmp_path / "environment")
    kept = seal.seal(root)
    read: list[Path] = []
    contents = seal._contents
    monkeypatch.setattr(seal, "_contents", lambda path: (read.append(path), contents(path))[1])
    assert seal.compare(kept, root) == kept
    assert read == []
    monkeypatch.setattr(seal, "_boot", lambda: "another")
    again = seal.compare(kept, root)
    assert again == replace(kept, boot="")
    assert read == [root]
    assert seal.compare(again, root) == again
    assert read == [root]


def test_what_cannot_be_closed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError):
        seal.seal(tmp_path / "none")


class Events:
    def __init__(self) -> None:
        self.discarded: list[EnvironmentDiscarded] = []

    def report(self, event: Event) -> None:
        if isinstance(event, EnvironmentDiscarded):
            self.discarded.append(event)


def test_a_changed_one_is_discarded_and_built_again(tmp_path: Path) -> None:
    finished = FinishedEnvironments(Cache(tmp_path / "cache"))
    events, builds = Events(), []

    def build(root: Path) -> Environment:
        builds.append(root)
        return replace(environment_of(make(root), Path(sys.executable)), key="key", root=root)

    def prepared() -> Environment:
        answer = finished.keep("key", StageReporter(events, ONLY), build)
        assert isinstance(answer, Environment)
        return answer

    first = prepared()
    assert (prepared().reused, len(builds)) == (True, 1)
    (first.root / SITE / "a.pth").write_text("import six\n", encoding="utf-8")
    second = prepared()
    assert [one.folder for one in events.discarded] == [first.root]
    assert (second.reused, bool(second.replaced), len(builds)) == (False, True, 2)
    assert not (first.root / SITE / "a.pth").exists()
    assert (prepared().replaced, len(events.discarded)) == ((), 1)


def kept_pair(cache: Path) -> tuple[FinishedEnvironments, Environment]:
    """What keeps environments, and one of two layers that it keeps."""
    finished = FinishedEnvironments(Cache(cache))
    stages = StageReporter(NO_PROGRESS, ONLY)

    def build(root: Path) -> Environment:
        return replace(environment_of(make(root), Path(sys.executable)), key=root.name, root=root)

    below = finished.keep("below", stages, build)
    assert isinstance(below, Environment)
    layer = DependencyLayer(key="below", root=below.root, reused=False)
    found = finished.keep("upper", stages, lambda root: replace(build(root), dependencies=layer))
    assert isinstance(found, Environment)
    return finished, found


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
@pytest.mark.parametrize("layer", [0, 1], ids=["its own", "the one below"])
def test_an_audit_sees_what_changed_since_the_last_comparison(
    change: Callable[[Path], object], layer: int, tmp_path: Path
) -> None:
    finished, environment = kept_pair(tmp_path)
    before = finished.state_before_use(environment)
    assert before == seal.state_of(environment.roots)
    change(environment.roots[layer])
    assert finished.state_before_use(environment) == before, "it is not looked at again"
    assert seal.state_of(environment.roots) != before


def test_the_state_of_what_is_not_kept_here_is_looked_at(tmp_path: Path) -> None:
    finished, environment = kept_pair(tmp_path / "cache")
    elsewhere = replace(environment, root=make(tmp_path / "thrown-away"))
    before = finished.state_before_use(elsewhere)
    assert before == seal.state_of(elsewhere.roots) != finished.state_before_use(environment)
    (elsewhere.root / MODULE).write_text("x = 3\n", encoding="utf-8")
    assert finished.state_before_use(elsewhere) == seal.state_of(elsewhere.roots) != before


def test_every_file_of_what_is_kept_is_read(tmp_path: Path) -> None:
    finished = FinishedEnvironments(Cache(tmp_path / "cache"))
    stages = StageReporter(NO_PROGRESS, ONLY)
    for key in ("one", "two"):
        finished.keep(
            key,
            stages,
            lambda root: replace(environment_of(make(root), Path(sys.executable)), key=root.name, root=root),
        )
    same_size_and_time(finished.cache.built / "two" / MODULE, "x = 2\n")
    assert {one.key: one.state for one in finished.verify_all()} == {"one": "intact", "two": "changed"}
    assert not (finished.cache.built / "two").exists()
    assert [one.key for one in finished.verify_all()] == ["one"]
    assert finished.find("two", NO_PROGRESS) is None
