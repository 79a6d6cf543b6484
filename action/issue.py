#!/usr/bin/env python3
"""Keep one issue for a branch: open and up to date while something is broken, closed when it works again.

It talks to GitHub through the program ``gh``, with the token that this step alone has. It runs nothing of the
project and reads one file, the report in Markdown, whose first line is the title.

Environment: GITHUB_REPOSITORY, GITHUB_REF_NAME, STATUS (of the check), REPORT (the file), LABEL; of a run's
address GITHUB_SERVER_URL and GITHUB_RUN_ID; for ``gh`` GH_TOKEN.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

LONGEST_BODY = 60_000  # GitHub takes 65,536 characters
NOT_FOUND = "HTTP 404"
GREEN, RED = "0", "1"


class GhFailed(Exception):
    """``gh`` did not do what it was asked."""


def api(method: str, path: str, document: dict[str, Any] | None = None) -> Any:
    """What GitHub's REST answers."""
    command = ["gh", "api", "--method", method, path]
    given = None
    if document is not None:
        command += ["--input", "-"]
        given = json.dumps(document).encode()
    done = subprocess.run(command, input=given, capture_output=True, check=False)
    if done.returncode:
        raise GhFailed(f"{method} {path}: {done.stderr.decode(errors='replace').strip()}")
    return json.loads(done.stdout) if done.stdout.strip() else None


def marker(branch: str) -> str:
    """What the issue of a branch ends with. Nobody's text can: "<" is escaped in a report."""
    return f"<!-- backdate: {quote(branch, safe='')} -->"


def read_report(text: str) -> tuple[str, str]:
    """(title, body) of a report in Markdown: its first line is a heading, whose escapes no title has."""
    first, _, body = text.partition("\n")
    title = first.removeprefix("#").replace("<!-- -->", "")
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", title).strip()[:250], body.strip()


class StickyIssue:
    """The issue of one branch of a repository."""

    def __init__(self, repository: str, branch: str, label: str) -> None:
        self.issues = f"repos/{repository}/issues"
        self.labels = f"repos/{repository}/labels"
        self.label = label
        self.marker = marker(branch)

    def find(self) -> dict[str, Any] | None:
        """The open one; else the youngest closed one; None where there never was one."""
        query = f"labels={quote(self.label)}&state=all&per_page=100"
        issues = [
            issue
            for issue in api("GET", f"{self.issues}?{query}")
            if "pull_request" not in issue and str(issue.get("body") or "").rstrip().endswith(self.marker)
        ]
        return next((issue for issue in issues if issue["state"] == "open"), issues[0] if issues else None)

    def report(self, title: str, body: str, run: str) -> str:
        """Open it, or bring it up to date; a comment tells of a new title, or that it was closed."""
        issue = self.find()
        room = LONGEST_BODY - len(run) - len(self.marker)
        shown = body if len(body) <= room else f"{body[:room]}\n\n…"
        document: dict[str, Any] = {"title": title, "body": f"{shown}\n\n{run}\n\n{self.marker}"}
        if issue is None:
            self._have_label()
            opened = api("POST", self.issues, {**document, "labels": [self.label]})
            return f"opened issue {opened['number']}"
        number = issue["number"]
        api("PATCH", f"{self.issues}/{number}", {**document, "state": "open"})
        if issue["state"] != "open":
            self._comment(number, f"Broken again. {run}")
            return f"opened issue {number} again"
        if issue["title"] != title:
            self._comment(number, f"Something else broke: the description is new. {run}")
        return f"brought issue {number} up to date"

    def close(self, run: str) -> str:
        """Close it where it is open."""
        issue = self.find()
        if issue is None or issue["state"] != "open":
            return "no issue is open"
        self._comment(issue["number"], f"It works again. {run}")
        document = {"state": "closed", "state_reason": "completed"}
        api("PATCH", f"{self.issues}/{issue['number']}", document)
        return f"closed issue {issue['number']}"

    def _comment(self, number: int, text: str) -> None:
        api("POST", f"{self.issues}/{number}/comments", {"body": text})

    def _have_label(self) -> None:
        try:
            api("GET", f"{self.labels}/{quote(self.label)}")
        except GhFailed as problem:
            if NOT_FOUND not in str(problem):
                raise
            about = {
                "name": self.label,
                "color": "b60205",
                "description": "Dependency updates broke something",
            }
            api("POST", self.labels, about)


def main() -> int:
    """Do what the status of the check asks for."""
    environment = os.environ
    status = environment.get("STATUS", "")
    issue = StickyIssue(
        environment["GITHUB_REPOSITORY"],
        environment["GITHUB_REF_NAME"],
        environment.get("LABEL") or "backdate",
    )
    server = environment.get("GITHUB_SERVER_URL", "https://github.com")
    number = environment.get("GITHUB_RUN_ID", "")
    run = f"Run: {server}/{environment['GITHUB_REPOSITORY']}/actions/runs/{number}"
    try:
        if status == GREEN:
            said = issue.close(run)
        elif status == RED:
            said = issue.report(*read_report(Path(environment["REPORT"]).read_text(encoding="utf-8")), run)
        else:
            said = f"status {status or 'unknown'} says neither that something broke nor that it works"
    except GhFailed as problem:
        text = str(problem).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
        sys.stdout.write(
            f"::error title=backdate::the issue cannot be kept; the job needs `issues: write`: {text}\n"
        )
        return 1
    sys.stdout.write(f"backdate: {said}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
