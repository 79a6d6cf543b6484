"""The model solver: a model in the loop, spoken to in one of the dialects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from backdate.models.interface import Answer, Message, Model, ModelFailure, Reply, ToolChoice, ToolDefinition
from backdate.models.interface import TokenUsage as Tokens
from backdate.sandboxes import interruption
from backdate.solvers.conversation import AgentReply, Failed, Turn
from backdate.solvers.dialects.choose import choose_dialect
from backdate.solvers.dialects.interface import Dialect, failed
from backdate.solvers.dialogue import converse
from backdate.solvers.interface import Assignment, SolverResult
from backdate.solvers.records import SolverUsage, StopReason
from backdate.solvers.tools.interface import Tool

Cost = Callable[[str, Tokens | None], float | None]
"""What one request of a model costs in US dollars; None when unknown."""


def unknown_cost(_model: str, _tokens: Tokens | None) -> float | None:
    """Without a price file no cost is known."""
    return None


class ModelSolver:
    """Any model behind the models' interface."""

    def __init__(self, model: Model, *, name: str = "", cost: Cost = unknown_cost) -> None:
        self._model = model
        self._cost = cost
        self._hopeless: Failed | None = None
        self.name = name or f"model:{model.name}"

    def attempt(self, assignment: Assignment) -> SolverResult:
        """Let the model work on the task.

        Once the endpoint said that no question can succeed (no key, no such model, nothing left to spend),
        further tasks end as that at once: the tests are not run for nothing.
        """
        if self._hopeless is not None:
            detail = f"{self._hopeless.kind}: {self._hopeless.message}"
            return SolverResult(ending=StopReason.MODEL, detail=detail)
        speaker = ModelSpeaker(self._model, choose_dialect(assignment.settings.dialect), self._cost)
        attempt = converse(assignment, speaker)
        self._hopeless = self._hopeless or speaker.hopeless
        return attempt


class ModelSpeaker:
    """A model in one conversation; counts what it is asked there."""

    asks_endpoint = True

    def __init__(self, model: Model, dialect: Dialect, cost: Cost = unknown_cost) -> None:
        self._model, self._dialect, self._cost = model, dialect, cost
        self._opening: tuple[Message, ...] = ()
        self._tools: tuple[Tool, ...] = ()
        self._usage = SolverUsage()
        self._remembered = True
        self.hopeless: Failed | None = None
        """The failure after which no question of any task can succeed."""
        self.model = model.name

    def begin(self, rules: str, task: str, tools: Sequence[Tool]) -> str:
        """See ``Responder.begin``."""
        system = self._dialect.system(rules, tools)
        self._opening = (Message(role="system", text=system), Message(role="user", text=task))
        self._tools = tuple(tools)
        return system

    def recall(self, reply: AgentReply, model: str) -> None:  # noqa: ARG002 - it is in the conversation
        """See ``Responder.recall``."""
        self.model = model

    def reply(self, conversation: Sequence[Turn]) -> AgentReply | Failed:
        """The model's next reply, with what it cost."""
        self._usage, self._remembered = SolverUsage(), True
        spoken = self._dialect.next_reply(self._ask, self._opening, conversation, self._tools)
        if isinstance(spoken, AgentReply):
            spoken = replace(spoken, remembered=self._remembered)
        return replace(spoken, usage=self._usage)

    def _ask(
        self,
        conversation: Sequence[Message],
        *,
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice = "auto",
        stop: Sequence[str] = (),
    ) -> Answer:
        # Ctrl-C is not to wait for a reply: an endpoint may take minutes, and the answer is not needed.
        answer = interruption.wait_for(
            lambda: self._model.ask(conversation, tools=tools, tool_choice=tool_choice, stop=stop)
        )
        self._remembered &= isinstance(answer, Reply) and answer.from_cache
        if isinstance(answer, Reply) and answer.model:
            self.model = answer.model
        if isinstance(answer, ModelFailure) and answer.is_final:
            self.hopeless = failed(answer)
        tokens = answer.usage
        if isinstance(answer, Reply) or tokens is not None:
            self._usage += SolverUsage(
                requests=1,
                input_tokens=tokens.prompt_tokens if tokens else None,
                cached_tokens=tokens.cached_tokens if tokens else None,
                output_tokens=tokens.completion_tokens if tokens else None,
                cost_usd=self._cost(self._model.name, tokens),
            )
        return answer
