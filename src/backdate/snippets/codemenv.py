"""CodeMEnv's rows (arXiv 2506.00894): easy, hard and Java, normalised and flagged.

A row's prose about its cases is not read; its script is (``harness.py``). What a row says otherwise than the
rest is brought into one form: versions ("tensorflow2.0", "2.0.0"), kinds of changes ("Add", "Added"), names
("np.asfarray(a)->ndarray"). Where it contradicts itself the snippet has a flag.
"""

from __future__ import annotations

import ast
import html
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from packaging.utils import canonicalize_name

from backdate.errors import SourceError, StoredDataError, UsageError
from backdate.knowledge.modules import distribution_of, in_standard_library
from backdate.serial import digest
from backdate.snippets.codemenv_rows import CodeMEnvRow, read_row
from backdate.snippets.direction import direction_of
from backdate.snippets.harness import ReadScript, read_script
from backdate.snippets.imported import PROBLEM_MISSING, RefusedRow, SnippetImport
from backdate.snippets.names import CUSTOMARY, aliases_of, bare_name, canonical_name, uses_any
from backdate.snippets.questions.read_text import change_kind
from backdate.snippets.row_lines import lines_of
from backdate.snippets.script_source import parsed, unfenced
from backdate.snippets.snippet import (
    ApiChange,
    ApiChangeKind,
    Collection,
    Direction,
    Language,
    Snippet,
    SnippetAsk,
    SnippetSide,
)
from backdate.snippets.versions import STANDARD_LIBRARY, Listing, side_of

_VERSION = re.compile(r"\d+(?:\.\d+)*")
_ID = re.compile(r"[^A-Za-z0-9_+-]+")
_STANDARD = frozenset(
    {STANDARD_LIBRARY, "python2", "python3", "builtins", "builtin", "stdlib", "standard library"}
)
"""What rows call the standard library as a whole."""
_READ = frozenset({"solution_function_script", "problem", "solution_function"})
"""Columns whose text stands in a place of its own."""
ASKS = (SnippetAsk.LOCATE, SnippetAsk.EXPLAIN, SnippetAsk.MIGRATE)


def read_rows(files: tuple[Path, ...], listing: Listing) -> SnippetImport:
    """The snippets of JSONL files. Raises UsageError for one without rows, and IndexUnavailable."""
    snippets: list[Snippet] = []
    refused: list[RefusedRow] = []
    seen: Counter[str] = Counter()
    for file in files:
        for name, line in lines_of(file):
            try:
                snippet = snippet_of(line, listing)
            except (StoredDataError, SourceError) as error:
                refused.append(RefusedRow(name=name, why=str(error)))
                continue
            seen[snippet.id] += 1
            again = seen[snippet.id]
            snippets.append(snippet if again == 1 else replace(snippet, id=f"{snippet.id}-{again}"))
    if not snippets:
        raise UsageError(f"no rows of CodeMEnv could be read of {', '.join(map(str, files))}")
    return SnippetImport(snippets=tuple(snippets), refused=tuple(refused))


def snippet_of(line: bytes, listing: Listing) -> Snippet:
    """The snippet of one row. Raises StoredDataError, SourceError and IndexUnavailable."""
    row, columns = read_row(line)
    published = {name: value for name, value in columns.items() if name not in _READ}
    if row.java_code:
        return _java(row, published)
    if not row.solution_function_script and not row.solution_function:
        raise StoredDataError("the row has no code")
    return _python(row, published, listing)


def _java(row: CodeMEnvRow, published: dict[str, str]) -> Snippet:
    name = bare_name(row.signature) or row.signature.strip()
    kind = change_kind(row.update_type)
    published.pop("java_code", None)
    return Snippet(
        id=_id("java", row),
        collection=Collection.CODEMENV_JAVA,
        language=Language.JAVA,
        asks=(SnippetAsk.LOCATE, SnippetAsk.EXPLAIN),
        library="java",
        origin=None,
        target=None,
        problem=row.function_description,
        code=row.java_code,
        entry=row.class_name,
        apis=(ApiChange(name=name, spelled=row.signature, change=kind, words=row.update),),
        flags=() if row.class_name and f"class {row.class_name}" in row.java_code else ("class-not-found",),
        published=published,
    )


def _id(kind: str, row: CodeMEnvRow) -> str:
    plain = _ID.sub("-", row.code_id)[:60].strip("-")
    return f"codemenv-{kind}-{plain or digest(row)[:10]}"


