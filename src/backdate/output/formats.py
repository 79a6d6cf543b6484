"""The forms that a result can be written in."""

from __future__ import annotations

from enum import StrEnum


class OutputFormat(StrEnum):
    """What ``--format`` takes."""

    TEXT = "text"
    """For a terminal."""
    JSON = "json"
    """The whole result; ``backdate show`` reads it."""
    MARKDOWN = "markdown"
    """For issues, comments and summaries of CI services."""
    GITHUB = "github"
    """Workflow commands of GitHub Actions: annotations at the responsible lines."""
    SARIF = "sarif"
    """SARIF 2.1.0, for code scanning and editors."""
    JUNIT = "junit"
    """JUnit XML of what broke."""
    HTML = "html"
    """One page that needs nothing else."""
