"""Make tests/diagnosis/corpus from the folders of real runs: trimmed logs, and what was captured beside each.

    python tools/collect_logs.py FOLDER … [--most 40]

A FOLDER is what a check or a bisection leaves (``result.json``, ``old/tests.log``, ``new/tests.log``, …). Of
each kind of failure, by runner and exceptions, the shortest log is taken. Places of the machine
are replaced: the corpus holds none.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

from backdate.checking.result import CheckResult
from backdate.serial import from_json
from backdate.testing.outcomes import SuiteRun

CORPUS = Path(__file__).parent.parent / "tests" / "diagnosis" / "corpus"
LARGEST = 36_000
"""Characters of a log; a longer one is left out, as it cannot be cut without losing a failure."""
_PLACES = (
    (re.compile(r"/work/[0-9a-f]{16}/[^\s/:'\"]+"), "/work/project"),
    (re.compile(r"/[^\s'\"():,]*/environments/[0-9a-f]{64}"), "/env"),
    (re.compile(r"/[^\s'\"():,]*/versions/(\d+\.\d+)\.\d+"), r"/python/\1"),
    (re.compile(r"/root\b|/home/\w+"), "/home/user"),
    (re.compile(r"\b[\w.-]+\.(?:internal|local|lan)\b"), "host"),
)


def main() -> int:
    """Collect, and say what was taken."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--most", type=int, default=40)
    options = parser.parse_args()
    kinds: dict[tuple[object, ...], tuple[str, str, SuiteRun]] = {}
    for folder in options.folders:
        if not (folder / "result.json").is_file():
            continue
        result = from_json(CheckResult, (folder / "result.json").read_bytes(), what=str(folder))
        for name, side in (("old", result.old), ("new", result.new)):
            log = folder / name / "tests.log"
            if side.run is None or not log.is_file() or side.run.attempts > 1:
                continue
            text = cleaned(log.read_text(encoding="utf-8", errors="replace"))
            if len(text) <= LARGEST:
                kind = kind_of(side.run, side.choice.interpreter.version)
                if kind not in kinds or len(kinds[kind][1]) > len(text):
                    kinds[kind] = (f"{folder.name.lower()}-{name}", text, side.run)
    CORPUS.mkdir(parents=True, exist_ok=True)
    taken = sorted(kinds.values(), key=lambda one: len(one[1]))[: options.most]
    for name, text, run in taken:
        (CORPUS / f"{name}.log").write_text(text, encoding="utf-8")
        (CORPUS / f"{name}.json").write_text(json.dumps(captured(run), indent=1) + "\n", encoding="utf-8")
        print(f"{name}: {len(text)} characters, {len(captured(run)['failures'])} failures")
    return 0


def kind_of(run: SuiteRun, python: str) -> tuple[object, ...]:
    """Equal for runs whose logs look alike."""
    bad = [one for one in run.results if one.outcome.bad]
    errors = frozenset((str(one.outcome), *(raised.type for raised in one.raised)) for one in bad)
    return (run.runner, run.status, python.rpartition(".")[0], errors)


def cleaned(text: str) -> str:
    """The log without places of the machine."""
    for pattern, shown in _PLACES:
        text = pattern.sub(shown, text)
    return text


def captured(run: SuiteRun) -> dict[str, object]:
    """What the run's own record says of its failures: the log is read without it."""
    failures = [
        {
            "test": one.id,
            "outcome": str(one.outcome),
            "raised": [raised.type for raised in one.raised],
        }
        for one in run.results
        if one.outcome.bad
    ]
    return {"runner": run.runner, "status": run.status, "failures": failures}


if __name__ == "__main__":
    sys.exit(main())
