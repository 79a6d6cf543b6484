"""An Inspect model behind our own models' interface: asked from the loop's thread, answered in Inspect's."""

from __future__ import annotations

import json
from collections.abc import Sequence

import anyio.from_thread
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentReasoning,
    GenerateConfig,
    ModelOutput,
)
from inspect_ai.model import Model as InspectModel
from inspect_ai.tool import ToolCall as InspectCall
from inspect_ai.tool import ToolChoice as InspectChoice
from inspect_ai.tool import ToolInfo
from inspect_ai.util import LimitExceededError

from backdate.models.interface import (
    Answer,
    FinishReason,
    Message,
    ModelFailure,
    Reply,
    TokenUsage,
    ToolCall,
    ToolChoice,
    ToolDefinition,
)

_FINISHED: dict[str, FinishReason] = {
    "stop": "stop",
    "max_tokens": "length",
    "tool_calls": "tool-calls",
    "content_filter": "content-filter",
}
_CHOICES: dict[ToolChoice, InspectChoice] = {"auto": "auto", "required": "any", "none": "none"}


class BridgedModel:
    """``model``, for a loop that runs in a worker thread of Inspect's event loop."""

    def __init__(self, model: InspectModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        """The model as Inspect names it."""
        return str(self._model)

    def ask(
        self,
        conversation: Sequence[Message],
        *,
        tools: Sequence[ToolDefinition] = (),
        tool_choice: ToolChoice = "auto",
        stop: Sequence[str] = (),
    ) -> Answer:
        """See ``Model.ask``. Inspect's own limits are raised, as its eval has to see them."""

        async def generate() -> ModelOutput:
            return await self._model.generate(
                [_to_inspect(message) for message in conversation],
                tools=[_tool(tool) for tool in tools],
                tool_choice=_CHOICES[tool_choice],
                config=GenerateConfig(stop_seqs=list(stop) or None),
            )

        try:
            output = anyio.from_thread.run(generate)
        except LimitExceededError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a provider's client raises has a name here
            return ModelFailure(kind="endpoint-down", message=f"{type(error).__name__}: {error}"[:500])
        if output.stop_reason == "model_length":
            return ModelFailure(kind="context-too-long", message="the conversation does not fit the model")
        return _reply(output)


def _to_inspect(message: Message) -> ChatMessage:
    if message.role == "system":
        return ChatMessageSystem(content=message.text)
    if message.role == "user":
        return ChatMessageUser(content=message.text)
    if message.role == "tool":
        return ChatMessageTool(content=message.text, tool_call_id=message.tool_call_id)
    calls = [
        InspectCall(id=call.id, function=call.name, arguments=json.loads(call.arguments))
        for call in message.tool_calls
    ]
    return ChatMessageAssistant(content=message.text, tool_calls=calls or None)


def _tool(definition: ToolDefinition) -> ToolInfo:
    return ToolInfo.model_validate(
        {
            "name": definition.name,
            "description": definition.description,
            "parameters": dict(definition.parameters),
        }
    )


def _reply(output: ModelOutput) -> Reply:
    message = output.choices[0].message if output.choices else None
    calls = (message.tool_calls or []) if message is not None else []
    content = message.content if message is not None else ""
    reasoning = (
        "\n".join(part.reasoning for part in content if isinstance(part, ContentReasoning))
        if isinstance(content, list)
        else ""
    )
    used = output.usage
    cached = (used.input_tokens_cache_read or 0) if used else 0
    return Reply(
        text=output.completion,
        tool_calls=tuple(
            ToolCall(
                id=call.id,
                name=call.function,
                arguments=call.parse_error or json.dumps(call.arguments, default=str),
            )
            for call in calls
        ),
        reasoning=reasoning or None,
        refusal=(output.error or "") if output.stop_reason == "content_filter" else None,
        finish_reason=_FINISHED.get(output.stop_reason, "unknown"),
        usage=TokenUsage(
            prompt_tokens=used.input_tokens + cached + (used.input_tokens_cache_write or 0),
            completion_tokens=used.output_tokens,
            cached_tokens=cached,
        )
        if used
        else None,
        model=output.model,
    )
