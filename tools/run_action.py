"""Run the action's steps as GitHub's runner would, as an ordinary user with sudo in a clean root file system.

    sudo python tools/run_action.py ROOT --source FOLDER [--input NAME=VALUE …] [--keep DIR]

``ROOT`` is a Debian with nothing but what GitHub's runner has in common with it:

    debootstrap --variant=minbase \\
        --include=sudo,git,python3,python3-venv,python3-pip,ca-certificates,util-linux bookworm ROOT

It is changed: the user ``runner`` is made, and what the steps install stays. Steps that use another action
(the cache) are left out; all others are run in order, with the variables, inputs and outputs that
``action.yml`` gives them. The issue is kept by this machine's own ``gh`` on a server that answers as GitHub's
does. Each step but that one is given a secret as a job's environment might hold it, and every process below
it is looked at for that.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

REPOSITORY = Path(__file__).parent.parent
sys.path.insert(0, str(REPOSITORY / "tests" / "support"))
from issue_server import issue_server  # noqa: E402 - it is found there alone

USER, HOME = "runner", "/home/runner"
SECRET = "ghs_of-the-job"
TRUSTED = "/etc/ssl/certs/ca-certificates.crt"
ENTER = """set -eu
R=$1; shift
mount --make-rprivate /; mount --bind "$R" "$R"
mount -t proc proc "$R/proc"; mount --rbind /dev "$R/dev"; mount --rbind /sys "$R/sys"
mount -t tmpfs tmpfs "$R/run"
mkdir -p "$R/action" "$R/old"; mount --bind "$ACTION" "$R/action"
cd "$R"; pivot_root . old; umount -l /old
exec /sbin/runuser -u runner -- env -i "$@"
"""
EXPRESSION = re.compile(r"\$\{\{\s*([\w.-]+)\s*\}\}")


@dataclass
class Job:
    """A job on the runner: what its steps know of each other."""

    root: Path
    inputs: dict[str, str]
    address: str
    token: str
    outputs: dict[str, str] = field(default_factory=dict)
    secrets_seen: dict[str, set[str]] = field(default_factory=dict)
    """By step, the programs that had the secret in their environment."""

    def value(self, text: str) -> str:
        """``text`` with its expressions, as far as ``action.yml`` uses them."""
        known = {f"inputs.{name}": value for name, value in self.inputs.items()}
        known |= {"runner.temp": f"{HOME}/temp", "github.token": self.token}
        known |= {f"steps.check.outputs.{name}": value for name, value in self.outputs.items()}
        return EXPRESSION.sub(lambda found: known.get(found[1], ""), text)

    def run(self, step: dict[str, Any]) -> int:
        """Run one step; its status."""
        own = {name: self.value(str(text)) for name, text in step.get("env", {}).items()}
        variables = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "HOME": HOME,
            "USER": USER,
            "LANG": "C.UTF-8",
            "GITHUB_ACTION_PATH": "/action",
            "RUNNER_TEMP": f"{HOME}/temp",
            "GITHUB_REPOSITORY": "owner/name",
            "GITHUB_REF_NAME": "main",
            "GITHUB_RUN_ID": "7",
            **{name: f"{HOME}/{name}" for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")},
            **{name: TRUSTED for name in ("SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS") if name in os.environ},
            **self._exported(),
        }
        if "GH_TOKEN" not in own or not own["GH_TOKEN"]:
            variables |= {"DEPLOY_TOKEN": SECRET, "GITHUB_TOKEN": SECRET}
        else:
            variables |= {"GH_HOST": "github.localhost", "http_proxy": self.address}
        given = [f"{name}={text}" for name, text in (variables | own).items()]
        command = ["unshare", "--mount", "bash", "-c", ENTER, "enter", str(self.root), *given]
        script = f"cd {HOME}/work && {step['run']}"
        running = subprocess.Popen([*command, "bash", "-e", "-c", script], env={"ACTION": str(REPOSITORY)})
        watched = threading.Thread(target=self._watch, args=(running, step["name"]))
        watched.start()
        status = running.wait()
        watched.join()
        output = self.root / f"{HOME[1:]}/GITHUB_OUTPUT"
        self.outputs |= dict(line.split("=", 1) for line in output.read_text().splitlines())
        return status

    def _exported(self) -> dict[str, str]:
        text = (self.root / f"{HOME[1:]}/GITHUB_ENV").read_text()
        return dict(line.split("=", 1) for line in text.splitlines())

    def _watch(self, running: subprocess.Popen[bytes], step: str) -> None:
        """Note every program below the step that has the job's secret in its environment."""
        while running.poll() is None:
            for process in _below(running.pid):
                try:
                    environment = Path(f"/proc/{process}/environ").read_bytes()
                    words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
                except OSError:
                    continue  # it ended
                if SECRET.encode() in environment:
                    seen = self.secrets_seen.setdefault(step, set())
                    seen.add(b" ".join(words[:2]).decode(errors="replace"))
            threading.Event().wait(0.05)


