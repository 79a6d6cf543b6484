"""A build leaves a link where backdate writes the lock afterwards, to a file of the host."""

from __future__ import annotations

from pathlib import Path

from hostile_projects import builder_in, built, project, request_for

from backdate.environments.incidents import IncidentKind

PLANT = """
for one in environments():
    one.joinpath("pylock.toml").symlink_to("VICTIM")
    one.joinpath("planted").write_text("")
"""


def test_the_file_behind_the_link_is_not_written(tmp_path: Path) -> None:
    victim = tmp_path / "host-file"
    victim.write_text("of the host", encoding="utf-8")
    tree = project(tmp_path / "thing", PLANT.replace("VICTIM", str(victim)))
    output = tmp_path / "environment"
    with builder_in(tmp_path / "cache") as builder:
        made = built(builder.build_at(request_for(tree, builder.cache), output))
    assert (output / "planted").exists(), "the attack did not reach the environment"
    assert [one.kind for one in made.incidents] == [IncidentKind.LOCK_ENTRY]
    assert "left a link at the name of the lock" in made.incidents[0].text
    assert victim.read_text(encoding="utf-8") == "of the host"
    assert not (output / "pylock.toml").is_symlink()
    assert "thing" in (output / "pylock.toml").read_text(encoding="utf-8")
