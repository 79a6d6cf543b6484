"""Answers that add many times as much as the known solution."""

from __future__ import annotations

from collections.abc import Mapping

from backdate.editing.encodings import lines_with_offsets
from backdate.evaluation.edits import new_lines

_TIMES = 5
_LINES = 10
"""Added lines of code that no answer is too long for, whatever the known solution needs."""
_CHARACTERS = 800


def longer_than_gold(answer: Mapping[str, tuple[str, str]], gold: Mapping[str, tuple[str, str]]) -> str:
    """How much longer the answer is, in words; empty where it is not many times as long.

    Both are the texts of the edited files, before and after.
    """
    lines, characters = _added(answer)
    gold_lines, gold_characters = _added(gold)
    if lines > max(_LINES, _TIMES * gold_lines):
        return f"{lines} lines are added, and the known solution adds {gold_lines}"
    if characters > max(_CHARACTERS, _TIMES * gold_characters):
        return f"{characters} characters are added, and the known solution adds {gold_characters}"
    return ""


def _added(files: Mapping[str, tuple[str, str]]) -> tuple[int, int]:
    """Lines that are not blank, and their characters without the spaces around them."""
    texts: list[str] = []
    for before, after in files.values():
        added = new_lines(before, after)
        lines = [line for _, line in lines_with_offsets(after)]
        texts += [text for number in sorted(added) if (text := lines[number - 1].strip())]
    return len(texts), sum(map(len, texts))
