"""Write what commands print into README and documentation, or see whether it is still what they print.

    python tools/write_doc_outputs.py [NAME …] [--check] [--cache DIR]

A block of a page that stands below ``<!-- made: NAME -->`` is the output NAME of ``doc_outputs.toml``: a
command, run on a release or on a small project that is written out there. With ``--check`` nothing is
written: the exit status is 1 where a page says something else than the command. Durations and folders of the
machine are not compared. It needs what the commands need: bubblewrap, and most of them the package index.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
WIDTH = 110
_LEFT_OUT = re.compile(r"Logs?: |Note: .*(?: stands in for |from the store)")
"""Lines that name folders of the machine, interpreters that it lacks, or recipes that it proved before."""
_DURATION = re.compile(r"\b\d+(?:\.\d+)? (?:s|min|seconds|minutes)\b")
_PATCH_RELEASE = re.compile(r"(Python 3\.\d+)\.\d+")
_NUMBERS_OF_CACHE = re.compile(r"\d+ environments(?: of at most \d+)?, \d+ of them built now, \d+ test runs")


@dataclass(frozen=True, slots=True, kw_only=True)
class DocOutput:
    """What one command prints, or a part of it."""

    name: str
    command: str
    project: str = ""
    """The small project in whose folder it is run; without one the checkout."""
    begins: str = ""
    """The first line that is shown starts so; the command itself is shown where this is empty."""
    ends: str = ""
    """The first line that is shown no more starts so."""
    statuses: tuple[int, ...] = (0, 1)
    """Exit statuses that are expected."""
    cheap: bool = False
    """It asks no index and builds nothing: the quick tests run it."""


def read_outputs() -> tuple[dict[str, DocOutput], dict[str, dict[str, str]]]:
    """The outputs by name, and the files of each small project."""
    described = tomllib.loads((ROOT / "tools" / "doc_outputs.toml").read_text(encoding="utf-8"))
    outputs = {
        name: DocOutput(name=name, **{**row, "statuses": tuple(row.get("statuses", (0, 1)))})
        for name, row in described["outputs"].items()
    }
    return outputs, described["projects"]


def write_project(name: str, projects: dict[str, dict[str, str]], parent: Path) -> Path:
    """Write a small project out below ``parent``; gives its folder."""
    folder = parent / name
    for path, text in projects[name].items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    return folder


def printed(output: DocOutput, projects: dict[str, dict[str, str]], cache: Path | None) -> str:
    """What the command prints now, as its block shows it. Raises RuntimeError where it ends otherwise."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = ROOT
        if output.project:
            folder = write_project(output.project, projects, Path(temporary))
        environment = os.environ | {"COLUMNS": str(WIDTH), "NO_COLOR": "1"}
        if cache is not None:
            environment["BACKDATE_CACHE"] = str(cache)
        command = [sys.executable, "-m", "backdate", *shlex.split(output.command)]
        ran = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        if ran.returncode not in output.statuses:
            raise RuntimeError(f"{output.name} ends with {ran.returncode}: {ran.stderr}{ran.stdout}")
    return part_of(ran.stdout.replace(temporary, "~"), output)


def part_of(text: str, output: DocOutput) -> str:
    """The lines of ``text`` that are shown."""
    lines = [line.rstrip() for line in text.splitlines() if not _LEFT_OUT.match(line)]
    if output.begins:
        first = next((n for n, line in enumerate(lines) if line.startswith(output.begins)), None)
        if first is None:
            raise RuntimeError(f"{output.name}: no line starts with {output.begins!r}:\n{text}")
        lines = lines[first:]
    if output.ends:
        last = next((n for n, line in enumerate(lines) if line.startswith(output.ends)), len(lines))
        lines = lines[:last]
    shown = "\n".join(lines).strip("\n")
    return shown if output.begins else f"$ backdate {output.command}\n{shown}"


def compared(text: str) -> str:
    """``text`` without what differs from run to run."""
    return _NUMBERS_OF_CACHE.sub("…", _PATCH_RELEASE.sub(r"\1", _DURATION.sub("…", text)))


def block_pattern(name: str) -> re.Pattern[str]:
    """Finds the block of an output in a page; its text is the second group."""
    mark = rf"<!-- made: {re.escape(name)} -->\n+```\w*\n"
    return re.compile(rf"^({mark})(.*?)(^```)$", re.MULTILINE | re.DOTALL)


def page_of(name: str) -> tuple[Path, str]:
    """The page that shows an output, and what it shows. Raises RuntimeError where none or several do."""
    found = [
        (page, match[2])
        for page in PAGES
        for match in block_pattern(name).finditer(page.read_text(encoding="utf-8"))
    ]
    if len(found) != 1:
        raise RuntimeError(f"{len(found)} pages show the output {name}")
    return found[0]


def differences(name: str, now: str) -> str:
    """How a page differs from what is printed ``now``, as a diff; empty where it does not."""
    page, shown = page_of(name)
    lines = difflib.unified_diff(
        compared(shown).splitlines(),
        compared(now + "\n").splitlines(),
        str(page.relative_to(ROOT)),
        f"backdate now ({name})",
        lineterm="",
    )
    return "\n".join(lines)


def write(name: str, now: str) -> None:
    """Put ``now`` in the place of what the page shows."""
    page, _ = page_of(name)
    text = page.read_text(encoding="utf-8")
    page.write_text(
        block_pattern(name).sub(lambda found: f"{found[1]}{now}\n{found[3]}", text), encoding="utf-8"
    )


def main() -> int:
    """Write or compare what is named, or everything."""
    outputs, projects = read_outputs()
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(outputs)}; all without any")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("--cache", type=Path, help="where environments are kept; the user's without it")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - outputs.keys():
        parser.error(f"there is no output {', '.join(sorted(unknown))}")
    status = 0
    for name in arguments.names or outputs:
        now = printed(outputs[name], projects, arguments.cache)
        difference = differences(name, now)
        sys.stdout.write(f"{name}: {'differs' if difference else 'the same'}\n")
        if arguments.check and difference:
            sys.stdout.write(f"{difference}\n")
            status = 1
        elif difference:
            write(name, now)
    return status


if __name__ == "__main__":
    sys.exit(main())
