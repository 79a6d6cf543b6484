"""A known solution from what a row says: each of its names replaced by the one that it says takes its place.

No row of CodeMEnv has a solution. Where each name has a replacement, writing that in its place is one, as far
as the row is right: whether it is, running it tells.
"""

from __future__ import annotations

from backdate.editing.spans import apply_edits
from backdate.rewriting.rewrite import ReplaceName
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.snippets.snippet import ApiChange, Language, Snippet


def derived_reference(snippet: Snippet) -> str:
    """The code with every name of the row replaced; empty where one has no replacement or is not used so."""
    if snippet.language is not Language.PYTHON or not snippet.apis:
        return ""
    text = snippet.code
    for api in snippet.apis:
        if not api.replacement or api.replacement == api.name:
            return ""
        rewritten = rewrite_source(
            text, ReplaceName(old=_full(api), new=_full(api, api.replacement)), lines=None
        )
        if not rewritten.edits:
            return ""
        text = apply_edits(text, rewritten.edits)
    return text


def _full(api: ApiChange, name: str = "") -> str:
    """A name as rewrites have it: builtins with their module."""
    dotted = name or api.name
    return dotted if "." in dotted else f"builtins.{dotted}"
