"""Says by which other names objects are known, what their documentation says, and what their owners hold.

Runs inside the dated environment, as ``backdate_api_probe.py`` does and with its functions: no dependency,
and the syntax of Python 2.7 to today's. Called with the path of a JSON request and that of the file to write.
"""

import ast
import inspect
import io
import json
import os
import sys
import warnings

from backdate_api_probe import load
from backdate_definitions import definition_of
from backdate_delegates import delegate_of, home_of_delegate
from backdate_members import clean, code_of, document_of, home_of, kind_of, parameters_of

MOST_ALIASES = 40
MOST_MEMBERS = 4000
DOCUMENT_LENGTH = 6000
_SHARED = (type(None), bool, int, str, bytes, tuple, frozenset)
"""Of these there are equal ones everywhere that mean something else."""


def aliases_of(found, name):
    """Public dotted names of the same object, in modules that are loaded, or in its class."""
    if isinstance(found, _SHARED):
        return imported_names(found, name)
    names = []
    if inspect.ismodule(found):
        names.extend(known for known, module in list(sys.modules.items()) if module is found)
    for known, module in list(sys.modules.items()):
        if is_private(known):
            continue
        try:
            held = list(vars(module).items())
        except BaseException:
            continue
        for attribute, value in held:
            if value is found and isinstance(attribute, str) and not attribute.startswith("_"):
                names.append(known + "." + attribute)
    owner = name.rpartition(".")[0]
    try:
        holder = load(owner)[0] if owner else None
        if inspect.isclass(holder):
            public = [attribute for attribute in dir(holder) if not attribute.startswith("_")]
            names.extend(owner + "." + one for one in public if getattr(holder, one, None) is found)
    except BaseException:
        pass
    unique = sorted(set(names) - {name}, key=lambda one: (one.count("."), one))
    return [one for one in unique if len(one) < 300][:MOST_ALIASES]


def imported_names(found, name):
    """The public dotted names under which the module of ``name`` itself imports it: ``from a.b import c``."""
    owner, _, attribute = name.rpartition(".")
    module = sys.modules.get(owner)
    try:
        tree = ast.parse(inspect.getsource(module))
    except BaseException:
        return []
    names = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        source = source_of(node, module)
        for one in node.names:
            held = getattr(sys.modules.get(source), one.name, None)
            if (one.asname or one.name) == attribute and held is found:
                names.append(source + "." + one.name)
    return [one for one in sorted(set(names) - {name}) if not is_private(one)]


def source_of(node, module):
    """The module that ``from ... import`` reads, in ``module``."""
    if not node.level:
        return node.module or ""
    package = (getattr(module, "__package__", None) or "").split(".")
    outer = package[: len(package) - node.level + 1]
    if node.module:
        outer.append(node.module)
    return ".".join(outer)


def is_private(dotted):
    return any(part.startswith("_") for part in dotted.split("."))


def whole_document_of(found):
    try:
        return clean(inspect.getdoc(found) or "", DOCUMENT_LENGTH)
    except BaseException:
        return ""


def members_of(owner):
    """The public members of a module or class: names, kinds, parameters and first lines of documentation."""
    members = []
    for attribute in dir(owner):
        if attribute.startswith("_") or len(members) >= MOST_MEMBERS:
            continue
        try:
            value = getattr(owner, attribute)
        except BaseException:
            continue
        module, qualified = home_of(value)
        members.append(
            {
                "name": clean(attribute),
                "kind": kind_of(value),
                "module": module,
                "qualified": qualified,
                "parameters": parameters_of(value),
                "document": document_of(value),
                "code": code_of(value),
            }
        )
    return members


def answer_name(name):
    answer = {"name": name, "aliases": [], "document": "", "delegate": "", "delegate_home": ""}
    try:
        found, _ = load(name)
    except LookupError:
        return answer
    answer["aliases"] = aliases_of(found, name)
    answer["definition"] = definition_of(found, name)
    answer["delegate"] = clean(delegate_of(found, is_member(name)))
    if answer["delegate"].startswith("{self}.") and answer["delegate"].count(".") == 2:
        owner = load(name.rpartition(".")[0])[0]
        answer["delegate_home"] = clean(home_of_delegate(found, owner))
    # the documentation of a plain value is that of its class
    answer["document"] = whole_document_of(found) if kind_of(found) != "value" else ""
    return answer


def is_member(name):
    """Whether a dotted name is of a class."""
    try:
        return inspect.isclass(load(name.rpartition(".")[0])[0])
    except BaseException:
        return False


def answer_owner(owner):
    try:
        return {"owner": owner, "members": members_of(load(owner)[0])}
    except LookupError:
        return {"owner": owner, "members": []}


def answered(wanted):
    """A line for each name and owner of a request, as soon as it is known."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in wanted["also"]:
            try:
                load(name)
            except LookupError:
                pass
        for answer, names in ((answer_name, wanted["names"]), (answer_owner, wanted["owners"])):
            for name in names:
                try:
                    line = answer(name)
                except Exception:
                    continue
                yield json.dumps(line)


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
