"""Says what a function, a class or a constant needs to be defined elsewhere: its source, and what that takes
from its module.

Read from its source, in the syntax of Python 2.7 to today's; nothing is called.
"""

import ast
import inspect
import re
import symtable
import sys
import textwrap
import types

MOST_LINES = 80
MOST_DEFINITIONS = 4
LONGEST_VALUE = 400
_PLAIN = (type(None), bool, int, float, str, type(b"".decode("ascii")), bytes)
_PATTERN = type(re.compile(""))


class NotMovable(Exception):
    """It needs more than a definition can hold."""


def definition_of(found, name):
    """What defines ``found``, in use as the dotted ``name``: parts as (name, text), its own last, and imports
    as (statement, local name, dotted name); None where it is none of these, long, or needs other things."""
    try:
        parts, imports = [], {}
        if _is_plain(found):
            _add_needed(name.rpartition(".")[2], found, None, parts, imports, [])
        else:
            _add(found, parts, imports, [])
    except BaseException:
        return None
    if sum(text.count("\n") + 1 for _, text in parts) > MOST_LINES:
        return None
    needed = [[imports[name][0], name, imports[name][1]] for name in sorted(imports)]
    return {"parts": parts, "imports": needed}


def _add(found, parts, imports, under_way):
    """Add a function or class and what it needs, that first."""
    name = found.__name__
    if found in under_way or len(under_way) >= MOST_DEFINITIONS or not _is_definable(found):
        raise NotMovable(name)
    source = textwrap.dedent(inspect.getsource(found)).rstrip()
    if not re.match(r"(?:def|class)\s+" + re.escape(name) + r"\s*[(:]", source):
        raise NotMovable(name)  # decorated, a lambda, or not what its name says
    module = vars(sys.modules[found.__module__])
    under_way = list(under_way)
    under_way.append(found)
    for one in sorted(_global_names(source) - {name}):
        if one in [part[0] for part in parts] or one in imports:
            continue
        if one in module:
            _add_needed(one, module[one], found, parts, imports, under_way)
        elif not _is_builtin(one, module):
            raise NotMovable(one)
    parts.append([name, source])


def _is_definable(found):
    """Whether it is a plain function, or a class of which nobody asks whether it is the library's."""
    if isinstance(found, types.FunctionType):
        return not found.__closure__
    return inspect.isclass(found) and not issubclass(found, BaseException)


def _add_needed(name, value, user, parts, imports, under_way):
    """Add what a name stands for in the module of ``user``."""
    if inspect.ismodule(value):
        plain = value.__name__ == name
        statement = "import " + value.__name__ + ("" if plain else " as " + name)
        if not plain and "." in value.__name__ and value.__name__.rpartition(".")[2] == name:
            statement = "from " + value.__name__.rpartition(".")[0] + " import " + name
        imports[name] = (statement, value.__name__)
    elif _is_plain(value) and len(repr(value)) <= LONGEST_VALUE:
        parts.append([name, name + " = " + repr(value)])
    elif isinstance(value, _PATTERN) and len(repr(value.pattern)) <= LONGEST_VALUE:
        imports.setdefault("re", ("import re", "re"))
        flags = int(value.flags) & ~int(re.compile("").flags)
        parts.append([name, "%s = re.compile(%r%s)" % (name, value.pattern, ", %d" % flags if flags else "")])
    elif getattr(value, "__name__", "") and isinstance(getattr(value, "__module__", None), str):
        if value.__module__ != user.__module__:
            module, own = value.__module__, value.__name__
            alias = "" if own == name else " as " + name
            imports[name] = ("from " + module + " import " + own + alias, module + "." + own)
        elif value.__name__ == name:
            _add(value, parts, imports, under_way)
        else:
            raise NotMovable(name)
    else:
        raise NotMovable(name)


def _is_plain(value):
    """Whether the text of a value says all of it."""
    if type(value) in (tuple, list, set, frozenset):
        return all(_is_plain(one) for one in value)
    if type(value) is dict:
        return all(_is_plain(one) for pair in value.items() for one in pair)
    if type(value) is float and repr(value).strip("-") in ("inf", "nan"):
        return False
    return type(value) in _PLAIN


def _is_builtin(name, module):
    builtins = module.get("__builtins__", {})
    return name in (builtins if isinstance(builtins, dict) else vars(builtins))


def _global_names(source):
    """The names that a definition's text takes from its module, those of defaults and annotations too."""
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
