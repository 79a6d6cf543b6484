"""nox: the sessions of a noxfile.py, read from its syntax tree and never executed.

Of a session's function, calls of ``session.install`` and ``session.run`` with words that are written out
(or that names of the module or the function hold) are followed, and so are helpers that are given the
session.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from backdate.editing.python_source import UNPARSABLE, parse_source
from backdate.recipes.actions import Action, DeclaredJob
from backdate.recipes.command import ProgramCall
from backdate.recipes.commands import understand
from backdate.recipes.files import Files, normal_path
from backdate.recipes.recipe import DeclaredPythons, Provenance, SkippedInstruction, Variable
from backdate.recipes.sources.matrix import choose_entry, cpython_versions
from backdate.sandboxes.services.wanted import WantedService

FILE = "noxfile.py"
_RULE = "nox"
_DEEPEST = 4
_MOST_WORDS = 500
_INSTALLS = ("install", "poetry.installroot")
_RUNS = ("run", "run_always", "run_install")
_JOIN = ("os.path.join", "pathlib.Path", "Path", "posixpath.join")
_SAME_PATH = ("os.path.abspath", "os.path.realpath", "pathlib.Path", "os.fspath")
_TAKE_A_WORD = (
    *("-c", "-r", "-e", "--constraint", "--requirement", "--editable", "--group", "--extra"),
    *("-k", "-m", "-o", "-p", "-W", "--ignore", "--deselect", "--rootdir"),
)
"""Options of pip and pytest, of which a value that is not known would be the next word."""
_HERE = ("os.getcwd", "pathlib.Path.cwd", "Path.cwd")
_UNLIKELY = re.compile(
    r"lint|doc|flake|mypy|style|black|format|release|build|type|cover|bump|publish|dev\b|security|clean|changelog"
    r"|xdoctest|typeguard|safety|pre.?commit|blacken",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _NoxSession:
    name: str
    function: ast.FunctionDef
    versions: tuple[str, ...]
    parameters: Mapping[str, ast.expr]
    """What ``nox.parametrize`` gives its arguments, of the run that is followed."""


class _UnknownWord(Exception):
    """A word that only running the file could tell."""


def read_nox(
    files: Files, names: Sequence[str] = ()
) -> tuple[tuple[DeclaredJob, ...], tuple[SkippedInstruction, ...]]:
    """The sessions ``names``, or the one that most likely runs the tests."""
    text = files.text(FILE)
    if text is None:
        return (), ()
    try:
        tree = parse_source(text)
        module = _Module(files, tree)
        wanted = [name.partition("-")[0].partition("(")[0] for name in names] or module.likely()
        sessions = [session for session in module.sessions if session.name in wanted]
        return tuple(module.candidate(session) for session in sessions[:20]), ()
    except UNPARSABLE as error:
        where = Provenance(rule=_RULE, file=FILE)
        return (), (
            SkippedInstruction(reason=f"not Python that can be read: {error}"[:300], provenance=where),
        )


class _Module:
    def __init__(self, files: Files, tree: ast.Module) -> None:
        self._files = files
        self._constants: dict[str, ast.expr] = {}
        self._functions: dict[str, ast.FunctionDef] = {}
        self.sessions: list[_NoxSession] = []
        self._chosen: list[str] = []
        for node in tree.body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
                if isinstance(target, ast.Name):
                    self._constants[target.id] = node.value
                elif ast.unparse(target) == "nox.options.sessions":
                    self._chosen = self._known(node.value)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
                self._constants[node.target.id] = node.value
            elif isinstance(node, ast.FunctionDef):
                self._functions[node.name] = node
        self.sessions = [session for node in self._functions.values() if (session := self._session(node))]

    def likely(self) -> list[str]:
        usable = [session.name for session in self.sessions if not _UNLIKELY.search(session.name)]
        tests = [name for name in usable if re.search(r"test|unit", name)]
        return (tests or [name for name in self._chosen if name in usable] or usable)[:1]

    def candidate(self, session: _NoxSession) -> DeclaredJob:
        actions: list[Action] = []
        where = Provenance(rule=_RULE, file=FILE, line=session.function.lineno)
        if session.versions:
            actions.append(DeclaredPythons(versions=session.versions, provenance=where))
        arguments = session.function.args.args
        if arguments:
            constants = self._constants
            self._constants = {**constants, **session.parameters}
            actions += self._body(session.function.body, arguments[0].arg, ".", 0)
            self._constants = constants
        return DeclaredJob(
            kind=_RULE,
            name=f"session {session.name}",
            actions=tuple(actions),
            doubts=2 * len(_UNLIKELY.findall(session.name)),
            provenance=where,
        )

    def _session(self, node: ast.FunctionDef) -> _NoxSession | None:
        for decorator in node.decorator_list:
            call = decorator if isinstance(decorator, ast.Call) else None
            named = ast.unparse(call.func if call else decorator)
            if named not in ("nox.session", "session", "nox_poetry.session"):
                continue
            keywords = {keyword.arg: keyword.value for keyword in call.keywords} if call else {}
            name = self._known(keywords.get("name"))
            python = keywords.get("python", keywords.get("py", call.args[0] if call and call.args else None))
            parameters, tested = self._parameters(node)
            return _NoxSession(
                name=name[0] if name else node.name,
                function=node,
                versions=cpython_versions([*self._known(python), *tested]),
                parameters=parameters,
            )
        return None

    def _parameters(self, node: ast.FunctionDef) -> tuple[dict[str, ast.expr], list[str]]:
        """The arguments of the newest interpreter and dependencies, and all interpreters that are named."""
        chosen: dict[str, ast.expr] = {}
        pythons: list[str] = []
        for decorator in node.decorator_list:
            if not isinstance(decorator, ast.Call) or len(decorator.args) < 2:
                continue
            if ast.unparse(decorator.func) not in ("nox.parametrize", "parametrize"):
                continue
            names = [part.strip() for word in self._known(decorator.args[0]) for part in word.split(",")]
            rows = [row for item in self._items(decorator.args[1]) if (row := self._row(item, names))]
            known = [{name: self._known(value) for name, value in row.items()} for row in rows]
            entries = [{name: words[0] for name, words in row.items() if len(words) == 1} for row in known]
            pythons += [entry["python"] for entry in entries if "python" in entry]
            numbered = [entry | {"": str(number)} for number, entry in enumerate(entries)]
            entry, _ = choose_entry({}, numbered, [])
            if entry:
                chosen |= rows[int(entry[""])]
        return chosen, pythons

    def _items(self, node: ast.expr) -> list[ast.expr]:
        if isinstance(node, ast.Name) and node.id in self._constants:
            node = self._constants[node.id]
        return node.elts if isinstance(node, ast.List | ast.Tuple) else []

    def _row(self, item: ast.expr, names: Sequence[str]) -> dict[str, ast.expr]:
        """The values of the arguments ``names`` in one run; empty where they cannot be read."""
        if isinstance(item, ast.Call) and ast.unparse(item.func) in ("nox.param", "param"):
            values = item.args
        elif len(names) > 1:
            values = self._items(item)
        else:
            values = [item]
        return dict(zip(names, values, strict=True)) if len(values) == len(names) else {}

    def _known(self, node: ast.expr | None) -> list[str]:
        """The words that an expression holds; none when they are computed."""
        if node is None:
            return []
        try:
            return self._words(node, 0)
        except _UnknownWord:
            return []

    def _words(self, node: ast.expr, depth: int) -> list[str]:
        if depth > _DEEPEST * 3 or not self._files.spend():
            raise _UnknownWord
        match node:
            case ast.Constant(value=str() | int() | float() as value):
                return [str(value)]
            case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
                listed = [word for item in items for word in self._words(item, depth + 1)]
                if len(listed) > _MOST_WORDS:
                    raise _UnknownWord
                return listed
            case ast.Starred(value=value):
                return self._words(value, depth + 1)
            case ast.Name(id=name) if name in self._constants:
                return self._words(self._constants[name], depth + 1)
            case ast.Attribute(attr="posargs"):
                return []
            case ast.BoolOp(op=ast.Or(), values=[ast.Attribute(attr="posargs"), default]):
                return self._words(default, depth + 1)
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                words = [*self._words(left, depth + 1), *self._words(right, depth + 1)]
                if isinstance(left, ast.Constant) or isinstance(right, ast.Constant):
                    return ["".join(words)]
                return words
            case ast.JoinedStr(values=parts):
                return ["".join(word for part in parts for word in self._one_word(part, depth + 1))]
            case ast.FormattedValue(value=value, conversion=-1, format_spec=None):
                return self._one_word(value, depth + 1)
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str() as pattern), attr="format")):
                return [self._formatted(pattern, node, depth + 1)]
            case ast.Call(func=ast.Name(id="str" | "Path"), args=[inner]):
                return self._words(inner, depth + 1)
        return [self._path(node, depth)]

    def _path(self, node: ast.expr, depth: int) -> str:
        """A path that is put together, as seen from the noxfile's folder, where nox runs its sessions."""
        parts: list[ast.expr]
        match node:
            case ast.Name(id="__file__"):
                return FILE
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                parts = [left, right]
            case ast.Call(func=function, args=arguments) if ast.unparse(function) in _JOIN:
                parts = arguments
            case ast.Call(func=function, args=[inner]) if ast.unparse(function) in _SAME_PATH:
                return self._one_word(inner, depth + 1)[0]
            case ast.Call(func=function, args=[inner]) if ast.unparse(function) == "os.path.dirname":
                return posixpath.dirname(self._one_word(inner, depth + 1)[0]) or "."
            case ast.Call(func=ast.Attribute(value=inner, attr="absolute" | "resolve" | "as_posix"), args=[]):
                return self._one_word(inner, depth + 1)[0]
            case ast.Attribute(value=inner, attr="parent"):
                return posixpath.dirname(self._one_word(inner, depth + 1)[0]) or "."
            case ast.Call(func=function, args=[]) if ast.unparse(function) in _HERE:
                return "."
            case _:
                raise _UnknownWord
        return posixpath.normpath(posixpath.join(*(self._one_word(part, depth + 1)[0] for part in parts), ""))

    def _one_word(self, node: ast.expr, depth: int) -> list[str]:
        words = self._words(node, depth)
        if len(words) != 1:
            raise _UnknownWord
        return words

    def _formatted(self, pattern: str, call: ast.Call, depth: int) -> str:
        """``"django=={}".format(django)``, where every field is a plain ``{}``."""
        parts = pattern.split("{}")
        words = [word for argument in call.args for word in self._one_word(argument, depth)]
        if call.keywords or len(parts) != len(words) + 1 or "{" in "".join(parts):
            raise _UnknownWord
        return parts[0] + "".join(word + part for word, part in zip(words, parts[1:], strict=True))

    def _body(self, body: Sequence[ast.stmt], session: str, cwd: str, depth: int) -> Iterator[Action]:
        for statement in body:
            if not self._files.spend():
                return
            if isinstance(statement, ast.With | ast.Try):
                yield from self._body(statement.body, session, cwd, depth)
                continue
            if isinstance(statement, ast.If | ast.For | ast.While):
                yield from self._doubtful(statement, session, cwd, depth)
                continue
            self._remember(statement)
            call = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
            if not isinstance(call, ast.Call):
                continue
            named = ast.unparse(call.func)
            if named == f"{session}.chdir":
                cwd = (
                    normal_path(cwd, " ".join(map(str, self._known(call.args[0] if call.args else None))))
                    or cwd
                )
            elif named.startswith(f"{session}."):
                yield from self._call(call, named.removeprefix(f"{session}."), cwd)
            elif named in self._functions and depth < _DEEPEST and _takes(call, session):
                helper = self._functions[named]
                if helper.args.args:
                    yield from self._body(helper.body, helper.args.args[0].arg, cwd, depth + 1)

    def _doubtful(
        self, statement: ast.If | ast.For | ast.While, session: str, cwd: str, depth: int
    ) -> Iterator[Action]:
        """What stands under a condition: the part without further arguments where that is the question."""
        if isinstance(statement, ast.If) and ast.unparse(statement.test) == f"{session}.posargs":
            yield from self._body(statement.orelse, session, cwd, depth)
            return
        for action in self._body([*statement.body, *statement.orelse], session, cwd, depth):
            if not isinstance(action, WantedService):  # a noxfile declares none
                reason = "it stands under a condition or in a loop of noxfile.py"
                yield SkippedInstruction(reason=reason, provenance=action.provenance)
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._constants.pop(node.id, None)

    def _remember(self, statement: ast.stmt) -> None:
        """What a name of the function holds from here on; what is computed step by step is not known."""
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                self._constants[name] = value
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                self._constants[name] = value
            case ast.AugAssign(target=ast.Name(id=name)):
                self._constants.pop(name, None)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr=method))):
                if method in ("append", "extend", "insert"):
                    self._constants.pop(name, None)

    def _call(self, call: ast.Call, method: str, cwd: str) -> Iterator[Action]:
        text = ast.unparse(call)[:300]
        where = Provenance(rule=_RULE, file=FILE, line=call.lineno, text=text)
        yield from self._environment(call, where)
        if method not in (*_INSTALLS, *_RUNS):
            return
        words: list[str] = []
        unknown = False
        for argument in call.args:
            try:
                words += self._words(argument, 0)
            except _UnknownWord:
                unknown = True
                if words and words[-1] in _TAKE_A_WORD:
                    words.pop()
        if unknown:
            yield SkippedInstruction(
                reason="a word of the call is computed; it is left out", provenance=where
            )
        if method == "poetry.installroot":
            words = ["."]
        if method in _INSTALLS:
            words = ["pip", "install", *words]
        if len(words) > (2 if method in _INSTALLS else 0):
            yield from understand(
                ProgramCall(words=tuple(words), cwd=cwd, files=self._files, known={}, provenance=where)
            )

    def _environment(self, call: ast.Call, where: Provenance) -> Iterator[Action]:
        environment = next((keyword.value for keyword in call.keywords if keyword.arg == "env"), None)
        if isinstance(environment, ast.Dict):
            for key, value in zip(environment.keys, environment.values, strict=True):
                name, known = self._known(key), self._known(value)
                if len(name) == 1 and len(known) == 1:
                    yield Variable(name=name[0], value=known[0], provenance=where)


def _takes(call: ast.Call, session: str) -> bool:
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == session
