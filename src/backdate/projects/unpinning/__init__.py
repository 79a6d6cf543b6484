"""Unpinning: a project's files with pins and upper bounds loosened, the rest byte for byte as it was.

``unpin_tree`` reads a source tree and returns an :class:`Unpinning` (what changes, what was left alone
and why, the patch); ``apply_unpinning`` writes it into a tree that the caller owns.
"""

from backdate.projects.unpinning.report import Kind, LoosenedRequirement, SkippedPin, Unpinning
from backdate.projects.unpinning.specifiers import loosen_poetry_constraint, loosen_specifier
from backdate.projects.unpinning.tree import apply_unpinning, unpin_file, unpin_tree

__all__ = [
    "Kind",
    "LoosenedRequirement",
    "SkippedPin",
    "Unpinning",
    "apply_unpinning",
    "loosen_poetry_constraint",
    "loosen_specifier",
    "unpin_file",
    "unpin_tree",
]
