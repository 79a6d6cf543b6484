"""AppVeyor: listed only. Its builds run on Windows, and their commands mean little elsewhere."""

from __future__ import annotations

from backdate.recipes.actions import DeclaredJob
from backdate.recipes.files import Files
from backdate.recipes.recipe import Provenance, SkippedInstruction

FILES = ("appveyor.yml", ".appveyor.yml", "appveyor.yaml")


def read_appveyor(files: Files) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """No candidate; the file, with the reason."""
    reason = "AppVeyor builds on Windows; its commands are not followed"
    skipped = [
        SkippedInstruction(reason=reason, provenance=Provenance(rule="AppVeyor", file=file))
        for file in FILES
        if files.has(file)
    ]
    return (), tuple(skipped)
