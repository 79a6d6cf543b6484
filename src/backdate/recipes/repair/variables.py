"""Variables of the environment that the project reads and nobody sets: a key, an address, a switch."""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.recipes.files import Files
from backdate.recipes.repair.error_class import ErrorClass
from backdate.recipes.repair.repair import Repair
from backdate.recipes.repair.repair_context import RepairContext, all_matches, failure_text, with_variables

_WANTED = re.compile(
    r"KeyError: '(\w{3,60})'"
    r"|UndefinedValueError: (\w{2,60}) not found"  # python-decouple
    r"|(?:Set the|set the|Missing|missing) (?:environment variable |env(?:ironment)? var(?:iable)? )?"
    r"'?([A-Z][A-Z0-9]*_[A-Z0-9_]{1,60})"
    r"|[Ee]nvironment variable ['\"]?(\w{2,60})['\"]? (?:is )?not (?:set|defined|found)"  # environs
)
_SETTINGS = re.compile(r"validation errors? for (\w{0,60}(?:Settings|Config|Env)\w{0,60})")
_REQUIRED = re.compile(r"\b(\w{2,60}) [Ff]ield required")
"""What pydantic says of settings that it reads from variables, case aside."""
_EXAMPLE = re.compile(
    r"\.?env[._-](?:example|sample|test|template|dist|ci|defaults?)|\.?(?:example|sample|test)[._-]env"
)
_SET = re.compile(
    r"(?m)^[ \t]{0,8}(?:export )?([A-Za-z]\w{1,60})[ \t]{0,4}=[ \t]{0,4}['\"]?([^'\"\n]{0,300})"
)
_READ = re.compile(
    r"environ\[['\"](?P<environ>(?!DJANGO_SETTINGS_MODULE)\w{2,60})['\"]\](?!\s{0,10}=[^=])"
    r"|\b(?:config|env(?:\.(?P<kind>\w{2,10}))?)\(\s{0,40}['\"](?P<other>\w{2,60})['\"]"
    r"(?:\s{0,40},\s{0,40}cast\s{0,4}=\s{0,4}(?P<cast>\w{2,20}))?\s{0,40},?\s{0,40}\)"
)
"""What a file reads without a default: ``config`` is decouple's, ``env`` environs' and django-environ's."""
_FIELD = re.compile(r"(?m)^[ \t]{1,8}(\w{2,60})[ \t]{0,4}:[ \t]{0,4}(\w{2,40})[ \t]{0,4}$")
_NUMBERS = frozenset({"int", "bool", "float", "integer", "boolean"})
_DEPTH, _MOST_FOLDERS, _MOST_FILES = 3, 60, 400
_STAND_IN = "stand-in"


def example_variables(context: RepairContext) -> Iterator[Repair]:
    """Variables that the project's own example of an environment file sets."""
    wanted = _wanted(context)
    for name in _examples(context.files) if wanted else ():
        example = dict(_SET.findall(context.files.text(name) or ""))
        if wanted & example.keys():
            changed = with_variables(context.recipe, example, "example of variables", name)
            if changed != context.recipe:
                reason = f"{', '.join(sorted(wanted & example.keys()))} as in {name}"
                yield context.repaired(ErrorClass.NEEDS_SECRET, "example of variables", reason, changed)
                return


def variables_without_example(context: RepairContext) -> Iterator[Repair]:
    """A value that stands in for each variable that files read which read one that nobody sets.

    Tests that need no more than that it is there pass then; those that need its value fail as before.
    """
    wanted = _wanted(context)
    if not wanted:
        return
    exampled = {
        name for file in _examples(context.files) for name, _ in _SET.findall(context.files.text(file) or "")
    }
    known = {variable.name for variable in context.recipe.variables} | dict(
        context.recipe.test.environment
    ).keys()
    missing: dict[str, str] = {}
    for file in _sources(context.files):
        read = dict(_read_by(context.files.text(file) or ""))
        if not wanted & read.keys():
            read = {name: kind for name, kind in _fields_of(context, file).items() if name in wanted}
        if wanted & read.keys():
            missing |= {
                name: _value(name, kind) for name, kind in read.items() if name not in known | exampled
            }
    if missing and wanted & missing.keys():
        changed = with_variables(
            context.recipe, missing, "stand-in for a variable", ", ".join(sorted(missing))
        )
        reason = f"stand-ins for {', '.join(sorted(missing))}, which the project reads and nobody sets"
        yield context.repaired(ErrorClass.NEEDS_SECRET, "stand-in for a variable", reason, changed)


def _wanted(context: RepairContext) -> frozenset[str]:
    """The names that errors say nobody set; of a KeyError any name."""
    if context.failure.phase != "tests":
        return frozenset()
    text = failure_text(context.failure)
    read = {next(filter(None, match.groups())) for match in all_matches(_WANTED, text)}
    fields = (name for found in all_matches(_SETTINGS, text) for name in _REQUIRED.findall(found.string))
    return frozenset((*read, *(one for name in fields for one in (name, name.upper()))))


def _fields_of(context: RepairContext, file: str) -> dict[str, str]:
    """The fields of settings of pydantic that are refused and that a file defines, each with its type."""
    text = context.files.text(file) or ""
    names = {found[1] for found in all_matches(_SETTINGS, failure_text(context.failure))}
    if "env_prefix" in text or not any(f"class {name}(" in text for name in names):
        return {}
    return {name: kind.lower() for name, kind in _FIELD.findall(text)}


def _examples(files: Files) -> Iterator[str]:
    """The project's examples of environment files, those at its root first."""
    for folder in (".", *files.folders_below(depth=2, most=_MOST_FOLDERS)):
        for name in files.names(folder):
            if _EXAMPLE.fullmatch(name):
                yield name if folder == "." else f"{folder}/{name}"


def _sources(files: Files) -> Iterator[str]:
    left = _MOST_FILES
    for folder in (".", *files.folders_below(depth=_DEPTH, most=_MOST_FOLDERS)):
        for name in files.names(folder):
            if name.endswith(".py") and left:
                left -= 1
                yield name if folder == "." else f"{folder}/{name}"


def _read_by(text: str) -> Iterator[tuple[str, str]]:
    """The names that a file reads without a default, each with what it is made of ("int"; "" for a text)."""
    for match in _READ.finditer(text):
        yield match["environ"] or match["other"], (match["cast"] or match["kind"] or "").lower()


def _value(name: str, kind: str) -> str:
    """What stands in: a number, a database in memory, an address of this machine, or a word."""
    if kind in _NUMBERS or re.search(r"DEBUG|PORT$|_ID$|TIMEOUT", name, re.IGNORECASE):
        return "1"
    if re.search(r"DATABASE|DB_UR[IL]|SQLALCHEMY", name, re.IGNORECASE) and re.search(
        r"UR[IL]", name, re.IGNORECASE
    ):
        return "sqlite:///:memory:"
    if re.search(r"UR[IL]$|ENDPOINT$", name, re.IGNORECASE):
        return "http://localhost"
    return "localhost" if re.search(r"HOSTS?$", name, re.IGNORECASE) else _STAND_IN
