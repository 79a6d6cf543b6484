"""Against the unpinning that TimeMachine-bench published (its verified development split).

A published patch shows a file's old lines, so the old file can be built again wherever the patch holds
all of it. What the patch loosens, we loosen too, but for lower bounds, which the published patches drop
and we keep (the paper's text keeps them as well).
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from backdate.editing.diff import diff_texts
from backdate.projects.unpinning import unpin_file

DATA = Path(__file__).parents[3] / "../shared/data/timemachine-bench/verified-dev.jsonl"
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

pytestmark = pytest.mark.shared


def rows() -> list[dict[str, str]]:
    if not DATA.exists():
        pytest.skip("the published data is not at ../shared/data")
    return [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]


def sides(patch: str) -> Iterator[tuple[str, str, str, bool]]:
    """Path, old text, new text of every file of a patch, and whether the patch holds the old file's lines
    from the first on without a gap (its tail may be missing)."""
    for part in re.split(r"(?m)^(?=--- \S+\n\+\+\+ )", patch):
        if not part.strip():
            continue
        header, _, body = part.split("\n", 2)
        old: list[str] = []
        new: list[str] = []
        gapless, expected = True, 1
        lines = iter(body.split("\n"))
        for line in lines:
            hunk = HUNK.match(line)
            if hunk is None:
                continue
            left_old, left_new = int(hunk[2] or 1), int(hunk[4] or 1)
            gapless = gapless and int(hunk[1]) <= expected
            expected = int(hunk[1]) + left_old
            while left_old or left_new:
                text = next(lines)
                if text[:1] in ("", " ", "-"):
                    old.append(text[1:])
                    left_old -= 1
                if text[:1] in ("", " ", "+"):
                    new.append(text[1:])
                    left_new -= 1
        yield header[4:], "\n".join(old) + "\n", "\n".join(new) + "\n", gapless


def operators(texts: Iterable[str]) -> dict[str, set[str]]:
    """The operators in the specifiers of each requirement among ``texts``, by normalised name."""
    found: dict[str, set[str]] = {}
    for text in texts:
        try:
            requirement = Requirement(re.sub(r"(?:^|\s+)(?:#|--hash|\\).*$", "", text).strip())
        except InvalidRequirement:
            continue
        name = canonicalize_name(requirement.name)
        found.setdefault(name, set()).update(clause.operator for clause in requirement.specifier)
    return found


def texts(path: str, content: str) -> list[str]:
    """What may be a requirement: the lines, or in Python and TOML the strings."""
    if path.endswith((".py", ".toml")):
        return [match[2] for match in re.finditer(r"""(["'])([^"'\n]+)\1""", content)]
    return content.splitlines()


LOOSE = {">=", ">", "!="}


def test_all_requirements_of_the_published_patches_are_loosened() -> None:
    compared = loosened = files = 0
    for row in rows():
        for path, old, new, gapless in sides(row["patch"]):
            if path.endswith((".sh", ".lock")) or (path.endswith((".py", ".toml")) and not gapless):
                continue
            after, draft = unpin_file(path, old.encode())
            if path.endswith(".py") and any(skipped.line == 0 for skipped in draft.skipped):
                continue  # the patch holds too little of the file for it to be Python
            files += 1
            before, theirs = operators(texts(path, old)), operators(texts(path, new))
            ours = operators(texts(path, after.decode()))
            for name, their_operators in theirs.items():
                if before.get(name, set()) == their_operators:
                    continue
                compared += 1
                assert ours[name] <= LOOSE, (row["repo_name"], path, name, ours[name])
                assert ours[name] - before[name] <= {">="}, (row["repo_name"], path, name)
                loosened += bool(before[name] - LOOSE)
    assert files > 70
    assert loosened > 250
    assert compared > loosened


def test_layout_and_comments_of_the_published_files_stay() -> None:
    for row in rows():
        for path, old, _, gapless in sides(row["patch"]):
            if not path.endswith(".py") or not gapless:
                continue
            after, draft = unpin_file(path, old.encode())
            changed = {change.line for change in draft.changes}
            pairs = zip(old.splitlines(), after.decode().splitlines(), strict=True)
            assert {number for number, (a, b) in enumerate(pairs, start=1) if a != b} == changed
            if draft.changes:
                ast.parse(after)


def test_the_papers_example() -> None:
    row = next(row for row in rows() if row["repo_name"] == "Ali-aqrabawi/piat")
    first = row["patch"][: row["patch"].index("--- setup.py")]
    after, draft = unpin_file("requirements.txt", b"pysnmp==4.4.9")
    assert diff_texts(draft.file, b"pysnmp==4.4.9", after) == first
