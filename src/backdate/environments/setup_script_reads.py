"""What a ``setup.py`` could read of its own project, told from its syntax tree without running it.

The rule errs on one side: whatever it does not understand may read everything.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.editing.python_source import parsed_or_none
from backdate.text import UNREADABLE

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
_LOOK_NAMES = frozenset(
    {"exists", "lexists", "isfile", "isdir", "is_file", "is_dir", "access", "stat", "lstat"}
)
_FINDERS = frozenset({"find_packages", "find_namespace_packages"})
_FINDER_CLASSES = frozenset({"PackageFinder", "PEP420PackageFinder"})
_PACKAGE_DATA = frozenset({"package_data", "include_package_data", "exclude_package_data"})
_PLAIN_BUILD_REQUIREMENTS = frozenset(
    {"setuptools", "wheel", "pip", "flit", "flit-core", "poetry", "poetry-core", "hatchling", "pdm-backend"}
    | {"pdm-pep517", "pytest-runner", "packaging"}
)
_TAKES_ALL_OR_NONE = re.compile(r"\*{1,2}|\*\.\*|\*\.\w+|\*\.py\[\w+\]|\*~")
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
    looks_around: bool
    """Whether what it computes may depend on which files there are, beyond the list of packages."""
    names_packages: bool
    """Whether it says which packages or modules there are."""
    chooses_modules: bool
    """Whether a package may be installed without some of the modules in its folder, or a folder that is no
    package with some."""

    def may_read(self, name: str) -> bool:
        """Whether the module file called ``name`` could be read."""
        stem = name.rpartition(".")[0]
        return name.endswith(tuple(self.modules)) or (self.puts_names_together and stem in self.words)


def read_by_script(source: str, importable: Set[str]) -> ScriptReads | None:
    """What the setup script ``source`` could read; None when that cannot be told.

    ``importable``: the name of every module and folder in the tree, any of which the script might import.
    """
    tree = parsed_or_none(source)
    if tree is None:
        return None
    nodes = list(_nodes_of_builds(tree))
    names: set[str] = set()
    attributes: set[str] = set()
    strings: list[str] = []
    for node in nodes:
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
    given = {node.arg for node in nodes if isinstance(node, ast.keyword) and node.arg} | set(strings)
    patterns = any(may_choose_modules(text) for text in strings if len(text.split()) == 1)
    found, words = _named_files(strings)
    whole = {stem for stem in found if stem and not stem.startswith("%")}
    return ScriptReads(
        modules=frozenset(f"{stem}.py" for stem in whole),
        words=words,
        puts_names_together=not whole.issuperset(found),
        runs_text=bool(names & _RUN_TEXT),
        looks_around=bool(used & (_LIST_NAMES | _LOOK_NAMES | _FINDER_CLASSES)) or _keeps_packages(nodes),
        names_packages=bool(given & {"packages", "py_modules"}),
        chooses_modules="cmdclass" in given
        or (bool(given & _PACKAGE_DATA) and patterns)
        or _names_modules_of_packages(nodes),
    )


def _keeps_packages(nodes: Sequence[ast.AST]) -> bool:
    """Whether the list of packages is used for more than the argument ``packages``."""
    arguments = [node for node in nodes if isinstance(node, ast.keyword) and node.arg == "packages"]
    return _uses_of_finders(nodes) > sum(_uses_of_finders(ast.walk(argument)) for argument in arguments)


def _uses_of_finders(nodes: Iterable[ast.AST]) -> int:
    return sum(
        (isinstance(node, ast.Name) and node.id in _FINDERS)
        or (isinstance(node, ast.Attribute) and node.attr in _FINDERS)
        for node in nodes
    )


def _names_modules_of_packages(nodes: Sequence[ast.AST]) -> bool:
    """Whether ``py_modules`` may name a module inside of a package: a dotted name, or what is computed."""
    values = [node.value for node in nodes if isinstance(node, ast.keyword) and node.arg == "py_modules"]
    parts = [part for value in values for part in ast.walk(value)]
    return any(
        not isinstance(part, ast.List | ast.Tuple | ast.Constant | ast.expr_context)
        or (isinstance(part, ast.Constant) and "." in str(part.value))
        for part in parts
    )


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


def may_choose_modules(pattern: str) -> bool:
    """Whether a pattern of files may match some modules of a folder and not others."""
    name = pattern.rpartition("/")[2]
    if not set(name) & set("*?["):
        return name.endswith(".py")
    return _TAKES_ALL_OR_NONE.fullmatch(name) is None


def _named_files(strings: list[str]) -> tuple[list[str], frozenset[str]]:
    """The modules that strings name, without their ending, and all words in them."""
    found = [match[1] for text in strings for match in _MODULE_FILE.finditer(text)]
    return found, frozenset(word for text in strings for word in re.findall(r"\w+", text))


def are_plain_build_tools(requirements: Sequence[object]) -> bool:
    """Whether builds need only tools that are known to read no modules of the project by themselves."""
    for text in requirements:
        try:
            requirement = Requirement(str(text).strip())
        except UNREADABLE:
            return False
        if requirement.url or canonicalize_name(requirement.name) not in _PLAIN_BUILD_REQUIREMENTS:
            return False
    return True