def _below(process: int) -> list[int]:
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [below for child in children for below in (int(child), *_below(int(child)))]


def prepare(root: Path, source: Path) -> None:
    """Make the user, the checkout and the files in which steps leave something."""
    home = root / HOME[1:]
    if f"{USER}:" not in (root / "etc/passwd").read_text():
        subprocess.run(["chroot", root, "useradd", "--create-home", "--shell", "/bin/bash", USER], check=True)
        (root / "etc/sudoers.d/runner").write_text(f"{USER} ALL=(ALL) NOPASSWD:ALL\n")
    for path in ("/etc/resolv.conf", "/etc/hosts", "/etc/pip.conf", TRUSTED):
        if Path(path).exists():  # how this machine reaches the network
            shutil.copy(path, root / path[1:])
    shutil.copy(shutil.which("gh") or "/usr/bin/gh", root / "usr/local/bin/gh")
    for name in ("work", "temp"):
        shutil.rmtree(home / name, ignore_errors=True)
    shutil.copytree(source, home / "work", symlinks=True)
    (home / "temp").mkdir()
    for name in ("GITHUB_ENV", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"):
        (home / name).write_text("")
    subprocess.run(["chroot", root, "chown", "-R", f"{USER}:", HOME], check=True)


def main() -> int:
    """Run the steps; the status of the first that fails, as a job's is."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", type=Path)
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--input", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--keep", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    action = YAML(typ="safe").load(REPOSITORY / "action.yml")
    inputs = {name: str(one.get("default", "")) for name, one in action["inputs"].items()}
    inputs |= dict(given.split("=", 1) for given in arguments.input)
    prepare(arguments.root, arguments.source)
    status = 0
    with issue_server() as (server, address):
        inputs["token"] = server.token
        job = Job(arguments.root.resolve(), inputs, address, server.token)
        for step in action["runs"]["steps"]:
            left_out = "uses" in step or (inputs["issue"] != "true" and "issue" in step.get("if", ""))
            sys.stdout.write(f"== {step['name']}{' (left out)' if left_out else ''}\n")
            sys.stdout.flush()
            if not left_out and (status := job.run(step)):
                break
        for issue in server.issues:
            sys.stdout.write(f"== issue {issue['number']}, {issue['state']}: {issue['title']}\n")
    sys.stdout.write(f"== the job ends with {status}\n")
    for name, programs in job.secrets_seen.items():
        sys.stdout.write(f"== the secret of the job was seen in {name!r} by: {sorted(programs)}\n")
    if arguments.keep is not None:
        shutil.copytree(arguments.root / f"{HOME[1:]}/temp/backdate", arguments.keep, dirs_exist_ok=True)
        shutil.copy(arguments.root / f"{HOME[1:]}/GITHUB_STEP_SUMMARY", arguments.keep / "summary.md")
    return status


if __name__ == "__main__":
    sys.exit(main())