def _python(row: CodeMEnvRow, published: dict[str, str], listing: Listing) -> Snippet:
    hard = bool(row.signature_list)
    library = _library(row)
    script, flags = _script(row)
    aliases = aliases_of(script.code)
    versions = [_version(text) for text in (row.origin_version, row.compare_version)]
    origin, target = (side_of(library, version, listing) for version in versions)
    snippet = Snippet(
        id=_id("hard" if hard else "easy", row),
        collection=Collection.CODEMENV_HARD if hard else Collection.CODEMENV_EASY,
        asks=ASKS,
        library=library,
        origin=origin,
        target=target,
        problem=row.problem,
        code=script.code,
        entry=script.entry,
        harness=script.harness,
        published=published,
    )
    direction = direction_of(snippet)
    newer = target if direction is Direction.FORWARD else origin
    apis = tuple(_apis(row, aliases, library, newer))
    flags += _flags(row, snippet, direction, apis)
    return replace(snippet, apis=apis, flags=tuple(dict.fromkeys((*script.flags, *flags))))


def _library(row: CodeMEnvRow) -> str:
    """The distribution; ``python`` for the standard library, of which rows name the module."""
    package = _package(row)
    if package in _STANDARD or in_standard_library(package):
        return STANDARD_LIBRARY
    if not package:
        raise StoredDataError("the row names no package")
    return canonicalize_name(distribution_of(CUSTOMARY.get(package, package).partition(".")[0]))


def _package(row: CodeMEnvRow) -> str:
    """What the row calls its package, in small letters; without that, what its first name belongs to."""
    if row.package.strip():
        return row.package.strip().lower()
    aliases = aliases_of(unfenced(row.solution_function_script or row.solution_function)[0])
    spelled = row.signature_list[0] if row.signature_list else row.signature
    top, dot, _ = canonical_name(spelled, aliases).partition(".")
    return top.lower() if dot or not top else STANDARD_LIBRARY  # what needs no import is a builtin


def _version(text: str) -> str:
    """ "2.0" of "tensorflow2.0", "2.7" of "Python3-2.7": what has a point, else the first number."""
    found = [match[0] for match in _VERSION.finditer(text)]
    if not found:
        raise StoredDataError(f"{text!r} holds no version")
    return next((version for version in found if "." in version), found[0])


def _script(row: CodeMEnvRow) -> tuple[ReadScript, list[str]]:
    """The row's script in parts, and what is to be said of it beside its own function."""
    source, flags = unfenced(row.solution_function_script)
    function = unfenced(row.solution_function)[0]
    entry = bare_name(row.solution_signature) or _defined_in(function)
    if not source:
        return ReadScript(code=function, entry=entry, harness=read_script(function, entry).harness), [
            "script-missing"
        ]
    script = read_script(source, entry)
    noted = list(flags)
    if not row.solution_function:
        noted.append("function-missing")
    elif not _holds(script.code, function):
        noted.append("function-differs")
    return script, noted


def _defined_in(source: str) -> str:
    tree = parsed(source)
    functions = [] if tree is None else [node.name for node in tree.body if isinstance(node, ast.FunctionDef)]
    return functions[-1] if functions else ""


def _holds(code: str, function: str) -> bool:
    """Whether the function of the row is that of its script, whatever its layout."""
    whole, part = parsed(code), parsed(function)
    if whole is None or part is None:
        return function.strip() in code
    has = {ast.dump(node) for node in whole.body}
    return all(ast.dump(node) in has for node in part.body if isinstance(node, ast.FunctionDef))


def _apis(
    row: CodeMEnvRow, aliases: dict[str, str], library: str, newer: SnippetSide | None
) -> Iterator[ApiChange]:
    """What the row lists, in its order."""
    since = "" if newer is None else newer.version
    kind = change_kind(row.update_type)
    module = "" if library == STANDARD_LIBRARY else library
    if library == STANDARD_LIBRARY and _package(row) not in _STANDARD:
        module = _package(row)
    updates = (*row.update_list, *[""] * len(row.signature_list))
    listed = list(zip(row.signature_list, updates, strict=False)) or [(row.signature, row.update)]
    for spelled, words in listed:
        replacement = html.unescape(row.compare_signature or "") if not row.signature_list else ""
        yield ApiChange(
            name=canonical_name(html.unescape(spelled), aliases, module),
            spelled=spelled,
            change=kind,
            version=since,
            replacement=canonical_name(replacement, aliases, module),
            words=words,
        )


def _flags(
    row: CodeMEnvRow, snippet: Snippet, direction: Direction, apis: tuple[ApiChange, ...]
) -> list[str]:
    """What a reader has to know, besides of the script."""
    flags = []
    if direction is Direction.NONE:
        flags.append("versions-equal")
    if not apis or not all(api.name for api in apis):
        flags.append("api-unnamed")
    elif not uses_any(snippet.code, frozenset(api.name for api in apis)):
        flags.append("api-not-used")
    if not row.signature_list and apis[0].change is ApiChangeKind.ADDED and apis[0].replacement:
        # Of a name that replaced another the older version has that one: nothing was only added.
        flags.append("replacement-as-addition")
    if not row.message.strip():
        flags.append("stored-output-missing")
    if not row.problem.strip():
        flags.append(PROBLEM_MISSING)
    if any(side is not None and side.not_had for side in (snippet.origin, snippet.target)):
        flags.append("version-not-had")
    return flags
