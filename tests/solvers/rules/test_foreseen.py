"""What the next run would find of a module that is gone."""

from __future__ import annotations

from pathlib import Path

from two_releases import with_library

from backdate.advice import SourcePlace
from backdate.advising.environment_pair import EnvironmentPair
from backdate.advising.uses import uses_in
from backdate.diagnosis.result import CauseKind
from backdate.sandboxes.interface import Sandbox
from backdate.solvers.rules.foreseen import foreseen_groups
from backdate.solvers.rules.proposals import FixEvidence

WHOLE = "import lib.gone\n\n\ndef rare():\n    return lib.gone.load(1)\n\n\ndef kept():\n    lib.there()\n"
INSIDE = "def often():\n    import lib.gone\n\n\ndef rare():\n    import lib.gone\n    lib.gone.load(1)\n"
NEVER = "import lib.gone\nlib.gone.load(2)\n"


def test_of_a_module_that_is_gone_all_uses_go_where_the_file_imports_it(
    tmp_path: Path, one_sandbox: Sandbox
) -> None:
    there = "def there():\n    pass\n"
    old = {"lib/__init__.py": there, "lib/gone.py": "def load(x):\n    pass\n"}
    before = with_library(tmp_path / "old", "lib", "1.0", old)
    after = with_library(tmp_path / "new", "lib", "2.0", {"lib/__init__.py": there})
    texts = {"whole.py": WHOLE, "inside.py": INSIDE, "never.py": NEVER}
    tree = tmp_path / "tree"
    tree.mkdir()
    for file, text in texts.items():
        (tree / file).write_text(text)
    evidence = FixEvidence(
        tree=tree,
        uses=uses_in(tree),
        texts=texts,
        pair=EnvironmentPair(sandbox=one_sandbox, old=before, new=after),
        executed={"whole.py": frozenset({1, 4, 8, 9}), "inside.py": frozenset({1, 2, 5})},
        versions={"lib": ("1.0", "2.0")},
        modules={"lib": "lib"},
    )
    (group,) = foreseen_groups(evidence)
    assert (group.cause.kind, group.cause.name) == (CauseKind.MISSING_MODULE, "lib.gone")
    assert set(group.places) == {
        SourcePlace(file="whole.py", line=1),
        SourcePlace(file="whole.py", line=5),
        SourcePlace(file="inside.py", line=2),
    }
