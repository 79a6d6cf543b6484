"""Names by which code reaches what runs its tests: the runner, the interpreter's internals, our variables."""

from __future__ import annotations

import ast

_MODULES = frozenset({"pytest", "_pytest", "pluggy", "unittest", "gc", "ctypes", "_ctypes", "backdate"})
_ATTRIBUTES = frozenset(
    {
        ("sys", "modules"),
        ("sys", "settrace"),
        ("sys", "setprofile"),
        ("sys", "monitoring"),
        ("sys", "_getframe"),
        ("sys", "_current_frames"),
        ("sys", "meta_path"),
        ("os", "_exit"),
        ("os", "kill"),
        ("inspect", "stack"),
        ("inspect", "currentframe"),
        ("inspect", "getouterframes"),
        ("threading", "settrace"),
    }
)
_FRAME_PARTS = frozenset({"f_back", "f_globals", "f_locals", "tb_frame", "gi_frame"})
_MOCK = "unittest.mock"
"""Part of unittest that projects use outside of tests."""


def reach_of(node: ast.AST) -> str:
    """The name with which ``node`` reaches for what runs the tests; empty when it does not."""
    match node:
        case ast.Import(names=names):
            return next((one.name for one in names if _is_runner(one.name)), "")
        case ast.ImportFrom(module=module, names=names, level=0):
            return _from(module or "", [one.name for one in names])
        case ast.Attribute(value=ast.Name(id=owner), attr=name) if (owner, name) in _ATTRIBUTES:
            return f"{owner}.{name}"
        case ast.Attribute(attr=name) if name in _FRAME_PARTS:
            return name
        case ast.Call(func=ast.Name(id="__import__") | ast.Attribute(attr="import_module"), args=[first, *_]):
            given = first.value if isinstance(first, ast.Constant) else None
            return given if isinstance(given, str) and _is_runner(given) else ""
        case ast.Constant(value=str() as text) if text.startswith(("/proc/", "BACKDATE_")):
            return text.split("\n")[0][:80]
    return ""


def _is_runner(module: str) -> bool:
    return module.partition(".")[0] in _MODULES and not module.startswith(_MOCK)


def _from(module: str, names: list[str]) -> str:
    if module == "unittest" and names == ["mock"]:
        return ""
    if _is_runner(module):
        return module
    return next((f"{module}.{name}" for name in names if (module, name) in _ATTRIBUTES), "")
