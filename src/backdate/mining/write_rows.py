"""Candidates as rows of ``knowledge/change_rows.py``, and such rows as TOML text."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence

from backdate.knowledge.change_rows import ChangeRow, ChangesFile, EditRow
from backdate.knowledge.changes import PYTHON
from backdate.mining.candidates import RuleCandidate, by_row

UNPROVEN = "not proven yet: backdate rules prove"


def rows_of(distribution: str, candidates: Sequence[RuleCandidate]) -> tuple[ChangeRow, ...]:
    """One row for each release and module, class or function; none of them is proven.

    Of the standard library, ``distribution`` is "python".
    """
    rows = []
    for (since, around, kind, _), members in by_row(candidates).items():
        leaf = around.rpartition(".")[2]
        of_function = ("__init__", leaf) if leaf[:1].isupper() else (leaf,)
        leaves = {
            one.name if one.module else one.argument or one.name.rpartition(".")[2]: one for one in members
        }
        rows.append(
            ChangeRow(
                since=str(since),
                kind="argument"
                if kind == "argument"
                else "module"
                if kind == "module"
                else "method"
                if kind
                else "name",
                module=around,
                owners=of_function if kind == "argument" else (kind,) if kind not in ("", "module") else (),
                names={name: one.replacement for name, one in sorted(leaves.items())},
                words={name: one.words for name, one in sorted(leaves.items()) if one.words},
                edits=tuple(_edits(around, members)) if kind == "argument" else (),
                source=_source(distribution, members[0]),
                unproven=UNPROVEN,
            )
        )
    return tuple(rows)


def _source(distribution: str, candidate: RuleCandidate) -> str:
    if distribution == PYTHON:
        return f"https://docs.python.org/3/whatsnew/{candidate.since}.html"
    return f"https://pypi.org/project/{distribution}/{candidate.announced}/"


def _edits(function: str, members: Sequence[RuleCandidate]) -> Iterator[EditRow]:
    used = f".{function.rpartition('.')[2]}" if members[0].owner else function
    for one in members:
        if one.is_rule:
            yield EditRow(of=(used,), argument=one.argument, becomes=one.replacement)


def file_text(file: ChangesFile) -> str:
    """The TOML text of mined rows."""
    read = "releases of the distribution announced themselves"
    if file.read_from:
        told_by = " ".join(file.read_from.split())
        read = f"{told_by} {'tell' if ' and ' in told_by else 'tells'}"
    lines = [
        f"# What {read}. Made by `backdate rules mine`.",
        f"distribution = {_text(file.distribution)}",
        f"origin = {_text(file.origin)}",
        *([f"with = {_texts(file.with_)}"] if file.with_ else []),
        *([f"licence = {_text(file.licence)}"] if file.licence else []),
        *([f"read_from = {_text(file.read_from)}"] if file.read_from else []),
    ]
    for row in file.change:
        lines += ["", *_row_lines(row)]
    return "\n".join(lines) + "\n"


def _row_lines(row: ChangeRow) -> Iterator[str]:
    yield "[[change]]"
    yield f"since = {_text(row.since)}"
    yield f"kind = {_text(row.kind)}"
    if row.module:
        yield f"module = {_text(row.module)}"
    if row.owners:
        yield f"owners = {_texts(row.owners)}"
    yield f"source = {_text(row.source)}"
    if row.unproven:
        yield f"unproven = {_text(row.unproven)}"
    for edit in row.edits:
        yield "[[change.edits]]"
        yield f"of = {_texts(edit.of)}"
        yield f"argument = {_text(edit.argument)}"
        if edit.becomes:
            yield f"becomes = {_text(edit.becomes)}"
    yield "[change.names]"
    for name, new in row.names.items():
        yield f"{_key(name)} = {_text(new)}"
    if row.words:
        yield "[change.words]"
        for name, words in row.words.items():
            yield f"{_key(name)} = {_text(words)}"


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=True).replace("\x7f", "\\u007f")


def _texts(values: Iterable[str]) -> str:
    return f"[{', '.join(map(_text, values))}]"


def _key(name: str) -> str:
    return name if name.isascii() and name.isidentifier() else _text(name)
