"""An answer that is scored attacks while it is built: it wants a part in what later answers run in.

It has a build step of its own (the answer adds it to the project's own back-end), writes to all that it can
reach, and asks the index for a distribution that the task does not lock.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for, wheel

from backdate.environments.environment import Environment
from backdate.environments.incidents import IncidentKind
from backdate.environments.throwaway import ThrowawayBuilder
from backdate.projects.tree import tree_digest

ATTACK = """
import urllib.request
cache = pathlib.Path(os.environ["UV_CACHE_DIR"])
tops = {cache, cache.parent, cache.parent.parent, *(one.parent for one in environments())}
tops |= {one.parent for one in map(pathlib.Path, sys.path) if one.is_absolute()}
for line in pathlib.Path("/proc/self/mountinfo").read_text().splitlines():
    tops.add(pathlib.Path(line.split()[4]))
for top in tops:
    if top.parts[:2] in (("/", "proc"), ("/", "sys"), ("/", "dev"), ("/", "usr")) or top == pathlib.Path("/"):
        continue
    for folder, folders, files in os.walk(top):
        for name in files:
            if not name.endswith((".py", ".pyc", ".json", ".toml", ".http", ".msgpack")):
                continue
            try:
                with open(os.path.join(folder, name), "a") as file:
                    file.write("# POISON")
            except OSError:
                pass
    try:
        top.joinpath("planted").write_text("POISON")
    except OSError:
        pass
commands = [one.read_bytes().split(b"\\0") for one in pathlib.Path("/proc").glob("[0-9]*/cmdline")]
words = next(one for one in commands if b"--default-index" in one)
url = words[words.index(b"--default-index") + 1].decode().rstrip("/")
for name in ("secret", "pip"):
    try:
        answer = urllib.request.urlopen(url + "/" + name + "/", timeout=20).read()
    except OSError as error:
        answer = str(error).encode()
    pathlib.Path("asked-" + name).write_bytes(answer)
found = pathlib.Path("asked-secret").read_bytes()
assert b"404" in found, found
assert b"pip-1" in pathlib.Path("asked-pip").read_bytes()
"""


def snapshot(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not path.is_symlink()
        and path.relative_to(folder).parts[0] not in ("guards", "index", "logs")
    }


def poisoned(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and b"POISON" in path.read_bytes()]


@pytest.mark.slow
def test_nothing_that_is_shared_changes(tmp_path: Path) -> None:
    files = {"secret-1-py3-none-any.whl": wheel("secret")}
    with builder_in(tmp_path / "cache", files) as builder:
        request = request_for(project(tmp_path / "thing"), builder.cache)
        made = built(builder.prepare(request))
        before = snapshot(builder.cache.folder)
        answer = project(tmp_path / "answer", ATTACK)
        asked = replace(request, tree=answer, digest=tree_digest(answer))
        folder = tmp_path / "throwaway"
        with ThrowawayBuilder(builder, request, made, locked=(), folder=folder) as throwaway:
            environment = throwaway.prepare(asked)
            assert isinstance(environment, Environment), environment.message
        assert [one.kind for one in environment.incidents] == [IncidentKind.NOT_LOCKED]
        assert environment.incident_notes[0].endswith("shown nothing of it: secret")
        assert environment.root.is_relative_to(folder)
        assert poisoned(environment.root), "the attack wrote nothing, not even to its own environment"
        assert snapshot(builder.cache.folder) == before
        assert poisoned(builder.cache.folder) == []


@pytest.mark.slow
def test_the_same_answer_changes_what_is_shared_where_it_is_built_as_the_task_is(tmp_path: Path) -> None:
    files = {"secret-1-py3-none-any.whl": wheel("secret")}
    with builder_in(tmp_path / "cache", files) as builder:
        answer = project(tmp_path / "answer", ATTACK.replace('assert b"404" in found, found', ""))
        made = built(builder.prepare(request_for(answer, builder.cache)))
        assert made.root.is_relative_to(builder.cache.folder)
        assert poisoned(builder.cache.folder)
