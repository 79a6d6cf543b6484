"""Says what a function needs to be defined elsewhere: its source, and what that takes from its module.

Read from its source, in the syntax of Python 2.7 to today's; nothing is called.
"""

import ast
import inspect
import re
import symtable
import textwrap
import types

MOST_LINES = 60
MOST_FUNCTIONS = 4
LONGEST_VALUE = 400
_PLAIN = (type(None), bool, int, float, complex, str, type(""), bytes)
_PATTERN = type(re.compile(""))


class NotMovable(Exception):
    """The function needs more than a definition can hold."""


def definition_of(found):
    """What defines the function ``found``: parts as (name, text), the function's own last, and imports as
    (statement, local name, dotted name); None where it is no plain function, long, or needs other things."""
    try:
        if not isinstance(found, types.FunctionType):
            return None
        parts, imports = [], {}
        _add(found, parts, imports, [])
        if sum(text.count("\n") + 1 for _, text in parts) > MOST_LINES:
            return None
        return {
            "parts": parts,
            "imports": [[imports[name][0], name, imports[name][1]] for name in sorted(imports)],
        }
    except BaseException:
        return None


def _add(function, parts, imports, under_way):
    """Add ``function`` and what it needs, that first."""
    if function.__closure__ or function in under_way or len(under_way) >= MOST_FUNCTIONS:
        raise NotMovable(function.__name__)
    source = textwrap.dedent(inspect.getsource(function)).rstrip()
    if not re.match(r"def\s+" + re.escape(function.__name__) + r"\s*\(", source):
        raise NotMovable(function.__name__)  # decorated, a lambda, or not what its name says
    under_way = list(under_way)
    under_way.append(function)
    for name in sorted(_global_names(source) - {function.__name__}):
        if name in [part[0] for part in parts] or name in imports:
            continue
        if name in function.__globals__:
            _add_needed(name, function.__globals__[name], function, parts, imports, under_way)
        elif not _is_builtin(name, function):
            raise NotMovable(name)
    parts.append([function.__name__, source])


def _add_needed(name, value, function, parts, imports, under_way):
    """Add what a module-level name stands for."""
    if inspect.ismodule(value):
        plain = value.__name__ == name
        statement = "import " + value.__name__ + ("" if plain else " as " + name)
        if not plain and "." in value.__name__ and value.__name__.rpartition(".")[2] == name:
            statement = "from " + value.__name__.rpartition(".")[0] + " import " + name
        imports[name] = (statement, value.__name__)
    elif isinstance(value, types.FunctionType) and value.__module__ == function.__module__:
        if value.__name__ != name:
            raise NotMovable(name)
        _add(value, parts, imports, under_way)
    elif _is_plain(value) and len(repr(value)) <= LONGEST_VALUE:
        parts.append([name, name + " = " + repr(value)])
    elif isinstance(value, _PATTERN) and len(repr(value.pattern)) <= LONGEST_VALUE:
        imports.setdefault("re", ("import re", "re"))
        flags = int(value.flags) & ~int(re.compile("").flags)
        parts.append([name, "%s = re.compile(%r%s)" % (name, value.pattern, ", %d" % flags if flags else "")])
    elif getattr(value, "__name__", "") and isinstance(getattr(value, "__module__", None), str):
        if value.__module__ == function.__module__:
            raise NotMovable(name)
        own = value.__name__ if value.__name__ == name else value.__name__ + " as " + name
        imports[name] = (
            "from " + value.__module__ + " import " + own,
            value.__module__ + "." + value.__name__,
        )
    else:
        raise NotMovable(name)


def _is_plain(value):
    """Whether the text of a value says all of it."""
    if type(value) in (tuple, list, set, frozenset):
        return all(_is_plain(one) for one in value)
    if type(value) is dict:
        return all(_is_plain(one) for pair in value.items() for one in pair)
    return type(value) in _PLAIN


def _is_builtin(name, function):
    builtins = function.__globals__.get("__builtins__", {})
    return name in (builtins if isinstance(builtins, dict) else vars(builtins))


def _global_names(source):
    """The names that a function's text takes from its module, those of defaults and annotations too."""
    ast.parse(source)
    whole = symtable.symtable(source, "definition", "exec")
    outside = [one for one in whole.get_symbols() if one.is_referenced() and not one.is_assigned()]
    names = {one.get_name() for one in outside}
    waiting = list(whole.get_children())
    while waiting:
        table = waiting.pop()
        waiting.extend(table.get_children())
        names.update(one.get_name() for one in table.get_symbols() if one.is_global())
    return names
