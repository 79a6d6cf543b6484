"""Loosening requirements files and constraints, as pip reads them.

pip joins continued lines first, then takes comments off, then separates options from the requirement
(``pip._internal.req.req_file``). Hashes go with the pins: one that stayed would make pip demand hashes
for every line, and none of them would match a newer release. Other options stay.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from backdate.editing.spans import Fragment
from backdate.projects.unpinning.draft import Draft
from backdate.projects.unpinning.report import Kind
from backdate.projects.unpinning.requirement import Loosened, NotLoosened, loosen_in

_COMMENT = re.compile(r"(?:^|(?<=\s))#")
_COMMENT_LINE = re.compile(r"\s*#")
_OPTION = re.compile(r"(?<=\s)-(?=[-A-Za-z])")
_HASH = re.compile(r"(?<!\s)\s+--hash(?:=|\s+)\S+")
_REFERENCE = re.compile(
    r"\s*(?:(?:-(?P<short>[rc])|--(?P<long>requirement|constraint)(?=[=\s]))\s*=?\s*)(?P<path>\S.*)$"
)
_REQUIRE_HASHES = re.compile(r"\s*--require-hashes\s*$")
_EDITABLE_ADDRESS = re.compile(r"\s*(?:-e|--editable)[\s=]*(?:git|hg|svn|bzr|https?|ssh|file)\S*[+:]")


def loosen_requirements(draft: Draft, kind: Kind = "dependency") -> None:
    """Loosen every requirement of the file in ``draft``; collect the files it names with -r and -c."""
    for line in _logical_lines(draft.content):
        loosen_line(draft, line, kind)


def requirement_lines(content: str) -> Iterator[Fragment]:
    """The requirements of a file in pip's format, without comments and options."""
    for line in _logical_lines(content):
        comment = _COMMENT.search(line.text)
        text = line.text[: comment.start() if comment else None].rstrip()
        option = _OPTION.search(text)
        requirement = text[: option.start() if option else None].rstrip()
        if requirement.strip() and not requirement.lstrip().startswith("-"):
            yield line.part(0, len(requirement))


def loosen_line(draft: Draft, line: Fragment, kind: Kind) -> None:
    """Loosen one logical line (a requirement or an option, with its comment)."""
    comment = _COMMENT.search(line.text)
    text = line.text[: comment.start() if comment else None].rstrip()
    if not text:
        return
    if text.lstrip().startswith("-"):
        _read_option(draft, line, text, kind)
        return
    option = _OPTION.search(text)
    requirement = text[: option.start() if option else None].rstrip()
    outcome = loosen_in(draft, line.part(0, len(requirement)), kind)
    hashes = list(_HASH.finditer(text))
    left = _HASH.sub("", text)
    others = left[len(requirement) :].strip()
    unreadable = isinstance(outcome, NotLoosened) and not outcome.readable
    if not hashes or unreadable or (others and not others.startswith("-")):
        return
    edits = [line.cut(match.start(), match.end()) for match in hashes]
    if isinstance(outcome, Loosened):
        draft.edits += edits
    else:
        draft.change(edits, kind=kind, name="--hash", before=text.strip(), after=left.strip())


def _read_option(draft: Draft, line: Fragment, text: str, kind: Kind) -> None:
    reference = _REFERENCE.match(text)
    if reference is not None:
        constraint = reference["short"] == "c" or reference["long"] == "constraint"
        draft.references.append((reference["path"].strip("\"'"), "constraint" if constraint else kind))
    elif _REQUIRE_HASHES.match(text):
        start = len(text) - len(text.lstrip())
        draft.change(
            [line.cut(start, len(text))],
            kind=kind,
            name="--require-hashes",
            before="--require-hashes",
            after="",
        )
    elif _EDITABLE_ADDRESS.match(text):
        draft.skip(line.starts[0], f"a direct URL is not loosened: {text.strip()}")


def _logical_lines(content: str) -> Iterator[Fragment]:
    """The file's lines, continued ones joined as pip joins them."""
    text: list[str] = []
    starts: list[int] = []
    offset = 0
    for physical in content.splitlines(keepends=True):
        body = physical.splitlines()[0]
        comment = _COMMENT_LINE.match(body) is not None
        continued = body.endswith("\\") and not comment
        piece = body.strip("\\") if continued else body
        start = offset + (len(body) - len(body.lstrip("\\")) if continued else 0)
        if comment and text:  # pip puts a space before it, so that it is a comment in the joined line too
            yield _joined(text, starts)
            text, starts = [], []
        elif continued or text:
            text.append(piece)
            starts.extend(range(start, start + len(piece)))
            if not continued:
                yield _joined(text, starts)
                text, starts = [], []
        else:
            yield Fragment.plain(piece, offset)
        offset += len(physical)
    if text:
        yield _joined(text, starts)


def _joined(text: list[str], starts: list[int]) -> Fragment:
    return Fragment("".join(text), tuple(starts), tuple(start + 1 for start in starts))
