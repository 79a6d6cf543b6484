"""A recipe source: the recipe ``test`` of a justfile."""

from backdate.recipes.actions import DeclaredJob
from backdate.recipes.commands import read_commands
from backdate.recipes.recipe import Provenance
from backdate.recipes.sources.interface import RecipeSource


def read_justfile(files):
    """The commands below ``test:``, as the job that they are."""
    lines = (files.text("justfile") or "").splitlines()
    if "test:" not in lines:
        return (), ()
    start = lines.index("test:") + 1
    end = next((n for n in range(start, len(lines)) if not lines[n].startswith((" ", "\t"))), len(lines))
    script = "\n".join(line.strip() for line in lines[start:end])
    actions = read_commands(script, files=files, file="justfile", line=start + 1, rule="justfile")
    where = Provenance(rule="justfile", file="justfile", line=start)
    return (DeclaredJob(kind="just", name="test", actions=actions, provenance=where),), ()


SOURCE = RecipeSource(kind="makefile", read=read_justfile)
