"""The blocks of code that README and documentation show, each with how it is kept true."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from markdown_it import MarkdownIt

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
PROGRAMS = {
    "./dev",
    "BACKDATE_CACHE=…",
    "GITHUB_TOKEN=…",
    "OLD_IMAGE=my-python:3.8",
    "backdate",
    "chromium",
    "cp",
    "docker",
    "export",
    "gh",
    "git",
    "inspect",
    "pip",
    "pipx",
    "python",
    "uvx",
}
"""What a line of a block of commands begins with; ``tests/docs/test_commands.py`` reads the lines."""
_MARK = re.compile(r"<!-- (made|drawing|files|quoted|recorded): (.+?) -->\s*\Z")
_DIRECTIVE = re.compile(r"\{[\w-]+\}")


class BlockClass(StrEnum):
    """How a block is kept true."""

    MADE = "made"
    """What a command printed, written by ``tools/write_doc_outputs.py``; the name says which output."""
    COMMANDS = "commands"
    """Every line is a command, and is read by the command line that it is for."""
    EXAMPLE = "example"
    """Python, TOML, YAML, INI or JSON; a test runs it or has its reader read it."""
    FILES = "files"
    """Names of files that are written; the name of the mark is the module or folder whose code names them."""
    DRAWING = "drawing"
    """A picture in characters; the mark says of what."""
    QUOTED = "quoted"
    """A form of text; the mark says which test holds it."""
    RECORDED = "recorded"
    """What one run of a commit gave that the page names; only on pages of evidence, which say what was."""
    DIRECTIVE = "directive"
    """Of Sphinx: the strict build reads it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DocBlock:
    """One block of code of a page."""

    page: str
    """Relative to the repository."""
    line: int
    """Its first line in the page, counted from 1."""
    language: str
    """Of its fence; empty without one."""
    text: str
    marked: tuple[str, str] | None
    """What ``<!-- KIND: NAME -->`` in the line before it says."""

    @property
    def commands(self) -> tuple[str, ...]:
        """Its lines as a shell reads them: without prompt, joined where they go on, empty ones left out."""
        joined: list[str] = []
        for line in self.text.replace("\\\n", " ").splitlines():
            if not line.strip():
                continue
            if line.startswith(" ") and joined:  # a synopsis that is wrapped
                joined[-1] += " " + line.strip()
            else:
                joined.append(line.strip().removeprefix("$ "))
        return tuple(joined)

    @property
    def kind(self) -> BlockClass | None:
        """How it is kept true; None where nothing does that."""
        if self.marked is not None:
            return BlockClass(self.marked[0])
        if _DIRECTIVE.match(self.language):
            return BlockClass.DIRECTIVE
        if self.language in {"python", "toml", "yaml", "ini", "json"}:
            return BlockClass.EXAMPLE
        if self.commands and all(line.split()[0] in PROGRAMS for line in self.commands):
            return BlockClass.COMMANDS
        return None


def blocks_of(page: Path) -> Iterator[DocBlock]:
    """The blocks of code of a page, in its order."""
    text = page.read_text(encoding="utf-8")
    lines = text.splitlines()
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type not in {"fence", "code_block"} or token.map is None:
            continue
        before = "\n".join(lines[: token.map[0]]).rstrip()
        mark = _MARK.search(before)
        yield DocBlock(
            page=str(page.relative_to(ROOT)) if page.is_relative_to(ROOT) else page.name,
            line=token.map[0] + 1,
            language=token.info.strip().split(" ")[0],
            text=token.content,
            marked=(mark[1], mark[2]) if mark else None,
        )


@functools.cache
def all_blocks() -> tuple[DocBlock, ...]:
    """Of every page."""
    return tuple(block for page in PAGES for block in blocks_of(page))
