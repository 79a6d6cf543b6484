"""Answers about snippets without a model: by names asked in both environments, rules, known changes, and what
the releases between them announce.

Code is what the rules solver makes of the snippet's task. Names are those that the code uses of the library
and that one environment has and the other has not; where an environment cannot be had, those that the tables
of known changes have between the two versions.
"""

from __future__ import annotations

import json
import tempfile
import threading
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from backdate.advising.project_uses import ProjectUses
from backdate.advising.uses import read_uses
from backdate.diagnosis.api import AskedPython, ProbeRun
from backdate.evaluation.snippets.announced_names import ReleasesOf, no_releases, with_announced
from backdate.evaluation.snippets.answers import SnippetReply
from backdate.evaluation.snippets.asked_pairs import AskedPairs
from backdate.evaluation.snippets.known_names import KnownName, changed_names, known_methods, known_names
from backdate.knowledge.changes import PYTHON
from backdate.knowledge.modules import distribution_of, in_standard_library
from backdate.mining.between import ReleasesBetween
from backdate.rewriting.rewrite_source import rewrite_source
from backdate.sandboxes.interface import Sandbox
from backdate.snippets.as_task import FILE, SnippetTaskRunner, task_of_snippet
from backdate.snippets.names import uses_of
from backdate.snippets.runs import CaseOutcome, ProgramRunner, SnippetProgram
from backdate.snippets.snippet import ApiChangeKind, Language, Snippet, SnippetAsk
from backdate.snippets.warm.runner import EnvironmentSource, NoSnippetEnvironment
from backdate.solvers.interface import Assignment
from backdate.solvers.records import RunSettings
from backdate.solvers.rules.gather import evidence_of, source_texts, with_edits
from backdate.solvers.rules.old_side import OldSide
from backdate.solvers.rules.proposals import FailureGroup, FixEvidence
from backdate.solvers.rules.solver import RulesSolver
from backdate.solvers.rules.sources.choose import choose_sources
from backdate.tasks.runner import TaskRunResult

_RAN = TaskRunResult(solved=True, run=None, reason="")


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetEvidence:
    """Gathers what is known of a snippet. See ``EvidenceGatherer``."""

    snippet: Snippet
    runner: SnippetTaskRunner
    sandbox: Sandbox
    pairs: AskedPairs
    releases: ReleasesBetween | None = None

    def __call__(
        self,
        assignment: Assignment,  # noqa: ARG002 - it is this snippet's
        tree: Path,
        groups: Sequence[FailureGroup],  # noqa: ARG002 - all lines of a snippet run
        *,
        log_folder: Path,  # noqa: ARG002
    ) -> FixEvidence:
        """Both environments, and that every line ran where the cases pass."""
        texts = source_texts(tree)
        executed = {file: frozenset(range(1, text.count("\n") + 2)) for file, text in texts.items()}
        old = OldSide(environment=self.runner.environment("origin"), result=_RAN, executed=executed)
        new = self.runner.environment("target")
        pair = self.pairs.of(old.environment, new)
        evidence = evidence_of(tree, texts, old, new, self.sandbox, pair=pair)
        evidence = replace(evidence, releases=self.releases)
        if self.snippet.library != PYTHON or self.snippet.origin is None or self.snippet.target is None:
            return evidence
        pythons = (self.snippet.origin.python, self.snippet.target.python)
        return replace(evidence, versions={PYTHON: pythons}, python=pythons[1])


