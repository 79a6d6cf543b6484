"""Run the GitHub Action's steps on real projects, week after week; write docs/evidence/maintainer-week.md.

    python tools/maintainer_week.py [--only NAME …] [--keep DIR] [--cache DIR]

The projects and days are in ``maintainer_week.toml``. Each run is what a job would do: ``action/check.sh``
with the release that the maintainer had then, as of that day, and ``action/issue.py`` against a server on
this machine that answers as GitHub's does. ``--keep`` keeps the reports and the summaries. With ``--only``
the rows of the other projects stay as they are in the page.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "evidence" / "maintainer-week.md"
PROJECTS = Path(__file__).with_suffix(".toml")
HEAD = """\
# A maintainer's weeks, on six real projects

Three projects that are healthy because of a bound of their own, and three that a release of somebody else
broke until a release of their own works again. Each line is a run of the steps of
[the action](../how-to/ci.md): the check, the bisection where something broke, and the one issue, on a server
of this machine that answers as GitHub's does. `python tools/maintainer_week.py` makes the table; the projects
and days were chosen, not drawn (`tools/maintainer_week.toml`).

*Status* is what the job ended with, and in brackets what it had to end with where that differs.

| project, release | job of | status | for users | without its own bounds | the issue |
|---|---|--:|---|---|---|
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRun:
    """What one job came to."""

    status: int
    declared: str
    lifted: str
    bounds: tuple[str, ...]
    culprits: tuple[str, ...]
    issue: str


def _issue_server() -> Any:
    """The tests' own server of issues."""
    file = ROOT / "tests" / "support" / "issue_server.py"
    found = importlib.util.spec_from_file_location("issue_server", file)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules["issue_server"] = module
    found.loader.exec_module(module)
    return module


def run_job(
    run: dict[str, Any], folder: Path, cache: Path, github: dict[str, str], bin_folder: Path
) -> JobRun:
    """One job in ``folder``, which is new. ``github``: what the step of the issue has in its environment."""
    folder.mkdir(parents=True)
    outputs, summary = folder / "outputs", folder / "summary.md"
    common = {
        "PATH": f"{bin_folder}:{Path(sys.executable).parent}:{os.environ['PATH']}",
        "HOME": os.environ["HOME"],
        "RUNNER_TEMP": str(folder),
        "GITHUB_OUTPUT": str(outputs),
        "GITHUB_STEP_SUMMARY": str(summary),
    }
    checked = subprocess.run(
        [ROOT / "action" / "check.sh"],
        env=os.environ
        | common
        | {
            "BACKDATE": str(Path(sys.executable).parent / "backdate"),
            "BACKDATE_CACHE": str(cache),
            "SOURCE": run["source"],
            "TO": run["to"],
        },
        capture_output=True,
        text=True,
        check=False,
    )
    (folder / "log").write_text(checked.stdout + checked.stderr)
    if checked.returncode:
        raise SystemExit(
            f"{run['source']}: check.sh ended with {checked.returncode}:\n{checked.stderr[-2000:]}"
        )
    said = dict(line.split("=", 1) for line in outputs.read_text().splitlines())
    kept = subprocess.run(
        [sys.executable, "-I", ROOT / "action" / "issue.py"],
        env=common | github | {"STATUS": said["status"], "REPORT": f"{said['folder']}/report.md"},
        capture_output=True,
        text=True,
        check=False,
    )
    if kept.returncode:
        raise SystemExit(f"{run['source']}: issue.py ended with {kept.returncode}: {kept.stderr}")
    answers = json.loads(Path(said["folder"], "check.json").read_text())
    bisection = Path(said["folder"], "bisection.json")
    findings = json.loads(bisection.read_text())["findings"] if bisection.exists() else []
    return JobRun(
        status=int(said["status"]),
        declared=answers["declared"]["verdict"],
        lifted=answers["lifted"]["verdict"],
        bounds=tuple(cap["requirement"] for cap in answers["caps"]),
        culprits=tuple(dict.fromkeys(_culprits(findings))),
        issue=kept.stdout.strip().removeprefix("backdate: "),
    )


def _culprits(findings: list[dict[str, Any]]) -> Iterator[str]:
    for finding in findings:
        for culprit in finding.get("culprits", []):
            yield f"{culprit['name']} {culprit['new']}"


def main() -> None:
    """Run them, and write the page after each project."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", action="append", metavar="NAME")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    parser.add_argument("--cache", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    projects = tomllib.loads(PROJECTS.read_text())["project"]
    table, section, rest = PAGE.read_text(encoding="utf-8").partition("\n## ")
    further = section + rest  # what else was tried stays
    rows = {project["name"]: _rows_of(project["name"], table) for project in projects}
    wanted = [project for project in projects if not arguments.only or project["name"] in arguments.only]
    module = _issue_server()
    with tempfile.TemporaryDirectory() as temporary:
        kept = (arguments.keep or Path(temporary, "jobs")).resolve()
        cache = (arguments.cache or Path(temporary, "cache")).resolve()
        bin_folder = Path(temporary, "bin")
        module.stand_in(bin_folder, "gh", module.STAND_IN)
        for project in wanted:
            made = []
            with module.issue_server() as (server, address):
                github = {
                    "GH_STAND_IN": address,
                    "GH_TOKEN": server.token,
                    "GITHUB_REPOSITORY": "owner/name",
                    "GITHUB_REF_NAME": "main",
                }
                for run in project["runs"]:
                    folder = kept / project["name"] / run["to"]
                    job = run_job(run, folder, cache, github, bin_folder)
                    made.append(_row(project, run, job))
                    sys.stdout.write(f"{made[-1]}\n")
                    sys.stdout.flush()
            rows[project["name"]] = made
            text = "\n".join(row for each in rows.values() for row in each)
            PAGE.write_text(f"{HEAD}{text}\n{further}", encoding="utf-8")


def _rows_of(name: str, table: str) -> list[str]:
    """The rows of a project."""
    return [line for line in table.splitlines() if line.startswith(f"| {name} ")]


def _row(project: dict[str, Any], run: dict[str, Any], job: JobRun) -> str:
    release = run["source"].partition("==")[2]
    culprits = f": {', '.join(job.culprits)}" if job.culprits else ""
    bounds = f"; needs `{'`, `'.join(job.bounds)}`" if job.bounds else ""
    status = f"{job.status}{f' ({wanted})' if (wanted := run['status']) != job.status else ''}"
    declared, lifted = (verdict.replace("-", " ") for verdict in (job.declared, job.lifted))
    cells = (f"{project['name']} {release}", f"`{run['to']}`", status, f"{declared}{culprits}")
    return f"| {' | '.join(cells)} | {lifted}{bounds} | {job.issue} |"


if __name__ == "__main__":
    main()
