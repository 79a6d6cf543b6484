"""Tests of the file to which lines are added."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from backdate.errors import StoredDataError
from backdate.evaluation.snippets.answers import SnippetAnswer, SnippetReply
from backdate.snippets.line_file import LineFile
from backdate.snippets.snippet import SnippetAsk


def answer(number: int) -> SnippetAnswer:
    reply = SnippetReply(text=f"text {number} " * 30_000)
    return SnippetAnswer(snippet="s", ask=SnippetAsk.LOCATE, sample=number, reply=reply)


def test_a_line_that_was_cut_off_is_replaced_by_the_next(tmp_path: Path) -> None:
    file = LineFile(tmp_path / "deep" / "answers.jsonl", SnippetAnswer)
    assert file.read() == ()
    file.append(answer(1))
    with (tmp_path / "deep" / "answers.jsonl").open("ab") as raw:
        raw.write(b'{"snippet": "cut' + b"x" * 200_000)
    assert file.read() == (answer(1),)
    file.append(answer(2))
    assert file.read() == (answer(1), answer(2))


def test_a_damaged_line_is_named(tmp_path: Path) -> None:
    (tmp_path / "answers.jsonl").write_text('{"snippet": 1}\n')
    with pytest.raises(StoredDataError, match="line 1"):
        LineFile(tmp_path / "answers.jsonl", SnippetAnswer).read()


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_is_neither_read_nor_written(tmp_path: Path, kind: str) -> None:
    path, host = tmp_path / "answers.jsonl", tmp_path / "of the host"
    host.write_text("{}\n")
    {"link": lambda: path.symlink_to(host), "pipe": lambda: os.mkfifo(path), "folder": path.mkdir}[kind]()
    file = LineFile(path, SnippetAnswer)
    with pytest.raises(StoredDataError, match="it is not used"):
        file.read()
    with pytest.raises(StoredDataError, match="it is not used"):
        file.append(answer(1))
    assert host.read_text() == "{}\n"
