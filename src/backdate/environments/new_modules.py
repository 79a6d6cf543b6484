"""What of a tree with other modules is installed, told from where an earlier tree's modules were."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Set


def follow_modules(
    copies: Mapping[str, str], before: Set[str], after: Set[str], packages: Set[str]
) -> Mapping[str, str] | None:
    """The copies (see ``ProjectLayer``) for a tree with the modules ``after``; None where only a build tells.

    ``copies``: those for ``before``. Both hold the modules that are packaged by their folder alone
    (``packaged_modules.py``). ``packages``: the folders that hold an ``__init__.py``.

    A new module is installed beside its neighbours if all of them are, in a package; it is not if none is.
    """
    installed = {origin: relative for relative, origin in copies.items()}
    followed = dict(copies)
    for path in sorted(after - before):
        folder = posixpath.dirname(path)
        neighbours = {other for other in before if posixpath.dirname(other) == folder}
        targets = {posixpath.dirname(installed[other]) for other in neighbours if other in installed}
        if not neighbours:
            return None
        if not targets:
            continue
        target = targets.pop()
        all_are = all(other in installed for other in neighbours)
        if targets or not all_are or folder not in packages or target.endswith("/site-packages"):
            return None
        followed[f"{target}/{posixpath.basename(path)}"] = path
    for path in before - after:
        if path in installed:
            if installed[path].rpartition("/")[0].endswith("/site-packages"):
                return None
            del followed[installed[path]]
    return followed
