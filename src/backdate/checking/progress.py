"""Progress as an injected object: the library reports, whoever called decides what is shown."""

from __future__ import annotations

from typing import Literal, Protocol

SideName = Literal["old", "new", "only"]
"""``only``: where there is one environment and no other."""
Stage = Literal["waiting", "resolving", "building", "ready", "testing", "done", "failed"]


class Progress(Protocol):
    """Told what a check is doing. Called from several threads."""

    def project(self, text: str) -> None:
        """What is being fetched or read."""

    def side(self, side: SideName, stage: Stage, detail: str = "") -> None:
        """A side entered a stage, or got on in it (``detail``: "12 of 40 tests")."""


class Silence:
    """Progress that nobody watches."""

    def project(self, text: str) -> None:
        """Nothing."""

    def side(self, side: SideName, stage: Stage, detail: str = "") -> None:
        """Nothing."""
