"""Redirects whose ``Location`` is relative since Werkzeug 2.1: the application's answers have it whole again.

Werkzeug joined it with the request's address, unless a response class was told otherwise.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from urllib.parse import urlsplit

from backdate.advice import SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.spans import Edit
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence, Proposal
from backdate.solvers.rules.sources.documented_change import DocumentedChange
from backdate.solvers.rules.sources.syntax_edits import edited_files, leaf_of, line_behind

_QUOTED = re.compile(
    r"'([^'\n]{1,500})'|\"([^\"\n]{1,500})\"|^ {0,8}[-+] {1,2}(\S{1,500}) {0,8}$", re.MULTILINE
)
"""Texts that an assertion shows, and the lines in which it shows how two of them differ."""
_MOST_QUOTED = 12
_ABSOLUTE = "autocorrect_location_header"
_CHANGE = DocumentedChange(
    library="werkzeug",
    since="2.1",
    said=f"Location is relative, unless a response class has {_ABSOLUTE}",
    source="https://werkzeug.palletsprojects.com/en/stable/changes/#version-2-1-0",
)


def relative_redirects(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """What tells the response class of each application that ran; None where no test wants a whole address in
    the place of its path.
    """
    if group.cause.kind is not CauseKind.ASSERTION or not _CHANGE.lies_between(evidence):
        return None
    if not _is_of_address(group.cause.message):
        return None
    edits: dict[str, set[Edit]] = {}
    places: list[SourcePlace] = []
    for file, text in evidence.texts.items():
        ran = (evidence.executed or {}).get(file, frozenset())
        if file in evidence.kept_files or "Flask" not in text or _ABSOLUTE in text:
            continue
        for statement, name in _applications(text):
            edit = line_behind(statement, text, f"{name}.response_class.{_ABSOLUTE} = True")
            if edit is not None and (evidence.executed is None or statement.lineno in ran):
                edits.setdefault(file, set()).add(edit)
                places.append(SourcePlace(file=file, line=statement.lineno))
    if not edits:
        return None
    return _CHANGE.mended(
        edited_files(evidence.texts, edits), key="whole addresses of redirects", places=tuple(places)
    )


def _is_of_address(message: str) -> bool:
    """Whether one text of an assertion is another one behind a scheme and a host."""
    found = [
        match[match.lastindex or 0]
        for match, _ in zip(_QUOTED.finditer(message), range(_MOST_QUOTED), strict=False)
    ]
    paths = {one for one in found if one.startswith("/")}
    return any(_path_of(one) in paths for one in found if "://" in one)


def _path_of(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    return parts._replace(scheme="", netloc="").geturl() if parts.scheme and parts.netloc else ""


def _applications(text: str) -> Iterator[tuple[ast.stmt, str]]:
    """The statements that make one and give it a name, and that name."""
    tree = parsed_or_none(text)
    for node in ast.walk(tree) if tree is not None else ():
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            continue
        made = node.value
        if isinstance(made, ast.Call) and leaf_of(made.func) == "Flask" and leaf_of(node.targets[0]):
            yield node, ast.unparse(node.targets[0])
