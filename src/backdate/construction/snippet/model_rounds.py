"""Functions that a model writes for changed names without a proven one, with rounds of repair."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from backdate.construction.snippet.changed_apis import ChangedApi
from backdate.construction.snippet.model_prompts import (
    UnusableReply,
    first_messages,
    read_function,
    repair_message,
)
from backdate.construction.snippet.plan import SnippetBuildPlan
from backdate.construction.snippet.proving import ProofResult, ProvenSnippet
from backdate.construction.snippet.reasons import SnippetReason
from backdate.construction.snippet.usages import DrawnSnippet
from backdate.models.interface import Message, Model, ModelFailure
from backdate.progress import NO_PROGRESS, Activity, Reporter

REPAIRS = 3
"""Rounds of repair after the first reply, as in CodeMEnv's paper."""
Prove = Callable[[Sequence[DrawnSnippet]], Sequence[ProofResult]]
"""What becomes of drawn snippets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenSnippets:
    """What a model was asked for."""

    proven: tuple[ProvenSnippet, ...]
    refused: tuple[SnippetReason, ...]
    """Of each name without a proven function, why its last reply is none."""


@dataclass(slots=True, kw_only=True)
class _AskedFunction:
    """One name, and the conversation about it."""

    changed: ChangedApi
    messages: list[Message]
    reason: SnippetReason = SnippetReason.NO_REPLY
    final: bool = False
    """Whether nothing more is asked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRounds:
    """Asks a model for one function of each name, and again with what was wrong."""

    model: Model
    plan: SnippetBuildPlan
    library: str
    """The package that is imported."""
    prove: Prove
    progress: Reporter = field(default=NO_PROGRESS)

    def write(self, names: Sequence[ChangedApi]) -> WrittenSnippets:
        """A function for each of ``names``, as far as one is proven within the rounds."""
        asked = [_AskedFunction(changed=one, messages=list(first_messages(one, self.plan))) for one in names]
        proven: list[ProvenSnippet] = []
        for number in range(1 + REPAIRS):
            waiting = [one for one in asked if not one.final]
            if not waiting:
                break
            self.progress.report(
                Activity(text=f"asking {self.model.name}, round {number}: {len(waiting)} names")
            )
            proven += self._round(waiting)
        return WrittenSnippets(
            proven=tuple(proven),
            refused=tuple(one.reason for one in asked if all(_is_other(one, each) for each in proven)),
        )

    def _round(self, waiting: Sequence[_AskedFunction]) -> list[ProvenSnippet]:
        """One reply for each name, run together."""
        drawn: dict[str, DrawnSnippet] = {}
        for one in waiting:
            found = self._reply(one)
            if isinstance(found, DrawnSnippet):
                drawn[one.changed.key] = found
        by_key = {one.changed.key: one for one in waiting}
        proven: list[ProvenSnippet] = []
        for result in self.prove(list(drawn.values())) if drawn else ():
            one = by_key[result.drawn.names[0]]
            if isinstance(result, ProvenSnippet):
                one.final = True
                proven.append(result)
            else:
                self._again(one, result.reason, result.detail)
        return proven

    def _reply(self, one: _AskedFunction) -> DrawnSnippet | None:
        answer = self.model.ask(one.messages)
        if isinstance(answer, ModelFailure):
            one.reason, one.final = SnippetReason.NO_REPLY, True
            return None
        one.messages.append(Message(role="assistant", text=answer.text))
        found = read_function(answer.text, one.changed, library=self.library, model=self.model.name)
        if isinstance(found, UnusableReply):
            self._again(one, found.reason, found.detail)
            return None
        return found

    def _again(self, one: _AskedFunction, reason: SnippetReason, detail: str) -> None:
        one.reason = reason
        one.messages.append(repair_message(reason, detail))


def _is_other(asked: _AskedFunction, proven: ProvenSnippet) -> bool:
    return proven.drawn.names[0] != asked.changed.key
