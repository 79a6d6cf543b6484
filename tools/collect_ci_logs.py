"""Make tests/diagnosis/ci: logs of failing installs and test runs of real releases, as CI shows them.

    python tools/collect_ci_logs.py [NAME …] [--pythons ~/.pyenv/versions]

Each job of ``JOBS`` unpacks a release's own sdist, installs it with pip into an environment of its own, with
whatever the index serves today, and runs its tests. Nothing is edited but places of this machine. Jobs with
``github`` get each line as GitHub's runner stores it: a timestamp, groups, and the colours of the programs.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from backdate.errors import BackdateError
from backdate.projects.sources.open import open_source

FOLDER = Path(__file__).parent.parent / "tests" / "diagnosis" / "ci"
_LIMIT_S = 900


@dataclass(frozen=True, slots=True, kw_only=True)
class CiJob:
    """One log."""

    name: str
    sdist: str
    """The release whose tree is the checkout; "" for none."""
    python: str
    steps: tuple[str, ...]
    """Shell commands; the job ends with the first that fails."""
    github: bool = False


JOBS = (
    CiJob(
        name="pytest-nose-numpy",
        sdist="scikit-fuzzy==0.4.2",
        python="3.10",
        steps=("pip install numpy scipy networkx pytest", "python -m pytest skfuzzy"),
        github=True,
    ),
    CiJob(
        name="pytest-numpy-float",
        sdist="nibabel==3.0.2",
        python="3.10",
        steps=(
            "pip install 'numpy<2' pytest",
            "python -m pytest nibabel/tests/test_quaternions.py nibabel/tests/test_affines.py",
        ),
        github=True,
    ),
    CiJob(
        name="pytest-markupsafe",
        sdist="Jinja2==2.11.3",
        python="3.9",
        steps=("pip install pytest .", "python -m pytest"),
    ),
    CiJob(
        name="pytest-werkzeug",
        sdist="Flask==2.2.2",
        python="3.11",
        steps=("pip install pytest .", "python -m pytest tests"),
        github=True,
    ),
    CiJob(
        name="unittest-asyncore",
        sdist="pyftpdlib==1.5.7",
        python="3.12",
        steps=("pip install psutil .", "python -m unittest pyftpdlib.test.test_filesystems"),
        github=True,
    ),
    CiJob(
        name="unittest-mock",
        sdist="mock==2.0.0",
        python="3.10",
        steps=("pip install six pbr unittest2 .", "python -m unittest discover"),
    ),
    CiJob(name="pip-use-2to3", sdist="", python="3.11", steps=("pip install anyjson==0.3.3",)),
    CiJob(
        name="pip-no-release", sdist="", python="3.11", steps=("pip install tensorflow==1.15.0",), github=True
    ),
    CiJob(
        name="pip-conflict",
        sdist="Flask==2.2.2",
        python="3.11",
        steps=("pip install . Werkzeug==1.0.1",),
    ),
    CiJob(name="pip-cython", sdist="", python="3.11", steps=("pip install PyYAML==5.4.1",), github=True),
    CiJob(name="pip-python-range", sdist="", python="3.8", steps=("pip install numpy==2.0.0",)),
)


def main() -> int:
    """Run the jobs and write their logs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pythons", type=Path, default=Path.home() / ".pyenv" / "versions")
    options = parser.parse_args()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for job in JOBS:
        if options.names and job.name not in options.names:
            continue
        try:
            with tempfile.TemporaryDirectory(prefix="ci-") as folder:
                text = run_job(job, Path(folder), options.pythons)
        except (RuntimeError, BackdateError) as error:
            print(f"{job.name}: {error}")
            continue
        (FOLDER / f"{job.name}.log").write_text(text, encoding="utf-8")
        print(f"{job.name}: {len(text.splitlines())} lines")
    return 0


def run_job(job: CiJob, folder: Path, pythons: Path) -> str:
    """The log of a job. Raises RuntimeError when nothing fails."""
    checkout = folder / "checkout"
    python = next(path for path in sorted(pythons.glob(f"{job.python}.*")) if path.is_dir()) / "bin/python"
    environment = folder / "venv"
    subprocess.run([python, "-m", "venv", environment], check=True)
    if job.sdist:
        open_source(f"pypi:{job.sdist}", workdir=folder, cache=folder / "downloads").root.rename(checkout)
    else:
        checkout.mkdir()
    variables = {
        **os.environ,
        "PATH": f"{environment / 'bin'}:{os.environ['PATH']}",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_NO_CACHE_DIR": "1",
        "COLUMNS": "100",
        **({"FORCE_COLOR": "1", "PY_COLORS": "1"} if job.github else {}),
    }
    lines: list[str] = []
    for step in job.steps:
        lines += opening(step, github=job.github)
        status = 0
        process = subprocess.Popen(
            ["bash", "-e", "-c", step],
            cwd=checkout,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(stamped(line.decode("utf-8", "replace").rstrip("\n"), github=job.github))
        status = process.wait(_LIMIT_S)
        if status:
            lines.append(
                stamped(f"##[error]Process completed with exit code {status}.", github=True)
                if job.github
                else f"Error: Process completed with exit code {status}."
            )
            return cleaned("\n".join(lines) + "\n", folder, job, python.parent.parent)
    raise RuntimeError(f"{job.name}: nothing failed")


def opening(step: str, *, github: bool) -> Iterator[str]:
    """How a step begins in the log."""
    if not github:
        yield f"$ {step}"
        return
    for line in (
        f"##[group]Run {step}",
        f"\x1b[36;1m{step}\x1b[0m",
        "shell: /usr/bin/bash -e {0}",
        "##[endgroup]",
    ):
        yield stamped(line, github=True)


def stamped(line: str, *, github: bool) -> str:
    """``line`` as GitHub stores it."""
    return f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%f}0Z {line}" if github else line


def cleaned(text: str, folder: Path, job: CiJob, python: Path) -> str:
    """The log without the places of this machine and without the address of the index."""
    name = re.split(r"[=<>]", job.sdist)[0].lower() or "project"
    for place, shown in (
        (f"{folder}/checkout", f"/home/runner/work/{name}/{name}"),
        (f"{folder}/venv", f"/opt/hostedtoolcache/Python/{python.name}/x64"),
        (str(python), f"/opt/hostedtoolcache/Python/{python.name}/x64"),
    ):
        text = text.replace(place, shown)
    text = text.replace("../venv/", f"../../../../../opt/hostedtoolcache/Python/{python.name}/x64/")
    text = text.replace("/opt/pypi/files/", "/home/runner/wheels/")
    text = re.sub(r"(?m)^.*(?:Looking in (?:indexes|links)|Location ').*\n", "", text)
    text = re.sub(r"https?://[^\s)]*/(?=packages/|simple/)", "https://index.example/", text)
    return re.sub(r"/(?:root|home/(?!runner\b)\w+)\b", "/home/runner", text)


if __name__ == "__main__":
    sys.exit(main())
