"""What a ``setup.py`` could read of its own project, told from its syntax tree without running it.

The rule errs on one side: whatever it does not understand may read everything.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

_RUN_CODE = frozenset({"importlib", "imp", "runpy", "pkgutil", "zipimport", "subprocess", "ctypes"})
"""Modules that run or import what is named elsewhere."""
_RUN_TEXT = frozenset({"exec", "eval", "execfile", "compile"})
_RUN_NAMES = frozenset({"__import__", "globals", "vars", "getattr", "__builtins__"})
_RUN_ATTRIBUTES = re.compile(
    r"system|popen|import_module|load_source|run_path|run_module|(exec|spawn)[lv]p?e?"
)
_OTHER_COMMANDS = frozenset({"publish", "upload", "release", "register", "tag", "test", "version", "deploy"})
_PLUGIN_ARGUMENTS = frozenset({"use_scm_version", "pbr", "cffi_modules", "use_2to3", "setup_requires"})
"""Arguments of ``setup()`` that bring in code from elsewhere."""
_LIST_NAMES = frozenset({"glob", "iglob", "rglob", "iterdir", "walk", "listdir", "scandir", "fnmatch"})
_READ_NAMES = frozenset({"open", "read", "read_text", "read_bytes", "readlines", "file", "load", "readfp"})
_PLAIN_BUILD_REQUIREMENTS = frozenset(
    {"setuptools", "wheel", "pip", "flit", "flit-core", "poetry", "poetry-core", "hatchling", "pdm-backend"}
    | {"pdm-pep517", "pytest-runner", "packaging"}
)
_MODULE_FILE = re.compile(r"(%?[\w.\-]*)\.py\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptReads:
    """Which modules of the project a script could read."""

    modules: frozenset[str]
    """File names, or how they end: "__init__.py"."""
    words: frozenset[str]
    """Every word in its strings. Names of further modules may be put together from them."""
    puts_names_together: bool
    """Whether it holds a bare ".py" to which a word could be added."""
    runs_text: bool
    """Whether it runs text, which may be that of the modules that it reads."""

    def may_read(self, name: str) -> bool:
        """Whether the module file called ``name`` could be read."""
        stem = name.rpartition(".")[0]
        return name.endswith(tuple(self.modules)) or (self.puts_names_together and stem in self.words)


def read_by_script(source: str, importable: Set[str]) -> ScriptReads | None:
    """What the setup script ``source`` could read; None when that cannot be told.

    ``importable``: the name of every module and folder in the tree, any of which the script might import.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the project's own string escapes
            tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names: set[str] = set()
    attributes: set[str] = set()
    strings: list[str] = []
    for node in _nodes_of_builds(tree):
        imported = _imported(node)
        if imported is None or imported & (_RUN_CODE | importable) or _brings_code(node):
            return None
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            attributes.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str | bytes):
            strings.append(node.value if isinstance(node.value, str) else node.value.decode("latin-1"))
    used = names | attributes
    if used & _LIST_NAMES and used & _READ_NAMES:
        return None
    return _named_files(strings, runs_text=bool(names & _RUN_TEXT))


def _nodes_of_builds(tree: ast.AST) -> Iterator[ast.AST]:
    """Every part of the script but what it does only for commands that no build gives ("publish")."""
    left = [tree]
    while left:
        node = left.pop()
        if isinstance(node, ast.If) and _asks_for_other_command(node.test):
            left += node.orelse
            continue
        yield node
        left += ast.iter_child_nodes(node)


def _asks_for_other_command(test: ast.expr) -> bool:
    """Whether a condition is ``sys.argv[-1] == "publish"`` or ``"publish" in sys.argv``."""
    if not (
        isinstance(test, ast.Compare) and isinstance(test.ops[0], ast.Eq | ast.In) and len(test.ops) == 1
    ):
        return False
    left, right = test.left, test.comparators[0]
    command, arguments = (right, left) if isinstance(test.ops[0], ast.Eq) else (left, right)
    words = command.elts if isinstance(command, ast.List | ast.Tuple) else [command]
    known = all(isinstance(word, ast.Constant) and word.value in _OTHER_COMMANDS for word in words)
    return known and ast.unparse(arguments) in ("sys.argv", "sys.argv[-1]", "sys.argv[1]", "sys.argv[1:]")


def _brings_code(node: ast.AST) -> bool:
    """Whether a part of the script could run code that is not in it."""
    if isinstance(node, ast.Name):
        return node.id in _RUN_NAMES
    if isinstance(node, ast.Attribute):
        return _RUN_ATTRIBUTES.fullmatch(node.attr) is not None
    if isinstance(node, ast.keyword) and node.arg == "setup_requires":
        return not (
            isinstance(node.value, ast.List | ast.Tuple)
            and all(isinstance(one, ast.Constant) for one in node.value.elts)
            and are_plain_build_tools([one.value for one in node.value.elts if isinstance(one, ast.Constant)])
        )
    if isinstance(node, ast.keyword):
        return node.arg in _PLUGIN_ARGUMENTS
    return isinstance(node, ast.Constant) and node.value in _PLUGIN_ARGUMENTS


def _imported(node: ast.AST) -> set[str] | None:
    """The top-level names that a statement imports; None for a relative import."""
    if isinstance(node, ast.Import):
        return {alias.name.partition(".")[0] for alias in node.names}
    if isinstance(node, ast.ImportFrom):
        return None if node.level or node.module is None else {node.module.partition(".")[0]}
    return set()


def _named_files(strings: list[str], *, runs_text: bool) -> ScriptReads:
    found = [match[1] for text in strings for match in _MODULE_FILE.finditer(text)]
    words = {word for text in strings for word in re.findall(r"\w+", text)}
    whole = {stem for stem in found if stem and not stem.startswith("%")}
    return ScriptReads(
        modules=frozenset(f"{stem}.py" for stem in whole),
        words=frozenset(words),
        puts_names_together=not whole.issuperset(found),
        runs_text=runs_text,
    )


def are_plain_build_tools(requirements: Sequence[object]) -> bool:
    """Whether builds need only tools that are known to read no modules of the project by themselves."""
    for text in requirements:
        try:
            requirement = Requirement(str(text).strip())
        except InvalidRequirement:
            return False
        if requirement.url or canonicalize_name(requirement.name) not in _PLAIN_BUILD_REQUIREMENTS:
            return False
    return True
