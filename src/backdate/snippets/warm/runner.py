"""The program runner: programs forked from warm processes, in environments by version."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from backdate.diagnosis.api import AskedPython
from backdate.sandboxes.interface import RunStatus, Sandbox
from backdate.snippets.runs import DEFAULT_LIMITS, ProgramEnd, ProgramLimits, ProgramRun, SnippetProgram
from backdate.snippets.scripts import limits_for, runnable
from backdate.snippets.snippet import SnippetSide
from backdate.snippets.warm.kept import KeptServers
from backdate.snippets.warm.preload import groups_of
from backdate.snippets.warm.server import WarmServer, started
from backdate.snippets.warm.wire import ConnectionEnded


@dataclass(frozen=True, slots=True, kw_only=True)
class NoSnippetEnvironment:
    """Why there is no environment with the versions of a side."""

    why: str


class EnvironmentSource(Protocol):
    """Has or makes the environments of sides."""

    def of(self, side: SnippetSide) -> AskedPython | NoSnippetEnvironment:
        """The environment of ``side``. Raises SandboxUnavailable and IndexUnavailable."""
        ...


class WarmRunner:
    """Runs programs as ``ProgramRunner`` says. Safe to share between threads."""

    def __init__(
        self, sandbox: Sandbox, environments: EnvironmentSource, *, kept: KeptServers | None = None
    ) -> None:
        """``environments``: where those of sides come from.

        ``kept``: processes that several calls share, for who runs one program after the other.
        """
        self._sandbox = sandbox
        self._environments = environments
        self._kept = kept

    def run(
        self, side: SnippetSide, programs: Sequence[SnippetProgram], limits: ProgramLimits = DEFAULT_LIMITS
    ) -> Iterator[ProgramRun]:
        """Run each in the environment of ``side``; see the protocol."""
        if not programs:
            return
        python = self._environments.of(side)
        if isinstance(python, NoSnippetEnvironment):
            for program in programs:
                yield ProgramRun(id=program.id, end=ProgramEnd.NO_ENVIRONMENT, detail=python.why)
            return
        made: dict[int, ProgramRun] = {}
        waiting = iter(programs)
        expected = next(waiting, None)
        for modules, members in groups_of(programs):
            for program, run in self._of_group(python, modules, members, limits):
                made[id(program)] = run
                while expected is not None and id(expected) in made:
                    yield made[id(expected)]
                    expected = next(waiting, None)

    def _of_group(
        self,
        python: AskedPython,
        modules: Sequence[str],
        programs: Sequence[SnippetProgram],
        limits: ProgramLimits,
    ) -> Iterator[tuple[SnippetProgram, ProgramRun]]:
        """Each of those that share a process, with what came of it.

        A process that a program took with it is not asked again. That program is run again in one of its own,
        since the machine or a sibling may have been the reason, and the others in a new one.
        """
        left = list(programs)
        limits = limits_for(programs, limits)
        while left:
            answered = 0
            try:
                with self._opened(python, modules, limits, len(left)) as server:
                    for program in left:
                        run, goes_on = server.ask(runnable(program), limits)
                        answered += 1
                        yield program, run
                        if not goes_on:
                            break
            except ConnectionEnded:
                if answered < len(left):
                    yield left[answered], self._alone(python, modules, left[answered], limits)
                    answered += 1
            del left[:answered]

    def _opened(
        self, python: AskedPython, modules: Sequence[str], limits: ProgramLimits, programs: int
    ) -> AbstractContextManager[WarmServer]:
        if self._kept is not None:
            return self._kept.lent(python, modules, limits)
        return started(self._sandbox, python, modules, limits, programs)

    def _alone(
        self, python: AskedPython, modules: Sequence[str], program: SnippetProgram, limits: ProgramLimits
    ) -> ProgramRun:
        """What comes of a program in a process of its own; at last in one that imported nothing before it."""
        for preloaded in (modules, ()) if modules else ((),):
            with (
                contextlib.suppress(ConnectionEnded),  # it did not start; importing may be what ends it
                started(self._sandbox, python, preloaded, limits, 1) as server,
            ):
                try:
                    return server.ask(runnable(program), limits)[0]
                except ConnectionEnded as error:
                    detail = f"it took the process above it with it: {error}"
                    return ProgramRun(id=program.id, end=_end_of(server), detail=detail)
        detail = "the process that it ran in could not be started"
        return ProgramRun(id=program.id, end=ProgramEnd.CRASHED, detail=detail)


def _end_of(server: WarmServer) -> ProgramEnd:
    """What a program did to a server that does not answer any more."""
    status = server.why_it_ended()
    if status is None:
        return ProgramEnd.TIMED_OUT
    return ProgramEnd.MEMORY if status is RunStatus.OOM else ProgramEnd.CRASHED
