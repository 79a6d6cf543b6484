"""The small scripted project, whose every test run leaves a mark in its log that no other run has."""

from __future__ import annotations

import re
import secrets
from pathlib import Path

from fake_runner import FakeScriptRunner

_MARK = re.compile(r"mark [0-9a-f]{16}")
_PLACE = re.compile(r"[^\" ]*/backdate-(?:solve|answer)-[^/]*/")


class MarkingRunner(FakeScriptRunner):
    """To tell a run that was remembered from one that was done again."""

    def run_tests(self, task, tree: Path, environment: str, *, log_folder: Path, only=()):
        result = super().run_tests(task, tree, environment, log_folder=log_folder, only=only)
        with (log_folder / "test.log").open("a") as log:
            log.write(f"mark {secrets.token_hex(8)}\n")
        return result


def marks(text: str) -> list[str]:
    """The marks in a text, each once, in their order."""
    return list(dict.fromkeys(_MARK.findall(text)))


def unmarked(text: str) -> str:
    """The text with all marks, and all temporary folders, alike."""
    return _PLACE.sub("", _MARK.sub("mark", text))
