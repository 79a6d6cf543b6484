"""Asking the installed fixers, each question once; which could not be asked is kept for the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from backdate.environments.environment import Environment
from backdate.sandboxes.interface import Mount, Sandbox
from backdate.solvers.rules.fixers.installed import EXTRA, FixerName, InstalledFixer, find_fixer
from backdate.solvers.rules.fixers.ruff import RuffFinding, read_findings, ruff_arguments
from backdate.solvers.rules.fixers.running import FixerRun, run_fixer
from backdate.solvers.rules.fixers.ty import TyFinding, read_ty, ty_arguments

_Question = tuple[FixerName, tuple[str, ...], tuple[tuple[str, str], ...]]


@dataclass(slots=True)
class AskedFixers:
    """The fixers of one task."""

    sandbox: Sandbox
    find: Callable[[FixerName], InstalledFixer | None] = find_fixer
    _absent: dict[FixerName, None] = field(init=False, default_factory=dict)
    _troubles: dict[FixerName, str] = field(init=False, default_factory=dict)
    _answers: dict[_Question, FixerRun] = field(init=False, default_factory=dict)
    _findings: dict[tuple[str, str, str], list[RuffFinding]] = field(init=False, default_factory=dict)
    """What ruff finds in a file, by its Python, its path and its text: it reads each file for itself."""

    @property
    def untold(self) -> str:
        """Which fixers had something to say, perhaps, and could not be asked; "" for none."""
        parts = []
        if self._absent:
            parts.append(f"not installed, so not asked: {', '.join(self._absent)} ({EXTRA})")
        parts += [f"{name} said nothing: {trouble}" for name, trouble in self._troubles.items()]
        return "; ".join(parts)

    def findings(self, texts: Mapping[str, str], python: str) -> tuple[RuffFinding, ...]:
        """What ruff finds in files that run on that Python. Raises SandboxUnavailable."""
        unknown = {file: text for file, text in texts.items() if (python, file, text) not in self._findings}
        if unknown and not self._find(unknown, python):
            return ()
        return tuple(
            finding for file, text in texts.items() for finding in self._findings[python, file, text]
        )

    def _find(self, texts: Mapping[str, str], python: str) -> bool:
        """Ask ruff of files that it was not asked of; whether it answered."""
        run = self._asked(FixerName.RUFF, ruff_arguments(python, texts), texts)
        if run is None:
            return False
        try:
            found = read_findings(run.answer, texts)
        except ValueError as error:
            self._troubles.setdefault(FixerName.RUFF, str(error))
            return False
        self._findings.update(((python, file, text), []) for file, text in texts.items())
        for finding in found:
            self._findings[python, finding.file, texts[finding.file]].append(finding)
        return True

    def rewritten(
        self, name: FixerName, arguments: Sequence[str], texts: Mapping[str, str]
    ) -> Mapping[str, str]:
        """The files as a fixer leaves them, those that it changes. Raises SandboxUnavailable."""
        run = self._asked(name, arguments, texts, rewrites=True)
        if run is None:
            return {}
        return {file: text for file, text in run.texts.items() if text != texts[file]}

    def lost(
        self,
        texts: Mapping[str, str],
        old: Environment,
        new: Environment,
        *,
        lines: Mapping[str, frozenset[int]],
    ) -> tuple[TyFinding, ...]:
        """What ty says that ``lines`` of files use and the new environment lacks, and does not say of the
        old one, which is asked only where there is something to compare.

        Raises SandboxUnavailable.
        """
        found = self._types(texts, new) or ()
        after = tuple(one for one in found if one.line in lines.get(one.file, frozenset()))
        before = self._types(texts, old) if after else None
        return () if before is None else tuple(finding for finding in after if finding not in before)

    def _types(self, texts: Mapping[str, str], environment: Environment) -> Sequence[TyFinding] | None:
        """What ty finds in one environment; None where it could not be asked."""
        arguments = ty_arguments(environment, texts)
        run = self._asked(FixerName.TY, arguments, texts, mounts=environment.mounts)
        if run is None:
            return None
        try:
            return read_ty(run.answer, texts)
        except ValueError as error:
            self._troubles.setdefault(FixerName.TY, str(error))
            return None

    def _asked(
        self,
        name: FixerName,
        arguments: Sequence[str],
        texts: Mapping[str, str],
        *,
        rewrites: bool = False,
        mounts: Sequence[Mount] = (),
    ) -> FixerRun | None:
        key = (name, tuple(arguments), tuple(sorted(texts.items())))
        if key in self._answers:
            return self._answers[key]
        fixer = self.find(name)
        if fixer is None:
            self._absent[name] = None
            return None
        run = run_fixer(self.sandbox, fixer, arguments, texts, rewrites=rewrites, mounts=mounts)
        if run.trouble or run.exit_code != 0:
            self._troubles.setdefault(name, run.trouble or f"its exit status was {run.exit_code}")
            return None
        self._answers[key] = run
        return run
