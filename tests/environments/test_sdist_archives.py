"""Which archives of sdists are unpacked: those with odd names are, those that lead outside are not."""

from __future__ import annotations

import io
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest
from hostile_projects import builder_in, built, project, request_for, sdist

from backdate.environments import uv

LINK, HARD_LINK = tarfile.SYMTYPE, tarfile.LNKTYPE


@pytest.mark.slow
def test_an_sdist_may_hold_names_that_no_windows_takes(tmp_path: Path) -> None:
    library = project(tmp_path / "library", name="library")
    (library / "www.example.com:443").write_text("as Protego has them\n")
    tree = project(tmp_path / "thing", requires=("library",))
    with builder_in(tmp_path / "cache", {"library-1.tar.gz": sdist(library)}) as builder:
        environment = built(builder.prepare(request_for(tree, builder.cache)))
    assert "library" in {one.name for one in environment.lock.distributions}


def resolved(folder: Path, members: list[tuple[str, bytes, str]]) -> bytes:
    """What uv resolves "thing" to, of an sdist with these members besides: name, kind and target of each."""
    tree = project(folder / "thing")
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        archive.add(tree, arcname="thing-1")
        for name, kind, target in members:
            member = tarfile.TarInfo(name)
            member.type = kind or tarfile.REGTYPE
            member.linkname = target
            member.size = 0 if kind else len(b"PLANTED")
            archive.addfile(member, None if kind else io.BytesIO(b"PLANTED"))
    (folder / "files").mkdir()
    (folder / "files" / "thing-1.tar.gz").write_bytes(data.getvalue())
    command = ["pip", "compile", "--python", sys.executable, "--no-index", "--find-links", "files", "-"]
    said = subprocess.run(
        [uv.find_uv(), *command],
        input=b"thing",
        check=False,
        capture_output=True,
        cwd=folder,
        env=uv.build_variables(cache=folder / "cache", bin_folder=Path(sys.executable).parent),
    )
    return said.stdout


def test_a_harmless_archive_is_unpacked(tmp_path: Path) -> None:
    assert b"thing==1" in resolved(tmp_path, [("thing-1/any", b"", "")])


@pytest.mark.parametrize(
    "members",
    [
        [("../" * 20 + "OUTSIDE/planted", b"", "")],
        [("OUTSIDE/planted", b"", "")],
        [("thing-1/link", LINK, "OUTSIDE"), ("thing-1/link/planted", b"", "")],
        [("thing-1/link", LINK, "../" * 20 + "OUTSIDE"), ("thing-1/link/planted", b"", "")],
        [("thing-1/link", LINK, "OUTSIDE/planted"), ("thing-1/link", b"", "")],
        [("thing-1/link", HARD_LINK, "OUTSIDE/kept"), ("thing-1/link", b"", "")],
        [
            ("thing-1/one", LINK, "."),
            ("thing-1/one/two", LINK, ".."),
            ("thing-1/one/two/three", LINK, "../" * 20 + "OUTSIDE"),
            ("thing-1/one/two/three/planted", b"", ""),
        ],
    ],
    ids=["dots", "absolute", "link", "relative-link", "link-to-file", "hard-link", "chain"],
)
def test_no_member_of_an_archive_is_written_outside_of_it(
    members: list[tuple[str, bytes, str]], tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("safe")
    at = str(outside)
    resolved(
        tmp_path, [(n.replace("OUTSIDE", at), kind, to.replace("OUTSIDE", at)) for n, kind, to in members]
    )
    assert [file.name for file in outside.iterdir()] == ["kept"]
    assert (outside / "kept").read_text() == "safe"