class RulesSnippets:
    """See ``SnippetSolver``."""

    deterministic = True

    def __init__(
        self,
        runner: ProgramRunner,
        environments: EnvironmentSource,
        sandbox: Sandbox,
        *,
        sources: str = "",
        releases: ReleasesOf = no_releases,
        asks: ProbeRun | None = None,
    ) -> None:
        """``sources``: as of the rules solver; ``asks``: what asks environments about names.

        Raises UsageError for a source that there is not.
        """
        self.name = f"rules:{sources}" if sources else "rules"
        self._runner = runner
        self._environments = environments
        self._sandbox = sandbox
        self._pairs = AskedPairs(sandbox, by=asks)
        self._releases = releases
        self._sources = choose_sources(sources)
        self._found: dict[str, tuple[KnownName, ...]] = {}
        self._guards: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def answer(self, snippet: Snippet, ask: SnippetAsk, sample: int) -> SnippetReply:  # noqa: ARG002
        """See ``SnippetSolver``."""
        if snippet.language is not Language.PYTHON or snippet.target is None:
            return SnippetReply(problem="no-rules", detail="there are no rules for this language")
        match ask:
            case SnippetAsk.LOCATE:
                names = [found.name for found in self._names(snippet)]
                return SnippetReply(text=json.dumps({"names": names}))
            case SnippetAsk.EXPLAIN:
                return SnippetReply(text=json.dumps({"changes": self._explained(snippet)}))
            case SnippetAsk.MIGRATE:
                return self._migrated(snippet)
            case SnippetAsk.COMPLETE:
                return SnippetReply(problem="no-rules", detail="rules complete nothing")

    def _names(self, snippet: Snippet) -> tuple[KnownName, ...]:
        with self._guards[snippet.id]:
            if snippet.id not in self._found:
                used = used_names(snippet)
                found = (*self._find(snippet, used, places=False), *known_methods(snippet))
                self._found[snippet.id] = tuple({known.name: known for known in found}.values())
            return self._found[snippet.id]

    def _explained(self, snippet: Snippet) -> list[dict[str, str]]:
        """Of the names that the question holds, which are asked for by name."""
        names = [api.name for api in snippet.apis]
        found = {each.name: each for each in self._find(snippet, names, announced=True)}
        return [
            {
                "name": name,
                "change": found[name].change.value if name in found else ApiChangeKind.UNKNOWN.value,
                "version": found[name].version if name in found else "",
                "replacement": found[name].replacement if name in found else "",
            }
            for name in names
        ]

    def _find(
        self, snippet: Snippet, names: Sequence[str], *, announced: bool = False, places: bool = True
    ) -> tuple[KnownName, ...]:
        """What became of those of ``names`` that changed; with ``announced`` also of what the tables know.

        Without ``places`` it does not matter where they are now.
        """
        old, new = self._python(snippet, origin=True), self._python(snippet, origin=False)
        told = known_names(snippet, names)
        if old is None or new is None or not names:
            return told
        differences = self._pairs.differences(old, new, names, places=places)
        found = changed_names(snippet, differences, told, announced=announced)
        releases = self._releases(snippet)
        if releases is None:
            return found
        there = [one.old for one in differences if one.old is not None and one.old.present]
        homes = {member.name: member.home if member.qualified else "" for member in there}
        return with_announced(snippet, found, homes, releases)

    def _python(self, snippet: Snippet, *, origin: bool) -> AskedPython | None:
        side = snippet.origin if origin else snippet.target
        found = None if side is None else self._environments.of(side)
        return None if isinstance(found, NoSnippetEnvironment) else found

    def _migrated(self, snippet: Snippet) -> SnippetReply:
        if snippet.origin is None:
            return SnippetReply(problem="no-rules", detail="it has no origin")
        expected = snippet.expected or self._origin_gives(snippet)
        runner = SnippetTaskRunner(snippet, self._runner, self._environments, expected)
        solver = RulesSolver(
            name=self.name,
            sources=self._sources,
            gather=SnippetEvidence(
                snippet=snippet,
                runner=runner,
                sandbox=self._sandbox,
                pairs=self._pairs,
                releases=self._releases(snippet),
            ),
            follow=with_edits,
            rewrite=lambda text, rewrite, lines: rewrite_source(text, rewrite, lines=lines),
        )
        with tempfile.TemporaryDirectory(prefix="backdate-snippet-") as temporary:
            folder = Path(temporary)
            for name in ("scratch", "logs"):
                (folder / name).mkdir()
            assignment = Assignment(
                task=task_of_snippet(snippet),
                settings=RunSettings(solver=self.name),
                task_runner=runner,
                scratch=folder / "scratch",
                logs=folder / "logs",
            )
            result = solver.attempt(assignment)
            text = (folder / "scratch" / "tree" / FILE).read_text(encoding="utf-8")
        return SnippetReply(text=text, detail=f"{result.ending.value}: {result.detail}".strip(": "))

    def _origin_gives(self, snippet: Snippet) -> tuple[CaseOutcome, ...]:
        assert snippet.origin is not None
        program = SnippetProgram(
            id=snippet.id, code=snippet.code, entry=snippet.entry, harness=snippet.harness
        )
        [run] = self._runner.run(snippet.origin, [program])
        return run.cases


def used_names(snippet: Snippet) -> tuple[str, ...]:
    """The names of the snippet's library that its code uses: dotted ones, and methods of its classes."""
    uses = ProjectUses()
    read_uses(snippet.code.encode("utf-8", "replace"), FILE, uses)
    dotted = list(dict.fromkeys(use.name for use in uses_of(snippet.code)))
    # what holds another name that is used is no use of its own: "numpy" of "numpy.zeros"
    names = [name for name in dotted if not any(other.startswith(f"{name}.") for other in dotted)]
    names += [name for name, use in uses.names.items() if use.of_object and _is_method(name)]
    return tuple(name for name in dict.fromkeys(names) if _is_of(snippet.library, name))


def _is_method(name: str) -> bool:
    """Whether a name is an attribute of a class, by the custom that classes have capitals."""
    return name.rpartition(".")[0].rpartition(".")[2][:1].isupper()


def _is_of(library: str, name: str) -> bool:
    if library == PYTHON:
        return "." not in name or in_standard_library(name)
    return distribution_of(name) == library or name.partition(".")[0] == library.replace("-", "_")
