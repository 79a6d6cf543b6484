"""Says what a function gives all of its arguments on to: a deprecated one often does nothing else.

Read from its source, in the syntax of Python 2.7 to today's; nothing is called.
"""

import ast
import inspect
import textwrap


def delegate_of(found, of_object):
    """The function that ``found`` only calls, with what it was given itself: "lib.prod", or
    "{self}.worktree().stage" for a method; "" where it does anything else."""
    try:
        itself = inspect.unwrap(found)
        tree = ast.parse(textwrap.dedent(inspect.getsource(itself)))
        return _delegate(tree.body[0], itself, of_object)
    except BaseException:
        return ""


def home_of_delegate(found, owner):
    """Where the method is defined that ``found``, a method of the class ``owner``, gives everything on to
    through one attribute or method of its object: "lib.routing.Router.on_event"; "" where nothing says of
    which class that is."""
    try:
        itself = inspect.unwrap(found)
        function = ast.parse(textwrap.dedent(inspect.getsource(itself))).body[0]
        call = next(one for one in function.body if isinstance(one, ast.Return)).value
        through, leaf = call.func.value, call.func.attr
        if isinstance(through, ast.Call):
            made = _returned(getattr(owner, through.func.attr))
        else:
            made = _kept(owner, through.attr)
        return made.__module__ + "." + made.__qualname__ + "." + leaf if inspect.isclass(made) else ""
    except BaseException:
        return ""


def _returned(method):
    """The class that a method says it returns."""
    hint = getattr(inspect.unwrap(method), "__annotations__", {}).get("return")
    return method.__globals__.get(hint) if isinstance(hint, str) else hint


def _kept(owner, attribute):
    """The class of what an object is made with: ``self.router = Router(...)``."""
    kept = vars(owner).get(attribute)
    if isinstance(kept, property):
        return _returned(kept.fget)
    made = owner.__init__
    tree = ast.parse(textwrap.dedent(inspect.getsource(made)))
    for node in ast.walk(tree):
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        named = any(isinstance(one, ast.Attribute) and one.attr == attribute for one in targets)
        value = getattr(node, "value", None)
        if named and isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            return made.__globals__.get(value.func.id)
    return None


def _delegate(function, found, of_object):
    if not isinstance(function, ast.FunctionDef):
        return ""
    statements = [one for one in function.body if not _says_something(one)]
    if len(statements) != 1 or not isinstance(statements[0], ast.Return):
        return ""
    call = statements[0].value
    names = [one.arg for one in function.args.args]
    itself = names.pop(0) if of_object and names else None
    names += [one.arg for one in function.args.kwonlyargs]
    stars = [one.arg for one in (function.args.vararg, function.args.kwarg) if one is not None]
    if not isinstance(call, ast.Call) or sorted(_given_on(call, names)) != sorted(names + stars):
        return ""
    return _spelled(call.func, itself, found)


def _says_something(statement):
    """Whether a statement is documentation, an import for it, or a call that warns."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return True
    if not isinstance(statement, ast.Expr):
        return False
    value = statement.value
    if not isinstance(value, ast.Call):
        return not isinstance(value, (ast.Await, ast.Yield, ast.YieldFrom))
    called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
    return "warn" in called.lower() or "deprecat" in called.lower()


def _given_on(call, names):
    """The parameters that a call passes on as they came; those by position in their own order."""
    passed = []
    for number, given in enumerate(call.args):
        value = given.value if isinstance(given, ast.Starred) else given
        if not isinstance(value, ast.Name):
            return []
        if value is given and (number >= len(names) or value.id != names[number]):
            return []
        passed.append(value.id)
    for keyword in call.keywords:
        if not isinstance(keyword.value, ast.Name) or keyword.arg not in (None, keyword.value.id):
            return []
        passed.append(keyword.value.id)
    return passed


def _spelled(node, itself, found):
    """A chain of public attributes, and of calls of methods that are given nothing."""
    if isinstance(node, ast.Name):
        if itself is not None:
            return "{self}" if node.id == itself else ""
        known = node.id in found.__globals__ and not node.id.startswith("_")
        return found.__module__ + "." + node.id if known else ""
    if isinstance(node, ast.Attribute) and not node.attr.startswith("_"):
        owner = _spelled(node.value, itself, found)
        return owner + "." + node.attr if owner else ""
    if isinstance(node, ast.Call) and itself is not None and not node.args and not node.keywords:
        owner = _spelled(node.func, itself, found)
        return owner + "()" if owner else ""
    return ""
