"""What judge runs cost beside the test runs that decide, from the scores of a run's folder.

    python benchmarks/judge_cost.py RUN

The seconds that the tests of solved answers ran when they were scored, and those of their judge runs, as
``backdate score`` has written them down.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from backdate.evaluation.scores import load_score


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("run", type=Path, help="the folder of a scored run")
    options = parser.parse_args()
    names = sorted(path.stem for path in (options.run / "scores").glob("*.json"))
    stored = (load_score(options.run, name) for name in names)
    solved = [score for score in stored if score is not None and score.solved]
    deciding = sum(score.tests_s for score in solved)
    judges = [score.judge.duration_s for score in solved if score.judge is not None and score.judge.changed]
    print(f"{len(solved)} solved, {len(judges)} judged")
    print(f"test runs {deciding:.1f} s, judge runs {sum(judges):.1f} s")
    if deciding:
        print(f"together / test runs: {(deciding + sum(judges)) / deciding:.2f}")


if __name__ == "__main__":
    main()
