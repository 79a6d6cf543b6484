"""Commands of ``sh`` that code asks for their exit status: since 2.0 they give their output as a text.

``sh = sh.bake(_return_cmd=True)``, as its guide for migration says, has them give the command again.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from backdate.editing.python_source import parsed_or_none
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, line_behind

_LIBRARY = "sh"
_ASKED = r"stdout|stderr|exit_code|wait|process|pid|cmd|ran|call_args|is_alive|kill|terminate"
_OF_TEXTS = re.compile(rf"'str' object has no attribute '(?:{_ASKED})'")
_ASKS = re.compile(rf"\.(?:{_ASKED})\b")
_CHANGE = DocumentedChange(
    library=_LIBRARY,
    since="2.0.0",
    said="a command gives its output as a text, and with _return_cmd=True the command",
    source="https://github.com/amoffat/sh/blob/develop/MIGRATION.md",
)


def returned_commands(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """``sh``, or what is imported from it, baked so in each file that imports it and asks for such things."""
    asked = any(_OF_TEXTS.search(message[:2000]) for message in group.messages)
    if not asked or not _CHANGE.lies_between(evidence):
        return None
    edits = {
        file: made
        for file, text in evidence.texts.items()
        if file not in evidence.kept_files and _ASKS.search(text) and (made := list(_edits(text)))
    }
    if not edits:
        return None
    return _CHANGE.mended(
        edited_files(evidence.texts, edits), key="commands of sh are returned", places=group.places[:1]
    )


def _edits(text: str) -> Iterator[Edit]:
    """Lines behind the imports of a file, unless they are there."""
    tree = parsed_or_none(text)
    imports = [one for one in (tree.body if tree else ()) if isinstance(one, ast.Import | ast.ImportFrom)]
    names = [name for one in imports for name in _commands(one)]
    if names and "_return_cmd" not in text:
        baked = (f"{name} = {name}.bake(_return_cmd=True)" for name in names)
        edit = line_behind(imports[-1], text, "", *baked)
        if edit is not None:
            yield edit


def _commands(statement: ast.Import | ast.ImportFrom) -> Iterator[str]:
    """What stands for ``sh``, or for commands of it; its exceptions are none."""
    if isinstance(statement, ast.Import):
        yield from (alias.asname or alias.name for alias in statement.names if alias.name == _LIBRARY)
    elif statement.module == _LIBRARY and not statement.level:
        yield from (alias.asname or alias.name for alias in statement.names if alias.name.islower())
