"""A report as JUnit XML: failures are what broke, so that a CI service is red where the exit status is.

A test that fails in both environments is ``skipped``, with the reason.
"""

from __future__ import annotations

from xml.etree import ElementTree as ET

from backdate.output.report import OutputReport, ReportedSuite, ReportedTest
from backdate.testing.junit import junit_names, xml_text


def junit(report: OutputReport) -> str:
    """One ``testsuite`` for each answer that decides. Names are as pytest's own XML has them."""
    root = ET.Element("testsuites", {"name": xml_text(f"backdate {report.command} {report.project}")})
    root.extend(_suite(suite, report) for suite in report.suites)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(suite: ReportedSuite, report: OutputReport) -> ET.Element:
    states = [test.state for test in suite.tests]
    element = ET.Element(
        "testsuite",
        {
            "name": xml_text(suite.name),
            "tests": str(len(states)),
            "failures": str(states.count("bad")),
            "errors": "0",
            "skipped": str(states.count("aside")),
            "time": f"{report.duration_s:.3f}",
        },
    )
    if report.started is not None:
        element.set("timestamp", report.started.isoformat())
    element.extend(_case(test) for test in suite.tests)
    return element


def _case(test: ReportedTest) -> ET.Element:
    class_name, name = junit_names(test.id)
    case = ET.Element(
        "testcase",
        {"classname": xml_text(class_name), "name": xml_text(name), "time": f"{test.duration_s:.3f}"},
    )
    if test.file is not None:
        case.set("file", xml_text(test.file))
    if test.state == "bad":
        failure = ET.SubElement(case, "failure", {"message": xml_text(test.message)})
        failure.set("type", xml_text(test.type))
        failure.text = xml_text(test.text)
    elif test.state == "aside":
        ET.SubElement(case, "skipped", {"message": xml_text(test.message)})
    return case
