"""Every block of code of README and documentation is run by a test, or made by a script."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from doc_blocks import ROOT, BlockClass, DocBlock, all_blocks, blocks_of

from tools.write_doc_outputs import differences, part_of, printed, read_outputs

BLOCKS = all_blocks()
OUTPUTS, PROJECTS = read_outputs()


def problem_of(block: DocBlock) -> str:
    """Why nothing keeps ``block`` true; empty where something does."""
    where = f"{block.page}:{block.line}"
    if block.kind is None:
        return (
            f"{where} belongs to no class: make it a block of commands alone, an example in a language that "
            "test_examples.py reads, or mark it (<!-- made: … -->, tools/write_doc_outputs.py)"
        )
    if block.marked is None:
        return ""
    _, name = block.marked
    match block.kind:
        case BlockClass.MADE if name not in OUTPUTS:
            return f"{where} is made from {name}, which is not in tools/doc_outputs.toml"
        case BlockClass.QUOTED if not _names_page(ROOT / name, block.page):
            return f"{where} is held by {name}, which does not name the page"
        case BlockClass.RECORDED if not block.page.startswith("docs/evidence/"):
            return f"{where} is of a run that is not made again: only pages of evidence show such"
        case BlockClass.FILES:
            missing = [file for file in files_of(block.text) if not _written_by(name, file)]
            return f"{where} names {', '.join(missing)}, which {name} does not" if missing else ""
    return ""


def _names_page(test: Path, page: str) -> bool:
    return test.is_file() and Path(page).name in test.read_text(encoding="utf-8")


def files_of(text: str) -> list[str]:
    """The names of files and folders that stand first in the lines, without placeholders."""
    paths = [line.split()[0] for line in text.splitlines() if line.strip()]
    names = [name for path in paths for name in path.split("/") if re.fullmatch(r"[a-z][\w.-]*", name)]
    return list(dict.fromkeys(names))


def _written_by(rooms: str, file: str) -> bool:
    folders = [ROOT / "src" / "backdate" / room for room in rooms.split()]
    said = re.compile(rf"""["'/]{re.escape(file)}["'/]""")
    return any(
        said.search(module.read_text(encoding="utf-8"))
        for folder in folders
        for module in folder.rglob("*.py")
    )


def test_every_block_is_kept_true() -> None:
    assert [problem for block in BLOCKS if (problem := problem_of(block))] == []


def test_every_output_has_its_page() -> None:
    shown = [block.marked[1] for block in BLOCKS if block.marked and block.kind is BlockClass.MADE]
    assert sorted(shown) == sorted(OUTPUTS)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("```text\nNOTHING BROKE: all is well\n```\n", "belongs to no class"),
        ("    $ backdate check .\n    NOTHING BROKE\n", "belongs to no class"),
        ("<!-- made: nowhere -->\n\n```text\nNOTHING BROKE\n```\n", "nowhere, which is not in"),
        ("<!-- quoted: tests/docs/test_site.py -->\n\n```text\na\n```\n", "does not name the page"),
        (
            "<!-- files: evaluation -->\n\n```text\nnever-written.json\n```\n",
            "names never-written.json",
        ),
        ("<!-- recorded: a run -->\n\n```text\na\n```\n", "only pages of evidence"),
        ("    $ backdate check .\n    # only a remark\n", "belongs to no class"),
        ("    $ backdate check .\n\n    $ git status\n", ""),
    ],
)
def test_what_nothing_keeps_true_is_noticed(tmp_path: Path, text: str, told: str) -> None:
    page = tmp_path / "new-page.md"
    page.write_text(f"Look:\n\n{text}")
    (block,) = blocks_of(page)
    problem = problem_of(block)
    assert told in problem
    assert bool(problem) == bool(told)


@pytest.mark.parametrize("name", [name for name, output in OUTPUTS.items() if output.cheap])
def test_a_quick_output_is_what_the_command_prints(name: str) -> None:
    assert differences(name, printed(OUTPUTS[name], PROJECTS, None)) == ""


@pytest.mark.slow
@pytest.mark.network
@pytest.mark.parametrize("name", [name for name, output in OUTPUTS.items() if not output.cheap])
def test_an_output_is_what_the_command_prints(name: str) -> None:
    assert differences(name, printed(OUTPUTS[name], PROJECTS, None)) == ""


def test_a_part_of_an_output() -> None:
    whole = "first\nDo this:\n  Now: a<2\nLogs: /tmp/a\nBROKE: 1\n"
    output = OUTPUTS["advice"]
    assert part_of(whole, output) == "Do this:\n  Now: a<2\nBROKE: 1"
    with pytest.raises(RuntimeError, match="no line starts with"):
        part_of("nothing\n", output)
