"""Write the table of docs/evidence/attacks.md: every attack of tests/attacks, what holds it, how it is named.

    python tools/attack_table.py            # write it
    python tools/attack_table.py --check    # say whether it is as it should be

An attack is a file; its docstring says what it does. tests/attacks/attacks.toml says at which point of a run
it is made and what answers it. A test holds the three together (tests/tools/test_attack_table.py).
"""

from __future__ import annotations

import argparse
import ast
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
ATTACKS = ROOT / "tests" / "attacks"
PAGE = ROOT / "docs" / "evidence" / "attacks.md"
POINTS = ("build", "test", "score", "data", "index", "people")
"""Where an attack is made, in the order of the table."""
HEADINGS = {
    "build": "While an environment is built",
    "test": "While tests run",
    "score": "To be scored as solved",
    "data": "By data sets, answers, projects' files and workers",
    "index": "By the package index",
    "people": "On whoever reads what is shown",
}
_BEGIN, _END = "<!-- attacks: begin -->\n", "<!-- attacks: end -->\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attack:
    """One file."""

    file: str
    """Below tests/attacks."""
    does: str
    """The first sentence of its docstring."""
    at: str
    held_by: str
    """What contains it, or that it stays open."""
    named: str
    """Where its attempt is seen."""


def attack_files() -> list[str]:
    """The files that hold an attack."""
    files = [*ATTACKS.glob("test_*.py"), *ATTACKS.glob("forging/*.py")]
    return sorted(path.relative_to(ATTACKS).as_posix() for path in files if path.name not in _COLLECTIONS)


_COLLECTIONS = frozenset({"test_forging.py", "test_as_an_ordinary_user.py", "test_forgery_table.py"})
"""They run what other files hold."""


def read_attacks() -> list[Attack]:
    """Every attack, by point and file. Raises ValueError for one that is said nothing of, or is gone."""
    said = tomllib.loads((ATTACKS / "attacks.toml").read_text(encoding="utf-8"))
    files = attack_files()
    if unknown := sorted(set(files) ^ set(said)):
        raise ValueError(f"tests/attacks/attacks.toml and the files differ: {', '.join(unknown)}")
    attacks = [
        Attack(file=file, does=_first_sentence(ATTACKS / file), **said[file])  # its keys are the fields
        for file in files
    ]
    if wrong := [attack.file for attack in attacks if attack.at not in POINTS]:
        raise ValueError(f"no point of a run: {', '.join(wrong)}")
    return sorted(attacks, key=lambda attack: (POINTS.index(attack.at), attack.file))


def _first_sentence(path: Path) -> str:
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.partition("\n\n")[0].split())


def table(attacks: list[Attack]) -> str:
    """The tables, in Markdown."""
    parts = [f"{len(attacks)} files, each an attack or a close family.\n"]
    for point in POINTS:
        rows = [attack for attack in attacks if attack.at == point]
        parts.append(f"## {HEADINGS[point]}\n\n| attack | file | held by | named as |\n|---|---|---|---|")
        parts += [
            f"| {_cell(one.does)} | `{one.file}` | {_cell(one.held_by)} | {_cell(one.named)} |"
            for one in rows
        ]
        parts.append("")
    return "\n".join(parts)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def page(attacks: list[Attack]) -> str:
    """The page with the table as it is now."""
    head, _, rest = PAGE.read_text(encoding="utf-8").partition(_BEGIN)
    _, _, tail = rest.partition(_END)
    return f"{head}{_BEGIN}\n{table(attacks)}\n{_END}{tail}"


def main() -> int:
    """Write the page, or check it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; fail where the page is old")
    arguments = parser.parse_args()
    text = page(read_attacks())
    if not arguments.check:
        PAGE.write_text(text, encoding="utf-8")
        return 0
    if text == PAGE.read_text(encoding="utf-8"):
        return 0
    print("docs/evidence/attacks.md is old: python tools/attack_table.py writes it", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
