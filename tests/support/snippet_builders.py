"""Snippets for tests, and a runner of programs that runs nothing of its own: a table says what each gives."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from backdate.snippets.runs import CaseOutcome, ProgramEnd, ProgramLimits, ProgramRun, SnippetProgram
from backdate.snippets.snippet import (
    ApiChange,
    ApiChangeKind,
    Collection,
    Harness,
    Language,
    Snippet,
    SnippetAsk,
    SnippetSide,
)
from backdate.snippets.warm.runner import NoSnippetEnvironment

CODE = "import numpy as np\n\ndef total(values):\n    return float(np.asfarray(values).sum())\n"
MIGRATED = "import numpy as np\n\ndef total(values):\n    return float(np.asarray(values, float).sum())\n"
LIMITS = ProgramLimits()
OLD = SnippetSide(version="1.26", python="3.10", requirements=("numpy==1.26.4",))
NEW = SnippetSide(version="2.0", python="3.10", requirements=("numpy==2.0.2",))
EXPECTED = (CaseOutcome(value="3.0", kind="float"), CaseOutcome(value="6.0", kind="float"))
ASFARRAY = ApiChange(
    name="numpy.asfarray",
    spelled="np.asfarray(a, dtype=<class 'numpy.double'>)->numpy.ndarray",
    change=ApiChangeKind.REMOVED,
    version="2.0",
    replacement="numpy.asarray",
)


def make_snippet(id: str = "easy-1", **changes: Any) -> Snippet:  # noqa: A002 - the field's name
    """A snippet about ``np.asfarray``."""
    snippet = Snippet(
        id=id,
        collection=Collection.CODEMENV_EASY,
        asks=(SnippetAsk.LOCATE, SnippetAsk.EXPLAIN, SnippetAsk.MIGRATE),
        library="numpy",
        origin=OLD,
        target=NEW,
        code=CODE,
        entry="total",
        harness=Harness(cases=("([1, 2],)", "([1, 2, 3],)")),
        apis=(ASFARRAY,),
        expected=EXPECTED,
    )
    return replace(snippet, **changes)


def make_java(id: str = "java-1") -> Snippet:  # noqa: A002 - the field's name
    """A Java row: without versions and cases."""
    return Snippet(
        id=id,
        collection=Collection.CODEMENV_JAVA,
        language=Language.JAVA,
        asks=(SnippetAsk.LOCATE, SnippetAsk.EXPLAIN),
        library="java",
        origin=None,
        target=None,
        code="import java.applet.Applet;\n\npublic class Old extends Applet {\n}\n",
        entry="Old",
        apis=(
            ApiChange(name="java.applet.Applet", spelled="java.applet.Applet", change=ApiChangeKind.REMOVED),
        ),
    )


def run_of(*cases: CaseOutcome, end: ProgramEnd = ProgramEnd.FINISHED, detail: str = "") -> ProgramRun:
    """A run that gives these cases."""
    return ProgramRun(id="easy-1", end=end, detail=detail, cases=cases)


def numpy_run(side: SnippetSide, program: SnippetProgram) -> ProgramRun:
    """What ``CODE`` and ``MIGRATED`` give: ``np.asfarray`` is not there in the target."""
    if "asfarray" in program.code and side.version == "2.0":
        gone = CaseOutcome(error="AttributeError", message="no asfarray", lines=(4,))
        return replace(run_of(*[gone] * len(program.harness.cases)), id=program.id)
    if "sum()" in program.code:
        return replace(run_of(*EXPECTED), id=program.id)
    return replace(run_of(*[CaseOutcome(value="0")] * len(program.harness.cases)), id=program.id)


@dataclass
class TableRunner:
    """See ``ProgramRunner``: ``gives`` says what becomes of each program."""

    gives: Callable[[SnippetSide, SnippetProgram], ProgramRun] = numpy_run
    calls: list[tuple[SnippetSide, tuple[SnippetProgram, ...]]] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(
        self,
        side: SnippetSide,
        programs: Sequence[SnippetProgram],
        limits: ProgramLimits = LIMITS,
    ) -> Iterator[ProgramRun]:
        """One answer for each."""
        with self.lock:
            self.calls.append((side, tuple(programs)))
        for program in programs:
            yield self.gives(side, program)


class NoEnvironments:
    """See ``EnvironmentSource``: there are none."""

    def of(self, side: SnippetSide) -> NoSnippetEnvironment:
        """None."""
        return NoSnippetEnvironment(why="a test has none")
