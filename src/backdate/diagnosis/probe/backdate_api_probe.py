"""Says what dotted names are in the environment that runs it: one JSON object a line, in the order asked.

Runs inside the dated environment: no dependency, and the syntax of Python 2.7 to today's.
Called with the path of a JSON request and that of the file to write. Importing a library runs its
code, which may do anything: each answer is written and flushed before the next name is looked at.
"""

import importlib
import inspect
import io
import json
import os
import pkgutil
import re
import sys
import warnings

from backdate_members import (
    bases_of,
    clean,
    code_of,
    document_of,
    home_of,
    keywords_of,
    kind_of,
    parameters_of,
    signature_of,
)

try:
    import importlib.util
except ImportError:  # Python 2
    pass

MOST_CANDIDATES = 12
MOST_MODULES = 400
MOST_SOURCE = 1000000
MOST_TEXT = 2000000


def load(name):
    """(object, name of the module that was imported on the way) or raises LookupError with why."""
    parts = name.split(".")
    if parts[0] == "builtins" and sys.version_info[0] == 2:
        parts[0] = "__builtin__"
    module, why = None, ""
    taken = 0
    shown = None
    for count in range(1, len(parts) + 1):
        if hides_module(module, parts[count - 1]):
            if count == len(parts):
                break
            shown = shown or (module, count - 1)
        dotted = ".".join(parts[:count])
        try:
            module = importlib.import_module(dotted)
            taken = count
        except BaseException as error:  # a module that exits, or raises what is no Exception
            why = "%s: %s" % (type(error).__name__, clean(error))
            break
    if module is None:
        raise LookupError(why)
    try:
        return attribute_of(module, parts, taken)
    except LookupError:
        if shown is None:
            raise
        return attribute_of(shown[0], parts, shown[1])


def attribute_of(module, parts, taken):
    """As ``load``, from a module that ``taken`` of ``parts`` lead to."""
    found = module
    for number, part in enumerate(parts[taken:], start=taken + 1):
        try:
            found = getattr(found, part)
        except BaseException as error:
            if number == len(parts) and set_on_objects(found, part):
                return object(), ".".join(parts[:taken])
            raise LookupError("%s: %s" % (type(error).__name__, clean(error)))
    return found, ".".join(parts[:taken])


def hides_module(package, name):
    """Whether a package has something else by a name than its module: ``from .length import length``."""
    held = getattr(package, "__dict__", {})  # it may warn of what it makes when that is asked for
    try:
        return name in held and not inspect.ismodule(held[name])
    except BaseException:
        return False


def is_shown(module):
    """Whether the attributes from its top-level package on lead to a module that is imported.

    A package may take a module that can be imported out of its attributes: it is of the package's own use.
    """
    parts = module.split(".")
    found = sys.modules.get(parts[0])
    try:
        for part in parts[1:]:
            found = getattr(found, part)
    except BaseException:
        return False
    return True


def set_on_objects(holder, name):
    """Whether objects of a class have an attribute that the class itself lacks: annotated, or set on self."""
    if not inspect.isclass(holder):
        return False
    wanted = re.compile(r"\bself\." + re.escape(name) + r"(?:\s*:[^=\n]{1,200})?\s*=(?!=)")
    for base in holder.__mro__:
        try:
            if name in vars(base).get("__annotations__", ()) or name in getattr(base, "__annotations__", ()):
                return True
            if base is not object and wanted.search(inspect.getsource(base)[:MOST_SOURCE]):
                return True
        except BaseException:  # no source; annotations that cannot be evaluated
            continue
    return False


_BELOW = {}
_TEXTS = {}
"""What was read of modules once: each missing name is searched in all of them."""


def modules_below(top):
    """The names of public modules of a package, nearest first, without importing them."""
    if top not in _BELOW:
        _BELOW[top] = listed_below(top)
    return _BELOW[top]


def listed_below(top):
    try:
        package = importlib.import_module(top)
        paths = list(getattr(package, "__path__", []))
    except BaseException:
        return []
    names, level = [top], [(top, paths)]
    while level and len(names) < MOST_MODULES:
        deeper = []
        for prefix, folders in level:
            try:
                found = list(pkgutil.iter_modules(folders, prefix + "."))
            except BaseException:
                continue
            for entry in found:
                name, is_package = entry[1], entry[2]
                leaf = name.rpartition(".")[2]
                if leaf in ("tests", "test", "testing", "conftest", "__main__", "setup"):
                    continue
                names.append(name)
                if is_package:
                    deeper.append((name, [os.path.join(folder, leaf) for folder in folders]))
        level = deeper
    return names[:MOST_MODULES]


def same(one, other):
    """Whether a leaf is the same name up to case and underscores."""
    return one.replace("_", "").lower() == other.replace("_", "").lower()


