"""A run as JUnit XML, for tools that read that. It says less than a SuiteRun, and is never read back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from backdate.testing.outcomes import CaseResult, Outcome, Raised, SuiteRun

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 (section 2.2) cannot hold, not even escaped."""

_TAGS = {
    Outcome.FAILED: "failure",
    Outcome.ERROR: "error",
    Outcome.CRASHED: "error",
    Outcome.TIMED_OUT: "error",
    Outcome.NOT_COLLECTED: "error",
    Outcome.SKIPPED: "skipped",
    Outcome.XFAILED: "skipped",
}


def to_junit(run: SuiteRun) -> bytes:
    """The run as one ``testsuite`` in UTF-8.

    As pytest does it: an expected failure is ``skipped``, and what could not be collected is an ``error``.
    Characters that XML cannot hold are written as ``\\x00``-like escapes.
    """
    tags = [_TAGS.get(result.outcome) for result in run.results]
    suite = ET.Element(
        "testsuite",
        {
            "name": _text(run.runner),
            "tests": str(len(run.results)),
            "failures": str(tags.count("failure")),
            "errors": str(tags.count("error") + (run.status not in ("completed", "no-tests"))),
            "skipped": str(tags.count("skipped")),
            "time": f"{run.duration_s:.3f}",
        },
    )
    for result in run.results:
        suite.append(_case(result))
    if run.status not in ("completed", "no-tests"):
        case = ET.SubElement(suite, "testcase", {"classname": "", "name": "the run itself", "time": "0"})
        error = ET.SubElement(case, "error", {"message": _text(run.status)})
        error.text = _text("\n".join(filter(None, [run.trouble, _traceback(run.raised)])))
    root = ET.Element("testsuites")
    root.append(suite)
    data: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def _case(result: CaseResult) -> ET.Element:
    class_name, name = _split(result.id)
    attributes = {"classname": _text(class_name), "name": _text(name), "time": f"{result.duration_s:.3f}"}
    if result.file is not None:
        attributes["file"] = _text(result.file)
    case = ET.Element("testcase", attributes)
    tag = _TAGS.get(result.outcome)
    if tag is not None:
        details = ET.SubElement(case, tag, {"message": _text(_message(result)), "type": result.outcome})
        details.text = _text(_traceback(result.raised))
    return case


def _split(identity: str) -> tuple[str, str]:
    """(class, name) of a node id or a dotted id; a parameter may hold anything: it stays whole."""
    head, bracket, parameter = identity.partition("[")
    separator = "::" if "::" in head else "."
    parent, separated, name = head.rpartition(separator)
    return (parent if separated else "", f"{name}{bracket}{parameter}")


def _message(result: CaseResult) -> str:
    if result.raised:
        last = result.raised[-1]
        return f"{last.type}: {last.message}" if last.message else last.type
    return result.reason or result.outcome.value


def _traceback(raised: Sequence[Raised]) -> str:
    parts = []
    for exception in raised:
        lines = [
            f"{frame.file}:{frame.line}: in {frame.function}\n    {frame.source}"
            for frame in exception.frames
        ]
        parts.append("\n".join([*lines, f"{exception.type}: {exception.message}"]))
    return "\n\n".join(parts)


def _text(value: str) -> str:
    return _NOT_XML.sub(lambda match: f"\\x{ord(match.group()):02x}", value)
