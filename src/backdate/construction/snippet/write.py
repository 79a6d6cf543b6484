"""Writing what a build of snippets gives as a data set, its funnel beside the rows."""

from __future__ import annotations

from pathlib import Path

from backdate.construction.snippet.build import BuiltSnippets
from backdate.construction.snippet.plan import SnippetBuildPlan
from backdate.errors import UsageError
from backdate.serial import to_json, write_whole
from backdate.snippets.dataset import SnippetDataset
from backdate.tasks.card import DatasetInfo
from backdate.timeline.instants import now
from backdate.version import __version__

FUNNEL = "funnel.json"


def write_built(built: BuiltSnippets, plan: SnippetBuildPlan, folder: Path) -> SnippetDataset:
    """The data set in the new folder ``folder``.

    Raises UsageError where nothing was proven, or something is there already.
    """
    write_whole(folder.with_name(f"{folder.name}.build") / FUNNEL, to_json(built.funnel, indent=2))
    if not built.snippets:
        raise UsageError("no snippet was proven; name more distributions with --usages-from")
    versions = f"{plan.library} {plan.origin.version} to {plan.target.version}"
    licences = sorted({snippet.published["licence"] for snippet in built.snippets})
    info = DatasetInfo(
        name=f"Snippets of {versions}",
        description=f"Functions that work with {plan.library} {plan.origin.version} and not with "
        f"{plan.target.version}, drawn from published code and proven by running. Each row names its source; "
        f"their licences: {', '.join(licences)}.",
        created=now(),
        made_by=f"backdate {__version__} snippets build --package {plan.library} "
        f"--from {plan.origin.version} --to {plan.target.version}",
    )
    return SnippetDataset.create(folder, built.snippets, info)
