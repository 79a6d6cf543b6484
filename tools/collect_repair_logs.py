"""Make the logs that the rules of repair are tested with: carry out each case for real and keep what it says.

    PYTHONPATH=src:tests/support python tools/collect_repair_logs.py [NAME…]

Needs the package index, bubblewrap, and the interpreters that the cases name.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from repair_cases import LOGS, carry, stored
from repair_cases_of_tests import CASES

from backdate.environments import uv


def main(names: list[str]) -> int:
    LOGS.mkdir(parents=True, exist_ok=True)
    for case in CASES:
        if names and case.name not in names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder, "tree")
            tree.mkdir()
            case.write(tree)
            _carried, trouble = carry(case, case.recipe, tree, Path(folder, "logs"), case.python)
        if trouble is None:
            print(f"{case.name}: nothing went wrong: not a case")
            continue
        header = (
            f"made by tools/collect_repair_logs.py {case.name}: uv {uv.uv_version()}, "
            f"Python {trouble.python}, as of {case.at}"
        )
        (LOGS / f"{case.name}.log").write_text(stored(trouble, case, header))
        print(f"{case.name}: {trouble.phase}, {trouble.status}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
