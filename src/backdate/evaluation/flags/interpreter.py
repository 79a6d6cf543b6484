"""Code that reaches what runs its tests: the runner, the interpreter's internals, our variables.

Decided on what names stand for (``names.py``), so that another spelling hides nothing. What cannot be told is
within reach as well: code that is made while it runs, a module or an attribute of ``sys`` and its like whose
name is computed in a way that is not followed.
"""

from __future__ import annotations

import ast

from backdate.evaluation.flags.names import GETTERS, IMPORTERS, Names, text_of_expression

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
_OWNERS = frozenset(thing.rpartition(".")[0] for thing in _THINGS)
"""Modules of whose attributes some are above."""
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
_ENDS_OF_THINGS = _UNMISTAKABLE | {thing.rpartition(".")[2] for thing in _THINGS}
_MOCK = "unittest.mock"
"""Part of unittest that projects use outside of tests."""
_TEXTS = ("/proc/", "BACKDATE_", "PYTEST_", "backdate_capture")
_RUNNING = frozenset({"exec", "eval", "compile", "builtins.exec", "builtins.eval", "builtins.compile"})
_OF_IMPORTS = frozenset({"__loader__", "__spec__", "__builtins__"})
_GETTING = frozenset({"operator.attrgetter", "operator.methodcaller"})


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
        case ast.Name(id=name) if name in _OF_IMPORTS:
            return name
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return _of_meanings(node, names)
        case ast.Call():
            return _of_meanings(node, names) or _of_call(node, names) or _of_text(node)
        case ast.Constant() | ast.BinOp() | ast.JoinedStr():
            return _of_text(node)
    return ""


def _of_meanings(node: ast.expr, names: Names) -> str:
    for meaning in sorted(names.meanings(node)):
        # Modules are found in others: os.sys.modules is sys.modules.
        thing = next((tail for tail in _tails(meaning) if tail in _THINGS), "")
        if thing or (_is_runner(meaning) and not isinstance(node, ast.Name)):
            return thing or meaning
    return ""


def _of_call(node: ast.Call, names: Names) -> str:
    functions = names.meanings(node.func)
    if functions & _RUNNING:
        return "code that is made while it runs"
    if functions & IMPORTERS and node.args:
        name = text_of_expression(node.args[0])
        return "a module by a computed name" if name is None else name if _is_runner(name) else ""
    if functions & GETTERS and len(node.args) > 1 and text_of_expression(node.args[1]) is None:
        for meaning in sorted(names.meanings(node.args[0])):
            if any(tail in _OWNERS for tail in _tails(meaning)) or _is_runner(meaning):
                return f"an attribute of {meaning} by a computed name"
    if functions & _GETTING:
        for argument in node.args:
            path = text_of_expression(argument)
            if path is None or not _ENDS_OF_THINGS.isdisjoint(path.split(".")):
                return "an attribute by a computed name" if path is None else path
    return ""


def _of_text(node: ast.expr) -> str:
    text = text_of_expression(node)
    return text.split("\n")[0][:80] if text is not None and text.startswith(_TEXTS) else ""


def _tails(meaning: str) -> list[str]:
    """ "os.sys.modules", "sys.modules", "modules"."""
    parts = meaning.split(".")
    return [".".join(parts[number:]) for number in range(len(parts))]


def _is_runner(name: str) -> bool:
    top = name.partition(".")[0]
    return (top in _MODULES or top.startswith(_OURS)) and not name.startswith(_MOCK)


def _from(module: str, names: list[str]) -> str:
    if module == "unittest" and names == ["mock"]:
        return ""
    if _is_runner(module):
        return module
    return next((f"{module}.{name}" for name in names if f"{module}.{name}" in _THINGS), "")
