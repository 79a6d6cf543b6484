"""A run as JUnit XML, for tools that read that. It says less than a SuiteRun, and is never read back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from backdate.testing.outcomes import CaseResult, Outcome, Raised, SuiteRun

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 (section 2.2) cannot hold, not even escaped."""

_DOTTED = re.compile(r"[\w.]*")

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
            "name": xml_text(run.runner),
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
        error = ET.SubElement(case, "error", {"message": xml_text(run.status)})
        error.text = xml_text("\n".join(filter(None, [run.trouble, traceback_text(run.raised)])))
    root = ET.Element("testsuites")
    root.append(suite)
    data: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return data


def _case(result: CaseResult) -> ET.Element:
    class_name, name = junit_names(result.id)
    attributes = {
        "classname": xml_text(class_name),
        "name": xml_text(name),
        "time": f"{result.duration_s:.3f}",
    }
    if result.file is not None:
        attributes["file"] = xml_text(result.file)
    case = ET.Element("testcase", attributes)
    tag = _TAGS.get(result.outcome)
    if tag is not None:
        details = ET.SubElement(case, tag, {"message": xml_text(_message(result)), "type": result.outcome})
        details.text = xml_text(traceback_text(result.raised))
    return case


def junit_names(identity: str) -> tuple[str, str]:
    """(class name, name) of a test, as pytest's own JUnit XML has them: "tests.test_a.TestB", "test_c[1/2]".

    A node id's file becomes a dotted name without its suffix; a dotted id is cut at the last dot of the names
    that it begins with. A parameter may hold anything: it stays whole.
    Source: ``mangle_test_address`` of ``_pytest/junitxml.py``.
    """
    head, bracket, parameter = identity.partition("[")
    if "::" in head or "/" in head or head.endswith(".py"):
        file, *inner = head.split("::")
        names = [file.replace("/", ".").removesuffix(".py"), *inner]
    else:
        dotted = _DOTTED.match(head)
        length = dotted.end() if dotted is not None else 0
        names = head[:length].split(".")
        names[-1] += head[length:]
    names[-1] += bracket + parameter
    return ".".join(names[:-1]), names[-1]


def _message(result: CaseResult) -> str:
    if result.raised:
        last = result.raised[-1]
        return f"{last.type}: {last.message}" if last.message else last.type
    return result.reason or result.outcome.value


def traceback_text(raised: Sequence[Raised]) -> str:
    """A chain of exceptions, the first raised first, a line and its source for each frame."""
    parts = []
    for exception in raised:
        lines = [
            f"{frame.file}:{frame.line}: in {frame.function}\n    {frame.source}"
            for frame in exception.frames
        ]
        parts.append("\n".join([*lines, f"{exception.type}: {exception.message}"]))
    return "\n\n".join(parts)


def xml_text(value: str) -> str:
    """``value`` with what XML cannot hold written as ``\\x00``-like escapes."""
    return _NOT_XML.sub(lambda match: f"\\x{ord(match.group()):02x}", value)
