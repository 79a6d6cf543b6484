"""Code that reaches what runs its tests: the runner, the interpreter's internals, our variables.

Decided on what names stand for (``names.py``), so that another spelling hides nothing.
"""

from __future__ import annotations

import ast

from backdate.evaluation.flags.names import Names, text_of_expression

_MODULES = frozenset({"pytest", "_pytest", "pluggy", "unittest", "gc", "ctypes", "_ctypes", "backdate"})
_OURS = "backdate_"
"""How the modules of the capture begin."""
_THINGS = frozenset(
    {
        *(
            "sys.modules",
            "sys.settrace",
            "sys.setprofile",
            "sys.monitoring",
            "sys.meta_path",
            "sys.path_hooks",
        ),
        *("sys._getframe", "sys._current_frames", "sys._getframemodulename", "sys.addaudithook"),
        *("os._exit", "os.abort", "os.kill", "os.killpg", "signal.raise_signal"),
        *("inspect.stack", "inspect.trace", "inspect.currentframe", "inspect.getouterframes"),
        *("inspect.getinnerframes", "threading.settrace", "threading.setprofile", "builtins.__dict__"),
        *("sys._MEIPASS", "faulthandler._sigsegv", "_thread.interrupt_main"),
    }
)
_UNMISTAKABLE = frozenset(
    {
        *(
            "settrace",
            "setprofile",
            "_getframe",
            "_current_frames",
            "_exit",
            "getouterframes",
            "currentframe",
        ),
        *("f_back", "f_globals", "f_locals", "f_builtins", "tb_frame", "gi_frame", "cr_frame", "ag_frame"),
        *("__subclasses__", "cell_contents", "get_referrers", "get_objects"),
    }
)
"""Attributes that have one meaning, whatever has them."""
_MOCK = "unittest.mock"
"""Part of unittest that projects use outside of tests."""
_TEXTS = ("/proc/", "BACKDATE_", "PYTEST_", "backdate_capture")
_RUNNING = ("exec", "eval", "builtins.exec", "builtins.eval")
_IMPORTING = ("__import__", "importlib.import_module", "importlib.__import__")


def reach_of(node: ast.AST, names: Names) -> str:
    """The name with which ``node`` reaches for what runs the tests; empty when it does not."""
    match node:
        case ast.Import(names=aliases):
            return next((alias.name for alias in aliases if _is_runner(alias.name)), "")
        case ast.ImportFrom(module=module, names=aliases, level=0):
            return _from(module or "", [alias.name for alias in aliases])
        case ast.Attribute(attr=attribute) if attribute in _UNMISTAKABLE:
            return attribute
        case ast.Attribute(attr="__code__", ctx=ast.Store()):
            return "__code__"
        case ast.Name() | ast.Attribute() | ast.Subscript() | ast.Call():
            return _of_expression(node, names)
        case ast.Constant(value=str() as text) if text.startswith(_TEXTS):
            return text.split("\n")[0][:80]
    return ""


def _of_expression(node: ast.expr, names: Names) -> str:
    for meaning in sorted(names.meanings(node)):
        if meaning in _THINGS or (_is_runner(meaning) and not isinstance(node, ast.Name)):
            return meaning
    if isinstance(node, ast.Call):
        functions = names.meanings(node.func)
        if functions & set(_RUNNING) and node.args and text_of_expression(node.args[0]) is not None:
            return "code in a text"
        if functions & set(_IMPORTING) and node.args:
            name = text_of_expression(node.args[0])
            return name if name is not None and _is_runner(name) else ""
    return ""


def _is_runner(name: str) -> bool:
    top = name.partition(".")[0]
    return (top in _MODULES or top.startswith(_OURS)) and not name.startswith(_MOCK)


def _from(module: str, names: list[str]) -> str:
    if module == "unittest" and names == ["mock"]:
        return ""
    if _is_runner(module):
        return module
    return next((f"{module}.{name}" for name in names if f"{module}.{name}" in _THINGS), "")
