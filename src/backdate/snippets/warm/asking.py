"""Names asked in warm processes: the library is imported once, and each question is answered by a fork."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from backdate.diagnosis.api import PROBES, AskedPython, ProbeRequest, run_probe
from backdate.knowledge.modules import in_standard_library
from backdate.sandboxes.interface import MIB, Limits, Mount, RunStatus, Sandbox
from backdate.serial import to_json
from backdate.snippets.runs import ProgramEnd, ProgramLimits, SnippetProgram
from backdate.snippets.snippet import Harness
from backdate.snippets.warm.kept import KeptServers
from backdate.snippets.warm.wire import ConnectionEnded

_AT = "/backdate/probe"
_ANSWER_BYTES = 16 * MIB
_CODE = f"""
import json, sys
sys.path.insert(0, {_AT!r})

def ask(script, request):
    for line in __import__(script).answered(json.loads(request)):
        sys.stdout.write("\\n" + line + "\\n")  # on a line of its own, whatever an import printed
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class WarmQuestions:
    """Asks environments as ``run_probe`` does, in processes that stay. See ``ProbeRun``."""

    sandbox: Sandbox
    servers: KeptServers

    def __call__(
        self, environment: AskedPython, script: str, request: ProbeRequest, *, limits: Limits
    ) -> tuple[str, bytes]:
        """How it ended, and the lines; where the fork does not come to its end, a new process is asked.

        What that answers until it ends counts, as ever. Raises SandboxUnavailable.
        """
        library = _most_named(request)
        if library:
            data = self._forked(environment, library, script, request, limits)
            if data is not None:
                return RunStatus.EXITED.value, data
        return run_probe(self.sandbox, environment, script, request, limits=limits)

    def _forked(
        self,
        environment: AskedPython,
        library: str,
        script: str,
        request: ProbeRequest,
        limits: Limits,
    ) -> bytes | None:
        case = repr((script.removesuffix(".py"), to_json(request).decode()))
        program = SnippetProgram(id="question", code=_CODE, entry="ask", harness=Harness(cases=(case,)))
        of_program = ProgramLimits(
            wall_s=limits.wall_s or ProgramLimits().wall_s,
            memory_bytes=limits.memory_bytes or ProgramLimits().memory_bytes,
            output_bytes=_ANSWER_BYTES,
        )
        mounts = (Mount(source=PROBES, target=_AT),)
        try:
            with self.servers.lent(environment, (library,), of_program, mounts) as server:
                run, _ = server.ask(program, of_program)
        except ConnectionEnded:
            return None
        if run.end is not ProgramEnd.FINISHED or len(run.cases) != 1 or run.cases[0].error:
            return None
        return run.cases[0].printed.encode()


def _most_named(request: ProbeRequest) -> str:
    """The top-level package that most of the names are in; "" where all are the standard library's.

    The question imports it in any case, so that it finds nothing that it would not find by itself.
    """
    tops = Counter(name.partition(".")[0] for asked in ("names", "owners") for name in request.get(asked, ()))
    named = [top for top, _ in tops.most_common() if not in_standard_library(top)]
    return next(iter(named), "")
