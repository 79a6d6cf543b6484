"""Picture the pages that backdate writes, as Chromium shows them, for the documentation (PNG).

    python tools/picture_pages.py [check] [bisect] [timeline] [--cache DIR] [--chromium PROGRAM]
    python tools/picture_pages.py report --run RUN…

``check`` and ``bisect`` run the command of ``record_terminal.py`` of that name and take the HTML page of its
answer; ``timeline`` takes the picture that ``bisect --picture`` draws (SVG); ``report`` takes the page of
scored runs. Each page is pictured in both colour schemes (``docs/pictures/NAME-page-light.png`` and
``…-dark.png``), with few colours, so that they stay small.
"""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image
from record_terminal import PICTURES, RECORDINGS

WIDTH = 900
HEIGHTS = {"check": 680, "bisect": 980, "report": 980}
LARGEST_BYTES = 150_000
SCHEMES = {"dark": 0, "light": 1}
"""Blink's numbers of the colour schemes that a page may ask for."""


def run_backdate(*words: str, cache: Path | None) -> None:
    """Run a command. Raises RuntimeError where it ends with neither 0 nor 1."""
    environment = os.environ | ({"BACKDATE_CACHE": str(cache)} if cache else {})
    command = [sys.executable, "-m", "backdate", *words]
    ran = subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, check=False)
    if ran.returncode not in (0, 1):
        raise RuntimeError(f"{shlex.join(words)} ends with {ran.returncode}")


def picture(page: Path, name: str, chromium: str) -> None:
    """Write the pictures of ``page``, one for each colour scheme."""
    for scheme, number in SCHEMES.items():
        with tempfile.TemporaryDirectory() as temporary:
            shot = Path(temporary, "page.png")
            command = [
                chromium,
                "--headless",
                "--no-sandbox",  # the page is ours, holds no script and loads nothing
                "--disable-gpu",
                "--hide-scrollbars",
                f"--user-data-dir={temporary}/profile",
                f"--window-size={WIDTH},{HEIGHTS[name]}",
                f"--blink-settings=preferredColorScheme={number}",
                f"--screenshot={shot}",
                page.as_uri(),
            ]
            subprocess.run(command, check=True, capture_output=True, timeout=300)
            write_small(shot, PICTURES / f"{name}-page-{scheme}.png")


def write_small(shot: Path, target: Path) -> None:
    """Write the picture ``shot`` with a palette. Raises RuntimeError where it is too large even so."""
    with Image.open(shot) as image:
        image.convert("RGB").quantize(64).save(target, optimize=True)
    if target.stat().st_size > LARGEST_BYTES:
        raise RuntimeError(f"{target.name} has {target.stat().st_size} bytes")


def make(name: str, runs: Sequence[Path], cache: Path | None, chromium: str) -> None:
    """Make the pictures of one name."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        if name == "report":
            run_backdate("report", *map(str, runs), "-o", str(folder / "report"), cache=cache)
            picture(folder / "report" / "index.html", name, chromium)
        elif name == "timeline":
            drawn = folder / "timeline.svg"
            run_backdate(*shlex.split(RECORDINGS["bisect"]), "--picture", str(drawn), cache=cache)
            shutil.copyfile(drawn, PICTURES / "timeline.svg")
        else:
            page = folder / "page.html"
            run_backdate(*shlex.split(RECORDINGS[name]), "-o", str(page), cache=cache)
            picture(page, name, chromium)


def main() -> None:
    """Make what is named."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    names = ("check", "bisect", "timeline")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(names)}, report; the first three without any"
    )
    parser.add_argument("--run", type=Path, action="append", default=[], help="a scored run, for report")
    parser.add_argument("--cache", type=Path, help="where environments are kept; the user's without it")
    parser.add_argument("--chromium", default="chromium")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - {*names, "report"}:
        parser.error(f"there is no page {', '.join(sorted(unknown))}")
    if "report" in arguments.names and not arguments.run:
        parser.error("report needs --run")
    for name in arguments.names or names:
        make(name, arguments.run, arguments.cache, arguments.chromium)
        sys.stdout.write(f"{name}: written\n")


if __name__ == "__main__":
    main()
