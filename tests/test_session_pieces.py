"""Sandbox, cache, builder, interpreters and index are opened from ``Settings``, by nobody else.

Two places that assemble them by hand differ sooner or later: another cache, a sandbox that nobody required.
"""

import ast
from collections import defaultdict
from pathlib import Path

PIECES = ("choose_sandbox", "Cache", "Builder", "Interpreters", "open_index")
OPENED_BY: dict[str, dict[str, str]] = {
    "choose_sandbox": {"checking/settings.py": "Settings.open_sandbox"},
    "Cache": {"checking/settings.py": "Settings.open_cache"},
    "Builder": {
        "checking/resources.py": "a Session's builder",
        "environments/throwaway.py": "of another builder's pieces, over a folder that is thrown away",
    },
    "Interpreters": {
        "checking/resources.py": "a Session's interpreters",
        "cli/examine.py": "the cache may be what is wrong with a machine that is examined",
    },
    "open_index": {
        "checking/settings.py": "Settings.open_index",
        "environments/at_fault.py": "a question whether the index answers now, whatever is kept of it",
        "environments/build_network.py": "of a builder, from its index and its cache",
        "environments/steps.py": "of a builder, from its index and its cache",
        "tasks/trees.py": "of Sources, which are made from Settings",
    },
}
"""The modules that call each, with the reason."""


def callers(package: Path) -> dict[str, set[str]]:
    """For each piece the modules that call it by its name, whatever they imported it as."""
    found: dict[str, set[str]] = defaultdict(set)
    for path in sorted(package.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if not any(piece in text for piece in PIECES):
            continue
        tree = ast.parse(text)
        names = {piece: piece for piece in PIECES}
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names |= {alias.asname: alias.name for alias in node.names if alias.asname}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            called = node.func.attr if isinstance(node.func, ast.Attribute) else None
            called = names.get(node.func.id) if isinstance(node.func, ast.Name) else called
            if called in PIECES and not _is_method(node.func):
                found[called].add(path.relative_to(package).as_posix())
    return dict(found)


def _is_method(function: ast.expr) -> bool:
    """Whether it is ``object.open_index()``, which is asked of an object that has its pieces already."""
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "open_index"
        and (not isinstance(function.value, ast.Name) or function.value.id != "upstream")
    )


def test_nobody_assembles_by_hand_what_a_session_holds(repository_root: Path) -> None:
    found = callers(repository_root / "src" / "backdate")
    allowed = {piece: set(modules) for piece, modules in OPENED_BY.items()}
    assert found == allowed, "open it through Session or Settings, or give the reason in OPENED_BY"


def test_a_call_is_seen_however_it_is_written(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("from x.choose import choose_sandbox as pick\npick('bwrap')\n")
    (tmp_path / "b.py").write_text("from x import cache\nc = cache.Cache(1)\n")
    (tmp_path / "c.py").write_text("def f(settings):\n    return settings.open_index(1)\n")
    (tmp_path / "d.py").write_text("from x import upstream\nupstream.open_index('', 1)\n")
    assert callers(tmp_path) == {"choose_sandbox": {"a.py"}, "Cache": {"b.py"}, "open_index": {"d.py"}}
