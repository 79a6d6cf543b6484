"""Writing a limit on a distribution into the file in which a project states its requirements.

Where the project states the distribution already, its requirement gets the limit; else a requirement is
added behind the last one. The rest of the file stays as it is, byte by byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from backdate.editing.encodings import decode_configuration
from backdate.editing.spans import Edit, Fragment, apply_edits
from backdate.errors import ConfigurationError, UsageError
from backdate.projects.setup_py_requirements import setup_py_requirements
from backdate.projects.unpinning.requirement_files import requirement_lines
from backdate.projects.unpinning.setup_cfg import install_requirements
from backdate.projects.unpinning.toml_files import requirement_strings
from backdate.text import UNREADABLE

_HEAD = re.compile(r"\s*(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)(?:\s*\[[^\[\]]*\])?\s*")
_REST_OF_LINE = re.compile(r"(?P<comma>[ \t]*,)?[ \t]*(?:#[^\r\n]*)?(?=[\r\n])")
"""What may follow an element of an array that is the last one of its line."""
_LINE_END = re.compile(r"[\r\n]|\Z")
_FILES = ("pyproject.toml", "setup.cfg", "setup.py", "requirements.txt")
_RUNTIME = (("project", "dependencies"), ("tool", "poetry", "dependencies"))
"""Where pyproject.toml states what users get; groups and extras come after these."""

ReadFile = Callable[[str], bytes | None]
"""The content of a file of the project, by its relative path; None where there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCap:
    """One requirement that got a limit."""

    file: str
    line: int
    """Counted from 1, in the original file."""
    before: str
    """The requirement as it was; "" for one that was added."""
    after: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CappedFiles:
    """The files that hold the limits, before and after."""

    before: dict[str, bytes]
    after: dict[str, bytes]
    caps: tuple[WrittenCap, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _StatedRequirement:
    """A requirement of a file."""

    fragment: Fragment
    name: str
    """Normalised; "" for what cannot be read."""
    constraint: bool = False
    """Whether the text is a constraint alone (Poetry)."""
    runtime: bool = True
    """Whether users get it, rather than those who ask for an extra or a group."""
    has_own_line: bool = True
    """Whether a line behind its own states one more: not so in a table or a list of its own."""


def cap_files(read: ReadFile, requirements: Sequence[str]) -> CappedFiles:
    """The project's files with the limits ``requirements`` ("numpy<2.0.0"), which are PEP 508.

    Raises UsageError, naming what to write by hand, where no file can be plainly edited.
    """
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    caps = []
    for requirement in requirements:

        def current(path: str) -> bytes | None:
            return after[path] if path in after else read(path)

        file, content, cap = _capped(current, requirement)
        if file not in before:
            original = read(file)
            assert original is not None
            before[file] = original
        after[file] = content
        caps.append(cap)
    return CappedFiles(before=before, after=after, caps=tuple(caps))


def _capped(read: ReadFile, requirement: str) -> tuple[str, bytes, WrittenCap]:
    wanted = Requirement(requirement)
    name = canonicalize_name(wanted.name)
    stated = {file: _read(file, data) for file in _FILES if (data := read(file)) is not None}
    if any(one.runtime for file in _FILES if file != "requirements.txt" for one in stated.get(file, ())):
        stated.pop("requirements.txt", None)  # of developers: users install what the package states
    of_name = [
        (not one.runtime, file, one) for file, found in stated.items() for one in found if one.name == name
    ]
    if of_name:
        _, file, one = min(of_name, key=lambda each: each[0])  # the first of equals: in the order of _FILES
        _require_users_file(read, file, requirement)
        return _with_limit(file, read(file) or b"", one, str(wanted.specifier))
    for file, found in stated.items():
        own = [one for one in found if one.runtime and one.has_own_line]
        if own:
            _require_users_file(read, file, requirement)
            return _with_line(file, read(file) or b"", own[-1], f"{wanted.name}{wanted.specifier}")
    raise UsageError(
        f"no requirements that can be plainly edited are in {', '.join(_FILES)}; write {requirement} where "
        "the project states its requirements"
    )


def _require_users_file(read: ReadFile, file: str, requirement: str) -> None:
    """Raise UsageError for a file of developers where setup.py states what users get, and cannot be read."""
    if file == "requirements.txt" and b"install_requires" in (read("setup.py") or b""):
        raise UsageError(
            "setup.py states what users install, and computes it, so that it is not edited; write "
            f"{requirement} to its install_requires"
        )


def _read(file: str, data: bytes) -> list[_StatedRequirement]:
    """The requirements of a file; none where it cannot be read."""
    content = decode_configuration(data).content
    if file == "setup.cfg":
        return [_requirement(fragment) for fragment in install_requirements(content)]
    if file == "requirements.txt":
        return [_requirement(fragment) for fragment in requirement_lines(content)]
    if file == "setup.py":
        return [_requirement(fragment) for fragment in setup_py_requirements(content)]
    try:
        return list(_of_pyproject(content))
    except ConfigurationError:
        return []


def _of_pyproject(content: str) -> Iterator[_StatedRequirement]:
    for path, fragment, constraint in requirement_strings(content):
        runtime = any(path[: len(table)] == table for table in _RUNTIME)
        if not constraint:
            stated = _requirement(fragment)
            yield _StatedRequirement(fragment=fragment, name=stated.name, runtime=runtime)
            continue
        key = next(str(part) for part in reversed(path) if isinstance(part, str) and part != "version")
        yield _StatedRequirement(
            fragment=fragment,
            name="" if key.lower() == "python" else canonicalize_name(key),  # no requirement, but a line
            constraint=True,
            runtime=runtime,
            has_own_line=not any(isinstance(part, int) for part in path)
            and _line_before(content, fragment).lstrip(" \t\"'").startswith(key),
        )


def _requirement(fragment: Fragment) -> _StatedRequirement:
    head = _HEAD.match(fragment.text)
    return _StatedRequirement(fragment=fragment, name=canonicalize_name(head["name"]) if head else "")


def _with_limit(
    file: str, data: bytes, stated: _StatedRequirement, specifier: str
) -> tuple[str, bytes, WrittenCap]:
    """The file whose requirement ``stated`` has ``specifier`` besides its own."""
    text = decode_configuration(data)
    own = stated.fragment.text
    limited = limited_constraint(own, specifier) if stated.constraint else limited_requirement(own, specifier)
    if limited is None:
        raise UsageError(f"{own.strip()} in {file} is nothing that gets a limit; write {specifier} by hand")
    edits = stated.fragment.replace(0, len(own), limited)
    cap = WrittenCap(
        file=file,
        line=text.content.count("\n", 0, stated.fragment.starts[0]) + 1,
        before=own.strip(),
        after=limited.strip(),
    )
    return file, text.encode(apply_edits(text.content, edits)), cap


def _with_line(
    file: str, data: bytes, last: _StatedRequirement, requirement: str
) -> tuple[str, bytes, WrittenCap]:
    """The file with a requirement behind ``last``, as that is written."""
    text = decode_configuration(data)
    content, newline = text.content, text.newline
    end = last.fragment.ends[-1]
    before = _line_before(content, last.fragment)
    if file in ("pyproject.toml", "setup.py") and not last.constraint:
        edits = _behind_element(content, before[:-1], end, requirement, newline)
    else:
        place = _line_end(content, end)
        added = requirement
        if last.constraint:
            read = Requirement(requirement)
            added = f'{read.name} = "{read.specifier}"'
        elif not before.strip():  # a list with a line for each
            spaces = last.fragment.text[: len(last.fragment.text) - len(last.fragment.text.lstrip())]
            added = f"{before}{spaces}{requirement}"
        edits = [Edit(place, place, f"{newline}{added}")]
    line = content.count("\n", 0, edits[-1].start) + (2 if newline in edits[-1].replacement else 1)
    cap = WrittenCap(file=file, line=line, before="", after=requirement)
    return file, text.encode(apply_edits(content, edits)), cap


def _behind_element(content: str, indent: str, end: int, requirement: str, newline: str) -> list[Edit]:
    """Edits that add an element behind the string whose text ends at ``end``, in TOML or Python."""
    quote = content[end]
    place = end + (3 if content.startswith(3 * quote, end) else 1)
    rest = _REST_OF_LINE.match(content, place)
    if indent.strip():  # several elements share a line
        return [Edit(place, place, f", {quote}{requirement}{quote}")]
    element = f"{newline}{indent}{quote}{requirement}{quote}"
    if rest is None or rest.end() == place:  # two edits at one place have no order
        return [Edit(place, place, f",{element}")]
    if rest["comma"]:
        return [Edit(rest.end(), rest.end(), f"{element},")]
    return [Edit(place, place, ","), Edit(rest.end(), rest.end(), element)]


def _line_before(content: str, fragment: Fragment) -> str:
    """What stands before ``fragment`` on its line."""
    start = fragment.starts[0]
    return content[_line_start(content, start) : start]


def _line_start(content: str, offset: int) -> int:
    return max(content.rfind("\n", 0, offset), content.rfind("\r", 0, offset)) + 1


def _line_end(content: str, offset: int) -> int:
    found = _LINE_END.search(content, offset)
    return found.start() if found else len(content)


def limited_requirement(text: str, specifier: str) -> str | None:
    """The requirement ``text`` (PEP 508) with ``specifier`` besides its own, without its other upper limits.

    None for what is no requirement with versions, such as a direct URL.

    >>> limited_requirement("numpy >=1.20,<3 ; os_name == 'posix'", "<2")
    "numpy >=1.20,<2 ; os_name == 'posix'"
    """
    try:
        if Requirement(text).url:
            return None
    except UNREADABLE:
        return None
    head = _HEAD.match(text)
    assert head is not None  # it is a requirement
    rest, mark, marker = text[head.end() :].partition(";")
    core = rest.rstrip()
    space = rest[len(core) :]
    inner = core[1:-1] if core.startswith("(") and core.endswith(")") else core
    return f"{text[: head.end()]}{_joined(inner, specifier)}{space}{mark}{marker}"


def limited_constraint(text: str, specifier: str) -> str | None:
    """As ``limited_requirement``, for a constraint of Poetry; None for alternatives.

    >>> limited_constraint("^1.20", "<2")
    '^1.20,<2'
    """
    if "|" in text:
        return None
    return specifier if text.strip() == "*" else _joined(text.strip(), specifier)


def _joined(own: str, specifier: str) -> str:
    """The clauses of ``own`` that are no upper limits, then ``specifier``."""
    clauses = [clause for clause in own.split(",") if clause.strip() and not clause.strip().startswith("<")]
    pinned = [clause for clause in clauses if clause.strip().startswith("==")]
    kept = [clause for clause in clauses if clause not in pinned] if pinned else clauses
    return ",".join([*kept, specifier])
