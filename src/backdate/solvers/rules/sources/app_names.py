"""The whole name of a Django application whose configuration has its last part alone.

Django 3.2 takes the configuration of an application by itself where ``INSTALLED_APPS`` has its package, and
its ``name`` has to be the dotted name of that package.
"""

from __future__ import annotations

import ast
import re

from backdate.advice import AdviceEvidence, EvidenceKind, SourcePlace
from backdate.diagnosis.result import CauseKind
from backdate.editing.python_source import parsed_or_none
from backdate.editing.spans import Edit, apply_edits
from backdate.solvers.rules.proposals import FailureGroup, FileEdit, FixEvidence, Proposal, ProposalOrigin

_CANNOT = re.compile(
    r"Cannot import '(?P<name>[\w.]{1,200})'\. "
    r"Check that '(?P<module>[\w.]{1,300})\.(?P<owner>\w{1,100})\.name' is correct"
)
_SOURCE = "https://docs.djangoproject.com/en/stable/releases/3.2/#automatic-appconfig-discovery"


def whole_app_name(group: FailureGroup, evidence: FixEvidence) -> Proposal | None:
    """The edit of the configuration that is meant; None where it is none of the project's.

    The error that led to Django's own one is that a module is missing, which counts as the cause.
    """
    cause = group.cause
    said = _CANNOT.search(cause.message)
    name = said["name"] if said else cause.name if cause.kind is CauseKind.MISSING_MODULE else ""
    end = said["module"].replace(".", "/") + ".py" if said else f"{name}/apps.py"
    found = [path for path in evidence.texts if name and (path == end or path.endswith(f"/{end}"))]
    if len(found) != 1:
        return None
    path = found[0]
    package = path.removesuffix(".py").removeprefix("src/").replace("/", ".").rpartition(".")[0]
    if not package.endswith(f".{name}"):
        return None
    text = evidence.texts[path]
    tree = parsed_or_none(text)
    owners = [node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)] if tree is not None else []
    for node in (
        one for owner in owners if said is None or owner.name == said["owner"] for one in owner.body
    ):
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        value = node.value if isinstance(node, ast.Assign) else None
        if not isinstance(target, ast.Name) or target.id != "name" or not isinstance(value, ast.Constant):
            continue
        line = text.splitlines(keepends=True)[node.lineno - 1]
        start = sum(map(len, text.splitlines(keepends=True)[: node.lineno - 1])) + line.find(name)
        if value.value != name or line.count(name) != 1:
            continue
        edit = Edit(start=start, end=start + len(name), replacement=package)
        return Proposal(
            origin=ProposalOrigin.RESTRUCTURING,
            distribution="django",
            file_edits=(FileEdit(file=path, text=apply_edits(text, [edit])),),
            edits_key=f"name of the application in {path}",
            places=(SourcePlace(file=path, line=node.lineno),),
            why=(
                AdviceEvidence(
                    kind=EvidenceKind.MESSAGE, text=cause.message.split("\n")[0][:240], source=_SOURCE
                ),
            ),
        )
    return None