def mentions(module, leaf):
    """Whether a module that is not imported yet may hold a name: its source does."""
    if module not in _TEXTS:
        _TEXTS[module] = text_of(module)
    return leaf.encode("utf-8") in _TEXTS[module]


def text_of(module):
    """The source of a module that is not imported; empty where it has none."""
    try:
        spec = importlib.util.find_spec(module)
        origin = getattr(spec, "origin", None)
        if not origin or not origin.endswith(".py"):
            return b""
        with io.open(origin, "rb") as file:
            return file.read(MOST_TEXT)
    except BaseException:
        return b""


def is_home(module, leaf):
    """Whether a module offers a name: a package, or where it is defined; not where it is only imported."""
    if hasattr(module, "__path__"):
        return True
    try:
        source = inspect.getsource(module)[:MOST_SOURCE]
    except BaseException:  # written in C
        return True
    whole = re.escape(leaf) + r"\b"
    imported = (
        r"^[ \t]*from[ \t]+\S+[ \t]+import[ \t]*(?:\([^)]{0,4000}\b" + whole + r"|[^\n#(]*\b" + whole + ")"
    )
    return re.search(imported, source, re.MULTILINE) is None


def in_modules(name, also):
    """Places in the modules of a distribution where the last part of a name lives, those imported first."""
    leaf, owner = name.rpartition(".")[2], name.rpartition(".")[0]
    tops = [name.partition(".")[0]]
    tops.extend(top for top in also if top not in tops)
    found, imported = [], []
    for top in tops:
        for module in modules_below(top):
            if module.rpartition(".")[2] == leaf and module != name:
                found.append(module)
            if module == owner:
                continue
            loaded = sys.modules.get(module)
            try:
                if loaded is None and mentions(module, leaf):
                    loaded = importlib.import_module(module)
                if loaded is not None and leaf in vars(loaded):
                    (found if is_home(loaded, leaf) else imported).append(module + "." + leaf)
            except BaseException:
                continue
    return found or imported


def candidates_of(name, also):
    """Where else a name may live; public homes before private ones, shallow before deep ones."""
    leaf, owner = name.rpartition(".")[2], name.rpartition(".")[0]
    try:
        holder = load(owner)[0] if owner else None
    except LookupError:
        holder = None
    # a member of a class has nothing to do with members of the same name elsewhere
    found = [] if inspect.isclass(holder) else in_modules(name, also)
    try:
        found.extend(owner + "." + other for other in dir(holder) if other != leaf and same(other, leaf))
    except BaseException:
        pass
    order = sorted(set(found), key=lambda one: ("._" in one, one.count("."), one))
    return [clean(one) for one in order[:MOST_CANDIDATES]]


def is_of_another(warned, name):
    """Whether a warning is about another library, which was imported on the way to ``name``."""
    behind = str(warned.filename).replace("\\", "/").split("-packages/")
    if len(behind) == 1 or name.rpartition(".")[2] in str(warned.message):
        return False
    top = behind[-1].partition("/")[0].partition(".")[0]
    return top.strip("_") != name.partition(".")[0].strip("_")


def answer_for(name, also, searched):
    answer = {"name": name, "present": False, "why": "", "kind": "", "module": "", "qualified": ""}
    answer.update({"signature": "", "parameters": [], "document": "", "candidates": [], "warnings": []})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found, module_on_the_way = load(name)
        except LookupError as error:
            answer["why"] = clean(error)
        else:
            module, qualified = home_of(found)
            keywords, takes_any = keywords_of(found)
            answer.update(
                {
                    "present": True,
                    "reached": is_shown(module_on_the_way),
                    "kind": kind_of(found),
                    "module": module,
                    "qualified": qualified,
                    "signature": signature_of(found),
                    "parameters": parameters_of(found),
                    "keywords": keywords,
                    "takes_any": takes_any,
                    "bases": bases_of(found),
                    "code": code_of(found),
                    "document": document_of(found),
                }
            )
        for one in [one for one in caught if not is_of_another(one, name)][:20]:
            kind = getattr(one.category, "__name__", "Warning")
            answer["warnings"].append({"category": clean(kind), "message": clean(one.message)})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if searched and not answer["present"]:
            answer["candidates"] = candidates_of(name, also)
    return answer


def answered(wanted):
    """A line for each name of a request, as soon as it is known."""
    searched = frozenset(wanted["searched"])
    for name in wanted["names"]:
        try:
            answer = answer_for(name, wanted["also"], name in searched)
        except Exception as error:
            answer = {"name": name, "present": False, "why": "the probe failed: " + clean(error)}
        yield json.dumps(answer)


def main(asked, answers):
    with io.open(asked, "r", encoding="utf-8") as file:
        wanted = json.load(file)
    with io.open(answers, "wb") as output:
        for line in answered(wanted):
            output.write(line.encode("ascii") + b"\n")
            output.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
    sys.stdout.flush()
    os._exit(0)  # threads that a library started must not keep this alive
