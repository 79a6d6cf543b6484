"""Runs the examples of rows of ``knowledge/tables/changes`` and says which do not tell what the row says."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from backdate.editing.spans import apply_edits
from backdate.knowledge.change_rows import ChangeRow
from backdate.knowledge.changes import pattern_of
from backdate.knowledge.rules import Rule, rules_of
from backdate.rewriting.rewrite_source import rewrite_source

_UNNAMED = re.compile(r"^ImportError: cannot import name '\w+'$", re.MULTILINE)
"""How Python 3.6 words it, which does not say from which module."""

_DRIVER = """
import json, sys, traceback
for code in json.load(open(sys.argv[1])):
    print('@@start')
    failed = True
    try:
        exec(compile(code, '<example>', 'exec'), {'__name__': '__main__'})
        failed = False
    except SystemExit as end:
        failed = bool(end.code)
        print(end.code)
    except BaseException:
        traceback.print_exc(file=sys.stdout)
    print('@@failed' if failed else '@@ran')
"""


def programs(row: ChangeRow) -> list[str]:
    """The examples of a row: its own, or an import of each of its names."""
    if row.example:
        return [row.example.replace("{name}", name) for name in (row.names or ("",))]
    if row.kind == "module":
        return [f"import {name}" for name in row.names]
    imported = [f"from {row.module} import {name}" for name in row.names]
    return [*imported, *(f"import {row.module}; {row.module}.{name}" for name in row.names)]


def wrong_examples(row: ChangeRow, *, older: Path, newer: Path, folder: Path) -> list[str]:
    """What contradicts the row under the interpreters of before and after the change."""
    works, lacks = (newer, older) if row.added else (older, newer)
    codes = programs(row)
    wrong = []
    for code, (ran, output) in zip(codes, _run(works, codes, folder / "works"), strict=True):
        if not ran:
            wrong.append(f"{row.since}: should run: {code.strip()[:200]}\n{output[-600:]}")
    for code, (ran, output) in zip(codes, _run(lacks, codes, folder / "lacks"), strict=True):
        if ran:
            wrong.append(f"{row.since}: should fail: {code.strip()[:200]}")
        elif row.kind == "value" and "AssertionError" in output:
            continue  # no message tells of it: the example asks for the value
        elif not any(map(pattern_of(row).search, output.splitlines())) and not _UNNAMED.search(output):
            wrong.append(f"{row.since}: is not recognised: {code.strip()[:200]}\n{output[-600:]}")
    return wrong


def wrong_replacements(
    distribution: str, row: ChangeRow, *, older: Path, newer: Path, folder: Path
) -> list[str]:
    """Examples that no rule of the row, nor all of them together, make run after the change.

    Of what was added that is the one of before it: the rules are for who goes back.

    Where the replacement is of another distribution that is not there, nothing is said of it.
    """
    rules = [rule for rule in rules_of(distribution, unproven=True) if rule.row == row]
    tried: dict[str, list[str]] = {}
    for code in programs(row):
        together = code
        for rule in rules:
            alone, together = _rewritten(code, rule), _rewritten(together, rule)
            if alone != code:
                tried.setdefault(code, []).append(alone)
        if together not in (code, *tried.get(code, ())):
            tried.setdefault(code, []).append(together)
    codes = [code for several in tried.values() for code in several]
    lacks = older if row.added else newer
    ended = dict(zip(codes, _run(lacks, codes, folder / "replaced"), strict=True)) if codes else {}
    for number, code in enumerate(codes):
        if not ended[code][0] and len(codes) > 1:  # what ran before it in the process may be why
            (ended[code],) = _run(lacks, [code], folder / f"alone{number}")
    wrong = []
    for several in tried.values():
        outputs = [output for one in several for ran, output in [ended[one]] if not ran]
        if len(outputs) == len(several) and "ModuleNotFoundError: No module named" not in outputs[-1]:
            wrong.append(f"{row.since}: not replaced: {several[-1].strip()[:200]}\n{outputs[-1][-600:]}")
    return wrong


def _rewritten(code: str, rule: Rule) -> str:
    """An example with all uses changed; attributes of objects change on named lines alone: on all of them."""
    every = frozenset(range(1, code.count("\n") + 2)) if rule.target.startswith(".") else None
    return apply_edits(code, rewrite_source(code, rule.rewrite, lines=every).edits)


def _run(python: Path, codes: Sequence[str], folder: Path) -> list[tuple[bool, str]]:
    """Whether each program ran, and what it printed."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "examples.json").write_text(json.dumps(list(codes)))
    driver = folder / "driver.py"
    driver.write_text(_DRIVER)
    done = subprocess.run(
        [python, "-u", driver.name, "examples.json"],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=600,
        check=False,
    )
    parts = done.stdout.split("@@start\n")[1:]
    ended = [(part.rstrip().endswith("@@ran"), part) for part in parts]
    assert len(ended) == len(codes), done.stdout[-2_000:]
    return ended
