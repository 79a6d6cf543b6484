"""Says what an object is: its parameters, its bases, its code, its documentation, where it comes from.

Used by the probes beside it, inside the dated environment: the syntax of Python 2.7 to today's.
"""

import inspect
import zlib

TEXT_LENGTH = 500
SIGNATURE_LENGTH = 8000
DEFAULT_LENGTH = 200
MOST_BASES = 40
MOST_NAMES_OF_CODE = 2000
MOST_CHECKSUMS = 24


def clean(value, length=TEXT_LENGTH):
    try:
        return ("%s" % (value,))[:length]
    except BaseException:  # __str__ of a library's object may do anything
        return ""


class LongDefault(object):
    """In the place of a default whose text would fill a signature."""

    def __init__(self, length):
        self.length = length

    def __repr__(self):
        return "<%d characters>" % self.length


def shown_default(value):
    text = repr(value)
    return LongDefault(len(text)) if len(text) > DEFAULT_LENGTH else value


def signature_of(found):
    """The parameters and their defaults; without annotations, which change while calls stay the same.

    A part of one would read as one of fewer parameters: one that is too long is none.
    """
    if not callable(found):
        return ""
    try:
        whole = inspect.signature(found)
        empty = inspect.Parameter.empty
        parameters = [
            one.replace(
                annotation=empty, default=empty if one.default is empty else shown_default(one.default)
            )
            for one in whole.parameters.values()
        ]
        text = clean(inspect.Signature(parameters), SIGNATURE_LENGTH + 1)
        return text if len(text) <= SIGNATURE_LENGTH else ""
    except BaseException:  # none for much that is written in C; and none at all in Python 2
        return ""


def parameters_of(found):
    try:
        parameters = inspect.signature(found).parameters.values() if callable(found) else ()
        return [
            "%s%s" % ({"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(one.kind.name, ""), one.name)
            for one in parameters
        ]
    except BaseException:
        return []


def keywords_of(found):
    """(names, whether any other is taken as well): the keyword arguments that a call takes.

    A class hands what it does not name on to the next one's __init__, as long as it takes any (**kwargs).
    """
    try:
        if not inspect.isclass(found):
            functions = [found] if callable(found) else []
        else:
            bases = [base for base in found.__mro__ if base is not object]
            if any("__new__" in vars(base) for base in bases) or type(found).__call__ is not type.__call__:
                return [], True
            functions = [vars(base)["__init__"] for base in bases if "__init__" in vars(base)]
        names = []
        for function in functions:
            kinds = [(one.kind.name, one.name) for one in inspect.signature(function).parameters.values()]
            names.extend(name for kind, name in kinds if kind in ("POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY"))
            if not any(kind == "VAR_KEYWORD" for kind, _ in kinds):
                return sorted(set(names)), False
        return sorted(set(names)), True
    except BaseException:
        return [], True


def bases_of(found):
    """The dotted names of the classes that a class is made from, the nearest first."""
    try:
        homes = [home_of(base) for base in found.__mro__[1:MOST_BASES]] if inspect.isclass(found) else []
    except BaseException:
        return []
    own = ("builtins", "__builtin__", "exceptions")  # the latter two of Python 2
    return [name if module in own else module + "." + name for module, name in homes]


def code_of(found):
    """The smallest checksums of the names that a function or the methods of a class use.

    Names are the same in each Python; what is compiled of them is not.
    """
    try:
        values = list(vars(found).values()) if inspect.isclass(found) else [found]
        codes = [getattr(getattr(one, "__func__", one), "__code__", None) for one in values]
        names = set()
        while codes and len(names) < MOST_NAMES_OF_CODE:
            code = codes.pop()
            if inspect.iscode(code):
                names.update(code.co_names)
                codes.extend(code.co_consts)
        sums = sorted(zlib.crc32(name.encode("utf-8")) & 0xFFFFFFFF for name in names)
        return sums[:MOST_CHECKSUMS]
    except BaseException:
        return []


def document_of(found):
    try:
        text = inspect.getdoc(found) or ""
        lines = [line.strip() for line in clean(text, 4000).splitlines() if line.strip()]
        return lines[0][:TEXT_LENGTH] if lines else ""
    except BaseException:
        return ""


def home_of(found):
    """(module, qualified name) that an object says it comes from."""
    try:
        if inspect.ismodule(found):
            return clean(found.__name__), ""
        module = getattr(found, "__module__", None)
        name = getattr(found, "__qualname__", None) or getattr(found, "__name__", None)
        owner = getattr(found, "__objclass__", None)
        if module is None and inspect.isclass(owner):  # "iteritems = dict.items"
            module, name = owner.__module__, owner.__name__ + "." + found.__name__
        return (
            clean(module) if isinstance(module, str) else "",
            clean(name) if isinstance(name, str) else "",
        )
    except BaseException:
        return "", ""


def kind_of(found):
    try:
        # "Name = Union[int, str]" can be called, and says that it comes from typing
        if not inspect.isclass(found) and type(found).__module__ in ("typing", "types"):
            return "value"
    except BaseException:
        return "value"
    for kind, test in (("module", inspect.ismodule), ("class", inspect.isclass), ("function", callable)):
        try:
            if test(found):
                return kind
        except BaseException:
            pass
    return "value"
