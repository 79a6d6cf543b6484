"""A report as SARIF 2.1.0, for code scanning and editors.

Source: OASIS standard "Static Analysis Results Interchange Format Version 2.1.0", and GitHub's page "SARIF
support for code scanning" for what it wants besides (a location for each result, fingerprints).
"""

from __future__ import annotations

import json
import re
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from backdate.advice import SourcePlace
from backdate.output.report import OutputReport, ReportedFinding, where
from backdate.reports.text import shown
from backdate.serial import digest
from backdate.text import counted

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_HOME = "https://pypi.org/project/backdate/"
_NOT_RULE = re.compile(r"[^A-Za-z0-9._-]+")
_NOWHERE = (SourcePlace(file="pyproject.toml", line=1),)
"""For what no line of the project is at: what it requires is."""


def sarif(report: OutputReport, *, folder: str = "") -> str:
    """The log, with one run. ``folder``: where the project lies in the repository, "" for its root."""
    rules = list(dict.fromkeys(_rule_id(finding) for finding in report.findings))
    log = {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "backdate",
                        "version": report.backdate,
                        "informationUri": _HOME,
                        "rules": [_rule(rule) for rule in rules],
                    }
                },
                "invocations": [_invocation(report)],
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(finding, rules.index(_rule_id(finding)), folder) for finding in report.findings
                ],
            }
        ],
    }
    return json.dumps(log, indent=2, ensure_ascii=True) + "\n"


def _invocation(report: OutputReport) -> dict[str, Any]:
    made: dict[str, Any] = {"executionSuccessful": True}
    if report.started is not None:
        made["startTimeUtc"] = report.started.strftime("%Y-%m-%dT%H:%M:%SZ")
    steps = (f"Next: {step.what}{f': {step.command}' if step.command else ''}" for step in report.next)
    notes = [f"{report.heading}: {report.reason}", *report.notes, *steps]
    made["toolExecutionNotifications"] = [
        {"level": "note", "message": {"text": shown(note)}} for note in notes
    ]
    return made


def _rule_id(finding: ReportedFinding) -> str:
    name = _NOT_RULE.sub("-", finding.rule).strip("-")[:80]
    return f"broke/{name or 'error'}"


def _rule(rule: str) -> dict[str, Any]:
    kind = rule.removeprefix("broke/")
    return {
        "id": rule,
        "shortDescription": {"text": f"Dependency updates break tests: {kind}"},
        "helpUri": _HOME,
    }


def _result(finding: ReportedFinding, rule: int, folder: str) -> dict[str, Any]:
    tests = f" ({counted(len(finding.tests), 'test')})" if finding.tests else ""
    since = (
        f" Since {finding.culprit}{f' ({finding.proof})' if finding.proof else ''}."
        if finding.culprit
        else ""
    )
    group = f"{finding.group}: " if finding.group else ""
    places = where(finding) or _NOWHERE
    return {
        "ruleId": _rule_id(finding),
        "ruleIndex": rule,
        "level": finding.level.value,
        "message": {"text": shown(f"{group}{finding.title}{tests}.{since}")},
        "locations": [_location(place, folder) for place in places[:1]],
        "relatedLocations": [
            {"id": number, **_location(place, folder)} for number, place in enumerate(places[1:10], 1)
        ],
        # The line may move: what the finding is about does not.
        "partialFingerprints": {
            "backdate/v1": digest(finding.group, finding.rule, finding.title, places[0].file)
        },
    }


def _location(place: SourcePlace, folder: str) -> dict[str, Any]:
    path = PurePosixPath(folder, place.file).as_posix()
    uri = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"},
            "region": {"startLine": max(1, place.line)},
        }
    }
