"""Record what commands show on a terminal, as pictures (SVG) for README and documentation.

    python tools/record_terminal.py [NAME …] [--width 100]

Every picture is of a real run: a command of ``RECORDINGS`` on a terminal of that width, as it stands when the
command ends. It needs what the commands need (the package index, bubblewrap), and writes
``docs/pictures/NAME.svg``.
"""

from __future__ import annotations

import argparse
import os
import pty
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import SVG_EXPORT_THEME
from rich.text import Text
from write_doc_outputs import read_outputs, write_project

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "pictures"
RECORDINGS = {
    "check": "check pypi:flask-marshmallow==1.2.1 --to 2025-04-21",
    "bisect": "bisect pypi:flask-marshmallow==1.2.1 --to 2025-04-21",
    "fix": "fix . --from 2024-07-01 --to 2025-07-31",
    "doctor": "doctor",
    "lowest": "check . --lowest --to 2025-07-31",
}
PROJECTS = {"fix": "guestbook", "lowest": "visitors"}
"""Recordings that are made in the folder of a small project of ``doc_outputs.toml``."""
_LEFT_OUT = re.compile(r"^(?:\x1b\[[\d;]*m|\s)*(?:Logs?:|the patch:)")
"""Lines that name folders of the machine."""


def shown_on_terminal(command: str, width: int, cache: Path, folder: Path) -> str:
    """What ``backdate COMMAND`` writes in ``folder`` to a terminal of ``width`` columns, with its colours."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(width), "TERM": "xterm-256color", "BACKDATE_CACHE": str(cache)}
    words = [sys.executable, "-m", "backdate", *shlex.split(command)]
    with subprocess.Popen(
        words, stdout=theirs, stderr=subprocess.DEVNULL, env=environment, cwd=folder
    ) as running:
        os.close(theirs)
        written = bytearray()
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # on Linux a terminal whose other end is closed says so with EIO
                break
            if not piece:
                break
            written += piece
    os.close(ours)
    if running.returncode not in (0, 1):
        raise SystemExit(f"backdate {command}: exit status {running.returncode}")
    text = written.decode(errors="replace").replace("\r\n", "\n")
    places = {cache: "~/.cache/backdate", Path(sys.prefix).resolve(): "~/.venv", folder: f"~/{folder.name}"}
    for place, shown in places.items():
        text = text.replace(str(place), shown)
    return "\n".join(line for line in text.split("\n") if not _LEFT_OUT.match(line)).strip("\n")


def picture_of(command: str, output: str, width: int) -> str:
    """The terminal as SVG; it loads nothing, so that it looks alike wherever it is shown."""
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        console = Console(
            record=True, width=width, file=nowhere, force_terminal=True, color_system="truecolor"
        )
        console.print(Text.from_ansi(f"$ backdate {command}\n{output}"))
        svg = console.export_svg(title="backdate", theme=SVG_EXPORT_THEME, unique_id="terminal")
    svg = re.sub(r"@font-face\s*\{[^}]*\}", "", svg).replace("Fira Code, monospace", "monospace")
    ET.fromstring(svg)  # raises where it is no XML
    return svg


def main() -> None:
    """Record what is named, or everything."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(RECORDINGS)}; all without any"
    )
    parser.add_argument("--width", type=int, default=100)
    parser.add_argument("--cache", type=Path, help="where environments are kept; new and empty without it")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - RECORDINGS.keys():
        parser.error(f"there is no recording {', '.join(sorted(unknown))}")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        cache = (arguments.cache or Path(temporary, "cache")).resolve()
        for name in arguments.names or RECORDINGS:
            command = RECORDINGS[name]
            folder = ROOT
            if name in PROJECTS:
                folder = write_project(PROJECTS[name], read_outputs()[1], Path(temporary))
            output = shown_on_terminal(command, arguments.width, cache, folder)
            (PICTURES / f"{name}.svg").write_text(
                picture_of(command, output, arguments.width), encoding="utf-8"
            )
            sys.stdout.write(f"{name}: {len(output.splitlines())} lines\n")


if __name__ == "__main__":
    main()
