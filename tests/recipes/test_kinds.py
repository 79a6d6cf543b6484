"""What is not followed carries a kind, and nothing depends on how its reason is worded."""

from __future__ import annotations

from pathlib import Path

from backdate.recipes.extract import extract_recipes
from backdate.recipes.recipe import SkipKind, SkippedInstruction
from backdate.serial import from_json, to_json


def kinds(root: Path) -> dict[str, SkipKind]:
    return {skip.provenance.text or "": skip.kind for skip in extract_recipes(root).skipped}


def test_what_is_skipped_has_a_kind(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    (tmp_path / ".travis.yml").write_text(
        "language: python\npython: '3.8'\ninstall:\n  - pip install six tox\n  - echo done\n"
        "  - pip install $UNKNOWN\nscript: pytest\n"
    )
    told = kinds(tmp_path)
    assert told["pip install six tox"] is SkipKind.AROUND_TESTS
    assert told["echo done"] is SkipKind.OTHER_COMMAND
    assert told["pip install $UNKNOWN"] is SkipKind.NOT_FOLLOWED


def test_metadata_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(): pass\n")
    (tmp_path / "setup.cfg").symlink_to("/dev/zero")
    assert SkipKind.METADATA in {skip.kind for skip in extract_recipes(tmp_path).skipped}


def test_one_that_was_written_without_a_kind_is_read(tmp_path: Path) -> None:
    old = b'{"reason": "r", "provenance": {"rule": "x", "file": null, "line": null, "text": null}}'
    skip = from_json(SkippedInstruction, old)
    assert skip.kind is SkipKind.NOT_FOLLOWED
    assert from_json(SkippedInstruction, to_json(skip)) == skip
